"""Make a plan's fits: in this process, or as one flat list in one joblib pool.

A pool of processes costs about as much as a thousand millisecond fits before it has done anything.
So the first fits run here, where they count as real work and are timed; the pool is
started as soon as what is left would pay for it, which for long fits is after the first one.
Tasks then hold as many fits as fill a set time, so that handing them out stays cheap.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from joblib import effective_n_jobs
from sklearn.utils.parallel import Parallel, delayed

from skmaxev._compat import as_they_finish, needs_processes, pool_is_warm
from skmaxev.engine.fitting import Fit, Job, Task, fit_task
from skmaxev.engine.plan import Plan, Unit

__all__ = ["Pair", "all_pairs", "run"]

Pair = tuple[int, int]
"""Number of a unit and of a candidate: one fit."""

COLD_START = 2.0
"""Seconds until new worker processes have imported scikit-learn; 1.3 measured on an idle machine."""
WARM_START = 0.1
"""Seconds to hand the first tasks to workers that are there already; 0.04 measured."""
TASK_SECONDS = 0.05
"""Time of one task to aim at: far above what handing it out costs (0.2 ms)."""
TASKS_PER_WORKER = 8
"""Tasks that each worker should find at least, so that none waits long for another at the end."""
MAX_NBYTES = "100K"
"""Larger arrays are memory-mapped by the workers, not sent with every task."""

Contexts = Mapping[Pair, Sequence[Any]]


def all_pairs(plan: Plan, n_candidates: int) -> list[Pair]:
    """List every fit of a plan, those of one unit together: the units of the search come first."""
    return [(unit, number) for unit in range(len(plan.units)) for number in range(n_candidates)]


def run(
    job: Job,
    X: Any,
    y: Any,
    pairs: Sequence[Pair],
    *,
    units: Sequence[Unit],
    candidates: Sequence[Mapping[str, Any]],
    contexts: Contexts | None = None,
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

    def tasks(some: Sequence[Pair], size: int) -> Iterable[Task]:
        return _bundle(some, units, candidates, contexts or {}, size)

    n_workers = effective_n_jobs(n_jobs)
    if n_workers == 1 or len(pairs) == 1:
        for task in tasks(pairs, 1):
            yield from fit_task(job, X, y, task)
        return
    parallel = Parallel(
        n_jobs=n_jobs, pre_dispatch=pre_dispatch, max_nbytes=MAX_NBYTES, return_as=as_they_finish()
    )
    rest, seconds = pairs, 0.0
    if needs_processes(parallel):
        start = time.perf_counter()
        for done, task in enumerate(tasks(pairs, 1), start=1):
            yield from fit_task(job, X, y, task)
            seconds, rest = (time.perf_counter() - start) / done, pairs[done:]
            if _pool_pays(seconds * len(rest), n_workers):
                break
    if rest:
        size = _task_size(seconds, len(rest), n_workers)
        fits = parallel(delayed(fit_task)(job, X, y, task) for task in tasks(rest, size))
        for some in fits:
            yield from some


def _pool_pays(seconds: float, n_workers: int) -> bool:
    """Tell whether sharing ``seconds`` of work saves more than the pool's start costs."""
    start = WARM_START if pool_is_warm() else COLD_START
    return seconds * (1 - 1 / n_workers) > start


def _task_size(seconds: float, n_fits: int, n_workers: int) -> int:
    """Choose the number of fits in a task from the time of one; unknown times give one."""
    if seconds == 0:
        return 1
    most = n_fits // (TASKS_PER_WORKER * n_workers)
    return max(1, min(round(TASK_SECONDS / seconds), most))


def _bundle(
    pairs: Sequence[Pair],
    units: Sequence[Unit],
    candidates: Sequence[Mapping[str, Any]],
    contexts: Contexts,
    size: int,
) -> Iterator[Task]:
    """Put neighbouring fits of one unit into tasks of at most ``size`` fits."""
    start = 0
    while start < len(pairs):
        unit, stop = pairs[start][0], start + 1
        while stop < min(start + size, len(pairs)) and pairs[stop][0] == unit:
            stop += 1
        some = pairs[start:stop]
        yield Task(
            number=unit,
            unit=units[unit],
            candidates=tuple((number, candidates[number]) for _, number in some),
            contexts={pair[1]: contexts[pair] for pair in some if pair in contexts},
        )
        start = stop
