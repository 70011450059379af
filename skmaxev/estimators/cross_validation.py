"""The largest mean, and cross-validation in its place: some samples choose, others judge."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from skmaxev.estimators._design import checked_design, is_shuffled, partitions
from skmaxev.estimators.validation import as_result, check_scores, name_some

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    from skmaxev.table import Design

__all__ = ["fold_means", "low_bias_cv", "low_variance_cv", "maximum"]

_EPS = float(np.finfo(np.float64).eps)
_ROUNDINGS_OF_A_SCORE = 4


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
    table, weights = _check_counted(scores, counts)
    return as_result(_pooled_mean(table, weights).max(axis=-1))


def low_bias_cv(
    scores: ArrayLike, *, counts: ArrayLike | None = None, design: Design | None = None
) -> float | NDArray[np.float64]:
    """Estimate the largest expected score by choosing on all splits but one and judging on it.

    No score is used both to choose a candidate and to judge it. Candidates that tie for the
    choice, but for rounding, share the judgement. Nested cross-validation is the form of this
    estimator for model selection.

    Parameters
    ----------
    scores : array-like of shape (..., n_splits, n_candidates)
        Mean score of each candidate on each split; higher is better.
    counts : array-like of shape (..., n_splits, n_candidates), optional
        Samples behind each mean; equal if omitted. A mean of no samples is not read, and
        its candidate takes no part in that split.
    design : Design, optional
        How the splits came about; the folds of one partition if omitted. Several partitions are
        averaged, each choosing and judging within itself.

    Returns
    -------
    float or ndarray of shape (...)
        Errs downwards on average; unbiased if all candidates are equally good. Where all
        candidates have the same scores nothing was chosen, and it is `maximum`.

    References
    ----------
    .. [1] H. van Hasselt (2013), Eqs. 9 and 10. arXiv:1302.7175.

    Examples
    --------
    >>> low_bias_cv([[1.0, 0.5], [0.25, 0.5], [0.5, 0.25]])
    0.5
    """
    table, weights = _check_counted(scores, counts, min_splits=2)
    parts, shares, rest, widened = _cut(table, weights, checked_design(design, table.shape[-2]))
    rounding = widened * _rounding_of_others(parts, shares)
    judged = _judge(rest, parts, rounding, _usable(shares)).mean(axis=-1)
    return as_result(_restrain(judged, table, weights))


def low_variance_cv(
    scores: ArrayLike, *, counts: ArrayLike | None = None, design: Design | None = None
) -> float | NDArray[np.float64]:
    """Estimate the largest expected score by choosing on one split and judging on the others.

    `low_bias_cv` with the parts exchanged; with two splits the two are equal.

    Parameters
    ----------
    scores, counts, design
        As in `low_bias_cv`.

    Returns
    -------
    float or ndarray of shape (...)
        Errs downwards on average, more than `low_bias_cv` and with less variance; unbiased if
        all candidates are equally good. Where all candidates have the same scores nothing was
        chosen, and it is `maximum`.

    References
    ----------
    .. [1] H. van Hasselt (2013), Eqs. 9 and 10. arXiv:1302.7175.

    Examples
    --------
    >>> round(low_variance_cv([[1.0, 0.5], [0.25, 0.5], [0.5, 0.25]]), 4)
    0.4583
    """
    table, weights = _check_counted(scores, counts, min_splits=2)
    parts, shares, rest, _ = _cut(table, weights, checked_design(design, table.shape[-2]))
    rounding = _ROUNDINGS_OF_A_SCORE * _EPS * np.abs(parts)
    judged = _judge(parts, rest, rounding, _usable(shares)).mean(axis=-1)
    return as_result(_restrain(judged, table, weights))


def _cut(
    table: NDArray[np.float64], weights: NDArray[np.float64] | None, design: Design
) -> tuple[NDArray[np.float64], NDArray[np.float64] | None, NDArray[np.float64], float]:
    """Cut a table into partitions; add the mean on the rows outside each split, and its scale.

    Shuffled splits share rows: what is expected of another split is the mean over all rows, a
    share q of which this split holds. So q times its own score goes from the others' mean.
    """
    parts = partitions(table, design)
    shares = None if weights is None else partitions(weights, design)
    rest = _leave_one_out_mean(parts, shares)
    if not is_shuffled(design):
        return parts, shares, rest, 1.0
    outside = 1.0 - design.test_share
    return parts, shares, (rest - design.test_share * parts) / outside, 1.0 / outside


def _rounding_of_others(
    table: NDArray[np.float64], weights: NDArray[np.float64] | None
) -> NDArray[np.float64]:
    """Bound the rounding error of each leave-one-out mean by the size of its own terms.

    A bound taken from the whole table would let one diverged fit tie all candidates.
    """
    size = _leave_one_out_mean(np.abs(table), weights)
    size *= (_ROUNDINGS_OF_A_SCORE + table.shape[-2]) * _EPS
    return size


def _usable(weights: NDArray[np.float64] | None) -> NDArray[np.bool_] | None:
    """Mark the candidates that have samples in the split and outside it; None means all."""
    if weights is None or (weights > 0).all():
        return None
    inside = weights > 0
    usable = inside & (inside.sum(axis=-2, keepdims=True) > inside)
    if not usable.any(axis=(-2, -1)).all():
        raise ValueError(
            "counts must leave some candidate samples in two splits; got a table where every "
            "candidate has all its samples in one split. Use fewer folds or more samples."
        )
    return usable


def _judge(
    arguments: NDArray[np.float64],
    values: NDArray[np.float64],
    rounding: NDArray[np.float64],
    usable: NDArray[np.bool_] | None,
) -> NDArray[np.float64]:
    """Return the mean value of the candidates that maximise the argument (Eqs. 9 and 10).

    A split without a usable candidate has no say. All inputs have shape
    (..., n_splits, n_candidates), the result (...).
    """
    if usable is not None:
        arguments = np.where(usable, arguments, -np.inf)
    best = arguments.argmax(axis=-1)[..., np.newaxis]
    top = np.take_along_axis(arguments, best, axis=-1)
    tied = arguments >= top - (rounding + np.take_along_axis(rounding, best, axis=-1))
    if usable is not None:
        tied &= usable
    n_tied = tied.sum(axis=-1)
    judged = np.where(tied, values, 0.0).sum(axis=-1) / np.maximum(n_tied, 1)
    mean: NDArray[np.float64] = judged.sum(axis=-1) / (n_tied > 0).sum(axis=-1)
    return mean


def _restrain(
    estimates: NDArray[np.float64],
    table: NDArray[np.float64],
    weights: NDArray[np.float64] | None,
) -> NDArray[np.float64]:
    """Undo rounding: the maximum where nothing was chosen, and nowhere outside the scores."""
    largest = _pooled_mean(table, weights).max(axis=-1)
    same = (table == table[..., :1]).all(axis=(-2, -1))
    if weights is None:
        # Without counts no cross-validation estimate exceeds the maximum of the means.
        return np.where(same, largest, np.clip(estimates, table.min(axis=(-2, -1)), largest))
    same &= (weights == weights[..., :1]).all(axis=(-2, -1))
    low = np.where(weights > 0, table, np.inf).min(axis=(-2, -1))
    high = np.where(weights > 0, table, -np.inf).max(axis=(-2, -1))
    return np.where(same, largest, np.clip(estimates, low, high))


def fold_means(
    samples: Sequence[ArrayLike],
    n_folds: int,
    rng: np.random.Generator | int | None,
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Deal the samples of each variable to folds at random, and average each fold.

    The variables may have different numbers of samples. The result is all that `maximum`,
    `low_bias_cv` and `low_variance_cv` need, with its size independent of the number of samples.

    Parameters
    ----------
    samples : sequence of n_variables array-likes of shape (n_samples_i,)
        Finite samples of each variable; higher is better.
    n_folds : int
        From 2 to the largest number of samples, which is leave-one-out.
    rng : Generator, int or None
        Source of randomness.

    Returns
    -------
    means : ndarray of shape (n_folds, n_variables)
        Mean of each fold; NaN for a fold that holds no sample of the variable.
    counts : ndarray of shape (n_folds, n_variables)
        Samples in each fold; those of a variable differ by at most one.

    Examples
    --------
    >>> means, counts = fold_means([[1, 1, 1], [0, 0, 0, 0]], 2, rng=0)
    >>> means
    array([[1., 0.],
           [1., 0.]])
    >>> counts.sum(axis=0)
    array([3, 4])
    """
    generator = np.random.default_rng(rng)
    columns = [_check_samples(values, index) for index, values in enumerate(samples)]
    most = max((column.size for column in columns), default=0)
    if not 2 <= n_folds <= most:
        raise ValueError(
            f"n_folds must be from 2 to the largest number of samples, {most}; got {n_folds}."
        )
    counts = np.empty((n_folds, len(columns)), dtype=np.int64)
    sums = np.empty((n_folds, len(columns)))
    for index, column in enumerate(columns):
        # The first fold is drawn, or the same folds would get every variable's odd sample.
        fold = generator.permutation(
            (np.arange(column.size) + generator.integers(n_folds)) % n_folds
        )
        counts[:, index] = np.bincount(fold, minlength=n_folds)
        sums[:, index] = np.bincount(fold, weights=column, minlength=n_folds)
    means = np.divide(sums, counts, out=np.full(sums.shape, np.nan), where=counts > 0)
    return means, counts


def _check_samples(values: ArrayLike, index: int) -> NDArray[np.float64]:
    column = np.asarray(values, dtype=np.float64)
    if column.ndim != 1 or column.size == 0 or not np.isfinite(column).all():
        raise ValueError(
            f"samples must hold one list of finite numbers for each variable; variable {index} has "
            f"shape {column.shape} or holds NaN. Drop missing samples first: variables may have "
            "different numbers of samples."
        )
    return column


def _check_counted(
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


def _pooled_mean(
    table: NDArray[np.float64], weights: NDArray[np.float64] | None
) -> NDArray[np.float64]:
    """Return the mean over the samples of all splits; shape (..., n_candidates)."""
    means: NDArray[np.float64]
    if weights is None:
        means = table.mean(axis=-2)
    else:
        means = (table * weights).sum(axis=-2) / weights.sum(axis=-2)
    return means


def _leave_one_out_mean(
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
