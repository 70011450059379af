"""Which candidates of a search may be the best, and how far the winner is from the others."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

import numpy as np
from scipy import stats

from skmaxev.comparison._checks import check_sizes, check_table
from skmaxev.comparison.multiplicity import holm
from skmaxev.comparison.results import BestSet, RunnersUp
from skmaxev.estimators.spread import ROUNDING, check_spread
from skmaxev.estimators.validation import check_best_index, check_level

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["confidence_set_of_the_best", "winner_against_runners_up"]


def confidence_set_of_the_best(
    scores: ArrayLike,
    *,
    level: float = 0.95,
    n_train: float | None = None,
    n_test: float | None = None,
    n_resamples: int = 9999,
    rng: np.random.Generator | int | None = None,
) -> BestSet:
    r"""Give all candidates that cannot be excluded as the best.

    A candidate is excluded if some other is better by more than chance can explain. The yardstick
    is the largest of all its standardised differences when the sign of every fold (or row) is
    turned at random, for all differences together: so the candidates may be correlated in any
    way, and their number is allowed for.

    Parameters
    ----------
    scores : array-like of shape (n_units, n_candidates)
        Score of each candidate on each row (outcomes of out-of-fold predictions), or on each fold.
    level : float, default=0.95
        Probability that the set holds the best candidate.
    n_train, n_test : float, optional
        Rows trained on and judged on in a fold: give them for folds, whose training sets overlap
        (Nadeau and Bengio's correction). Leave out for rows.
    n_resamples : int, default=9999
        Random turns of the signs; all of them are tried if they are no more than this.
    rng : Generator or int, optional
        Source of the signs.

    Returns
    -------
    BestSet
        Errs to the large side. Exact for independent units with differences symmetric about zero,
        approximate for many rows; approximate for folds. With fewer than 5 folds nothing can be
        excluded at 95%.

    Raises
    ------
    ValueError
        If the table is too small or not finite, or one of ``n_train`` and ``n_test`` is missing.

    References
    ----------
    .. [1] J. Romano and M. Wolf (2005), Exact and approximate stepdown methods for multiple
       hypothesis testing.
    .. [2] C. Nadeau and Y. Bengio (2003), Inference for the generalization error.

    Examples
    --------
    >>> import numpy as np
    >>> from skmaxev.comparison import confidence_set_of_the_best
    >>> rng = np.random.default_rng(0)
    >>> scores = rng.normal([0.8, 0.8, 0.5, 0.4], 0.1, size=(30, 4))
    >>> confidence_set_of_the_best(scores, rng=0).indices.tolist()
    [0, 1]
    """
    table = check_table(scores, rows="units", least_rows=2, least=1)
    check_level(level)
    ratio = _overlap(n_train, n_test)
    n_units, n_candidates = table.shape
    signs = _signs(n_units, n_resamples, np.random.default_rng(rng))
    size = float(np.abs(table).max())
    table = table - table.mean(axis=1, keepdims=True)  # differences stay; fewer digits cancel
    table[np.abs(table) <= ROUNDING * size] = 0.0  # rounding is no difference, in any unit
    turned = signs @ table
    exhaustive = len(signs) == 2**n_units
    pvalues = np.array(
        [
            _pvalue_of_best(table, turned, index, ratio=ratio, exhaustive=exhaustive)
            for index in range(n_candidates)
        ]
    )
    return BestSet(
        indices=np.nonzero(pvalues > 1 - level)[0],
        pvalues=pvalues,
        level=float(level),
        smallest_pvalue=max(2.0**-n_units, 1 / (len(signs) + (not exhaustive))),
    )


def winner_against_runners_up(
    scores: ArrayLike, *, n_train: float, n_test: float, best_index: int | None = None
) -> RunnersUp:
    """Measure how far the winner of a search is from every other candidate.

    Parameters
    ----------
    scores : array-like of shape (n_folds, n_candidates)
        Score of each candidate on each fold.
    n_train, n_test : float
        Rows trained on and judged on in a fold.
    best_index : int, optional
        Candidate that was chosen, if it is not the one with the largest mean.

    Returns
    -------
    RunnersUp
        Differences with corrected standard errors and p-values adjusted for their number (Holm).
        The winner was chosen on these scores, so the differences err upwards and the p-values
        downwards: `confidence_set_of_the_best` allows for that.

    Raises
    ------
    ValueError
        If the table is too small or not finite, or the winner leads some candidate by one and the
        same difference on every fold.

    References
    ----------
    .. [1] C. Nadeau and Y. Bengio (2003), Inference for the generalization error, Eq. 9.

    Examples
    --------
    >>> from skmaxev.comparison import winner_against_runners_up
    >>> scores = [[0.80, 0.79, 0.60], [0.85, 0.86, 0.62], [0.82, 0.80, 0.65]]
    >>> result = winner_against_runners_up(scores, n_train=80, n_test=40)
    >>> result.best_index, result.within_one_standard_error.tolist()
    (0, [1])
    """
    table = check_table(scores, rows="folds", least_rows=2, least=2)
    check_best_index(best_index, table.shape[1])
    ratio = check_sizes(n_train, n_test)
    winner = int(table.mean(axis=0).argmax()) if best_index is None else int(best_index)
    gaps = table[:, [winner]] - table
    differences = gaps.mean(axis=0)
    size = float(np.abs(table).max())
    told = [check_spread(gap, size=size, thing="fold") for gap in gaps.T]
    errors = np.where(told, np.sqrt((1 / len(table) + ratio) * gaps.var(axis=0, ddof=1)), 0.0)
    differences[~np.asarray(told)] = 0.0
    others = np.arange(table.shape[1]) != winner
    near = np.nonzero(others & (differences <= errors))[0]
    return RunnersUp(
        best_index=winner,
        differences=differences,
        standard_errors=errors,
        pvalues=_adjusted(differences, errors, others, len(table) - 1),
        within_one_standard_error=near,
    )


def _adjusted(
    differences: NDArray[np.float64],
    errors: NDArray[np.float64],
    others: NDArray[np.bool_],
    freedom: int,
) -> NDArray[np.float64]:
    """Two-sided p-values of the other candidates, adjusted by Holm; 1 for the winner."""
    tiny = np.finfo(float).tiny  # identical candidates: 0 / tiny = 0
    statistic = np.abs(differences[others]) / np.maximum(errors[others], tiny)
    pvalues = np.ones(differences.size)
    pvalues[others] = holm(2 * stats.t.sf(statistic, freedom))
    return pvalues


def _overlap(n_train: float | None, n_test: float | None) -> float:
    """Rows judged on for each row trained on; zero for independent units."""
    if n_train is None and n_test is None:
        return 0.0
    if n_train is None or n_test is None:
        raise ValueError("n_train and n_test must be given together: the rows of one fold.")
    return check_sizes(n_train, n_test)


def _signs(n_units: int, n_resamples: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """All turns of the signs if they are few, else random ones; of shape (n, n_units)."""
    if n_resamples < 1:
        raise ValueError(f"n_resamples must be at least 1; got {n_resamples!r}.")
    if n_units < 63 and 2**n_units <= n_resamples:
        return np.array(list(product((1.0, -1.0), repeat=n_units)))
    return np.asarray(rng.choice((1.0, -1.0), size=(n_resamples, n_units)))


def _pvalue_of_best(
    table: NDArray[np.float64],
    turned: NDArray[np.float64],
    index: int,
    *,
    ratio: float,
    exhaustive: bool,
) -> float:
    """P-value of 'no candidate is better than this one'.

    The statistic is the sum of the differences over the root of their sum of squares, which grows
    with Student's t and whose denominator no turn of signs changes.
    """
    length = np.sqrt(np.sum((table - table[:, [index]]) ** 2, axis=0))
    apart = length > ROUNDING * np.abs(table).max()
    scale = np.divide(1.0, length, out=np.zeros_like(length), where=apart)
    totals = table.sum(axis=0)
    observed = float(((totals - totals[index]) * scale).max())
    observed = _less_for_overlap(observed / np.sqrt(len(table)), len(table), ratio)
    yardstick = ((turned - turned[:, [index]]) * scale).max(axis=1) / np.sqrt(len(table))
    reached = int(np.sum(yardstick >= observed - 1e-12))
    extra = 0 if exhaustive else 1
    return (reached + extra) / (len(turned) + extra)


def _less_for_overlap(cosine: float, n_units: int, ratio: float) -> float:
    """Shrink t = cosine sqrt(n-1)/sqrt(1-cosine^2) for overlapping training sets, and go back."""
    if cosine <= 0 or cosine >= 1 or ratio == 0:
        return cosine
    squared = (n_units - 1) * cosine**2 / (1 - cosine**2) / (1 + n_units * ratio)
    return float(np.sqrt(squared / (n_units - 1 + squared)))
