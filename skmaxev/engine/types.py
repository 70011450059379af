"""What the parts of the engine hand to each other: plain values, nothing that acts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "Fit",
    "IndexArray",
    "Job",
    "Judgement",
    "Nesting",
    "Pair",
    "Place",
    "Prefix",
    "Scores",
    "Split",
    "Submodel",
    "Task",
    "Unit",
]

IndexArray = NDArray[np.intp]
Scores = float | dict[str, float]
Pair = tuple[int, int]
"""Number of a unit and of a candidate: one fit."""
Prefix = tuple[int, ...]
"""Labels of a candidate's first steps; one label is one step, after the same steps."""


class Split(NamedTuple):
    """Rows to train on and rows to judge on, as positions in the whole data."""

    train: IndexArray
    test: IndexArray


class Place(NamedTuple):
    """Where a score belongs.

    ``level`` is the search itself, a split inside an outer fold's training rows, the outer fold, a
    split inside an outer fold's judged rows, or a split of a fresh partition.
    """

    level: str  # "search", "inner", "outer", "within" or "fresh"
    outer: int  # the outer fold or the fresh partition; -1 for the search itself
    split: int  # number of the split at its level; 0 for an outer fold


@dataclass(frozen=True, eq=False)
class Unit:
    """One set of training rows, and every set of rows that its models are judged on."""

    train: IndexArray  # in the order in which the model gets them
    judged: tuple[IndexArray, ...]  # no two of them are the same
    places: tuple[tuple[Place, ...], ...]  # what each set is judged for

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


class Judgement(NamedTuple):
    """What a fitted model was worth on one set of rows."""

    scores: Scores  # `error_score` where a scorer failed
    failures: dict[str, str]  # traceback of each metric that failed; key "score" for a single one
    n_rows: int
    seconds: float  # of scoring
    response: NDArray[Any] | None = None  # prediction for each row, where it is kept


class Fit(NamedTuple):
    """A finished fit: what the store keeps, and what the scores are gathered from."""

    unit: int
    candidate: int
    seconds: float
    error: str | None  # traceback if `fit` failed; `judged` is then empty
    judged: tuple[Judgement, ...] = ()  # one for each set of rows in `Unit.judged`
    train: Judgement | None = None  # on the training rows, where it was asked for
    n_reused: int = 0  # pipeline steps that another candidate had fitted already
    restored: bool = False  # out of a checkpoint
    derived: bool = False  # cut out of another candidate's model


class Submodel(NamedTuple):
    """A candidate that can be derived from the fit of another one.

    Those of one ``group`` differ in one parameter alone; ``value`` is the candidate's own.
    """

    group: int
    axis: Any
    value: Any


class Task(NamedTuple):
    """Some candidates to fit on one unit, in one call of a worker."""

    number: int  # of the unit in the plan
    unit: Unit
    candidates: tuple[tuple[int, Mapping[str, Any]], ...]  # number and settings
    # for a candidate one callback context for each split of the search that it serves
    contexts: Mapping[int, Sequence[Any]]
    prefixes: tuple[Prefix, ...]
    submodels: tuple[Submodel | None, ...]  # the first of each group is fitted


@dataclass(frozen=True, eq=False, kw_only=True)
class Job:
    """What all fits of a search have in common.

    Parameters
    ----------
    estimator : estimator
        Unfitted; every fit gets a clone of its own.
    scorer : callable
        As made by scikit-learn; gives a number, or a dict of numbers.
    fit_params, score_params : mapping
        Parameters for ``fit`` and for the scorer, for all rows of the data.
    error_score : float or "raise"
        Score of a fit that fails.
    forgiving_scorer : callable, optional
        Scores the fits of nested folds, whose errors then give NaN even where ``error_score`` is
        "raise". None treats all fits alike.
    train_scores : {"none", "search", "all"}
        Which fits are judged on their training rows too: none, those of the search itself, or
        those of nested folds as well.
    verbose : int
        As in ``GridSearchCV``.
    n_splits, n_candidates : int
        Size of the search itself, for the lines that ``verbose`` prints.
    keep : str
        Kind of predictions that are kept where the search judges; empty keeps none.
    caller : object
        The search, for callbacks.
    """

    estimator: Any
    scorer: Any
    fit_params: Mapping[str, Any] = field(default_factory=dict)
    score_params: Mapping[str, Any] = field(default_factory=dict)
    error_score: float | str = "raise"
    forgiving_scorer: Any = None
    train_scores: str = "none"
    verbose: int = 0
    n_splits: int = 0
    n_candidates: int = 0
    keep: str = ""
    caller: Any = None

    def __sizeof__(self) -> int:
        """Count the parameters for rows: by size, dask sends an object once or with every task."""
        values = (*self.fit_params.values(), *self.score_params.values())
        return object.__sizeof__(self) + sum(getattr(value, "nbytes", 0) for value in values)
