"""Pictures of a search, in scikit-learn's convention: arrays in, ``plot(ax=None)`` draws.

matplotlib is imported when something is drawn, so everything else works without it.
"""

from skmaxev.plotting.candidates import RunnersUpDisplay, SelectionBiasDisplay
from skmaxev.plotting.critical_difference import CriticalDifferenceDisplay
from skmaxev.plotting.estimates import EstimatorsDisplay, OptimismCurveDisplay
from skmaxev.plotting.outer_folds import OuterFoldsDisplay

__all__ = [
    "CriticalDifferenceDisplay",
    "EstimatorsDisplay",
    "OptimismCurveDisplay",
    "OuterFoldsDisplay",
    "RunnersUpDisplay",
    "SelectionBiasDisplay",
]
