"""What each estimator in a report is called, what it estimates, and who found it."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["BEST", "METHODS", "PROCEDURE", "WINNER", "Method"]

BEST = "the best candidate's true score (mu*)"
WINNER = "the winner's true score (mu_w)"
PROCEDURE = "the procedure's average true score (E[mu_w])"


class Method(NamedTuple):
    """An estimator as a reader of the report meets it."""

    name: str
    target: str
    errs: str
    """Which way, on average."""
    citation: str
    source: str
    """Key in BibTeX."""
    judges_given: bool = False
    """Whether it can judge a candidate other than the one with the best mean score."""


METHODS = {
    "ME": Method(
        "best mean score", BEST, "upwards", "van Hasselt (2013), Theorem 1", "vanhasselt2013",
    ),
    "LVCV": Method(
        "low-variance cross-validation", BEST, "downwards",
        "van Hasselt (2013), Eq. 10", "vanhasselt2013",
    ),
    "LBCV": Method(
        "low-bias cross-validation", BEST, "downwards",
        "van Hasselt (2013), Eq. 10", "vanhasselt2013",
    ),
    "BAYES": Method(
        "Bayesian expected maximum", BEST, "upwards",
        "van Hasselt (2013), Section 3", "vanhasselt2013",
    ),
    "EB": Method(
        "empirical-Bayes shrinkage", WINNER, "slightly upwards",
        "Efron (2011), Tweedie's formula", "efron2011", judges_given=True,
    ),
    "TT": Method(
        "bias correction by the lead on each split", WINNER, "either way",
        "Tibshirani & Tibshirani (2009)", "tibshirani2009",
    ),
    "BBC": Method(
        "bootstrap bias correction", WINNER, "slightly downwards",
        "Tsamardinos et al. (2018)", "tsamardinos2018",
    ),
    "BBC-F": Method(
        "bootstrap bias correction over splits", WINNER, "either way",
        "Paraschakis et al. (2024)", "paraschakis2024",
    ),
    "NESTED": Method(
        "nested cross-validation", PROCEDURE, "slightly downwards",
        "Varma & Simon (2006)", "varma2006", judges_given=True,
    ),
    "NESTED-P": Method(
        "nested cross-validation, judged on all rows together", PROCEDURE, "slightly downwards",
        "Varma & Simon (2006)", "varma2006", judges_given=True,
    ),
    "CONSENSUS": Method(
        "consensus of LVCV and a posterior mean", WINNER, "either way, little",
        "skmaxev", "skmaxev", judges_given=True,
    ),
}  # fmt: skip
"""By the key of the estimator in a report."""
