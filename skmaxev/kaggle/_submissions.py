"""The public scores of submissions: arrays, frames and files."""

from __future__ import annotations

from numbers import Real
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skmaxev.readers.arrays import as_floats
from skmaxev.readers.files import read_csv

__all__ = ["USUAL", "check_number", "check_public"]

FloatArray = NDArray[np.float64]

USUAL = 0.8
"""Correlation of submissions made from the same few models, where none is given."""


def check_public(public_scores: Any) -> FloatArray:
    """Return the public scores, one a submission."""
    given = as_floats(_public_column(public_scores), "public_scores")
    if given.ndim == 2 and given.shape[1] == 1:  # a frame with one column
        given = given[:, 0]
    if given.ndim != 1 or not given.size or not np.isfinite(given).all():
        raise ValueError(
            "public_scores must be finite numbers, one a submission; got "
            f"{given.size} numbers of shape {given.shape}, {int((~np.isfinite(given)).sum())} of "
            "them not finite. For scores of single rows use skmaxev.correct."
        )
    return given


def _public_column(given: Any) -> Any:
    """Find the public scores in a table of submissions; anything else is returned as it is."""
    filed = isinstance(given, str | PathLike)
    table = read_csv(given) if filed else given
    names = [str(name) for name in getattr(table, "columns", ())]
    public = [name for name in names if "public" in name.lower()]
    if len(public) == 1:  # in files, submissions that failed have no score
        return table[public[0]].dropna() if filed else table[public[0]]
    if filed or len(names) > 1:
        raise ValueError(
            f"the submissions must have one column of public scores; got columns {names}. "
            "Name it publicScore, or give the column itself."
        )
    return given


def check_number(value: Any, name: str) -> float:
    """Return a finite number."""
    if not isinstance(value, Real) or not np.isfinite(float(value)):
        raise ValueError(f"{name} must be a positive number; got {value!r}.")
    return float(value)
