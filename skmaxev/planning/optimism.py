"""How much too good the best validation score will be, before any of it is measured."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from skmaxev.estimators.validation import as_result
from skmaxev.planning._contest import Contest, Metric, make_contest

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import ArrayLike, NDArray

__all__ = [
    "WinnerRegret",
    "affordable_candidates",
    "expected_optimism",
    "validation_size",
    "winner_regret",
]

_MOST = 10**9  # rows, and the end of the search for them
_MOST_CANDIDATES = 10**6
_METRICS = ("accuracy", "roc_auc")


@dataclass(frozen=True)
class WinnerRegret:
    """What choosing by a noisy score loses.

    Attributes
    ----------
    shortfall : float or ndarray
        Expected true score of the best candidate minus that of the winner.
    probability_best : float or ndarray
        Probability that the winner is the best candidate.
    """

    shortfall: float | NDArray[np.float64]
    probability_best: float | NDArray[np.float64]


def expected_optimism(
    n_candidates: ArrayLike,
    n_validation: ArrayLike,
    *,
    score: ArrayLike,
    spread: ArrayLike = 0.0,
    correlation: ArrayLike = 0.0,
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
    correlation : array-like, default=0.0
        Correlation of two candidates' noise, from 0 to below 1. Candidates judged on the same rows
        share most of their noise, and what is shared favours none.
    metric : {"accuracy", "roc_auc"}, default="accuracy"
        Whose noise: the binomial, or Hanley and McNeil's for two classes of one size.

    Returns
    -------
    float or ndarray
        In units of the score; the arguments broadcast together. An upper bound where the
        candidates share rows and ``correlation`` is left at 0.

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
    The best of a hundred on a thousand rows looks 2.4 points too good.

    >>> from skmaxev.planning import expected_optimism
    >>> round(100 * expected_optimism(100, 1000, score=0.8, spread=0.01), 1)
    2.4
    """
    return _over_contests(
        Contest.optimism, n_candidates, (n_validation, score, spread, correlation), metric
    )


def winner_regret(
    n_candidates: ArrayLike,
    n_validation: ArrayLike,
    *,
    score: ArrayLike,
    spread: ArrayLike = 0.0,
    correlation: ArrayLike = 0.0,
    metric: Metric = "accuracy",
) -> WinnerRegret:
    """Expect how far the winner falls short of the best candidate, and how often it is the best.

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
    >>> loss = winner_regret(100, 1000, score=0.8, spread=0.01)
    >>> round(100 * loss.shortfall, 2), round(loss.probability_best, 2)
    (0.94, 0.17)
    """
    rest = (n_validation, score, spread, correlation)
    return WinnerRegret(
        shortfall=_over_contests(Contest.shortfall, n_candidates, rest, metric),
        probability_best=_over_contests(Contest.probability_best, n_candidates, rest, metric),
    )


