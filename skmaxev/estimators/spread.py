"""Whether numbers differ by more than rounding: one rule for all that divides by their spread."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["ROUNDING", "check_spread", "is_constant"]

# Of the largest score. Rounding leaves some 1e-16, one row in a thousand million 1e-9.
ROUNDING = 1e-10


def is_constant(values: ArrayLike, *, size: ArrayLike) -> NDArray[np.bool_]:
    """Say where values of shape (..., n) are equal up to rounding, for scores as large as ``size``.

    Differences of scores differ by the rounding of the scores, however small they are themselves.
    """
    return np.asarray(np.ptp(np.asarray(values), axis=-1) <= ROUNDING * np.asarray(size))


def check_spread(differences: NDArray[np.float64], *, size: float, thing: str) -> bool:
    """Return whether the differences tell something; False where all of them are nothing.

    Raises
    ------
    ValueError
        If they are one and the same number other than zero.
    """
    if not is_constant(differences.ravel(), size=size):
        return True
    mean = float(differences.mean())
    if abs(mean) > ROUNDING * size:
        raise ValueError(
            f"the {thing}s give no variance to judge by: all show one difference, {mean:.6g}. "
            f"Measure on more {thing}s; a difference without noise has no p-value."
        )
    return False
