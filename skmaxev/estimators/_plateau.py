"""Posterior mean of one candidate's true score under a plateau of similar candidates."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["effective_candidates", "plateau_posterior"]

FloatArray = NDArray[np.float64]

# Quadrature only: finer grids move the estimate by less than a hundredth of its error.
_N_CENTRES = 16
_N_SPREADS = 10
_MOST_POINTS = 200

# Share of candidates outside the plateau. Even odds that there are none.
_SHARES = np.array([0.0, 0.1, 0.25, 0.5, 0.75, 0.9])
_LOG_SHARE_PRIOR = np.log([0.5, 0.1, 0.1, 0.1, 0.1, 0.1])

# Noise as a share of noise and spread. Even odds that the plateau is level (share 1); otherwise
# the spread is half-Cauchy in units of the noise, which makes the share's law the arc sine law.
_NOISE_SHARES = np.append(1.0, np.sin(np.pi / 2 * (np.arange(_N_SPREADS) + 0.5) / _N_SPREADS) ** 2)
_LOG_SPREAD_PRIOR = np.log(np.append(0.5, np.full(_N_SPREADS, 0.5 / _N_SPREADS)))


def effective_candidates(residuals: FloatArray) -> float:
    """Count how many independent candidates would show noise like that of these.

    Parameters
    ----------
    residuals : ndarray of shape (n_splits, n_candidates)
        Scores without split and candidate effects.

    Returns
    -------
    float
        ``tr(C)^2 / tr(C^2)`` of the noise covariance C, with the bias of a covariance from few
        splits removed; between 1 and ``n_candidates - 1``, and that for two splits, which show
        a single direction.
    """
    n_splits, n_candidates = residuals.shape
    most, free = float(max(n_candidates - 1, 1)), n_splits - 1
    if free < 2:
        return most
    # The traces of C and C^2 are those of a matrix of splits, however many the candidates are.
    gram = residuals @ residuals.T / free
    trace = float(np.trace(gram))
    # E tr(S^2) = tr(C^2) (1 + 1/f) + tr(C)^2 / f, and E tr(S)^2 = tr(C)^2 + 2 tr(C^2) / f.
    excess = float(np.square(gram).sum()) - trace**2 / free
    squared = free**2 / ((free - 1) * (free + 2)) * excess
    if squared * most <= trace**2:
        return most
    return max(trace**2 / squared, 1.0)


def plateau_posterior(means: FloatArray, chosen: float, noise: float, effective: float) -> float:
    """Average a candidate's true score over what the means say about all true scores.

    Parameters
    ----------
    means : ndarray of shape (n_candidates,)
        Mean score of each candidate.
    chosen : float
        The mean score to be corrected, one of ``means``.
    noise : float
        Noise variance of a mean; positive.
    effective : float
        Number of candidates whose noise is independent.

    Returns
    -------
    float
        Within the range of the means.
    """
    scale = float(np.sqrt(noise))
    points, counts = _thinned((means - chosen) / scale)
    centres = np.quantile(points, (np.arange(_N_CENTRES) + 0.5) / _N_CENTRES)
    # Means that share noise repeat each other: their log likelihood counts as that of fewer.
    counts = counts * (effective / max(means.size - 1, 1))
    width = 1.0 + np.maximum(np.square(points - centres[:, None]).mean(axis=1), 1.0)
    on, off = _log_densities(points, centres, width)
    evidence = np.logaddexp(on, off) @ counts
    evidence += _LOG_SHARE_PRIOR[:, None, None] + _LOG_SPREAD_PRIOR
    weights = np.exp(evidence - evidence.max())
    on, off = (density[..., 0] for density in _log_densities(np.zeros(1), centres, width))
    member = np.exp(on - np.logaddexp(on, off))
    shift = member * np.outer(centres, _NOISE_SHARES)
    shift += (1.0 - member) * (centres / width)[:, None]
    moved = chosen + scale * float((weights * shift).sum() / weights.sum())
    return float(np.clip(moved, means.min(), means.max()))


def _log_densities(
    points: FloatArray, centres: FloatArray, width: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Log density of each point on the plateau and off it, weighted by the share.

    Both have axes (share, centre, spread, point).
    """
    squares = np.square(points - centres[:, None])[:, None, :]
    share = _NOISE_SHARES[:, None]
    on = (np.log(share) - squares * share) / 2
    off = (-np.log(width)[:, None, None] - squares / width[:, None, None]) / 2
    with np.errstate(divide="ignore"):
        inside, outside = np.log(1.0 - _SHARES), np.log(_SHARES)
    shape = (-1, 1, 1, 1)
    return inside.reshape(shape) + on, outside.reshape(shape) + off


def _thinned(points: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Replace many points by the means of equal groups of neighbours, with their counts."""
    if points.size <= _MOST_POINTS:
        return points, np.ones(points.size)
    starts = np.linspace(0, points.size, _MOST_POINTS, endpoint=False).astype(np.intp)
    counts = np.diff(np.append(starts, points.size)).astype(np.float64)
    return np.add.reduceat(np.sort(points), starts) / counts, counts
