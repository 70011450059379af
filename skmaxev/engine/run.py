"""Make a plan's fits: in this process, or as one flat list in one joblib pool.

``n_jobs`` means what it means in scikit-learn, and the pool is the one that its searches use.
Candidates that share pipeline steps or a model on one set of training rows are one task; any other
fit is a task of its own, and joblib hands out as many short ones together as it sees fit.

Other machines are reached by joblib's backends, ``with joblib.parallel_config(backend=...)``:

- ``"dask"`` with a ``dask.distributed.Client``: data go to the workers once, tasks of a worker that
  dies are done by another one;
- ``"ray"`` after ``ray.util.joblib.register_ray()``, ``"spark"`` after
  ``joblibspark.register_spark()``: the same list, handed over as a whole at the end.

The checkpoint is written in this process only.

A fit is a clone that is trained on its rows and judged on every set of rows that wants it, by
scikit-learn's own rules: every fit gets rows of its own, an error of ``fit`` becomes
``error_score``, parameters with one entry for each row are cut along.
"""

from __future__ import annotations

import math
import numbers
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import wraps
from traceback import format_exc
from typing import Any

import numpy as np
from joblib import effective_n_jobs
from joblib.logger import short_format_time
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils.parallel import Parallel, delayed

from skmaxev._compat import (
    MultimetricScorer,
    as_they_finish,
    asks_for_predictions_only,
    check_method_params,
    num_samples,
    propagate,
)
from skmaxev.engine.steps import SharedSteps
from skmaxev.engine.submodels import Base, base_first, group_of
from skmaxev.engine.types import Fit, Job, Judgement, Pair, Prefix, Scores, Submodel, Task, Unit

__all__ = ["METHODS", "capture", "response_of", "run"]

Contexts = Mapping[Pair, Sequence[Any]]
METHODS = {
    "label": ("predict",),
    "number": ("predict",),
    "score": ("decision_function", "predict_proba"),
    "chance": ("predict_proba",),
}
"""Kinds of predictions that are kept, with the methods that scorers call for them."""
_WIDTH = 80
"""Columns of a line that ``verbose`` prints, dots included."""


def run(
    job: Job,
    X: Any,
    y: Any,
    pairs: Sequence[Pair],
    *,
    units: Sequence[Unit],
    candidates: Sequence[Mapping[str, Any]],
    contexts: Contexts | None = None,
    prefixes: Sequence[Prefix] = (),
    submodels: Sequence[Submodel | None] = (),
    n_jobs: int | None = None,
    pre_dispatch: int | str = "2*n_jobs",
) -> Iterator[Fit]:
    """Make fits and hand them over as they finish.

    Parameters
    ----------
    job : Job
        What all fits have in common.
    X, y : array-like of n_rows rows
        The whole data; ``y`` may be None.
    pairs : sequence of (int, int)
        Unit and candidate of each fit.
    units : sequence of Unit
        Training rows and the rows that are judged.
    candidates : sequence of mapping
        Settings of each candidate.
    contexts : mapping of (int, int) to sequence, optional
        Callback contexts of single fits.
    prefixes : sequence of tuple of int, optional
        Labels of the pipeline steps that each candidate shares with others.
    submodels : sequence of Submodel or None, optional
        Groups of candidates that are derived from one fit.
    n_jobs : int, optional
        Workers, as in joblib. None stays in this process unless `joblib.parallel_config` says
        otherwise.
    pre_dispatch : int or str
        Tasks handed out ahead, as in joblib.

    Yields
    ------
    Fit
        In no certain order. An error of a fit under ``error_score="raise"`` and an interrupt pass
        through and end the run.
    """
    prefixes = prefixes or ((),) * len(candidates)
    submodels = submodels or (None,) * len(candidates)

    def kin(pair: Pair) -> tuple[int, Prefix, int]:
        return pair[0], prefixes[pair[1]], group_of(submodels[pair[1]])

    n_workers = effective_n_jobs(n_jobs)
    # what shares the most goes side by side
    families = _families(sorted(pairs, key=kin), kin, n_workers)
    tasks = (
        _task(family, units, candidates, contexts or {}, prefixes, submodels) for family in families
    )
    if n_workers == 1:  # each fit is handed over as it finishes, and not a task at a time
        for task in tasks:
            yield from _fits_of(job, X, y, task)
        return
    pool = Parallel(n_jobs=n_jobs, pre_dispatch=pre_dispatch, return_as=as_they_finish())
    X, y = _Rows(X) if type(X) is list else X, _Rows(y) if type(y) is list else y
    for fits in pool(delayed(_fit_task)(job, X, y, task) for task in tasks):
        yield from fits


