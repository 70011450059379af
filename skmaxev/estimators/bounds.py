"""Bounds on bias and variance, and closed forms for equally good candidates."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.special import log_ndtr

from skmaxev.estimators._validation import as_result

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["expected_maximum_of_normals"]


def expected_maximum_of_normals(k: ArrayLike) -> float | NDArray[np.float64]:
    """Return the expected largest of ``k`` independent standard normal variables.

    Parameters
    ----------
    k : int or array-like of int
        Number of variables, at least 1.

    Returns
    -------
    float or ndarray of the shape of `k`
        Exact to 1e-9 for up to a million variables.

    Raises
    ------
    ValueError
        If ``k`` is not a whole number of at least 1.

    Notes
    -----
    The integral of ``1 - Phi(x)^k`` over the positive numbers less that of ``Phi(x)^k`` over the
    negative ones.

    Examples
    --------
    >>> round(expected_maximum_of_normals(100), 3)
    2.508
    """
    numbers = np.asarray(k)
    if not np.issubdtype(numbers.dtype, np.number) or not np.all(
        (numbers >= 1) & (numbers == np.floor(numbers))
    ):
        raise ValueError(f"k must be a whole number of at least 1; got {k!r}.")
    x, weights = _panels(-_REACH, _REACH)
    log_below = numbers[..., np.newaxis] * log_ndtr(x)
    expected = np.where(x < 0, -np.exp(log_below), -np.expm1(log_below)) @ weights
    return as_result(np.where(numbers == 1, 0.0, expected))


# Twelve standard deviations: even of a million variables none lies beyond (1e-27).
_REACH = 12.0
_PANELS = 96
_NODES = 16


def _panels(low: float, high: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return nodes and weights of Gauss-Legendre quadrature on equal panels."""
    node, weight = np.polynomial.legendre.leggauss(_NODES)
    half = (high - low) / _PANELS / 2
    centres = low + half * (2 * np.arange(_PANELS) + 1)
    return (centres[:, np.newaxis] + half * node).ravel(), np.tile(half * weight, _PANELS)
