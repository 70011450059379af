"""The true score of the winner, by agreement of several corrections."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from skmaxev.estimators._validation import as_result, check_best_index, check_scores
from skmaxev.estimators.cross_validation import low_variance_cv
from skmaxev.estimators.shrinkage import efron_shrinkage

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["consensus"]


def consensus(
    scores: ArrayLike,
    *,
    best_index: int | None = None,
    row_values: ArrayLike | None = None,  # noqa: ARG001 - the signature is settled, the use to come
    row_splits: ArrayLike | None = None,  # noqa: ARG001
) -> float | NDArray[np.float64]:
    """Estimate the true score of the winner that is deployed.

    Parameters
    ----------
    scores : array-like of shape (..., n_splits, n_candidates)
        Mean score of each candidate on each split; higher is better.
    best_index : int, optional
        The candidate that was chosen; the best mean if omitted.
    row_values : array-like of shape (n_rows, n_candidates), optional
        Score of each row, where the metric is a mean over rows.
    row_splits : array-like of shape (n_rows,), optional
        Split that judged each row; goes with ``row_values``.

    Returns
    -------
    float or ndarray of shape (...)
        Estimate of the winner's true score.
    """
    table = check_scores(scores, min_splits=2)
    check_best_index(best_index, table.shape[-1])
    if table.shape[-1] == 1:
        return as_result(table.mean(axis=(-2, -1)))
    shrunken = np.asarray(efron_shrinkage(table, best_index=best_index))
    if best_index is not None:
        return as_result(shrunken)
    return as_result((np.asarray(low_variance_cv(table)) + shrunken) / 2)
