"""Nearest neighbours of many numbers out of one query with the largest."""

from __future__ import annotations

from copy import copy
from functools import partial
from typing import Any

import numpy as np

__all__ = ["with_fewer_neighbours"]

_MOST_HELD = 3
"""Sets of rows whose neighbours are held: two that are judged, and the training rows."""


class _Query:
    """The neighbours of all numbers up to one more than that of a fitted model.

    Rows with two neighbours as near as each other are asked again with the number itself: which of
    them a tree finds first, or at all, depends on it.
    """

    def __init__(self, base: Any) -> None:
        self._base = copy(base)
        self._most = min(base.n_neighbors + 1, base.n_samples_fit_)
        self._held: list[tuple[Any, Any, Any]] = []

    def ask(
        self,
        model: Any,
        X: Any = None,
        n_neighbors: Any = None,
        return_distance: bool = True,  # noqa: FBT001, FBT002
    ) -> Any:
        """Answer as the model's own ``kneighbors``."""
        own, k = partial(type(model).kneighbors, model), model.n_neighbors
        if type(X) is not np.ndarray or n_neighbors is not None or k >= self._most:
            return own(X, n_neighbors, return_distance)
        _, distances, indices = self._find(X)
        near, found = distances[:, :k].copy(), indices[:, :k].copy()
        tied = (np.diff(distances[:, : k + 1], axis=1) == 0).any(axis=1)
        if tied.any():
            near[tied], found[tied] = own(X[tied])
        return (near, found) if return_distance else found

    def _find(self, X: Any) -> tuple[Any, Any, Any]:
        for held in self._held:
            if held[0].dtype == X.dtype and np.array_equal(held[0], X):
                return held
        found = X.copy(), *self._base.kneighbors(X, self._most)
        self._held = [found, *self._held[: _MOST_HELD - 1]]
        return found


def with_fewer_neighbours(base: Any, own: Any) -> Any:
    """Derive a model whose neighbours come out of one query of the base's.

    Raises
    ------
    ValueError
        If either does not search in a tree: distances of other ways depend on all rows of a query.
    """
    halves = own.algorithm == "auto" and own.n_neighbors >= base.n_samples_fit_ // 2
    if base._fit_method not in {"kd_tree", "ball_tree"} or halves:  # noqa: SLF001  # no public way
        raise ValueError("only neighbours that are found in a tree can be shared.")
    query = vars(base).setdefault("_skmaxev_query", _Query(base))
    model = copy(base)
    del model._skmaxev_query  # noqa: SLF001  # ours
    model.n_neighbors, model.weights = own.n_neighbors, own.weights
    vars(model)["kneighbors"] = partial(query.ask, model)
    return model
