"""The searches: GridSearchCV's contract, with an honest best score."""

from skmaxev.engine.submodels import SubmodelAxis, register_submodels
from skmaxev.search.honest import HonestSearchCV, LowVarianceCVSearch, ShrunkSearchCV
from skmaxev.search.judge_again import judge_again
from skmaxev.search.nested import NestedCVSearch
from skmaxev.search.planned_fits import planned_fits

__all__ = [
    "HonestSearchCV",
    "LowVarianceCVSearch",
    "NestedCVSearch",
    "ShrunkSearchCV",
    "SubmodelAxis",
    "judge_again",
    "planned_fits",
    "register_submodels",
]
