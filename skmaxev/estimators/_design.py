"""A score table cut into its partitions, and what the splits show of the noise of a mean."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from skmaxev.table import Design

__all__ = ["checked_design", "is_shuffled", "overlap", "own_variance", "partitions"]

FloatArray = NDArray[np.float64]

# Share of Nadeau and Bengio's correlation that two folds have (`benchmarks/accuracy/overlap.py`).
_OF_NADEAU_BENGIO = 0.5


def checked_design(design: Design | None, n_splits: int) -> Design:
    """Return the design of a table; the folds of one partition where nothing is known."""
    if design is None:
        return Design.assumed(n_splits)
    if design.n_splits != n_splits:
        raise ValueError(
            f"design must be that of the scores; it has {design.n_splits} splits, the scores have "
            f"{n_splits}. Make it from the splits that gave the scores."
        )
    return design


def is_shuffled(design: Design) -> bool:
    """Whether every split is drawn anew, so that two of them may judge the same row."""
    return design.n_folds == 1 and design.n_repeats > 1


def partitions(table: FloatArray, design: Design) -> FloatArray:
    """Cut (..., n_splits, n_candidates) into (..., n_partitions, n_folds, n_candidates).

    Shuffled splits stay together: alone, one shows nothing of its noise.
    """
    n_partitions = 1 if is_shuffled(design) else design.n_repeats
    n_folds = table.shape[-2] // n_partitions
    return table.reshape(*table.shape[:-2], n_partitions, n_folds, table.shape[-1])


def own_variance(
    parts: FloatArray,
    design: Design,
    *,
    inflation: float | FloatArray = 1.0,
    one: float | FloatArray | None = None,
) -> FloatArray:
    r"""Estimate the noise variance of a mean, as far as candidates do not share it.

    The folds of a partition judge different rows, so the variance between them over their number
    is that of a partition's mean, but for what overlapping training sets hide (``inflation``). A
    new dealing of the same rows renews a part :math:`c` of it, which the means of the partitions
    show; of R partitions :math:`1 - 1 / R` of it is gone. Shuffled splits have the variance of
    Nadeau and Bengio (2003), whose :math:`q / (1 - q)` is exact for rules that learn nothing: the
    rows of a split are a sample without replacement of all rows.

    Parameters
    ----------
    parts : ndarray of shape (..., n_partitions, n_folds, n_candidates)
        From `partitions`.
    design : Design
        How the splits came about.
    inflation : float
        By how much folds that share training rows understate the variance (see `overlap`).
    one : ndarray of shape (...), optional
        Variance of one partition's mean without inflation, where the rows show it better.

    Returns
    -------
    ndarray of shape (...)
        The variance; 0 for one candidate.
    """
    n_partitions, n_folds, n_candidates = parts.shape[-3:]
    means = parts.mean(axis=-2)
    if one is None:
        residuals = _centred(parts - means[..., np.newaxis, :])
        free = max((n_folds - 1) * (n_candidates - 1), 1)
        one = np.square(residuals).sum(axis=(-2, -1)).mean(axis=-1) / free / n_folds
    if is_shuffled(design):
        return np.asarray(one * (1.0 + n_folds * design.test_share / (1.0 - design.test_share)))
    if n_partitions == 1:
        return np.asarray(inflation * one)
    dealt = _centred(means - means.mean(axis=-2, keepdims=True))
    free = max((n_partitions - 1) * (n_candidates - 1), 1)
    renewed = np.minimum(np.square(dealt).sum(axis=(-2, -1)) / free, one)
    return np.asarray(inflation * one - (1.0 - 1.0 / n_partitions) * renewed)


def _centred(values: FloatArray) -> FloatArray:
    """Take the mean of all candidates away."""
    return np.asarray(values - values.mean(axis=-1, keepdims=True))


def overlap(parts: FloatArray, design: Design) -> float:
    """How much more the mean of a partition varies than if its folds were independent.

    The correlation of two folds is half of Nadeau and Bengio's: 0.4 to 0.6 of it is found over many
    draws of a problem. Runs that do not rise and fall together are independent, and have none.
    """
    correlation = _OF_NADEAU_BENGIO * design.test_share * _common_share(parts)
    return float((1.0 + (parts.shape[-2] - 1) * correlation) / (1.0 - correlation))


def _common_share(parts: FloatArray) -> float:
    """Share of the variance between the folds' means that all candidates have in common."""
    n_candidates = parts.shape[-1]
    deviation = parts - parts.mean(axis=-2, keepdims=True)
    common = deviation.mean(axis=-1)
    residual = float(np.square(_centred(deviation)).sum())
    between = float(np.square(common).sum())
    expected = residual / max(n_candidates - 1, 1) / n_candidates
    return max(1.0 - expected / between, 0.0) if between > 0.0 else 0.0
