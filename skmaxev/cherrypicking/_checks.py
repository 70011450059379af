"""What every test of a claim asks of its input."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

from skmaxev.estimators.spread import is_constant
from skmaxev.estimators.validation import as_floats

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["Variance", "check_count", "check_differ", "check_improvements", "known_variance"]

Variance = float | Literal["estimate"]


def check_improvements(values: ArrayLike, *, name: str, least: int) -> NDArray[np.float64]:
    """Return finite floats of shape (..., n) with n >= ``least``."""
    array = np.atleast_1d(as_floats(values))
    if array.shape[-1] < least:
        raise ValueError(
            f"{name} must hold at least {least} data set(s); got {array.shape[-1]}. "
            "An estimated variance needs two; give a known variance for one."
        )
    if not np.isfinite(array).all():
        raise ValueError(
            f"{name} must be finite; got NaN or infinity. Leave out the data sets that failed, and "
            "say so in the report."
        )
    return array


def check_differ(*samples: NDArray[np.float64]) -> None:
    """Raise where a variance is to be estimated from numbers that are equal up to rounding."""
    equal = [is_constant(values, size=np.abs(values).max(axis=-1)) for values in samples]
    if np.all(np.broadcast_arrays(*equal), axis=0).any():
        raise ValueError(
            "improvements must differ where their variance is estimated; all are equal, which "
            "gives no variance to judge by. Give the known variance of one improvement."
        )


def known_variance(variance: Variance) -> float | None:
    """Return the known variance, or None when it is to be estimated."""
    if isinstance(variance, str):
        if variance != "estimate":
            raise ValueError(f"variance must be a number or 'estimate'; got {variance!r}.")
        return None
    if np.ndim(variance) or not (np.isfinite(variance) and variance > 0):
        raise ValueError(
            f"variance must be positive, one number; got {variance!r}. Use 'estimate' if unknown."
        )
    return float(variance)


def check_count(value: int, *, name: str, least: int) -> int:
    """Return a whole number that is at least ``least``."""
    if not value >= least or value % 1 != 0:  # NaN is not at least anything
        raise ValueError(f"{name} must be a whole number of at least {least}; got {value!r}.")
    return int(value)
