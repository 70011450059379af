"""Nested folds: which ones an estimate needs, who wins inside, and what it is worth outside."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import check_cv

from skmaxev.engine.plan import Plan, plan_later_fits, share_folds
from skmaxev.engine.record import Record, report_nested_failures
from skmaxev.engine.splits import SplitError, as_splits, fresh_copy, nest, split_rows
from skmaxev.engine.types import Nesting, Place
from skmaxev.search._choice import NOBODY, choose_inside, complete_scores
from skmaxev.search._request import Request
from skmaxev.table import OuterFolds

__all__ = ["attributes_of_outer_folds", "inner_places", "judge_outer_folds", "nested_folds"]

FloatArray = NDArray[np.float64]
_CURE = "Give cv as three or more folds that judge each row once, or outer folds as outer_cv."
_CURE_WITHIN = "Use fewer folds inside, folds of cv that judge more rows, or inner_cv=None."


def nested_folds(request: Request) -> Nesting | None:
    """Say which folds the method needs beside those of the search; None for none."""
    if request.inner_cv is not None:
        return _with_inner_level(request)
    if request.method != "NESTED":
        return None
    if request.outer_cv is not None:
        outer = check_cv(request.outer_cv, request.y, classifier=request.classes is not None)
        splits = outer.split(request.X, request.y, **request.outer_params)
        return nest(request.cv, as_splits(splits, request.n_rows), **_data(request))
    try:
        return _folds_of_the_search(request, _CURE)
    except SplitError as error:
        warnings.warn(
            "No nested cross-validation, so best_score_ will be NaN: the "
            f"{len(request.splits)} splits of cv are no three folds that judge each row once, "
            f"which could be shared, and as outer folds they cannot be used either: {error}",
            UserWarning,
            stacklevel=2,
        )
        return None


def _data(request: Request) -> dict[str, Any]:
    return {
        "X": request.X,
        "y": request.y,
        "estimator": request.estimator,
        "classifier": request.classes is not None,
        "params": request.split_params,
    }


def _folds_of_the_search(request: Request, cure: str) -> Nesting:
    shared = share_folds(request.splits)
    return shared or nest(request.cv, request.splits, cure=cure, **_data(request))


def _with_inner_level(request: Request) -> Nesting:
    """Split the judged rows of every fold too, for the full form of the low-variance estimate."""
    nesting = _folds_of_the_search(request, _CURE_WITHIN)
    within = tuple(
        split_rows(
            fresh_copy(request.inner_cv),
            fold.test,
            name=f"inner_cv cannot split the judged rows of fold {number}",
            cure=_CURE_WITHIN,
            **_data(request),
        )
        for number, fold in enumerate(nesting.outer)
    )
    return replace(nesting, within=within)


def inner_places(nesting: Nesting, level: str, fold: int) -> list[Place]:
    """List the places of the splits inside one outer fold."""
    splits = (nesting.inner if level == "inner" else nesting.within)[fold]
    return [Place(level, fold, number) for number in range(len(splits))]


def judge_outer_folds(
    request: Request, plan: Plan, record: Record, make: Callable[..., Record]
) -> dict[str, OuterFolds]:
    """Choose in every outer fold and judge its winner, for each metric; empty without such folds.

    ``make(plan, pairs)`` makes the fits of winners that ``record`` lacks, which are counted there.
    A fold has score NaN if no candidate has all its scores inside the fold, although there is a
    choice, or if the winner's own fit or score failed.
    """
    nesting = plan.nesting
    if nesting is None or nesting.within:
        return {}
    folds = range(len(nesting.outer))
    winners = {
        metric: [
            choose_inside(request, record, inner_places(nesting, "inner", k), metric) for k in folds
        ]
        for metric in record.metrics
    }
    second = plan_later_fits({Place("outer", k, 0): nesting.outer[k] for k in plan.outer_refits})
    pairs = {
        (number, chosen[k])
        for number, k in enumerate(plan.outer_refits)
        for chosen in winners.values()
        if chosen[k] != NOBODY
    }
    refits = make(second, sorted(pairs))
    record.count(refits)
    report_nested_failures(refits, second, plan.splits, request.classes)
    sources = [refits if k in plan.outer_refits else record for k in folds]
    outer = {
        metric: OuterFolds(
            scores=_outer_scores(sources, nesting, record, metric, chosen),
            best_index=np.array(chosen, dtype=np.intp),
            n_train=np.array([len(split.train) for split in nesting.outer]),
            n_test=np.array([len(split.test) for split in nesting.outer]),
            inner=_inner_scores(record, nesting, metric),
            shared=nesting.shared,
        )
        for metric, chosen in winners.items()
    }
    if not (record.errors or record.failures):  # or it is told already
        _warn_of_empty_folds(request, record, outer)
    return outer


def _outer_scores(
    sources: Sequence[Record],
    nesting: Nesting,
    record: Record,
    metric: str,
    winners: Sequence[int],
) -> FloatArray:
    scores = np.full(len(winners), np.nan)
    for k, (source, winner) in enumerate(zip(sources, winners, strict=True)):
        if winner == NOBODY or metric not in source.metrics:
            continue
        inside = complete_scores(record, inner_places(nesting, "inner", k), metric)
        if len(inside) == 1 or np.isfinite(inside).all(axis=1).any():
            scores[k] = complete_scores(source, [Place("outer", k, 0)], metric)[winner, 0]
    return scores


def _warn_of_empty_folds(request: Request, record: Record, outer: Mapping[str, OuterFolds]) -> None:
    """Warn where some outer fold has no score, if scikit-learn did not warn of others."""
    primary = request.primary(record)
    if primary is None:
        return
    empty = np.flatnonzero(~np.isfinite(outer[primary].scores))
    if empty.size and np.isfinite(record.scores(request.places, primary)).all():
        warnings.warn(
            f"best_score_ is NaN: outer folds {empty.tolist()} have no score. Either no "
            "candidate has a score on every split inside, or the winner has none outside.",
            UserWarning,
            stacklevel=2,
        )


def _inner_scores(record: Record, nesting: Nesting, metric: str) -> FloatArray:
    """Gather the inner scores, (n_outer, n_inner, n_candidates), NaN where there is none."""
    most = max(len(splits) for splits in nesting.inner)
    inner = np.full((len(nesting.inner), most, record.n_candidates), np.nan)
    for k, splits in enumerate(nesting.inner):
        inner[k, : len(splits)] = complete_scores(
            record, inner_places(nesting, "inner", k), metric
        ).T
    return inner


def attributes_of_outer_folds(own: OuterFolds | None, candidates: Sequence[Any]) -> dict[str, Any]:
    """Give ``outer_scores_``, and ``outer_results_``, a table of one row a fold, of one metric."""
    if own is None:
        return {}
    params = own.params or [None if k == NOBODY else candidates[k] for k in own.best_index]
    results = {
        "best_index": own.best_index,
        "params": list(params),
        "n_train": own.n_train,
        "n_test": own.n_test,
        "mean_inner_score": _winners_inner_means(own),
        "test_score": own.scores,
    }
    return {"outer_scores_": own.scores, "outer_results_": results}


def _winners_inner_means(own: OuterFolds) -> FloatArray:
    """Average the inner scores of each fold's winner, over the inner splits that the fold has."""
    if own.inner is not None and own.params is not None:
        return own.inner[:, 0, 0]
    means = np.full(len(own.scores), np.nan)
    for k, best in enumerate(own.best_index):
        if best != NOBODY and own.inner is not None:
            made = ~np.isnan(own.inner[k]).all(axis=1)  # a fold may have fewer splits than others
            means[k] = own.inner[k][made, best].mean() if made.any() else np.nan
    return means
