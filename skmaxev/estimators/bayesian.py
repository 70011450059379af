"""Estimators of the largest expected value from independent beliefs about each variable."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from skmaxev.estimators.validation import as_result

__all__ = ["bayesian_maximum", "bayesian_maximum_beta", "weighted_maximum"]

FloatArray = NDArray[np.float64]
_Beliefs = Callable[[NDArray[np.intp], FloatArray], tuple[FloatArray, FloatArray]]
"""(table of each panel, points (n_panels, n_points)) -> distribution functions and densities of
all variables there, each of shape (n_panels, n_points, n_variables)."""

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(16)
_FIRST_PANELS = 8
_MASS_TOLERANCE = 1e-9
_LEAST_WIDTH = 1e-14  # of the whole range: no float lies further inside
_VALUES_AT_ONCE = 250_000
# Normal tails beyond: 1e-19, so that of 10,000 variables none lies there.
_REACH = 9.0
# Of the range: narrower beliefs are points, which moves the result by no more than this.
_POINT = 1e-12


def bayesian_maximum(means: ArrayLike, standard_errors: ArrayLike) -> float | FloatArray:
    """Estimate the largest expected value by the mean of the maximum of normal beliefs.

    Believes each expected value to be normal around its mean, independently of the others.

    Parameters
    ----------
    means : array-like of shape (..., n_variables)
        Mean of each belief, such as a sample mean; higher is better.
    standard_errors : array-like of shape (..., n_variables)
        Standard deviation of each belief; 0 where the value is known.

    Returns
    -------
    float or ndarray of shape (...)
        Exact to about 1e-9 of the range of the beliefs. Errs upwards on average where the means
        are sample means: it is never below the largest of them.

    References
    ----------
    .. [1] H. van Hasselt (2013), section on Bayesian estimators. arXiv:1302.7175.

    Examples
    --------
    >>> round(bayesian_maximum([0.0, 0.0], [1.0, 1.0]), 6)  # 1 / sqrt(pi)
    0.56419
    >>> bayesian_maximum([0.5, 0.75], [0.0, 0.0])
    0.75
    """
    centre, errors, shape = _check_normal(means, standard_errors)
    largest = centre.max(axis=-1)
    if centre.shape[-1] == 1:
        return as_result(largest.reshape(shape))
    beliefs, low, high = _normal_beliefs(centre - largest[:, np.newaxis], errors)
    excess = np.maximum(low + _expect_at_maximum(beliefs, low, high), 0.0)
    return as_result((largest + excess).reshape(shape))


def weighted_maximum(means: ArrayLike, standard_errors: ArrayLike) -> float | FloatArray:
    """Estimate the largest expected value by weighting each mean with its chance to be the best.

    The chances are those of independent normal beliefs around the means.

    Parameters
    ----------
    means, standard_errors
        As in `bayesian_maximum`.

    Returns
    -------
    float or ndarray of shape (...)
        Between the smallest and the largest mean, exact to about 1e-9 of the range of the beliefs.
        May err in either direction: upwards less than the maximum of the means, downwards less
        than cross-validation with two folds.

    References
    ----------
    .. [1] C. D'Eramo, A. Nuara and M. Restelli (2016), Estimating the maximum expected value
       through Gaussian approximation. ICML.

    Examples
    --------
    >>> round(weighted_maximum([1.0, 0.0], [0.5, 0.5]), 4)  # the normal chance of 1 / sqrt(0.5)
    0.9214
    >>> weighted_maximum([0.5, 0.75], [0.0, 0.0])
    0.75
    """
    centre, errors, shape = _check_normal(means, standard_errors)
    largest = centre.max(axis=-1)
    shifted = centre - largest[:, np.newaxis]
    beliefs, low, high = _normal_beliefs(shifted, errors)
    excess = low + _expect_at_maximum(beliefs, low, high, shifted)
    return as_result((largest + np.clip(excess, shifted.min(axis=-1), 0.0)).reshape(shape))


def bayesian_maximum_beta(
    successes: ArrayLike, trials: ArrayLike, *, prior: tuple[float, float] = (1.0, 1.0)
) -> float | FloatArray:
    """Estimate the largest of several success rates by the mean of the maximum of Beta beliefs.

    Each rate has a Beta prior, so a Beta posterior, independently of the others.

    Parameters
    ----------
    successes : array-like of shape (..., n_variables)
        Successes of each variable.
    trials : array-like of shape (..., n_variables)
        Trials of each variable; 0 leaves the prior.
    prior : (float, float), default=(1, 1)
        Both parameters of the Beta prior; uniform by default.

    Returns
    -------
    float or ndarray of shape (...)
        Exact to about 1e-8. Errs upwards on average where the rates are equal, even if the prior is
        centred on them; the prior may turn that.

    References
    ----------
    .. [1] H. van Hasselt (2013), section on Bayesian estimators. arXiv:1302.7175.

    Examples
    --------
    >>> round(bayesian_maximum_beta([1, 2], [2, 2]), 5)
    0.78571
    """
    won, tried = np.broadcast_arrays(
        np.asarray(successes, dtype=np.float64), np.asarray(trials, dtype=np.float64)
    )
    if (
        won.ndim == 0
        or won.size == 0
        or not ((won >= 0) & (won <= tried) & np.isfinite(tried)).all()
    ):
        raise ValueError(
            "successes must be from 0 to trials, one for each variable; got values outside. "
            "Give counts of shape (..., n_variables)."
        )
    if not (np.isfinite(prior).all() and min(prior) > 0):
        raise ValueError(f"prior must be two positive numbers, such as (1, 1); got {prior!r}.")
    shape = won.shape[:-1]
    a = (won + prior[0]).reshape(-1, won.shape[-1])
    b = (tried - won + prior[1]).reshape(a.shape)
    if a.shape[-1] == 1:
        return as_result((a / (a + b))[:, 0].reshape(shape))
    low, high = np.zeros(len(a)), np.ones(len(a))
    return as_result(_expect_at_maximum(_beta_beliefs(a, b), low, high).reshape(shape))


def _check_normal(
    means: ArrayLike, standard_errors: ArrayLike
) -> tuple[FloatArray, FloatArray, tuple[int, ...]]:
    """Return means and errors of shape (n_tables, n_variables), and the leading shape."""
    centre, errors = np.broadcast_arrays(
        np.asarray(means, dtype=np.float64), np.asarray(standard_errors, dtype=np.float64)
    )
    if centre.ndim == 0 or centre.shape[-1] == 0 or not np.isfinite(centre).all():
        raise ValueError(
            f"means must be finite, one for each variable; got shape {centre.shape} or NaN. "
            "Give shape (..., n_variables) without missing variables."
        )
    if not (np.isfinite(errors) & (errors >= 0)).all():
        raise ValueError(
            "standard_errors must be finite and not negative; got "
            f"{errors[~(np.isfinite(errors) & (errors >= 0))][0]}. Give 0 for a known value."
        )
    width = centre.shape[-1]
    return centre.reshape(-1, width), errors.reshape(-1, width), centre.shape[:-1]


def _normal_beliefs(
    centre: FloatArray, errors: FloatArray
) -> tuple[_Beliefs, FloatArray, FloatArray]:
    """Return the beliefs with the range that holds their maximum."""
    low = (centre - _REACH * errors).max(axis=-1)
    high = (centre + _REACH * errors).max(axis=-1)
    known = errors <= _POINT * (high - low)[:, np.newaxis]
    low = np.maximum(low, np.where(known, centre, -np.inf).max(axis=-1))
    scale = np.where(known, 1.0, errors)

    def beliefs(owner: NDArray[np.intp], x: FloatArray) -> tuple[FloatArray, FloatArray]:
        at = x[..., np.newaxis]
        mine, divisor, point = (values[owner, np.newaxis] for values in (centre, scale, known))
        # Beyond 40 deviations nothing changes; a known value lies below the whole range.
        z = np.where(point, 40.0, np.minimum((at - mine) / divisor, 40.0))
        density = np.exp(-0.5 * np.square(z)) / (np.sqrt(2 * np.pi) * divisor)
        return special.ndtr(z), density

    return beliefs, low, high


def _beta_beliefs(a: FloatArray, b: FloatArray) -> _Beliefs:
    log_norm = special.betaln(a, b)

    def beliefs(owner: NDArray[np.intp], x: FloatArray) -> tuple[FloatArray, FloatArray]:
        at = x[..., np.newaxis]
        p, q, norm = (values[owner, np.newaxis] for values in (a, b, log_norm))
        # The ends of a panel may be poles, whose density is not used.
        inside = np.clip(at, np.finfo(np.float64).tiny, 1 - np.finfo(np.float64).epsneg)
        log_density = special.xlogy(p - 1, inside) + special.xlog1py(q - 1, -inside) - norm
        return special.betainc(p, q, at), np.exp(log_density)

    return beliefs


def _expect_at_maximum(
    beliefs: _Beliefs, low: FloatArray, high: FloatArray, values: FloatArray | None = None
) -> FloatArray:
    """Integrate over the distribution of the largest of independent variables.

    Parameters
    ----------
    beliefs : callable
        Distributions of the variables.
    low, high : ndarray of shape (n_tables,)
        Range of the integral; what lies below ``low`` counts as ``low``.
    values : ndarray of shape (n_tables, n_variables), optional
        What is averaged: the value of the variable that is the largest. The largest itself if
        omitted.

    Returns
    -------
    ndarray of shape (n_tables,)
        The integral of ``value - low``, with an error of about 1e-9 of the range.

    Notes
    -----
    A panel's probability is known exactly from its ends. Panels where quadrature misses it are
    halved, so no variable is too narrow to be seen.
    """
    total = np.zeros_like(low)
    owner = np.repeat(np.arange(low.size), _FIRST_PANELS)
    width = ((high - low) / _FIRST_PANELS)[owner]
    left = low[owner] + width * np.tile(np.arange(_FIRST_PANELS), low.size)
    while owner.size:
        payload, missed = _integrate_all(beliefs, owner, left, left + width, low, values)
        done = (missed <= _MASS_TOLERANCE) | (width <= _LEAST_WIDTH * (high - low)[owner])
        np.add.at(total, owner[done], payload[done])
        owner = np.repeat(owner[~done], 2)
        width = np.repeat(width[~done] / 2, 2)
        left = np.repeat(left[~done], 2)
        left[1::2] += width[1::2]
    return total


def _integrate_all(
    beliefs: _Beliefs,
    owner: NDArray[np.intp],
    left: FloatArray,
    right: FloatArray,
    low: FloatArray,
    values: FloatArray | None,
) -> tuple[FloatArray, FloatArray]:
    """Integrate the panels block by block, so that memory does not grow with their number."""
    n_variables = beliefs(owner[:1], left[:1, np.newaxis])[0].shape[-1]
    step = max(1, _VALUES_AT_ONCE // (n_variables * (_NODES.size + 2)))
    payload, missed = np.empty_like(left), np.empty_like(left)
    for start in range(0, left.size, step):
        block = slice(start, start + step)
        payload[block], missed[block] = _integrate(
            beliefs, owner[block], left[block], right[block], low, values
        )
    return payload, missed


def _integrate(
    beliefs: _Beliefs,
    owner: NDArray[np.intp],
    left: FloatArray,
    right: FloatArray,
    low: FloatArray,
    values: FloatArray | None,
) -> tuple[FloatArray, FloatArray]:
    """Return each panel's integral, and by how much quadrature missed its probability."""
    half = ((right - left) / 2)[:, np.newaxis]
    x = ((left + right) / 2)[:, np.newaxis] + half * _NODES
    weights = half * _WEIGHTS
    cdf, density = beliefs(owner, np.column_stack([left, x, right]))
    below = cdf.prod(axis=-1)  # the distribution function of the maximum
    cdf, density = cdf[:, 1:-1], density[:, 1:-1]
    # The density of "the largest is i and lies at x" is f_i(x) / F_i(x) * prod_j F_j(x).
    share = np.divide(density, cdf, out=np.zeros_like(density), where=cdf > 0)
    mass_at = below[:, 1:-1] * weights
    found = (mass_at * share.sum(axis=-1)).sum(axis=-1)
    origin = low[owner][:, np.newaxis]
    if values is None:
        payload = (mass_at * share.sum(axis=-1) * (x - origin)).sum(axis=-1)
    else:
        payload = (mass_at * np.einsum("pxi,pi->px", share, values[owner] - origin)).sum(axis=-1)
    mass = below[:, -1] - below[:, 0]
    # Scaling to the exact probability keeps panels exact that end at a pole of a density.
    scaled = payload * np.divide(mass, found, out=np.zeros_like(mass), where=found > 0)
    return scaled, np.abs(mass - found)
