"""Corrections of the winner's score that use nothing but the score table."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from skmaxev.estimators._design import checked_design, own_variance, partitions
from skmaxev.estimators.validation import as_result, check_best_index, check_scores

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from skmaxev.table import Design

__all__ = ["efron_shrinkage", "residual_noise", "tibshirani"]


def residual_noise(
    scores: ArrayLike, *, design: Design | None = None
) -> float | NDArray[np.float64]:
    """Estimate the noise that favours some candidates over others.

    Candidates are scored on the same rows, so a hard split lowers all of them alike and favours
    none. What is left after removing the split effect is the noise that makes winners.

    Parameters
    ----------
    scores : array-like of shape (..., n_splits, n_candidates)
        Mean score of each candidate on each split; higher is better.
    design : Design, optional
        How the splits came about; the folds of one partition if omitted. Partitions judge the same
        rows again, so only what a new dealing of the rows renews shrinks with their number.

    Returns
    -------
    float or ndarray of shape (...)
        Noise variance of the mean score of one candidate, in squared units of the scores; 0 for
        one candidate. Assumes that splits err independently: where training rows overlap it
        errs downwards on average.

    Examples
    --------
    >>> residual_noise([[1.0, 0.0], [0.0, 1.0]])
    0.5
    >>> residual_noise([[1.0, 0.5], [0.5, 0.0]])  # the split moves both alike
    0.0
    """
    table = check_scores(scores, min_splits=2)
    found = checked_design(design, table.shape[-2])
    return as_result(own_variance(partitions(table, found), found))


def efron_shrinkage(
    scores: ArrayLike,
    *,
    noise: float | None = None,
    best_index: int | None = None,
    design: Design | None = None,
) -> float | NDArray[np.float64]:
    """Estimate the winner's true score by pulling its mean towards that of all candidates.

    The empirical-Bayes estimate for normal true scores under normal noise. The excess of the
    winner is kept by the share of the spread of the means that is not noise.

    Parameters
    ----------
    scores : array-like of shape (..., n_splits, n_candidates)
        Mean score of each candidate on each split; higher is better.
    noise : float, optional
        Noise variance of a candidate's mean; that of `residual_noise` if omitted.
    best_index : int, optional
        Column of the chosen candidate; by default the one with the largest mean.
    design : Design, optional
        How the splits came about, for the noise; as in `residual_noise`.

    Returns
    -------
    float or ndarray of shape (...)
        Between the winner's mean and the grand mean. Errs upwards on average where the splits share
        training rows, and by nearly the whole optimism where a few hopeless candidates make the
        spread of the true scores look wide, which `consensus` does not. Where all means are equal
        it is the mean.

    References
    ----------
    .. [1] B. Efron (2011), Tweedie's formula and selection bias. JASA 106,
       section 1.

    Examples
    --------
    >>> scores = [[0.75, 0.5, 0.25], [1.0, 0.25, 0.25]]
    >>> round(efron_shrinkage(scores), 4)
    0.8214
    >>> efron_shrinkage(scores, noise=0.0)
    0.875
    """
    table = check_scores(scores, min_splits=2 if noise is None else 1)
    known = isinstance(noise, int | float | np.number) and 0 <= noise < np.inf
    if noise is not None and not known:
        raise ValueError(f"noise must be a variance that is not negative; got {noise!r}.")
    means = table.mean(axis=-2)
    winner = _mean_of(means, best_index)
    spread = means.max(axis=-1) - means.min(axis=-1)
    grand = means.mean(axis=-1)
    variance = np.square(means - grand[..., np.newaxis]).sum(axis=-1) / max(means.shape[-1] - 1, 1)
    # Rounding leaves equal means a variance; there is no excess to pull back then.
    lost = np.divide(
        residual_noise(table, design=design) if noise is None else noise,
        variance,
        out=np.zeros_like(variance),
        where=spread > 0,
    )
    return as_result(winner - np.minimum(lost, 1.0) * (winner - grand))


def tibshirani(scores: ArrayLike, *, best_index: int | None = None) -> float | NDArray[np.float64]:
    """Estimate the winner's true score by how far each split's own best candidate exceeds it.

    Parameters
    ----------
    scores : array-like of shape (..., n_splits, n_candidates)
        Mean score of each candidate on each split; higher is better.
    best_index : int, optional
        Column of the chosen candidate; by default the one with the largest mean.

    Returns
    -------
    float or ndarray of shape (...)
        Never above the winner's mean. Errs downwards where many candidates are equally good: it
        takes the optimism of one split for that of all. Cut to the range of the scores.

    References
    ----------
    .. [1] R. J. Tibshirani and R. Tibshirani (2009), A bias correction for the minimum error rate
       in cross-validation. Annals of Applied Statistics 3, section 2.

    Examples
    --------
    >>> tibshirani([[1.0, 0.5], [0.5, 0.75]])
    0.625
    """
    table = check_scores(scores)
    means = table.mean(axis=-2)
    winner = _mean_of(means, best_index)
    # mean_k max_i S[k, i] - m_w, which is zero where the winner wins every split.
    bias = np.maximum(table.max(axis=-1).mean(axis=-1) - winner, 0.0)
    # Rounding can leave the mean of equal scores below all of them.
    least = np.minimum(table.min(axis=(-2, -1)), winner)
    return as_result(np.maximum(winner - bias, least))


def _mean_of(means: NDArray[np.float64], best_index: int | None) -> NDArray[np.float64]:
    """Return the mean of the chosen candidate, by default the largest; shape (...)."""
    check_best_index(best_index, means.shape[-1])
    return np.asarray(means.max(axis=-1) if best_index is None else means[..., best_index])
