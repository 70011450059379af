"""What every comparison asks of its input: the same folds, the same rows, finite scores."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from skmaxev.estimators.validation import as_floats

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["Identities", "check_pair", "check_sizes", "check_table"]

Identities = tuple[Sequence[Any], Sequence[Any]]


def check_pair(
    scores_a: ArrayLike, scores_b: ArrayLike, *, same: Identities | None, thing: str
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return both vectors of scores if they were measured on the same folds or rows."""
    first, second = (as_floats(scores) for scores in (scores_a, scores_b))
    if first.shape != second.shape or first.ndim != 1 or not first.size:
        raise ValueError(
            f"both sides must hold one score for each {thing}, in the same order; got shapes "
            f"{first.shape} and {second.shape}. Measure both on the same {thing}s."
        )
    if not (np.isfinite(first).all() and np.isfinite(second).all()):
        raise ValueError(
            f"scores must be finite; got NaN or infinity. Repeat the failed {thing}s: leaving them "
            "out of one side only would favour it."
        )
    if same is not None:
        _check_identities(same, first.size, thing)
    return first, second


def _check_identities(same: Identities, size: int, thing: str) -> None:
    """Raise unless both lists name the same folds or rows in the same order."""
    first, second = same
    if not len(first) == len(second) == size:
        raise ValueError(
            f"{thing}s must name the {size} {thing}s of both sides; got {len(first)} and "
            f"{len(second)}."
        )
    differing = [
        index
        for index, (one, other) in enumerate(zip(first, second, strict=True))
        if not np.array_equal(one, other)
    ]
    if differing:
        raise ValueError(
            f"both sides must be measured on the same {thing}s; {len(differing)} of {size} differ, "
            f"the first at position {differing[0]}. Fix the splitter (cv with random_state) and "
            "measure both again."
        )


def check_table(
    scores: ArrayLike, *, rows: str, least_rows: int, least: int
) -> NDArray[np.float64]:
    """Return finite scores of shape (n_rows, n_candidates)."""
    table = as_floats(scores)
    if table.ndim != 2 or table.shape[0] < least_rows or table.shape[1] < least:
        raise ValueError(
            f"scores must have shape (n_{rows}, n_candidates) with at least {least_rows} {rows} "
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
