"""Between a search and its checkpoint."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from skmaxev.engine.fitting import Fit, Job
from skmaxev.engine.run import run
from skmaxev.engine.store import Checkpoint
from skmaxev.scores import ScoreTable, plain_rows, plain_tables
from skmaxev.search._request import Request

__all__ = ["Keeper", "keeping"]


class Keeper:
    """Makes fits by way of a checkpoint, or without one, and keeps what the search leaves.

    Parameters
    ----------
    checkpoint : Checkpoint or None
        None makes every fit and keeps nothing.
    """

    def __init__(self, checkpoint: Checkpoint | None = None) -> None:
        self._checkpoint = checkpoint
        self.run: Callable[..., Iterator[Fit]] = run if checkpoint is None else checkpoint.run
        self._tables: dict[str, ScoreTable] = {}

    def note(self, metric: str, make_table: Callable[[], ScoreTable]) -> ScoreTable:
        """Make the score table of one metric, and remember it."""
        self._tables[metric] = make_table()
        return self._tables[metric]

    def finish(self, search: Any, primary: str | None) -> None:
        """Keep the score tables for `skmaxev.correct`."""
        if self._checkpoint is not None and self._tables:
            source = type(search).__name__
            plain = plain_tables(self._tables, primary=primary, source=source)
            self._checkpoint.finish(plain, plain_rows(self._tables))


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
        yield replace(request, keeper=Keeper())
        return
    _check_splitters(search)
    with Checkpoint(search.checkpoint, job, request.X, request.y) as checkpoint:
        yield replace(request, keeper=Keeper(checkpoint))


def _check_splitters(search: Any) -> None:
    for name, value in search.get_params(deep=False).items():
        shuffles = hasattr(value, "split") and getattr(value, "shuffle", True)
        if shuffles and getattr(value, "random_state", 0) is None:
            raise ValueError(
                f"a checkpoint needs the same splits at every call; {name}={value} draws new ones, "
                "so that no finished fit would be found again. Give it a whole number as "
                "random_state."
            )
