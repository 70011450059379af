"""Make the fits of a search, by way of a checkpoint or without one."""

from __future__ import annotations

import numbers
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, closing, nullcontext
from os import PathLike
from typing import Any

from sklearn.base import clone

from skmaxev._compat import asks_for_predictions_only
from skmaxev.engine.plan import Plan
from skmaxev.engine.record import Record, Responses, report_failures
from skmaxev.engine.run import run
from skmaxev.engine.steps import common_prefixes
from skmaxev.engine.store import FitStore
from skmaxev.engine.submodels import submodels_of
from skmaxev.engine.types import Fit, Job, Pair
from skmaxev.readers.checkpoint import plain_rows, plain_tables
from skmaxev.search._progress import Progress
from skmaxev.search._request import Request
from skmaxev.table import ScoreTable

__all__ = [
    "check_repeatable",
    "fit_plan",
    "fit_winner",
    "keep_tables",
    "make_fits",
    "open_store",
    "shared_work",
]

MakeFits = Callable[..., Record]


def shared_work(request: Request, *, steps: bool, submodels: bool) -> dict[str, Any]:
    """Find what candidates share: first steps of pipelines, and fits that hold several of them."""
    prefixes = common_prefixes(request.estimator, request.candidates) if steps else []
    if not submodels:
        return {"prefixes": prefixes, "submodels": []}
    found = submodels_of(
        request.estimator,
        request.candidates,
        prefixes=prefixes,
        fit_params=request.fit_params,
        only_predictions=asks_for_predictions_only(request.scorer),
        n_rows=max(request.n_rows, *(len(split.train) for split in request.splits)),
    )
    return {"prefixes": prefixes, "submodels": found}


def make_fits(
    request: Request,
    job: Job,
    plan: Plan,
    pairs: Sequence[Pair],
    *,
    store: FitStore | None,
    responses: Responses | None,
    **options: Any,
) -> Record:
    """Make fits of a plan and gather their scores, and the predictions if they are kept.

    What the store has is not fitted again; ``options`` are those of `skmaxev.engine.run.run`.
    """
    record = Record(plan, len(request.candidates), request.error_score)
    options |= {"units": plan.units, "candidates": request.candidates}
    for fit in _fits(job, request.X, request.y, pairs, store, options):
        if responses is not None:
            responses.take(fit, plan.units)
        record.add(fit)
    return record


def _fits(
    job: Job, X: Any, y: Any, pairs: Sequence[Pair], store: FitStore | None, options: dict[str, Any]
) -> Iterator[Fit]:
    """Give the fits that the store has, and make and keep the others."""
    missing = dict.fromkeys(pairs)
    if store is not None:
        known = {"units": options["units"], "candidates": options["candidates"]}
        for fit in store.finished(pairs, **known):
            del missing[fit.unit, fit.candidate]
            yield fit
    if missing:
        for fit in run(job, X, y, list(missing), **options):
            if store is not None:
                store.keep(fit)
            yield fit


def fit_plan(
    request: Request, plan: Plan, make: MakeFits, progress: Progress, *, verbose: int
) -> Record:
    """Make every fit of the plan, and tell about those that failed."""
    n_candidates, n_splits = len(request.candidates), len(request.splits)
    if n_candidates * n_splits < 1:
        raise ValueError(
            "No fits were performed. Was the CV iterator empty? Were there no candidates?"
        )
    if verbose > 0:
        inside = "" if plan.nesting is None else " with those of nested cross-validation"
        print(
            f"Fitting {n_splits} folds for each of {n_candidates} candidates, "
            f"totalling {plan.n_fits(n_candidates, refit=False)} fits{inside}"
        )
    units = [plan.where[place][0] for place in request.places]
    with progress.search(units, n_candidates) as contexts:
        record = make(plan, plan.pairs(n_candidates), contexts=contexts)
    report_failures(record, plan, request.places, request.classes)
    return record


def fit_winner(request: Request, params: Any, progress: Progress) -> dict[str, Any]:
    """Fit the winner on all rows; give the fitted attributes."""
    winner = clone(clone(request.estimator)).set_params(**clone(params, safe=False))
    target = () if request.y is None else (request.y,)
    with progress.fit_of(winner, "refit-with-best-params"):
        start = time.time()
        winner.fit(request.X, *target, **request.fit_params)
        seconds = time.time() - start
    found = {"best_estimator_": winner, "refit_time_": seconds}
    if hasattr(winner, "feature_names_in_"):
        found["feature_names_in_"] = winner.feature_names_in_
    return found


def open_store(
    path: str | PathLike[str] | None, job: Job, X: Any, y: Any
) -> AbstractContextManager[FitStore | None]:
    """Open the checkpoint, if there is a path, for the length of a ``with`` block."""
    return nullcontext() if path is None else closing(FitStore(path, job, X, y))


def keep_tables(
    store: FitStore | None, tables: Mapping[str, ScoreTable], *, primary: str | None, source: str
) -> None:
    """Keep the score tables for `skmaxev.correct`."""
    if store is not None and tables:
        store.finish(plain_tables(tables, primary=primary, source=source), plain_rows(tables))


def check_repeatable(splitters: Mapping[str, Any], *, drawn: str, random_state: Any) -> None:
    """Refuse splits, and what else is ``drawn``, if another run would draw others."""
    for name, value in splitters.items():
        shuffles = hasattr(value, "split") and getattr(value, "shuffle", True)
        if shuffles and getattr(value, "random_state", 0) is None:
            raise ValueError(
                f"a checkpoint needs the same splits at every call; {name}={value} draws new ones, "
                "so that no finished fit would be found again. Give it a whole number as "
                "random_state."
            )
    if drawn and not isinstance(random_state, numbers.Integral):
        raise ValueError(
            f"a checkpoint needs the same {drawn} at every call; got "
            f"random_state={random_state!r}. Give a whole number."
        )
