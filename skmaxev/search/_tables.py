"""From the record of a search to one score table a metric."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from skmaxev.engine.plan import Place
from skmaxev.engine.record import SINGLE, Record
from skmaxev.readers.build import build_table
from skmaxev.readers.search import metric_name
from skmaxev.search._choice import choose
from skmaxev.search._request import Request
from skmaxev.table import Design, OuterFolds, ScoreTable

__all__ = ["design_of", "name_of", "search_places", "table_of"]


def search_places(request: Request) -> list[Place]:
    """List the places of the search's own splits."""
    return [Place("search", -1, number) for number in range(len(request.splits))]


def table_of(
    search: Any,
    request: Request,
    record: Record,
    metric: str,
    *,
    best_index: int | None,
    n_fits: int,
    outer: OuterFolds | None = None,
) -> ScoreTable:
    """Make the score table of one metric; a failed fit or scorer leaves NaN, never a filler.

    Parameters
    ----------
    search : search object
        Names the metric.
    request : Request
        What was searched.
    record : Record
        What came out.
    metric : str
        One of ``record.metrics``.
    best_index : int or None
        The winner; None for the best mean score.
    n_fits : int
        Fits made.
    outer : OuterFolds, optional
        As in ScoreTable.

    Raises
    ------
    ValueError
        If no candidate has a score on every split, or the winner has none.
    """
    places = search_places(request)
    scores = record.scores(places, metric)
    scores = np.where(record.failed(places, metric), np.nan, scores)
    table = build_table(
        np.ascontiguousarray(scores.T),
        metric=name_of(search, metric),
        best_index=choose(scores) if best_index is None else best_index,
        params=request.candidates,
        design=design_of(request),
        outer=outer,
        n_fits=n_fits,
        source=type(search).__name__,
    )
    return replace(
        table,
        n_train=np.array([len(split.train) for split in request.splits]),
        n_test=np.array([len(split.test) for split in request.splits]),
    )


def design_of(request: Request) -> Design:
    """Read the design of the search's own splits off their rows; groups are clusters of rows."""
    groups = request.split_params.get("groups")
    labels = None if groups is None else np.asarray(groups)
    return Design.from_splits(
        [(split.train, split.test) for split in request.splits],
        clusters=labels if labels is not None and labels.shape == (request.n_rows,) else None,
    )


def name_of(search: Any, metric: str) -> str:
    """Name the metric as scikit-learn does, where it is one of its own."""
    if metric == SINGLE:
        return metric_name(search) or SINGLE
    scoring = search.scoring
    given = scoring.get(metric) if isinstance(scoring, Mapping) else metric
    return given if isinstance(given, str) else metric
