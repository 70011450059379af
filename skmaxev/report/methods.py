"""What each estimator in a report is called, what it estimates and which way it errs."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["BEST", "METHODS", "PROCEDURE", "WINNER", "Method"]

BEST = "the best candidate's true score (mu*)"
WINNER = "the winner's true score (mu_w)"
PROCEDURE = "the procedure's average true score (E[mu_w])"


@dataclass(frozen=True)
class Method:
    """An estimator as a reader of the report meets it.

    Parameters
    ----------
    key : str
        Short name, as in ``report.estimates``.
    name : str
        Name in words.
    target : str
        What it estimates.
    errs : str
        Which way it errs on average.
    citation : str
        Where it comes from.
    judges_given : bool
        Whether it can judge a candidate other than the one with the best mean score.
    """

    key: str
    name: str
    target: str
    errs: str
    citation: str
    judges_given: bool = False


_ALL = (
    Method("ME", "best mean score", BEST, "upwards", "van Hasselt (2013), Theorem 1"),
    Method(
        "LVCV",
        "chosen on one split, judged on the rest",
        BEST,
        "downwards",
        "van Hasselt (2013), Eq. 10",
    ),
    Method(
        "LBCV",
        "chosen on the rest, judged on one split",
        BEST,
        "downwards",
        "van Hasselt (2013), Eq. 10",
    ),
    Method("BAYES", "mean of the largest belief", BEST, "upwards", "van Hasselt (2013), Section 3"),
    Method(
        "EB",
        "shrunk towards the average candidate",
        WINNER,
        "slightly upwards",
        "Efron (2011), Tweedie's formula",
        judges_given=True,
    ),
    Method(
        "TT",
        "minus the mean lead of each split",
        WINNER,
        "either way",
        "Tibshirani & Tibshirani (2009)",
    ),
    Method(
        "BBC", "bootstrap of the rows", WINNER, "slightly downwards", "Tsamardinos et al. (2018)"
    ),
    Method("BBC-F", "bootstrap of the splits", WINNER, "either way", "Paraschakis et al. (2024)"),
    Method(
        "NESTED",
        "nested cross-validation",
        PROCEDURE,
        "slightly downwards",
        "Varma & Simon (2006)",
        judges_given=True,
    ),
    Method(
        "CONSENSUS",
        "where LVCV and a posterior mean agree",
        WINNER,
        "either way, little",
        "skmaxev",
        judges_given=True,
    ),
)

METHODS = {method.key: method for method in _ALL}
