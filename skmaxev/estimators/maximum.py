"""The maximum of the means: the number that every search prints, and how it is chosen."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from skmaxev.estimators._weights import check_counted, pooled_mean
from skmaxev.estimators.validation import as_result, check_best_index

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["maximum", "winner_mean"]


def maximum(scores: ArrayLike, *, counts: ArrayLike | None = None) -> float | NDArray[np.float64]:
    """Estimate the largest expected score by the largest mean score.

    This is the score that a search prints for its best candidate.

    Parameters
    ----------
    scores : array-like of shape (..., n_splits, n_candidates)
        Mean score of each candidate on each split; higher is better.
    counts : array-like of shape (..., n_splits, n_candidates), optional
        Samples behind each mean; equal if omitted. A mean of no samples is not read.

    Returns
    -------
    float or ndarray of shape (...)
        Errs upwards on average; unbiased only if an optimal candidate always wins.

    Raises
    ------
    TypeError, ValueError
        If ``scores`` is not a table of finite numbers, or ``counts`` does not fit it.

    References
    ----------
    .. [1] H. van Hasselt (2013), Theorem 1. arXiv:1302.7175.

    Examples
    --------
    >>> maximum([[0.5, 0.75], [1.0, 0.25]])
    0.75
    """
    table, weights = check_counted(scores, counts)
    return as_result(pooled_mean(table, weights).max(axis=-1))


def winner_mean(means: NDArray[np.float64], best_index: int | None) -> NDArray[np.float64]:
    """Return the mean of the chosen candidate, by default the largest; shape (...)."""
    check_best_index(best_index, means.shape[-1])
    chosen: NDArray[np.float64] = (
        means.max(axis=-1) if best_index is None else means[..., best_index]
    )
    return chosen
