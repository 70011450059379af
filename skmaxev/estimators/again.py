"""The true score of candidates that were judged again on fresh partitions of the same rows."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from skmaxev.estimators._design import checked_design, own_variance, partitions
from skmaxev.estimators.consensus import consensus
from skmaxev.estimators.validation import check_scores
from skmaxev.table import Design

__all__ = ["JudgedAgain", "judged_again"]

FloatArray = NDArray[np.float64]

# Share of a candidate's own noise that a new dealing of the rows renews, before fresh partitions
# tell: with half of Nadeau and Bengio's correlation, as measured, about one half. It weighs as much
# as what three contenders on one fresh partition tell, and as much again.
_RENEWED, _WEIGHT = 0.5, 4.0


class JudgedAgain(NamedTuple):
    """What fresh partitions say of the candidates.

    Parameters
    ----------
    best_index : int
        Candidate with the best estimate among those judged again.
    estimate : float
        Its true score.
    estimates : ndarray of shape (n_candidates,)
        The same of every candidate that was judged again; NaN for others.
    renewed : float
        Share of the candidates' own noise that a new dealing of the rows renews.
    """

    best_index: int
    estimate: float
    estimates: FloatArray
    renewed: float


def judged_again(
    scores: ArrayLike,
    fresh: ArrayLike,
    *,
    design: Design | None = None,
    support: tuple[float, float] = (-np.inf, np.inf),
) -> JudgedAgain:
    r"""Estimate true scores from a search and from fresh partitions of its rows.

    Experimental: the combination is ours, and its accuracy measured.

    Parameters
    ----------
    scores : array-like of shape (n_splits, n_candidates)
        Scores of the search; higher is better.
    fresh : array-like of shape (n_fresh, n_candidates)
        Mean score on each fresh partition; NaN where a candidate was not judged again.
    design : Design, optional
        How the splits of ``scores`` came about; the folds of one partition if omitted.
    support : tuple of two floats
        Range of the metric.

    Returns
    -------
    JudgedAgain
        Errs little on average. The candidate may be another than that of the best mean score.

    Raises
    ------
    ValueError
        If no candidate was judged again, or the shapes do not fit.

    Notes
    -----
    Let :math:`y` be a candidate's mean on the R partitions of the search, :math:`O` its optimism by
    `consensus`, :math:`f` its mean on r fresh partitions, and :math:`c` the share of :math:`O` that
    is due to how the rows were dealt. Fresh partitions judge the same rows, so they hold the rest
    of the optimism: :math:`E[f] = \mu + (1 - c) O`, while :math:`E[y] = \mu + O`. The estimate

    .. math:: y - O - \frac{r}{R + 1 + r} (y - f - c O)

    weighs partitions alike, and :math:`O` as one more, since it comes from the same noise. That a
    candidate was chosen to be judged again says no more of it than the scores do.

    Examples
    --------
    >>> scores = [[0.8, 0.7, 0.6], [0.7, 0.8, 0.6], [0.9, 0.7, 0.5]]
    >>> found = judged_again(scores, [[0.75, 0.80, float("nan")]])
    >>> found.best_index, round(found.estimate, 2)
    (0, 0.75)
    """
    table = check_scores(scores, min_splits=2)
    found = checked_design(design, len(table))
    again = np.asarray(fresh, dtype=np.float64)
    if again.ndim != 2 or again.shape[1] != table.shape[1] or np.isnan(again).all():
        raise ValueError(
            "fresh must hold the mean of each candidate on each fresh partition, of shape (n_fresh,"
            f" {table.shape[1]}), with one number at least; got shape {again.shape}."
        )
    means = table.mean(axis=0)
    renewed = _renewed_share(table, again, found)
    estimates = np.full(len(means), np.nan)
    for index in np.flatnonzero(np.isfinite(again).any(axis=0)):
        judged = again[np.isfinite(again[:, index]), index]
        optimism = means[index] - float(
            consensus(table, design=found, best_index=int(index), support=support)
        )
        gain = len(judged) / (found.n_repeats + 1.0 + len(judged))
        fall = means[index] - judged.mean() - renewed * optimism
        estimates[index] = means[index] - optimism - gain * fall
    estimates = np.clip(estimates, *support)
    best = int(np.nanargmax(estimates))
    return JudgedAgain(best, float(estimates[best]), estimates, renewed)


def _renewed_share(table: FloatArray, again: FloatArray, design: Design) -> float:
    """Measure what a new dealing renews by how candidates move against each other."""
    squares, free = 0.0, 0
    for judged in again:
        both = np.isfinite(judged)
        moved = judged[both] - table.mean(axis=0)[both]
        squares += float(np.square(moved - moved.mean()).sum()) if both.any() else 0.0
        free += max(int(both.sum()) - 1, 0)
    one = float(own_variance(partitions(table, design), design)) * design.n_repeats
    if not free or one <= 0.0:
        return _RENEWED
    share = min(squares / free / (1.0 + 1.0 / design.n_repeats) / one, 1.0)
    return (_WEIGHT * _RENEWED + free * share) / (_WEIGHT + free)
