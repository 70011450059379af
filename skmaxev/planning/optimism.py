"""How much too good the best validation score will be, before any of it is measured."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from skmaxev.estimators.validation import check_count
from skmaxev.planning._contest import Contest, Metric, make_contest

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = [
    "PLAUSIBLE_CORRELATIONS",
    "WinnerRegret",
    "affordable_candidates",
    "expected_optimism",
    "validation_size",
    "winner_regret",
]

PLAUSIBLE_CORRELATIONS = (0.4, 0.9)
"""What nine of ten grids share (`python -m benchmarks.planning`): taken where nothing is given."""

_Number = TypeVar("_Number", int, float)

_MOST_ROWS = 10**9
_MOST_CANDIDATES = 10**6


@dataclass(frozen=True)
class WinnerRegret:
    """What choosing by a noisy score brings and loses, in units of the score.

    Attributes
    ----------
    shortfall : float or ndarray
        Expected true score of the best candidate minus that of the winner.
    probability_best : float or ndarray
        Probability that the winner is the best candidate.
    gain : float or ndarray
        Expected true score of the winner minus that of a candidate at random.
    """

    shortfall: float | NDArray[np.float64]
    probability_best: float | NDArray[np.float64]
    gain: float | NDArray[np.float64]


def expected_optimism(
    n_candidates: ArrayLike,
    n_validation: ArrayLike,
    *,
    score: ArrayLike,
    spread: ArrayLike = 0.0,
    correlation: ArrayLike | None = None,
    metric: Metric = "accuracy",
) -> float | NDArray[np.float64]:
    r"""Expect by how much the best validation score exceeds the winner's true score.

    Candidates have true scores drawn from a normal distribution with standard deviation
    ``spread``; each is judged on ``n_validation`` rows.

    Parameters
    ----------
    n_candidates : array-like of int
        Candidates compared.
    n_validation : array-like of int
        Rows that judge each candidate; in cross-validation all rows.
    score : array-like
        Mean true score, between 0 and 1.
    spread : array-like, default=0.0
        Standard deviation of the true scores: 0.01 is typical of a fine grid.
    correlation : array-like, optional
        Correlation of two candidates' noise, from 0 to below 1: 0 for rows of their own. Candidates
        judged on the same rows share most of their noise, and what is shared favours none. If
        omitted, both ends of the plausible range, 0.4 and 0.9, along a new first axis.
    metric : {"accuracy", "roc_auc"}, default="accuracy"
        Whose noise: the binomial, or Hanley and McNeil's for two classes of one size.

    Returns
    -------
    float or ndarray
        In units of the score; the arguments broadcast together. Errs upwards where candidates
        share more than ``correlation`` says.

    Raises
    ------
    ValueError
        If an argument is out of its range.

    Notes
    -----
    By quadrature over the true scores; the binomial exactly for up to 10,000 rows, a little below
    its normal approximation `skmaxev.estimators.optimism_of_equal_candidates`.

    Examples
    --------
    The best of a hundred on a thousand rows looks 0.3 to 1.6 points too good.

    >>> from skmaxev.planning import expected_optimism
    >>> (100 * expected_optimism(100, 1000, score=0.8, spread=0.01)).round(1).tolist()
    [1.6, 0.3]
    """

    def optimism(k: float, *settings: float) -> float:
        contest = make_contest(*settings, metric=metric)
        return contest.optimism(check_count(k, name="n_candidates"))

    return _each(optimism, n_candidates, n_validation, score, spread, correlation=correlation)


def winner_regret(
    n_candidates: ArrayLike,
    n_validation: ArrayLike,
    *,
    score: ArrayLike,
    spread: ArrayLike = 0.0,
    correlation: ArrayLike | None = None,
    metric: Metric = "accuracy",
) -> WinnerRegret:
    """Expect how far the winner falls short of the best candidate, and what choosing gains.

    Parameters
    ----------
    n_candidates, n_validation, score, spread, correlation, metric
        As in `expected_optimism`.

    Returns
    -------
    WinnerRegret
        Floats or arrays. With no spread all candidates are the best and nothing is lost.

    Raises
    ------
    ValueError
        If an argument is out of its range.

    Examples
    --------
    >>> from skmaxev.planning import winner_regret
    >>> loss = winner_regret(100, 1000, score=0.8, spread=0.01, correlation=0.0)
    >>> round(100 * loss.shortfall, 2), round(loss.probability_best, 2), round(100 * loss.gain, 2)
    (0.94, 0.17, 1.57)
    """

    def each(what: Callable[[Contest, int], float]) -> Any:
        def of(k: float, *settings: float) -> float:
            contest = make_contest(*settings, metric=metric)
            return what(contest, check_count(k, name="n_candidates"))

        return _each(of, n_candidates, n_validation, score, spread, correlation=correlation)

    return WinnerRegret(each(Contest.shortfall), each(Contest.probability_best), each(Contest.gain))


def validation_size(
    n_candidates: ArrayLike,
    *,
    score: ArrayLike,
    resolve: ArrayLike,
    spread: ArrayLike = 0.0,
    correlation: ArrayLike | None = None,
    metric: Metric = "accuracy",
) -> int | NDArray[np.int64]:
    """Find how many rows make the optimism no larger than the smallest improvement worth having.

    Parameters
    ----------
    n_candidates, score, spread, correlation, metric
        As in `expected_optimism`.
    resolve : array-like
        Smallest improvement worth having, in units of the score.

    Returns
    -------
    int or ndarray of int
        Rows. Errs upwards where candidates share more than ``correlation`` says.

    Raises
    ------
    ValueError
        If an argument is out of its range, or a thousand million rows are not enough.

    Examples
    --------
    >>> from skmaxev.planning import validation_size
    >>> validation_size(20, score=0.8, resolve=0.01).tolist()
    [3315, 553]
    """

    def least(k: float, target: float, *settings: float) -> int:
        count = check_count(k, name="n_candidates")

        def enough(n: int) -> bool:
            return make_contest(n, *settings, metric=metric).optimism(count) <= _positive(target)

        size = 1 + bisect_left(range(1, _MOST_ROWS + 1), x=True, key=enough)
        if size > _MOST_ROWS:
            raise ValueError(
                f"resolve must be an improvement that {_MOST_ROWS:,} rows can show; got {target!r} "
                f"for {count:,} candidates. Ask for a larger improvement."
            )
        return size

    return _each(least, n_candidates, resolve, score, spread, correlation=correlation)


def affordable_candidates(
    n_validation: ArrayLike,
    *,
    score: ArrayLike,
    resolve: ArrayLike,
    spread: ArrayLike = 0.0,
    correlation: ArrayLike | None = None,
    metric: Metric = "accuracy",
) -> int | NDArray[np.int64]:
    """Find how many candidates may be compared before the optimism exceeds ``resolve``.

    No advice to try fewer: what more of them bring is the ``gain`` of `winner_regret`.

    Parameters
    ----------
    n_validation, score, spread, correlation, metric
        As in `expected_optimism`.
    resolve : array-like
        Smallest improvement worth having, in units of the score.

    Returns
    -------
    int or ndarray of int
        At least 1, at most a million. Errs downwards where candidates share more than
        ``correlation`` says.

    Raises
    ------
    ValueError
        If an argument is out of its range.

    Examples
    --------
    >>> from skmaxev.planning import affordable_candidates
    >>> affordable_candidates(1000, score=0.8, resolve=0.01, correlation=[0.0, 0.5, 0.8]).tolist()
    [2, 4, 16]
    """

    def most(n: float, target: float, *settings: float) -> int:
        contest, limit = make_contest(n, *settings, metric=metric), _positive(target)
        more = range(1, _MOST_CANDIDATES)
        return 1 + bisect_left(more, x=True, key=lambda k: contest.optimism(k + 1) > limit)

    return _each(most, n_validation, resolve, score, spread, correlation=correlation)


def _each(
    function: Callable[..., _Number], *arguments: ArrayLike, correlation: ArrayLike | None
) -> _Number | NDArray[Any]:
    """Apply ``function`` to every combination of the broadcast arguments; a number for scalars."""
    if correlation is None:
        first_axis = (-1, *[1] * max(np.ndim(values) for values in arguments))
        correlation = np.asarray(PLAUSIBLE_CORRELATIONS).reshape(first_axis)
    arrays = np.broadcast_arrays(*arguments, correlation)
    rows = zip(*(array.ravel().tolist() for array in arrays), strict=True)
    found = [function(*row) for row in rows]
    return np.reshape(found, arrays[0].shape) if arrays[0].ndim else found[0]


def _positive(resolve: float) -> float:
    if not resolve > 0:
        raise ValueError(f"resolve must be positive; got {resolve!r}.")
    return resolve
