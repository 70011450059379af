"""What the out-of-fold results of single rows add to a score table."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from skmaxev.estimators.influence import accuracy_excess, auc_influences
from skmaxev.table import RowScores, ScoreTable

__all__ = ["JudgedRows", "judged_rows"]

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, eq=False, kw_only=True)
class JudgedRows:
    """Rows that a split judged, by candidates that take part and kept all of them.

    Parameters
    ----------
    splits : ndarray of shape (n_rows,)
        Split that judged each row.
    columns : ndarray of shape (n_kept,)
        Columns of ``table.used_scores``.
    values : ndarray of shape (n_rows, n_kept), optional
        Score of each row, where the metric is a mean over rows.
    responses : ndarray of shape (n_rows, n_kept), optional
        Out-of-fold responses, where the metric is the area under the ROC curve.
    positive : ndarray of shape (n_rows,), optional
        Class of each row, where there are two; goes with ``responses``, or with ``values`` that
        say whether a prediction is right.
    complete : bool
        Whether all candidates that take part are here.
    """

    splits: NDArray[np.intp]
    columns: NDArray[np.intp]
    values: FloatArray | None = None
    responses: FloatArray | None = None
    positive: NDArray[np.bool_] | None = None
    complete: bool

    @cached_property
    def contributions(self) -> FloatArray | None:
        """What each row adds to the metric, (n_rows, n_kept), where that can be said."""
        if self.values is not None or self.responses is None or self.positive is None:
            return self.values
        return auc_influences(self.responses, self.positive, row_splits=self.splits)

    @cached_property
    def excess(self) -> FloatArray | None:
        """The part of the contributions beyond chance, (n_rows, n_kept), where chance is known."""
        if self.contributions is None or self.positive is None:
            return None
        if self.values is not None:
            return accuracy_excess(self.values, self.positive)
        return self.contributions - 0.5


def judged_rows(table: ScoreTable) -> JudgedRows | None:
    """Return the rows of a table that serve its metric, or None if it has none.

    Parameters
    ----------
    table : ScoreTable
        With ``rows``: their ``values``, or for 'roc_auc' their ``responses`` and ``y``.
    """
    rows = table.rows
    if rows is None:
        return None
    judged = np.flatnonzero(rows.fold >= 0)
    if rows.values is not None:
        return _restricted(table, rows, judged, _classes_of_right(table, rows, judged))
    if rows.responses is None or rows.y is None or table.metric != "roc_auc":
        return None
    positive = rows.y[judged] == np.unique(rows.y)[-1]
    if not 1 < positive.sum() < len(positive) - 1:
        return None
    return _restricted(table, rows, judged, positive)


def _classes_of_right(
    table: ScoreTable, rows: RowScores, judged: NDArray[np.intp]
) -> NDArray[np.bool_] | None:
    """Return which rows are of the second of two classes, if the values say what is right."""
    if table.metric != "accuracy" or rows.y is None or rows.values is None or rows.y.ndim != 1:
        return None
    labels = np.unique(rows.y[judged])
    values = rows.values[judged]
    if len(labels) != 2 or not np.isin(values[np.isfinite(values)], (0.0, 1.0)).all():
        return None
    return np.asarray(rows.y[judged] == labels[1])


def _restricted(
    table: ScoreTable,
    rows: RowScores,
    judged: NDArray[np.intp],
    positive: NDArray[np.bool_] | None,
) -> JudgedRows | None:
    numbers = rows.responses if rows.values is None else rows.values
    if numbers is None:
        return None
    usable = np.isin(rows.candidates, table.used) & np.isfinite(numbers[judged]).all(axis=0)
    kept = np.flatnonzero(usable)
    candidates = rows.candidates[kept]
    if table.best_index not in candidates or len(judged) < 2:
        return None
    chosen = numbers[np.ix_(judged, kept)]
    return JudgedRows(
        splits=rows.fold[judged],
        columns=np.searchsorted(table.used, candidates),
        values=None if rows.values is None else chosen,
        responses=chosen if rows.values is None else None,
        positive=positive,
        complete=np.array_equal(candidates, table.used),
    )
