"""What a call of ``fit`` asks for, as plain values, checked before the first fit."""

from __future__ import annotations

import numbers
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_classifier
from sklearn.model_selection import ParameterGrid, ParameterSampler, check_cv
from sklearn.utils import indexable

from skmaxev._compat import (
    check_method_params,
    make_scorers,
    num_samples,
    routed_params,
    routing_enabled,
)
from skmaxev.engine.record import SINGLE, Record
from skmaxev.engine.splits import as_splits, fresh_copy
from skmaxev.engine.types import Place, Split
from skmaxev.metrics import METRICS, metric_name
from skmaxev.table import Design

__all__ = ["Request", "candidates_of", "check_forgets", "check_whole", "request_of"]

AUTO_MB = 256
"""Megabytes that ``keep_predictions="auto"`` may take."""
_BYTES = 8
_N_ITER = 10
"""Candidates of a random search that names no number, as in RandomizedSearchCV."""
_PLAIN = (int, float, str, bytes, np.generic, type(None))
"""What remembers nothing; lists may hold very many."""

_DATABASES = ("sqlite", "mysql", "postgresql", "redis")
"""Kinds of databases that Optuna keeps studies in; a URL begins with one of them."""

_RESULTS = ("study_", "optimizer_results_", "cv_results_")
"""What searches leave on themselves when they are fitted."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Request:
    """A search that is about to be made; what is not explained here is a parameter of the search.

    Parameters
    ----------
    X, y : array-like of n_rows rows
        The data as it came, only made indexable; ``y`` may be None.
    source : str
        Name of the search's class.
    scorer, refit_metric
        As scikit-learn makes them of ``scoring``.
    fit_params, score_params, split_params, outer_params : mapping
        Parameters for estimator, scorer and the two splitters.
    cv : int, splitter or None
        Copy from before it made a split.
    splits : tuple of Split
        Splits of the search itself.
    candidates : list of dict
        Settings of each candidate.
    """

    X: Any
    y: Any
    source: str
    estimator: Any
    scoring: Any
    refit: Any
    error_score: float | str
    return_train_score: bool
    verbose: int
    random_state: Any
    method: str
    inner_cv: Any
    outer_cv: Any
    n_judge_again: int
    keep_predictions: bool | str
    share_steps: bool
    share_submodels: bool
    scorer: Any
    refit_metric: Any
    fit_params: Mapping[str, Any]
    score_params: Mapping[str, Any]
    split_params: Mapping[str, Any]
    outer_params: Mapping[str, Any]
    cv: Any
    splits: tuple[Split, ...]
    candidates: list[dict[str, Any]]

    @property
    def n_rows(self) -> int:
        """Rows of the data."""
        return int(num_samples(self.X))

    @property
    def places(self) -> list[Place]:
        """Places of the search's own splits."""
        return [Place("search", -1, number) for number in range(len(self.splits))]

    @property
    def classes(self) -> Any:
        """The target of a classifier, else None."""
        return self.y if is_classifier(self.estimator) else None

    @cached_property
    def design(self) -> Design:
        """How the splits share the rows; groups are clusters of rows."""
        groups = self.split_params.get("groups")
        labels = None if groups is None else np.asarray(groups)
        return Design.from_splits(
            [(split.train, split.test) for split in self.splits],
            clusters=labels if labels is not None and labels.shape == (self.n_rows,) else None,
        )

    @property
    def chosen_by(self) -> str:
        """Metric that will choose; a single one has no name of its own, whatever refit says."""
        chosen = self.refit if callable(self.scoring) else self.refit_metric
        return chosen if isinstance(chosen, str) else SINGLE

    def primary(self, record: Record) -> str | None:
        """Name the metric that the winner was chosen by; None where there is none."""
        if not record.multimetric:
            return SINGLE
        return self.refit if isinstance(self.refit, str) else None

    def metric_name(self, metric: str) -> str:
        """Name a metric of the record as scikit-learn does, where it is one of its own."""
        if metric == SINGLE:
            return metric_name(self) or SINGLE
        given = self.scoring.get(metric) if isinstance(self.scoring, Mapping) else metric
        return given if isinstance(given, str) else metric

    @cached_property
    def responses(self) -> tuple[str, str]:
        """Kind of predictions that are kept, empty for none; and why there are none, if asked."""
        if self.keep_predictions is False:
            return "", ""
        metric, asked = self.metric_name(self.chosen_by), self.keep_predictions is True
        known, target = METRICS.get(metric), _target(self.y)
        if known is None or known.influences is None:
            kind, why = "", f"nothing says what a row adds to {metric!r}."
        elif self.score_params:
            given = ", ".join(self.score_params)
            kind, why = "", f"scores depend on {given} too, and these do not."
        elif target is None or target.ndim != 1:
            kind, why = "", "each row must have one target."
        else:
            kind, why = known.answer, "the predictions do not give the scores of the splits."
            megabytes = self._megabytes(len(np.unique(target)) if kind == "chance" else 2)
            if not asked and megabytes > AUTO_MB:
                kind, asked = "", True
                why = f"they need {megabytes:,.3g} MB; keep_predictions=True keeps them."
        return kind, f"Results of single rows were not kept: {why}" if asked else ""

    def _megabytes(self, n_classes: int) -> float:
        n_rows = self.design.n_repeats * self.n_rows
        return 1e-6 * _BYTES * n_rows * len(self.candidates) * max(n_classes - 1, 1)


