"""What the out-of-fold results of single rows add to a score table."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skmaxev.metrics import rows_from_responses
from skmaxev.table import Rows, ScoreTable, mean_scores

__all__ = ["by_cluster", "nested_pooled", "pooled_table", "usable_rows"]

FloatArray = NDArray[np.float64]


def usable_rows(table: ScoreTable) -> Rows | None:
    """Return the rows of the candidates that take part, in order; None unless all have all."""
    rows = table.rows
    if rows is None or rows.judged.size < 2:
        return None
    if table.used.size < table.n_candidates:
        rows = rows.take(table.used)
    return rows if rows.complete.all() else None


def pooled_table(table: ScoreTable, rows: Rows) -> ScoreTable:
    """Return the table whose means are the metric on all rows together.

    A ratio such as R2 or F1 errs on small folds, whichever candidate is judged. The influence
    values of the rows, averaged over each fold, show how the folds differ; their mean over all
    folds is moved to the pooled score.
    """
    if rows.pooled is None:
        return table
    parts = rows.means_over_splits(table.n_splits)
    scores = table.scores.copy()
    scores[:, table.used] = parts + (rows.pooled - mean_scores(parts))
    return replace(table, scores=scores)


def nested_pooled(table: ScoreTable) -> float | None:
    """Judge the outer folds' winners on all rows together; None where that cannot be done."""
    outer, rows = table.outer, table.rows
    if outer is None or not outer.shared or rows is None or rows.pooled is None:
        return None
    if rows.responses is None or rows.y_true is None or (outer.best_index < 0).any():
        return None
    answers = [
        rows.responses[outer.best_index[fold], repeat, np.arange(len(fold))]
        for repeat, fold in enumerate(rows.test_fold)
    ]
    answered = np.array(answers)[np.newaxis]
    judged = rows_from_responses(table.metric, rows.y_true, answered, rows.test_fold)
    return None if judged is None or judged.pooled is None else float(judged.pooled[0])


def by_cluster(values: FloatArray, labels: NDArray[Any]) -> FloatArray:
    """Gather the values of rows that belong together, (n_rows, ...) to (n_clusters, ...).

    The deviations of a cluster's rows are summed, so that the variance of the result over the
    number of clusters is that of the mean; the mean stays.
    """
    clusters, codes = np.unique(labels, return_inverse=True)
    mean = values.mean(axis=0)
    sums = np.zeros((len(clusters), *values.shape[1:]))
    np.add.at(sums, codes, values - mean)
    return np.asarray(mean + sums * (len(clusters) / len(values)))
