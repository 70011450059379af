"""Checks that every estimator shares: a rule, what came, and the cure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = [
    "ROUNDING",
    "as_floats",
    "as_result",
    "check_best_index",
    "check_count",
    "check_level",
    "check_scores",
    "check_spread",
    "is_constant",
    "name_some",
]

_MOST_NAMED = 10
# Of the largest score. Rounding leaves some 1e-16, one row in a thousand million 1e-9.
ROUNDING = 1e-10


def name_some(indices: ArrayLike) -> str:
    """Write a list of indices, cut to the first ten, for a message."""
    found = np.unique(np.asarray(indices)).tolist()
    more = f", and {len(found) - _MOST_NAMED} more" if len(found) > _MOST_NAMED else ""
    return "[" + ", ".join(str(index) for index in found[:_MOST_NAMED]) + more + "]"


def as_floats(values: ArrayLike) -> NDArray[np.float64]:
    """Return an array of floats; what is masked is NaN, not what lies under the mask."""
    if np.ma.isMaskedArray(values):
        return np.ma.filled(np.ma.asarray(values, dtype=np.float64), np.nan)
    # One order in memory, or sums differ in the last digit.
    return np.asarray(values, dtype=np.float64, order="C")


def check_scores(scores: ArrayLike, *, min_splits: int = 1) -> NDArray[np.float64]:
    """Return ``scores`` as finite floats of shape (..., n_splits, n_candidates)."""
    try:
        table = as_floats(scores)
    except (TypeError, ValueError) as error:
        raise TypeError(
            "scores must be numbers of shape (n_splits, n_candidates); got "
            f"{type(scores).__name__} ({error}). Pass one row a split and one column a candidate."
        ) from error
    if table.ndim < 2:
        raise ValueError(
            f"scores must have shape (..., n_splits, n_candidates); got {table.ndim} dimension(s). "
            "Pass one row a split and one column a candidate."
        )
    _check_size(table.shape[-2], min_splits, "split")
    _check_size(table.shape[-1], 1, "candidate")
    finite = np.isfinite(table)
    if not finite.all():
        failed = np.nonzero(~finite.reshape(-1, table.shape[-1]).all(axis=0))[0]
        raise ValueError(
            f"scores must be finite; candidates {name_some(failed)} hold NaN or infinity. Drop "
            "failed candidates first, or search with error_score='raise'."
        )
    return table


def _check_size(size: int, least: int, thing: str) -> None:
    if size < least:
        raise ValueError(
            f"scores must have at least {least} {thing}(s); got {size}. "
            + (
                "One split shows no noise: search with cv >= 2."
                if thing == "split" and size
                else f"Give the score of every {thing}."
            )
        )


def check_best_index(best_index: int | None, n_candidates: int) -> None:
    """Raise if ``best_index`` is not the column of a candidate."""
    if best_index is None:
        return
    if not isinstance(best_index, int | np.integer) or not 0 <= best_index < n_candidates:
        raise ValueError(
            f"best_index must be a column of scores, 0 to {n_candidates - 1}; got {best_index}."
        )


def check_count(value: Any, *, name: str, least: int = 1) -> int:
    """Return a whole number that is at least ``least``."""
    if not value >= least or value % 1 != 0:  # NaN is not at least anything
        raise ValueError(f"{name} must be a whole number of at least {least}; got {value!r}.")
    return int(value)


def check_level(level: Any) -> float:
    """Return the confidence level if it is strictly between 0 and 1."""
    if not isinstance(level, int | float | np.number) or not 0.0 < level < 1.0:
        raise ValueError(f"level must be between 0 and 1, such as 0.95; got {level!r}.")
    return float(level)


def as_result(values: NDArray[np.float64]) -> float | NDArray[np.float64]:
    """Give a float for one table and an array over the leading axes for many."""
    return float(values) if np.ndim(values) == 0 else values


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
