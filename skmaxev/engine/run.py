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
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from joblib import effective_n_jobs
from sklearn.utils.parallel import Parallel, delayed

from skmaxev._compat import as_they_finish
from skmaxev.engine.fitting import fit_task, fits_of
from skmaxev.engine.submodels import base_first, group_of
from skmaxev.engine.types import Fit, Job, Pair, Prefix, Submodel, Task, Unit

__all__ = ["run"]

Contexts = Mapping[Pair, Sequence[Any]]


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
            yield from fits_of(job, X, y, task)
        return
    pool = Parallel(n_jobs=n_jobs, pre_dispatch=pre_dispatch, return_as=as_they_finish())
    X, y = _Rows(X) if type(X) is list else X, _Rows(y) if type(y) is list else y
    for fits in pool(delayed(fit_task)(job, X, y, task) for task in tasks):
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
