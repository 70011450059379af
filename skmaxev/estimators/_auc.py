"""Area under the ROC curve of many candidates under many sets of row weights."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

__all__ = ["WeightedAUC"]

FloatArray = NDArray[np.float64]

# Standard deviations of the expansion's remainder beyond which a candidate cannot be the best.
_REACH = 6.0
# Weights worked on at a time: 32 MB.
_BLOCK = 1 << 22


class WeightedAUC:
    """Weighted areas from orders that are sorted once.

    Parameters
    ----------
    responses : ndarray of shape (n_rows, n_candidates)
        Larger for rows that look positive.
    positive : ndarray of shape (n_rows,)
        Whether the row is positive.
    fold : array-like of shape (n_rows,), optional
        Rows are ranked within each fold before they are pooled.
    """

    def __init__(
        self, responses: FloatArray, positive: NDArray[np.bool_], fold: ArrayLike | None
    ) -> None:
        counts = int(positive.sum()), int((~positive).sum())
        if min(counts) < 2:
            raise ValueError(
                f"y must hold two rows or more of each class; got {counts[0]} positive (1) and "
                f"{counts[1]} other. An area under the ROC curve needs both."
            )
        self.responses = responses if fold is None else rank_within(responses, np.asarray(fold))
        self.positive = positive
        placements, areas = _placements(self.responses, positive)
        best = areas.argmax()
        self.placements = (placements - placements[:, [best]]).astype(np.float32)
        self.ahead = (areas - areas[best]).astype(np.float32)
        # What the expansion leaves out has at most the variance of one pair, 1/4, over the number
        # of pairs; the difference of two candidates four times that.
        self.slack = _REACH / np.sqrt(counts[0] * counts[1])
        self._sorted = lru_cache(maxsize=64)(self._sort)

    def choose(self, weights: NDArray[np.float32]) -> NDArray[np.intp]:
        """Best candidate under each set of weights, of shape (n_sets,)."""
        share = np.where(self.positive, 1.0 / self.positive.sum(), 1.0 / (~self.positive).sum())
        # Each class's mean of the placements is an area: their sum counts it twice.
        linear = (weights * share.astype(np.float32)) @ self.placements - self.ahead
        close = linear >= linear.max(axis=1, keepdims=True) - self.slack
        exact = np.full(linear.shape, -np.inf)
        for candidate in np.flatnonzero(close.any(axis=0)):
            mine = close[:, candidate]
            exact[mine, candidate] = self.area(weights[mine], int(candidate))
        return exact.argmax(axis=1)

    def judge(self, left_out: NDArray[np.bool_], candidate: int) -> FloatArray:
        """Area of one candidate on each set of rows; NaN where a class is missing."""
        return self.area(left_out.astype(np.float32), candidate)

    def area(self, weights: NDArray[np.float32], candidate: int) -> FloatArray:
        """Weighted area of one candidate, tied rows counting half; of shape (n_sets,)."""
        block = max(1, _BLOCK // weights.shape[1])
        parts = range(0, len(weights), block)
        return np.concatenate([self._area(weights[i : i + block], candidate) for i in parts])

    def _area(self, weights: NDArray[np.float32], candidate: int) -> FloatArray:
        """Weigh the pairs that the positive row wins, by the negative weight below it."""
        negatives, positives, first, last = self._sorted(candidate)
        below = np.zeros((len(weights), len(negatives) + 1))
        np.cumsum(weights[:, negatives], axis=1, out=below[:, 1:])
        won = weights[:, positives]
        pairs = np.einsum("ij,ij->i", won, below[:, first] + below[:, last]) / 2.0
        total = won.sum(axis=1) * below[:, -1]
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(np.where(total > 0, pairs / total, np.nan))

    def _sort(self, candidate: int) -> tuple[NDArray[np.intp], ...]:
        """Negative rows in order, positive rows, and where these would stand among the negative."""
        values = self.responses[:, candidate]
        positives = np.flatnonzero(self.positive)
        negatives = np.flatnonzero(~self.positive)
        negatives = negatives[np.argsort(values[negatives])]
        ranked, judged = values[negatives], values[positives]
        first = np.searchsorted(ranked, judged, "left")
        return negatives, positives, first, np.searchsorted(ranked, judged, "right")


def rank_within(responses: FloatArray, fold: NDArray[np.int_]) -> FloatArray:
    """Replace responses by their rank within the fold, as a share of its rows."""
    ranks = np.empty_like(responses)
    for label in np.unique(fold):
        rows = fold == label
        ranks[rows] = (stats.rankdata(responses[rows], axis=0) - 0.5) / rows.sum()
    return ranks


def _placements(
    responses: FloatArray, positive: NDArray[np.bool_]
) -> tuple[FloatArray, FloatArray]:
    """Share of the other class that each row beats (ties half), and the areas."""
    n_positive, n_negative = positive.sum(), (~positive).sum()
    shares = stats.rankdata(responses, axis=0)
    shares[positive] -= stats.rankdata(responses[positive], axis=0)
    shares[~positive] -= stats.rankdata(responses[~positive], axis=0)
    shares[positive] /= n_negative
    shares[~positive] = 1.0 - shares[~positive] / n_positive
    return shares, shares[positive].mean(axis=0)
