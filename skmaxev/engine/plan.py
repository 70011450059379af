"""Which fits a search needs, and which of them are one and the same.

A fit is a pair of candidate and training rows. Two folds of nested cross-validation that leave the
same rows out need the same model, so a plan lists every distinct set of training rows once,
with all the sets of rows that its models are judged on.

Nested into its own folds, a search trains a model without the folds i and j that serves both. With
K folds that is K (K - 1) / 2 sets of training rows, two million for leave-one-out on 2,000 rows:
none is held, each is made when its fits are made.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b

import numpy as np

from skmaxev.engine.types import IndexArray, Nesting, Pair, Place, Split, Unit

__all__ = ["Plan", "make_plan", "plan_later_fits", "share_folds"]


@dataclass(frozen=True, eq=False)
class Plan:
    """Every fit that a search needs, each once.

    Parameters
    ----------
    units : sequence of Unit
        Training sets on which every candidate is fitted; those of shared folds are made when asked
        for.
    splits : tuple of Split
        Splits of the search itself.
    nesting : Nesting or None
        Outer folds, where there are any.
    where : mapping
        For each place the number of its unit, and of the judged set in the unit.
    n_judged : ndarray of shape (n_units,)
        Number of judged sets of each unit.
    """

    units: Sequence[Unit]
    splits: tuple[Split, ...]
    nesting: Nesting | None
    where: Mapping[Place, tuple[int, int]] = field(repr=False)
    n_judged: IndexArray = field(repr=False)

    @property
    def outer_refits(self) -> tuple[int, ...]:
        """Outer folds whose training rows no unit has: their winner is fitted in a second step."""
        n_outer = len(self.nesting.outer) if self.nesting else 0
        return tuple(k for k in range(n_outer) if Place("outer", k, 0) not in self.where)

    def pairs(self, n_candidates: int) -> list[Pair]:
        """List every fit, those of one unit together: the units of the search come first."""
        return [(unit, number) for unit in range(len(self.units)) for number in range(n_candidates)]

    def n_fits(self, n_candidates: int, *, refit: bool) -> int:
        """Count the model fits, with the winner's fit on all rows if ``refit``."""
        return n_candidates * len(self.units) + len(self.outer_refits) + int(refit)


def make_plan(splits: Sequence[Split], nesting: Nesting | None = None) -> Plan:
    """List every distinct fit of a search, and of its nested folds, once.

    Training rows count as the same only in the same order.
    """
    folds = None if nesting is None or nesting.within else nesting.inner
    if isinstance(folds, OtherFolds) and not folds.repeats:
        shared = SharedUnits(folds)
        return Plan(shared, tuple(splits), nesting, SharedPlaces(folds, shared), shared.n_judged)
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
    units = drafts.units()
    n_judged = np.array([len(unit.judged) for unit in units], dtype=np.intp)
    return Plan(units, tuple(splits), nesting, drafts.where, n_judged)


def plan_later_fits(splits: Mapping[Place, Split]) -> Plan:
    """Plan fits that are known only after the search, one unit for each split."""
    return Plan(
        units=tuple(Unit(train, (test,), ((place,),)) for place, (train, test) in splits.items()),
        splits=(),
        nesting=None,
        where={place: (number, 0) for number, place in enumerate(splits)},
        n_judged=np.ones(len(splits), dtype=np.intp),
    )


class _Drafts:
    """Units in the making, found again by their rows."""

    def __init__(self) -> None:
        self.where: dict[Place, tuple[int, int]] = {}
        self._number: dict[bytes, int] = {}
        self._trains: list[IndexArray] = []
        self._judged: list[dict[bytes, tuple[IndexArray, list[Place]]]] = []

    def add(self, split: Split, place: Place) -> None:
        key = rows_key(split.train)
        if key not in self._number:
            self._number[key] = len(self._trains)
            self._trains.append(split.train)
            self._judged.append({})
        self.add_if_trained(split, place)

    def add_if_trained(self, split: Split, place: Place) -> None:
        unit = self._number.get(rows_key(split.train))
        if unit is None:
            return
        judged = self._judged[unit]
        _, places = judged.setdefault(rows_key(split.test), (split.test, []))
        places.append(place)
        self.where[place] = (unit, list(judged).index(rows_key(split.test)))

    def units(self) -> tuple[Unit, ...]:
        return tuple(
            Unit(
                train,
                tuple(rows for rows, _ in judged.values()),
                tuple(tuple(places) for _, places in judged.values()),
            )
            for train, judged in zip(self._trains, self._judged, strict=True)
        )


def rows_key(rows: IndexArray) -> bytes:
    """Digest rows in their order."""
    return blake2b(rows.astype(np.int64, copy=False).tobytes(), digest_size=16).digest()