def validation_size(
    n_candidates: ArrayLike,
    *,
    score: ArrayLike,
    resolve: ArrayLike,
    spread: ArrayLike = 0.0,
    correlation: ArrayLike = 0.0,
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
        Rows. Errs upwards where the candidates share rows and ``correlation`` is left at 0.

    Raises
    ------
    ValueError
        If an argument is out of its range, or a thousand million rows are not enough.

    Examples
    --------
    >>> from skmaxev.planning import validation_size
    >>> validation_size(20, score=0.8, resolve=0.01) > 5000
    True
    """
    _check_positive("resolve", resolve)

    def enough(n: int, k: float, target: float, *settings: float) -> bool:
        return _contest(float(n), *settings, metric=metric).optimism(_whole(k)) <= target

    def least(*row: float) -> int:
        if not enough(_MOST, *row):
            raise ValueError(
                f"resolve must be an improvement that {_MOST:,} rows can show; got {row[1]!r} for "
                f"{_whole(row[0]):,} candidates. Ask for a larger improvement."
            )
        return _first(lambda n: enough(n, *row), _MOST)

    settings = np.broadcast_arrays(n_candidates, resolve, score, spread, correlation)
    return _each_int(least, settings)


def affordable_candidates(
    n_validation: ArrayLike,
    *,
    score: ArrayLike,
    resolve: ArrayLike,
    spread: ArrayLike = 0.0,
    correlation: ArrayLike = 0.0,
    metric: Metric = "accuracy",
) -> int | NDArray[np.int64]:
    """Find how many candidates may be compared before the optimism exceeds ``resolve``.

    Parameters
    ----------
    n_validation, score, spread, correlation, metric
        As in `expected_optimism`.
    resolve : array-like
        Smallest improvement worth having, in units of the score.

    Returns
    -------
    int or ndarray of int
        At least 1, at most a million. Errs downwards where the candidates share rows and
        ``correlation`` is left at 0.

    Raises
    ------
    ValueError
        If an argument is out of its range.

    Examples
    --------
    >>> from skmaxev.planning import affordable_candidates
    >>> affordable_candidates(1000, score=0.8, resolve=0.01)
    2
    """
    _check_positive("resolve", resolve)

    def most(n: float, target: float, *settings: float) -> int:
        contest = _contest(n, *settings, metric=metric)
        return _first(lambda k: contest.optimism(k + 1) > target, _MOST_CANDIDATES)

    settings = np.broadcast_arrays(n_validation, resolve, score, spread, correlation)
    return _each_int(most, settings)


def _over_contests(
    what: Callable[[Contest, int], float],
    n_candidates: ArrayLike,
    settings: tuple[ArrayLike, ...],
    metric: Metric,
) -> float | NDArray[np.float64]:
    """Apply ``what`` to every combination of the broadcast arguments."""
    arrays = np.broadcast_arrays(n_candidates, *settings)
    values = [
        what(_contest(*row[1:], metric=metric), _whole(row[0]))
        for row in zip(*(array.ravel().tolist() for array in arrays), strict=True)
    ]
    return as_result(np.reshape(np.asarray(values, dtype=np.float64), arrays[0].shape))


def _contest(
    n_rows: float, score: float, spread: float, correlation: float, *, metric: Metric
) -> Contest:
    """Make a contest if its arguments are possible."""
    if not n_rows >= 1:
        raise ValueError(f"n_validation must be at least 1; got {n_rows!r}.")
    if not 0 < score < 1:
        raise ValueError(f"score must be between 0 and 1; got {score!r}. Divide percent by 100.")
    if not (np.isfinite(spread) and spread >= 0):
        raise ValueError(f"spread must not be negative; got {spread!r}.")
    if not 0 <= correlation < 1:
        raise ValueError(f"correlation must be from 0 to below 1; got {correlation!r}.")
    if metric not in _METRICS:
        raise ValueError(f"metric must be one of {_METRICS}; got {metric!r}.")
    return make_contest(float(n_rows), float(score), float(spread), float(correlation), metric)


def _whole(value: float) -> int:
    if not value >= 1 or value % 1 != 0:  # NaN is not at least 1
        raise ValueError(f"n_candidates must be a whole number of at least 1; got {value!r}.")
    return int(value)


def _check_positive(name: str, values: ArrayLike) -> None:
    if not (np.asarray(values, dtype=np.float64) > 0).all():
        raise ValueError(f"{name} must be positive; got {values!r}.")


def _first(enough: Callable[[int], bool], most: int) -> int:
    """Smallest whole number from 1 on that is enough, by doubling and halving; at most ``most``."""
    high = 1
    while not enough(high):
        if high >= most:
            return most
        high = min(2 * high, most)
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def _each_int(
    function: Callable[..., int], arrays: tuple[NDArray[np.float64], ...]
) -> int | NDArray[np.int64]:
    """Apply ``function`` to every combination; an int for scalars."""
    values = [
        function(*row) for row in zip(*(array.ravel().tolist() for array in arrays), strict=True)
    ]
    shape = arrays[0].shape
    return np.reshape(np.asarray(values, dtype=np.int64), shape) if shape else values[0]
