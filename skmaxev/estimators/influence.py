"""What each row contributes to a metric that is no mean over rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy import stats

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["accuracy_excess", "auc_influences"]


def auc_influences(
    responses: ArrayLike, positive: ArrayLike, *, row_splits: ArrayLike | None = None
) -> NDArray[np.float64]:
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


def accuracy_excess(correct: ArrayLike, positive: ArrayLike) -> NDArray[np.float64]:
    """Split what an accuracy has beyond chance into a contribution of every row, for two classes.

    Chance is the accuracy of predictions that are as often positive as the candidate's, but have
    nothing to do with the classes [1]_: one half where either is balanced, the share of the larger
    class for a candidate that always predicts it.

    Parameters
    ----------
    correct : array-like of shape (n_rows, n_candidates)
        1.0 where a prediction is right, 0.0 where it is wrong.
    positive : array-like of shape (n_rows,)
        Whether the row is of the positive class.

    Returns
    -------
    ndarray of shape (n_rows, n_candidates)
        Values whose mean is a candidate's accuracy minus chance: twice the covariance of prediction
        and class.

    Raises
    ------
    ValueError
        If ``correct`` holds other values than 0 and 1.

    References
    ----------
    .. [1] J. Cohen (1960), A coefficient of agreement for nominal scales. Educational and
       Psychological Measurement 20, Eq. 1.

    Examples
    --------
    >>> excess = accuracy_excess([[1, 1], [1, 0], [1, 1], [0, 0]], [True, False, True, False])
    >>> excess.mean(axis=0).tolist()
    [0.25, 0.0]
    """
    right = np.asarray(correct, dtype=np.float64)
    if not ((right == 0.0) | (right == 1.0)).all():
        raise ValueError(
            "correct must hold 0 and 1 only; got other values. Give 1.0 where a prediction is "
            "right."
        )
    truth = np.asarray(positive, dtype=np.float64)[:, np.newaxis]
    excess = np.where(right == 1.0, truth, 1.0 - truth)  # what was predicted
    # In place: rows times candidates may fill a good part of the memory.
    excess -= excess.mean(axis=0)
    excess *= 2.0 * (truth - truth.mean())
    return excess


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
