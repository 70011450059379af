"""The maximum of the means, the number that every search prints; samples may be ragged."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from skmaxev.estimators.validation import as_result, check_scores, name_some

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["check_counted", "leave_one_out_mean", "maximum", "pooled_mean"]


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


def check_counted(
    scores: ArrayLike, counts: ArrayLike | None, *, min_splits: int = 1
) -> tuple[NDArray[np.float64], NDArray[np.float64] | None]:
    """Return finite scores, and the samples behind each or None; a mean of no samples becomes 0."""
    if counts is None:
        return check_scores(scores, min_splits=min_splits), None
    weights = _check_counts(counts, np.shape(scores))
    # A mean of no samples is no number, so whatever stands there must not be read.
    return check_scores(np.where(weights > 0, scores, 0.0), min_splits=min_splits), weights


def _check_counts(counts: ArrayLike, shape: tuple[int, ...]) -> NDArray[np.float64]:
    try:
        weights = np.broadcast_to(np.asarray(counts, dtype=np.float64), shape)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"counts must be numbers that fit the shape of scores, {shape}; got shape "
            f"{np.shape(counts)}. Give the number of samples behind each score."
        ) from error
    if not (np.isfinite(weights) & (weights >= 0)).all():
        raise ValueError(
            "counts must be finite and not negative; got "
            f"{weights[~(np.isfinite(weights) & (weights >= 0))][0]:g}. "
            "Give the number of samples behind each score, 0 where there are none."
        )
    if weights.ndim >= 2:
        empty = np.nonzero((weights.sum(axis=-2) == 0).reshape(-1, shape[-1]).any(axis=0))[0]
        if empty.size:
            raise ValueError(
                f"counts must leave every candidate a sample; candidates {name_some(empty)} have "
                "none. Drop those candidates first."
            )
    return weights


def pooled_mean(
    table: NDArray[np.float64], weights: NDArray[np.float64] | None
) -> NDArray[np.float64]:
    """Return the mean over the samples of all splits; shape (..., n_candidates)."""
    means: NDArray[np.float64]
    if weights is None:
        means = table.mean(axis=-2)
    else:
        means = (table * weights).sum(axis=-2) / weights.sum(axis=-2)
    return means


def leave_one_out_mean(
    table: NDArray[np.float64], weights: NDArray[np.float64] | None
) -> NDArray[np.float64]:
    """Return the mean over the samples of the other splits, for every split; shape of `table`.

    It is 0 where the other splits hold no sample.
    """
    if weights is None:
        others = _sum_of_others(table)
        others /= table.shape[-2] - 1
        return others
    others, total = _sum_of_others(table * weights), _sum_of_others(weights)
    return np.divide(others, total, out=np.zeros_like(table), where=total > 0)


def _sum_of_others(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Sum the splits before and the splits after each split.

    ``sum - x`` would lose every digit of the others to one enormous x, such as the R2 of a
    diverged fit.
    """
    others = np.zeros_like(values)
    for split in range(1, values.shape[-2]):
        others[..., split, :] = others[..., split - 1, :] + values[..., split - 1, :]
    after = np.zeros_like(values[..., 0, :])
    for split in range(values.shape[-2] - 2, -1, -1):
        after += values[..., split + 1, :]
        others[..., split, :] += after
    return others
