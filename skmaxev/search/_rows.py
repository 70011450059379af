"""Predictions kept beside the scores, and the results of single rows that they give."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skmaxev.engine.record import SINGLE
from skmaxev.engine.responses import Responses
from skmaxev.metrics import METRICS, rows_from_responses, scores_from_responses
from skmaxev.report import SelectionReport
from skmaxev.search._request import Request
from skmaxev.search._tables import design_of, name_of
from skmaxev.table import Rows, ScoreTable

__all__ = ["kind_to_keep", "responses_to_keep", "with_rows", "without_rows"]

AUTO_MB = 256
"""Megabytes that ``keep_predictions="auto"`` may take."""
_BYTES = 8
_SAME = 1e-4
"""How far scores from predictions of 32 bits may be from those of the scorer, relatively."""


def kind_to_keep(search: Any, request: Request) -> tuple[str, str]:
    """Say which kind of predictions is kept, and why none is.

    Parameters
    ----------
    search : search object
        With ``keep_predictions``.
    request : Request
        What is searched.

    Returns
    -------
    kind : str
        As `skmaxev.engine.responses.METHODS` has them; empty for none.
    reason : str
        For the report, if there is something to say.
    """
    if search.keep_predictions is False:
        return "", ""
    metric = name_of(search, _chosen(search, request))
    known = METRICS.get(metric)
    if known is None or known.influences is None:
        return "", _not_kept(search, f"nothing says what a row adds to {metric!r}.")
    if request.score_params:
        given = ", ".join(request.score_params)
        return "", _not_kept(search, f"scores depend on {given} too, and these do not.")
    target = _target(request)
    if target is None or target.ndim != 1:
        return "", _not_kept(search, "each row must have one target.")
    n_numbers = design_of(request).n_repeats * request.n_rows * len(request.candidates)
    if known.answer == "chance":
        n_numbers *= max(len(np.unique(target)) - 1, 1)
    megabytes, bound = 1e-6 * _BYTES * n_numbers, _bound(search)
    if megabytes > bound:
        return "", (
            f"Results of single rows were not kept: they need {megabytes:,.3g} MB, and "
            f"keep_predictions allows {bound:g} MB."
        )
    return known.answer, ""


def _not_kept(search: Any, why: str) -> str:
    """Word the reason, where they were asked for."""
    asked = search.keep_predictions != "auto"
    return f"Results of single rows were not kept: {why}" if asked else ""


def _bound(search: Any) -> float:
    wish = search.keep_predictions
    return float(np.inf if wish is True else AUTO_MB if wish == "auto" else wish)


def _chosen(search: Any, request: Request) -> str:
    """Name the metric of the search: a single one has no name of its own, whatever refit says."""
    chosen = search.refit if callable(search.scoring) else request.refit_metric
    return chosen if isinstance(chosen, str) else SINGLE


def _target(request: Request) -> NDArray[Any] | None:
    """Read the target as an array; None where there is none, or on another device."""
    try:
        return None if request.y is None else np.asarray(request.y)
    except (RuntimeError, TypeError):
        return None


def responses_to_keep(search: Any, request: Request) -> Responses | None:
    """Make what keeps the predictions; None where none are to be kept."""
    kind, _ = kind_to_keep(search, request)
    if not kind:
        return None
    labels = np.unique(np.asarray(request.y)) if kind == "label" else None
    return Responses(
        request.splits,
        n_repeats=design_of(request).n_repeats,
        n_rows=request.n_rows,
        n_candidates=len(request.candidates),
        classes=labels,
    )


def with_rows(search: Any, request: Request, metric: str, table: ScoreTable) -> ScoreTable:
    """Add the results of single rows to the table of the metric they were kept for."""
    if metric != _chosen(search, request):
        return table
    rows = _rows_of(search, request, metric, table.scores)
    return replace(table, rows=rows, notes=(*table.notes, *_note(search, request, rows)))


def without_rows(report: SelectionReport | None) -> SelectionReport | None:
    """Return the report with its numbers as they are, and no results of single rows."""
    if report is None or report.table is None:
        return report
    return replace(report, table=replace(report.table, rows=None))


def _rows_of(
    search: Any, request: Request, metric: str, scores: NDArray[np.float64]
) -> Rows | None:
    """Give the results of single rows, if the predictions give the scores.

    They do not for a scorer that takes another class for the positive one.
    """
    kept = request.keeper.responses
    if kept is None or kept.values is None:
        return None
    name, y = name_of(search, metric), np.asarray(request.y)
    if METRICS[name].answer == "label":
        y = np.unique(y, return_inverse=True)[1]
    found = scores_from_responses(name, y, kept.values, kept.test_fold)
    judged = np.isfinite(scores).all(axis=0)
    if found is None or not judged.any():
        return None
    off = _SAME * max(float(np.ptp(scores[:, judged])), float(np.abs(scores[:, judged]).max()))
    same = np.allclose(found[:, judged], scores[:, judged], rtol=_SAME, atol=off)
    return rows_from_responses(name, y, kept.values, kept.test_fold) if same else None


def _note(search: Any, request: Request, rows: Rows | None) -> tuple[str, ...]:
    """Say why no results of single rows are there, where that is not expected."""
    kind, reason = kind_to_keep(search, request)
    if kind and rows is None:
        reason = _not_kept(search, "the predictions do not give the scores of the splits.")
    return (reason,) if reason else ()
