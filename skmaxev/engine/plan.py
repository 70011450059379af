"""Which fits a search needs, and which of them are one and the same.

A fit is a pair of candidate and training rows. Two folds of nested cross-validation that leave the
same rows out need the same model, so a plan lists every distinct set of training rows once,
with all the sets of rows that its models are judged on.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from skmaxev.engine.folds import as_splits, rows_key
from skmaxev.engine.shared import OtherFolds, SharedPlaces, SharedUnits, share_folds
from skmaxev.engine.types import IndexArray, Nesting, Place, Split, Unit

__all__ = [
    "Nesting",
    "Place",
    "Plan",
    "Split",
    "Unit",
    "as_splits",
    "make_plan",
    "plan_later_fits",
    "share_folds",
]


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

    def n_fits(self, n_candidates: int, *, refit: bool) -> int:
        """Count the model fits, with the winner's fit on all rows if ``refit``."""
        return n_candidates * len(self.units) + len(self.outer_refits) + int(refit)


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
    folds = None if nesting is None or nesting.within else nesting.inner
    if isinstance(folds, OtherFolds) and not folds.repeats:
        shared = SharedUnits(folds)
        where = SharedPlaces(folds, shared)
        return Plan(shared, tuple(splits), nesting, where, shared.n_judged)
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
