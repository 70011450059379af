"""Results of single rows, kept beside the scores within a bound of memory."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from skmaxev._compat import safe_indexing
from skmaxev.engine.record import SINGLE, Record
from skmaxev.engine.responses import METHODS
from skmaxev.scores import RowScores
from skmaxev.search._request import Request
from skmaxev.search._tables import name_of

__all__ = ["metric_to_keep", "rows_of"]

AUTO_MB = 256
"""Megabytes that ``keep_predictions="auto"`` may take."""


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
    wish = search.keep_predictions
    metric = name_of(search, _chosen(search))
    if wish is False or metric not in METHODS:
        return "", ""
    if request.score_params or not _judged_once(request):
        return "", ""
    megabytes = 4e-6 * request.n_rows * len(request.candidates)
    bound = np.inf if wish is True else AUTO_MB if wish == "auto" else float(wish)
    if megabytes > bound:
        return "", (
            f"Results of single rows were not kept: they need {megabytes:,.0f} MB, and "
            f"keep_predictions allows {bound:g} MB."
        )
    return metric, ""


def _chosen(search: Any) -> str:
    return search.refit if isinstance(search.refit, str) else SINGLE


def _judged_once(request: Request) -> bool:
    none = np.array([], dtype=np.intp)
    judged = np.concatenate([none, *(split.test for split in request.splits)])
    return bool(np.bincount(judged).max(initial=0) == 1)


def rows_of(search: Any, request: Request, record: Record, metric: str) -> RowScores | None:
    """Give the kept results of single rows, of the candidates that have all of them.

    Returns
    -------
    RowScores or None
        None for a metric that was not kept.
    """
    name = name_of(search, metric)
    if record.rows is None or metric != _chosen(search):
        return None
    fold = np.full(request.n_rows, -1, dtype=np.intp)
    for number, split in enumerate(request.splits):
        fold[split.test] = number
    results = np.full((request.n_rows, record.n_candidates), np.nan, dtype=np.float32)
    results[: len(record.rows)] = record.rows
    kept = np.flatnonzero(np.isfinite(results[fold >= 0]).all(axis=0))
    if not kept.size:
        return None
    found: NDArray[Any] = results[:, kept]
    if name not in {"accuracy", "roc_auc"}:
        return RowScores(fold=fold, candidates=kept, values=found)
    y = np.asarray(safe_indexing(request.y, np.arange(request.n_rows)))
    if name == "accuracy":
        return RowScores(fold=fold, candidates=kept, values=found, y=y)
    return RowScores(fold=fold, candidates=kept, responses=found, y=y)
