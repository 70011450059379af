"""Outer folds of nested cross-validation: choose inside each, judge the winner outside."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skmaxev.engine.failures import report_nested_failures
from skmaxev.engine.plan import Nesting, Place, Plan, plan_later_fits
from skmaxev.engine.record import Record
from skmaxev.search._choice import NOBODY, choose_inside
from skmaxev.search._request import Request
from skmaxev.table import OuterFolds

__all__ = ["inner_places", "judge_outer_folds", "outer_table"]

FloatArray = NDArray[np.float64]
Run = Callable[[Plan, Sequence[tuple[int, int]], Record], None]


def inner_places(nesting: Nesting, level: str, fold: int) -> list[Place]:
    """List the places of the splits inside one outer fold."""
    splits = (nesting.inner if level == "inner" else nesting.within)[fold]
    return [Place(level, fold, number) for number in range(len(splits))]


def judge_outer_folds(
    search: Any, request: Request, plan: Plan, nesting: Nesting, record: Record, run: Run
) -> dict[str, OuterFolds]:
    """Choose in every outer fold and judge its winner, for each metric.

    Parameters
    ----------
    search : search object
        Its ``refit`` chooses, also inside the folds.
    request : Request
        What is searched.
    plan : Plan
        Where an outer fold's training rows have no unit, its winner is fitted now.
    nesting : Nesting
        The outer folds and the splits inside.
    record : Record
        Finished fits; counts the new ones.
    run : callable
        ``run(plan, pairs, record)`` makes fits.

    Returns
    -------
    dict of str to OuterFolds
        A fold has score NaN if no candidate has all its scores inside the fold, although
        there is a choice, or if the winner's own fit or score failed.
    """
    winners = {
        metric: _winners(search, request, nesting, record, metric) for metric in record.metrics
    }
    sources = _refit_winners(request, plan, nesting, record, winners, run)
    return {
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


def _winners(
    search: Any, request: Request, nesting: Nesting, record: Record, metric: str
) -> list[int]:
    return [
        choose_inside(search, record, inner_places(nesting, "inner", k), metric, request.candidates)
        for k in range(len(nesting.outer))
    ]


def _refit_winners(
    request: Request,
    plan: Plan,
    nesting: Nesting,
    record: Record,
    winners: Mapping[str, list[int]],
    run: Run,
) -> list[Record]:
    """Fit the winners of folds whose training rows no unit has; give each fold's record."""
    folds = plan.outer_refits
    second = plan_later_fits({Place("outer", k, 0): nesting.outer[k] for k in folds})
    outside = Record(second, record.n_candidates, record.error_score)
    pairs = {(number, chosen[k]) for number, k in enumerate(folds) for chosen in winners.values()}
    if pairs:
        run(second, sorted(pairs), outside)
    record.count(outside)
    report_nested_failures(outside, second, plan.splits, request.classes)
    return [outside if k in folds else record for k in range(len(nesting.outer))]


def _outer_scores(
    sources: Sequence[Record],
    nesting: Nesting,
    record: Record,
    metric: str,
    winners: Sequence[int],
) -> FloatArray:
    scores = np.full(len(winners), np.nan)
    for k, (source, winner) in enumerate(zip(sources, winners, strict=True)):
        place = [Place("outer", k, 0)]
        if winner == NOBODY or metric not in source.metrics:
            continue
        failed = source.failed(place, metric)[winner, 0]
        if not failed and _has_choice(record, nesting, k, metric):
            scores[k] = source.scores(place, metric)[winner, 0]
    return scores


def _has_choice(record: Record, nesting: Nesting, fold: int, metric: str) -> bool:
    """Tell whether some candidate has all its scores inside the fold, or there is only one."""
    places = inner_places(nesting, "inner", fold)
    complete = np.isfinite(record.scores(places, metric)) & ~record.failed(places, metric)
    return record.n_candidates == 1 or bool(complete.all(axis=1).any())


def _inner_scores(record: Record, nesting: Nesting, metric: str) -> FloatArray:
    """Gather the inner scores, (n_outer, n_inner, n_candidates), NaN where there is none."""
    most = max(len(splits) for splits in nesting.inner)
    inner = np.full((len(nesting.inner), most, record.n_candidates), np.nan)
    for k, splits in enumerate(nesting.inner):
        places = inner_places(nesting, "inner", k)
        scores = np.where(record.failed(places, metric), np.nan, record.scores(places, metric))
        inner[k, : len(splits)] = scores.T
    return inner


def outer_table(own: OuterFolds, candidates: Sequence[Any]) -> dict[str, Any]:
    """Make the table of outer folds, one row a fold, as ``pandas.DataFrame`` takes it.

    Parameters
    ----------
    own : OuterFolds
        For the metric that chooses.
    candidates : sequence of dict
        Settings of each candidate.

    Returns
    -------
    dict
        ``best_index``, ``params``, ``n_train``, ``n_test``, ``mean_inner_score`` of the winner, and
        ``test_score``.
    """
    return {
        "best_index": own.best_index,
        "params": _winners_params(own, candidates),
        "n_train": own.n_train,
        "n_test": own.n_test,
        "mean_inner_score": _winners_inner_means(own),
        "test_score": own.scores,
    }


def _winners_params(own: OuterFolds, candidates: Sequence[Any]) -> list[Any]:
    if own.params is not None:
        return list(own.params)
    return [None if best == NOBODY else candidates[best] for best in own.best_index]


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
