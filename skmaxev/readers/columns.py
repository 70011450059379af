"""Tables of every shape as columns, and which of them hold the scores of single splits."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from numbers import Real
from typing import Any

import numpy as np

from skmaxev.metrics import is_metric
from skmaxev.readers.arrays import is_missing

__all__ = ["STATES", "as_columns", "check_rows", "split_columns", "split_in", "with_lists_unpacked"]

_SKLEARN = re.compile(r"split(\d+)_test_(.+)")
_ALONE = re.compile(
    r"(cv|fold|split|rep|repeat|repetition|run)[\s_-]*(\d+)(?:[\s_-]*(?:test[\s_-]*)?score)?",
    re.IGNORECASE,
)
_WITHIN = re.compile(r"(.*?)(?:fold|split|(?<![a-z])cv)[\s_./-]*(\d+)(.*)", re.IGNORECASE)
_NUMPY = re.compile(r"(?:np\.|numpy\.)?float\d+\(([^()]*)\)")  # as lists of its numbers print
_NO_SCORE = re.compile(r"train|time|^params?_", re.IGNORECASE)
_NO_MODEL = re.compile(
    r"^(param|mean|std|rank|iter|n_resources)|score|time|trial|value|-(mean|stdv?)$|"
    r"^(train|test|val|valid|validation)$",
    re.IGNORECASE,
)
_NO_METRIC = frozenset(["user", "attrs", "metrics", "summary", "test", "score", "scores"])
_DESCRIPTIONS = frozenset({"25%", "50%", "75%", "Mean", "Std", "SD", "Average"})
_LISTS = re.compile(r"(val|fold|split)_scores|(cv|test)_scores?|scores|test_.*")

STATES = {
    "PRUNED": "trial was pruned",
    "FAIL": "trial failed",
    "RUNNING": "trial is running",
    "WAITING": "trial is waiting",
}
"""States of Optuna's trials without a score."""


def as_columns(results: Any) -> dict[str, Any] | None:
    """Return a table as a mapping of its columns, or None if it is none.

    A frame with one column or one row a split; a structured array; a mapping of columns, each a
    sequence or, as in JSON, a mapping of rows; a sequence of mappings, one a row; or a mapping of
    candidates to such rows.
    """
    if isinstance(results, list | tuple):
        rows = bool(results) and all(isinstance(row, Mapping) for row in results)
        return _from_rows(results) if rows else None
    fields = getattr(getattr(results, "dtype", None), "names", None)
    if fields:  # a structured array
        return {name: results[name] for name in fields}
    if isinstance(results, Mapping):
        return _from_mapping(results)
    return _from_frame(results) if hasattr(results, "columns") else None


def _from_mapping(results: Mapping[Any, Any]) -> dict[str, Any]:
    columns = {
        name: {key: list(column[key]) for key in column.columns}
        if hasattr(column, "columns")
        else column
        for name, column in results.items()
    }
    if not columns or not all(isinstance(column, Mapping) for column in columns.values()):
        return _from_models(columns)
    rows = [{"params": name, **row} for name, row in columns.items()]
    if not split_columns(columns) and (split_columns(rows[0]) or _list_columns(_from_rows(rows))):
        return _from_rows(rows)
    return {name: list(column.values()) for name, column in columns.items()}


def _from_models(columns: dict[str, Any]) -> dict[str, Any]:
    """Turn the scores of one model a name, as of ``cross_val_score``; others stay as they are."""
    told = any(is_metric(str(name)) or _NO_MODEL.search(str(name)) for name in columns)
    rows = [list(scores) for scores in columns.values() if isinstance(scores, list | np.ndarray)]
    alike = len(rows) == len(columns) > 1 and len(set(map(len, rows))) == 1
    if told or not alike or split_columns(columns):
        return columns
    if not all(isinstance(one, Real) for row in rows for one in row):
        return columns
    splits = {f"split {k}": list(found) for k, found in enumerate(zip(*rows, strict=True))}
    return {"params": list(columns)} | splits


def _from_rows(rows: Sequence[Mapping[Any, Any]]) -> dict[str, Any]:
    names = dict.fromkeys(name for row in rows for name in row)
    return {name: [row.get(name) for row in rows] for name in names}


def _from_frame(frame: Any) -> dict[str, Any]:
    level = getattr(frame.columns, "name", None)  # of a pivoted table, perhaps 'fold'
    numbered = [f"{level} {name}" for name in frame.columns]
    by_split = level is not None and all(map(_ALONE.fullmatch, numbered))
    flat = numbered if by_split else [_flat(name) for name in frame.columns]
    twice = next((name for name in flat if flat.count(name) > 1), None)
    if twice is not None:
        raise ValueError(f"the columns of a frame must differ; {twice!r} is there twice.")
    columns = {key: frame[name] for key, name in zip(flat, frame.columns, strict=True)}
    labels = list(getattr(frame, "index", ()))
    check_rows(labels)
    if labels and all(isinstance(label, str) for label in labels):
        columns = {frame.index.name or "candidate": labels} | columns
    return _upright(columns)


def check_rows(labels: Iterable[Any]) -> None:
    """Refuse rows that describe the others, such as their mean and quantiles."""
    described = next((label for label in labels if label in _DESCRIPTIONS), None)
    if described is not None:
        raise ValueError(
            f"every row must be a candidate; row {described!r} describes the others. Leave out "
            "such rows, also that of their mean."
        )


