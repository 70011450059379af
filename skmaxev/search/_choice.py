"""The choice of a candidate, in the search itself and inside every outer fold."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from skmaxev._compat import format_results, select_best_index
from skmaxev.engine.record import Record
from skmaxev.engine.types import Place
from skmaxev.search._request import Request

__all__ = ["NOBODY", "choose", "choose_inside", "complete_scores", "search_results"]

FloatArray = NDArray[np.float64]
NOBODY = -1
"""In place of a candidate, where none was chosen."""


def complete_scores(record: Record, places: Sequence[Place], metric: str) -> FloatArray:
    """Gather scores, (n_candidates, n_places); a failed fit or scorer leaves NaN, no filler."""
    return np.where(record.failed(places, metric), np.nan, record.scores(places, metric))


def choose(scores: FloatArray) -> int:
    """Choose the candidate with the best mean score, in scikit-learn's way to the last bit.

    Parameters
    ----------
    scores : ndarray of shape (n_candidates, n_splits)
        Higher is better; a candidate with NaN comes last.

    Returns
    -------
    int
        The first of equals; 0 if no candidate has a mean score.
    """
    means = np.average(scores, axis=1)
    if np.isnan(means).all():
        return 0
    means = np.nan_to_num(means, nan=np.nanmin(means) - 1)
    return int(rankdata(-means, method="min").argmin())


def choose_inside(request: Request, record: Record, places: Sequence[Place], metric: str) -> int:
    """Choose a candidate by the splits inside one outer fold.

    A callable ``refit`` gets the table that a search inside the fold would have made. Where it
    fails there, nobody is chosen: -1, after a warning.
    """
    if not callable(request.refit):
        return choose(record.scores(places, metric))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # about scores that are not finite
        results = search_results(request, record, places)
    try:
        return int(select_best_index(request.refit, metric, results))
    except Exception as error:  # a user's function may raise anything
        if request.error_score == "raise" and request.outer_cv is not None:
            raise
        warnings.warn(
            f"refit chose nobody inside outer fold {places[0].outer}, with {len(places)} inner "
            f"splits: {type(error).__name__}: {error}",
            UserWarning,
            stacklevel=2,
        )
        return NOBODY


def search_results(request: Request, record: Record, places: Sequence[Place]) -> dict[str, Any]:
    """Make the ``cv_results_`` of a search with these splits, by scikit-learn's own hand."""
    train = request.return_train_score
    output = record.as_scikit_learn(places, train=train)
    return format_results(request.candidates, len(places), output, train=train)
