"""From plain scores to a ScoreTable: which candidates take part, and which one won."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skmaxev.metrics import direction_doubt, direction_of, support_of
from skmaxev.table import ScoreTable, UncorrectableError, mean_scores

__all__ = ["build_table", "check_direction", "failed_candidates"]

FloatArray = NDArray[np.float64]
Mask = NDArray[np.bool_]

_ENDLESS = 1e100  # scores of fits that diverged; their squares would overflow
_MOST_NAMED = 6
_HINTS = (
    (
        ("r2", "explained_variance"),
        "it is undefined on test sets of one row, as in leave-one-out: use a score of single rows "
        "such as 'neg_mean_squared_error', or larger test sets",
    ),
    (
        ("neg_log_loss", "roc_auc", "average_precision", "neg_brier"),
        "often a class is missing from a training or test set: use StratifiedKFold or fewer splits",
    ),
    (
        ("f1", "precision", "recall", "jaccard"),
        "often pos_label=1 is not among the labels: use e.g. 'f1_macro', or "
        "make_scorer(f1_score, pos_label=...)",
    ),
)
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
    notes: Sequence[str] = (),
    **facts: Any,
) -> ScoreTable:
    """Make a ScoreTable from scores in the source's own sign, of shape (n_splits, n_candidates).

    Losses if ``greater_is_better`` is False; if it is None the name of the metric has to tell.
    ``error_score`` is in the source's own sign too; ``told`` says whether the caller named it, as a
    search may write a score that a fit can earn. ``left_out`` are candidates that the reader leaves
    out. Without ``best_index`` the first with the best mean score wins. ``facts`` are the other
    fields of the table.
    """
    if greater_is_better is None:
        greater_is_better = _told_by_name(metric)
    check_direction(greater_is_better)
    sign = 1.0 if greater_is_better else -1.0
    signed = scores if greater_is_better else -scores
    if error_score is not None:
        error_score = sign * error_score
    failed, doubts = failed_candidates(signed, metric=metric, error_score=error_score, told=told)
    reasons = dict(sorted((failed | dict(left_out or {})).items()))
    used = np.setdiff1d(np.arange(signed.shape[1]), list(reasons))
    if not used.size:
        raise UncorrectableError(_nothing_left(signed, metric, reasons))
    if best_index in reasons:
        raise UncorrectableError(
            f"the winner must have a score on every split; candidate {best_index}, which the "
            f"search chose, is left out: {reasons[best_index]}. Choose among the candidates that "
            "did not fail."
        )
    best = used[np.argmax(mean_scores(signed[:, used]))] if best_index is None else best_index
    about = _about_direction(metric, signed[:, used], bool(greater_is_better), best_index)
    return ScoreTable(
        scores=signed,
        best_index=int(best),
        metric=metric,
        greater_is_better=greater_is_better,
        params=None if params is None else tuple(params),
        support=support_of(metric, signed[:, used], greater_is_better=greater_is_better),
        left_out=reasons,
        notes=(*notes, *doubts, *about),
        **facts,
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


def _about_direction(
    metric: str,
    scores: FloatArray,
    greater_is_better: bool,  # noqa: FBT001
    best_index: int | None,
) -> tuple[str, ...]:
    """Refuse scores that are the wrong way round; of a search, which has chosen, say so."""
    doubt, searched = direction_doubt(metric, scores), best_index is not None
    if doubt is not None and searched:
        return (f"The winner may be the worst candidate: {doubt}.",)
    if doubt is not None:
        raise ValueError(
            f"scores must be read the right way round; {doubt}. Say "
            f"greater_is_better={not greater_is_better}{_OPTION[greater_is_better]}, or give the "
            "metric another name. A search keeps its own direction: pass its cv_results_."
        )
    if greater_is_better or searched or scores.min() <= 0.0:
        return ()
    return (
        "All losses are below 0. If a search of scikit-learn has turned them round, leave "
        "greater_is_better=False out: the winner is the worst candidate then.",
    )


def failed_candidates(
    scores: FloatArray, *, metric: str, error_score: float | None, told: bool = False
) -> tuple[dict[int, str], tuple[str, ...]]:
    """Find the candidates without a score on every split; no score fails for being far away.

    Gives the reason of each, and notes on what remains in doubt. What a search writes for failed
    fits may be a score that a fit earned: unless the caller ``told`` so of this very table, within
    the range of the metric it fails only candidates that have it on every split.
    """
    missing = ~np.isfinite(scores)
    endless = ~missing & (np.abs(scores) >= _ENDLESS)
    words = f"score beyond {_ENDLESS:g} on {{}}, which no number can be reckoned from"
    reasons = _reasons(endless, words) | _reasons(missing, "no score on {}")
    if error_score is None or not np.isfinite(error_score):
        return reasons, ()
    failed = scores == error_score
    rest = scores[~(missing | endless | failed)]
    notes: tuple[str, ...] = ()
    if not told and rest.size:
        low, high = support_of(metric, rest)
        earned = failed & ~failed.all(axis=0) & (low <= error_score <= high)
        failed &= ~earned
        if count := int(earned.any(axis=0).sum()):
            notes = (
                f"error_score={error_score:g} is a score that a fit can earn, so the {count} "
                "candidate(s) with it on some splits take part. Search with error_score=nan to "
                "tell failed fits apart.",
            )
    return _reasons(failed, f"fit failed on {{}} (error_score={error_score:g})") | reasons, notes


def _nothing_left(scores: FloatArray, metric: str, reasons: Mapping[int, str]) -> str:
    """Say why no candidate takes part, with what usually causes it for this metric."""
    empty = ~np.isfinite(scores).any(axis=1)
    if empty.all():
        what = "all scores are NaN or infinite"
    elif empty.any():
        each = "each of " if empty.sum() > 1 else ""
        what = f"{each}{_splits(empty)} has no score for any candidate"
    else:
        index, reason = next(iter(reasons.items()))
        what = f"all {scores.shape[1]} are left out, such as candidate {index}: {reason}"
    hint = next((hint for names, hint in _HINTS if metric.startswith(names)), "")
    because = f" For {metric!r}, {hint}." if hint else ""
    return (
        f"at least one candidate must have a score on every split; {what} (metric {metric!r})."
        f"{because} Search with error_score='raise' to see the first failure."
    )


def _reasons(failed: Mask, words: str) -> dict[int, str]:
    """Name the splits, (n_splits, n_candidates), that each candidate failed on."""
    candidates = np.flatnonzero(failed.any(axis=0)).tolist()
    return {index: words.format(_splits(failed[:, index])) for index in candidates}


def _splits(failed: Mask) -> str:
    if failed.all():
        return "every split" if failed.size > 1 else "its split"
    splits = np.flatnonzero(failed).tolist()
    more = f" and {len(splits) - _MOST_NAMED} more" if len(splits) > _MOST_NAMED else ""
    word = "split" if len(splits) == 1 else "splits"
    return f"{word} {', '.join(map(str, splits[:_MOST_NAMED]))}{more}"
