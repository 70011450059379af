"""Searches that were given as objects, and what they remember from one fit to the next."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.base import clone, is_classifier
from sklearn.model_selection import check_cv, cross_validate

from skmaxev._compat import num_samples, routing_enabled
from skmaxev.readers import read_scores
from skmaxev.readers.search import metrics_of
from skmaxev.table import OuterFolds, ScoreTable

__all__ = [
    "check_forgets",
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

_PLAIN = (int, float, str, bytes, np.generic, type(None))
"""What remembers nothing; lists may hold very many."""

_DATABASES = ("sqlite", "mysql", "postgresql", "redis")
"""Kinds of databases that Optuna keeps studies in; a URL begins with one of them."""

_RESULTS = ("study_", "optimizer_results_", "cv_results_")
"""What searches leave on themselves when they are fitted."""


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


def check_forgets(copied: Mapping[str, Any], handed_on: Mapping[str, Any]) -> None:
    """Refuse a model that takes along what it learnt on one fold to the next.

    A study of Optuna that lies in a database or holds trials already, its storage, an optimizer of
    scikit-optimize that was told scores: each has seen the rows that a fold is about to judge.
    A new study in memory is copied for every fit and may pass, and so may a cache that is keyed by
    the data, such as `joblib.Memory`. What a function of the user remembers cannot be known.

    Every fit gets a copy of what is ``copied``, and what is ``handed_on`` as it is, so that there
    a new study is shared too. Models, lists and mappings in them are looked through.
    """
    for given, is_copied in ((copied, True), (handed_on, False)):
        for name, value in _inside("", given, set()):
            if memory := _memory(name, value, is_copied=is_copied):
                raise ValueError(
                    "a model that is fitted on one fold after another must start anew each time; "
                    f"{name} is {memory}, so every fold would know what others have found. Leave "
                    "it out, or give a new one in memory as a parameter of the model, which is "
                    "copied for every fit."
                )


def _inside(name: str, value: Any, seen: set[int]) -> Iterator[tuple[str, Any]]:
    """Walk through models, lists and mappings; give each value with its name."""
    yield name, value
    parts: Any = ()
    if isinstance(value, Mapping):
        join = "{}[{!r}]" if name else "{}{}"
        parts = ((join.format(name, key), part) for key, part in value.items())
    elif isinstance(value, list | tuple | set | frozenset) or (
        isinstance(value, np.ndarray) and value.dtype == object and value.ndim > 0
    ):
        large = enumerate(value)
        parts = ((f"{name}[{n}]", part) for n, part in large if not isinstance(part, _PLAIN))
    elif hasattr(value, "get_params") and not isinstance(value, type):
        parts = ((f"{name}__{key}", part) for key, part in value.get_params(deep=False).items())
    if id(value) in seen:
        return
    seen.add(id(value))
    for own_name, part in parts:
        yield from _inside(own_name, part, seen)


def _memory(name: str, value: Any, *, is_copied: bool) -> str:
    """Say what the value remembers from one fit to the next; empty if nothing."""
    if _is_optuna(value, "Study"):
        storage = type(getattr(value, "_storage", None)).__name__
        fresh = is_copied and storage == "InMemoryStorage" and not value.trials
        return "" if fresh else f"a study with {len(value.trials)} trials in {storage}"
    if _is_optuna(value, "BaseStorage"):
        fresh = is_copied and type(value).__name__ == "InMemoryStorage" and not _n_trials(value)
        return "" if fresh else f"{type(value).__name__}, a storage of studies"
    if isinstance(value, str):
        is_storage = name.replace("__", " ").split()[-1:] == ["storage"]
        return "a database of studies" if is_storage and value.startswith(_DATABASES) else ""
    if hasattr(value, "tell") and len(getattr(value, "Xi", ())):
        return f"{type(value).__name__}, an optimizer that was told {len(value.Xi)} scores"
    return _kept_results(value)


def _kept_results(value: Any) -> str:
    """Find a fitted search whose own way of cloning keeps what it found."""
    if not (hasattr(value, "__sklearn_clone__") and hasattr(value, "fit")):
        return ""
    left = set(_RESULTS) & set(getattr(value, "__dict__", ()))
    kept = left and left & set(vars(value.__sklearn_clone__()))
    return f"a fitted search that keeps {', '.join(sorted(kept))} when it is cloned" if kept else ""


def _is_optuna(value: Any, name: str) -> bool:
    """Tell a class of Optuna without importing it."""
    return any(
        kind.__name__ == name and kind.__module__.partition(".")[0] == "optuna"
        for kind in type(value).__mro__
    )


def _n_trials(storage: Any) -> int:
    studies = storage.get_all_studies()
    return sum(storage.get_n_trials(study._study_id) for study in studies)  # noqa: SLF001  # no other
