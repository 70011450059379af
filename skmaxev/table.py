"""What a finished search leaves behind, as plain numbers: scores, their design, single rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["Design", "OuterFolds", "Rows", "ScoreTable", "UncorrectableError", "mean_scores"]

FloatArray = NDArray[np.float64]
IndexArray = NDArray[np.intp]


class UncorrectableError(ValueError):
    """What a search left allows no honest number; the message says why, and what would."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Design:
    """How the splits of a score table share the rows.

    Repeated and shuffled splits judge the same rows again and again, so that the noise of the rows
    does not shrink with their number.

    Parameters
    ----------
    n_splits : int
        Splits in all, partition after partition.
    n_repeats : int
        Partitions of the rows. The splits of one partition share no test row; a shuffled split is
        a partition of one split.
    test_share : float
        ``n_test / (n_train + n_test)`` of a split: the correlation between the scores of two
        splits in [1]_.
    n_rows : int, optional
        Rows that were judged at least once, where known.
    n_test : ndarray of shape (n_splits,), optional
        Test rows of each split, where known.
    clusters : ndarray of shape (n_all_rows,), optional
        Label of each row; rows with one label belong together, such as those of a patient.
    source : str
        How this is known: "indices", "splitter", "labels", "told" or "assumed"; "leave-one-out",
        "single rows" or "one split" for parts into which the rows of such splits were dealt.

    References
    ----------
    .. [1] C. Nadeau and Y. Bengio (2003). Inference for the generalization error. Machine Learning
       52, section 3.
    """

    n_splits: int
    n_repeats: int = 1
    test_share: float
    n_rows: int | None = None
    n_test: IndexArray | None = None
    clusters: NDArray[Any] | None = None
    source: str = "told"

    def __post_init__(self) -> None:
        if not (self.n_repeats >= 1 and self.n_splits % self.n_repeats == 0):
            raise ValueError(
                f"n_repeats must divide the number of splits; got {self.n_repeats} repeats of "
                f"{self.n_splits} splits. Count partitions; a shuffled split is one."
            )
        if not 0.0 < self.test_share < 1.0:
            raise ValueError(
                f"test_share must be between 0 and 1; got {self.test_share}. Give "
                "n_test / (n_train + n_test)."
            )

    @property
    def n_folds(self) -> int:
        """Splits of one partition."""
        return self.n_splits // self.n_repeats

    @classmethod
    def assumed(cls, n_splits: int) -> Self:
        """Take the splits for the folds of one partition, where nothing is known of them."""
        return cls(n_splits=n_splits, test_share=1.0 / max(n_splits, 2), source="assumed")

    @classmethod
    def from_splits(
        cls,
        splits: Sequence[tuple[ArrayLike, ArrayLike]],
        *,
        clusters: ArrayLike | None = None,
        source: str = "indices",
    ) -> Self:
        """Read the design off the row numbers of the splits.

        Parameters
        ----------
        splits : sequence of (train, test)
            Row numbers of every split.
        clusters : array-like of shape (n_all_rows,), optional
            Labels of rows that belong together.
        source : str
            As in the class.

        Examples
        --------
        >>> from sklearn.model_selection import RepeatedKFold
        >>> splits = RepeatedKFold(n_splits=5, n_repeats=3).split(range(20))
        >>> design = Design.from_splits(list(splits))
        >>> design.n_repeats, design.n_folds, design.test_share, design.n_rows
        (3, 5, 0.2, 20)
        """
        tests = [np.asarray(test, dtype=np.intp) for _, test in splits]
        n_train = float(np.mean([len(np.asarray(train)) for train, _ in splits]))
        n_test = np.array([len(test) for test in tests], dtype=np.intp)
        return cls(
            n_splits=len(tests),
            n_repeats=_count_partitions(tests),
            test_share=float(n_test.mean() / (n_train + n_test.mean())),
            n_rows=int(np.unique(np.concatenate(tests)).size),
            n_test=n_test,
            clusters=None if clusters is None else np.asarray(clusters),
            source=source,
        )


