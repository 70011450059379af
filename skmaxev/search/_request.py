"""What a call of ``fit`` asks for, as plain values: data, parameters, splits, candidates."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from sklearn.base import is_classifier
from sklearn.model_selection import ParameterGrid, ParameterSampler, check_cv

from skmaxev._compat import num_samples
from skmaxev.engine.record import SINGLE, Record
from skmaxev.engine.splits import as_splits
from skmaxev.engine.types import Place, Split
from skmaxev.readers.search import metric_name
from skmaxev.table import Design

__all__ = ["Request", "candidates_of", "is_random", "make_splits"]

_N_ITER = 10
"""Candidates of a random search that names no number, as in RandomizedSearchCV."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Request:
    """A search that is about to be made.

    Parameters
    ----------
    X, y : array-like of n_rows rows
        The data as it came, only made indexable; ``y`` may be None.
    estimator, scoring, refit, error_score, return_train_score, outer_cv, inner_cv, method
        As the search has them.
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
    estimator: Any
    scoring: Any
    refit: Any
    error_score: float | str
    return_train_score: bool
    outer_cv: Any
    inner_cv: Any
    method: str
    source: str
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

    @cached_property
    def design(self) -> Design:
        """How the splits share the rows; groups are clusters of rows."""
        groups = self.split_params.get("groups")
        labels = None if groups is None else np.asarray(groups)
        return Design.from_splits(
            [(split.train, split.test) for split in self.splits],
            clusters=labels if labels is not None and labels.shape == (self.n_rows,) else None,
        )

    def metric_name(self, metric: str) -> str:
        """Name a metric of the record as scikit-learn does, where it is one of its own."""
        if metric == SINGLE:
            return metric_name(self) or SINGLE
        given = self.scoring.get(metric) if isinstance(self.scoring, Mapping) else metric
        return given if isinstance(given, str) else metric


def is_random(param_grid: Any, n_iter: int | None) -> bool:
    """Tell whether candidates are drawn: a number of them is named, or a value can be drawn."""
    grids = param_grid if isinstance(param_grid, list) else [param_grid]
    values = (value for grid in grids if hasattr(grid, "values") for value in grid.values())
    return n_iter is not None or any(hasattr(value, "rvs") for value in values)


def candidates_of(param_grid: Any, n_iter: int | None, random_state: Any) -> list[dict[str, Any]]:
    """List the candidates of a grid, or draw those of a random search as scikit-learn does."""
    if not is_random(param_grid, n_iter):
        return list(ParameterGrid(param_grid))
    return list(ParameterSampler(param_grid, n_iter or _N_ITER, random_state=random_state))


def make_splits(
    cv: Any, X: Any, y: Any, params: Mapping[str, Any], *, estimator: Any
) -> tuple[Split, ...]:
    """Split the data by ``cv``, and check that as many splits come as it promises."""
    splitter = check_cv(cv, y, classifier=is_classifier(estimator))
    expected = splitter.get_n_splits(X, y, **params)
    splits = as_splits(splitter.split(X, y, **params), int(num_samples(X)))
    if len(splits) != expected:
        raise ValueError(
            "cv.split and cv.get_n_splits return inconsistent results. "
            f"Expected {expected} splits, got {len(splits)}"
        )
    return splits
