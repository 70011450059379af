"""Readers of arrays and of objects that carry them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from skmaxev.metrics import rows_from_responses
from skmaxev.readers.build import build_table, numbers
from skmaxev.table import Rows, ScoreTable

__all__ = ["from_array", "from_object"]

_USUAL_FOLDS = (5, 10)  # as many candidates may well be folds
_MANY_ROWS = 10  # fewer are splits that were all right or all wrong


def from_array(
    scores: ArrayLike,
    *,
    metric: str | None = None,
    greater_is_better: bool | None = None,
    error_score: float | None = None,
    candidates_in: str | None = None,
) -> ScoreTable:
    """Read an array of shape (n_splits, n_candidates), or a list of separate arrays, a model each.

    A leaderboard with its rows is one row a case, 1.0 where a submission is right and 0.0 where it
    is wrong. ``candidates_in`` settles a doubt about the orientation.
    """
    if candidates_in not in (None, "rows", "columns"):
        raise ValueError(f"candidates_in must be 'rows' or 'columns'; got {candidates_in!r}.")
    separate = isinstance(scores, list | tuple) and all(
        isinstance(one, np.ndarray) and one.ndim == 1 and one.dtype.names is None for one in scores
    )
    table = numbers(scores, "scores")
    if candidates_in == "rows" or (separate and candidates_in is None):
        table = table.T
    told = separate or candidates_in is not None
    return build_table(
        table,
        metric=metric or "score",
        greater_is_better=greater_is_better,
        error_score=error_score,
        source="array",
        notes=() if told else _doubts(table),
    )


def _doubts(scores: NDArray[np.float64]) -> tuple[str, ...]:
    """Ask whether a table lies on its side: an array has no names to tell."""
    n_rows, n_candidates = scores.shape
    if np.isin(scores, (0.0, 1.0)).all():  # right and wrong
        doubtful, what = n_candidates > n_rows >= _MANY_ROWS, "rows judged"
    else:
        usual = n_candidates in _USUAL_FOLDS
        doubtful, what = (n_rows > n_candidates > 1) or usual, "splits"
    if not doubtful:
        return ()
    return (
        f"Read as {n_rows} {what} and {n_candidates} candidates; if it is the other way round, "
        "pass the transposed table, or say candidates_in='rows'.",
    )


def from_object(
    results: Any,
    *,
    metric: str | None = None,
    greater_is_better: bool | None = None,
    error_score: float | None = None,
) -> ScoreTable:
    """Read ``scores`` of an object, and its out-of-fold results of single rows if it has any.

    Those are ``fold`` of shape (n_rows,) with the split that judged each row (-1 for none; a split
    trains on the rows that it does not judge), together with ``correct`` (1.0 where a prediction is
    right) or ``responses``, both (n_rows, n_candidates), and ``y``.
    """
    scores = numbers(results.scores, "scores")
    name = metric or getattr(results, "metric", None) or "score"
    table = build_table(
        scores,
        metric=str(name),
        greater_is_better=greater_is_better,
        error_score=error_score,
        rows=(rows := _rows(results, scores.shape[1], str(name))),
        source=type(results).__name__,
    )
    return table if rows is None else _with_counts(table, rows.test_fold[0])


def _with_counts(table: ScoreTable, fold: NDArray[np.intp]) -> ScoreTable:
    """Add the numbers of rows, where every split judged some."""
    n_test = np.bincount(fold[fold >= 0], minlength=table.n_splits)
    if len(n_test) != table.n_splits or not n_test.all():
        return table
    return replace(table, n_train=len(fold) - n_test, n_test=n_test)


def _rows(results: Any, n_candidates: int, metric: str) -> Rows | None:
    fold, y = getattr(results, "fold", None), getattr(results, "y", None)
    if fold is None:
        return None
    size = (len(fold), n_candidates)
    correct, responses = (getattr(results, name, None) for name in ("correct", "responses"))
    if metric == "accuracy" and correct is not None:
        return Rows.of_one_partition(fold, values=_checked(correct, size, "correct"), y_true=y)
    if responses is None or y is None or metric == "accuracy":
        return None
    return rows_from_responses(metric, y, _checked(responses, size, "responses").T, fold)


def _checked(found: ArrayLike, size: tuple[int, int], name: str) -> NDArray[np.float64]:
    values = np.asarray(found, dtype=np.float64)
    if values.shape != size:
        raise ValueError(
            f"{name} must have shape (n_rows, n_candidates) = {size}, as fold and scores say; got "
            f"{values.shape}."
        )
    return values
