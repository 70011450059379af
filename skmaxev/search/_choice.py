"""The choice of a candidate, in the search itself and inside every outer fold."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from skmaxev.engine.plan import Place
from skmaxev.engine.record import Record

__all__ = ["NOBODY", "choose", "choose_inside", "search_results"]

FloatArray = NDArray[np.float64]
NOBODY = -1
"""In place of a candidate, where none was chosen."""


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


def choose_inside(
    search: Any, record: Record, places: Sequence[Place], metric: str, candidates: list[Any]
) -> int:
    """Choose a candidate by the splits inside one outer fold.

    A callable ``refit`` gets the table that a search inside the fold would have made. Where it
    fails there, nobody is chosen: -1, after a warning.
    """
    if not callable(search.refit):
        return choose(record.scores(places, metric))
    results = search_results(search, record, places, candidates, quiet=True)
    try:
        return int(search._select_best_index(search.refit, metric, results))  # noqa: SLF001  # inherited
    except Exception as error:  # a user's function may raise anything
        if search.error_score == "raise" and search.outer_cv is not None:
            raise
        warnings.warn(
            f"refit chose nobody inside outer fold {places[0].outer}, with {len(places)} inner "
            f"splits: {type(error).__name__}: {error}",
            UserWarning,
            stacklevel=2,
        )
        return NOBODY


def search_results(
    search: Any, record: Record, places: Sequence[Place], candidates: list[Any], *, quiet: bool
) -> dict[str, Any]:
    """Make the ``cv_results_`` of a search with these splits, by scikit-learn's own hand.

    ``quiet`` keeps back the warning about scores that are not finite.
    """
    train = search.return_train_score
    output = record.as_scikit_learn(places, train=train)
    with warnings.catch_warnings():
        if quiet:
            warnings.simplefilter("ignore", UserWarning)
        results = search._format_results(candidates, len(places), output)  # noqa: SLF001  # inherited
    return dict(results)
