"""Which fits a search needs, and which of them are one and the same.

A fit is a pair of candidate and training rows. Two folds of nested cross-validation that leave the
same rows out need the same model, so a plan lists every distinct set of training rows once,
with all the sets of rows that its models are judged on.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import blake2b
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["Nesting", "Place", "Plan", "Split", "Unit", "as_splits", "make_plan", "share_folds"]

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
    inner : tuple of tuple of Split
        Splits of each outer fold's training rows; choose (or, for low variance, judge).
    within : tuple of tuple of Split
        Splits of each outer fold's judged rows; only for the low-variance full form.
    shared : bool
        Whether the outer folds are those of the search, and the inner folds the other ones.
    """

    outer: tuple[Split, ...]
    inner: tuple[tuple[Split, ...], ...]
    within: tuple[tuple[Split, ...], ...] = ()
    shared: bool = False


@dataclass(frozen=True, eq=False)
class Plan:
    """Every fit that a search needs, each once.

    Parameters
    ----------
    units : tuple of Unit
        Training sets on which every candidate is fitted.
    splits : tuple of Split
        Splits of the search itself.
    nesting : Nesting or None
        Outer folds, where there are any.
    where : dict
        For each place the number of its unit, and of the judged set in the unit.
    """

    units: tuple[Unit, ...]
    splits: tuple[Split, ...]
    nesting: Nesting | None
    where: dict[Place, tuple[int, int]] = field(repr=False)

    @property
    def outer_refits(self) -> tuple[int, ...]:
        """Outer folds whose training rows no unit has: their winner is fitted in a second step."""
        n_outer = len(self.nesting.outer) if self.nesting else 0
        return tuple(k for k in range(n_outer) if Place("outer", k, 0) not in self.where)

    def n_fits(self, n_candidates: int, *, refit: bool) -> int:
        """Count the model fits, with the winner's fit on all rows if ``refit``."""
        return n_candidates * len(self.units) + len(self.outer_refits) + int(refit)


def as_splits(pairs: Iterable[Sequence[ArrayLike]], n_rows: int) -> tuple[Split, ...]:
    """Turn a splitter's pairs into row positions; masks and negative positions are resolved."""
    return tuple(
        Split(_positions(train, n_rows), _positions(test, n_rows)) for train, test in pairs
    )


def _positions(index: Any, n_rows: int) -> IndexArray:
    index = np.asarray(index)
    if index.dtype == bool:
        return np.flatnonzero(index)
    rows: IndexArray = index.astype(np.intp, copy=False)
    return np.asarray(np.where(rows < 0, rows + n_rows, rows), dtype=np.intp)


def share_folds(splits: Sequence[Split]) -> Nesting | None:
    """Nest a search into its own folds: the inner folds of fold k are the other folds.

    Needs folds that are a partition, found from the row numbers and not from the splitter's class:
    no row is judged twice, and each fold trains on all rows that it does not judge, in
    their order in the data (a model may depend on the order of its rows). Rows that are never
    judged always train. Repeated folds are nested within each repeat.

    Parameters
    ----------
    splits : sequence of Split
        Folds of the search.

    Returns
    -------
    Nesting or None
        None if the splits are no such folds, or fewer than three.
    """
    blocks = _partitions(splits)
    if blocks is None:
        return None
    inner: list[tuple[Split, ...]] = [()] * len(splits)
    for block in blocks:
        for number, nested in zip(block, _leave_two_out([splits[k] for k in block]), strict=True):
            inner[number] = nested
    return Nesting(outer=tuple(splits), inner=tuple(inner), shared=True)


def _partitions(splits: Sequence[Split]) -> list[list[int]] | None:
    """Cut the splits, in order, into blocks that judge no row twice; None where that fails."""
    if not splits:
        return None
    rows = np.union1d(*splits[0])
    blocks: list[list[int]] = []
    judged: IndexArray = np.array([], dtype=np.intp)
    covers: list[IndexArray] = []
    for number, (train, test) in enumerate(splits):
        if not np.array_equal(train, np.setdiff1d(rows, test)) or not np.isin(test, rows).all():
            return None
        if not blocks or np.isin(test, judged).any():
            blocks.append([])
            covers.append(judged)
            judged = np.array([], dtype=np.intp)
        blocks[-1].append(number)
        judged = np.union1d(judged, test)
    covers = [*covers[1:], judged]
    complete = all(np.array_equal(cover, covers[0]) for cover in covers)
    return blocks if complete and min(map(len, blocks)) >= 3 else None


def _leave_two_out(folds: Sequence[Split]) -> list[tuple[Split, ...]]:
    """For each fold, the splits of its training rows by the other folds.

    The rows without folds i and j are one array for both.
    """
    trains: dict[tuple[int, int], IndexArray] = {}
    for i, fold in enumerate(folds):
        for j in range(i + 1, len(folds)):
            trains[i, j] = fold.train[~np.isin(fold.train, folds[j].test, assume_unique=True)]
    return [
        tuple(
            Split(trains[min(i, j), max(i, j)], folds[j].test) for j in range(len(folds)) if j != i
        )
        for i in range(len(folds))
    ]


def make_plan(splits: Sequence[Split], nesting: Nesting | None = None) -> Plan:
    """List every distinct fit of a search, and of its nested folds, once.

    Parameters
    ----------
    splits : sequence of Split
        Splits of the search itself.
    nesting : Nesting, optional
        Outer folds with the splits inside them.

    Returns
    -------
    Plan
        Training rows count as the same only in the same order.
    """
    drafts = _Drafts()
    for number, split in enumerate(splits):
        drafts.add(split, Place("search", -1, number))
    if nesting is not None:
        for level, folds in (("inner", nesting.inner), ("within", nesting.within)):
            for k, inner in enumerate(folds):
                for number, split in enumerate(inner):
                    drafts.add(split, Place(level, k, number))
        for k, split in enumerate(nesting.outer):
            drafts.add_if_trained(split, Place("outer", k, 0))
    return Plan(drafts.units(), tuple(splits), nesting, drafts.where)


class _Drafts:
    """Units in the making, found again by their rows."""

    def __init__(self) -> None:
        self.where: dict[Place, tuple[int, int]] = {}
        self._number: dict[bytes, int] = {}
        self._trains: list[IndexArray] = []
        self._judged: list[dict[bytes, tuple[IndexArray, list[Place]]]] = []

    def add(self, split: Split, place: Place) -> None:
        key = _key(split.train)
        if key not in self._number:
            self._number[key] = len(self._trains)
            self._trains.append(split.train)
            self._judged.append({})
        self.add_if_trained(split, place)

    def add_if_trained(self, split: Split, place: Place) -> None:
        unit = self._number.get(_key(split.train))
        if unit is None:
            return
        judged = self._judged[unit]
        _, places = judged.setdefault(_key(split.test), (split.test, []))
        places.append(place)
        self.where[place] = (unit, list(judged).index(_key(split.test)))

    def units(self) -> tuple[Unit, ...]:
        return tuple(
            Unit(
                train,
                tuple(rows for rows, _ in judged.values()),
                tuple(tuple(places) for _, places in judged.values()),
            )
            for train, judged in zip(self._trains, self._judged, strict=True)
        )


def _key(rows: IndexArray) -> bytes:
    return blake2b(rows.astype(np.int64, copy=False).tobytes(), digest_size=16).digest()
