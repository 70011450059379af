"""Corrections by simulating the search from its score table: chances to win, and optimism."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from skmaxev.estimators.validation import check_best_index, check_scores

if TYPE_CHECKING:
    RNG = np.random.Generator | int | None

__all__ = ["bootstrap_optimism", "weighted_mean_correction"]

FloatArray = NDArray[np.float64]

# Numbers drawn at a time: 32 MB.
_BLOCK = 1 << 22


def weighted_mean_correction(
    scores: ArrayLike,
    *,
    test_train_ratio: float | None = None,
    n_draws: int = 4000,
    rng: RNG = None,
) -> float:
    r"""Average the candidates' scores by their chances of being chosen.

    The means are taken as jointly normal with the covariance of the fold scores, corrected for
    overlapping training sets as by Nadeau and Bengio: :math:`(1/K + n_2/n_1)` times it. Chances
    come from draws, as no matrix over the candidates is ever made.

    Parameters
    ----------
    scores : array-like of shape (n_splits, n_candidates)
        Mean score of each candidate on each split; higher is better.
    test_train_ratio : float, optional
        Rows of a test set over rows of a training set; that of K-fold, 1 / (K - 1), if omitted.
    n_draws : int
        Draws for the chances.
    rng : Generator, int or None
        Source of randomness.

    Returns
    -------
    float
        Errs downwards where one candidate is clearly chosen but not clearly best; between the
        smallest and the largest mean score.

    References
    ----------
    .. [1] C. Bernau, T. Augustin and A.-L. Boulesteix (2013). Correcting the optimal
       resampling-based error rate by estimating the error rate of wrapper algorithms.
       Biometrics 69.

    Examples
    --------
    >>> round(weighted_mean_correction([[0.9, 0.6], [0.9, 0.5], [0.9, 0.7]], rng=0), 9)
    0.9
    """
    table = check_scores(scores, min_splits=2)
    size = len(table)
    ratio = 1.0 / (size - 1) if test_train_ratio is None else test_train_ratio
    means = table.mean(axis=0)
    wins = np.zeros(len(means))
    for noise in _normal_noise(table - means, n_draws, np.random.default_rng(rng)):
        drawn = means + noise * np.sqrt(1.0 + size * ratio)
        wins += np.bincount(drawn.argmax(axis=1), minlength=len(means))
    # Equal scores that share the chances must not come out changed in the last bit.
    return float(np.clip(wins @ means / n_draws, means.min(), means.max()))


def bootstrap_optimism(
    scores: ArrayLike, *, best_index: int | None = None, n_draws: int = 4000, rng: RNG = None
) -> float:
    """Take off the winner's score the optimism of a search whose truth is known: a shrunken copy.

    The copy's true scores are the means pulled to their grand mean by what is noise (so that the
    spread of the copy's observed means is that of the table); its noise is that of the table after
    the split effects are removed.

    Parameters
    ----------
    scores : array-like of shape (n_splits, n_candidates)
        Mean score of each candidate on each split; higher is better.
    best_index : int, optional
        Candidate that was chosen; the largest mean if omitted.
    n_draws : int
        Copies of the search.
    rng : Generator, int or None
        Source of randomness.

    Returns
    -------
    float
        Estimate of the winner's true score; errs slightly upwards on real searches.

    Examples
    --------
    >>> bootstrap_optimism([[0.9, 0.6], [0.9, 0.6], [0.9, 0.6]], rng=0)
    0.9
    """
    table = check_scores(scores, min_splits=2)
    means = table.mean(axis=0)
    check_best_index(best_index, len(means))
    chosen = float(means.max() if best_index is None else means[best_index])
    if len(means) == 1:
        return chosen
    residual = table - means - table.mean(axis=1, keepdims=True) + table.mean()
    noise = np.sum(residual**2) / ((len(table) - 1) * (len(means) - 1)) / len(table)
    spread = means.var(ddof=1)
    kept = np.sqrt(max(0.0, 1.0 - noise / spread)) if spread > 0 else 0.0
    truth = means.mean() + kept * (means - means.mean())
    excess = 0.0
    for draw in _normal_noise(residual, n_draws, np.random.default_rng(rng)):
        won = (truth + draw).argmax(axis=1)
        excess += draw[np.arange(len(draw)), won].sum() / n_draws
    return float(np.clip(chosen - max(0.0, excess), means.min(), chosen))


def _normal_noise(
    residual: FloatArray, n_draws: int, rng: np.random.Generator
) -> Iterator[FloatArray]:
    """Draw errors of the means with the table's covariance, (some, n_candidates) at a time."""
    size, width = residual.shape
    block = max(1, _BLOCK // width)
    for start in range(0, n_draws, block):
        normal = rng.standard_normal((min(block, n_draws - start), size))
        yield normal @ residual / np.sqrt(size * (size - 1))
