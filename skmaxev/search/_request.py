"""What a call of ``fit`` asks for: data, parameters for every receiver, splits, candidates."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from sklearn.base import is_classifier
from sklearn.model_selection import ParameterGrid, ParameterSampler, check_cv
from sklearn.utils import indexable

from skmaxev._compat import check_method_params, num_samples, routing_enabled
from skmaxev.engine.inner import fresh_copy
from skmaxev.engine.plan import Split, as_splits
from skmaxev.search._state import check_forgets

__all__ = ["Request", "candidates_of", "is_random", "read_request"]

_N_ITER = 10
"""Candidates of a random search that names no number, as in RandomizedSearchCV."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Request:
    """A search that is about to be made.

    Parameters
    ----------
    X, y : array-like of n_rows rows
        The data as it came, only made indexable; ``y`` may be None.
    scorer : callable
        As scikit-learn makes it from ``scoring``.
    refit_metric : str
        Name of the metric that chooses; ``"score"`` for a single one.
    fit_params, score_params, split_params, outer_params : mapping
        Parameters for estimator, scorer and the two splitters.
    cv : int, splitter or None
        Copy of ``search.cv`` from before it made a split; None where it is a list of splits.
    splits : tuple of Split
        Splits of the search itself.
    candidates : list of dict
        Settings of each candidate.
    metadata : mapping, optional
        Sample weights, for callbacks.
    keeper : Keeper
        Makes the fits, by way of a checkpoint or without one.
    classes : array-like of n_rows rows, optional
        The target of a classifier.
    """

    X: Any
    y: Any
    scorer: Any
    refit_metric: Any
    fit_params: Mapping[str, Any]
    score_params: Mapping[str, Any]
    split_params: Mapping[str, Any]
    outer_params: Mapping[str, Any]
    cv: Any
    splits: tuple[Split, ...]
    candidates: list[dict[str, Any]]
    metadata: Mapping[str, Any] | None = field(default=None)
    keeper: Any = None
    classes: Any = None

    @property
    def n_rows(self) -> int:
        """Rows of the data."""
        return int(num_samples(self.X))


def read_request(search: Any, X: Any, y: Any, params: Mapping[str, Any]) -> Request:
    """Check what ``fit`` was given and split the data, without a single fit.

    Raises
    ------
    ValueError
        As ``GridSearchCV`` for wrong scorers, splits and parameters; for a model that remembers
        other fits.
    """
    check_forgets({"estimator": search.estimator, "param_grid": search.param_grid}, params)
    scorer, refit_metric = search._get_scorers()  # noqa: SLF001  # inherited
    X, y = indexable(X, y)
    params = check_method_params(X, params=params)
    routed = search._get_routed_params_for_fit(params)  # noqa: SLF001  # inherited
    split_params = routed["splitter"]["split"]
    outer_params = {"groups": params.get("groups")}
    if routing_enabled():
        routes = getattr(search, "outer_cv", None) is not None  # only then it is a receiver
        outer_params = routed["outer_splitter"]["split"] if routes else {}
    weight = params.get("sample_weight")
    return Request(
        X=X,
        y=y,
        scorer=scorer,
        refit_metric=refit_metric,
        fit_params=routed["estimator"]["fit"],
        score_params=routed["scorer"]["score"],
        split_params=split_params,
        outer_params=outer_params,
        cv=fresh_copy(search.cv),
        splits=_splits(search, X, y, split_params),
        candidates=candidates_of(search),
        metadata=None if weight is None else {"sample_weight": weight},
        classes=y if is_classifier(search.estimator) else None,
    )


def is_random(search: Any) -> bool:
    """Tell whether candidates are drawn: a number of them is named, or a value can be drawn."""
    grids = search.param_grid if isinstance(search.param_grid, list) else [search.param_grid]
    values = (value for grid in grids if hasattr(grid, "values") for value in grid.values())
    return search.n_iter is not None or any(hasattr(value, "rvs") for value in values)


def candidates_of(search: Any) -> list[dict[str, Any]]:
    """List the candidates of a grid, or draw those of a random search as scikit-learn does."""
    if not is_random(search):
        return list(ParameterGrid(search.param_grid))
    n_iter = _N_ITER if search.n_iter is None else search.n_iter
    return list(ParameterSampler(search.param_grid, n_iter, random_state=search.random_state))


def _splits(search: Any, X: Any, y: Any, params: Mapping[str, Any]) -> tuple[Split, ...]:
    cv = check_cv(search.cv, y, classifier=is_classifier(search.estimator))
    expected = cv.get_n_splits(X, y, **params)
    splits = as_splits(cv.split(X, y, **params), int(num_samples(X)))
    if len(splits) != expected:
        raise ValueError(
            "cv.split and cv.get_n_splits return inconsistent results. "
            f"Expected {expected} splits, got {len(splits)}"
        )
    return splits
