"""Splits as row positions, and how equal rows are told."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from skmaxev.engine.types import IndexArray, Split

__all__ = ["as_splits", "rows_key"]


def as_splits(pairs: Iterable[Sequence[ArrayLike]], n_rows: int) -> tuple[Split, ...]:
    """Turn a splitter's pairs into row positions; masks and negative positions are resolved.

    Parameters
    ----------
    pairs : iterable of (array-like, array-like)
        Rows to train on and rows to judge on, as whole numbers or as masks.
    n_rows : int
        Rows of the data that are split.

    Returns
    -------
    tuple of Split

    Raises
    ------
    ValueError
        If that names no rows of the data: scikit-learn would say so in the middle of the fits.
    """
    return tuple(
        Split(_positions(train, n_rows), _positions(test, n_rows)) for train, test in pairs
    )


def _positions(index: Any, n_rows: int) -> IndexArray:
    rows = np.asarray(index)
    if rows.dtype == bool and rows.size == n_rows:
        return np.flatnonzero(rows)
    if rows.size == 0:
        return np.array([], dtype=np.intp)
    if rows.ndim != 1 or rows.dtype.kind not in "iu":
        raise ValueError(
            f"splits must name rows by whole numbers or by masks of {n_rows} entries; "
            f"got {type(index).__name__} with dtype {rows.dtype} and shape {rows.shape}. Give "
            "arrays of row numbers."
        )
    for row in (int(rows.min()), int(rows.max())):
        if not -n_rows <= row < n_rows:
            raise ValueError(
                f"a split asks for row {row}, but there are {n_rows} rows, so it is made for other "
                "rows. Give row positions, which begin at 0, and not labels of an index."
            )
    rows = rows.astype(np.intp, copy=False)
    return np.asarray(np.where(rows < 0, rows + n_rows, rows), dtype=np.intp)


def rows_key(rows: IndexArray) -> bytes:
    """Digest rows in their order."""
    return blake2b(rows.astype(np.int64, copy=False).tobytes(), digest_size=16).digest()
