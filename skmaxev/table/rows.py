"""The results of single rows, one class for all metrics and designs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["Rows"]

FloatArray = NDArray[np.floating[Any]]


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

    values: FloatArray
    test_fold: NDArray[np.intp]
    pooled: FloatArray | None = None
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
