"""Searches that were given as objects: run one, and read what it found."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from sklearn.base import clone

from skmaxev.readers import read_scores
from skmaxev.readers.search import metrics_of
from skmaxev.search._state import check_forgets
from skmaxev.table import OuterFolds, ScoreTable

__all__ = ["check_is_plain", "fitted_attributes", "read_tables", "run_search"]

_PROPERTIES = ("best_params_", "best_index_", "best_estimator_", "classes_", "n_features_in_")
"""Attributes that a search may compute when asked, so that they are not in its ``__dict__``."""
_COMPUTED = ("classes_", "n_features_in_")
"""Those that our own searches compute too."""
_OF_THE_SEARCH = (
    "scoring",
    "refit",
    "cv",
    "pre_dispatch",
    "error_score",
    "return_train_score",
    "n_iter",
    "checkpoint",
)
"""Parameters that speak of candidates: a search object has its own."""


def check_is_plain(search: Any) -> None:
    """Refuse parameters that a search object would not see.

    Raises
    ------
    ValueError
        Names the parameters.
    """
    defaults = inspect.signature(type(search).__init__).parameters
    given = search.get_params(deep=False)
    told = [name for name in _OF_THE_SEARCH if given[name] is not defaults[name].default]
    told = [name for name in told if given[name] != defaults[name].default]
    if told:
        raise ValueError(
            f"{', '.join(told)} must be left out where estimator is a search object, which has its "
            f"own; got {type(search.estimator).__name__} without param_grid. Set them on that "
            "object, or give param_grid."
        )


def run_search(
    given: Any, X: Any, y: Any, params: Mapping[str, Any], *, around: Callable[[Any], Any]
) -> Any:
    """Fit a copy of a search, and leave the given one as it is.

    Parameters
    ----------
    given : search object
        Not fitted, or fitted on other data.
    X, y, params
        As for its ``fit``.
    around : callable
        Takes the copy and gives the context in which it is fitted.

    Raises
    ------
    TypeError
        If it cannot be cloned.
    ValueError
        If its model remembers other fits.
    """
    own = given.get_params(deep=False) if hasattr(given, "get_params") else {}
    once = {"study", "storage"}  # of the search itself, which runs once
    check_forgets({name: value for name, value in own.items() if name not in once}, params)
    try:
        search = clone(given)
    except TypeError as error:
        raise TypeError(
            f"search must be one that can be cloned, so that the given one is left as it is: "
            f"{error}. If its cv is an iterator, which serves once, give cv=list(...)."
        ) from error
    with around(search):
        search.fit(*((X,) if y is None else (X, y)), **params)
    return search  # some libraries' fit returns None


def fitted_attributes(search: Any) -> dict[str, Any]:
    """Give what a fitted search found, by name; a model that searches by itself is its own best."""
    names = [name for name in vars(search) if name.endswith("_") and not name.startswith("_")]
    names += [name for name in _PROPERTIES if hasattr(search, name)]
    found = {name: getattr(search, name) for name in names if name not in _COMPUTED}
    if not hasattr(search, "cv_results_"):
        found.setdefault("best_estimator_", search)
    return found


def read_tables(search: Any) -> tuple[dict[str, Callable[..., ScoreTable]], str | None]:
    """Give what reads the table of each metric, and the metric that chose, if one did."""
    names = metrics_of(search)
    if len(names) < 2:
        return {"score": _Reader(search, None)}, "score"
    refit = getattr(search, "refit", None)
    primary = refit if isinstance(refit, str) and refit in names else None
    return {name: _Reader(search, name) for name in names}, primary


class _Reader:
    """Reads one metric of a search when it is called."""

    def __init__(self, search: Any, metric: str | None) -> None:
        self._search, self._metric = search, metric

    def __call__(self, *, outer: OuterFolds | None = None) -> ScoreTable:
        table = read_scores(self._search, metric=self._metric)
        return table if outer is None else replace(table, outer=outer, n_fits=None)
