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
    source : str
        Key of its source in ``report.bibtex()``.
    judges_given : bool
        Whether it can judge a candidate other than the one with the best mean score.
    """

    key: str
    name: str
    target: str
    errs: str
    citation: str
    source: str
    judges_given: bool = False


_VAN_HASSELT = "van Hasselt (2013), {}"

_ALL = (
    Method(
        "ME", "best mean score", BEST, "upwards", _VAN_HASSELT.format("Theorem 1"), "vanhasselt2013"
    ),
    Method(
        "LVCV",
        "low-variance cross-validation",
        BEST,
        "downwards",
        _VAN_HASSELT.format("Eq. 10"),
        "vanhasselt2013",
    ),
    Method(
        "LBCV",
        "low-bias cross-validation",
        BEST,
        "downwards",
        _VAN_HASSELT.format("Eq. 10"),
        "vanhasselt2013",
    ),
    Method(
        "BAYES",
        "Bayesian expected maximum",
        BEST,
        "upwards",
        _VAN_HASSELT.format("Section 3"),
        "vanhasselt2013",
    ),
    Method(
        "EB",
        "empirical-Bayes shrinkage",
        WINNER,
        "slightly upwards",
        "Efron (2011), Tweedie's formula",
        "efron2011",
        judges_given=True,
    ),
    Method(
        "TT",
        "bias correction by the lead on each split",
        WINNER,
        "either way",
        "Tibshirani & Tibshirani (2009)",
        "tibshirani2009",
    ),
    Method(
        "BBC",
        "bootstrap bias correction",
        WINNER,
        "slightly downwards",
        "Tsamardinos et al. (2018)",
        "tsamardinos2018",
    ),
    Method(
        "BBC-F",
        "bootstrap bias correction over splits",
        WINNER,
        "either way",
        "Paraschakis et al. (2024)",
        "paraschakis2024",
    ),
    Method(
        "NESTED",
        "nested cross-validation",
        PROCEDURE,
        "slightly downwards",
        "Varma & Simon (2006)",
        "varma2006",
        judges_given=True,
    ),
    Method(
        "NESTED-P",
        "nested cross-validation, judged on all rows together",
        PROCEDURE,
        "slightly downwards",
        "Varma & Simon (2006)",
        "varma2006",
        judges_given=True,
    ),
    Method(
        "CONSENSUS",
        "consensus of LVCV and a posterior mean",
        WINNER,
        "either way, little",
        "skmaxev",
        "skmaxev",
        judges_given=True,
    ),
)

METHODS = {method.key: method for method in _ALL}
