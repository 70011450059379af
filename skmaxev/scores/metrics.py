"""The range of a metric, known by its name or inferred from its scores."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["known_support", "support_of"]

_ENDLESS = (-np.inf, np.inf)
_UNIT = (0.0, 1.0)

# Names and beginnings of names of scikit-learn's scorers.
_EXACT = {
    "accuracy": _UNIT,
    "matthews_corrcoef": (-1.0, 1.0),
    "cohen_kappa": (-1.0, 1.0),
    "neg_brier_score": (-2.0, 0.0),  # -1 at worst for two classes, -2 for more
    "r2": (-np.inf, 1.0),
    "explained_variance": (-np.inf, 1.0),
    "balanced_accuracy": _UNIT,
    "average_precision": _UNIT,
    "top_k_accuracy": _UNIT,
    "homogeneity_score": _UNIT,
    "completeness_score": _UNIT,
    "v_measure_score": _UNIT,
    "fowlkes_mallows_score": _UNIT,
    "normalized_mutual_info_score": _UNIT,
    "rand_score": _UNIT,
    "adjusted_rand_score": (-0.5, 1.0),
    "adjusted_mutual_info_score": (-np.inf, 1.0),
    "mutual_info_score": (0.0, np.inf),
    "positive_likelihood_ratio": (0.0, np.inf),
}
_BEGINNINGS = (
    ("neg_", (-np.inf, 0.0)),
    ("d2_", (-np.inf, 1.0)),
    ("roc_auc", _UNIT),
    ("f1", _UNIT),
    ("precision", _UNIT),
    ("recall", _UNIT),
    ("jaccard", _UNIT),
)


def known_support(metric: str) -> tuple[float, float] | None:
    """Return the range of scikit-learn's scorer of this name, if there is one."""
    if metric in _EXACT:
        return _EXACT[metric]
    for beginning, support in _BEGINNINGS:
        if metric.startswith(beginning):
            return support
    return None


def support_of(metric: str, scores: NDArray[np.float64]) -> tuple[float, float]:
    """Return the range that an interval for scores of this metric may not leave.

    Parameters
    ----------
    metric : str
        Name of the metric.
    scores : ndarray of shape (n_splits, n_candidates)
        Scores, higher is better, that the range has to hold.

    Returns
    -------
    tuple of two floats
        By name where the name is known and the scores keep to it, also in percent. Otherwise only
        an upper end, 0 or 1, where no score exceeds it: losses turned round end at 0, shares at 1.
    """
    low, high = float(scores.min()), float(scores.max())
    known = known_support(metric)
    for scale in (1.0, 100.0) if known else ():
        lowest, highest = known[0] * scale, known[1] * scale  # type: ignore[index]
        if lowest <= low and high <= highest:
            return lowest, highest
    if known or high > 1.0:
        return _ENDLESS
    return -np.inf, 0.0 if high <= 0.0 else 1.0
