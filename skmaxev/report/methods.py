"""What each estimator in a report is called, what it estimates, how it errs, and who found it."""

from __future__ import annotations

from typing import NamedTuple

from skmaxev._version import __version__

__all__ = ["BEST", "METHODS", "PROCEDURE", "WINNER", "Method", "bibtex"]

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

# Kind, author, title, year, where.
_SOURCES = {
    "vanhasselt2013": (
        "misc", "van Hasselt, Hado", "Estimating the Maximum Expected Value: An Analysis of "
        "(Nested) Cross Validation and the Maximum Sample Average", 2013,
        "note = {arXiv:1302.7175}",
    ),
    "efron2011": (
        "article", "Efron, Bradley", "Tweedie's Formula and Selection Bias", 2011,
        "journal = {Journal of the American Statistical Association}, volume = {106}",
    ),
    "tibshirani2009": (
        "article", "Tibshirani, Ryan J. and Tibshirani, Robert",
        "A Bias Correction for the Minimum Error Rate in Cross-Validation", 2009,
        "journal = {The Annals of Applied Statistics}, volume = {3}",
    ),
    "tsamardinos2018": (
        "article", "Tsamardinos, Ioannis and Greasidou, Elissavet and Borboudakis, Giorgos",
        "Bootstrapping the Out-of-Sample Predictions for Efficient and Accurate Cross-Validation",
        2018, "journal = {Machine Learning}, volume = {107}",
    ),
    "paraschakis2024": (
        "misc", "Paraschakis, Konstantinos and others",
        "Confidence Interval Estimation of Predictive Performance in the Context of AutoML", 2024,
        "note = {arXiv:2406.08099}",
    ),
    "varma2006": (
        "article", "Varma, Sudhir and Simon, Richard",
        "Bias in Error Estimation When Using Cross-Validation for Model Selection", 2006,
        "journal = {BMC Bioinformatics}, volume = {7}",
    ),
    "skmaxev": (
        "software", "{skmaxev developers}", "skmaxev: honest scores for scikit-learn searches",
        2026, f"version = {{{__version__}}}",
    ),
}  # fmt: skip


def bibtex(method: str) -> str:
    """Write the BibTeX entries of a method and of this package."""
    entries = []
    for key in dict.fromkeys([METHODS[method].source, "skmaxev"]):
        kind, author, title, year, where = _SOURCES[key]
        entries.append(
            f"@{kind}{{{key},\n  author = {{{author}}},\n  title = {{{title}}},\n"
            f"  year = {{{year}}},\n  {where}\n}}"
        )
    return "\n\n".join(entries)
