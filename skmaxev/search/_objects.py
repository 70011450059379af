"""Searches that were given as objects: run as they are, judged in outer folds, read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.base import clone, is_classifier
from sklearn.model_selection import check_cv, cross_validate

from skmaxev._compat import num_samples, routing_enabled
from skmaxev.readers import read_scores
from skmaxev.readers.search import metrics_of
from skmaxev.search._request import check_forgets
from skmaxev.table import OuterFolds, ScoreTable

__all__ = [
    "check_is_plain",
    "copy_of_search",
    "fitted_attributes",
    "judge_search",
    "metrics_of_search",
    "read_table",
]

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


def check_is_plain(given: Mapping[str, Any], defaults: Mapping[str, Any], kind: str) -> None:
    """Refuse parameters that a search object would not see."""
    told = [name for name in _OF_THE_SEARCH if given[name] is not defaults[name]]
    told = [name for name in told if given[name] != defaults[name]]
    if told:
        raise ValueError(
            f"{', '.join(told)} must be left out where estimator is a search object, which has its "
            f"own; got {kind} without param_grid. Set them on that object, or give param_grid."
        )


def copy_of_search(given: Any, params: Mapping[str, Any]) -> Any:
    """Copy a search that is to be fitted with these parameters of ``fit``."""
    own = given.get_params(deep=False) if hasattr(given, "get_params") else {}
    once = {"study", "storage"}  # of the search itself, which runs once
    check_forgets({name: value for name, value in own.items() if name not in once}, params)
    try:
        return clone(given)
    except TypeError as error:
        raise TypeError(
            f"search must be one that can be cloned, so that the given one is left as it is: "
            f"{error}. If its cv is an iterator, which serves once, give cv=list(...)."
        ) from error


def fitted_attributes(search: Any) -> dict[str, Any]:
    """Give what a fitted search found, by name; a model that searches by itself is its own best."""
    names = [name for name in vars(search) if name.endswith("_") and not name.startswith("_")]
    names += [name for name in _PROPERTIES if hasattr(search, name)]
    found = {name: getattr(search, name) for name in names if name not in _COMPUTED}
    if not hasattr(search, "cv_results_"):
        found.setdefault("best_estimator_", search)
    return found


def metrics_of_search(search: Any) -> tuple[list[str], str | None]:
    """Name the metrics of a fitted search, and the one that chose, if one did."""
    names = metrics_of(search)
    if len(names) < 2:
        return ["score"], "score"
    refit = getattr(search, "refit", None)
    return names, refit if isinstance(refit, str) and refit in names else None


def read_table(search: Any, metric: str | None, outer: OuterFolds | None) -> ScoreTable:
    """Read one metric of a fitted search; None for the only one."""
    table = read_scores(search, metric=metric)
    return table if outer is None else replace(table, outer=outer, n_fits=None)


def judge_search(
    search: Any,
    X: Any,
    y: Any,
    *,
    outer_cv: Any,
    params: Mapping[str, Any],
    n_jobs: int | None = None,
    verbose: int = 0,
) -> dict[str, OuterFolds]:
    """Run a search in every outer fold and judge its winner, as `cross_val_score` does.

    Outer folds are five if ``outer_cv`` is None; ``params`` are cut along with the rows, and groups
    go to both levels. By metric, with the winners' settings: a search in one fold may have
    other candidates than in another.
    """
    check_forgets({"estimator": search}, params)
    if X is None:
        raise ValueError("nested cross-validation needs data; got X=None. Call fit(X, y).")
    groups = None if routing_enabled() else params.get("groups")
    found = cross_validate(
        search,
        X,
        y,
        groups=groups,
        cv=check_cv(outer_cv, y, classifier=is_classifier(search)),
        params=dict(params) or None,
        n_jobs=n_jobs,
        verbose=verbose,
        return_estimator=True,
        return_indices=True,
        error_score="raise",
    )
    searches = found["estimator"]
    if not all(hasattr(one, "best_params_") for one in searches):
        raise ValueError(
            f"nested cross-validation needs searches that name their winner; "
            f"{type(search).__name__} has no best_params_ after fit. Give a GridSearchCV over it."
        )
    rows = found["indices"]
    folds = OuterFolds(
        scores=found["test_score"],
        best_index=np.full(len(searches), -1),  # candidates are those of the fold
        n_train=np.array([num_samples(train) for train in rows["train"]]),
        n_test=np.array([num_samples(test) for test in rows["test"]]),
        inner=np.array([[[getattr(one, "best_score_", np.nan)]] for one in searches], dtype=float),
        params=tuple(one.best_params_ for one in searches),
    )
    metric = getattr(search, "refit", None)
    return {"score": folds} | ({metric: folds} if isinstance(metric, str) else {})
