"""Scores written as text, as in files and frames of text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from skmaxev.readers.build import is_missing
from skmaxev.readers.columns import split_columns
from skmaxev.readers.results import choose_metric

__all__ = ["check_percent", "number_of", "with_numbers"]

_MISSING = frozenset({"", "nan", "na", "n/a", "#n/a", "<na>", "none", "null", "-"})


def with_numbers(columns: Mapping[str, Any], decimal: str, metric: str | None) -> dict[str, Any]:
    """Turn the columns of scores into floats and leave all others as text."""
    _, splits = choose_metric(split_columns(columns), metric, list(columns))
    check_percent(columns[name] for name in splits)
    others = {name for name in columns if str(name).startswith("mean_test_")}
    numbers = {*splits, *others, "iter", "n_resources"}
    return {
        name: (
            np.array([number_of(cell, decimal, name, row) for row, cell in enumerate(cells)])
            if name in numbers
            else cells
        )
        for name, cells in columns.items()
    }


def number_of(cell: Any, decimal: str, column: str, row: int) -> float:
    """Read the number in one cell, NaN where it is empty; the last two are for the error."""
    if is_missing(cell):
        return np.nan
    if not isinstance(cell, str):
        return float(cell)
    text = cell.strip().removesuffix("%")
    try:
        return float(text.replace(decimal, ".") if decimal != "." else text)
    except ValueError:
        if text.lower() in _MISSING:
            return np.nan
        raise ValueError(
            f"scores must be numbers; column {column!r}, data line {row + 1} holds {text[:40]!r}. "
            "Empty the cell of a failed fit, or say decimal=',' for decimal commas."
        ) from None


def check_percent(columns: Iterable[Iterable[Any]]) -> None:
    """Refuse scores of which some are percentages and others not."""
    texts = [str(cell).strip() for column in columns for cell in column]
    given = [text for text in texts if text.lower() not in _MISSING]
    shares = [text for text in given if not text.endswith("%")]
    if shares and len(shares) < len(given):
        raise ValueError(
            "scores must all be percentages or none; some end with %, others do not, such as "
            f"{shares[0]!r}. Write all in the same way."
        )
