"""The true score of the winner, where two ways to estimate its optimism agree."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from skmaxev.estimators._design import (
    checked_design,
    is_shuffled,
    overlap,
    own_variance,
    partitions,
)
from skmaxev.estimators._plateau import choice_ratio, own_noise, plateau_posterior
from skmaxev.estimators._rows import LogScale, Rows, check_rows
from skmaxev.estimators.cross_validation import low_variance_cv
from skmaxev.estimators.validation import as_result, check_best_index, check_scores
from skmaxev.table import Design

__all__ = ["consensus"]

FloatArray = NDArray[np.float64]

# Relative to the scores: what rounding leaves of an optimism that is zero.
_ROUNDING = 1e-12


def consensus(
    scores: ArrayLike,
    *,
    design: Design | None = None,
    best_index: int | None = None,
    row_values: ArrayLike | None = None,
    row_excess: ArrayLike | None = None,
    row_splits: ArrayLike | None = None,
    support: tuple[float, float] = (-np.inf, np.inf),
) -> float | NDArray[np.float64]:
    """Estimate the true score of the winner that is deployed.

    The optimism that is taken off is the geometric mean of two estimates of it: by choosing on
    one split and judging on the others, and by the posterior mean of the winner's true score.
    Experimental: the combination is ours and unpublished; measured on banked searches of real data,
    it errs about a tenth less than nested cross-validation.

    Parameters
    ----------
    scores : array-like of shape (..., n_splits, n_candidates)
        Mean score of each candidate on each split; higher is better.
    design : Design, optional
        How the splits came about; the folds of one partition if omitted. The noise of the rows does
        not shrink with the number of partitions or of shuffled splits.
    best_index : int, optional
        Column of the chosen candidate; by default the one with the largest mean.
    row_values : array-like of shape (n_rows, n_candidates), optional
        Score of each row where the metric is a mean over rows, such as 1.0 for a right
        prediction, or its influence on another metric (see `auc_influences`). For one table.
        The noise is then measured on the rows, of which there are more than splits, and which
        also show the noise that stratified splits hide.
    row_excess : array-like of shape (n_rows, n_candidates), optional
        The part of ``row_values`` beyond chance, where chance is known (see `accuracy_excess`; an
        influence on the area under the ROC curve less one half), of a metric between 0 and 1: the
        mean of a column is the candidate's score minus what it expects without any signal.
    row_splits : array-like of shape (n_rows,), optional
        Split that judged each row; goes with ``row_values``.
    support : tuple of two floats
        Range of the metric, such as (-inf, 0) for a loss turned round or (-inf, 1) for R2. With a
        bound on one side only, optimism is a share of the distance from it (see the notes).

    Returns
    -------
    float or ndarray of shape (...)
        Within the range of the means. Errs little on average over many searches. Errs upwards
        where no candidate is better than another, by about a fifth of what the best score does
        (a tenth with ``row_excess`` where there is no signal at all), since few splits cannot
        tell that for sure; downwards where one candidate is better than all others by less than
        the noise of a single split, and the more so with ``row_excess`` if all the others are at
        chance. Exactly the winner's mean where all means are equal, where there is no noise, or
        where the winner wins every split.

    Notes
    -----
    The theory page of the documentation has the formulas. In short: `low_variance_cv` takes off too
    much where candidates differ, by a factor that follows from their spread. The posterior mean
    is averaged over three accounts of the true scores with the same prior odds: all equal, spread
    around a plateau, or with a share of them apart from it. Noise that all candidates share
    favours none and is removed [1]_, the rest inflated for what overlapping training sets hide
    [2]_. The geometric mean is zero as soon as one of the two finds that nothing was chosen.

    With ``row_excess`` a fourth account says that no candidate is better than chance. It takes any
    other level between 0 and 1 to be equally likely, and its odds are lowered by the least that the
    candidate farthest above chance leaves of them, ``-e p log p`` [4]_. It may add to the
    correction only. That all candidates were lucky on these rows together is not what choosing
    did, and remains.

    A metric with a bound on one side has a noise that grows with the distance from it, so all is
    done on the logarithm of that distance, and the optimism multiplies it. Means that lie on
    the bound keep their scale.

    For a candidate that was not chosen for the largest mean there is nothing to cross-validate,
    and the result is the posterior mean, which may lie above the candidate's own.

    References
    ----------
    .. [1] B. Efron (2011), Tweedie's formula and selection bias. JASA 106, section 1.
    .. [2] C. Nadeau and Y. Bengio (2003), Inference for the generalization error. Machine Learning
       52, section 3.
    .. [3] H. van Hasselt (2013), Eq. 10. arXiv:1302.7175.
    .. [4] T. Sellke, M. Bayarri and J. Berger (2001), Calibration of p values for testing precise
       null hypotheses. The American Statistician 55, Eq. 2.

    Examples
    --------
    >>> scores = [[0.8, 0.7, 0.6], [0.7, 0.8, 0.6], [0.9, 0.7, 0.5]]
    >>> round(consensus(scores), 2)
    0.76
    >>> round(consensus(scores, best_index=1), 2)
    0.73

    The third candidate's loss is large, and so is its noise; its first split says little.

    >>> losses = [[-0.2, -0.3, -0.1], [-0.3, -0.2, -2.0], [-0.2, -0.4, -1.0]]
    >>> round(consensus(losses, support=(float("-inf"), 0.0)), 2)
    -0.27
    """
    table = check_scores(scores, min_splits=2)
    check_best_index(best_index, table.shape[-1])
    rows = check_rows(table, row_values, row_excess, row_splits)
    design = checked_design(design, table.shape[-2])
    estimates = np.empty(table.shape[:-2])
    for index in np.ndindex(estimates.shape):
        estimates[index] = _consensus(table[index], design, best_index, rows, support)
    return as_result(estimates)


def _consensus(
    table: FloatArray,
    design: Design,
    best_index: int | None,
    rows: Rows | None,
    support: tuple[float, float],
) -> float:
    means = table.mean(axis=0)
    chosen = float(means.max() if best_index is None else means[best_index])
    parts = partitions(table, design)
    # The logarithm of each partition's mean: what dealing does to it averages out.
    scale = LogScale.of(parts.mean(axis=1), support)
    if scale is not None and rows is not None and rows.excess is not None:
        raise ValueError(
            f"row_excess is for a metric between two bounds; got support {support}. Leave it out."
        )
    if scale is None:
        estimate = chosen - _optimism(parts, design, best_index, rows)
    else:
        on_scale = None if rows is None else rows.on(scale)
        optimism = _optimism(scale.of_values(parts), design, best_index, on_scale)
        estimate = scale.lowered(chosen, optimism)
    return float(np.clip(estimate, means.min(), means.max()))


def _optimism(
    parts: FloatArray, design: Design, best_index: int | None, rows: Rows | None
) -> float:
    """Return the optimism of the chosen mean, on the scale of the parts."""
    means = parts.mean(axis=(0, 1))
    best = float(means.max())
    chosen = best if best_index is None else float(means[best_index])
    rounding = _ROUNDING * float(np.abs(parts).max())
    if np.ptp(means) <= rounding:
        return 0.0
    posterior, law = _posterior(parts, design, means, chosen, rows)
    optimism = chosen - posterior
    if chosen >= best - rounding:
        table = parts.reshape(design.n_splits, -1)
        crossed = chosen - float(low_variance_cv(table, design=design))
        if min(crossed, optimism) <= rounding:
            return 0.0
        n_folds = 1.0 / design.test_share if is_shuffled(design) else design.n_folds
        optimism = float(np.sqrt(crossed * choice_ratio(law, n_folds) * optimism))
    if rows is not None and rows.excess is not None:
        tied = np.abs(means - chosen) <= rounding
        by_chance = float(_better_by_chance(rows, rows.excess)[tied].mean())
        gained = chosen - float(means.mean()) - by_chance
        # It may add to the correction, never take back what the splits show.
        optimism += _no_signal(rows, rows.excess, overlap(parts, design)) * max(
            gained - optimism, 0.0
        )
    return optimism


def _posterior(
    parts: FloatArray, design: Design, means: FloatArray, chosen: float, rows: Rows | None
) -> tuple[float, FloatArray]:
    if rows is None:
        one, effective = own_noise(parts - parts.mean(axis=1, keepdims=True), 1)
    else:
        one, effective = own_noise(*rows.centred(rows.values))
    noise = float(own_variance(parts, design, inflation=overlap(parts, design), one=one))
    if noise <= (_ROUNDING * float(np.ptp(means))) ** 2:
        return chosen, np.zeros(0)
    return plateau_posterior(means, chosen, noise, effective)


def _no_signal(rows: Rows, excess: FloatArray, overlap: float) -> float:
    """Return the probability that no candidate has a signal."""
    gains = excess.mean(axis=0)
    residuals, n_groups = rows.centred(excess)
    free = len(excess) - n_groups
    to_variance = overlap / free / len(excess)
    shared = float(np.square(residuals.mean(axis=-1)).sum()) * to_variance
    own = np.einsum("rij,rij->j", residuals, residuals) * to_variance
    noise, effective = own_noise(residuals, n_groups)
    rounding = (_ROUNDING * float(np.abs(excess).max())) ** 2
    if min(shared, noise) <= rounding:
        return 0.0
    _, law = plateau_posterior(gains, float(gains.max()), noise * overlap, effective)
    # Without a signal the level is normal around zero; with one, it is uniform over a range of 1.
    odds = float(law[0] * stats.norm.pdf(gains.mean(), scale=np.sqrt(shared)))
    odds *= _evidence_left(gains, own, rounding)
    return odds / (1.0 + odds)


def _evidence_left(gains: FloatArray, variances: FloatArray, rounding: float) -> float:
    """Return the least odds of no signal that the candidate farthest above chance leaves."""
    varies = variances > rounding
    farthest = float((gains[varies] / np.sqrt(variances[varies])).max())
    chance = min(float(stats.norm.sf(farthest)) * gains.size, np.exp(-1.0))
    return float(-np.e * chance * np.log(chance)) if chance > 0.0 else 0.0


def _better_by_chance(rows: Rows, excess: FloatArray) -> FloatArray:
    """Return how much more each candidate expects by chance than the others, less its noise.

    Who always predicts the larger class has more by chance, as far as that class really is larger.
    """
    chance = rows.values - excess
    contrast = chance - chance.mean(axis=1, keepdims=True)
    mean, noise = contrast.mean(axis=0), contrast.var(axis=0) / len(contrast)
    lost = np.divide(noise, mean, out=np.zeros_like(mean), where=mean > 0.0)
    return np.maximum(mean - lost, 0.0)
