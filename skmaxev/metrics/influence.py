"""What each row adds to a metric: values whose mean is the metric, for many candidates at once.

For a metric s of m weighted rows they are ``s + m w_i ds/dw_i``; their variance over m is that of
the metric. Arrays have shape (n_candidates, n_rows[, n_classes]); weights have mean one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

__all__ = [
    "area",
    "auc_influences",
    "average_precision",
    "mean_of",
    "numerical",
    "of_classes",
    "root_of",
    "skill_of",
]

FloatArray = NDArray[np.float64]

_STEP = 1e-4


def _mean(values: FloatArray, weights: FloatArray) -> FloatArray:
    return np.asarray((values * weights).mean(axis=-1, keepdims=True))


def mean_of(values: FloatArray, weights: FloatArray) -> FloatArray:
    """Influences on a mean: the values themselves where rows have no weights."""
    if (weights == 1.0).all():
        return values
    mean = _mean(values, weights)
    return np.asarray(mean + weights * (values - mean))


def root_of(losses: FloatArray, weights: FloatArray) -> FloatArray:
    """Influences on the negative root of a mean loss."""
    mean = _mean(losses, weights)
    root = np.sqrt(mean)
    slope = np.divide(-0.5, root, out=np.zeros_like(root), where=root > 0)
    return np.asarray(-root + weights * slope * (losses - mean))


def skill_of(losses: FloatArray, reference: FloatArray, weights: FloatArray) -> FloatArray:
    """Influences on ``1 - A / B``, means of losses and of those of the best constant, as of R2.

    That constant moves with the weights too, but at its best its loss does not move with it.
    """
    loss, least = _mean(losses, weights), _mean(reference, weights)
    if not (least > 0).all():
        return np.full(losses.shape, np.nan)
    deviation = loss / least**2 * (reference - least) - (losses - loss) / least
    return np.asarray(1.0 - loss / least + weights * deviation)


def of_classes(
    truth: NDArray[np.intp],
    predicted: NDArray[np.intp],
    weights: FloatArray,
    *,
    family: str,
    average: str,
) -> FloatArray:
    """Influences on precision, recall, F1 or the Jaccard index: ratios of means, by class.

    ``truth`` (n_rows,) and ``predicted`` (n_candidates, n_rows) are numbers of classes, 1 the
    positive one of two. A ratio is 0 where its denominator is; ``average`` is as in scikit-learn,
    "balanced" the mean over classes that occur in ``truth``.
    """
    if average == "micro":
        right = (predicted == truth).astype(np.float64)
        if family != "jaccard":
            return mean_of(right, weights)
        return _ratio(right, 2.0 - right, weights)
    labels = [1] if average == "binary" else range(1 + int(max(truth.max(), predicted.max())))
    total, shares = np.zeros(predicted.shape), np.zeros((len(predicted), 1))
    for label in labels:
        is_true, is_said = (truth == label).astype(float), (predicted == label).astype(float)
        hit = is_true * is_said
        numerator, denominator = {
            "precision": (hit, is_said),
            "recall": (hit, np.broadcast_to(is_true, hit.shape)),
            "f1": (2.0 * hit, is_true + is_said),
            "jaccard": (hit, is_true + is_said - hit),
        }[family]
        found = _ratio(numerator, denominator, weights)
        if average == "weighted":
            share = _mean(is_true, weights)
            score = found.mean(axis=-1, keepdims=True)
            total += score * mean_of(is_true, weights) + share * (found - score)
            shares += share
        else:
            occurs = is_true if average == "balanced" else is_true + is_said
            counts = np.broadcast_to(occurs.any(axis=-1), (len(predicted),))[:, np.newaxis]
            total += np.where(counts, found, 0.0)
            shares += counts
    # A positive class that neither occurs nor is predicted has score 0, as in scikit-learn.
    return np.divide(total, shares, out=np.zeros_like(total), where=shares > 0)


def _ratio(numerator: FloatArray, denominator: FloatArray, weights: FloatArray) -> FloatArray:
    size = _mean(denominator, weights)
    inverse = np.divide(1.0, size, out=np.zeros_like(size), where=size > 0)
    score = _mean(numerator, weights) * inverse
    return np.asarray(score + weights * (numerator - score * denominator) * inverse)


def average_precision(
    truth: NDArray[np.intp], responses: FloatArray, weights: FloatArray
) -> FloatArray:
    """Influences on the average precision; tied responses are one threshold."""
    positive = (truth == 1).astype(np.float64)
    share = float((positive * weights).mean())
    if share <= 0.0:
        return np.full(responses.shape, np.nan)
    found = np.empty(responses.shape)
    for candidate, response in enumerate(responses):
        _, group = np.unique(-response, return_inverse=True)
        rows = np.cumsum(np.bincount(group, weights)) / len(positive)
        hits = np.cumsum(np.bincount(group, weights * positive)) / len(positive)
        precision = hits / rows
        gain = np.diff(hits, prepend=0.0) / rows
        later, lost = (np.cumsum(part[::-1])[::-1] for part in (gain, gain * precision))
        score = float((np.diff(hits, prepend=0.0) * precision).sum()) / share
        own = positive * (precision[group] + later[group]) - lost[group]
        own -= (own * weights).mean()
        found[candidate] = score + weights * (own - score * (positive - share)) / share
    return found


def area(truth: NDArray[np.intp], responses: FloatArray, weights: FloatArray) -> FloatArray:
    """Influences on the area under the ROC curve of the rows of one split."""
    positive = truth == 1
    if positive.all() or not positive.any():
        return np.full(responses.shape, np.nan)
    if (weights == 1.0).all():
        return auc_influences(responses.T, positive).T
    found = np.empty(responses.shape)
    for candidate, response in enumerate(responses):
        _, group = np.unique(response, return_inverse=True)
        placements = np.empty(len(response))
        for members in (positive, ~positive):
            other = np.bincount(group, weights * ~members)
            below = (np.cumsum(other) - other / 2.0)[group] / other.sum()
            placements[members] = (below if members is positive else 1.0 - below)[members]
        score = np.average(placements[positive], weights=weights[positive])
        for members in (positive, ~positive):
            share = (weights * members).mean()
            found[candidate, members] = (
                score + weights[members] * (placements[members] - score) / share
            )
    return found


def numerical(
    metric: Callable[..., float], truth: NDArray[Any], predicted: NDArray[Any], weights: FloatArray
) -> FloatArray:
    """Influences by a small step in the weight of each kind of row, where no formula is known.

    Rows that agree in truth and prediction are of one kind, so that few steps do for classes.
    """
    found = np.empty(predicted.shape)
    for candidate, response in enumerate(predicted):
        pairs, kind = np.unique(np.stack([truth, response]), axis=1, return_inverse=True)
        kind = kind.ravel()
        mass = np.bincount(kind, weights)
        score = metric(*pairs, sample_weight=mass)
        moved = [metric(*pairs, sample_weight=mass + _STEP * step) for step in np.eye(len(mass))]
        slopes = (np.array(moved) - score) / _STEP
        slopes -= (slopes * mass).sum() / mass.sum()  # what the finite step leaves
        found[candidate] = score + len(truth) * weights * slopes[kind]
    return found


def auc_influences(
    responses: ArrayLike, positive: ArrayLike, *, row_splits: ArrayLike | None = None
) -> FloatArray:
    """Split the area under the ROC curve into a contribution of every row.

    Parameters
    ----------
    responses : array-like of shape (n_rows, n_candidates)
        Out-of-fold response of each candidate; larger for rows that look positive.
    positive : array-like of shape (n_rows,)
        Whether the row is of the positive class.
    row_splits : array-like of shape (n_rows,), optional
        Split that judged each row: rows are compared within their split only.

    Returns
    -------
    ndarray of shape (n_rows, n_candidates)
        Values whose mean is a candidate's area (averaged over rows, not over splits), and whose
        variance over the number of rows is the area's. A row whose split lacks the other class
        has the mean of its own class.

    Raises
    ------
    ValueError
        If a class is missing in every split.

    References
    ----------
    .. [1] E. DeLong, D. DeLong and D. Clarke-Pearson (1988), Comparing the areas under two or more
       correlated receiver operating characteristic curves. Biometrics 44.

    Examples
    --------
    >>> influences = auc_influences([[0.1], [0.4], [0.3], [0.9]], [False, False, True, True])
    >>> float(influences.mean())
    0.75
    """
    table = np.asarray(responses, dtype=np.float64)
    is_positive = np.asarray(positive, dtype=bool)
    splits = np.zeros(len(table)) if row_splits is None else np.asarray(row_splits)
    placements = np.full(table.shape, np.nan)
    for split in np.unique(splits):
        rows = np.flatnonzero(splits == split)
        placements[rows] = _placements(table[rows], is_positive[rows])
    if np.isnan(placements).all():
        raise ValueError(
            "positive must hold both classes within a split; got one class in each. An area under "
            "the ROC curve needs both."
        )
    area = np.nanmean(placements[is_positive], axis=0)
    for members in (is_positive, ~is_positive):
        own = placements[members]
        deviation = np.nan_to_num(own - np.nanmean(own, axis=0))
        placements[members] = area + deviation * (len(table) / len(own))
    return placements


def _placements(responses: NDArray[np.float64], positive: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Share of the other class that each row is on the right side of, ties counting half."""
    placements = np.full(responses.shape, np.nan)
    if positive.all() or not positive.any():
        return placements
    ranks = stats.rankdata(responses, axis=0)
    for members, others in ((positive, ~positive), (~positive, positive)):
        below = (ranks[members] - stats.rankdata(responses[members], axis=0)) / others.sum()
        placements[members] = below if members is positive else 1.0 - below
    return placements
