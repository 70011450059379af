"""From out-of-fold predictions that people kept to a score table with the results of rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from skmaxev.correction._rows import by_cluster
from skmaxev.metrics import rows_from_responses, scores_from_responses
from skmaxev.table import Design, Rows, ScoreTable

__all__ = ["table_of_items", "table_of_responses"]

_SAME = 1e-3
"""How far scores may be from those of the predictions: both may come from files with few digits."""


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
