"""One door for all sources of scores."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from skmaxev._checkpoint import CheckpointError
from skmaxev.readers.arrays import from_array, from_object
from skmaxev.readers.checkpoint import from_checkpoint, is_checkpoint
from skmaxev.readers.columns import as_columns, split_columns, with_lists_unpacked
from skmaxev.readers.files import from_csv
from skmaxev.readers.long import from_long
from skmaxev.readers.results import from_cv_results
from skmaxev.readers.search import from_search, is_search
from skmaxev.readers.studies import from_study, is_study
from skmaxev.readers.texts import with_numbers
from skmaxev.table import Design, ScoreTable

__all__ = ["read_scores"]

_HEADER = 72  # bytes of an SQLite file up to the end of its program's mark


def read_scores(
    results: Any,
    *,
    metric: str | None = None,
    greater_is_better: bool | None = None,
    sep: str | None = None,
    decimal: str = ".",
    candidate: str | Sequence[str] | None = None,
    fold: str | Sequence[str] | None = None,
    score: str | None = None,
    error_score: float | None = None,
    candidates_in: str | None = None,
    n_repeats: int | None = None,
    test_share: float | None = None,
    clusters: ArrayLike | None = None,
) -> ScoreTable:
    """Make a ScoreTable from whatever a search left behind.

    Parameters
    ----------
    results : object
        Fitted search, path of its checkpoint, Optuna study, ``cv_results_`` as a dict or frame, CSV
        path or open text file, array of shape (n_splits, n_candidates), object with ``scores``, or
        ScoreTable.
    metric : str, optional
        Which metric, or the name of the only one.
    greater_is_better : bool
        False if arrays, frames or files hold losses. Searches follow scikit-learn's sign and
        studies their own direction. If omitted, the name of the metric has to tell a score.
    sep, decimal : str
        Separator and decimal sign of a CSV file.
    candidate, fold, score : str, optional
        Columns of a long table: one row a candidate and split. Several columns, as a list, name a
        candidate or a split together.
    error_score : float, optional
        What stands for a failed fit in an array, frame or file, besides NaN.
    candidates_in : {"rows", "columns"}, optional
        Where an array has its candidates.
    n_repeats, test_share, clusters : optional
        How the splits came about, where the source does not say: see `skmaxev.table.Design`.

    Raises
    ------
    TypeError
        If ``results`` is of no known kind, or an option of the wrong one.
    """
    table = _read(
        results,
        {"sep": sep, "decimal": decimal},
        {"candidate": candidate, "fold": fold, "score": score},
        {"metric": metric, "greater_is_better": greater_is_better, "error_score": error_score},
        candidates_in,
    )
    return _with_design(table, n_repeats, test_share, clusters)


def _with_design(
    table: ScoreTable, n_repeats: int | None, test_share: float | None, clusters: Any
) -> ScoreTable:
    """Add what the caller says of the splits to what the source says."""
    told = {"n_repeats": n_repeats, "test_share": test_share, "clusters": clusters}
    given = {name: value for name, value in told.items() if value is not None}
    if not given:
        return table
    if clusters is not None:
        given["clusters"] = np.asarray(clusters)
    if n_repeats is not None and test_share is None:  # the folds of one repeat share its rows
        given["test_share"] = 1.0 / max(table.n_splits // max(n_repeats, 1), 2)
    known = table.design or Design.assumed(table.n_splits)
    return replace(table, design=replace(known, **given, source="told"))


def _read(
    results: Any,
    signs: dict[str, Any],
    long: dict[str, Any],
    naming: dict[str, Any],
    candidates_in: str | None,
) -> ScoreTable:
    metric, greater_is_better = naming["metric"], naming["greater_is_better"]
    if isinstance(getattr(results, "table", results), ScoreTable):  # a report has one too
        return getattr(results, "table", results)  # type: ignore[no-any-return]
    if not isinstance(metric, str | None):
        raise TypeError(f"metric must be the name of a metric; got {metric!r}.")
    if hasattr(results, "collect_schema") and hasattr(results, "collect"):
        results = results.collect()  # a lazy frame
    if is_study(results) or is_search(results):
        table = (from_study if is_study(results) else from_search)(results, metric=metric)
        return table if greater_is_better is not False else _with_own_direction(table)
    if isinstance(results, str | os.PathLike) or hasattr(results, "read"):
        return _from_file(results, signs, long, naming)
    columns = as_columns(results)
    if columns is not None:
        return _from_columns(columns, signs["decimal"], long, naming)
    if hasattr(results, "scores"):
        return from_object(results, **naming)
    if isinstance(results, list | tuple) or hasattr(results, "__array__"):
        _check_one(results)
        return from_array(results, candidates_in=candidates_in, **naming)
    raise TypeError(
        "results must be a fitted search, cv_results_, a frame, a CSV path, an array (n_splits, "
        f"n_candidates), an Optuna study or a ScoreTable; got {type(results).__name__}."
    )


def _with_own_direction(table: ScoreTable) -> ScoreTable:
    if not table.greater_is_better:
        return table
    note = (
        f"greater_is_better=False was not used: the {table.source} says itself that higher is "
        "better. Of a search whose scores are losses, pass its cv_results_."
    )
    return replace(table, notes=(*table.notes, note))


def _check_one(results: Any) -> None:
    """Refuse several searches, or the trials of a study, in a list."""
    first = results[0] if isinstance(results, list | tuple) and results else None
    if is_search(first) or is_study(first) or hasattr(first, "user_attrs"):
        raise TypeError(
            f"results must be one search or study; got a {type(results).__name__} of "
            f"{type(first).__name__}. Correct each by itself, and pass a study, not its trials."
        )


def _from_file(
    results: Any, signs: dict[str, Any], long: dict[str, Any], naming: dict[str, Any]
) -> ScoreTable:
    if is_checkpoint(results):
        _check_program(results)
        return from_checkpoint(results, metric=naming["metric"])
    return from_csv(results, **signs, **long, **naming)


def _check_program(database: str | os.PathLike[str]) -> None:
    """Tell the database of a study, which has no mark of a program in its header."""
    path = os.fspath(database)
    with Path(path).open("rb") as file:
        mark = file.read(_HEADER)[-4:]
    if mark == bytes(4):
        msg = (
            f"a checkpoint must be a file that skmaxev wrote; {path!r} belongs to another program. "
            "Of an Optuna study, pass optuna.load_study(study_name=None, "
            f"storage='sqlite:///{path}')."
        )
        raise CheckpointError(msg)


def _from_columns(
    columns: dict[str, Any], decimal: str, long: dict[str, Any], naming: dict[str, Any]
) -> ScoreTable:
    if any(name is not None for name in long.values()):
        return from_long(columns, decimal=decimal, **long, **naming)
    unpacked = with_lists_unpacked(columns, naming["metric"])
    splits = [name for names in split_columns(unpacked).values() for name in names]
    if any(isinstance(cell, str) for name in splits for cell in unpacked[name]):
        unpacked = with_numbers(unpacked, decimal, naming["metric"])
    return from_cv_results(unpacked, **naming)
