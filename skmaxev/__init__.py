"""Honest scores for scikit-learn searches: the best score, corrected for having been chosen."""

from skmaxev import estimators
from skmaxev._version import __version__
from skmaxev.correction import correct
from skmaxev.report import SelectionReport
from skmaxev.search import (
    HonestSearchCV,
    LowVarianceCVSearch,
    NestedCVSearch,
    ShrunkSearchCV,
    judge_again,
    planned_fits,
)

__all__ = [
    "HonestSearchCV",
    "LowVarianceCVSearch",
    "NestedCVSearch",
    "SelectionReport",
    "ShrunkSearchCV",
    "__version__",
    "correct",
    "estimators",
    "judge_again",
    "planned_fits",
]
