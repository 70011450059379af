"""From a plain array to a ScoreTable: which candidates take part, and which one won."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from skmaxev.metrics import direction_doubt, direction_of, support_of
from skmaxev.readers.failures import failed_candidates, nothing_left
from skmaxev.table import Design, OuterFolds, Rows, ScoreTable, UncorrectableError, mean_scores

__all__ = ["as_floats", "build_table", "check_direction", "is_missing", "numbers"]

FloatArray = NDArray[np.float64]

_OPTION = {True: " (--losses on the command line)", False: " (no --losses)"}


def build_table(
    scores: FloatArray,
    *,
    metric: str,
    greater_is_better: bool | None = True,
    best_index: int | None = None,
    error_score: float | None = None,
    told: bool = True,
    left_out: Mapping[int, str] | None = None,
    params: Sequence[Mapping[str, Any]] | None = None,
    design: Design | None = None,
    rows: Rows | None = None,
    outer: OuterFolds | None = None,
    n_fits: int | None = None,
    source: str,
    notes: Sequence[str] = (),
) -> ScoreTable:
    """Make a ScoreTable from scores in the source's own sign, of shape (n_splits, n_candidates).

    Losses if ``greater_is_better`` is False; if it is None the name of the metric has to tell.
    ``error_score`` is in the source's own sign too; ``told`` says whether the caller named it, as a
    search may write a score that a fit can earn. ``left_out`` are candidates that the reader leaves
    out. Without ``best_index`` the first with the best mean score wins.
    """
    if greater_is_better is None:
        greater_is_better = _told_by_name(metric)
    check_direction(greater_is_better)
    signed = scores if greater_is_better else -scores
    sign = 1.0 if greater_is_better else -1.0
    failed, doubts = failed_candidates(
        signed,
        metric=metric,
        error_score=None if error_score is None else sign * error_score,
        told=told,
    )
    reasons = dict(sorted((failed | dict(left_out or {})).items()))
    used = np.setdiff1d(np.arange(signed.shape[1]), list(reasons))
    if not used.size:
        raise UncorrectableError(nothing_left(signed, metric, reasons))
    if best_index in reasons:
        raise UncorrectableError(
            f"the winner must have a score on every split; candidate {best_index}, which the "
            f"search chose, is left out: {reasons[best_index]}. Choose among the candidates that "
            "did not fail."
        )
    best = used[np.argmax(mean_scores(signed[:, used]))] if best_index is None else best_index
    doubts += _check_direction(
        metric,
        signed[:, used],
        greater_is_better=bool(greater_is_better),
        searched=best_index is not None,
    )
    return ScoreTable(
        scores=signed,
        best_index=int(best),
        metric=metric,
        greater_is_better=greater_is_better,
        params=tuple(params) if params is not None else None,
        support=support_of(metric, signed[:, used], greater_is_better=greater_is_better),
        design=design,
        rows=rows,
        outer=outer,
        left_out=reasons,
        n_fits=n_fits,
        source=source,
        notes=(*notes, *doubts),
    )


def check_direction(greater_is_better: Any) -> None:
    """Refuse what is neither True nor False."""
    if not isinstance(greater_is_better, bool | np.bool_):
        raise TypeError(
            f"greater_is_better must be True, or False for losses; got {greater_is_better!r}."
        )


def _told_by_name(metric: str) -> bool:
    """Ask where no word of a name tells a score or a loss; a loss may be one turned round."""
    if direction_of(metric) is None:
        raise ValueError(
            f"it must be known whether higher is better; the name {metric!r} does not tell. Say "
            "greater_is_better=True (--higher on the command line), or greater_is_better=False "
            "for a loss (--losses)."
        )
    return True


def _check_direction(
    metric: str, scores: FloatArray, *, greater_is_better: bool, searched: bool
) -> tuple[str, ...]:
    """Refuse scores that are the wrong way round; of a search, which has chosen, say so."""
    doubt = direction_doubt(metric, scores)
    if doubt is None and not greater_is_better and not searched and scores.min() > 0.0:
        return (
            "All losses are below 0. If a search of scikit-learn has turned them round, leave "
            "greater_is_better=False out: the winner is the worst candidate then.",
        )
    if doubt is None:
        return ()
    if searched:
        return (f"The winner may be the worst candidate: {doubt}.",)
    raise ValueError(
        f"scores must be read the right way round; {doubt}. Say "
        f"greater_is_better={not greater_is_better}{_OPTION[greater_is_better]}, or give the "
        "metric another name. A search keeps its own direction: pass its cv_results_."
    )


def is_missing(value: Any) -> bool:
    """Tell whether a cell is empty: None, NaN, masked, or pandas' own NA and NaT."""
    if value is None or value is np.ma.masked:
        return True
    if isinstance(value, float | np.floating):
        return bool(np.isnan(value))
    return type(value).__name__ in {"NAType", "NaTType"}


def as_floats(values: Any, what: str) -> FloatArray:
    """Return an array, or a column of a frame, as floats; what is missing or masked is NaN."""
    try:
        return _as_floats(values)
    except (TypeError, ValueError) as error:
        raise TypeError(
            f"{what} must be numbers; got {type(values).__name__} ({error}). Put NaN where one is "
            "missing, and write percentages and decimal commas as plain numbers, as with "
            "pandas.read_csv(path, decimal=',')."
        ) from error


def _as_floats(values: Any) -> FloatArray:
    if isinstance(values, list | tuple) and any(map(np.ma.isMaskedArray, values)):
        values = np.ma.stack(values)
    if np.ma.isMaskedArray(values):
        return np.ma.filled(values.astype(np.float64), np.nan)
    found = np.asarray(values)
    if found.dtype.kind in "cMm":  # NumPy would drop the imaginary part, and count seconds
        raise TypeError(f"their type is {found.dtype}")
    if found.dtype.kind != "O":
        return found.astype(np.float64)
    inner = next(
        (cell for cell in found.ravel() if isinstance(cell, list | tuple | np.ndarray)), None
    )
    if inner is not None:
        raise TypeError(f"its cells are of type {type(inner).__name__}; stack them to one array")
    cells = [np.nan if is_missing(value) else value for value in found.ravel()]
    return np.array(cells, dtype=np.float64).reshape(found.shape)


def numbers(scores: ArrayLike, what: str) -> FloatArray:
    """Return scores as floats of shape (n_splits, n_candidates); NaN stays."""
    table = as_floats(scores, what)
    if table.ndim == 1 and table.size:
        raise ValueError(
            f"{what} must have shape (n_splits, n_candidates); got {table.size} single numbers. "
            "One score a candidate shows no noise, so there is nothing to correct from: pass the "
            "score of every candidate on every split, or 1.0 and 0.0 for each row (rows x "
            "candidates) that a candidate got right or wrong."
        )
    if table.ndim != 2 or not table.size:
        raise ValueError(
            f"{what} must have shape (n_splits, n_candidates); got {table.shape}. Pass one row a "
            "split and one column a candidate."
        )
    return table
