"""Reader of long tables: one row a candidate and split."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from skmaxev.readers.build import as_floats, build_table, is_missing
from skmaxev.table import Design, ScoreTable

__all__ = ["from_long"]

_REPEAT = re.compile(r"rep(?:eat)?[\s_.-]*(\d+)", re.IGNORECASE)
_SUMMARIES = frozenset(
    "mean average avg std sd var median min max all overall total sum".split()  # noqa: SIM905
)


def from_long(
    columns: Mapping[str, Any],
    *,
    candidate: str | Sequence[str] | None,
    fold: str | Sequence[str] | None,
    score: str | None,
    error_score: float | None = None,
    metric: str | None = None,
    greater_is_better: bool | None = None,
    source: str = "long table",
) -> ScoreTable:
    """Read a table with one row a candidate and split; the options are those of ``correct``.

    Candidates are numbered as they first appear, folds ordered by number. Of two columns of folds
    the first is the repeat, as in labels such as ``Fold1.Rep2``.
    """
    asked = {"candidate": candidate, "fold": fold, "score": score}
    names = _check_long(list(columns), asked)
    who, where = (_joined(columns, some) for some in names[:2])
    [target] = names[2]
    candidates = {value: index for index, value in enumerate(dict.fromkeys(who))}
    splits = {value: row for row, value in enumerate(sorted(set(where), key=_by_number))}
    if not who:
        raise ValueError("a long table must hold one row a candidate and split; got no row.")
    _check_splits(splits, ", ".join(names[1]))
    rows = np.array([splits[value] for value in where])
    cols = np.array([candidates[value] for value in who])
    flat, counts = np.unique(rows * len(candidates) + cols, return_counts=True)
    if counts.max() > 1:
        twice = divmod(int(flat[counts.argmax()]), len(candidates))
        raise ValueError(
            "a long table must hold one score a candidate and split; "
            f"{list(candidates)[twice[1]]!r} has {counts.max()} on split "
            f"{list(splits)[twice[0]]!r}. Keep the rows of one data set and metric, or name all "
            "columns that tell candidates or splits apart, as in fold=['id', 'id2']."
        )
    scores = np.full((len(splits), len(candidates)), np.nan)
    scores[rows, cols] = as_floats(columns[target], f"column {target!r}")
    return build_table(
        scores,
        metric=metric or target,
        greater_is_better=greater_is_better,
        error_score=error_score,
        params=[dict(zip(names[0], _parts(value), strict=True)) for value in candidates],
        design=_design(list(splits)),
        source=source,
    )


def _joined(columns: Mapping[str, Any], names: Sequence[str]) -> list[Any]:
    """Label each row by one column, or by several together."""
    labels = [[_label(value, name) for value in columns[name]] for name in names]
    return labels[0] if len(names) == 1 else list(zip(*labels, strict=True))


def _parts(label: Any) -> tuple[Any, ...]:
    return label if isinstance(label, tuple) else (label,)


def _design(splits: Sequence[Any]) -> Design | None:
    """Read the repeats off the labels of the splits, where these tell them."""
    sizes = Counter(_repeat_in(label) for label in splits)
    if None in sizes or len(set(sizes.values())) > 1:
        return None
    folds = len(splits) // len(sizes)
    if folds == 1:
        return None
    return Design(
        n_splits=len(splits), n_repeats=len(sizes), test_share=1.0 / folds, source="labels"
    )


def _repeat_in(label: Any) -> Any:
    if isinstance(label, tuple):
        return label[0]
    found = _REPEAT.search(str(label))
    return found and found[1]


def _check_long(
    columns: Sequence[Any], asked: Mapping[str, str | Sequence[str] | None]
) -> list[list[str]]:
    found = []
    for keyword, given in asked.items():
        names = [given] if isinstance(given, str) or given is None else list(given)
        name = next((one for one in names if one is None or one not in columns), None)
        if not names or names == [None] or name is not None or (keyword == "score" and names[1:]):
            shown = ", ".join(str(column) for column in columns[:12])
            raise ValueError(
                f"a long table needs candidate=, fold= and score=, each the name of a column; got "
                f"{keyword}={given!r}. The columns are: {shown}."
            )
        found.append([str(one) if one not in columns else one for one in names if one is not None])
    return found


def _check_splits(labels: Iterable[Any], column: str) -> None:
    """Refuse a mean over the splits that stands among them as if it were one more."""
    texts = {str(label).strip().lower(): label for label in labels}
    found = [label for text, label in texts.items() if text in _SUMMARIES]
    if found and any(re.search(r"\d", text) for text in texts):
        raise ValueError(
            f"every row of a long table must hold the score of one split; column {column!r} holds "
            f"{found[0]!r}, which sums up the others. Leave those rows out."
        )


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


def _by_number(label: Any) -> tuple[Any, ...]:
    """Order labels by the numbers in them: fold 2 before fold 10."""
    order = str(label)
    if found := _REPEAT.search(order):
        order = f"{found[1]} {order}"  # repeat after repeat
    parts = re.split(r"(\d+)", order)
    return tuple(int(part) if part.isdecimal() else part for part in parts)
