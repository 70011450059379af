"""Readers of fitted search objects, and of skore's reports of cross-validated models."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Real
from typing import Any

import numpy as np
from sklearn.exceptions import NotFittedError
from sklearn.feature_selection import RFECV

from skmaxev.metrics import metric_name
from skmaxev.readers.arrays import is_missing
from skmaxev.readers.build import build_table
from skmaxev.readers.columns import as_columns, split_columns
from skmaxev.readers.paths import from_path, is_path
from skmaxev.readers.results import choose_metric, from_cv_results
from skmaxev.readers.splitters import design_of_splitter
from skmaxev.readers.studies import from_study
from skmaxev.table import Design, ScoreTable, UncorrectableError

__all__ = ["from_search", "from_skore", "is_search", "is_skore", "metrics_of"]


_DEFAULT = "default_score"  # what the model's own ``score`` gives


def is_search(results: Any) -> bool:
    """Tell whether this is a search object, fitted or not."""
    if isinstance(results, type):
        return False
    return hasattr(results, "cv_results_") or (
        hasattr(results, "fit") and (hasattr(results, "study_") or hasattr(results, "get_params"))
    )


def from_search(search: Any, *, metric: str | None = None) -> ScoreTable:
    """Read the score table of a fitted search, or of a pipeline that ends in one.

    ``metric`` is that of ``refit`` if omitted. The winner is the search's own, ``best_index_``,
    where it has one for this metric.
    """
    while hasattr(search, "named_steps") and not hasattr(search, "cv_results_"):
        search = search.steps[-1][1]  # a pipeline that ends in the search
    own = _own_table(search, metric)
    if own is not None:
        return own
    name, error_score = type(search).__name__, getattr(search, "error_score", None)
    told_by_search: dict[str, Any] = {
        "source": name,
        "error_score": float(error_score) if isinstance(error_score, Real) else None,
    }
    if hasattr(search, "study_"):
        return from_study(search.study_, metric=metric or metric_name(search), **told_by_search)
    if is_path(search):
        return from_path(search, metric=metric)
    results = _results(search, name)
    metrics = split_columns(results)
    chosen = _chosen_metric(search, metrics, metric)
    column, columns = choose_metric(metrics, chosen, list(results))
    scoring = getattr(search, "scoring", None)  # perhaps {"r": "roc_auc"}
    scorer = scoring.get(column) if isinstance(scoring, Mapping) else None
    n_splits, n_candidates = len(columns), len(results[columns[0]])
    return from_cv_results(
        results,
        metric=chosen,
        best_index=_best_index(search, column),
        told=False,
        greater_is_better=True,  # as in scikit-learn
        n_fits=n_candidates * n_splits + bool(getattr(search, "refit", False)),
        name=scorer if isinstance(scorer, str) else None,
        design=design_of_splitter(getattr(search, "cv", None), n_splits),
        **told_by_search,
    )


def _own_table(search: Any, metric: str | None) -> ScoreTable | None:
    """Return the table behind the report of a search of this package: it holds rows and folds."""
    report = getattr(search, "report_", None)
    if metric is not None and metric != getattr(report, "metric", None):
        report = (getattr(search, "reports_", None) or {}).get(metric)
    table = getattr(report, "table", None)
    return table if isinstance(table, ScoreTable) else None


def _results(search: Any, name: str) -> Mapping[str, Any]:
    results = getattr(search, "cv_results_", None)
    if hasattr(results, "columns"):
        results = as_columns(results)  # of sktime, a frame
    if hasattr(search, "best_threshold_"):
        raise UncorrectableError(
            f"{name} keeps only mean scores of its thresholds, so nothing shows their noise. Tune "
            "the threshold with GridSearchCV(FixedThresholdClassifier(model), {'threshold': "
            "[...]}) instead."
        )
    if results is not None:
        return _named_choices(search, results)
    if not any(key.endswith("_") for key in vars(search)):
        raise NotFittedError(f"the search must be fitted; this {name} is not. Call fit first.")
    cure = "Search with GridSearchCV, or HonestSearchCV(estimator, param_grid)"
    if hasattr(search, "store_cv_results") and search.cv is None:
        cure = f"Fit {name}(store_cv_results=True)"
    raise TypeError(
        "a search must keep the score of every candidate on every split; this fitted "
        f"{name} keeps none. {cure}, or pass those scores as an array."
    )


def _named_choices(search: Any, results: Mapping[str, Any]) -> Mapping[str, Any]:
    """Name the settings of a search of skrub's, whose own table is sorted by the last column."""
    table = getattr(search, "results_", None)
    if type(search).__module__.partition(".")[0] != "skrub" or table is None:
        return results
    order = np.argsort(-np.asarray(results[table.columns[-1]]), kind="stable")
    choices = table[[name for name in table.columns if not name.startswith("mean_test_")]]
    params: list[dict[str, Any]] = [{}] * len(order)
    for index, row in zip(order, choices.to_dict("records"), strict=True):
        params[index] = {name: value for name, value in row.items() if not is_missing(value)}
    return {**results, "params": params}


