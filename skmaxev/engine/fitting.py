"""One fit: a clone is trained on its rows and judged on every set of rows that wants it.

The rules are scikit-learn's own: every fit gets rows of its own, an error of ``fit`` becomes
``error_score``, parameters with one entry for each row are cut along.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from traceback import format_exc
from typing import Any, NamedTuple

from numpy.typing import NDArray
from sklearn.base import clone

from skmaxev._compat import check_method_params, num_samples, propagate
from skmaxev.engine.plan import Unit
from skmaxev.engine.prefixes import Prefix
from skmaxev.engine.progress import begin_line, end_line
from skmaxev.engine.responses import overhear, row_results
from skmaxev.engine.scoring import Scores, call_scorer
from skmaxev.engine.steps import SharedSteps

__all__ = ["Fit", "Job", "Judgement", "Task", "fit_task", "fits_of"]


class Judgement(NamedTuple):
    """What a fitted model was worth on one set of rows.

    Parameters
    ----------
    scores : float, or dict of str to float
        Score, or one for each metric; ``error_score`` where a scorer failed.
    failures : dict of str to str
        Traceback for each metric whose scorer failed; key ``"score"`` for a single metric.
    n_rows : int
        Rows judged.
    seconds : float
        Time of scoring.
    response : ndarray or None
        Result of each row, where it is kept.
    """

    scores: Scores
    failures: dict[str, str]
    n_rows: int
    seconds: float
    response: NDArray[Any] | None = None


class Fit(NamedTuple):
    """A finished fit: what the store keeps, and what the scores are gathered from.

    Parameters
    ----------
    unit, candidate : int
        Numbers in the plan and in the list of candidates.
    seconds : float
        Time of fitting.
    error : str or None
        Traceback if ``fit`` failed; ``judged`` is then empty.
    judged : tuple of Judgement
        One for each set of rows in ``Unit.judged``.
    train : Judgement or None
        Score on the training rows, where it was asked for.
    n_reused : int
        Pipeline steps that another candidate had fitted already.
    restored : bool
        Whether the fit comes out of a checkpoint.
    """

    unit: int
    candidate: int
    seconds: float
    error: str | None
    judged: tuple[Judgement, ...] = ()
    train: Judgement | None = None
    n_reused: int = 0
    restored: bool = False


class Task(NamedTuple):
    """Some candidates to fit on one unit, in one call of a worker.

    Parameters
    ----------
    number : int
        Number of the unit in the plan.
    unit : Unit
        Training rows and the rows that are judged.
    candidates : tuple of (int, mapping)
        Number and settings of each candidate.
    contexts : mapping of int to sequence
        Callback contexts of a candidate's fit, one for each split of the search that it serves.
    prefixes : tuple of tuple of int
        Labels of the pipeline steps that each candidate shares with its neighbours; empty if none.
    """

    number: int
    unit: Unit
    candidates: tuple[tuple[int, Mapping[str, Any]], ...]
    contexts: Mapping[int, Sequence[Any]] = {}
    prefixes: tuple[Prefix, ...] = ()


@dataclass(frozen=True, eq=False, kw_only=True)
class Job:
    """What all fits of a search have in common.

    Parameters
    ----------
    estimator : estimator
        Unfitted; every fit gets a clone of its own.
    scorer : callable
        As made by scikit-learn; gives a number, or a dict of numbers.
    fit_params, score_params : mapping
        Parameters for ``fit`` and for the scorer, for all rows of the data.
    error_score : float or "raise"
        Score of a fit that fails.
    forgiving_scorer : callable, optional
        Scores the fits of nested folds, whose errors then give NaN even where ``error_score`` is
        "raise". None treats all fits alike.
    train_scores : {"none", "search", "all"}
        Which fits are judged on their training rows too: none, those of the search itself, or
        those of nested folds as well.
    verbose : int
        As in ``GridSearchCV``.
    n_splits, n_candidates : int
        Size of the search itself, for the lines that ``verbose`` prints.
    keep : str
        Metric whose results are kept row by row where the search judges; empty keeps none.
    caller : object
        The search, for callbacks.
    """

    estimator: Any
    scorer: Any
    fit_params: Mapping[str, Any] = field(default_factory=dict)
    score_params: Mapping[str, Any] = field(default_factory=dict)
    error_score: float | str = "raise"
    forgiving_scorer: Any = None
    train_scores: str = "none"
    verbose: int = 0
    n_splits: int = 0
    n_candidates: int = 0
    keep: str = ""
    caller: Any = None

    def __sizeof__(self) -> int:
        """Count the parameters for rows: by size, dask sends an object once or with every task."""
        values = (*self.fit_params.values(), *self.score_params.values())
        return object.__sizeof__(self) + sum(getattr(value, "nbytes", 0) for value in values)


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
    prefixes = task.prefixes or ((),) * len(task.candidates)
    shared = SharedSteps(prefixes, n_sets=len(task.unit.judged) + 1)
    for number, params in task.candidates:
        yield _OneFit(job, X, y, task, number, params, shared).make()


class _OneFit:
    """A clone on its way through fitting and judging."""

    def __init__(
        self,
        job: Job,
        X: Any,
        y: Any,
        task: Task,
        candidate: int,
        params: Mapping[str, Any],
        shared: SharedSteps,
    ) -> None:
        self.job, self.X, self.y, self.candidate, self.params = job, X, y, candidate, params
        self.number, self.unit, self.shared = task.number, task.unit, shared
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
        self.shared.enter(estimator)
        start = time.time()
        X, y = self.shared.cut(estimator, self.X, self.y, self.unit.train)
        try:
            self._fit(estimator, X, y, fit_params)
        except Exception:
            if self.error_score == "raise":
                raise
            return Fit(self.number, self.candidate, time.time() - start, format_exc())
        else:
            seconds = time.time() - start + self.shared.take_saved()
            judged = tuple(self._judge(estimator, k) for k in range(len(self.unit.judged)))
            train = self._judge_train(estimator, X, y)
            n_reused = self.shared.n_reused
            return Fit(self.number, self.candidate, seconds, None, judged, train, n_reused)
        finally:
            self.shared.leave()
            self._tell("call_on_fit_task_end", X, y, fit_params)

    def _fit(self, estimator: Any, X: Any, y: Any, fit_params: Mapping[str, Any]) -> None:
        target = () if y is None else (y,)
        with propagate(self.contexts[0] if self.contexts else None, estimator):
            self._tell("call_on_fit_task_begin", X, y, fit_params)
            estimator.fit(X, *target, **fit_params)

    def _tell(self, hook: str, X: Any, y: Any, fit_params: Mapping[str, Any]) -> None:
        weight = fit_params.get("sample_weight")
        metadata = None if weight is None else {"sample_weight": weight}
        for context in self.contexts:
            getattr(context, hook)(estimator=self.job.caller, X=X, y=y, metadata=metadata)

    def _judge(self, estimator: Any, number: int) -> Judgement:
        rows, metric = self.unit.judged[number], self.job.keep
        params = check_method_params(self.X, self.job.score_params, indices=rows)
        X, y = self.shared.cut(estimator, self.X, self.y, rows, self.unit.train)
        if not metric or all(place.level != "search" for place in self.unit.places[number]):
            return self._score(estimator, X, y, params)
        with overhear(estimator, metric, X) as heard:
            judgement = self._score(estimator, X, y, params)
        classes = getattr(estimator, "classes_", None)
        return judgement._replace(response=row_results(heard, metric, y, classes))

    def _judge_train(self, estimator: Any, X: Any, y: Any) -> Judgement | None:
        if self.job.train_scores != "all" and (
            self.job.train_scores == "none" or self.unit.search_split is None
        ):
            return None
        rows = self.unit.train
        params = check_method_params(self.X, self.job.score_params, indices=rows)
        return self._score(estimator, X, y, params)

    def _score(self, estimator: Any, X: Any, y: Any, params: Mapping[str, Any]) -> Judgement:
        start = time.time()
        scores, failures = call_scorer(self.scorer, estimator, X, y, params, self.error_score)
        seconds = time.time() - start + self.shared.take_saved()
        return Judgement(scores, failures, num_samples(X), seconds)
