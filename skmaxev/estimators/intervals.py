"""Intervals for the true score of the winner of a search, and for nested cross-validation."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy import stats

from skmaxev.estimators._validation import check_best_index, check_level, check_scores

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

__all__ = ["nadeau_bengio_interval", "selection_interval"]

_UNBOUNDED = (-np.inf, np.inf)


def selection_interval(
    scores: ArrayLike,
    *,
    estimate: float,
    best_index: int | None = None,
    level: float = 0.95,
    support: tuple[float, float] = _UNBOUNDED,
    n_test: ArrayLike | None = None,
    standard_error: float | None = None,
) -> tuple[float, float] | None:
    """Bound the true score of the winner around an estimate that is already corrected.

    Parameters
    ----------
    scores : array-like of shape (n_splits, n_candidates)
        Mean score of each candidate on each split; higher is better.
    estimate : float
        Corrected score of the winner, the middle of the interval.
    best_index : int, optional
        Candidate that was chosen; the largest mean if omitted.
    level : float
        Share of searches whose interval holds the truth.
    support : tuple of two floats
        Range of the metric, such as (0, 1).
    n_test : array-like of shape (n_splits,), optional
        Rows behind each split.
    standard_error : float, optional
        Sampling error of the winner's mean score, from its rows.

    Returns
    -------
    tuple of two floats or None
        None where nothing shows the noise: one split and no ``standard_error``.
    """
    table = check_scores(scores)
    n_splits, n_candidates = table.shape
    check_best_index(best_index, n_candidates)
    level = check_level(level)
    if n_splits < 2:
        return None
    pooled = table.var(axis=0, ddof=1).mean() / n_splits
    residual = table - table.mean(axis=0) - table.mean(axis=1, keepdims=True) + table.mean()
    own = np.sum(residual**2) / ((n_splits - 1) * max(n_candidates - 1, 1)) / n_splits
    half = stats.t.ppf((1 + level) / 2, 2 * n_splits) * np.sqrt(pooled + own)
    low, high = support
    return float(max(low, estimate - half)), float(min(high, estimate + half))


def nadeau_bengio_interval(
    outer_scores: ArrayLike, *, n_train: float, n_test: float, level: float = 0.95
) -> tuple[float, float]:
    r"""Bound the mean of scores whose training sets overlap.

    Parameters
    ----------
    outer_scores : array-like of shape (n_splits,)
        Score of every outer fold.
    n_train, n_test : float
        Rows trained on and judged on in a split; their mean where they differ.
    level : float
        Share of repetitions whose interval is to hold the truth.

    Returns
    -------
    tuple of two floats
        Errs to the wide side on average; the t quantile with ``n_splits - 1`` degrees of freedom.

    References
    ----------
    .. [1] C. Nadeau and Y. Bengio (2003). Inference for the generalization error. Eq. 9.

    Examples
    --------
    >>> low, high = nadeau_bengio_interval([0.8, 0.7, 0.9, 0.8, 0.8], n_train=80, n_test=20)
    >>> round(low, 3), round(high, 3)
    (0.668, 0.932)
    """
    values = check_scores(np.reshape(np.asarray(outer_scores, dtype=float), (-1, 1)), min_splits=2)
    level = check_level(level)
    size = values.shape[0]
    variance = (1.0 / size + n_test / n_train) * values.var(ddof=1)
    half = stats.t.ppf((1.0 + level) / 2.0, size - 1) * np.sqrt(variance)
    return float(values.mean() - half), float(values.mean() + half)
