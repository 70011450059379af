"""Which candidates failed: those with missing scores, or with what was named for them."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from skmaxev.metrics import support_of

__all__ = ["failed_candidates", "nothing_left"]

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


def nothing_left(scores: FloatArray, metric: str, reasons: Mapping[int, str]) -> str:
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
