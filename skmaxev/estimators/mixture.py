"""Empirical-Bayes shrinkage with a prior that is estimated, not assumed to be normal."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from skmaxev.estimators.maximum import winner_mean
from skmaxev.estimators.shrinkage import noise_variance
from skmaxev.estimators.validation import as_result, check_scores

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["tweedie"]

_N_ATOMS = 100
_N_ITERATIONS = 500
_N_BINS = 1000


def tweedie(
    scores: ArrayLike,
    *,
    noise: str | float = "residual",
    best_index: int | None = None,
) -> float | NDArray[np.float64]:
    """Estimate the winner's true score by Tweedie's formula, for true scores of any distribution.

    The general form of `efron_shrinkage`: where some candidates are far better than the rest,
    a winner among them is pulled towards them and not towards the mean of all.

    Parameters
    ----------
    scores : array-like of shape (..., n_splits, n_candidates)
        Mean score of each candidate on each split; higher is better.
    noise : {"residual", "marginal"} or float, default="residual"
        Noise variance of a candidate's mean, as for `efron_shrinkage`.
    best_index : int, optional
        Column of the chosen candidate; by default the one with the largest mean.

    Returns
    -------
    float or ndarray of shape (...)
        Within the range of the means. Errs upwards on average where candidates are few: the prior
        then holds on to the means it is estimated from. Where all means are equal it is the mean.

    Raises
    ------
    TypeError, ValueError
        If ``scores`` is not a table of finite numbers, has one split while the noise is to be
        estimated, or ``noise`` is unknown or negative.

    Notes
    -----
    ``E[mu | m] = m + s2 * d/dm log f(m)``. The density f is that of a mixture of normals whose
    centres have the nonparametric maximum-likelihood prior, on a grid over the range of the means,
    approached from the flat prior by 500 steps of the EM algorithm; for such an f the
    formula is the posterior mean.

    References
    ----------
    .. [1] B. Efron (2011), Tweedie's formula and selection bias. JASA 106.
    .. [2] W. Jiang and C.-H. Zhang (2009), General maximum likelihood empirical Bayes estimation of
       normal means. Annals of Statistics 37.

    Examples
    --------
    >>> from skmaxev.estimators import efron_shrinkage
    >>> scores = [[0.9, 0.9, 0.5, 0.5, 0.5]]
    >>> round(tweedie(scores, noise=0.01), 2), round(efron_shrinkage(scores, noise=0.01), 2)
    (0.9, 0.85)
    """
    table = check_scores(scores, min_splits=2 if isinstance(noise, str) else 1)
    means = table.mean(axis=-2)
    winner = winner_mean(means, best_index)
    variance = noise_variance(table, noise)
    estimates = np.array(winner)
    for index in np.ndindex(winner.shape):
        estimates[index] = _posterior_mean(
            means[index], float(winner[index]), float(variance[index])
        )
    return as_result(estimates)


def _posterior_mean(means: NDArray[np.float64], winner: float, variance: float) -> float:
    low, high = float(means.min()), float(means.max())
    if low == high or variance == 0:
        return winner
    # The winner's own atom keeps it where it is when the noise is finer than the grid.
    atoms = np.append(np.linspace(low, high, _N_ATOMS), winner)
    centres, frequencies = _binned(means)
    prior = _likeliest_prior(_likelihood(centres, atoms, variance), frequencies)
    weights = prior * _likelihood(np.array([winner]), atoms, variance)[0]
    return float(np.clip(weights @ atoms / weights.sum(), low, high))


def _binned(means: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Count many means in bins, so that an EM step costs the same for any number."""
    if means.size <= _N_BINS:
        return means, np.full(means.size, 1 / means.size)
    counts, edges = np.histogram(means, bins=_N_BINS)
    filled = counts > 0
    return ((edges[1:] + edges[:-1]) / 2)[filled], counts[filled] / means.size


def _likelihood(
    means: NDArray[np.float64], atoms: NDArray[np.float64], variance: float
) -> NDArray[np.float64]:
    """Return the likelihood of each atom for each mean, up to a factor of the mean."""
    squares = np.square(means[:, np.newaxis] - atoms)
    # Relative to the nearest atom, or a fine noise would leave a mean without any likelihood.
    likelihood: NDArray[np.float64] = np.exp(
        (squares.min(axis=1, keepdims=True) - squares) / (2 * variance)
    )
    return likelihood


def _likeliest_prior(
    likelihood: NDArray[np.float64], frequencies: NDArray[np.float64]
) -> NDArray[np.float64]:
    prior = np.full(likelihood.shape[1], 1 / likelihood.shape[1])
    for _ in range(_N_ITERATIONS):
        prior *= (frequencies / (likelihood @ prior)) @ likelihood
    return prior
