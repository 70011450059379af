"""Readers of arrays and of objects that carry them, and what makes numbers of a cell."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from skmaxev.metrics import rows_from_responses
from skmaxev.readers.build import build_table
from skmaxev.table import Rows, ScoreTable

__all__ = ["as_floats", "from_array", "from_object", "is_missing", "numbers"]

FloatArray = NDArray[np.float64]

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
    return build_table(
        table,
        metric=metric or "score",
        greater_is_better=greater_is_better,
        error_score=error_score,
        source="array",
        notes=() if separate or candidates_in is not None else _doubts(table),
    )


def _doubts(scores: FloatArray) -> tuple[str, ...]:
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


def from_object(results: Any, *, metric: str | None = None, **naming: Any) -> ScoreTable:
    """Read ``scores`` of an object, and its out-of-fold results of single rows if it has any.

    Those are ``fold`` of shape (n_rows,) with the split that judged each row (-1 for none; a split
    trains on the rows that it does not judge), together with ``correct`` (1.0 where a prediction is
    right) or ``responses``, both (n_rows, n_candidates), and ``y``.
    """
    scores = numbers(results.scores, "scores")
    name = str(metric or getattr(results, "metric", None) or "score")
    facts: dict[str, Any] = {"rows": _rows(results, scores.shape[1], name)}
    if facts["rows"] is not None:
        fold = facts["rows"].test_fold[0]
        n_test = np.bincount(fold[fold >= 0], minlength=len(scores))
        if len(n_test) == len(scores) and n_test.all():
            facts |= {"n_train": len(fold) - n_test, "n_test": n_test}
    return build_table(scores, metric=name, source=type(results).__name__, **facts, **naming)


def _rows(results: Any, n_candidates: int, metric: str) -> Rows | None:
    fold: Any = getattr(results, "fold", None)
    y: Any = getattr(results, "y", None)
    kind = "correct" if metric == "accuracy" else "responses"
    found = getattr(results, kind, None)
    if fold is None or found is None or (kind == "responses" and y is None):
        return None
    values, size = np.asarray(found, dtype=np.float64), (len(fold), n_candidates)
    if values.shape != size:
        raise ValueError(
            f"{kind} must have shape (n_rows, n_candidates) = {size}, as fold and scores say; got "
            f"{values.shape}."
        )
    if kind == "correct":
        return Rows.of_one_partition(fold, values=values, y_true=y)
    return rows_from_responses(metric, y, values.T, fold)


def is_missing(value: Any) -> bool:
    """Tell whether a cell is empty: None, NaN, masked, or pandas' own NA and NaT."""
    if value is None or value is np.ma.masked:
        return True
    if isinstance(value, float | np.floating):
        return bool(np.isnan(value))
    return type(value).__name__ in {"NAType", "NaTType"}


def as_floats(values: Any, what: str) -> FloatArray:
    """Return an array, or a column of a frame, as floats; what is missing or masked is NaN."""
    try:
        return _as_floats(values)
    except (TypeError, ValueError) as error:
        raise TypeError(
            f"{what} must be numbers; got {type(values).__name__} ({error}). Put NaN where one is "
            "missing, and write percentages and decimal commas as plain numbers, as with "
            "pandas.read_csv(path, decimal=',')."
        ) from error


def _as_floats(values: Any) -> FloatArray:
    if isinstance(values, list | tuple) and any(map(np.ma.isMaskedArray, values)):
        values = np.ma.stack(values)
    if np.ma.isMaskedArray(values):
        return np.ma.filled(values.astype(np.float64), np.nan)
    found = np.asarray(values)
    if found.dtype.kind in "cMm":  # NumPy would drop the imaginary part, and count seconds
        raise TypeError(f"their type is {found.dtype}")
    if found.dtype.kind != "O":
        return found.astype(np.float64)
    cells = found.ravel()
    inner = next((cell for cell in cells if isinstance(cell, list | tuple | np.ndarray)), None)
    if inner is not None:
        raise TypeError(f"its cells are of type {type(inner).__name__}; stack them to one array")
    floats = np.array([np.nan if is_missing(cell) else cell for cell in cells], dtype=np.float64)
    return floats.reshape(found.shape)


def numbers(scores: ArrayLike, what: str) -> FloatArray:
    """Return scores as floats of shape (n_splits, n_candidates); NaN stays."""
    table = as_floats(scores, what)
    if table.ndim == 2 and table.size:
        return table
    if table.ndim == 1 and table.size:
        got = f"{table.size} single numbers. One score a candidate shows no noise, so there is "
        cure = (
            "nothing to correct from: pass the score of every candidate on every split, or 1.0 and "
            "0.0 for each row (rows x candidates) that a candidate got right or wrong."
        )
    else:
        got, cure = f"{table.shape}. ", "Pass one row a split and one column a candidate."
    raise ValueError(f"{what} must have shape (n_splits, n_candidates); got {got}{cure}")
