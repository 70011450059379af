"""From a plain array to a ScoreTable: which candidates take part, and which one won."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from skmaxev.scores.metrics import support_of
from skmaxev.scores.table import OuterFolds, RowScores, ScoreTable

__all__ = ["build_table", "mean_scores", "numbers"]

FloatArray = NDArray[np.float64]

_FAR = 10.0  # a filler lies this many score ranges below all other scores
_VERY_FAR = 1000.0
_HINTS = (
    (
        ("r2", "explained_variance"),
        "it is undefined on test sets of one row, as in leave-one-out: use a score of single rows "
        "such as 'neg_mean_squared_error', or larger test sets",
    ),
    (
        ("neg_log_loss", "roc_auc", "average_precision", "neg_brier"),
        "often a class is missing from a training or test set: use StratifiedKFold, or fewer splits",
    ),
    (
        ("f1", "precision", "recall", "jaccard"),
        "often pos_label=1 is not among the labels: use e.g. 'f1_macro', or "
        "make_scorer(f1_score, pos_label=...)",
    ),
)


def build_table(
    scores: FloatArray,
    *,
    metric: str,
    greater_is_better: bool = True,
    best_index: int | None = None,
    error_score: float | None = None,
    left_out: Mapping[int, str] | None = None,
    params: Sequence[Mapping[str, Any]] | None = None,
    rows: RowScores | None = None,
    outer: OuterFolds | None = None,
    n_fits: int | None = None,
    source: str,
    notes: Sequence[str] = (),
) -> ScoreTable:
    """Make a ScoreTable from scores in the source's own sign.

    Parameters
    ----------
    scores : ndarray of shape (n_splits, n_candidates)
        As the source holds them; losses if ``greater_is_better`` is False.
    metric, greater_is_better, params, rows, outer, n_fits, source, notes
        As in ScoreTable.
    best_index : int, optional
        The search's own winner; the first with the best mean score if omitted.
    error_score : float, optional
        What the search wrote in place of the score of a failed fit.
    left_out : mapping of int to str, optional
        Candidates that the reader already leaves out.

    Raises
    ------
    ValueError
        If no candidate has a score on every split, or the winner has none.
    """
    signed = scores if greater_is_better else -scores
    reasons = dict(left_out or {})
    filler, remark = _fillers(signed, metric, error_score)
    for reason, failed in (
        ("no score on every split", ~np.isfinite(signed)),
        (filler[0], filler[1]),
    ):
        _leave_out(reasons, reason, failed)
    used = np.setdiff1d(np.arange(signed.shape[1]), list(reasons))
    if not used.size:
        raise ValueError(_nothing_left(signed, metric, reasons))
    if best_index is None:
        best_index = int(used[np.argmax(mean_scores(signed[:, used]))])
    elif best_index in reasons:
        raise ValueError(
            f"the winner must have a score on every split; candidate {best_index}, which the search "
            f"chose, is left out: {reasons[best_index]}. Choose among the candidates that did not fail."
        )
    return ScoreTable(
        scores=signed,
        best_index=int(best_index),
        metric=metric,
        greater_is_better=greater_is_better,
        params=tuple(params) if params is not None else None,
        support=support_of(metric, signed[:, used]),
        rows=rows,
        outer=outer,
        left_out=dict(sorted(reasons.items())),
        n_fits=n_fits,
        source=source,
        notes=(*notes, *remark),
    )


def mean_scores(scores: FloatArray) -> FloatArray:
    """Average over splits, (n_splits, n_candidates) to (n_candidates,), in scikit-learn's order.

    The order of summation decides ties, so the winner is that of the search to the last bit.
    """
    return np.ascontiguousarray(scores.T).mean(axis=1)


def numbers(scores: ArrayLike, what: str) -> FloatArray:
    """Return scores as floats of shape (n_splits, n_candidates); NaN stays."""
    try:
        table = np.asarray(scores, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise TypeError(
            f"{what} must be numbers of shape (n_splits, n_candidates); got {type(scores).__name__} "
            f"({error}). Pass one row a split and one column a candidate."
        ) from error
    if table.ndim == 1 and table.size:
        raise ValueError(
            f"{what} must have shape (n_splits, n_candidates); got {table.size} single numbers. One "
            "score a candidate shows no noise, so there is nothing to correct from: pass the score of "
            "every candidate on every split, or 1.0 and 0.0 for each row (rows x candidates) that a "
            "candidate got right or wrong."
        )
    if table.ndim != 2 or not table.size:
        raise ValueError(
            f"{what} must have shape (n_splits, n_candidates); got {table.shape}. Pass one row a split "
            "and one column a candidate."
        )
    return table


def _leave_out(reasons: dict[int, str], reason: str, failed: NDArray[np.bool_]) -> None:
    """Add the candidates with a failed split, (n_splits, n_candidates), that are not named yet."""
    for index in np.flatnonzero(failed.any(axis=0)).tolist():
        if index not in reasons:
            splits = np.flatnonzero(failed[:, index])
            which = "any split" if splits.size == failed.shape[0] else f"split {_some(splits)}"
            reasons[index] = reason.replace("every split", which)


def _some(splits: NDArray[np.intp], most: int = 6) -> str:
    more = f" and {splits.size - most} more" if splits.size > most else ""
    return ", ".join(str(split) for split in splits[:most].tolist()) + more


def _fillers(
    signed: FloatArray, metric: str, error_score: float | None
) -> tuple[tuple[str, NDArray[np.bool_]], tuple[str, ...]]:
    """Find scores that stand for failed fits: reason, where they are, and a remark on doubt."""
    nowhere = np.zeros(signed.shape, dtype=bool)
    finite = np.isfinite(signed)
    if not finite.any():
        return ("", nowhere), ()
    if error_score is not None and np.isfinite(error_score):
        return _declared_filler(signed, finite, float(error_score), metric)
    value = signed[finite].min()
    hits = signed == value
    rest = signed[finite & ~hits]
    if rest.size < 2 or not float(value).is_integer() or not (extent := np.ptp(rest)):
        return ("", nowhere), ()
    gap = (rest.min() - value) / extent
    if gap > _VERY_FAR or (gap > _FAR and hits.sum() > 1):
        reason = f"{value:g} on every split stands so far below all other scores that it marks a failed fit"
        return (reason, hits), ()
    return ("", nowhere), ()


def _declared_filler(
    signed: FloatArray, finite: NDArray[np.bool_], value: float, metric: str
) -> tuple[tuple[str, NDArray[np.bool_]], tuple[str, ...]]:
    hits = signed == value
    reason = f"fit failed on every split (error_score={value:g})"
    rest = signed[finite & ~hits]
    if not hits.any() or not rest.size:
        return (reason, hits), ()
    low, _ = support_of(metric, rest)
    if value < low or (not np.isfinite(low) and value < rest.min() - _FAR * np.ptp(rest)):
        return (reason, hits), ()
    # A fit may really earn this score, so only a candidate without any other is sure to have failed.
    doubtful = hits & ~hits.all(axis=0)
    remark = (
        f"error_score={value:g} is a score that a fit can earn; {int(doubtful.any(axis=0).sum())} "
        "candidate(s) with it on some splits take part. Search with error_score=nan to tell failed "
        "fits apart.",
    )
    return (reason, hits & hits.all(axis=0)), remark if doubtful.any() else ()


def _nothing_left(signed: FloatArray, metric: str, reasons: Mapping[int, str]) -> str:
    empty = ~np.isfinite(signed).any(axis=1)
    if empty.all():
        what = "all scores are NaN or infinite"
    elif empty.any():
        what = f"split {_some(np.flatnonzero(empty))} has no score for any candidate"
    else:
        what = (
            f"no candidate is left; candidate {next(iter(reasons))}: {next(iter(reasons.values()))}"
        )
    hint = next((hint for names, hint in _HINTS if metric.startswith(names)), "")
    because = f" For {metric!r}, {hint}." if hint else ""
    return (
        f"at least one candidate must have a score on every split; {what} (metric {metric!r}).{because} "
        "Search with error_score='raise' to see the first failure."
    )
