"""The searches: GridSearchCV's contract, with an honest best score."""

from skmaxev.search.fits import planned_fits
from skmaxev.search.honest import HonestSearchCV
from skmaxev.search.low_variance import LowVarianceCVSearch
from skmaxev.search.nested import NestedCVSearch
from skmaxev.search.shrunk import ShrunkSearchCV

__all__ = [
    "HonestSearchCV",
    "LowVarianceCVSearch",
    "NestedCVSearch",
    "ShrunkSearchCV",
    "planned_fits",
]
