"""Which candidates of a search may be the best, and how far the winner is from the others."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from skmaxev.correction import correct

if TYPE_CHECKING:
    from skmaxev.report import RunnersUp

__all__ = ["confidence_set_of_the_best", "winner_against_runners_up"]


def winner_against_runners_up(
    results: Any = None, *, level: float = 0.95, **options: Any
) -> RunnersUp:
    """Measure how far the winner of a search is from every other candidate.

    The same as ``correct(results, ...).runners_up()``.

    Parameters
    ----------
    results : object
        Anything that `skmaxev.correct` takes.
    level : float, default=0.95
        Of the interval of each difference, and of the set of those that may be the best.
    **options : dict
        Further parameters of `skmaxev.correct`.

    Returns
    -------
    RunnersUp
        Paired differences by Nadeau and Bengio, from the splits or the results of single rows. The
        winner was chosen on these scores, so they err in its favour; the set allows for that.

    Examples
    --------
    >>> from skmaxev.comparison import winner_against_runners_up
    >>> scores = [[0.80, 0.79, 0.60], [0.85, 0.86, 0.62], [0.82, 0.80, 0.65], [0.84, 0.84, 0.61]]
    >>> found = winner_against_runners_up(scores)
    >>> [(other.candidate, round(other.p_better, 2)) for other in found.candidates]
    [(1, 0.32), (2, 0.0)]
    """
    return correct(results, level=level, **options).runners_up()


def confidence_set_of_the_best(
    results: Any = None, *, level: float = 0.95, **options: Any
) -> RunnersUp:
    """Give the candidates besides the winner that cannot be excluded as the best.

    Parameters
    ----------
    results : object
        Anything that `skmaxev.correct` takes; ``responses=`` of shape (n_candidates, n_items) for
        rows or items for which nothing was trained.
    level : float, default=0.95
        Probability that the winner and these hold the best candidate.
    **options : dict
        Further parameters of `skmaxev.correct`.

    Returns
    -------
    RunnersUp
        As of `winner_against_runners_up`, without the candidates that are excluded. Errs to the
        large side; with five folds little can be excluded.

    Examples
    --------
    >>> import numpy as np
    >>> from skmaxev.comparison import confidence_set_of_the_best
    >>> rng = np.random.default_rng(0)
    >>> items = rng.normal([0.8, 0.8, 0.5, 0.4], 0.1, size=(30, 4)).T
    >>> found = confidence_set_of_the_best(responses=items)
    >>> found.best_index, found.indices
    (1, (0,))
    """
    found = winner_against_runners_up(results, level=level, **options)
    return replace(found, candidates=tuple(one for one in found.candidates if one.may_be_best))
