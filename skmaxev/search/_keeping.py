"""Between a search and its checkpoint."""

from __future__ import annotations

import numbers
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from typing import Any

from skmaxev.engine.fitting import Fit, Job
from skmaxev.engine.plan import Unit
from skmaxev.engine.responses import Responses
from skmaxev.engine.run import Pair, run
from skmaxev.engine.store import FitStore
from skmaxev.readers.checkpoint import plain_rows, plain_tables
from skmaxev.search._request import Request, is_random
from skmaxev.search._rows import responses_to_keep
from skmaxev.table import ScoreTable

__all__ = ["Keeper", "keeping"]


class Keeper:
    """Makes the fits that the store lacks, and keeps what the search leaves.

    Parameters
    ----------
    store : FitStore or None
        None makes every fit and keeps nothing.
    responses : Responses or None
        Keeps the predictions; None keeps none.
    """

    def __init__(self, store: FitStore | None, responses: Responses | None) -> None:
        self._store, self.responses = store, responses
        self.tables: dict[str, ScoreTable] = {}

    def run(
        self,
        job: Job,
        X: Any,
        y: Any,
        pairs: Sequence[Pair],
        *,
        units: Sequence[Unit],
        candidates: Sequence[Mapping[str, Any]],
        **options: Any,
    ) -> Iterator[Fit]:
        """Give fits as `skmaxev.engine.run.run` does, first those that the store has."""
        store, found = self._store, set()
        if store is not None:
            for fit in store.finished(pairs, units=units, candidates=candidates):
                found.add((fit.unit, fit.candidate))
                yield self._listened(fit, units)
        missing = [pair for pair in pairs if pair not in found]
        if missing:
            for fit in run(job, X, y, missing, units=units, candidates=candidates, **options):
                if store is not None:
                    store.keep(fit)
                yield self._listened(fit, units)

    def _listened(self, fit: Fit, units: Sequence[Unit]) -> Fit:
        if self.responses is not None:
            self.responses.take(fit, units)
        return fit

    def finish(self, search: Any, primary: str | None) -> None:
        """Keep the score tables for `skmaxev.correct`."""
        if self._store is not None and self.tables:
            source = type(search).__name__
            plain = plain_tables(self.tables, primary=primary, source=source)
            self._store.finish(plain, plain_rows(self.tables))


@contextmanager
def keeping(search: Any, request: Request, job: Job) -> Iterator[Request]:
    """Open the search's checkpoint for the length of a ``with`` block.

    Parameters
    ----------
    search : search object
        Its ``checkpoint`` is a path, or None.
    request : Request
        What is searched.
    job : Job
        What all fits share.

    Yields
    ------
    Request
        The same, with a keeper.

    Raises
    ------
    ValueError
        If something would not be the same when the search is run again; before the first fit.
    """
    if search.checkpoint is None:
        yield replace(request, keeper=Keeper(None, responses_to_keep(search, request)))
        return
    _check_splitters(search)
    if is_random(search) and not isinstance(search.random_state, numbers.Integral):
        raise ValueError(
            "a checkpoint needs the same candidates at every call; got "
            f"random_state={search.random_state!r}. Give a whole number."
        )
    with closing(FitStore(search.checkpoint, job, request.X, request.y)) as store:
        yield replace(request, keeper=Keeper(store, responses_to_keep(search, request)))


def _check_splitters(search: Any) -> None:
    for name, value in search.get_params(deep=False).items():
        shuffles = hasattr(value, "split") and getattr(value, "shuffle", True)
        if shuffles and getattr(value, "random_state", 0) is None:
            raise ValueError(
                f"a checkpoint needs the same splits at every call; {name}={value} draws new ones, "
                "so that no finished fit would be found again. Give it a whole number as "
                "random_state."
            )
