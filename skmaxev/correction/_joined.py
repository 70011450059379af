"""All that was tried is one search: the tables of several searches side by side."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skmaxev.correction._estimates import usable_rows
from skmaxev.readers.search import is_search
from skmaxev.readers.studies import is_study
from skmaxev.report import SelectionReport
from skmaxev.report.numbers import SEARCH
from skmaxev.table import Rows, ScoreTable, mean_scores

__all__ = ["joined_table", "searches_in"]

FloatArray = NDArray[np.float64]

_NO_NAMES = {"score", "value"}  # of metrics that a source does not name
_ALIGNED = (
    "The splits of {} differ from those of {}: their noise was lined up by {}. Search on the same "
    "splits (one cv with a random_state) to see differences better."
)
_TAKEN = "The splits of {} were taken for those of {}: both have as many, and nothing tells."


def searches_in(results: Any) -> dict[str, Any] | None:
    """Return several searches by name; None if the results are those of one.

    Parameters
    ----------
    results : object
        A mapping of names to searches, studies, reports, tables, ``cv_results_`` or files of them,
        or a list; a mapping also of arrays of shape (n_splits, n_candidates).
    """
    if isinstance(results, Mapping):
        found = {str(name): search for name, search in results.items()}
        whole = [_is_whole(one) or _is_table(one) for one in found.values()]
        return found if found and all(whole) else None
    if not (isinstance(results, list | tuple) and results and all(map(_is_whole, results))):
        return None
    names = [_name_of(search) for search in results]
    repeated = Counter(names)
    return {
        f"{name} {number}" if repeated[name] > 1 else name: search
        for number, (name, search) in enumerate(zip(names, results, strict=True), start=1)
    }


def _is_whole(search: Any) -> bool:
    """Tell whether this holds a whole search, and not the scores of one model."""
    if isinstance(search, ScoreTable | SelectionReport | str | os.PathLike):
        return True
    if is_search(search) or is_study(search):
        return True
    if isinstance(search, Mapping):
        columns = [name for name, values in search.items() if np.ndim(values) > 0]
    else:
        columns = getattr(search, "columns", [])
    return any(str(name).startswith("split") for name in columns)


def _is_table(search: Any) -> bool:
    return isinstance(search, np.ndarray) and search.ndim == 2


def _name_of(search: Any) -> str:
    """Name a search by the model that it tunes."""
    model = getattr(search, "estimator", search)
    while hasattr(model, "steps") or hasattr(model, "estimator"):
        model = model.steps[-1][1] if hasattr(model, "steps") else model.estimator
    return type(model).__name__ if model is not search else "search"


def joined_table(searches: Mapping[str, Any], read: Callable[[Any], ScoreTable]) -> ScoreTable:
    """Put the tables of several searches side by side.

    Where the splits are the same the scores stay as they are. Others are lined up with those of
    the search with the fewest splits: by the results of single rows where all have them; or
    what all candidates of a search share on a split is replaced, so that only what favours one
    of them counts as noise.

    Parameters
    ----------
    searches : mapping of str to object
        At least one, by name.
    read : callable
        Makes a ScoreTable of one.

    Raises
    ------
    ValueError
        If the searches are of different metrics or data.
    """
    tables = {name: read(search) for name, search in searches.items()}
    base = min(tables, key=lambda name: tables[name].n_splits)
    _check_alike(searches, tables, base)
    rows = {name: usable_rows(table) for name, table in tables.items()}
    by_rows = _have_same_rows(rows, base)
    notes, lined = [], {}
    for name, table in tables.items():
        same = None if name == base else _same_splits(searches, tables, name, base)
        lined[name] = table
        if same is False:
            lined[name] = _lined_up(table, tables[base], by_rows=by_rows)
            means = "the results of single rows" if by_rows else "what candidates do not share"
            notes.append(_ALIGNED.format(name, base, means))
        elif same is None and name != base:
            notes.append(_TAKEN.format(name, base))
    return _side_by_side(lined, tables[base], by_rows=by_rows, notes=notes)


def _check_alike(searches: Mapping[str, Any], tables: Mapping[str, ScoreTable], base: str) -> None:
    first = tables[base]
    for name, table in tables.items():
        metrics = {table.metric, first.metric} - _NO_NAMES
        directions = (first.greater_is_better, table.greater_is_better)
        if len(metrics) > 1 or directions[0] != directions[1]:
            raise ValueError(
                f"searches must be of one metric to be one search; {base} has {first.metric!r}"
                f"{'' if directions[0] else ' (a loss)'} and {name} {table.metric!r}"
                f"{'' if directions[1] else ' (a loss)'}. Correct them one by one, or say metric=."
            )
        classes = [getattr(searches[one], "classes_", None) for one in (name, base)]
        differ = _differing(table, first) or (None if _same(*classes) else "classes")
        if differ:
            raise ValueError(
                "searches must be of the same data to be one search; "
                f"{base} and {name} differ in their {differ}. Correct them one by one."
            )


def _differing(one: ScoreTable, other: ScoreTable) -> str | None:
    """Name what shows that two searches saw different data."""
    sizes = [_n_rows(table) for table in (one, other)]
    targets = [None if table.rows is None else table.rows.y_true for table in (one, other)]
    if not _same(*sizes):
        return f"number of rows, {sizes[1]} and {sizes[0]}"
    return None if _same(*targets) else "targets"


def _n_rows(table: ScoreTable) -> int | None:
    """Count the rows of the data; shuffled splits alone do not tell, as they judge some."""
    if table.rows is not None:
        return int(table.rows.test_fold.shape[1])
    if table.design is None or table.design.n_folds == 1:
        return None
    return table.design.n_rows


def _same(one: Any, other: Any) -> bool:
    """Tell whether two things are equal, or not known."""
    return one is None or other is None or np.array_equal(one, other)


def _have_same_rows(rows: Mapping[str, Rows | None], base: str) -> bool:
    """Tell whether all have results of single rows, of the same rows judged as often."""
    first = rows[base]
    return first is not None and all(
        other is not None
        and other.test_fold.shape == first.test_fold.shape
        and np.array_equal(other.judged, first.judged)
        and (other.pooled is None) == (first.pooled is None)
        for other in rows.values()
    )


def _same_splits(
    searches: Mapping[str, Any], tables: Mapping[str, ScoreTable], name: str, base: str
) -> bool | None:
    """Tell whether two searches judged on the same splits; None where nothing tells."""
    one, other = tables[name], tables[base]
    if one.n_splits != other.n_splits:
        return False
    if one.rows is not None and other.rows is not None:
        return np.array_equal(one.rows.test_fold, other.rows.test_fold)
    if one.design is not None and other.design is not None:
        shapes = [(table.design.n_repeats, table.design.test_share) for table in (one, other)]  # type: ignore[union-attr]
        if shapes[0] != shapes[1]:
            return False
    pair = searches[name], searches[base]
    if not all(hasattr(search, "cv") for search in pair):
        return None
    return _same_cv(*(5 if search.cv is None else search.cv for search in pair))  # the default


def _same_cv(first: Any, second: Any) -> bool | None:
    """Tell whether two splitters, or lists of splits, are the same; None for generators."""
    if isinstance(first, Iterator) or isinstance(second, Iterator):
        return None  # used up: what it gave is not known any more
    if isinstance(first, list | tuple) and isinstance(second, list | tuple):
        return all(_same(split[1], other[1]) for split, other in zip(first, second, strict=True))
    return _fixed(first) and repr(first) == repr(second)


def _fixed(cv: Any) -> bool:
    """Tell whether a splitter makes the same splits at every call."""
    if isinstance(cv, Sequence | int):
        return True
    shuffles = getattr(cv, "shuffle", hasattr(cv, "random_state"))
    return not shuffles or isinstance(getattr(cv, "random_state", 0), int)


def _lined_up(table: ScoreTable, base: ScoreTable, *, by_rows: bool) -> ScoreTable:
    """Give a table the splits of another; every candidate keeps its mean score."""
    means = table.scores.mean(axis=0)
    if by_rows and table.rows is not None and base.rows is not None:
        rows = replace(table.rows, test_fold=base.rows.test_fold)
        scores = rows.means_over_splits(base.n_splits)
        return replace(table, scores=scores + (means - scores.mean(axis=0)), rows=rows)
    group = np.arange(table.n_splits) % base.n_splits
    scores = np.array([table.scores[group == k].mean(axis=0) for k in range(base.n_splits)])
    n_used = len(table.used)
    if n_used > 1:  # one candidate alone shows nothing that it shares with others
        shared = scores[:, table.used].mean(axis=1, keepdims=True)
        wanted = base.used_scores.mean(axis=1, keepdims=True)
        # That the mean of few is taken off leaves too little of their own noise.
        scores = (scores - shared) * np.sqrt(n_used / (n_used - 1)) + (wanted - wanted.mean())
    return replace(table, scores=scores + (means - scores.mean(axis=0)))


def _side_by_side(
    tables: Mapping[str, ScoreTable], base: ScoreTable, *, by_rows: bool, notes: Sequence[str]
) -> ScoreTable:
    found = list(tables.values())
    first = np.cumsum([0, *(table.n_candidates for table in found)])
    winners = [mean_scores(table.scores)[table.best_index] for table in found]
    best = int(np.argmax(winners))
    left_out = {
        int(start) + index: reason
        for start, table in zip(first, found, strict=False)
        for index, reason in table.left_out.items()
    }
    fits = [table.n_fits for table in found]
    return replace(
        base,
        scores=np.hstack([table.scores for table in found]),
        best_index=int(first[best]) + found[best].best_index,
        metric=next((t.metric for t in found if t.metric not in _NO_NAMES), base.metric),
        params=tuple(
            {SEARCH: name} | dict(params)
            for name, table in tables.items()
            for params in table.params or [{"candidate": k} for k in range(table.n_candidates)]
        ),
        support=(min(t.support[0] for t in found), max(t.support[1] for t in found)),
        rows=_rows_side_by_side(found) if by_rows else None,
        outer=None,
        fresh=None,
        low_variance=None,
        searches=np.repeat(list(tables), [table.n_candidates for table in found]),
        left_out=left_out,
        n_fits=None if None in fits else sum(fits),  # type: ignore[arg-type]
        source=f"{len(found)} searches",
        notes=(
            *(f"{name}: {note}" for name, table in tables.items() for note in table.notes),
            *notes,
        ),
    )


def _rows_side_by_side(tables: Sequence[ScoreTable]) -> Rows | None:
    parts = [table.rows for table in tables if table.rows is not None]
    pooled = [rows.pooled for rows in parts if rows.pooled is not None]
    return replace(
        parts[0],
        values=np.concatenate([rows.values for rows in parts]),
        pooled=np.concatenate(pooled) if len(pooled) == len(parts) else None,
        responses=None,
    )
