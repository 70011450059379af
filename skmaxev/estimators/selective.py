"""Intervals for the winner's mean that are valid after choosing, for normal errors of known size.

They need the size of the errors, from rows; no matrix over the candidates is made. For the score
table of a search, whose few splits say little on the errors, `selection_interval` is the tool.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import optimize, special, stats

from skmaxev.estimators.validation import check_best_index, check_level

__all__ = ["conditional_interval", "hybrid_interval", "winner_covariance", "zoom_interval"]

FloatArray = NDArray[np.float64]

# Standard errors beyond which a conditional interval is said to have no end.
_FARTHEST = 1e4
# Lead in standard errors below which a race is a tie.
_TIE = 1e-6
# Share of the winner's errors in a difference to it that rounding may leave.
_FLAT = 1e-9
# Share of a bracket to which its root is found.
_FINEST = 1e-12


def winner_covariance(values: ArrayLike, *, best_index: int | None = None) -> FloatArray:
    """Estimate the covariance of every mean with the winner's mean, from row-level scores.

    Parameters
    ----------
    values : array-like of shape (n_rows, n_candidates)
        Score of each row by each candidate; higher is better.
    best_index : int, optional
        Candidate that was chosen; the largest mean if omitted.

    Returns
    -------
    ndarray of shape (n_candidates,)
        The winner's own entry is its variance.

    Examples
    --------
    >>> winner_covariance([[1.0, 0.0], [3.0, 0.0], [2.0, 3.0]]).round(3).tolist()
    [0.333, 0.0]
    """
    table = np.asarray(values, dtype=np.float64)
    if table.ndim != 2 or len(table) < 2 or not np.isfinite(table).all():
        raise ValueError(
            f"values must be finite, of shape (n_rows, n_candidates) with two rows or more; got "
            f"shape {table.shape}. Leave out rows that no split judged."
        )
    winner = _winner(table.mean(axis=0), best_index)
    centred = table - table.mean(axis=0)
    return np.asarray(centred[:, winner] @ centred / (len(table) - 1) / len(table))


def conditional_interval(
    means: ArrayLike, covariance: ArrayLike, *, level: float = 0.95
) -> tuple[float, float]:
    r"""Bound the winner's true mean, given that it won.

    Given that it won, the winner's mean is a normal variable cut off at what it had to beat.

    Parameters
    ----------
    means : array-like of shape (n_candidates,)
        Estimated means; the largest is the winner.
    covariance : array-like of shape (n_candidates,)
        Covariance of each mean with the winner's; the winner's own variance in its place.
    level : float
        Share of searches, among those with this winner, whose interval holds the truth.

    Returns
    -------
    tuple of two floats
        Exact coverage; very wide, down to minus infinity, where the race was close.

    References
    ----------
    .. [1] I. Andrews, T. Kitagawa and A. McCloskey (2024). Inference on winners. Quarterly Journal
       of Economics 139, section 3.

    Examples
    --------
    >>> low, high = conditional_interval([1.0, 0.0], [0.01, 0.0])
    >>> round(low, 3), round(high, 3)
    (0.804, 1.196)
    """
    values, sd, cut = _truncation(means, covariance)
    tail = (1.0 - check_level(level)) / 2.0
    best = float(values.max())

    def share(theta: float) -> float:
        return _truncated_cdf(best, theta, sd, cut)

    if min(best - cut[0], cut[1] - best) <= _TIE * sd:
        # A tie says nothing about how far the winner's mean lies below what it had to beat.
        return -np.inf, np.inf
    return _solve(share, 1.0 - tail, best, sd), _solve(share, tail, best, sd)


def hybrid_interval(
    means: ArrayLike,
    covariance: ArrayLike,
    *,
    level: float = 0.95,
    simultaneous_share: float = 0.1,
) -> tuple[float, float]:
    r"""Bound the winner's true mean, given that it won, within simultaneous limits.

    A tenth of the error goes to limits that hold for all candidates at once, by Sidak's inequality,
    so that a close race does not lead to an endless interval; the rest to the conditional interval
    inside them. After a tie the limits are given.

    Parameters
    ----------
    means, covariance, level
        As in `conditional_interval`.
    simultaneous_share : float
        Part of the error that buys the simultaneous limits.

    Returns
    -------
    tuple of two floats
        Covers at least ``level`` and at most ``level / (1 - simultaneous_share * (1 - level))``.
        Its limits change with the level, so that after a close race an interval of lower level need
        not lie inside one of higher level, and may lie below the winner's own mean.

    References
    ----------
    .. [1] As for `conditional_interval`, section 4.

    Examples
    --------
    >>> low, high = hybrid_interval([0.01, 0.0], [0.01, 0.0])
    >>> round(low, 3), round(high, 3)
    (-0.292, 0.122)
    """
    values, sd, cut = _truncation(means, covariance)
    error = 1.0 - check_level(level)
    if not 0.0 < simultaneous_share < 1.0:
        raise ValueError(
            f"simultaneous_share must be between 0 and 1; got {simultaneous_share}. 0.1 is usual."
        )
    spent = simultaneous_share * error
    reach = sd * _sidak_quantile(1.0 - spent, len(values))
    tail = (error - spent) / (1.0 - spent) / 2.0
    best = float(values.max())

    def share(theta: float) -> float:
        return _truncated_cdf(
            best, theta, sd, (max(cut[0], theta - reach), min(cut[1], theta + reach))
        )

    if min(best - cut[0], cut[1] - best) <= _TIE * sd:
        return best - reach, best + reach
    # At the limits the cut-off distribution has no room below or above the winner's mean.
    inner = reach * (1.0 - 1e-9)
    return (
        _root(share, 1.0 - tail, best - inner, best + inner),
        _root(share, tail, best - inner, best + inner),
    )


def zoom_interval(
    means: ArrayLike, standard_errors: ArrayLike, *, level: float = 0.95
) -> tuple[float, float]:
    r"""Bound the winner's true mean by limits for those candidates only that could have won.

    If :math:`|m_j - \mu_j| \le \max(r, \Delta_j / 2)` for every candidate with gap
    :math:`\Delta_j = \mu^* - \mu_j`, the winner is off by r at most: a candidate with a gap above
    :math:`2r` cannot win. The interval takes the largest r that some gaps in accord with the
    observed means allow, with Sidak's inequality for the chance that all hold.

    Parameters
    ----------
    means : array-like of shape (n_candidates,)
        Estimated means; the largest is the winner.
    standard_errors : array-like of shape (n_candidates,)
        Their standard errors.
    level : float
        Share of searches whose interval holds the truth.

    Returns
    -------
    tuple of two floats
        Covers at least ``level`` under any correlation; as wide as the usual interval where the
        winner is far ahead, as the simultaneous one where all are equal.

    References
    ----------
    .. [1] T. Zrnic and W. Fithian (2024). A flexible defense against the winner's curse.
       arXiv:2411.18569.

    Examples
    --------
    >>> low, high = zoom_interval([1.0, 0.0, 0.1], [0.05, 0.05, 0.05])
    >>> round(low, 3), round(high, 3)
    (0.902, 1.098)
    """
    values, errors = _checked(means, standard_errors, "standard_errors")
    if not (errors > 0).all():
        raise ValueError("standard_errors must be positive: leave out candidates that never vary.")
    best = float(values.max())
    behind = best - values
    error = 1.0 - check_level(level)

    def excess(radius: float) -> float:
        """Chance that some candidate breaks its limit, above the chance that is allowed."""
        least_gap = np.where(
            behind <= 4.0 * radius,
            np.maximum(behind - 2.0 * radius, 0.0),
            2.0 / 3.0 * (behind - radius),
        )
        limit = np.maximum(radius, least_gap / 2.0) / errors
        inside = np.log1p(-2.0 * special.ndtr(-limit)).sum()
        return float(-np.expm1(inside) - error)

    radius = _largest_root(excess, errors.max() * _sidak_quantile(1.0 - error, len(values)))
    return best - radius, best + radius


def _largest_root(excess: Callable[[float], float], above: float) -> float:
    """Largest radius that is not excluded: gaps shrink as it grows, so it is sought from above."""
    for upper, lower in itertools.pairwise(np.linspace(above, 0.0, 513).tolist()):
        if excess(lower) > 0:
            # At the start the chance is the allowed one, up to rounding.
            return upper if excess(upper) > 0 else _root(excess, 0.0, lower, upper)
    return 0.0


def _truncation(
    means: ArrayLike, covariance: ArrayLike
) -> tuple[FloatArray, float, tuple[float, float]]:
    """Means, standard error of the winner, and where its mean is cut off by its having won."""
    values, shared = _checked(means, covariance, "covariance")
    winner = int(values.argmax())
    variance = shared[winner]
    if not variance > 0:
        raise ValueError(
            f"the winner's variance must be positive; got {variance}. Scores that never vary have "
            "no interval."
        )
    rest = values - shared / variance * values[winner]
    slope = 1.0 - shared / variance
    # A candidate without slope, such as a copy of the winner, moves with it and cuts off nothing.
    below, above = slope > _FLAT, slope < -_FLAT
    below[winner] = above[winner] = False
    low = float((rest[below] / slope[below]).max()) if below.any() else -np.inf
    high = float((rest[above] / slope[above]).min()) if above.any() else np.inf
    return values, float(np.sqrt(variance)), (low, high)


def _truncated_cdf(x: float, theta: float, sd: float, cut: tuple[float, float]) -> float:
    """Share below x of a normal variable of mean theta that is cut off at both ends."""
    below = _log_mass((cut[0] - theta) / sd, (x - theta) / sd)
    above = _log_mass((x - theta) / sd, (cut[1] - theta) / sd)
    return float(special.expit(below - above))


def _log_mass(low: float, high: float) -> float:
    """Logarithm of a standard normal's chance to lie between two points."""
    if high <= low:
        return -np.inf
    if low > 0:
        # The upper tail is exact where the distribution function is one to the last bit.
        low, high = -high, -low
    larger, smaller = special.log_ndtr(high), special.log_ndtr(low)
    return float(larger + np.log(-np.expm1(smaller - larger)))


