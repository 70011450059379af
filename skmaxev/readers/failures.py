"""Which candidates failed: missing scores, and fillers that stand for them."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from skmaxev.metrics import is_share, support_of

__all__ = ["failed_candidates", "nothing_left"]

FloatArray = NDArray[np.float64]
Mask = NDArray[np.bool_]

_FAR = 10.0  # a filler that repeats lies this many ranges of all other scores below them
_VERY_FAR = 1000.0  # and one that stands alone, this many
_PERCENT = 100.0
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
    scores: FloatArray,
    *,
    metric: str,
    error_score: float | None,
    greater_is_better: bool = True,
) -> tuple[dict[int, str], tuple[str, ...]]:
    """Find the candidates without a score on every split.

    Parameters
    ----------
    scores : ndarray of shape (n_splits, n_candidates)
        Higher is better.
    metric : str
        Its name may tell the range of its scores.
    error_score : float, optional
        What the search wrote for a failed fit, where that is known. Otherwise a whole number that
        lies far from all other scores is taken for it.
    greater_is_better : bool
        False for losses that were turned round.

    Returns
    -------
    reasons : dict of int to str
        Candidates that failed, each with the reason.
    notes : tuple of str
        What remains in doubt.
    """
    missing = ~np.isfinite(scores)
    finite = ~missing & (np.abs(scores) < _ENDLESS)
    words = f"score beyond {_ENDLESS:g} on {{splits}}, which no number can be reckoned from"
    reasons = _reasons(~missing & ~finite, words) | _reasons(missing, "no score on {splits}")
    if not finite.any():
        return reasons, ()
    if error_score is not None and np.isfinite(error_score):
        sure, doubtful = _declared(scores, finite, error_score, metric)
        found = _reasons(sure, f"fit failed on {{splits}} (error_score={error_score:g})")
        return found | reasons, _doubt(doubtful, error_score)
    sign, sides = (1.0, ("below", "above")) if greater_is_better else (-1.0, ("above", "below"))
    for side, (filler, value) in zip(
        sides, (_below(scores, finite, metric), _above(scores, finite, sign)), strict=True
    ):
        words = f"{sign * value:g} on {{splits}} lies so far {side} all other scores that it marks"
        reasons = _reasons(filler, f"{words} a failed fit") | reasons
    return reasons, ()


def nothing_left(scores: FloatArray, metric: str, reasons: Mapping[int, str]) -> str:
    """Say why no candidate takes part, with what usually causes it for this metric."""
    empty = ~np.isfinite(scores).any(axis=1)
    if empty.all():
        what = "all scores are NaN or infinite"
    elif empty.any():
        what = f"{_splits(empty)} has no score for any candidate".replace(
            "splits", "each of splits"
        )
    else:
        index, reason = next(iter(reasons.items()))
        what = f"all {scores.shape[1]} are left out, such as candidate {index}: {reason}"
    hint = next((hint for names, hint in _HINTS if metric.startswith(names)), "")
    because = f" For {metric!r}, {hint}." if hint else ""
    return (
        f"at least one candidate must have a score on every split; {what} (metric {metric!r})."
        f"{because} Search with error_score='raise' to see the first failure."
    )


def _declared(scores: FloatArray, finite: Mask, value: float, metric: str) -> tuple[Mask, Mask]:
    """Find where the declared filler stands: surely, and where a fit may have earned it."""
    hits = scores == value
    rest = scores[finite & ~hits]
    if not hits.any() or not rest.size:
        return hits, np.zeros_like(hits)
    low, high = support_of(metric, rest)
    far = _FAR * np.ptp(rest)
    if not low <= value <= high or (np.isinf(low) and value < rest.min() - far):
        return hits, np.zeros_like(hits)
    always = hits.all(axis=0)
    return hits & always, hits & ~always


def _below(scores: FloatArray, finite: Mask, metric: str) -> tuple[Mask, float]:
    """Find a filler below all other scores, and its value."""
    value = float(scores[finite].min())
    hits = scores == value
    if value >= 0.0:  # a split that all candidates get wrong, such as one without positives
        hits &= ~hits.all(axis=1, keepdims=True)
    rest = scores[finite & ~hits]
    gap = _gap(hits, rest, rest.min() - value) if rest.size else 0.0
    if not gap or not value.is_integer():
        return np.zeros_like(hits), value
    shares = value < 0 and rest.min() >= 0 and rest.max() <= 1  # such as accuracies, and -1
    repeated = hits.sum() > 1 and (gap > _FAR or shares)
    sure = repeated or gap > _VERY_FAR or (shares and is_share(metric))
    return (hits if sure else np.zeros_like(hits)), value


def _above(scores: FloatArray, finite: Mask, sign: float) -> tuple[Mask, float]:
    """Find a filler above all other scores: what marks a failed fit need not look poor."""
    value = float(scores[finite].max())
    hits = scores == value
    rest = scores[finite & ~hits]
    gap = _gap(hits, rest, value - rest.max()) if rest.size else 0.0
    if not gap or not value.is_integer():
        return np.zeros_like(hits), value
    negative_loss = sign < 0 and value > 0 and rest.max() <= 0
    earned = value <= 1.0 or value == _PERCENT  # by a perfect candidate
    far = gap > (_FAR if hits.sum() > 1 else _VERY_FAR) and not earned
    return (hits if negative_loss or far else np.zeros_like(hits)), value


def _gap(hits: Mask, rest: FloatArray, distance: float) -> float:
    """Measure how many ranges of the other scores a value lies from them; 0 if none is."""
    extent = float(np.ptp(rest)) if rest.size > 1 else 0.0
    return distance / extent if hits.any() and extent else 0.0


def _doubt(doubtful: Mask, value: float) -> tuple[str, ...]:
    count = int(doubtful.any(axis=0).sum())
    if not count:
        return ()
    return (
        f"error_score={value:g} is a score that a fit can earn, so the {count} candidate(s) with "
        "it on some splits take part. Search with error_score=nan to tell failed fits apart.",
    )


def _reasons(failed: Mask, words: str) -> dict[int, str]:
    """Name the splits, (n_splits, n_candidates), that each candidate failed on."""
    return {
        index: words.format(splits=_splits(failed[:, index]))
        for index in np.flatnonzero(failed.any(axis=0)).tolist()
    }


def _splits(failed: Mask) -> str:
    if failed.all():
        return "every split" if failed.size > 1 else "its split"
    splits = np.flatnonzero(failed).tolist()
    more = f" and {len(splits) - _MOST_NAMED} more" if len(splits) > _MOST_NAMED else ""
    word = "split" if len(splits) == 1 else "splits"
    return f"{word} {', '.join(map(str, splits[:_MOST_NAMED]))}{more}"
