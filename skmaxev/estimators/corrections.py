"""Corrections of the winner's score: shrinkage, its lead on each split, and the bootstrap."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from skmaxev.estimators._design import checked_design, is_shuffled, own_variance, partitions
from skmaxev.estimators.validation import (
    as_result,
    check_best_index,
    check_level,
    check_scores,
)
from skmaxev.table import Design

if TYPE_CHECKING:
    RNG = np.random.Generator | int | None

__all__ = ["Resampled", "bbc", "bbc_folds", "efron_shrinkage", "residual_noise", "tibshirani"]

FloatArray = NDArray[np.float64]
Weights = NDArray[np.float32]

# Weights, and totals of candidates, held at a time: 4 MB of float32. Much larger blocks do not fit
# into a processor's cache and take four times as long.
_BLOCK = 1 << 20
# Chance that a candidate which is dropped would have won a resample, over all of them.
_RISK = 1e-9
# Of the largest difference: what rounding leaves of a tie.
_TIE = 1e-6


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


class Resampled(NamedTuple):
    """A bootstrap's estimate with its percentile interval.

    Parameters
    ----------
    estimate : float
        Mean score of the chosen candidates on what their resample left out.
    low, high : float
        Percentiles of those scores.
    n_resamples : int
        Resamples that count: those that left something out.
    """

    estimate: float
    low: float
    high: float
    n_resamples: int


def bbc(
    values: ArrayLike,
    *,
    n_resamples: int = 1000,
    level: float = 0.95,
    rng: RNG = None,
) -> Resampled:
    """Bootstrap-bias-corrected cross-validation for a metric that is a mean over rows.

    Rows are drawn with replacement; the candidate with the best mean over the drawn rows is judged
    on the rows left out, and tied candidates share the judgement. Accuracy, log loss, squared and
    absolute error are such metrics; of others, the influences of the rows are (`auc_influences`).

    Parameters
    ----------
    values : array-like of shape (n_rows, n_candidates)
        Score of each row by each candidate, out of fold; higher is better.
    n_resamples : int
        Bootstrap draws.
    level : float
        Share of the resamples between the percentiles.
    rng : Generator, int or None
        Source of randomness.

    Returns
    -------
    Resampled
        Estimate of the winner's true score. Errs slightly downwards: a resample chooses on about
        63% of the distinct rows. The percentiles are wide, as few rows are left out.

    References
    ----------
    .. [1] I. Tsamardinos, E. Greasidou and G. Borboudakis (2018). Bootstrapping the out-of-sample
       predictions for efficient and accurate cross-validation. Machine Learning 107, Algorithm 5.

    Examples
    --------
    >>> import numpy as np
    >>> right = np.random.default_rng(0).random((200, 50)) < 0.5
    >>> result = bbc(right, rng=0)
    >>> bool(right.mean(axis=0).max() > 0.61), result.estimate < 0.57
    (True, True)
    """
    table = np.asarray(values, dtype=np.float64)
    if table.ndim != 2 or len(table) < 2 or not table.shape[1]:
        raise ValueError(
            f"rows must have shape (n_rows, n_candidates) with two rows or more; got {table.shape}."
        )
    if not np.isfinite(table).all():
        raise ValueError(
            "rows must be finite; some hold NaN or infinity. Leave out rows that no split judged "
            "and candidates that failed."
        )
    draws = _draws(len(table), n_resamples, np.random.default_rng(rng))
    return _summary(_judge_means(table, draws, n_resamples), level)


def bbc_folds(
    scores: ArrayLike,
    *,
    design: Design | None = None,
    n_resamples: int = 1000,
    level: float = 0.95,
    rng: RNG = None,
) -> Resampled:
    """Bootstrap-bias-corrected cross-validation over folds, from the score table alone.

    Parameters
    ----------
    scores : array-like of shape (n_splits, n_candidates)
        Mean score of each candidate on each split; higher is better.
    design : Design, optional
        How the splits came about; the folds of one partition if omitted. Folds are resampled
        within a partition, as those of another judge the same rows.
    n_resamples, level, rng
        As in `bbc`.

    Returns
    -------
    Resampled
        Estimate of the winner's true score, near unbiased; the percentiles cover less than they say
        (91% in place of 95% on real searches), as few folds show little of their own spread.

    Raises
    ------
    ValueError
        If the splits are shuffled: those that a resample leaves out judge rows that it drew.

    References
    ----------
    .. [1] K. Paraschakis et al. (2024). Confidence interval estimation of predictive performance in
       the context of AutoML. arXiv:2406.08099, section 3 (BBC-F).

    Examples
    --------
    >>> round(bbc_folds([[0.9, 0.6], [0.9, 0.5], [0.9, 0.7]], rng=0).estimate, 9)
    0.9
    """
    table = check_scores(scores, min_splits=2)
    if table.ndim != 2:
        raise ValueError(
            f"scores must be one table here; got shape {table.shape}. Call once for each table."
        )
    found = checked_design(design, len(table))
    if is_shuffled(found):
        raise ValueError(
            f"the splits must be folds of partitions; got {len(table)} shuffled splits, of which "
            "those left out judge the same rows as those drawn. Use low_variance_cv."
        )
    parts, generator = partitions(table, found), np.random.default_rng(rng)
    each = -(-n_resamples // len(parts))
    judged = [_judge_means(part, _draws(len(part), each, generator), each) for part in parts]
    return _summary(np.concatenate(judged), level)


def _judge_means(table: FloatArray, draws: Iterator[Weights], n_resamples: int) -> FloatArray:
    """Score of the chosen candidates on the rows left out, for every resample; NaN without any."""
    # Only differences choose, and these keep their last bits in float32.
    gap = table - table[:, [table.mean(axis=0).argmax()]]
    contenders = _contenders(gap, n_resamples)
    gap = _tamed(gap[:, contenders]).astype(np.float32)
    columns = table[:, contenders]
    slack = _TIE * float(np.abs(gap).max()) * np.sqrt(len(gap))
    judged = []
    step = max(1, _BLOCK // gap.shape[1])
    blocks = (some[at : at + step] for some in draws for at in range(0, len(some), step))
    for weights in blocks:
        total = weights @ gap
        tied = total >= total.max(axis=1, keepdims=True) - slack
        chosen = tied.any(axis=0)
        left_out = (weights == 0).astype(np.float64)
        sums = np.where(tied[:, chosen], left_out @ columns[:, chosen], 0.0).sum(axis=1)
        with np.errstate(invalid="ignore"):
            judged.append(sums / tied.sum(axis=1) / left_out.sum(axis=1))
    return np.concatenate(judged)


def _tamed(gap: FloatArray) -> FloatArray:
    """Bring gaps into the range of float32 without a change to who wins.

    A row that loses more than all rows together can win back loses the resample; how much more is
    nothing to the choice, and would drown the gaps between the other candidates.
    """
    enough = len(gap) * float(gap.max())
    if enough == 0.0:  # none ever beats the best of all rows, so each row that loses decides
        return np.asarray(np.sign(gap))
    return np.asarray(np.ldexp(np.maximum(gap, -enough), -np.frexp(enough)[1]))


def _contenders(gap: FloatArray, n_resamples: int) -> NDArray[np.intp]:
    """Columns that Bernstein's bound does not exclude from beating the best of all rows."""
    short = -gap.mean(axis=0)
    reach = np.maximum(gap.max(axis=0) + short, -short - gap.min(axis=0))
    scale = gap.var(axis=0) + reach * short / 3.0
    with np.errstate(divide="ignore", invalid="ignore"):
        log_chance = np.where(short > 0, -len(gap) * short**2 / (2.0 * scale), 0.0)
    return np.flatnonzero(log_chance >= np.log(_RISK / (n_resamples * gap.shape[1])))


def _draws(n_rows: int, n_resamples: int, rng: np.random.Generator) -> Iterator[Weights]:
    """Times that each row is drawn, (some, n_rows) at a time."""
    if n_resamples < 1:
        raise ValueError(f"n_resamples must be at least 1; got {n_resamples}. 1000 is usual.")
    block = max(1, _BLOCK // n_rows)
    sizes = (min(block, n_resamples - start) for start in range(0, n_resamples, block))
    return (_drawn(size, n_rows, rng) for size in sizes)


def _drawn(n_draws: int, n_rows: int, rng: np.random.Generator) -> Weights:
    weights = np.empty((n_draws, n_rows), dtype=np.float32)
    for line in weights:  # one at a time stays in the cache
        line[:] = np.bincount(rng.integers(0, n_rows, n_rows), minlength=n_rows)
    return weights


def _summary(judged: FloatArray, level: float) -> Resampled:
    tail = (1.0 - check_level(level)) / 2.0
    counted = judged[~np.isnan(judged)]
    if not len(counted):
        raise ValueError("no resample left out any row. Draw more resamples, or give more rows.")
    low, high = np.quantile(counted, [tail, 1.0 - tail])
    return Resampled(float(counted.mean()), float(low), float(high), len(counted))
