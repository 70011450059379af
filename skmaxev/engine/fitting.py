"""One fit: a clone is trained on its rows and judged on every set of rows that wants it.

The rules are scikit-learn's own: every fit gets rows of its own, an error of ``fit`` becomes
``error_score``, parameters with one entry for each row are cut along.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Mapping
from traceback import format_exc
from typing import Any

from sklearn.base import clone

from skmaxev._compat import (
    asks_for_predictions_only,
    check_method_params,
    num_samples,
    propagate,
)
from skmaxev.engine.progress import begin_line, end_line
from skmaxev.engine.responses import capture, response_of
from skmaxev.engine.scoring import call_scorer
from skmaxev.engine.steps import SharedSteps
from skmaxev.engine.submodels import Base
from skmaxev.engine.types import Fit, Job, Judgement, Submodel, Task

__all__ = ["Fit", "Job", "fit_task", "fits_of"]


def fit_task(job: Job, X: Any, y: Any, task: Task) -> list[Fit]:
    """Make the fits of one task.

    Parameters
    ----------
    job : Job
        What all fits have in common.
    X, y : array-like of n_rows rows
        The whole data; ``y`` may be None.
    task : Task
        Unit and candidates.

    Returns
    -------
    list of Fit
        In the order of ``task.candidates``.
    """
    return list(fits_of(job, X, y, task))


def fits_of(job: Job, X: Any, y: Any, task: Task) -> Iterator[Fit]:
    """Make the fits of one task and hand over each as it finishes; as `fit_task` else."""
    shared = SharedSteps(task.prefixes, X, y)
    base = Base(shared)
    for (number, params), member in zip(task.candidates, task.submodels, strict=True):
        yield _OneFit(job, task, number, params, shared, base, member).make()


class _OneFit:
    """A clone on its way through fitting and judging."""

    def __init__(
        self,
        job: Job,
        task: Task,
        candidate: int,
        params: Mapping[str, Any],
        shared: SharedSteps,
        base: Base,
        member: Submodel | None,
    ) -> None:
        self.job, self.X, self.candidate, self.params = job, shared.X, candidate, params
        self.number, self.unit, self.shared = task.number, task.unit, shared
        self.base, self.member = base, member
        forgives = job.forgiving_scorer is not None and task.unit.search_split is None
        self.scorer = job.forgiving_scorer if forgives else job.scorer
        self.error_score = math.nan if forgives else job.error_score
        self.contexts = task.contexts.get(candidate, ())

    def make(self) -> Fit:
        job, split = self.job, self.unit.search_split
        if job.verbose < 2 or split is None:
            return self._fit_and_judge()
        begin_line(job, split, self.candidate, self.params)
        fit = self._fit_and_judge()
        end_line(job, split, self.candidate, self.params, fit)
        return fit

    def _fit_and_judge(self) -> Fit:
        estimator = clone(self.job.estimator)
        estimator = estimator.set_params(**clone(dict(self.params), safe=False))
        fit_params = check_method_params(self.X, self.job.fit_params, indices=self.unit.train)
        start = time.time()
        X, y = self.shared.enter(estimator, self.unit.train)
        try:
            model = self._fit(estimator, X, y, fit_params)
        except Exception:
            if self.error_score == "raise":
                raise
            return Fit(self.number, self.candidate, time.time() - start, format_exc())
        else:
            derived = model is not estimator
            seconds = time.time() - start + self.shared.take_saved()
            seconds = self.base.settle(self.member, model, seconds, derived=derived)
            judged = tuple(self._judge(model, k) for k in range(len(self.unit.judged)))
            train = self._judge_train(model, X, y)
            return Fit(
                self.number,
                self.candidate,
                seconds,
                None,
                judged,
                train,
                self.shared.n_reused,
                derived=derived,
            )
        finally:
            self._tell("call_on_fit_task_end", X, y, fit_params)

    def _fit(self, estimator: Any, X: Any, y: Any, fit_params: Mapping[str, Any]) -> Any:
        """Fit the estimator, or derive the fitted model from that of another candidate."""
        target = () if y is None else (y,)

        def alone() -> None:
            with self.shared.fitting(estimator):
                estimator.fit(X, *target, **fit_params)

        with propagate(self.contexts[0] if self.contexts else None, estimator):
            self._tell("call_on_fit_task_begin", X, y, fit_params)
            return self.base.fit(self.member, estimator, X, alone)

    def _tell(self, hook: str, X: Any, y: Any, fit_params: Mapping[str, Any]) -> None:
        weight = fit_params.get("sample_weight")
        metadata = None if weight is None else {"sample_weight": weight}
        for context in self.contexts:
            getattr(context, hook)(estimator=self.job.caller, X=X, y=y, metadata=metadata)

    def _judge(self, estimator: Any, number: int) -> Judgement:
        rows, kind = self.unit.judged[number], self.job.keep
        params = check_method_params(self.X, self.job.score_params, indices=rows)
        model, X, y = self._shortened(estimator, params, rows, self.unit.train)
        if not kind or all(place.level != "search" for place in self.unit.places[number]):
            return self._score(model, X, y, params)
        with capture(model, kind, X) as captured:
            judgement = self._score(model, X, y, params)
        return judgement._replace(response=response_of(captured, kind))

    def _judge_train(self, estimator: Any, X: Any, y: Any) -> Judgement | None:
        if self.job.train_scores != "all" and (
            self.job.train_scores == "none" or self.unit.search_split is None
        ):
            return None
        params = check_method_params(self.X, self.job.score_params, indices=self.unit.train)
        if self.shared.is_shared:
            estimator, X, y = self._shortened(estimator, params, self.unit.train)
        return self._score(estimator, X, y, params)

    def _shortened(
        self, estimator: Any, params: Mapping[str, Any], *rows: Any
    ) -> tuple[Any, Any, Any]:
        """Give model and rows to a scorer; the shared steps are left out where it cannot tell."""
        whole = bool(params) or not asks_for_predictions_only(self.scorer)
        return self.shared.cut(estimator, *rows, whole=whole)

    def _score(self, estimator: Any, X: Any, y: Any, params: Mapping[str, Any]) -> Judgement:
        start = time.time()
        scores, failures = call_scorer(self.scorer, estimator, X, y, params, self.error_score)
        seconds = time.time() - start + self.shared.take_saved()
        return Judgement(scores, failures, num_samples(X), seconds)
