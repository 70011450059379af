"""Expectations under the distribution of a maximum, by adaptive quadrature."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

__all__ = ["Beliefs", "expect_at_maximum", "panels"]

FloatArray = NDArray[np.float64]
Beliefs = Callable[[NDArray[np.intp], FloatArray], tuple[FloatArray, FloatArray]]
"""(table of each panel, points (n_panels, n_points)) -> distribution functions and densities of
all variables there, each of shape (n_panels, n_points, n_variables)."""

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(16)
_FIRST_PANELS = 8
_MASS_TOLERANCE = 1e-9
_LEAST_WIDTH = 1e-14  # of the whole range: no float lies further inside
_VALUES_AT_ONCE = 250_000


def panels(left: FloatArray, right: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return Gauss-Legendre nodes and weights inside panels; each (n_panels, n_nodes)."""
    half = ((right - left) / 2)[:, np.newaxis]
    return ((left + right) / 2)[:, np.newaxis] + half * _NODES, half * _WEIGHTS


def expect_at_maximum(
    beliefs: Beliefs, low: FloatArray, high: FloatArray, values: FloatArray | None = None
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
    beliefs: Beliefs,
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
    beliefs: Beliefs,
    owner: NDArray[np.intp],
    left: FloatArray,
    right: FloatArray,
    low: FloatArray,
    values: FloatArray | None,
) -> tuple[FloatArray, FloatArray]:
    """Return each panel's integral, and by how much quadrature missed its probability."""
    x, weights = panels(left, right)
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