class _Rows(list[Any]):
    """A list that dask can send to its workers once, as it does with arrays and frames.

    It takes only objects to which there can be weak references. Cut, it is a plain list.
    """


def _families(
    pairs: Sequence[Pair], kin: Callable[[Pair], tuple[int, Prefix, int]], n_workers: int
) -> list[list[Pair]]:
    """Put neighbours together that share steps, or a model, on one unit.

    Families are cut only where there are fewer of them than workers: each piece fits its own.
    """
    families: list[list[Pair]] = []
    last = None
    for pair in pairs:
        unit, prefix, group = kin(pair)
        key = (unit, prefix[:1], -1 if prefix else group)
        if key != last or key[1:] == ((), -1):
            families.append([])
        families[-1].append(pair)
        last = key
    n_pieces = -(-n_workers // max(len(families), 1))
    return [
        family[start : start + -(-len(family) // n_pieces)]
        for family in families
        for start in range(0, len(family), -(-len(family) // n_pieces))
    ]


def _task(
    family: Sequence[Pair],
    units: Sequence[Unit],
    candidates: Sequence[Mapping[str, Any]],
    contexts: Contexts,
    prefixes: Sequence[Prefix],
    submodels: Sequence[Submodel | None],
) -> Task:
    """Gather what a worker needs for some fits on one unit."""
    unit = family[0][0]
    family = base_first(family, submodels)
    return Task(
        number=unit,
        unit=units[unit],
        candidates=tuple((number, candidates[number]) for _, number in family),
        contexts={pair[1]: contexts[pair] for pair in family if pair in contexts},
        prefixes=tuple(prefixes[number] for _, number in family),
        submodels=tuple(submodels[number] for _, number in family),
    )


def _fit_task(job: Job, X: Any, y: Any, task: Task) -> list[Fit]:
    """Make the fits of one task, in the order of its candidates."""
    return list(_fits_of(job, X, y, task))


def _fits_of(job: Job, X: Any, y: Any, task: Task) -> Iterator[Fit]:
    """Make the fits of one task and hand over each as it finishes."""
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
        _begin_line(job, split, self.candidate, self.params)
        fit = self._fit_and_judge()
        _end_line(job, split, self.candidate, self.params, fit)
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
        scores, failures = _call_scorer(self.scorer, estimator, X, y, params, self.error_score)
        seconds = time.time() - start + self.shared.take_saved()
        return Judgement(scores, failures, num_samples(X), seconds)


def _call_scorer(
    scorer: Any, estimator: Any, X: Any, y: Any, params: Mapping[str, Any], error_score: Any
) -> tuple[Scores, dict[str, str]]:
    """Score a fitted model; give the scores, and the traceback of each metric that failed."""
    arguments = (estimator, X) if y is None else (estimator, X, y)
    try:
        scores = scorer(*arguments, **params)
    except Exception:
        if error_score == "raise" or isinstance(scorer, MultimetricScorer):
            raise
        return error_score, {"score": format_exc()}
    failures = {}
    if isinstance(scorer, MultimetricScorer):  # it hands over the traceback of a failed metric
        failures = {name: value for name, value in scores.items() if isinstance(value, str)}
        scores |= dict.fromkeys(failures, error_score)
    return _numbers(scores, scorer), failures


def _numbers(scores: Any, scorer: Any) -> Scores:
    if isinstance(scores, dict):
        return {name: _number(value, name) for name, value in scores.items()}
    return _number(scores, scorer)


def _number(score: Any, scorer: Any) -> float:
    if hasattr(score, "item"):
        with suppress(ValueError):  # a memory-mapped scalar
            score = score.item()
    if isinstance(score, complex):
        raise ValueError(  # noqa: TRY004  # as for anything else that is no score
            f"scoring must return a real number, since complex ones have no order; got {score}. "
            f"Return its real part or its modulus. (scorer={scorer})"
        )
    if not isinstance(score, numbers.Number):
        msg = (
            f"scoring must return a number, got {score} ({type(score)}) instead. (scorer={scorer})"
        )
        raise ValueError(msg)  # noqa: TRY004  # scikit-learn's error
    return score  # type: ignore[return-value]


@contextmanager
def capture(estimator: Any, kind: str, X: Any) -> Iterator[dict[str, Any]]:
    """Listen to a fitted model while it is scored.

    Scorers look at the model itself, so that its own methods are covered for the length of the
    ``with`` block: asking again instead would double the cost of scoring. A model that does
    not allow this is scored all the same, and nothing is captured. The dict is filled with the
    answer of each method of this kind that was called with as many rows as ``X`` has.
    """
    captured: dict[str, Any] = {}
    n_rows = num_samples(X)
    covered = [
        (model, name)
        for model in _models(estimator)
        for name in METHODS[kind]
        if _cover(model, name, n_rows, captured)
    ]
    try:
        yield captured
    finally:
        for model, name in covered:
            with suppress(AttributeError):
                delattr(model, name)


def _models(estimator: Any) -> list[Any]:
    """List what may be asked: a pipeline's own ``score`` goes round it, to its last step."""
    models = [estimator]
    while hasattr(models[-1], "steps"):
        models.append(models[-1].steps[-1][1])
    return models


def _cover(estimator: Any, name: str, n_rows: int, captured: dict[str, Any]) -> bool:
    method = getattr(estimator, name, None)
    if method is None or name in getattr(estimator, "__dict__", {name: None}):
        return False

    @wraps(method)
    def listening(data: Any, *args: Any, **kwargs: Any) -> Any:
        answer = method(data, *args, **kwargs)
        if num_samples(data) == n_rows:
            captured[name] = answer
        return answer

    try:
        setattr(estimator, name, listening)
    except (AttributeError, TypeError):
        return False
    return True


def response_of(captured: dict[str, Any], kind: str) -> NDArray[Any] | None:
    """Give what was captured as one array with a row for each row, or None where that fails.

    Of two classes it is the probability of the second. All keep their precision: nearly 1 is not 1,
    and decisions that are nearly the same still rank the rows.
    """
    if not captured:
        return None
    try:
        answer = np.asarray(next(iter(captured.values())))
    except (RuntimeError, TypeError):  # on another device
        return None
    if answer.dtype == object:
        answer = np.asarray(answer.tolist())
    if answer.ndim == 2 and answer.shape[1] == 2 and kind in {"score", "chance"}:
        answer = answer[:, 1]
    if answer.ndim != 1 and not (answer.ndim == 2 and kind == "chance"):
        return None
    if kind == "label":
        return answer if answer.dtype.kind in "biufUS" else None
    return answer if answer.dtype.kind in "biuf" else None


def _begin_line(job: Job, split: int, candidate: int, params: Mapping[str, Any]) -> None:
    """Print that a fit of the search begins (``verbose`` above 9), in GridSearchCV's form."""
    if job.verbose > 9:
        line = f"[CV{_position(job, split, candidate)}] START {_settings(params)}"
        print(line + "." * (_WIDTH - len(line)))


def _end_line(job: Job, split: int, candidate: int, params: Mapping[str, Any], fit: Fit) -> None:
    """Print that a fit of the search is over, and from ``verbose`` 3 on what it scored."""
    result = _settings(params)
    result += ";" if result else ""
    if job.verbose > 2:
        result += _score_text(job, fit)
    seconds = fit.seconds + sum(judgement.seconds for judgement in fit.judged)
    result += f" total time={short_format_time(seconds)}"
    head = f"[CV{_position(job, split, candidate)}] END "
    print(head + "." * (_WIDTH - len(head) - len(result)) + result)


def _position(job: Job, split: int, candidate: int) -> str:
    text = f" {split + 1}/{job.n_splits}" if job.verbose > 2 else ""
    return text + (f"; {candidate + 1}/{job.n_candidates}" if job.verbose > 9 else "")


def _settings(params: Mapping[str, Any]) -> str:
    return ", ".join(f"{name}={params[name]}" for name in sorted(params))


def _score_text(job: Job, fit: Fit) -> str:
    """Word the scores; a failed fit shows ``error_score``."""
    test = fit.judged[0].scores if fit.judged else job.error_score
    train = fit.train.scores if fit.train else job.error_score
    both = job.train_scores != "none"
    if not isinstance(test, dict):
        return f", score=(train={train:.3f}, test={test:.3f})" if both else f", score={test:.3f}"
    return "".join(
        f" {name}: ("
        + (f"train={train[name]:.3f}, " if both and isinstance(train, dict) else "")
        + f"test={test[name]:.3f})"
        for name in sorted(test)
    )
