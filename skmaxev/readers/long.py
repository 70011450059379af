"""Reader of long tables: one row a candidate and split."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from skmaxev.readers.build import build_table, is_missing
from skmaxev.readers.texts import check_percent, number_of
from skmaxev.table import ScoreTable

__all__ = ["from_long"]

_SUMMARIES = frozenset(
    "mean average avg std sd var median min max all overall total sum".split()  # noqa: SIM905
)


def from_long(
    columns: Mapping[str, Any],
    *,
    candidate: str | None,
    fold: str | None,
    score: str | None,
    metric: str | None = None,
    greater_is_better: bool = True,
    decimal: str = ".",
    source: str = "long table",
) -> ScoreTable:
    """Read a table with one row a candidate and split.

    Parameters
    ----------
    columns : mapping of str to sequence, or frame
        The table.
    candidate, fold, score : str
        Its columns. Candidates are numbered as they first appear; folds are ordered by number.
    metric, greater_is_better, decimal, source
        As in ``from_csv``.

    Raises
    ------
    ValueError
        If a column is missing, or a candidate has two scores on one split.
    """
    names = _check_long(list(columns), {"candidate": candidate, "fold": fold, "score": score})
    who, where = ([_label(value, name) for value in columns[name]] for name in names[:2])
    what = list(columns[names[2]])
    check_percent([what])
    candidates = {value: index for index, value in enumerate(dict.fromkeys(who))}
    splits = {value: row for row, value in enumerate(sorted(set(where), key=_by_number))}
    if not who:
        raise ValueError("a long table must hold one row a candidate and split; got no row.")
    _check_splits(splits, names[1])
    rows = np.array([splits[value] for value in where])
    cols = np.array([candidates[value] for value in who])
    flat, counts = np.unique(rows * len(candidates) + cols, return_counts=True)
    if counts.max() > 1:
        twice = divmod(int(flat[counts.argmax()]), len(candidates))
        raise ValueError(
            "a long table must hold one score a candidate and split; "
            f"{list(candidates)[twice[1]]!r} has {counts.max()} on split "
            f"{list(splits)[twice[0]]!r}. Keep the rows of one data set and metric."
        )
    scores = np.full((len(splits), len(candidates)), np.nan)
    scores[rows, cols] = [
        number_of(value, decimal, names[2], row) for row, value in enumerate(what)
    ]
    return build_table(
        scores,
        metric=metric or names[2],
        greater_is_better=greater_is_better,
        params=[{names[0]: value} for value in candidates],
        source=source,
    )


def _check_long(columns: Sequence[Any], asked: Mapping[str, str | None]) -> list[str]:
    found = []
    for keyword, name in asked.items():
        if name is None or name not in columns:
            shown = ", ".join(str(column) for column in columns[:12])
            raise ValueError(
                f"a long table needs candidate=, fold= and score=, each the name of a column; got "
                f"{keyword}={name!r}. The columns are: {shown}."
            )
        found.append(name)
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
    return value if isinstance(value, Hashable) else str(value)


def _by_number(label: Any) -> tuple[Any, ...]:
    """Order labels by the numbers in them: fold 2 before fold 10."""
    parts = re.split(r"(\d+)", str(label))
    return tuple(int(part) if part.isdecimal() else part for part in parts)
