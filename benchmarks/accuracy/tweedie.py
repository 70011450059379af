"""Tweedie's formula for the winner's true score, with true scores of any distribution."""

from __future__ import annotations

import numpy as np

from skmaxev.estimators import residual_noise

_N_ATOMS, _N_ITERATIONS, _N_BINS = 100, 500, 1000


def tweedie(scores):
    """Estimate the winner's true score, ``E[mu | m] = m + s2 * d/dm log f(m)``.

    The density f is that of a mixture of normals whose centres have the nonparametric
    maximum-likelihood prior (Efron 2011; Jiang and Zhang 2009), on a grid over the range of the
    means, by 500 steps of the EM algorithm; for such an f the formula is the posterior mean.
    """
    means = np.asarray(scores).mean(axis=0)
    return _posterior_mean(means, float(means.max()), float(residual_noise(scores)))


def _posterior_mean(means: np.ndarray, winner: float, variance: float) -> float:
    low, high = float(means.min()), float(means.max())
    if low == high or variance == 0:
        return winner
    # The winner's own atom keeps it where it is when the noise is finer than the grid.
    atoms = np.append(np.linspace(low, high, _N_ATOMS), winner)
    centres, frequencies = _binned(means)
    prior = _likeliest_prior(_likelihood(centres, atoms, variance), frequencies)
    weights = prior * _likelihood(np.array([winner]), atoms, variance)[0]
    return float(np.clip(weights @ atoms / weights.sum(), low, high))


def _binned(means: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Count many means in bins, so that an EM step costs the same for any number."""
    if means.size <= _N_BINS:
        return means, np.full(means.size, 1 / means.size)
    counts, edges = np.histogram(means, bins=_N_BINS)
    filled = counts > 0
    return ((edges[1:] + edges[:-1]) / 2)[filled], counts[filled] / means.size


def _likelihood(means: np.ndarray, atoms: np.ndarray, variance: float) -> np.ndarray:
    """Return the likelihood of each atom for each mean, up to a factor of the mean."""
    squares = np.square(means[:, np.newaxis] - atoms)
    # Relative to the nearest atom, or a fine noise would leave a mean without any likelihood.
    likelihood: np.ndarray = np.exp((squares.min(axis=1, keepdims=True) - squares) / (2 * variance))
    return likelihood


def _likeliest_prior(likelihood: np.ndarray, frequencies: np.ndarray) -> np.ndarray:
    prior = np.full(likelihood.shape[1], 1 / likelihood.shape[1])
    for _ in range(_N_ITERATIONS):
        prior *= (frequencies / (likelihood @ prior)) @ likelihood
    return prior
