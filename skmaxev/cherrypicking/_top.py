"""The best choice among normal draws: its distribution, and how to find it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy import fft, special, stats

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["best_studentised_subset", "top_mean_survival"]

_N_CELLS = 2**12  # of the distribution of a sum
_N_NODES = 200  # of the quadrature over the best value that was left out
_NO_DIGITS = 1e-12  # below which rounding leaves a convolution nothing
_FAR = 12.0  # standard deviations beyond which nothing is left in double precision


def top_mean_survival(mean: NDArray[np.float64], n_top: int, n_draws: int) -> NDArray[np.float64]:
    """Probability that the ``n_top`` largest of ``n_draws`` standard normals average ``mean``.

    Given the largest value left out, the values above it are independent draws of a truncated
    normal: a quadrature over the one, a convolution for the sum of the others.
    """
    nodes, weights = special.roots_legendre(_N_NODES)
    share = stats.beta(n_top + 1, n_draws - n_top)  # of the upper tail above the value left out
    low, high = share.ppf(1e-15), share.isf(1e-15)
    tails = low + (high - low) * (nodes + 1) / 2
    density = weights * (high - low) / 2 * share.pdf(tails)
    total = np.zeros(np.shape(mean))
    for tail, weight in zip(tails, density, strict=True):
        total += weight * _truncated_sum_survival(n_top * mean, n_top, float(tail))
    # Every choice together bounds the best one, and is all but sharp where the sums lose digits.
    logs = special.log_ndtr(-np.sqrt(n_top) * mean) - np.log(n_draws + 1)
    logs = logs - special.betaln(n_top + 1, n_draws - n_top + 1)
    bound = np.exp(np.minimum(logs, np.log(_NO_DIGITS)))
    return np.clip(np.where(total < _NO_DIGITS, bound, total), 0.0, 1.0)


def _truncated_sum_survival(
    total: NDArray[np.float64], n_top: int, tail: float
) -> NDArray[np.float64]:
    """P(sum >= total) for ``n_top`` normals that lie above the upper ``tail`` quantile."""
    cut = stats.norm.isf(tail)
    mean, variance = stats.truncnorm.stats(cut, np.inf, moments="mv")
    reach = n_top * (mean - cut) + _FAR * np.sqrt(n_top * variance) + _FAR
    step = reach / _N_CELLS
    edges = cut + step * np.arange(_N_CELLS + 1)
    mass = -np.diff(stats.norm.sf(edges)) / tail
    # Padded to twice the length, so that the far end does not come round to the near one.
    transform = fft.rfft(mass, 2 * _N_CELLS)
    sums = fft.irfft(transform**n_top, 2 * _N_CELLS)
    above = np.append(np.cumsum(sums[::-1])[::-1], 0.0)
    # The centre of a cell is not its mean: over many draws that would add up.
    first = n_top * (mean - step * (mass @ np.arange(_N_CELLS)))
    starts = first + step * (np.arange(2 * _N_CELLS + 1) - 0.5)
    return np.asarray(np.interp(total, starts, above))


def best_studentised_subset(draws: NDArray[np.float64], size: int) -> NDArray[np.float64]:
    """Largest one-sample t that any ``size`` of the draws in a row of (n, n_draws) can show.

    The t of a subset grows with its sum over the root of its sum of squares, Q. With c the
    centre Q/sum of the best subset, the best subset is the one nearest to c: a run of neighbours
    in the sorted draws. So n_draws - size + 1 runs are enough, where the sum is positive.
    """
    ordered = np.sort(draws, axis=-1)
    sums = _window_sums(ordered, size)
    squares = _window_sums(ordered**2, size)
    within = np.maximum(squares - sums**2 / size, np.finfo(float).tiny)
    return np.asarray((sums * np.sqrt((size - 1) / (size * within))).max(axis=-1))


def _window_sums(values: NDArray[np.float64], size: int) -> NDArray[np.float64]:
    """Sum of every run of ``size`` neighbours."""
    total = np.cumsum(values, axis=-1)
    total = np.concatenate([np.zeros((*values.shape[:-1], 1)), total], axis=-1)
    return np.asarray(total[..., size:] - total[..., :-size])