def _checked(means: ArrayLike, noise: ArrayLike, name: str) -> tuple[FloatArray, FloatArray]:
    values, known = np.asarray(means, dtype=np.float64), np.asarray(noise, dtype=np.float64)
    one_shape = values.ndim == 1 and values.size > 0 and values.shape == known.shape
    if not (one_shape and np.isfinite(values).all() and np.isfinite(known).all()):
        raise ValueError(
            f"means and {name} must be finite and have one shape (n_candidates,); got "
            f"{values.shape} and {known.shape}. Leave out candidates that failed."
        )
    return values, known


def _solve(share: Callable[[float], float], goal: float, start: float, sd: float) -> float:
    """Mean under which a share of ``goal`` lies below; the share falls as the mean grows."""
    sign = 1.0 if share(start) > goal else -1.0
    step = sd
    while (share(start + sign * step) - goal) * sign > 0:
        step *= 2.0
        if step > _FARTHEST * sd:
            return float(sign * np.inf)
    low, high = sorted((start, start + sign * step))
    return _root(share, goal, low, high)


def _root(share: Callable[[float], float], goal: float, low: float, high: float) -> float:
    # To a part of the bracket: scores may be of any size.
    nearest = _FINEST * (high - low)
    return float(optimize.brentq(lambda theta: share(theta) - goal, low, high, xtol=nearest))


def _sidak_quantile(level: float, size: int) -> float:
    """Standard errors that hold for ``size`` normal means at once, whatever their correlation."""
    return float(stats.norm.isf(-np.expm1(np.log(level) / size) / 2.0))


def _winner(means: FloatArray, best_index: int | None) -> int:
    check_best_index(best_index, len(means))
    return int(means.argmax()) if best_index is None else best_index
