"""Bootstrap bias correction: choose on what a resample draws, judge on what it leaves out."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from skmaxev.estimators._design import checked_design, is_shuffled, partitions
from skmaxev.estimators.validation import check_level, check_scores
from skmaxev.table import Design

if TYPE_CHECKING:
    RNG = np.random.Generator | int | None

__all__ = ["Resampled", "bbc", "bbc_folds"]

FloatArray = NDArray[np.float64]
Weights = NDArray[np.float32]

# Weights, and totals of candidates, held at a time: 4 MB of float32. Much larger blocks do not fit
# into a processor's cache and take four times as long.
_BLOCK = 1 << 20
# Chance that a candidate which is dropped would have won a resample, over all of them.
_RISK = 1e-9
# Of the largest difference: what rounding leaves of a tie.
_TIE = 1e-6


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
