"""The true score of the winner, where two ways to estimate its optimism agree."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from skmaxev.estimators._plateau import effective_candidates, plateau_posterior
from skmaxev.estimators._validation import as_result, check_best_index, check_scores
from skmaxev.estimators.cross_validation import low_variance_cv

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["consensus"]

# Relative to the scores: what rounding leaves of an optimism that is zero.
_ROUNDING = 1e-12


def consensus(
    scores: ArrayLike,
    *,
    best_index: int | None = None,
    row_values: ArrayLike | None = None,  # noqa: ARG001 - the signature is settled, the use to come
    row_splits: ArrayLike | None = None,  # noqa: ARG001
) -> float | NDArray[np.float64]:
    """Estimate the true score of the winner that is deployed.

    Parameters
    ----------
    scores : array-like of shape (..., n_splits, n_candidates)
        Mean score of each candidate on each split; higher is better.
    best_index : int, optional
        Column of the chosen candidate; by default the one with the largest mean.
    row_values : array-like of shape (n_rows, n_candidates), optional
        Score of each row, where the metric is a mean over rows.
    row_splits : array-like of shape (n_rows,), optional
        Split that judged each row; goes with ``row_values``.

    Returns
    -------
    float or ndarray of shape (...)
        Within the range of the means.

    Examples
    --------
    >>> round(consensus([[0.8, 0.7, 0.6], [0.7, 0.8, 0.6], [0.9, 0.7, 0.5]]), 3)
    0.77
    """
    table = check_scores(scores, min_splits=2)
    check_best_index(best_index, table.shape[-1])
    estimates = np.empty(table.shape[:-2])
    for index in np.ndindex(estimates.shape):
        estimates[index] = _consensus(table[index], best_index)
    return as_result(estimates)


def _consensus(table: NDArray[np.float64], best_index: int | None) -> float:
    means = table.mean(axis=0)
    best = float(means.max())
    chosen = best if best_index is None else float(means[best_index])
    rounding = _ROUNDING * float(np.abs(table).max())
    if np.ptp(means) <= rounding:
        return chosen
    posterior = _posterior(table, means, chosen)
    if chosen < best - rounding:
        return posterior
    crossed = float(low_variance_cv(table))
    if chosen - crossed <= rounding:
        return chosen
    # A geometric mean, so that nothing is taken off where either finds that nothing was chosen.
    optimism = np.sqrt((chosen - crossed) * max(chosen - posterior, 0.0))
    return float(max(chosen - optimism, means.min()))


def _posterior(table: NDArray[np.float64], means: NDArray[np.float64], chosen: float) -> float:
    n_splits, n_candidates = table.shape
    residuals = table - means
    residuals -= residuals.mean(axis=1, keepdims=True)
    noise = float(np.square(residuals).sum()) / ((n_splits - 1) * (n_candidates - 1)) / n_splits
    if noise <= _ROUNDING * float(np.ptp(means)) ** 2:
        return chosen
    return plateau_posterior(
        means, chosen, noise * overlap(n_splits), effective_candidates(residuals)
    )


def overlap(n_splits: int) -> float:
    """How much more the mean of correlated splits varies than that of independent ones."""
    # (1 + (K - 1) r) / (1 - r), at the middle of 0 (independent) and 1 / K (Nadeau and Bengio).
    correlation = 0.5 / n_splits
    return (1.0 + (n_splits - 1) * correlation) / (1.0 - correlation)
