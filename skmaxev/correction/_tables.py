"""Score tables from predictions, from single rows, and with the metric on all rows together."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from skmaxev.metrics import rows_from_responses, scores_from_responses
from skmaxev.table import Design, Rows, ScoreTable, UncorrectableError, mean_scores

__all__ = [
    "by_cluster",
    "nested_pooled",
    "pooled_table",
    "table_of_items",
    "table_of_responses",
    "usable_rows",
    "with_parts",
]

FloatArray = NDArray[np.float64]

_PARTS = 10
_NO_OVERLAP = float(np.finfo(float).eps)
# How far scores may be from those of the predictions: both may come from files with few digits.
_SAME = 1e-3


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


def with_parts(table: ScoreTable) -> ScoreTable:
    """Return the table if its splits show noise; else one with splits made from its rows.

    A single split shows no noise. Splits of single rows, such as those of leave-one-out or the
    rows of a leaderboard, do, but one of them alone can choose no candidate and judge none.
    Every candidate keeps its mean score, and a note says what was done.
    """
    if table.used.size == 1:
        return table
    if table.n_splits == 1:
        return _of_one_split(table)
    return _of_single_rows(table) if _has_single_rows(table) else table


def _of_one_split(table: ScoreTable) -> ScoreTable:
    rows = usable_rows(table)
    if rows is None:
        raise UncorrectableError(
            "scores must be of at least two splits, or come with the scores of single rows; got 1 "
            "split. One split shows no noise: search with cv >= 2; items need two clusters or more."
        )
    scores, parts = _dealt(rows.means_over_repeats())
    fold = np.full_like(rows.test_fold, -1)
    fold[:, rows.judged] = parts
    whole = None if table.rows is None else replace(table.rows, test_fold=fold)
    groups = None if table.design is None else table.design.clusters
    # One model judges all parts, so that nothing in their training overlaps.
    design = Design(
        n_splits=len(scores),
        test_share=_NO_OVERLAP,
        n_rows=len(parts),
        clusters=groups,
        source="one split",
    )
    of = "rows of the one split"
    if table.source == "items":
        of = "items" if groups is None else "clusters of items"
    return _replaced(table, scores, whole, design, f"The {len(parts):,} {of} were")


def _has_single_rows(table: ScoreTable) -> bool:
    if table.n_splits < 2 * _PARTS:
        return False
    n_test = table.n_test
    if n_test is None and table.design is not None:
        n_test = table.design.n_test
    if n_test is not None:
        return bool((n_test == 1).all())
    # Rows of which each is right or wrong; of losses, which are read with a minus.
    return any(bool(np.isin(table.used_scores, pair).all()) for pair in ((0, 1), (-1, 0)))


def _of_single_rows(table: ScoreTable) -> ScoreTable:
    scores, parts = _dealt(table.used_scores)
    rows = table.rows
    if rows is None:
        rows = Rows.of_one_partition(parts, values=table.scores)
    else:
        rows = replace(rows, test_fold=np.where(rows.test_fold < 0, -1, parts[rows.test_fold]))
    partition = table.design is not None and table.design.n_folds == table.n_splits
    source = "leave-one-out" if partition else "single rows"
    design = replace(Design.assumed(len(scores)), n_rows=table.n_splits, source=source)
    subject = f"Each of the {table.n_splits:,} splits is one row; the rows were"
    return _replaced(table, scores, rows, design, subject)


def _replaced(
    table: ScoreTable, scores: FloatArray, rows: Rows | None, design: Design, subject: str
) -> ScoreTable:
    whole = np.full((len(scores), table.n_candidates), np.nan)
    whole[:, table.used] = scores
    note = f"{subject} dealt into {len(scores)} parts."
    return replace(
        table,
        scores=whole,
        design=design,
        n_test=None,
        n_train=None,
        rows=rows,
        notes=(*table.notes, note),
    )


def _dealt(values: FloatArray) -> tuple[FloatArray, NDArray[np.intp]]:
    """Average the rows in equal parts, (n_parts, n_candidates), and name the part of each row.

    The rows are dealt in turn, as they may be sorted by class. A row on a border belongs to both
    parts in proportion, so that the mean of the parts is that of the rows.
    """
    size = len(values)
    n_parts = min(_PARTS, size)
    order = np.argsort(np.arange(size) % n_parts, kind="stable")
    dealt = np.vstack([values[order], values[order[-1:]]])
    below = np.cumsum(dealt, axis=0) - dealt
    borders = np.arange(n_parts + 1) * (size / n_parts)
    whole = np.minimum(borders.astype(np.intp), size)
    sums = below[whole] + (borders - whole)[:, np.newaxis] * dealt[whole]
    parts = np.empty(size, dtype=np.intp)
    parts[order] = (np.arange(size) + 0.5) * n_parts // size
    means = np.diff(sums, axis=0) * (n_parts / size)
    return np.clip(means, values.min(axis=0), values.max(axis=0)), parts


def table_of_items(
    items: ArrayLike, clusters: ArrayLike | None, read: Callable[[Any], ScoreTable]
) -> ScoreTable:
    """Read results by item (n_candidates, n_items), such as of prompts; nothing was trained.

    ``read`` makes a ScoreTable of scores. Items with one label in ``clusters`` are judged as one.
    """
    if isinstance(items, Mapping):
        raise TypeError(
            "responses must be an array (n_candidates, n_items), a line a candidate; got a "
            f"{type(items).__name__}. Stack its values, as in np.array(list(responses.values()))."
        )
    values = np.asarray(items, dtype=np.float64)
    if values.ndim != 2 or not np.isfinite(values).all():
        raise ValueError(
            "responses without y_true are scores of items: finite, of shape (n_candidates, "
            f"n_items); got shape {values.shape}. Give y_true and test_fold with predictions."
        )
    columns = values.T
    if clusters is not None:
        columns = by_cluster(columns, _labels(clusters, len(columns)))
    table = read(columns.mean(axis=0, keepdims=True))
    sign = 1.0 if table.greater_is_better else -1.0
    rows = Rows.of_one_partition(np.zeros(len(columns)), values=sign * columns)
    # That each is a whole cluster forbids to count single items behind a share.
    groups = None if clusters is None else np.arange(len(columns))
    design = Design(n_splits=1, test_share=0.5, clusters=groups, source="told")
    return replace(table, rows=rows, design=design, source="items", notes=())


def table_of_responses(
    results: Any,
    read: Callable[[Any], ScoreTable],
    *,
    metric: str | None,
    y_true: ArrayLike | None,
    responses: ArrayLike,
    test_fold: ArrayLike | None,
    pos_label: Any,
    clusters: ArrayLike | None,
) -> ScoreTable:
    """Read scores together with the predictions behind them; parameters as of `correct`.

    ``read`` makes a ScoreTable of ``results``; without results the scores are computed.
    """
    if metric is None or y_true is None or test_fold is None:
        raise ValueError(
            "responses need metric, y_true and test_fold: what was judged, and which split judged "
            "each row. Give all of them, or leave y_true and test_fold out for scores of items."
        )
    fold = _numbered_on(test_fold)
    rows = rows_from_responses(metric, y_true, responses, fold, pos_label=pos_label)
    if rows is None:
        raise ValueError(
            f"responses say nothing of {metric!r} row by row, in this form. Give predictions as "
            "the metric's scorer takes them, the name of one of scikit-learn's scorers, or leave "
            "responses out."
        )
    scores = scores_from_responses(metric, y_true, responses, fold, pos_label=pos_label)
    if results is None:
        table = replace(read(scores), source="out-of-fold predictions")
    else:
        table = read(results)
    _check_size(table, rows)
    design = _design_of(rows.test_fold, clusters)
    notes = (*table.notes, *_about_scores(table, scores))
    return replace(table, rows=rows, design=design, n_test=design.n_test, notes=notes)


def _numbered_on(test_fold: ArrayLike) -> NDArray[Any]:
    """Number the splits of repeats one after the other, where each repeat begins anew."""
    fold = np.asarray(test_fold)
    if fold.ndim != 2 or len(fold) < 2:
        return fold
    labels = [np.unique(repeat[repeat >= 0]) for repeat in fold]
    if any(not np.array_equal(found, np.arange(len(found))) for found in labels):
        return fold
    first = np.cumsum([0, *(len(found) for found in labels[:-1])])
    return np.where(fold >= 0, fold + first[:, np.newaxis], fold)


def _check_size(table: ScoreTable, rows: Rows) -> None:
    found = (int(rows.test_fold.max()) + 1, len(rows.values))
    if found != table.scores.shape:
        raise ValueError(
            "responses must be those of the scores; test_fold and responses have "
            f"{found[0]} splits and {found[1]} candidates, the scores {table.n_splits} and "
            f"{table.n_candidates}. Give one line of responses a candidate."
        )


def _about_scores(table: ScoreTable, computed: NDArray[np.float64] | None) -> tuple[str, ...]:
    """Say where predictions do not give the scores: rounded ones, another order, another column."""
    if computed is None:
        return ()
    off = np.abs(computed - table.scores)[np.isfinite(table.scores)]
    n_off = int((off > _SAME * max(1.0, float(np.nanmax(np.abs(table.scores))))).sum())
    if not n_off:
        return ()
    return (
        f"The predictions give another score than the results in {n_off:,} of {off.size:,} pairs "
        f"of a split and a candidate, by {np.nanmax(off):.2g} at most. If that is more than "
        "rounding or ties, candidates, rows or classes are in another order.",
    )


def _design_of(test_fold: NDArray[np.intp], clusters: ArrayLike | None) -> Design:
    """Tell the design by which split judged each row; all other rows are taken for trained on."""
    n_test = np.bincount(test_fold[test_fold >= 0])
    n_rows = test_fold.shape[1]
    labels = None if clusters is None else _labels(clusters, n_rows)
    return Design(
        n_splits=len(n_test),
        n_repeats=len(test_fold) if len(n_test) % len(test_fold) == 0 else len(n_test),
        test_share=min(float(n_test.mean()) / n_rows, 0.5),
        n_rows=int((test_fold >= 0).any(axis=0).sum()),
        n_test=n_test,
        clusters=labels,
        source="indices",
    )


def _labels(clusters: ArrayLike, n_rows: int) -> NDArray[Any]:
    labels = np.asarray(clusters)
    if labels.shape != (n_rows,):
        raise ValueError(
            f"clusters must have one label a row, {n_rows} of them; got shape {labels.shape}."
        )
    return labels
