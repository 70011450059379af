"""Reader of long tables: one row a candidate and split."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np

from skmaxev.readers.arrays import as_floats, is_missing
from skmaxev.readers.build import build_table
from skmaxev.table import Design, ScoreTable

__all__ = ["from_long"]

_REPEAT = re.compile(r"rep(?:eat)?[\s_.-]*(\d+)", re.IGNORECASE)
_SUMMARY = re.compile(r"mean|average|avg|std|sd|var|median|min|max|all|overall|total|sum", re.I)

Label = tuple[Any, ...]
"""What names a candidate, or a split: the cells of one column or of several."""


def from_long(
    columns: Mapping[str, Any],
    *,
    candidate: str | Sequence[str] | None,
    fold: str | Sequence[str] | None,
    score: str | None,
    metric: str | None = None,
    source: str = "long table",
    **naming: Any,
) -> ScoreTable:
    """Read a table with one row a candidate and split; the options are those of ``correct``.

    Candidates are numbered as they first appear, folds ordered by number. Of two columns of folds
    the first is the repeat, as in labels such as ``Fold1.Rep2``.
    """
    who = _names(columns, candidate, "candidate")
    where = _names(columns, fold, "fold")
    (target,) = _names(columns, score, "score")
    labels, places = _labels(columns, who), _labels(columns, where)
    if not labels:
        raise ValueError("a long table must hold one row a candidate and split; got no row.")
    candidates, splits = list(dict.fromkeys(labels)), sorted(set(places), key=_by_number)
    _check_splits(splits, ", ".join(map(str, where)))
    label, count = Counter(zip(labels, places, strict=True)).most_common(1)[0]
    if count > 1:
        shown = [one[0] if len(one) == 1 else one for one in label]
        raise ValueError(
            f"a long table must hold one score a candidate and split; {shown[0]!r} has {count} on "
            f"split {shown[1]!r}. Keep the rows of one data set and metric, or name all columns "
            "that tell candidates or splits apart, as in fold=['id', 'id2']."
        )
    column = {label: number for number, label in enumerate(candidates)}
    row = {label: number for number, label in enumerate(splits)}
    scores = np.full((len(splits), len(candidates)), np.nan)
    scores[[row[label] for label in places], [column[label] for label in labels]] = as_floats(
        columns[target], f"column {target!r}"
    )
    return build_table(
        scores,
        metric=metric or str(target),
        params=[dict(zip(map(str, who), label, strict=True)) for label in candidates],
        design=_design(splits),
        source=source,
        **naming,
    )


def _names(columns: Mapping[str, Any], given: Any, keyword: str) -> list[Any]:
    """Check the names of columns that the caller gave for a keyword."""
    names = list(given) if isinstance(given, list | tuple) else [given]
    if (
        not names
        or any(name not in columns for name in names)
        or (keyword == "score" and len(names) > 1)
    ):
        shown = ", ".join([str(column) for column in columns][:12])
        raise ValueError(
            "a long table needs candidate=, fold= and score=, each the name of a column; got "
            f"{keyword}={given!r}. The columns are: {shown}."
        )
    return names


def _labels(columns: Mapping[str, Any], names: Sequence[Any]) -> list[Label]:
    """Label each row by the cells of one column, or of several together."""
    cells = [[_label(value, name) for value in columns[name]] for name in names]
    return list(zip(*cells, strict=True))


def _label(value: Any, column: str) -> Any:
    """Return a value that can be looked up: lists and dicts by their text."""
    if is_missing(value):
        raise ValueError(
            f"every row of a long table must name its candidate and split; column {column!r} has "
            "empty cells. Fill them, or leave those rows out."
        )
    if isinstance(value, np.generic):
        return value.item()
    return value if isinstance(value, Hashable) else str(value)


def _design(splits: Sequence[Label]) -> Design | None:
    """Read the repeats off the labels of the splits, where these tell them."""
    sizes = Counter(_repeat_in(label) for label in splits)
    folds = len(splits) // len(sizes)
    if None in sizes or len(set(sizes.values())) > 1 or folds == 1:
        return None
    return Design(
        n_splits=len(splits), n_repeats=len(sizes), test_share=1.0 / folds, source="labels"
    )


def _repeat_in(label: Label) -> Any:
    if len(label) > 1:
        return label[0]
    found = _REPEAT.search(str(label[0]))
    return found and found[1]


def _check_splits(splits: Sequence[Label], column: str) -> None:
    """Refuse a mean over the splits that stands among them as if it were one more."""
    cells = [cell for label in splits for cell in label]
    summary = next((cell for cell in cells if _SUMMARY.fullmatch(str(cell).strip())), None)
    if summary is not None and any(re.search(r"\d", str(cell)) for cell in cells):
        raise ValueError(
            f"every row of a long table must hold the score of one split; column {column!r} holds "
            f"{summary!r}, which sums up the others. Leave those rows out."
        )


def _by_number(label: Label) -> tuple[Any, ...]:
    """Order labels by the numbers in them, repeat after repeat: fold 2 before fold 10."""
    text = str(label)
    repeat = _REPEAT.search(text)
    parts = re.split(r"(\d+)", f"{repeat[1]} {text}" if repeat else text)
    return tuple(int(part) if part.isdecimal() else part for part in parts)
