"""Results of single rows, kept beside the scores within a bound of memory."""

from __future__ import annotations

from typing import Any

import numpy as np

from skmaxev._compat import safe_indexing
from skmaxev.engine.kept import BestRows
from skmaxev.engine.record import SINGLE, Record
from skmaxev.engine.responses import METHODS
from skmaxev.search._request import Request
from skmaxev.search._tables import name_of
from skmaxev.table import RowScores

__all__ = ["kept_rows", "metric_to_keep", "notes_on_rows", "rows_of"]

AUTO_MB = 256
"""Megabytes that ``keep_predictions="auto"`` may take."""
_MB_A_RESULT = 4e-6
"""Megabytes of the result of one row of one candidate."""
_FEWEST = 2
"""Candidates for which there must be room: the best so far, and one in work."""


def metric_to_keep(search: Any, request: Request) -> tuple[str, str]:
    """Say which metric is kept row by row, and why none is.

    Parameters
    ----------
    search : search object
        With ``keep_predictions``.
    request : Request
        What is searched.

    Returns
    -------
    metric : str
        Key of `skmaxev.engine.responses.METHODS`; empty for none.
    reason : str
        For the report, if there is something to say.
    """
    metric = name_of(search, _chosen(search))
    if search.keep_predictions is False:
        return "", ""
    if obstacle := _obstacle(request, metric):
        return "", _not_kept(search, obstacle)
    bound = _bound(search)
    if _n_most(request, bound) >= len(request.candidates):
        return metric, ""
    megabytes = _MB_A_RESULT * request.n_rows * len(request.candidates)
    need = f"need {megabytes:,.3g} MB, and keep_predictions allows {bound:g} MB."
    if _n_most(request, bound) < _FEWEST:
        return "", f"Results of single rows were not kept: they {need}"
    return metric, f"{_what_was_kept(request)}: all would {need}"


def notes_on_rows(search: Any, request: Request) -> tuple[str, ...]:
    """Say after the fits what was kept of single rows, where that is not all or not expected."""
    reason, kept = metric_to_keep(search, request)[1], request.keeper.rows
    if not reason and kept is not None and not kept.candidates.size:
        reason = _not_kept(
            search,
            "no candidate has one finite number for each row, as with several targets or with the "
            "Brier score of more than two classes.",
        )
    return (reason,) if reason else ()


def _obstacle(request: Request, metric: str) -> str:
    """Say why results of single rows would have no meaning, empty if they have one."""
    if metric not in METHODS:
        return f"they are for {', '.join(METHODS)}, not for {metric!r}."
    if request.score_params:
        return f"scores depend on {', '.join(request.score_params)} too, and these do not."
    return "" if _judged_once(request) else "some rows are judged by several splits."


def _not_kept(search: Any, why: str) -> str:
    """Word the reason, where they were asked for."""
    asked = search.keep_predictions != "auto"
    return f"Results of single rows were not kept: {why}" if asked else ""


def kept_rows(search: Any, request: Request) -> BestRows | None:
    """Make what keeps the results of single rows; None where none are to be kept."""
    if not metric_to_keep(search, request)[0]:
        return None
    return BestRows(
        request.n_rows,
        len(request.candidates),
        len(request.splits),
        n_most=_n_most(request, _bound(search)),
        metric=_chosen(search),
    )


def _bound(search: Any) -> float:
    wish = search.keep_predictions
    return float(np.inf if wish is True else AUTO_MB if wish == "auto" else wish)


def _n_most(request: Request, bound: float) -> int:
    """Count the candidates whose rows fit into so many megabytes."""
    n_candidates = len(request.candidates)
    return int(min(bound / (_MB_A_RESULT * max(request.n_rows, 1)), n_candidates))


def _what_was_kept(request: Request) -> str:
    rows = getattr(request.keeper, "rows", None)
    if rows is None:
        return "Results of single rows are kept for some candidates"
    return (
        f"Results of single rows were kept for {len(rows.candidates):,} of "
        f"{rows.n_candidates:,} candidates, those with the best mean scores"
    )


def _chosen(search: Any) -> str:
    return search.refit if isinstance(search.refit, str) else SINGLE


def _judged_once(request: Request) -> bool:
    none = np.array([], dtype=np.intp)
    judged = np.concatenate([none, *(split.test for split in request.splits)])
    return bool(np.bincount(judged).max(initial=0) == 1)


def rows_of(
    search: Any,
    request: Request,
    record: Record,  # noqa: ARG001  # as all that is read off a finished search
    metric: str,
) -> RowScores | None:
    """Give the kept results of single rows, of the candidates that have all of them.

    Returns
    -------
    RowScores or None
        None for a metric that was not kept.
    """
    name, kept = name_of(search, metric), request.keeper.rows
    if kept is None or metric != _chosen(search) or not kept.candidates.size:
        return None
    fold = np.full(request.n_rows, -1, dtype=np.intp)
    for number, split in enumerate(request.splits):
        fold[split.test] = number
    candidates, found = kept.candidates, kept.values()
    if name not in {"accuracy", "roc_auc"}:
        return RowScores(fold=fold, candidates=candidates, values=found)
    y = np.asarray(safe_indexing(request.y, np.arange(request.n_rows)))
    if name == "accuracy":
        return RowScores(fold=fold, candidates=candidates, values=found, y=y)
    return RowScores(fold=fold, candidates=candidates, responses=found, y=y)
