"""What each row contributes to a metric that is no mean over rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from skmaxev.metrics.influence import auc_influences

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["accuracy_excess", "auc_influences"]


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
