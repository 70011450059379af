"""Judging candidates again between the choice of a search and its refit, on its own engine."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.exceptions import FitFailedWarning

from skmaxev.engine.plan import plan_later_fits
from skmaxev.engine.record import Record
from skmaxev.engine.splits import as_splits
from skmaxev.engine.types import Place
from skmaxev.report import SelectionReport
from skmaxev.search._choice import complete_scores
from skmaxev.search._request import Request
from skmaxev.search.judge_again import deal_anew, fresh_splitter, judge_on_fresh, n_judged

__all__ = ["check_fresh", "judge_before_refit", "n_fresh_fits"]


def _splitter(request: Request) -> tuple[Any, tuple[str, ...]]:
    return fresh_splitter(request.cv, request.y, classifier=request.classes is not None)


def check_fresh(request: Request) -> None:
    """Refuse, before the first fit, splits that cannot be drawn anew and another method."""
    _splitter(request)
    if request.method != "CONSENSUS":
        raise ValueError(
            f"n_judge_again needs method='CONSENSUS', which weighs fresh partitions; got "
            f"{request.method!r}."
        )


def n_fresh_fits(request: Request, n_repeats: int) -> int:
    """Count the fits on fresh partitions."""
    if not n_repeats:
        return 0
    cv, _ = _splitter(request)
    wanted = [1 if callable(request.refit) else n_judged(number) for number in range(n_repeats)]
    n_splits = int(cv.get_n_splits(request.X, request.y, **request.split_params))
    return n_splits * sum(min(one, len(request.candidates)) for one in wanted)


def judge_before_refit(
    request: Request,
    record: Record,
    report: SelectionReport,
    make: Callable[..., Record],
    *,
    n_repeats: int,
    random_state: Any,
) -> SelectionReport:
    """Judge the better candidates again, on fits that ``make(plan, pairs)`` makes.

    The fits are counted in ``record``.
    """
    metric = request.primary(record) or ""

    def score(number: int, candidates: Sequence[int], splits: Any) -> Any:
        rows = as_splits(splits, request.n_rows)
        places = {Place("fresh", number, k): split for k, split in enumerate(rows)}
        pairs = [(unit, one) for unit in range(len(rows)) for one in candidates]
        fresh = make(plan_later_fits(places), pairs)
        record.count(fresh)
        _tell_failures(fresh)
        if metric not in fresh.metrics:
            return np.full(len(candidates), np.nan)
        return complete_scores(fresh, [*places], metric)[candidates].mean(axis=1)

    cv, note = _splitter(request)
    partitions = deal_anew(
        cv, n_repeats, random_state, request.X, request.y, **request.split_params
    )
    report = judge_on_fresh(report, partitions, score, own_rule=callable(request.refit))
    return replace(report, notes=(*report.notes, *note))


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
