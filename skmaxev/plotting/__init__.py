"""Pictures of a search, in scikit-learn's convention: arrays in, `plot(ax=None)` draws.

matplotlib is imported when something is drawn, so everything else works without it.
"""

from skmaxev.plotting.critical_difference import CriticalDifferenceDisplay
from skmaxev.plotting.estimators import EstimatorsDisplay
from skmaxev.plotting.optimism_curve import OptimismCurveDisplay
from skmaxev.plotting.outer_folds import OuterFoldsDisplay
from skmaxev.plotting.runners_up import RunnersUpDisplay
from skmaxev.plotting.selection_bias import SelectionBiasDisplay

__all__ = [
    "CriticalDifferenceDisplay",
    "EstimatorsDisplay",
    "OptimismCurveDisplay",
    "OuterFoldsDisplay",
    "RunnersUpDisplay",
    "SelectionBiasDisplay",
]
