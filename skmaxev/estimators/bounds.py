"""Bounds on bias and variance, and closed forms for equally good candidates."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.special import log_ndtr

from skmaxev.estimators.validation import as_result

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = [
    "aven_bound",
    "cv_bias_bound",
    "expected_maximum_of_normals",
    "optimism_of_equal_candidates",
]

# Twelve standard deviations: not even the largest of a million variables lies beyond (1e-27).
_REACH, _N_PANELS = 12.0, 96
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(16)


def aven_bound(variances: ArrayLike) -> float | NDArray[np.float64]:
    """Bound the optimism of the maximum of unbiased means from above.

    Parameters
    ----------
    variances : array-like of shape (..., n_variables)
        Variance of each mean.

    Returns
    -------
    float or ndarray of shape (...)
        The bias of `maximum` is between 0 and this, in units of the means, whatever the
        dependence. Nearly reached only by special distributions: for equal normal means it grows
        as the root of their number, the bias as the root of its logarithm.

    References
    ----------
    .. [1] T. Aven (1985), Upper (lower) bounds on the mean of the maximum (minimum) of a number of
       random variables. Journal of Applied Probability 22.
    .. [2] H. van Hasselt (2013), after Theorem 1. arXiv:1302.7175.

    Examples
    --------
    >>> aven_bound([0.5, 0.5, 0.5, 0.5])  # sqrt(3 / 4 * 2)
    1.224744871391589
    """
    checked = _check_variances(variances, min_ndim=1)
    n_variables = checked.shape[-1]
    return as_result(np.sqrt((n_variables - 1) / n_variables * checked.sum(axis=-1)))


def cv_bias_bound(argument_variances: ArrayLike) -> float | NDArray[np.float64]:
    """Bound the bias of a cross-validation estimator from below, by a conjecture.

    A CONJECTURE without a proof: half of it is proved for two variables.

    Parameters
    ----------
    argument_variances : array-like of shape (..., n_splits, n_variables)
        Variance of each mean that chooses: of the mean over one split for `low_variance_cv`, of
        the mean over the others for `low_bias_cv`.

    Returns
    -------
    float or ndarray of shape (...)
        Never positive, in units of the means. The bias is conjectured to lie above it, and is
        proved to be at most 0.

    References
    ----------
    .. [1] H. van Hasselt (2013), Conjecture 1. arXiv:1302.7175.

    Examples
    --------
    >>> cv_bias_bound([[2.0, 2.0], [0.5, 0.5]])  # -(2 + 1) / 2
    -1.5
    """
    checked = _check_variances(argument_variances, min_ndim=2)
    return as_result(-np.sqrt(checked.sum(axis=-1)).mean(axis=-1))


def expected_maximum_of_normals(k: ArrayLike) -> float | NDArray[np.float64]:
    """Return the expected largest of ``k`` independent standard normal variables.

    Parameters
    ----------
    k : int or array-like of int
        Number of variables, at least 1.

    Returns
    -------
    float or ndarray of the shape of `k`
        In standard deviations; exact to 1e-9 for up to a million variables.

    Notes
    -----
    The integral of ``1 - Phi(x)^k`` over the positive numbers less that of ``Phi(x)^k`` over the
    negative ones.

    Examples
    --------
    >>> round(expected_maximum_of_normals(100), 3)
    2.508
    """
    numbers = _check_at_least_one(k, "k")
    half = _REACH / _N_PANELS
    centres = np.linspace(half - _REACH, _REACH - half, _N_PANELS)
    x, weights = np.add.outer(centres, half * _NODES).ravel(), np.tile(half * _WEIGHTS, _N_PANELS)
    log_below = numbers[..., np.newaxis] * log_ndtr(x)
    expected = np.where(x < 0, -np.exp(log_below), -np.expm1(log_below)) @ weights
    return as_result(np.where(numbers == 1, 0.0, expected))


def optimism_of_equal_candidates(
    k: ArrayLike, n: ArrayLike, score: ArrayLike
) -> float | NDArray[np.float64]:
    """Return by how much the best of equally good candidates looks better than it is.

    Each of ``k`` candidates is judged on ``n`` cases of its own; the score is a proportion, such
    as accuracy, near enough to normal.

    Parameters
    ----------
    k : int or array-like of int
        Number of candidates.
    n : int or array-like of int
        Number of cases that judge each candidate.
    score : float or array-like of float
        True proportion of each candidate, from 0 to 1.

    Returns
    -------
    float or ndarray of the common shape
        In units of the score. Too high for candidates that differ, or that share cases.

    Notes
    -----
    ``sqrt(p (1 - p) / n)`` times the expected largest of ``k`` standard normal variables.

    Examples
    --------
    >>> round(100 * optimism_of_equal_candidates(100, 1000, 0.8), 2)  # points
    3.17
    """
    cases = _check_at_least_one(n, "n")
    share = np.asarray(score, dtype=np.float64)
    if not ((share >= 0) & (share <= 1)).all():
        raise ValueError(f"score must be a proportion from 0 to 1; got {score!r}.")
    largest = np.asarray(expected_maximum_of_normals(k))
    return as_result(np.sqrt(share * (1 - share) / cases) * largest)


def _check_variances(variances: ArrayLike, *, min_ndim: int) -> NDArray[np.float64]:
    checked = np.asarray(variances, dtype=np.float64)
    if checked.ndim < min_ndim or checked.size == 0:
        raise ValueError(
            f"variances must have at least {min_ndim} dimension(s) and one variable; got shape "
            f"{checked.shape}. Give the variance of each mean along the last axis."
        )
    if not (np.isfinite(checked) & (checked >= 0)).all():
        raise ValueError(
            "variances must be finite and not negative; got "
            f"{checked[~(np.isfinite(checked) & (checked >= 0))][0]}. Square standard errors first."
        )
    return checked


def _check_at_least_one(values: ArrayLike, name: str) -> NDArray[np.float64]:
    numbers = np.asarray(values)
    if (
        not np.issubdtype(numbers.dtype, np.number)
        or not (np.isfinite(numbers) & (numbers >= 1) & (numbers == np.floor(numbers))).all()
    ):
        raise ValueError(f"{name} must be a whole number of at least 1; got {values!r}.")
    return numbers.astype(np.float64)
