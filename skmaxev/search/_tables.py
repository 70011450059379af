"""From the record of a search to one score table a metric, with the results of single rows."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skmaxev.engine.record import Record, Responses
from skmaxev.metrics import METRICS, rows_from_responses, scores_from_responses
from skmaxev.readers.build import build_table
from skmaxev.report import SelectionReport
from skmaxev.search._choice import choose, complete_scores
from skmaxev.search._request import Request
from skmaxev.table import OuterFolds, Rows, ScoreTable, UncorrectableError

__all__ = [
    "honest_or_warn",
    "response_kind",
    "responses_to_keep",
    "tables_of",
    "with_rows",
    "without_rows",
]

AUTO_MB = 256
"""Megabytes that ``keep_predictions="auto"`` may take."""
_BYTES = 8
_SAME = 1e-4
"""How far scores from predictions may be from those of the scorer, relatively."""


@contextmanager
def honest_or_warn() -> Iterator[None]:
    """Turn an error that leaves no honest number into a warning that says why."""
    try:
        yield
    except UncorrectableError as error:
        warnings.warn(f"The honest score is NaN: {error}", UserWarning, stacklevel=2)


def tables_of(
    request: Request,
    record: Record,
    outer: Mapping[str, OuterFolds],
    *,
    best_index: int | None,
    primary: str | None,
    n_fits: int,
) -> dict[str, ScoreTable]:
    """Make the score table of each metric; a failed fit or scorer leaves NaN, never a filler.

    ``best_index`` won by the metric ``primary``, or by a function of the user's for all metrics;
    None, and any other metric, stand for the best mean score. A metric is left out, after a
    warning, if no candidate has a score on every split, or its winner has none.
    """
    tables = {}
    for metric in record.metrics:
        scores = complete_scores(record, request.places, metric)
        own = best_index is not None and (callable(request.refit) or metric == primary)
        with honest_or_warn():
            table = build_table(
                np.ascontiguousarray(scores.T),
                metric=request.metric_name(metric),
                best_index=best_index if own else choose(scores),
                params=request.candidates,
                design=request.design,
                outer=outer.get(metric),
                n_fits=n_fits,
                source=request.source,
            )
            tables[metric] = replace(
                table,
                n_train=np.array([len(split.train) for split in request.splits]),
                n_test=np.array([len(split.test) for split in request.splits]),
            )
    return tables


def response_kind(request: Request, keep_predictions: Any) -> tuple[str, str]:
    """Say which kind of predictions is kept, a key of `skmaxev.engine.fitting.METHODS` or "".

    Beside it comes the note for the report if no results of single rows come out, where that is
    unexpected.
    """
    if keep_predictions is False:
        return "", ""
    asked = keep_predictions != "auto"
    metric = request.metric_name(request.chosen_by)
    known, target = METRICS.get(metric), _target(request)
    if known is None or known.influences is None:
        kind, why = "", f"nothing says what a row adds to {metric!r}."
    elif request.score_params:
        given = ", ".join(request.score_params)
        kind, why = "", f"scores depend on {given} too, and these do not."
    elif target is None or target.ndim != 1:
        kind, why = "", "each row must have one target."
    else:
        kind, why = known.answer, "the predictions do not give the scores of the splits."
        megabytes = _megabytes(request, len(np.unique(target)) if kind == "chance" else 2)
        bound = float(AUTO_MB if keep_predictions == "auto" else keep_predictions)
        if megabytes > bound and keep_predictions is not True:
            kind, asked = "", True
            why = f"they need {megabytes:,.3g} MB, and keep_predictions allows {bound:g} MB."
    return kind, f"Results of single rows were not kept: {why}" if asked else ""


def _megabytes(request: Request, n_classes: int) -> float:
    n_rows = request.design.n_repeats * request.n_rows
    return 1e-6 * _BYTES * n_rows * len(request.candidates) * max(n_classes - 1, 1)


def _target(request: Request) -> NDArray[Any] | None:
    """Read the target as an array; None where there is none, or on another device."""
    try:
        return None if request.y is None else np.asarray(request.y)
    except (RuntimeError, TypeError):
        return None


def responses_to_keep(request: Request, kind: str) -> Responses | None:
    """Make what keeps the predictions of a kind; None where none are to be kept."""
    if not kind:
        return None
    labels = np.unique(np.asarray(request.y)) if kind == "label" else None
    return Responses(
        request.splits,
        n_repeats=request.design.n_repeats,
        n_rows=request.n_rows,
        n_candidates=len(request.candidates),
        classes=labels,
    )


def with_rows(
    request: Request, tables: Mapping[str, ScoreTable], responses: Responses | None, note: str
) -> dict[str, ScoreTable]:
    """Add the results of single rows to the table of the metric that chose.

    Where there are none, the table gets the note, if there is one.
    """
    table = tables.get(request.chosen_by)
    if table is None:
        return dict(tables)
    rows = None if responses is None else _rows_of(table, np.asarray(request.y), responses)
    notes = (note,) if note and rows is None else ()
    table = replace(table, rows=rows, notes=(*table.notes, *notes))
    return {**tables, request.chosen_by: table}


def without_rows(report: SelectionReport | None) -> SelectionReport | None:
    """Return the report with its numbers as they are, and no results of single rows."""
    if report is None or report.table is None:
        return report
    return replace(report, table=replace(report.table, rows=None))


def _rows_of(table: ScoreTable, y: NDArray[Any], responses: Responses) -> Rows | None:
    """Give the results of single rows, if the predictions give the scores.

    They do not for a scorer that takes another class for the positive one.
    """
    if responses.values is None:
        return None
    if METRICS[table.metric].answer == "label":
        y = np.unique(y, return_inverse=True)[1]
    given = table.metric, y, responses.values, responses.test_fold
    found = scores_from_responses(*given)
    complete = np.isfinite(table.scores).all(axis=0)
    if found is None or not complete.any():
        return None
    scores = table.scores[:, complete]
    off = _SAME * max(float(np.ptp(scores)), float(np.abs(scores).max()))
    same = np.allclose(found[:, complete], scores, rtol=_SAME, atol=off)
    return rows_from_responses(*given) if same else None
