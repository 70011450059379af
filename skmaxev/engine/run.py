"""Make a plan's fits: in this process, or as one flat list in one joblib pool.

A pool of processes costs about as much as a thousand millisecond fits before it has done anything.
So the first fits run here, where they count as real work and are timed; the pool is
started as soon as what is left would pay for it (`skmaxev.engine.paying`), which for long fits is
after the first one. Tasks then hold as many fits as fill a set time, so that handing them out
stays cheap; joblib puts no more of them together, which would leave workers idle at the end.
The pool is the one that scikit-learn's searches use: joblib would start it anew for a caller that
gives another ``max_nbytes``.

Other machines are reached by joblib's backends, ``with joblib.parallel_config(backend=...)``:

- ``"dask"`` with a ``dask.distributed.Client``: data go to the workers once, tasks of a worker that
  dies are done by another one;
- ``"ray"`` after ``ray.util.joblib.register_ray()``, ``"spark"`` after
  ``joblibspark.register_spark()``: the same list; neither is part of the tests.

There every task is handed out from the start, and the checkpoint is written in this process only.
So it is with ``backend="loky"``, joblib's own pool, if a caller names it: with few fits that each
take long, the first one alone in this process costs more than a start.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from joblib import effective_n_jobs
from sklearn.utils.parallel import Parallel, delayed

from skmaxev._compat import as_they_finish, names_backend, needs_processes, note_pool
from skmaxev.engine.fitting import Fit, Job, Task, fit_task, fits_of
from skmaxev.engine.paying import Meter, scattered
from skmaxev.engine.plan import Plan, Unit
from skmaxev.engine.prefixes import Prefix

__all__ = ["Pair", "all_pairs", "run"]

Pair = tuple[int, int]
"""Number of a unit and of a candidate: one fit."""

TASK_SECONDS = 0.2
"""Time of one task to aim at: far above what it costs, 2 ms with the slower first fit in it."""
TASKS_PER_WORKER = 8
"""Tasks that each worker should find at least, so that none waits long for another at the end."""
SERIAL_SIZE = 100
"""Fits of a task in this process, where each is handed over as it finishes all the same."""

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
    prefixes: Sequence[Prefix] = (),
    n_jobs: int | None = None,
    pre_dispatch: int | str = "2*n_jobs",
    in_order: bool = False,
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
    n_jobs : int, optional
        Workers, as in joblib. None stays in this process unless `joblib.parallel_config` says
        otherwise.
    pre_dispatch : int or str
        Tasks handed out ahead, as in joblib.
    in_order : bool
        Whether fits are begun in the order of ``pairs``. If not, those that share steps go side by
        side, and a few from all over the list come first to tell how long it will take.

    Yields
    ------
    Fit
        In no certain order. An error of a fit under ``error_score="raise"`` and an interrupt pass
        through and end the run.
    """
    if any(prefixes) and not in_order:  # what shares the most goes side by side
        pairs = sorted(pairs, key=lambda pair: (pair[0], prefixes[pair[1]]))

    def tasks(some: Sequence[Pair], size: int, n_pieces: int = 1) -> Iterable[Task]:
        bundles = _bundles(_families(some, prefixes, n_pieces), size)
        return (_task(bundle, units, candidates, contexts or {}, prefixes) for bundle in bundles)

    n_workers = effective_n_jobs(n_jobs)
    if n_workers == 1 or len(pairs) == 1:
        for task in tasks(pairs, SERIAL_SIZE):
            yield from fits_of(job, X, y, task)
        return
    options: dict[str, Any] = {
        "n_jobs": n_jobs,
        "pre_dispatch": pre_dispatch,
        "return_as": as_they_finish(),
    }
    meter = Meter(len(pairs), n_workers)
    if needs_processes(Parallel(**options)) and not names_backend():
        options["batch_size"] = 1
        pairs = pairs if in_order or any(prefixes) else _scattered_first(pairs)
        here = (fit for task in tasks(pairs, SERIAL_SIZE) for fit in fits_of(job, X, y, task))
        for fit in meter.timed(here):
            yield fit
            if meter.pool_pays():
                break
        here.close()
    if meter.n_left:
        rest = pairs[len(pairs) - meter.n_left :]
        some = tasks(rest, _task_size(meter, n_workers), _n_pieces(rest, prefixes, n_workers))
        X, y = _Rows(X) if type(X) is list else X, _Rows(y) if type(y) is list else y
        for fits in Parallel(**options)(delayed(fit_task)(job, X, y, task) for task in some):
            note_pool()
            yield from fits


class _Rows(list[Any]):
    """A list that dask can send to its workers once, as it does with arrays and frames.

    It takes only objects to which there can be weak references. Cut, it is a plain list.
    """


def _scattered_first(pairs: Sequence[Pair]) -> list[Pair]:
    """Put a few pairs from all over the list in front."""
    first = [pairs[number] for number in scattered(len(pairs))]
    taken = set(first)
    return [*first, *(pair for pair in pairs if pair not in taken)]


def _task_size(meter: Meter, n_workers: int) -> int:
    """Choose the number of fits in a task from the time of one; unknown times give one."""
    if meter.seconds == 0:
        return 1
    most = meter.n_left // (TASKS_PER_WORKER * n_workers)
    return max(1, min(round(TASK_SECONDS * meter.busy / meter.seconds), most))


def _families(
    pairs: Sequence[Pair], prefixes: Sequence[Prefix], n_pieces: int = 1
) -> list[list[Pair]]:
    """Put neighbours together that share steps on one unit; cut each family into some pieces."""
    families: list[list[Pair]] = []
    last = None
    for unit, candidate in pairs:
        key = (unit, prefixes[candidate][0]) if prefixes and prefixes[candidate] else None
        if key is None or key != last:
            families.append([])
        families[-1].append((unit, candidate))
        last = key
    if n_pieces == 1:
        return families
    return [
        family[start : start + -(-len(family) // n_pieces)]
        for family in families
        for start in range(0, len(family), -(-len(family) // n_pieces))
    ]


def _n_pieces(pairs: Sequence[Pair], prefixes: Sequence[Prefix], n_workers: int) -> int:
    """Cut families only where there are fewer of them than workers: each piece fits its steps."""
    return -(-n_workers // len(_families(pairs, prefixes)))


def _bundles(families: Iterable[list[Pair]], size: int) -> Iterator[list[Pair]]:
    """Put neighbouring families of one unit together, up to ``size`` fits."""
    bundle: list[Pair] = []
    for family in families:
        if bundle and (bundle[0][0] != family[0][0] or len(bundle) + len(family) > size):
            yield bundle
            bundle = []
        bundle = bundle + family
    if bundle:
        yield bundle


def _task(
    bundle: Sequence[Pair],
    units: Sequence[Unit],
    candidates: Sequence[Mapping[str, Any]],
    contexts: Contexts,
    prefixes: Sequence[Prefix],
) -> Task:
    """Gather what a worker needs for some fits on one unit."""
    unit = bundle[0][0]
    return Task(
        number=unit,
        unit=units[unit],
        candidates=tuple((number, candidates[number]) for _, number in bundle),
        contexts={pair[1]: contexts[pair] for pair in bundle if pair in contexts},
        prefixes=tuple(prefixes[number] for _, number in bundle) if prefixes else (),
    )