def _count_partitions(tests: Sequence[IndexArray]) -> int:
    """Count equally long runs of disjoint test sets that judge the same rows."""
    runs: list[tuple[int, set[int]]] = []
    for test in tests:
        rows = set(test.tolist())
        if runs and not runs[-1][1] & rows:
            runs[-1] = (runs[-1][0] + 1, runs[-1][1] | rows)
        else:
            runs.append((1, rows))
    regular = all(run == runs[0] for run in runs)
    return len(runs) if regular else len(tests)


@dataclass(frozen=True, eq=False, kw_only=True)
class Rows:
    """What each row adds to the scores of every candidate.

    Parameters
    ----------
    values : ndarray of shape (n_candidates, n_repeats, n_rows)
        Influence values, higher is better: the row's own score where the metric is a mean over
        rows; otherwise their mean is the metric, and their variance over their number its own. NaN
        where a row was not judged. A candidate without results is NaN throughout.
    test_fold : ndarray of shape (n_repeats, n_rows)
        Split of the score table that judged the row; -1 for none.
    pooled : ndarray of shape (n_candidates,), optional
        The metric on all out-of-fold rows together, where it is one to pool.
    responses : ndarray of shape (n_candidates, n_repeats, n_rows[, n_classes]), optional
        Out-of-fold predictions behind the values.
    y_true : ndarray of shape (n_rows,), optional
        Target of each row.
    """

    values: NDArray[np.floating[Any]]
    test_fold: NDArray[np.intp]
    pooled: NDArray[np.floating[Any]] | None = None
    responses: NDArray[Any] | None = None
    y_true: NDArray[Any] | None = None

    @classmethod
    def of_one_partition(
        cls,
        test_fold: ArrayLike,
        *,
        values: ArrayLike,
        y_true: ArrayLike | None = None,
    ) -> Self:
        """Make Rows from one column a candidate, where every row was judged once at most.

        Parameters
        ----------
        test_fold : array-like of shape (n_rows,)
            Split that judged the row; -1 for none.
        values : array-like of shape (n_rows, n_candidates)
            Influence values.
        y_true : array-like of shape (n_rows,), optional
            Target of each row.
        """
        fold = np.asarray(test_fold, dtype=np.intp)
        return cls(
            values=np.where(fold >= 0, np.asarray(values).T, np.nan)[:, np.newaxis],
            test_fold=fold[np.newaxis],
            y_true=None if y_true is None else np.asarray(y_true),
        )

    @property
    def n_repeats(self) -> int:
        """Partitions of the rows."""
        return int(self.test_fold.shape[0])

    @cached_property
    def judged(self) -> NDArray[np.intp]:
        """Rows that were judged at least once, in order."""
        return np.flatnonzero((self.test_fold >= 0).any(axis=0))

    @cached_property
    def complete(self) -> NDArray[np.bool_]:
        """Whether a candidate has a value wherever a row was judged, (n_candidates,)."""
        found = np.isfinite(self.values) | (self.test_fold < 0)
        return np.asarray(found.all(axis=(1, 2)))

    def take(self, candidates: ArrayLike) -> Self:
        """Return the rows of some candidates."""
        some = np.asarray(candidates, dtype=np.intp)
        return replace(
            self,
            values=self.values[some],
            pooled=None if self.pooled is None else self.pooled[some],
            responses=None if self.responses is None else self.responses[some],
        )

    def means_over_repeats(self) -> NDArray[np.float64]:
        """Average the values over the times that a row was judged, (n_judged, n_candidates).

        A row that is judged again and again is still one row: the variance between these means is
        that of the rows.
        """
        is_judged = self.test_fold >= 0
        means = self.values.sum(axis=1, where=is_judged, dtype=float)  # the one large copy
        means /= np.maximum(is_judged.sum(axis=0), 1)
        return np.ascontiguousarray(means.T[self.judged])

    def means_over_splits(self, n_splits: int) -> NDArray[np.float64]:
        """Average the values over the rows of each split, (n_splits, n_candidates)."""
        means = np.full((n_splits, len(self.values)), np.nan)
        for split in range(n_splits):
            repeats, rows = np.nonzero(self.test_fold == split)
            if rows.size:
                means[split] = self.values[:, repeats, rows].mean(axis=1)
        return means


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