def _flat(name: Any) -> Any:
    """Join the parts of a name with several levels."""
    return "_".join(str(part) for part in name if part != "") if isinstance(name, tuple) else name


def _upright(columns: dict[str, Any]) -> dict[str, Any]:
    """Turn a table whose first column names its rows as scikit-learn names columns."""
    (_, first), *rest = columns.items() or [("", ())]
    names = [str(label).strip() for label in first]
    turned = len(set(names)) == len(names) and any(map(_SKLEARN.fullmatch, names))
    if split_columns(columns) or not turned:
        return columns
    cells = [list(column) for _, column in rest]
    found = {name: [column[row] for column in cells] for row, name in enumerate(names)}
    described = any(name.startswith("param") for name in names)
    return found if described else {"params": [name for name, _ in rest], **found}


def split_columns(names: Iterable[Any]) -> dict[str, list[str]]:
    """Find the columns of single splits: metric to columns, in the order of the splits' numbers.

    Those of scikit-learn come first; then names such as ``fold 1``; then names that have the
    number of a fold or split in them, such as ``fold_1_auc``, where more than one is alike.
    """
    kinds: list[dict[str, list[tuple[int, str]]]] = [{}, {}, {}]
    for name in names:
        if (place := split_in(name)) is not None:
            kind, metric, number = place
            kinds[kind].setdefault(metric, []).append((number, name))
    sklearn, alone, within = kinds
    if sklearn:
        return {metric: _in_order(columns) for metric, columns in sklearn.items()}
    if len(alone) > 1:
        shown = ", ".join(repr(columns[0][1]) for columns in alone.values())
        raise ValueError(
            f"the columns of the splits must have names of one kind; got {shown}. Leave out or "
            "rename those that hold no scores."
        )
    if alone:
        return {"score": _in_order(next(iter(alone.values())))}
    return {metric: _in_order(columns) for metric, columns in within.items() if len(columns) > 1}


def split_in(name: Any) -> tuple[int, str, int] | None:
    """Read the name of a column: its kind, what it scores, the number of its split; else None."""
    text = str(name).strip()
    if match := _SKLEARN.fullmatch(text):
        return 0, match[2], int(match[1])
    if match := _ALONE.fullmatch(text):
        return 1, match[1].lower(), int(match[2])
    if not (match := _WITHIN.fullmatch(text)) or _NO_SCORE.search(text):
        return None
    around = re.findall(r"[^\W_]+", f"{match[1]} {match[3]}")
    metric = "_".join(word for word in around if word.lower() not in _NO_METRIC)
    return 2, metric or "score", int(match[2])


def _in_order(columns: Sequence[tuple[int, str]]) -> list[str]:
    most, count = Counter(number for number, _ in columns).most_common(1)[0]
    if count > 1:
        raise ValueError(
            f"every split must have one column; got {count} for split {most}. Rename or leave out "
            "those that hold other scores."
        )
    return [name for _, name in sorted(columns)]


def with_lists_unpacked(columns: Mapping[str, Any], metric: str | None = None) -> Mapping[str, Any]:
    """Replace a column of lists, each the scores of one candidate, by one column a split.

    Only a name such as 'fold_scores' or 'test_accuracy' tells such lists from settings.
    """
    found = [] if split_columns(columns) else _list_columns(columns)
    if not found:
        return columns
    asked = [name for name in found if str(name) in (metric, f"test_{metric}")]
    if len(found) > 1 and not asked:
        shown = [str(name).removeprefix("test_") for name in found]
        raise ValueError(
            f"metric must be one of {shown}; got {metric!r}. Say metric={shown[0]!r}, for example."
        )
    name = (asked or found)[0]
    if isinstance(columns[name], np.ndarray) and columns[name].ndim > 1:
        raise ValueError(
            f"candidates must be told from splits; {name!r} holds an array. Pass the array itself, "
            "one row a split and one column a candidate."
        )
    scored = str(name).removeprefix("test_")
    scored = "score" if scored in (name, "scores") else scored
    cells = [_as_list(cell) for cell in columns[name]]
    sizes = {len(cell) for cell in cells if cell is not None}
    if len(sizes) > 1:
        raise ValueError(
            f"every candidate must have a score on every split; the lists in {name!r} hold "
            f"{min(sizes)} to {max(sizes)}. Put NaN where a fit failed."
        )
    rows = [[np.nan] * max(sizes) if cell is None else cell for cell in cells]
    splits = {f"split{k}_test_{scored}": list(row) for k, row in enumerate(zip(*rows, strict=True))}
    return {key: column for key, column in columns.items() if key != name} | splits


def _list_columns(columns: Mapping[str, Any]) -> list[str]:
    found = []
    for name, column in columns.items():
        words = str(name).strip().lower().removeprefix("user_attrs_").removeprefix("metrics.")
        if _LISTS.fullmatch(words) and np.iterable(column) and any(map(_as_list, column)):
            found.append(name)
    return found


def _as_list(cell: Any) -> list[Any] | None:
    """Return the numbers of one cell, also of their text; None if it holds no list."""
    if isinstance(cell, str) and cell.strip().startswith(("[", "(")):
        plain = _NUMPY.sub(r"\1", cell).strip(" ()[]\n")
        return [part for part in re.split(r"[,\s]+", plain) if part]
    if isinstance(cell, str | bytes | Mapping) or is_missing(cell) or not hasattr(cell, "__len__"):
        return None
    return list(cell) or None
