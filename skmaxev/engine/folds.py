"""Rows to train on and to judge on, and where the scores belong."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["IndexArray", "Nesting", "Place", "Split", "Unit", "as_splits", "rows_key"]

IndexArray = NDArray[np.intp]


class Split(NamedTuple):
    """Rows to train on and rows to judge on, as positions in the whole data."""

    train: IndexArray
    test: IndexArray


class Place(NamedTuple):
    """Where a score belongs.

    Parameters
    ----------
    level : {"search", "inner", "outer", "within"}
        The search itself; a split inside an outer fold's training rows; the outer fold; a split
        inside an outer fold's judged rows.
    outer : int
        The outer fold; -1 for the search itself.
    split : int
        Number of the split at its level; 0 for an outer fold.
    """

    level: str
    outer: int
    split: int


@dataclass(frozen=True, eq=False)
class Unit:
    """One set of training rows, and every set of rows that its models are judged on.

    Parameters
    ----------
    train : ndarray of shape (n_train,)
        Rows to train on, in the order in which the model gets them.
    judged : tuple of ndarray
        Sets of rows to judge on; no two of them are the same.
    places : tuple of tuple of Place
        What each set is judged for.
    """

    train: IndexArray
    judged: tuple[IndexArray, ...]
    places: tuple[tuple[Place, ...], ...]

    @cached_property
    def search_splits(self) -> tuple[int, ...]:
        """Splits of the search itself that this unit serves; none if it serves nested folds."""
        return tuple(p.split for places in self.places for p in places if p.level == "search")

    @property
    def search_split(self) -> int | None:
        """First split of the search itself that this unit serves, if any."""
        return self.search_splits[0] if self.search_splits else None


@dataclass(frozen=True, eq=False)
class Nesting:
    """Outer folds and the splits inside them.

    Parameters
    ----------
    outer : tuple of Split
        The outer folds.
    inner : sequence of sequence of Split
        Splits of each outer fold's training rows; choose (or, for low variance, judge).
    within : tuple of tuple of Split
        Splits of each outer fold's judged rows; only for the low-variance full form.
    shared : bool
        Whether the outer folds are those of the search, and the inner folds the other ones.
    """

    outer: tuple[Split, ...]
    inner: Sequence[Sequence[Split]]
    within: tuple[tuple[Split, ...], ...] = ()
    shared: bool = False


def as_splits(pairs: Iterable[Sequence[ArrayLike]], n_rows: int) -> tuple[Split, ...]:
    """Turn a splitter's pairs into row positions; masks and negative positions are resolved.

    Parameters
    ----------
    pairs : iterable of (array-like, array-like)
        Rows to train on and rows to judge on, as whole numbers or as masks.
    n_rows : int
        Rows of the data that are split.

    Returns
    -------
    tuple of Split

    Raises
    ------
    ValueError
        If that names no rows of the data: scikit-learn would say so in the middle of the fits.
    """
    return tuple(
        Split(_positions(train, n_rows), _positions(test, n_rows)) for train, test in pairs
    )


def _positions(index: Any, n_rows: int) -> IndexArray:
    rows = np.asarray(index)
    if rows.dtype == bool and rows.size == n_rows:
        return np.flatnonzero(rows)
    if rows.size == 0:
        return np.array([], dtype=np.intp)
    if rows.ndim != 1 or rows.dtype.kind not in "iu":
        raise ValueError(
            f"splits must name rows by whole numbers or by masks of {n_rows} entries; "
            f"got {type(index).__name__} with dtype {rows.dtype} and shape {rows.shape}. Give "
            "arrays of row numbers."
        )
    for row in (int(rows.min()), int(rows.max())):
        if not -n_rows <= row < n_rows:
            raise ValueError(
                f"a split asks for row {row}, but there are {n_rows} rows, so it is made for other "
                "rows. Give row positions, which begin at 0, and not labels of an index."
            )
    rows = rows.astype(np.intp, copy=False)
    return np.asarray(np.where(rows < 0, rows + n_rows, rows), dtype=np.intp)


def rows_key(rows: IndexArray) -> bytes:
    """Digest rows in their order."""
    return blake2b(rows.astype(np.int64, copy=False).tobytes(), digest_size=16).digest()
