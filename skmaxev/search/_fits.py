"""Make the fits of a search, but for those that its checkpoint has, and tell who listens."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from os import PathLike
from typing import Any, Self

from sklearn.base import clone

from skmaxev._compat import asks_for_predictions_only, has_callbacks
from skmaxev.engine.plan import Plan
from skmaxev.engine.record import Record, Responses, report_failures
from skmaxev.engine.run import run
from skmaxev.engine.steps import common_prefixes
from skmaxev.engine.store import FitStore
from skmaxev.engine.submodels import submodels_of
from skmaxev.engine.types import Fit, Job, Pair
from skmaxev.readers.checkpoint import take_apart
from skmaxev.search._request import Request
from skmaxev.table import ScoreTable

__all__ = ["Fits", "Progress", "fit_winner", "shared_work"]

Contexts = Mapping[Pair, Sequence[Any]]


class Fits:
    """What makes fits and gathers their scores, as a context in which the checkpoint is open.

    Parameters
    ----------
    job, X, y, candidates, **options
        As for `skmaxev.engine.run.run`.
    checkpoint : path-like, optional
        File of finished fits.
    responses : Responses, optional
        Takes the predictions, where they are kept.
    progress : Progress, optional
        Tells callbacks.
    """

    def __init__(
        self,
        job: Job,
        X: Any,
        y: Any,
        candidates: Sequence[Mapping[str, Any]],
        *,
        checkpoint: str | PathLike[str] | None = None,
        responses: Responses | None = None,
        progress: Progress | None = None,
        **options: Any,
    ) -> None:
        self._job, self._X, self._y, self._options = job, X, y, options
        self._candidates, self._checkpoint = candidates, checkpoint
        self._store: FitStore | None = None
        self._progress = progress or Progress(None)
        self.responses = responses

    def __enter__(self) -> Self:
        if self._checkpoint is not None:
            self._store = FitStore(self._checkpoint, self._job, self._X, self._y)
        return self

    def __exit__(self, *_: object) -> None:
        if self._store is not None:
            self._store.close()

    def make(
        self, plan: Plan, pairs: Sequence[Pair] | None = None, contexts: Contexts | None = None
    ) -> Record:
        """Make fits of a plan, all if no ``pairs`` are named; none is made that the store has."""
        if pairs is None:
            pairs = plan.pairs(len(self._candidates))
        record = Record(plan, len(self._candidates), self._job.error_score)
        for fit in self._finished(plan, pairs, contexts):
            if self.responses is not None:
                self.responses.take(fit, plan.units)
            record.add(fit)
        return record

    def _finished(
        self, plan: Plan, pairs: Sequence[Pair], contexts: Contexts | None
    ) -> Iterator[Fit]:
        what: dict[str, Any] = {"units": plan.units, "candidates": self._candidates}
        missing = dict.fromkeys(pairs)
        if self._store is not None:
            for fit in self._store.finished(pairs, **what):
                del missing[fit.unit, fit.candidate]
                yield fit
        if not missing:
            return
        options = self._options | what | {"contexts": contexts}
        for fit in run(self._job, self._X, self._y, list(missing), **options):
            if self._store is not None:
                self._store.keep(fit)
            yield fit

    def search(self, request: Request, plan: Plan) -> Record:
        """Make every fit of a search, and tell about those that failed."""
        n_candidates, n_splits = len(request.candidates), len(request.splits)
        if n_candidates * n_splits < 1:
            raise ValueError(
                "No fits were performed. Was the CV iterator empty? Were there no candidates?"
            )
        if request.verbose > 0:
            inside = "" if plan.nesting is None else " with those of nested cross-validation"
            print(
                f"Fitting {n_splits} folds for each of {n_candidates} candidates, "
                f"totalling {plan.n_fits(n_candidates, refit=False)} fits{inside}"
            )
        units = [plan.where[place][0] for place in request.places]
        nested = sorted(set(range(len(plan.units))) - set(units))
        with self._progress.search(units, nested, n_candidates) as contexts:
            record = self.make(plan, contexts=contexts)
        report_failures(record, plan, request.places, request.classes)
        return record

    def keep_tables(
        self, tables: Mapping[str, ScoreTable], *, primary: str | None, source: str
    ) -> None:
        """Keep the score tables for `skmaxev.correct`."""
        if self._store is not None and tables:
            self._store.finish(*take_apart(tables, primary=primary, source=source))


def shared_work(request: Request) -> dict[str, Any]:
    """Find what candidates share: first steps of pipelines, and fits that hold several of them."""
    given = request.estimator, request.candidates
    prefixes = common_prefixes(*given) if request.share_steps else []
    if not request.share_submodels:
        return {"prefixes": prefixes, "submodels": []}
    found = submodels_of(
        *given,
        prefixes=prefixes,
        fit_params=request.fit_params,
        only_predictions=asks_for_predictions_only(request.scorer),
        n_rows=max(request.n_rows, *(len(split.train) for split in request.splits)),
    )
    return {"prefixes": prefixes, "submodels": found}


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


class Progress:
    """The tree of callback contexts of one search, as GridSearchCV builds it from 1.9 on.

    Callbacks listen to ``caller``, or to what holds it; nothing happens where none do. ``n_tasks``
    follow: the search, the refit.
    """

    def __init__(
        self, caller: Any, X: Any = None, y: Any = None, metadata: Any = None, *, n_tasks: int = 0
    ) -> None:
        self._about = {"estimator": caller, "X": X, "y": y, "metadata": metadata}
        self._n_tasks = n_tasks
        self._root: Any = None

    def __enter__(self) -> Self:
        caller = self._about["estimator"]
        if has_callbacks(caller):
            root = caller._init_callback_context(max_subtasks=self._n_tasks)  # noqa: SLF001  # documented so
            self._root = root.call_on_fit_task_begin(**self._about)
        return self

    def __exit__(self, kind: Any, *_: object) -> None:
        if self._root is not None and kind is None:
            self._root.call_on_fit_task_end(**self._about)

    @contextmanager
    def search(
        self, units: Sequence[int], nested: Sequence[int], n_candidates: int
    ) -> Iterator[Contexts]:
        """Tell about the fits of a search.

        ``units`` serve its splits, and ``nested`` only the folds inside folds. Yields, for unit and
        candidate, the contexts of the splits that the fit serves.
        """
        contexts: dict[Pair, list[Any]] = {}
        if self._root is None:
            yield contexts
            return
        caller = self._about["estimator"]
        fits = [
            ("candidate-split-evaluation", unit, candidate)
            for candidate in range(n_candidates)
            for unit in units
        ]
        fits += [
            ("candidate-nested-fold-evaluation", unit, candidate)
            for candidate in range(n_candidates)
            for unit in nested
        ]
        task = self._root.subcontext(
            task_name="search", max_subtasks=len(fits), sequential_subtasks=False
        ).call_on_fit_task_begin(estimator=caller)
        for number, (name, unit, candidate) in enumerate(fits):
            context = task.subcontext(task_name=name, task_id=number)
            contexts.setdefault((unit, candidate), []).append(context)
        yield contexts
        task.call_on_fit_task_end(estimator=caller)

    @contextmanager
    def fit_of(self, model: Any, task: str) -> Iterator[None]:
        """Tell about the fit of one model: the winner on all rows, or a search as it is."""
        if self._root is None:
            yield
            return
        context = self._root.subcontext(task_name=task)
        with context.propagate_callback_context(model):
            context.call_on_fit_task_begin(**self._about)
            yield
        context.call_on_fit_task_end(**self._about)
