"""A contest of candidates drawn alike: what each is worth, and what its noisy score shows."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np
from scipy import stats

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Contest", "Metric", "make_contest"]

Metric = Literal["accuracy", "roc_auc"]

_REACH = 6.0  # standard deviations of the true scores that the grid covers
_N_TRUE = 241  # cells of 0.05 standard deviations
_N_SHOWN = 1500
_FAR = 9.0  # standard deviations of a score beyond which nothing is left
_MOST_EXACT = 10_000  # rows up to which the skewness of the binomial is worth its cost
_EDGE = 1e-6  # true scores stay this far inside 0 and 1


@dataclass(frozen=True)
class Contest:
    """Joint distribution of one candidate's true and shown score, on a grid.

    Attributes
    ----------
    true : ndarray of shape (n_true,)
        True scores, increasing.
    shown : ndarray of shape (n_shown,)
        Validation scores, increasing.
    joint : ndarray of shape (n_true, n_shown)
        Probabilities.
    """

    true: NDArray[np.float64]
    shown: NDArray[np.float64]
    joint: NDArray[np.float64]

    def _winner(self, k: int) -> NDArray[np.float64]:
        """Probability that the best of k shown scores is each of ``shown``."""
        below = np.minimum(np.cumsum(self.joint.sum(axis=0)), 1.0)
        return np.diff(below**k, prepend=0.0)

    def _truth_behind(self) -> NDArray[np.float64]:
        """Expected true score behind each shown one."""
        mass = self.joint.sum(axis=0)
        return np.divide(self.true @ self.joint, mass, out=self.shown.copy(), where=mass > 0)

    def optimism(self, k: int) -> float:
        """Expected shown minus true score of the winner."""
        if k == 1:
            return 0.0
        return float(np.sum(self._winner(k) * (self.shown - self._truth_behind())))

    def gain(self, k: int) -> float:
        """Expected true score of the winner minus that of one candidate."""
        if k == 1 or self.true.size == 1:
            return 0.0
        won = np.sum(self._winner(k) * self._truth_behind())
        return float(won - self.true @ self.joint.sum(axis=1))

    def shortfall(self, k: int) -> float:
        """Expected true score of the best candidate minus that of the winner."""
        if k == 1 or self.true.size == 1:
            return 0.0
        below = np.minimum(np.cumsum(self.joint.sum(axis=1)), 1.0)
        best = np.sum(self.true * np.diff(below**k, prepend=0.0))
        return max(0.0, float(best - np.sum(self._winner(k) * self._truth_behind())))

    def probability_best(self, k: int) -> float:
        """Probability that the winner is the best candidate; tied winners share."""
        if k == 1 or self.true.size == 1:
            return 1.0
        # P(another is no better and shows just this), half of its own cell being better.
        same = np.cumsum(self.joint, axis=0) - self.joint / 2
        below = np.minimum(np.cumsum(same, axis=1), 1.0)
        wins = np.diff(below**k, prepend=0.0, axis=1)
        share = np.divide(wins, same, out=k * below ** (k - 1), where=same > 1e-300)
        return float(min(1.0, np.sum(self.joint * share)))


@lru_cache(maxsize=8)
def make_contest(
    n_rows: float, score: float, spread: float, correlation: float, metric: Metric
) -> Contest:
    """Draw true scores from a normal distribution and judge each on rows of its own.

    The part of the noise that candidates share favours none of them, and leaves noise as of
    ``n_rows / (1 - correlation)`` rows.
    """
    if not n_rows >= 1:
        raise ValueError(f"n_validation must be at least 1; got {n_rows!r}.")
    if not 0 < score < 1:
        raise ValueError(f"score must be between 0 and 1; got {score!r}. Divide percent by 100.")
    if not 0 <= spread < np.inf:
        raise ValueError(f"spread must not be negative; got {spread!r}.")
    if not 0 <= correlation < 1:
        raise ValueError(f"correlation must be from 0 to below 1; got {correlation!r}.")
    if metric not in get_args(Metric):
        raise ValueError(f"metric must be one of {get_args(Metric)}; got {metric!r}.")
    n_own = n_rows / (1 - correlation)
    true, weights = _true_scores(score, spread)
    if metric == "accuracy" and n_own <= _MOST_EXACT:
        shown, likelihood = _binomial(true, max(1, round(n_own)))
    else:
        shown, likelihood = _normal(true, _score_noise(true, n_own, metric))
    return Contest(true=true, shown=shown, joint=weights[:, None] * likelihood)


def _score_noise(score: NDArray[np.float64], n_rows: float, metric: Metric) -> NDArray[np.float64]:
    """Standard deviation of a score on ``n_rows`` rows."""
    if metric == "accuracy":
        return np.asarray(np.sqrt(score * (1 - score) / n_rows))
    # Hanley and McNeil (1982), for two classes of one size.
    size = n_rows / 2
    two_positive, two_negative = score / (2 - score), 2 * score**2 / (1 + score)
    pairs = score * (1 - score)
    pairs = pairs + (size - 1) * (two_positive + two_negative - 2 * score**2)
    return np.asarray(np.sqrt(np.maximum(pairs, 0.0) / size**2))


def _true_scores(score: float, spread: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Centres and probabilities of the cells of the true scores, clipped into 0 to 1."""
    if spread == 0:
        return np.array([score]), np.ones(1)
    step = 2 * _REACH / _N_TRUE
    centres = -_REACH + step * (np.arange(_N_TRUE) + 0.5)
    weights = np.diff(stats.norm.cdf(np.append(centres - step / 2, _REACH)))
    return np.clip(score + spread * centres, _EDGE, 1 - _EDGE), weights / weights.sum()


def _binomial(
    true: NDArray[np.float64], n_rows: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Shares of right answers and their probabilities for each true score."""
    noise = _FAR * np.sqrt(0.25 * n_rows)
    low = max(0, int(np.floor(n_rows * true.min() - noise)))
    high = min(n_rows, int(np.ceil(n_rows * true.max() + noise)))
    counts = np.arange(low, high + 1)
    return counts / n_rows, np.asarray(stats.binom.pmf(counts, n_rows, true[:, None]))


def _normal(
    true: NDArray[np.float64], noise: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Cells of shown scores and their probabilities for each true score."""
    edges = np.linspace((true - _FAR * noise).min(), (true + _FAR * noise).max(), _N_SHOWN + 1)
    below = stats.norm.cdf((edges - true[:, None]) / np.maximum(noise, 1e-12)[:, None])
    return (edges[1:] + edges[:-1]) / 2, np.diff(below, axis=1)
