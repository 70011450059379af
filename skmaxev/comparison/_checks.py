"""What every comparison asks of its input: the same folds, the same rows, finite scores."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from skmaxev.estimators.validation import as_floats

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["Alternative", "aligned", "check_pair", "check_sizes", "check_table", "names_of"]

Alternative = Literal["two-sided", "greater", "less"]


def names_of(scores: Any, n_models: int) -> tuple[str, ...]:
    """Name the models by the columns of a frame, else by their positions."""
    return tuple(str(name) for name in getattr(scores, "columns", range(n_models)))


def aligned(scores_a: Any, scores_b: Any, *, thing: str) -> tuple[Any, Any]:
    """Bring the second of two pandas objects into the order of the first one's index."""
    indexes: list[Any] = [getattr(scores, "index", None) for scores in (scores_a, scores_b)]
    if not all(hasattr(index, "equals") for index in indexes) or indexes[0].equals(indexes[1]):
        return scores_a, scores_b
    unique = indexes[0].is_unique and indexes[1].is_unique
    if not unique or set(indexes[0]) != set(indexes[1]):
        raise ValueError(
            f"both sides must be measured on the same {thing}s; their indexes differ: "
            f"{list(indexes[0][:3])}... and {list(indexes[1][:3])}.... Select the {thing}s that "
            "both have, or give arrays if the order is the same."
        )
    return scores_a, scores_b.loc[indexes[0]]


def check_pair(
    scores_a: ArrayLike, scores_b: ArrayLike, *, thing: str, shape: tuple[int, ...] | None = None
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return finite scores of both that were measured on the same folds or rows."""
    first, second = (as_floats(scores) for scores in aligned(scores_a, scores_b, thing=thing))
    if shape is None:
        if first.ndim == second.ndim == 2 and first.shape[1:] == second.shape[1:] == (1,):
            first, second = first[:, 0], second[:, 0]  # frames with one column
        shape = (len(first),) if first.ndim else (1,)
    if first.shape != shape or second.shape != shape or not first.size:
        raise ValueError(
            f"both sides must hold one score for each {thing}, in the same order, of shape "
            f"{shape}; got {first.shape} and {second.shape}. Measure both on the same {thing}s."
        )
    if not (np.isfinite(first).all() and np.isfinite(second).all()):
        raise ValueError(
            f"scores must be finite; got NaN or infinity. Repeat the failed {thing}s: leaving them "
            "out of one side only would favour it."
        )
    return first, second


def check_table(scores: ArrayLike, *, rows: str, least: int) -> NDArray[np.float64]:
    """Return finite scores of shape (n_rows, n_candidates)."""
    table = as_floats(scores)
    if table.ndim != 2 or table.shape[0] < 2 or table.shape[1] < least:
        raise ValueError(
            f"scores must have shape (n_{rows}, n_candidates) with at least 2 {rows} "
            f"and {least} candidates; got {table.shape}."
        )
    if not np.isfinite(table).all():
        failed = np.nonzero(~np.isfinite(table).all(axis=0))[0].tolist()
        raise ValueError(
            f"scores must be finite; candidates {failed} hold NaN or infinity. Drop them first, "
            "and say so."
        )
    return table


def check_sizes(n_train: float, n_test: float) -> float:
    """Return rows judged on for each row trained on."""
    if not (n_train > 0 and n_test > 0):
        raise ValueError(
            f"n_train and n_test must be positive; got {n_train!r} and {n_test!r}. Give the rows "
            "of one split; their mean if the splits differ."
        )
    return float(n_test / n_train)
