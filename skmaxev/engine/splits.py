"""Splits as row positions, and the splits inside outer folds, checked before anything is fitted."""

from __future__ import annotations

import copy
import numbers
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.model_selection import check_cv
from sklearn.utils.multiclass import type_of_target

from skmaxev._compat import check_method_params, safe_split
from skmaxev.engine.types import IndexArray, Nesting, Split

__all__ = ["SplitError", "as_splits", "describe_rows", "fresh_copy", "nest", "split_rows"]

CURE = "Use fewer folds inside, outer folds that leave more rows, or outer_cv=None."


class SplitError(ValueError):
    """The training rows of an outer fold cannot be split as the search splits all rows."""


def as_splits(pairs: Iterable[Sequence[ArrayLike]], n_rows: int) -> tuple[Split, ...]:
    """Turn a splitter's pairs into row positions; masks and negative positions are resolved.

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


def fresh_copy(cv: Any) -> Any:
    """Copy a splitter, so that using it leaves the state of its random generator as it was.

    A splitter that cannot be copied is used itself.
    """
    try:
        return copy.deepcopy(cv)
    except TypeError:  # it holds a generator
        return cv


def nest(cv: Any, outer: Sequence[Split], *, cure: str = CURE, **data: Any) -> Nesting:
    """Split the training rows of every outer fold by a splitter, as classical nesting does.

    Parameters
    ----------
    cv : int, splitter or None
        As for ``GridSearchCV``; every outer fold gets a copy, with its random state unused.
    outer : sequence of Split
        The outer folds.
    cure : str
        What to do where it cannot be done, for messages.
    **data
        The data, as for `split_rows`.

    Raises
    ------
    SplitError
        If an outer fold is empty or its training rows cannot be split; names fold, numbers and
        cure.
    """
    if not (cv is None or isinstance(cv, numbers.Integral) or hasattr(cv, "split")):
        raise SplitError(
            "cv is a list of splits: its row numbers belong to the whole data and cannot split the "
            "training rows of an outer fold. Leave outer_cv=None with three or more folds that "
            "judge each row once, which then are shared, or give cv as a number or a splitter."
        )
    empty = [number for number, fold in enumerate(outer) if min(map(len, fold)) == 0]
    if empty or not outer:
        raise SplitError(
            "outer folds must have rows to train on and rows to judge; "
            f"of {len(outer)} outer folds, {empty} have none. Leave them out."
        )
    inner = tuple(
        split_rows(
            fresh_copy(cv),
            fold.train,
            name=f"cv cannot split the training rows of outer fold {number}",
            cure=cure,
            **data,
        )
        for number, fold in enumerate(outer)
    )
    return Nesting(outer=tuple(outer), inner=inner)


def split_rows(
    cv: Any,
    rows: NDArray[np.intp],
    *,
    X: Any,
    y: Any,
    estimator: Any,
    classifier: bool,
    params: Mapping[str, Any],
    name: str,
    cure: str,
) -> tuple[Split, ...]:
    """Split some rows of the data, as a search on these rows alone would.

    Parameters
    ----------
    cv : int, splitter or None
        As for ``GridSearchCV``.
    rows : ndarray of shape (n_rows,)
        The rows, in the order in which the splitter sees them.
    X, y : array-like
        The whole data; ``y`` may be None.
    estimator : estimator
        Tells whether ``X`` is a matrix of kernels, cut on both sides.
    classifier : bool
        Whether an integer stands for stratified folds.
    params : mapping
        Parameters for the splitter, such as ``groups``, for all rows; cut along.
    name, cure : str
        Begin and end of the message, if it cannot be done.

    Returns
    -------
    tuple of Split
        Row positions in the whole data.

    Raises
    ------
    SplitError
        If they cannot be split, whatever the splitter itself raises.
    """
    X_part, y_part = safe_split(estimator, X, y, rows)
    part = check_method_params(X, params, indices=rows)
    try:
        splitter = check_cv(cv, y_part, classifier=classifier)
        local = as_splits(splitter.split(X_part, y_part, **part), len(rows))
        _check_not_empty(local)
    except Exception as error:  # a splitter of the user may raise anything
        counts = describe_rows(len(rows), y_part if classifier else None, part.get("groups"))
        kind = "" if isinstance(error, ValueError) else f"{type(error).__name__}: "
        reason = f"{kind}{error}".rstrip(". ")
        raise SplitError(f"{name} ({counts}): {reason}. {cure}") from error
    return tuple(Split(rows[split.train], rows[split.test]) for split in local)


def _check_not_empty(splits: Sequence[Split]) -> None:
    if not splits or any(len(index) == 0 for split in splits for index in split):
        raise SplitError("a split without rows came out.")


def describe_rows(n_rows: int, y: Any, groups: Any = None) -> str:
    """Say how many rows, members of a class (where ``y`` holds classes) and groups there are."""
    text = f"{n_rows} rows"
    known = y is not None and type_of_target(y) in {"binary", "multiclass"}
    if known and (members := _members(y)) is not None:
        text += f", {members.min()} to {members.max()} in a class"
    if groups is not None and (members := _members(groups)) is not None:
        text += f", {len(members)} groups"
    return text


def _members(labels: Any) -> IndexArray | None:
    """Count the rows with each label; None where NumPy cannot read the labels."""
    try:
        return np.unique(np.asarray(labels), return_counts=True)[1]
    except (RuntimeError, TypeError):  # on another device
        return None
