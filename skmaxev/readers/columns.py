"""Tables of every shape as columns, and which of them hold the scores of single splits."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from numbers import Real
from typing import Any

import numpy as np

from skmaxev.metrics import is_metric
from skmaxev.readers.build import is_missing

__all__ = [
    "STATES",
    "as_columns",
    "check_rows",
    "number_of_split",
    "split_columns",
    "upright",
    "with_lists_unpacked",
]

_SKLEARN = re.compile(r"split(\d+)_test_(.+)")
_ALONE = re.compile(
    r"(cv|fold|split|rep|repeat|repetition|run)[\s_-]*(\d+)(?:[\s_-]*(?:test[\s_-]*)?score)?",
    re.IGNORECASE,
)
_WITHIN = re.compile(r"(.*?)(?:fold|split|(?<![a-z])cv)[\s_./-]*(\d+)(.*)", re.IGNORECASE)
_NUMPY = re.compile(r"(?:np\.|numpy\.)?float\d+\(([^()]*)\)")  # as lists of its numbers print
_NO_SCORE = re.compile(r"train|time|^params?_", re.IGNORECASE)
_NO_MODEL = re.compile(r"^(param|mean|std|rank|iter|n_resources)|score|time|trial|value", re.I)
_NO_METRIC = frozenset(["user", "attrs", "metrics", "summary", "test", "score", "scores"])
_DESCRIPTIONS = frozenset({"count", "std", "25%", "50%", "75%", "Mean", "Std", "SD", "Average"})
_LISTS = frozenset(
    [
        "val_scores",
        "fold_scores",
        "split_scores",
        "cv_scores",
        "scores",
        "test_score",
        "test_scores",
        "cv_score",
    ]
)

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
    if isinstance(results, list | tuple) and results:
        return _from_rows(results) if all(isinstance(row, Mapping) for row in results) else None
    if not isinstance(results, Mapping):
        fields = getattr(getattr(results, "dtype", None), "names", None)
        if fields:  # a structured array
            return {name: results[name] for name in fields}
        return _from_frame(results) if hasattr(results, "columns") else None
    columns = {
        name: {key: list(column[key]) for key in column.columns}
        if hasattr(column, "columns")
        else column
        for name, column in results.items()
    }
    if not columns or not all(isinstance(column, Mapping) for column in columns.values()):
        return _from_models(columns) if isinstance(results, dict) else columns
    rows = [{"params": name, **row} for name, row in columns.items()]
    if not split_columns(columns) and (split_columns(rows[0]) or _list_columns(_from_rows(rows))):
        return _from_rows(rows)
    return {name: list(column.values()) for name, column in columns.items()}


def _from_models(columns: dict[str, Any]) -> dict[str, Any]:
    """Turn the scores of one model a name, as of ``cross_val_score``; others stay as they are."""
    sizes = {np.shape(scores) for scores in columns.values()}
    told = any(is_metric(str(name)) or _NO_MODEL.search(str(name)) for name in columns)
    if told or split_columns(columns) or len(columns) < 2 or len(sizes) > 1:
        return columns
    rows = [list(scores) for scores in columns.values() if isinstance(scores, list | np.ndarray)]
    if len(rows) < len(columns) or not all(isinstance(one, Real) for row in rows for one in row):
        return columns
    return {"params": list(columns)} | {
        f"split {k}": list(found) for k, found in enumerate(zip(*rows, strict=True))
    }


def _from_rows(rows: Sequence[Mapping[Any, Any]]) -> dict[str, Any]:
    names = dict.fromkeys(name for row in rows for name in row)
    return {name: [row.get(name) for row in rows] for name in names}


def _from_frame(frame: Any) -> dict[str, Any]:
    names = list(frame.columns)
    flat = [_flat(name) for name in names]
    if len(set(flat)) < len(flat):
        twice = next(name for name in flat if flat.count(name) > 1)
        raise ValueError(f"the columns of a frame must differ; {twice!r} is there twice.")
    if not split_columns(flat) and _name_scores(getattr(frame, "index", ())):
        return _from_frame(frame.T)  # it was written with one row a split
    index = getattr(frame, "index", ())
    check_rows(index)
    columns = {key: frame[name] for key, name in zip(flat, names, strict=True)}
    if all(isinstance(label, str) for label in index) and len(index):
        columns.setdefault(getattr(index, "name", None) or "candidate", list(index))
    return upright(columns)


def check_rows(labels: Iterable[Any]) -> None:
    """Refuse rows that describe the others, such as their count and standard deviation."""
    found = [label for label in labels if isinstance(label, str) and label in _DESCRIPTIONS]
    if found:
        raise ValueError(
            f"every row must be a candidate; row {found[0]!r} describes the others. Leave out such "
            "rows, also that of their mean."
        )


def _flat(name: Any) -> Any:
    """Join the parts of a name with several levels."""
    return "_".join(str(part) for part in name if part != "") if isinstance(name, tuple) else name


def upright(columns: Mapping[str, Any]) -> dict[str, Any]:
    """Turn a table whose first column names its rows so that each of them becomes a column."""
    labels = list(next(iter(columns.values()), ()))
    names = [str(label).strip() for label in labels]
    if split_columns(columns) or len(set(names)) < len(labels) or not _name_scores(labels):
        return dict(columns)
    rest = {name: list(column) for name, column in list(columns.items())[1:]}
    turned = {name: [column[row] for column in rest.values()] for row, name in enumerate(names)}
    if any(name.startswith("param") for name in names):
        return turned
    return {"params": list(rest), **turned}


def _name_scores(labels: Iterable[Any]) -> bool:
    """Tell whether rows are named as scikit-learn does; rows 'fold 1' may hold anything."""
    return any(isinstance(label, str) and _SKLEARN.fullmatch(label.strip()) for label in labels)


def split_columns(names: Iterable[Any]) -> dict[str, list[str]]:
    """Find the columns of single splits: metric to columns, in the order of the splits' numbers.

    Those of scikit-learn come first; then names such as ``fold 1``; then names that have the
    number of a fold or split in them, such as ``fold_1_auc``, where more than one is alike.
    """
    sklearn: dict[str, list[tuple[int, str]]] = {}
    alone: dict[str, list[tuple[int, str]]] = {}
    within: dict[str, list[tuple[int, str]]] = {}
    for name in names:
        text = str(name).strip()
        if match := _SKLEARN.fullmatch(text):
            sklearn.setdefault(match[2], []).append((int(match[1]), name))
        elif match := _ALONE.fullmatch(text):
            alone.setdefault(match[1].lower(), []).append((int(match[2]), name))
        elif (match := _WITHIN.fullmatch(text)) and not _NO_SCORE.search(text):
            within.setdefault(_metric_in(match), []).append((int(match[2]), name))
    if not sklearn and alone:
        return {"score": _in_order(_only_kind(alone))}
    found = sklearn or {metric: some for metric, some in within.items() if len(some) > 1}
    return {metric: _in_order(columns) for metric, columns in found.items()}


def _metric_in(match: re.Match[str]) -> str:
    """Name the metric by what stands around the split in the name of a column."""
    words = re.findall(r"[^\W_]+", f"{match[1]} {match[3]}")
    return "_".join(word for word in words if word.lower() not in _NO_METRIC) or "score"


def _only_kind(kinds: Mapping[str, list[tuple[int, str]]]) -> list[tuple[int, str]]:
    if len(kinds) > 1:
        shown = ", ".join(repr(columns[0][1]) for columns in kinds.values())
        raise ValueError(
            f"the columns of the splits must have names of one kind; got {shown}. Leave out or "
            "rename those that hold no scores."
        )
    return next(iter(kinds.values()))


def _in_order(columns: Sequence[tuple[int, str]]) -> list[str]:
    most, count = Counter(number for number, _ in columns).most_common(1)[0]
    if count > 1:
        raise ValueError(
            f"every split must have one column; got {count} for split {most}. Rename or leave out "
            "those that hold other scores."
        )
    return [name for _, name in sorted(columns)]


def number_of_split(name: Any) -> int:
    """Return the number of the split in the name of its column."""
    text = str(name).strip()
    if match := _SKLEARN.fullmatch(text):
        return int(match[1])
    match = _ALONE.fullmatch(text) or _WITHIN.fullmatch(text)
    if match is None:
        raise ValueError(f"the name of a column must have the number of a split; got {name!r}.")
    return int(match[2])


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
    scored = str(name).removeprefix("test_") if str(name).startswith("test_") else "score"
    scored = "score" if scored == "scores" else scored
    cells = [_as_list(cell) for cell in columns[name]]
    sizes = {len(cell) for cell in cells if cell is not None}
    if len(sizes) > 1:
        raise ValueError(
            f"every candidate must have a score on every split; the lists in {name!r} hold "
            f"{min(sizes)} to {max(sizes)}. Put NaN where a fit failed."
        )
    size = sizes.pop()
    rows = [[np.nan] * size if cell is None else cell for cell in cells]
    rest = {key: column for key, column in columns.items() if key != name}
    return rest | {f"split{k}_test_{scored}": [row[k] for row in rows] for k in range(size)}


def _list_columns(columns: Mapping[str, Any]) -> list[str]:
    found = []
    for name, column in columns.items():
        words = str(name).strip().lower().removeprefix("user_attrs_").removeprefix("metrics.")
        if words in _LISTS or words.startswith("test_"):
            found += [name] if any(_as_list(cell) for cell in column) else []
    return found


def _as_list(cell: Any) -> list[Any] | None:
    """Return the numbers of one cell, also of their text; None if it holds no list."""
    if isinstance(cell, str) and cell.strip().startswith(("[", "(")):
        plain = _NUMPY.sub(r"\1", cell).strip(" ()[]\n")
        return [part for part in re.split(r"[,\s]+", plain) if part]
    if isinstance(cell, str | bytes | Mapping) or is_missing(cell) or not hasattr(cell, "__len__"):
        return None
    return list(cell) or None
