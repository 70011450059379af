"""Splits that show the noise, for scores of single rows: the rows are dealt into equal parts."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from skmaxev.correction._rows import usable_rows
from skmaxev.table import Design, Rows, ScoreTable, UncorrectableError

__all__ = ["with_parts"]

FloatArray = NDArray[np.float64]

_PARTS = 10
_NO_OVERLAP = float(np.finfo(float).eps)


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