def request_of(search: Any, X: Any, y: Any, params: Mapping[str, Any]) -> Request:
    """Read what a search of ours asks for and split the data, without a single fit."""
    check_forgets({"estimator": search.estimator, "param_grid": search.param_grid}, params)
    scorer, refit_metric = make_scorers(search)
    X, y = indexable(X, y)
    params = check_method_params(X, params=params)
    routed = routed_params(search, params)
    split_params, outer_params = routed["splitter"]["split"], {"groups": params.get("groups")}
    if routing_enabled():
        outer_params = {} if search.outer_cv is None else routed["outer_splitter"]["split"]
    if search.checkpoint is not None:
        _check_repeatable(search)
    made = {
        "X": X,
        "y": y,
        "source": type(search).__name__,
        "scorer": scorer,
        "refit_metric": refit_metric,
        "fit_params": routed["estimator"]["fit"],
        "score_params": routed["scorer"]["score"],
        "split_params": split_params,
        "outer_params": outer_params,
        "cv": fresh_copy(search.cv),
        "splits": _make_splits(search, X, y, split_params),
        "candidates": candidates_of(search.param_grid, search.n_iter, search.random_state),
    }
    given = {field.name for field in fields(Request)} - set(made)
    return Request(**made, **{name: getattr(search, name) for name in given})


def candidates_of(param_grid: Any, n_iter: int | None, random_state: Any) -> list[dict[str, Any]]:
    """List the candidates of a grid, or draw those of a random search as scikit-learn does."""
    if not _is_random(param_grid, n_iter):
        return list(ParameterGrid(param_grid))
    return list(ParameterSampler(param_grid, n_iter or _N_ITER, random_state=random_state))


def _is_random(param_grid: Any, n_iter: int | None) -> bool:
    """Tell whether candidates are drawn: a number of them is named, or a value can be drawn."""
    grids = param_grid if isinstance(param_grid, list) else [param_grid]
    values = (value for grid in grids if hasattr(grid, "values") for value in grid.values())
    return n_iter is not None or any(hasattr(value, "rvs") for value in values)


def _make_splits(search: Any, X: Any, y: Any, params: Mapping[str, Any]) -> tuple[Split, ...]:
    """Split the data, and check that as many splits come as the splitter promises."""
    splitter = check_cv(search.cv, y, classifier=is_classifier(search.estimator))
    expected = splitter.get_n_splits(X, y, **params)
    splits = as_splits(splitter.split(X, y, **params), int(num_samples(X)))
    if len(splits) != expected:
        raise ValueError(
            "cv.split and cv.get_n_splits return inconsistent results. "
            f"Expected {expected} splits, got {len(splits)}"
        )
    return splits


def _check_repeatable(search: Any) -> None:
    """Refuse splits and candidates of which another run would draw others."""
    for name in ("cv", "inner_cv", "outer_cv"):
        value = getattr(search, name)
        shuffles = hasattr(value, "split") and getattr(value, "shuffle", True)
        if shuffles and getattr(value, "random_state", 0) is None:
            raise ValueError(
                f"a checkpoint needs the same splits at every call; {name}={value} draws new ones, "
                "so that no finished fit would be found again. Give it a whole number as "
                "random_state."
            )
    drawn = "fresh partitions" if search.n_judge_again else ""
    drawn = "candidates" if _is_random(search.param_grid, search.n_iter) else drawn
    if drawn:
        check_whole(search.random_state, drawn)


def check_whole(random_state: Any, drawn: str) -> None:
    """Refuse a random state by which another run would draw others."""
    if not isinstance(random_state, numbers.Integral):
        raise ValueError(  # noqa: TRY004  # of no wrong type, but not repeatable
            f"a checkpoint needs the same {drawn} at every call; got "
            f"random_state={random_state!r}. Give a whole number."
        )


def _target(y: Any) -> NDArray[Any] | None:
    """Read the target as an array; None where there is none, or on another device."""
    try:
        return None if y is None else np.asarray(y)
    except (RuntimeError, TypeError):
        return None


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
