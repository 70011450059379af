"""Posterior mean of one candidate's true score under a plateau of similar candidates."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["choice_ratio", "own_noise", "plateau_posterior"]

FloatArray = NDArray[np.float64]

# Quadrature only: finer grids move the estimate by less than a hundredth of its error.
_N_CENTRES = 16
_N_SPREADS = 10
_MOST_POINTS = 200

# The constants below are choices; `benchmarks/accuracy/constants.py` measures what others give.
# Share of candidates apart from the plateau.
_SHARES = np.array([0.0, 0.1, 0.25, 0.5, 0.75, 0.9])
# Noise as a share of noise and spread on the plateau: 1 where it is level; else the spread is
# half-Cauchy in units of the noise, which makes the law of the share the arc sine law.
_NOISE_SHARES = np.append(1.0, np.sin(np.pi / 2 * (np.arange(_N_SPREADS) + 0.5) / _N_SPREADS) ** 2)
# Standard deviations of the farthest candidate, where a share of them stands apart.
_DEVIATIONS = 2.0


def _log_prior() -> FloatArray:
    """Even odds of three accounts, over (share, spread): all equal, one spread, a group apart."""
    prior = np.zeros((_SHARES.size, _NOISE_SHARES.size))
    prior[0, 0] = 1.0
    prior[0, 1:] = 1.0 / _N_SPREADS
    prior[1:, 1:] = 1.0 / (_N_SPREADS * (_SHARES.size - 1))
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(prior / prior.sum()))


_LOG_PRIOR = _log_prior()


def own_noise(residuals: FloatArray, n_groups: int) -> tuple[float, float]:
    """Measure the noise that favours some candidates, and how many are independent in it.

    Parameters
    ----------
    residuals : ndarray of shape (n_partitions, n_samples, n_candidates)
        Scores of splits, or of rows, centred for each candidate within ``n_groups`` groups of a
        partition; overwritten.

    Returns
    -------
    noise : float
        Noise variance of a partition's mean without what all candidates share.
    effective : float
        ``tr(C)^2 / tr(C^2)`` of the noise covariance C, with the bias of a covariance from few
        samples removed; between 1 and ``n_candidates - 1``, and that for two splits, which
        show a single direction.
    """
    _, n_samples, n_candidates = residuals.shape
    most, free = max(n_candidates - 1, 1), n_samples - n_groups
    residuals -= residuals.mean(axis=-1, keepdims=True)
    # Its traces are those of the covariance, on the smaller of the two sides.
    turned = residuals.swapaxes(-1, -2)
    gram = (residuals @ turned if n_candidates > n_samples else turned @ residuals) / free
    # Partitions hold the same rows: their average, and not their number, counts.
    traces = np.trace(gram, axis1=-2, axis2=-1)
    noise = float(traces.mean()) / most / n_samples
    if free < 2:
        return noise, float(most)
    # E tr(S^2) = tr(C^2) (1 + 1/f) + tr(C)^2 / f, and E tr(S)^2 = tr(C)^2 + 2 tr(C^2) / f.
    excess = float((np.square(gram).sum(axis=(-2, -1)) - traces**2 / free).mean())
    squared = free**2 / ((free - 1) * (free + 2)) * excess
    total = float((traces**2).mean())
    return noise, float(most) if squared * most <= total else max(total / squared, 1.0)


def plateau_posterior(
    means: FloatArray, chosen: float, noise: float, effective: float
) -> tuple[float, FloatArray]:
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
    estimate : float
        Within the range of the means.
    law : ndarray of shape (1 + 10,)
        Probability of each share of noise in noise and spread; the first is that of 'all equal'.
    """
    scale = float(np.sqrt(noise))
    points, counts = _thinned((means - chosen) / scale)
    centres = np.quantile(points, (np.arange(_N_CENTRES) + 0.5) / _N_CENTRES)
    # Means that share noise repeat each other: their log likelihood counts as that of fewer.
    counts = counts * (effective / max(means.size - 1, 1))
    # Apart from the plateau, the farthest candidate lies two standard deviations off.
    farthest = np.square(points - centres[:, None]).max(axis=1)
    width = 1.0 + np.maximum(farthest / _DEVIATIONS**2, 1.0)
    on, off = _log_densities(points, centres, width)
    evidence = np.logaddexp(on, off) @ counts
    evidence += _LOG_PRIOR[:, None, :]
    weights = np.exp(evidence - evidence.max())
    on, off = (density[..., 0] for density in _log_densities(np.zeros(1), centres, width))
    member = np.exp(on - np.logaddexp(on, off))
    shift = member * np.outer(centres, _NOISE_SHARES)
    shift += (1.0 - member) * (centres / width)[:, None]
    weights /= weights.sum()
    moved = chosen + scale * float((weights * shift).sum())
    return float(np.clip(moved, means.min(), means.max())), weights.sum(axis=(0, 1))


def choice_ratio(law: FloatArray, n_splits: float) -> float:
    """Compare the optimism of the best mean with what choosing on one split makes of it.

    Both are in units of the noise of a mean and of the expected maximum of standard normals. With
    spread t, the best of all means is expected at sqrt(1 + t) and is worth t / sqrt(1 + t); the
    best of a single split, whose noise is n_splits times as large, is worth t / sqrt(n_splits + t).

    Parameters
    ----------
    law : ndarray
        From `plateau_posterior`.

    Returns
    -------
    float
        From 1, where all are equal, down to 2 / (n_splits + 1).
    """
    spread = 1.0 / _NOISE_SHARES - 1.0
    expected = np.sqrt(1.0 + spread)
    optimism = 1.0 / expected
    on_one_split = expected - spread / np.sqrt(n_splits + spread)
    return float(law @ optimism / (law @ on_one_split))


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