def _chosen_metric(search: Any, metrics: Mapping[str, Any], metric: str | None) -> str | None:
    scoring = getattr(search, "scoring", None)
    if metric is not None and isinstance(scoring, str) and metric != scoring:
        raise ValueError(
            f"metric must be what the search scored, {scoring!r}; got {metric!r}. Leave metric out."
        )
    if metric is not None or len(metrics) <= 1:
        return metric or metric_name(search)
    refit = getattr(search, "refit", None)
    return refit if isinstance(refit, str) else None


def metrics_of(search: Any) -> list[str]:
    """Name the metrics that a fitted search scored its splits by."""
    return list(split_columns(as_columns(getattr(search, "cv_results_", None)) or {}))


def _best_index(search: Any, column: str) -> int | None:
    """Return the search's own winner if this metric, or a rule of the user's, chose it."""
    if isinstance(search, RFECV):
        return int(np.flatnonzero(search.cv_results_["n_features"] == search.n_features_)[0])
    refit = getattr(search, "refit", None)
    if column == "score" or callable(refit) or refit == column:
        best = getattr(search, "best_index_", None)
        return None if best is None else int(best)
    return None


def is_skore(results: Any) -> bool:
    """Tell whether this is a report of skore's."""
    return type(results).__module__.partition(".")[0] == "skore" and hasattr(results, "metrics")


def from_skore(report: Any, *, metric: str | None = None, **naming: Any) -> ScoreTable:
    """Read a ComparisonReport of CrossValidationReports, or a single one of them."""
    models = getattr(report, "reports_", {"model": report})
    if not all(hasattr(model, "split_indices") for model in models.values()):
        raise TypeError(
            "a ComparisonReport must be one of CrossValidationReports; a single split shows no "
            "noise. Make CrossValidationReport(model, X, y, splitter=5) of each model."
        )
    splits = [model.split_indices for model in models.values()]
    tests = [[test.tolist() for _, test in found] for found in splits]
    if any(test != tests[0] for test in tests):
        raise ValueError(
            "all models must be judged on the same splits; those of this report differ. Give each "
            "CrossValidationReport the same splitter, with a random_state where it shuffles."
        )
    frames = [model.metrics.summarize().frame(aggregate=None) for model in models.values()]
    row = metric or _DEFAULT
    names = [name for name in frames[0].index if "time" not in name]
    if not all(row in frame.index for frame in frames):
        raise ValueError(f"metric must be one of {names}; got {metric!r}.")
    own = {metric_name(model) for model in models.values()}
    return build_table(
        np.column_stack([frame.loc[row].to_numpy(dtype=np.float64) for frame in frames]),
        metric=metric or (own.pop() if len(own) == 1 else None) or "score",
        params=[{"model": name} for name in models],
        design=Design.from_splits(splits[0], source="indices"),
        source=type(report).__name__,
        **naming,
    )
