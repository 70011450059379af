"""Judging candidates again between the choice of a search and its refit, on its own engine."""

from __future__ import annotations

import numbers
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.base import is_classifier
from sklearn.exceptions import FitFailedWarning

from skmaxev.engine.plan import Place, as_splits, plan_later_fits
from skmaxev.engine.record import Record
from skmaxev.search._request import Request
from skmaxev.search.judge_again import deal_anew, fresh_splitter, judge_on_fresh, n_judged

__all__ = ["check_fresh", "judge_before_refit", "n_fresh_fits"]


def _splitter(search: Any, request: Request) -> tuple[Any, tuple[str, ...]]:
    return fresh_splitter(search.cv, request.y, classifier=is_classifier(search.estimator))


def check_fresh(search: Any, request: Request) -> None:
    """Refuse, before the first fit, what cannot be judged again.

    Raises
    ------
    ValueError
        For splits that cannot be drawn anew, another method, a checkpoint without a seed.
    """
    _splitter(search, request)
    if search.method != "CONSENSUS":
        raise ValueError(
            f"n_judge_again needs method='CONSENSUS', which weighs fresh partitions; got "
            f"{search.method!r}."
        )
    if search.checkpoint is not None and not isinstance(search.random_state, numbers.Integral):
        raise ValueError(
            "a checkpoint needs the same fresh partitions at every call; got "
            f"random_state={search.random_state!r} with n_judge_again. Give a whole number."
        )


def n_fresh_fits(search: Any, request: Request) -> int:
    """Count the fits on fresh partitions."""
    if not search.n_judge_again:
        return 0
    cv, _ = _splitter(search, request)
    n_candidates = len(request.candidates)
    wanted = [1 if callable(search.refit) else n_judged(r) for r in range(search.n_judge_again)]
    n_splits = int(cv.get_n_splits(request.X, request.y, **request.split_params))
    return n_splits * sum(min(one, n_candidates) for one in wanted)


def judge_before_refit(
    search: Any, request: Request, record: Record, found: Mapping[str, Any]
) -> dict[str, Any]:
    """Judge the better candidates again; give the fitted attributes that this changes.

    Parameters
    ----------
    search : search object
        With ``n_judge_again``.
    request : Request
        What is searched.
    record : Record
        Finished fits; counts the new ones.
    found : mapping
        Fitted attributes so far.
    """
    report, metric = found.get("report_"), search._primary(record)  # noqa: SLF001  # our own
    if report is None or metric is None:
        warnings.warn(
            "Nothing was judged again: no metric has chosen a winner, or it has no honest score.",
            UserWarning,
            stacklevel=2,
        )
        return {}
    if search.verbose > 0:
        print(
            f"Judging the better candidates again on {search.n_judge_again} fresh partitions, "
            f"totalling {n_fresh_fits(search, request)} fits"
        )

    def score(number: int, candidates: Sequence[int], splits: Any) -> Any:
        rows = as_splits(splits, request.n_rows)
        places = {Place("fresh", number, k): split for k, split in enumerate(rows)}
        plan = plan_later_fits(places)
        fresh = Record(plan, record.n_candidates, search.error_score)
        pairs = [(unit, one) for unit in range(len(rows)) for one in candidates]
        search._run(request, plan, pairs, fresh, {})  # noqa: SLF001  # our own
        record.count(fresh)
        _tell_failures(fresh)
        if metric not in fresh.metrics:
            return np.full(len(candidates), np.nan)
        scores, failed = fresh.scores([*places], metric), fresh.failed([*places], metric)
        return np.where(failed, np.nan, scores)[candidates].mean(axis=1)

    cv, note = _splitter(search, request)
    partitions = deal_anew(
        cv, search.n_judge_again, search.random_state, request.X, request.y, **request.split_params
    )
    report = judge_on_fresh(report, partitions, score, own_rule=callable(search.refit))
    report = replace(report, notes=(*report.notes, *note))
    best = report.best_index
    return {
        "report_": report,
        "reports_": {**found["reports_"], metric: report},
        "best_score_": report.estimate,
        "naive_best_score_": found["cv_results_"][f"mean_test_{metric}"][best],
        "best_index_": best,
        "best_params_": request.candidates[best],
        "n_fits_": record.n_fits + bool(search.refit),
        "n_restored_": record.n_restored,
        "n_steps_reused_": record.n_reused,
    }


def _tell_failures(fresh: Record) -> None:
    scorers = (text for found in fresh.failures.values() for text in found.values())
    errors = [*fresh.errors.values(), *scorers]
    if errors:
        warnings.warn(
            f"{len(errors)} fits or scores on a fresh partition failed; their candidates count as "
            f"not judged on it. The first error:\n{errors[0]}",
            FitFailedWarning,
            stacklevel=2,
        )