def share_folds(splits: Sequence[Split]) -> Nesting | None:
    """Nest a search into its own folds: the inner folds of fold k are the other folds.

    Needs folds that are a partition, found from the row numbers and not from the splitter's class:
    no row is judged twice, and each fold trains on all rows that it does not judge, in
    their order in the data (a model may depend on the order of its rows). Rows that are never
    judged always train. Repeated folds are nested within each repeat.

    Gives None if the splits are no such folds, or fewer than three.
    """
    blocks = _partitions(splits)
    if blocks is None:
        return None
    return Nesting(outer=tuple(splits), inner=OtherFolds(splits, blocks), shared=True)


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


class OtherFolds(Sequence[Sequence[Split]]):
    """For each fold, the splits of its training rows by the other folds of its block.

    ``blocks`` are the numbers of the folds of each repeat, which follow each other.
    """

    def __init__(self, splits: Sequence[Split], blocks: Sequence[Sequence[int]]) -> None:
        self.splits = splits
        self.starts = np.cumsum([0, *map(len, blocks)])

    def __len__(self) -> int:
        return len(self.splits)

    def __getitem__(self, fold: int) -> _Others:  # type: ignore[override]  # no slices
        return _Others(self, range(len(self))[fold])

    def block(self, fold: int) -> tuple[int, int]:
        """Give the first fold of a fold's block, and the first one after it."""
        number = int(np.searchsorted(self.starts, fold, side="right"))
        return int(self.starts[number - 1]), int(self.starts[number])

    def without(self, fold: int, other: int) -> IndexArray:
        """Give the rows of the block but those of two folds."""
        train = self.splits[fold].train
        return train[~np.isin(train, self.splits[other].test, assume_unique=True)]

    @property
    def repeats(self) -> bool:
        """Whether some fold is there twice, so that its models would be fitted twice."""
        return len({rows_key(split.train) for split in self.splits}) < len(self.splits)


class _Others(Sequence[Split]):
    """The splits inside one fold."""

    def __init__(self, folds: OtherFolds, fold: int) -> None:
        self._folds, self._fold = folds, fold
        self._start, self._stop = folds.block(fold)

    def __len__(self) -> int:
        return self._stop - self._start - 1

    def __getitem__(self, number: int) -> Split:  # type: ignore[override]  # no slices
        other = self._start + range(len(self))[number]
        other += other >= self._fold
        test = self._folds.splits[other].test
        return Split(self._folds.without(*sorted((self._fold, other))), test)


class SharedUnits(Sequence[Unit]):
    """The units of a search with shared folds: its folds, then each pair of folds of a block."""

    def __init__(self, folds: OtherFolds) -> None:
        self._folds = folds
        sizes = np.diff(folds.starts)
        # pairs are counted by their first fold: pairs (i, j > i) begin at number _first[i]
        later = np.concatenate([np.arange(size)[::-1] for size in sizes])
        self._first = len(folds) + np.cumsum([0, *later])

    def __len__(self) -> int:
        return int(self._first[-1])

    def __getitem__(self, number: int) -> Unit:  # type: ignore[override]  # no slices
        number = range(len(self))[number]
        if number < len(self._folds):
            train, test = self._folds.splits[number]
            both = Place("search", -1, number), Place("outer", number, 0)
            return Unit(train, (test,), (both,))
        i = int(np.searchsorted(self._first, number, side="right")) - 1
        j = i + 1 + number - int(self._first[i])
        start, _ = self._folds.block(i)
        return Unit(
            self._folds.without(i, j),
            (self._folds.splits[j].test, self._folds.splits[i].test),
            ((Place("inner", i, j - start - 1),), (Place("inner", j, i - start),)),
        )

    @property
    def n_judged(self) -> IndexArray:
        """Number of judged sets of each unit."""
        return np.where(np.arange(len(self)) < len(self._folds), 1, 2).astype(np.intp)

    def find(self, place: Place) -> tuple[int, int]:
        """Give the unit of a place, and the number of its judged set in the unit."""
        level, outer, split = place
        if level != "inner":
            return (split, 0) if level == "search" else (outer, 0)
        start, _ = self._folds.block(outer)
        other = start + split + (start + split >= outer)
        i, j = sorted((outer, other))
        return int(self._first[i]) + j - i - 1, int(outer == j)


class SharedPlaces(Mapping[Place, tuple[int, int]]):
    """For each place the number of its unit, and of the judged set in the unit."""

    def __init__(self, folds: OtherFolds, units: SharedUnits) -> None:
        self._folds, self._units = folds, units

    def __getitem__(self, place: Place) -> tuple[int, int]:
        return self._units.find(place)

    def __iter__(self) -> Iterator[Place]:
        for k, inner in enumerate(self._folds):
            yield Place("search", -1, k)
            yield Place("outer", k, 0)
            yield from (Place("inner", k, number) for number in range(len(inner)))

    def __len__(self) -> int:
        return sum(2 + len(inner) for inner in self._folds)
