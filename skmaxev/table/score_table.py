"""What a finished search leaves behind: the score of every candidate on every split."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skmaxev.table.design import Design
from skmaxev.table.rows import Rows

__all__ = ["OuterFolds", "ScoreTable", "UncorrectableError", "mean_scores"]

FloatArray = NDArray[np.float64]


class UncorrectableError(ValueError):
    """What a search left allows no honest number; the message says why, and what would."""


@dataclass(frozen=True, eq=False, kw_only=True)
class OuterFolds:
    """What nested cross-validation adds to a search: every outer fold's winner, judged.

    Parameters
    ----------
    scores : ndarray of shape (n_outer,)
        Score of each outer fold's winner on rows that had no part in choosing it.
    best_index : ndarray of shape (n_outer,)
        Candidate that won inside each outer fold.
    n_train, n_test : ndarray of shape (n_outer,)
        Rows trained on and judged on.
    inner : ndarray of shape (n_outer, n_inner, n_candidates), optional
        Inner scores; NaN where a fold has no such inner split.
    shared : bool
        Whether the outer folds are those of the search itself.
    params : tuple of mappings, optional
        Settings of each fold's winner, where a fold had candidates of its own; ``best_index`` is
        then -1.
    """

    scores: FloatArray
    best_index: NDArray[np.intp]
    n_train: NDArray[np.intp]
    n_test: NDArray[np.intp]
    inner: FloatArray | None = None
    shared: bool = False
    params: tuple[Mapping[str, Any], ...] | None = None


@dataclass(frozen=True, eq=False, kw_only=True)
class ScoreTable:
    """Scores of a finished search, always 'higher is better'.

    Parameters
    ----------
    scores : ndarray of shape (n_splits, n_candidates)
        Mean score on the rows of each split. NaN where a candidate has none.
    best_index : int
        The search's own winner; a column of ``scores``.
    metric : str
        Name of the metric behind the scores.
    greater_is_better : bool
        False if the source held losses; ``scores`` is then their negation.
    params : tuple of mappings, optional
        Settings of each candidate.
    n_train, n_test : ndarray of shape (n_splits,), optional
        Rows behind each split.
    design : Design, optional
        How the splits came about; folds of one partition are assumed if omitted.
    support : tuple of two floats
        Range of the metric; infinite where it has no bound.
    rows : Rows, optional
        Row-level results, where they were kept.
    outer : OuterFolds, optional
        Results of nested cross-validation, where it was made.
    fresh : ndarray of shape (n_fresh, n_candidates), optional
        Mean score on each fresh partition of the rows, where candidates were judged again, and NaN
        where one was not. ``best_index`` is then the one that they find the best.
    low_variance : float, optional
        Low-variance estimate from fits inside the folds, in place of that from the scores.
    left_out : mapping of int to str
        Candidates that take no part, each with the reason.
    searches : ndarray of shape (n_candidates,), optional
        Name of the search that tried each candidate, where several were put together.
    n_fits : int, optional
        Model fits that were made for this table, where that is known.
    source : str
        What the table was read from, in words.
    notes : tuple of str
        What a reader of the report should know about how the table was read.
    """

    scores: FloatArray
    best_index: int
    metric: str = "score"
    greater_is_better: bool = True
    params: tuple[Mapping[str, Any], ...] | None = None
    n_train: NDArray[np.intp] | None = None
    n_test: NDArray[np.intp] | None = None
    design: Design | None = None
    support: tuple[float, float] = (-np.inf, np.inf)
    rows: Rows | None = None
    outer: OuterFolds | None = None
    fresh: FloatArray | None = None
    low_variance: float | None = None
    left_out: Mapping[int, str] = field(default_factory=dict)
    searches: NDArray[Any] | None = None
    n_fits: int | None = None
    source: str = "score table"
    notes: tuple[str, ...] = ()

    @property
    def n_splits(self) -> int:
        """Number of splits behind every score."""
        return int(self.scores.shape[0])

    @property
    def n_candidates(self) -> int:
        """Number of candidates, those left out included."""
        return int(self.scores.shape[1])

    @cached_property
    def used(self) -> NDArray[np.intp]:
        """Columns of the candidates that take part, in order."""
        keep = np.ones(self.n_candidates, dtype=bool)
        keep[list(self.left_out)] = False
        return np.flatnonzero(keep)

    @cached_property
    def used_scores(self) -> FloatArray:
        """Scores of the candidates that take part, of shape (n_splits, n_used)."""
        return self.scores[:, self.used]

    @cached_property
    def used_best_index(self) -> int:
        """Column of the winner in ``used_scores``."""
        return int(np.searchsorted(self.used, self.best_index))


def mean_scores(scores: FloatArray) -> FloatArray:
    """Average over splits, (n_splits, n_candidates) to (n_candidates,), in scikit-learn's order.

    The order of summation decides ties, so the winner is that of the search to the last bit.
    """
    return np.ascontiguousarray(scores.T).mean(axis=1)
