"""Intervals for the true score of the winner of a search, and for nested cross-validation.

Variances are in units of the metric's own: that of one row.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from fractions import Fraction
from math import lcm

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from skmaxev.estimators._design import checked_design, is_shuffled, own_variance, partitions
from skmaxev.estimators.validation import check_best_index, check_level, check_scores
from skmaxev.table import Design

__all__ = ["nadeau_bengio_interval", "selection_interval"]

FloatArray = NDArray[np.float64]
Support = tuple[float, float]

# A split with more rows than this is not told from a metric that is no share of rows.
_MOST_ROWS = 20_000
# How far a share of rows may be from a whole number of them after rounding errors.
_ROUNDING = 1e-12
# The same where the number of rows is known: scores may come from a file with six digits.
_CUT_DIGITS = 1e-6
# Chance to distrust a known variance that is right, because splits happen to differ more.
_DISTRUST = 0.01
_LARGEST_EXPONENT = 300.0
# Relative to the scores: what rounding leaves of a variation that is none.
_SAME = 1e-14
_FIRST = 100
# Share of test rows of candidates that stayed as they were, such as prompts.
_NOTHING_TRAINED = 1e-12
# Successes and failures beyond which a share is normal to a millionth of its standard error; the
# quantiles of the beta distribution lose their digits there.
_MANY = 1e12


def selection_interval(
    scores: ArrayLike,
    *,
    estimate: float,
    best_index: int | None = None,
    level: float = 0.95,
    support: tuple[float, float] = (-np.inf, np.inf),
    design: Design | None = None,
    row_values: ArrayLike | None = None,
) -> tuple[float, float] | None:
    r"""Bound the true score of the winner around an estimate that is already corrected.

    Two errors are added up. The rows that judged the winner are a sample: that variance is read
    from the splits, pooled over the candidates, and from the rows or their number where known. And
    the winner's own part of the noise, which choosing exploits and which holds the luck of its
    training sets: what varies between the splits once candidate and split effects are removed. What
    the splits show is inflated, as by Nadeau and Bengio, for what their overlapping training sets
    hide. Near a bound of the metric the noise is smaller, so the interval stays inside and leans
    away from it. Experimental: this model of the variance is ours, and its coverage measured.

    Parameters
    ----------
    scores : array-like of shape (n_splits, n_candidates)
        Mean score of each candidate on each split; higher is better.
    estimate : float
        Corrected score of the winner, by any method.
    best_index : int, optional
        Candidate that was chosen; the largest mean if omitted.
    level : float
        Share of searches whose interval is to hold the truth.
    support : tuple of two floats
        Range of the metric, such as (0, 1) or (-inf, 0).
    design : Design, optional
        How the splits came about; the folds of one partition if omitted. Partitions and shuffled
        splits judge the same rows again: what the splits show is averaged over partitions.
    row_values : array-like of shape (n_rows,) or (n_rows, n_candidates), optional
        Out-of-fold score of each row by the winner or by every candidate, where the metric is a
        mean over rows, or what each row contributes to it (`auc_influences`).

    Returns
    -------
    tuple of two floats or None
        Inside ``support``. On searches with real training it errs to the wide side where no
        candidate has signal and to the narrow side for single trees, whose refit on all rows is a
        draw of its own (92% in place of 95%), and for ``row_values`` with long tails on few rows
        (93% for squared errors on 100 rows). None where nothing shows the noise: one split and no
        ``row_values``, scores that never vary, or an estimate on the only bound of the metric,
        such as a loss of exactly zero.

    Notes
    -----
    The variance at a score :math:`\mu` is that of the rows and that of the candidates' own noise,
    both in units of :math:`(\mu - a)(b - \mu)` for a metric in :math:`[a, b]`, of :math:`(b -
    \mu)^2` for one bounded above only, and of 1 for one without bounds. Each is taken from what the
    splits show, with the factor :math:`1 / (1 - \rho)`, :math:`\rho = n_2 / (n_1 + n_2)` being the
    correlation of overlapping splits [1]_. A share of n rows has :math:`1/n` exactly; it is told by
    scores that are whole numbers of rows. The theory page has the rest.

    With :math:`t` the quantile of Student's distribution with Satterthwaite's freedom and :math:`z`
    the normal one, the interval is Jeffreys's for a share of :math:`z^2 / (t^2 \varphi)` rows at
    the dispersion :math:`\varphi` [2]_, symmetric in :math:`\log(b - \mu)` for one bound, and
    symmetric for none.

    References
    ----------
    .. [1] C. Nadeau and Y. Bengio (2003). Inference for the generalization error. Machine Learning
       52, section 3.
    .. [2] L. D. Brown, T. T. Cai and A. DasGupta (2001). Interval estimation for a binomial
       proportion. Statistical Science 16, section 4.1.1.

    Examples
    --------
    >>> scores = [[0.8, 0.7], [0.9, 0.8], [0.7, 0.7], [0.8, 0.6], [0.9, 0.8]]
    >>> low, high = selection_interval(scores, estimate=0.8, support=(0, 1))
    >>> round(low, 2), round(high, 2)
    (0.65, 0.9)
    """
    table = check_scores(scores)
    check_best_index(best_index, table.shape[-1])
    level = check_level(level)
    _check_support(table, estimate, support)
    winner = table.mean(axis=0).argmax() if best_index is None else best_index
    design = checked_design(design, len(table))
    if _counts_rows(table, support, design):
        support = (0.0, 1.0)
    noise = _measure(
        table,
        support=support,
        winner=int(winner),
        design=design,
        row_values=_checked_rows(row_values, table.shape[1]),
    )
    if noise is None:
        return None
    return _around(float(estimate), noise, level, support)


def nadeau_bengio_interval(
    outer_scores: ArrayLike, *, n_train: float, n_test: float, level: float = 0.95
) -> tuple[float, float]:
    r"""Bound the mean of scores whose training sets overlap, as of nested cross-validation.

    Parameters
    ----------
    outer_scores : array-like of shape (n_splits,)
        Score of every outer fold.
    n_train, n_test : float
        Rows trained on and judged on in a split; their mean where they differ.
    level : float
        Share of repetitions whose interval is to hold the truth.

    Returns
    -------
    tuple of two floats
        Errs to the wide side on average; may leave the range of the metric. The variance is
        :math:`(1/K + n_2/n_1)` times that of the scores, the quantile Student's with K - 1 degrees.

    References
    ----------
    .. [1] C. Nadeau and Y. Bengio (2003). Inference for the generalization error. Machine Learning
       52, section 3.

    Examples
    --------
    >>> low, high = nadeau_bengio_interval([0.8, 0.7, 0.9, 0.8, 0.8], n_train=80, n_test=20)
    >>> round(low, 3), round(high, 3)
    (0.668, 0.932)
    """
    values = check_scores(np.reshape(np.asarray(outer_scores, dtype=float), (-1, 1)), min_splits=2)
    if not (n_train > 0 and n_test > 0):
        raise ValueError(
            f"n_train and n_test must be positive; got {n_train} and {n_test}. Give the rows of a "
            "split."
        )
    size = values.shape[0]
    variance = (1.0 / size + n_test / n_train) * values.var(ddof=1)
    half = stats.t.ppf((1.0 + check_level(level)) / 2.0, size - 1) * np.sqrt(variance)
    return float(values.mean() - half), float(values.mean() + half)


def _checked_rows(row_values: ArrayLike | None, n_candidates: int) -> NDArray[np.float64] | None:
    if row_values is None:
        return None
    values = np.asarray(row_values, dtype=np.float64)
    fits = values.ndim == 1 or (values.ndim == 2 and values.shape[1] == n_candidates)
    if not fits or len(values) < 2 or not np.isfinite(values).all():
        raise ValueError(
            "row_values must be finite, of shape (n_rows,) or (n_rows, n_candidates) with two rows "
            f"or more; got shape {values.shape}. Leave out rows that no split judged."
        )
    return values


def _check_support(
    table: NDArray[np.float64],
    estimate: float,
    support: tuple[float, float],
) -> None:
    low, high = support
    if table.ndim != 2:
        raise ValueError(
            f"scores must be one table here; got shape {table.shape}. Call once for each table."
        )
    smallest, largest = min(table.min(), estimate), max(table.max(), estimate)
    if not (low <= smallest and largest <= high):
        raise ValueError(
            f"scores and estimate must lie in support {low, high}; they span {smallest:.6g} to "
            f"{largest:.6g}. Give the range of the metric, or (-inf, inf)."
        )


@dataclass(frozen=True)
class Noise:
    """Variance of the winner's corrected score over the variance function, and its freedom."""

    dispersion: float
    df: float


def _variance_function(score: ArrayLike, support: Support) -> FloatArray:
    """Shape of a score's variance over the range of its metric."""
    low, high = support
    at = np.asarray(score, dtype=np.float64)
    if _is_bounded(support):
        return np.asarray((at - low) * (high - at))
    if np.isfinite(high):
        return np.asarray((high - at) ** 2)
    if np.isfinite(low):
        return np.asarray((at - low) ** 2)
    return np.ones_like(at)


def _around(estimate: float, noise: Noise, level: float, support: Support) -> Support | None:
    """Scores in accord with an estimate, given the noise that each of them would have.

    None on the only bound of a metric: nothing tells how large the first loss will be.
    """
    low, high = support
    if not _is_bounded(support) and estimate in support:
        return None
    above_half = (1.0 + level) / 2.0
    reach = float(stats.t.ppf(above_half, noise.df) * np.sqrt(noise.dispersion))
    if _is_bounded(support):
        share = (estimate - low) / (high - low)
        first, last = (
            low + (high - low) * end for end in _ends_of_a_share(share, reach, above_half)
        )
        return min(first, estimate), max(last, estimate)
    # A standard error in proportion to the distance from the bound is a constant of its logarithm.
    reach_of_log = min(reach, _LARGEST_EXPONENT)
    farther, nearer = float(np.expm1(reach_of_log)), float(-np.expm1(-reach_of_log))
    # Added to the estimate, so that one much smaller than the bound keeps its digits.
    if np.isfinite(high):
        distance = high - estimate
        return estimate - distance * farther, min(estimate + distance * nearer, high)
    if np.isfinite(low):
        distance = estimate - low
        return max(estimate - distance * nearer, low), estimate + distance * farther
    return estimate - reach, estimate + reach


def _ends_of_a_share(share: float, reach: float, above_half: float) -> Support:
    """Jeffreys's interval for so many rows as make a standard error of this size."""
    variance = share * (1.0 - share)
    z = float(stats.norm.ppf(above_half))
    if variance * z**2 > _MANY * reach**2:
        return share - reach * variance**0.5, share + reach * variance**0.5
    rows = (z / reach) ** 2
    won, lost = rows * share + 0.5, rows * (1.0 - share) + 0.5
    return (
        float(stats.beta.ppf(1.0 - above_half, won, lost)),
        float(stats.beta.ppf(above_half, won, lost)),
    )


def _measure(
    table: FloatArray,
    *,
    support: Support,
    winner: int,
    design: Design,
    row_values: FloatArray | None = None,
) -> Noise | None:
    """Add up the noise of the rows and the winner's own; None where nothing shows it."""
    n_folds = 1.0 / design.test_share if is_shuffled(design) else float(design.n_folds)
    free = max(n_folds - 1.0, 0.0)
    pooled, own = _between_splits(table, support, design)
    own_df = max(free * min(free, table.shape[1] - 1), 1.0)
    rows = _of_rows(table, Noise(pooled, free), support, winner, design, row_values)
    # The rows' variance holds the winner's own part once. It counts again for the luck of training,
    # which the refitted model has anew; where nothing was trained there is none.
    noise = _sum(rows, Noise(own, own_df)) if design.test_share > _NOTHING_TRAINED else rows
    return noise if noise.dispersion > 0 else None


def _of_rows(
    table: FloatArray,
    splits: Noise,
    support: Support,
    winner: int,
    design: Design,
    row_values: FloatArray | None,
) -> Noise:
    """Noise of the sample of rows, by what is known of it beside the splits."""
    n_rows = None
    alone = design.clusters is None  # rows that belong together count as fewer
    if alone and _is_bounded(support) and (splits.df or design.n_test is not None):
        low, high = support
        n_rows = _rows_of_a_share((table - low) / (high - low), design)
    if n_rows is not None and _agree(splits, 1.0 / n_rows):
        return Noise(1.0 / n_rows, np.inf)
    other = _of_values(table.mean(axis=0), support, winner, row_values)
    judged = _n_rows(design)
    if other is None and n_rows is None and judged and alone and _is_bounded(support):
        # About what a mean over the rows of a bounded metric has, and no surer than the splits.
        other = Noise(1.0 / judged, splits.df)
    if other is None or not _agree(splits, other.dispersion):
        return splits
    if not splits.df:
        return other
    return _pooled(splits, other)


def _of_values(
    means: FloatArray, support: Support, winner: int, row_values: FloatArray | None
) -> Noise | None:
    """Dispersion of row values, by what they vary by and how long their tails are."""
    if row_values is None:
        return None
    # Candidates that tie with the winner have an equal say, in whatever order they come.
    tied = np.abs(means - means[winner]) <= _ROUNDING * np.abs(means[winner])
    values, of = row_values.reshape(len(row_values), -1), np.array([winner])
    if values.shape[1] == len(means):
        # The winner may owe its place to large losses that its rows did not meet, others' did.
        of = np.flatnonzero(tied if _is_bounded(support) else _better_half(means))
        values = values[:, of]
    scale = _variance_function(means[of], support)
    centred = values - values.mean(axis=0)
    # What rounding leaves of a column of one value, such as the log loss of a coin, is no noise.
    varies = (scale > 0) & (np.abs(centred).max(axis=0) > _SAME * np.abs(values).max(axis=0))
    if not varies.any():
        return None
    values = centred[:, varies]
    # The freedom of a variance of values with rare large ones is small.
    tails = float(stats.kurtosis(values, axis=0).mean()) + 2.0
    freedom = 2.0 * len(values) / tails if tails > 0 else np.inf
    return Noise(float((values.var(axis=0, ddof=1) / scale[varies]).mean()) / len(values), freedom)


def _better_half(means: FloatArray) -> NDArray[np.bool_]:
    """Mark the better half of the candidates, and all that tie with the last of them."""
    half = min(max(2, (len(means) + 1) // 2), len(means))
    ordered = np.sort(means)[-half:]  # hopeless ones have no say in what is a tie
    return np.asarray(means >= ordered[0] - _ROUNDING * np.abs(ordered).max())


def _pooled(first: Noise, second: Noise) -> Noise:
    """Pool two measurements of the same dispersion, each by its freedom."""
    if np.isinf(second.df):
        return second
    df = first.df + second.df
    total = first.df * first.dispersion + second.df * second.dispersion
    return Noise(total / df, df)


def _sum(first: Noise, second: Noise) -> Noise:
    """Add independent parts, with Satterthwaite's freedom."""
    total = first.dispersion + second.dispersion
    spent = sum(part.dispersion**2 / part.df for part in (first, second) if part.dispersion)
    return Noise(total, total**2 / spent if spent else np.inf)


def _counts_rows(table: FloatArray, support: Support, design: Design) -> bool:
    """Whether scores of a metric of unknown range look like shares of rows, so of range (0, 1)."""
    if _is_bounded(support) or table.min() < 0 or table.max() > 1 or len(table) < 2:
        return False
    n_rows = _rows_of_a_share(table, design)
    pooled, _ = _between_splits(table, (0.0, 1.0), design)
    return n_rows is not None and pooled > 0 and _agree(Noise(pooled, len(table) - 1), 1.0 / n_rows)


def _between_splits(table: FloatArray, support: Support, design: Design) -> tuple[float, float]:
    """Dispersion of a mean score, and of the part of it that the candidates do not share."""
    if len(table) < 2:
        return 0.0, 0.0
    if not _is_bounded(support):
        # Without a bound on either side hopeless candidates have any noise: the better half counts.
        better = table[:, _better_half(table.mean(axis=0))]
        table = better if _varies(better) else table  # perfect candidates show no noise at all
    scale = _variance_function(table.mean(axis=0), support).mean()
    if not scale > 0 or not _varies(table):
        return 0.0, 0.0
    parts = partitions(table, design)
    n_folds, share = parts.shape[1], design.test_share
    # Averaged over the partitions, which judge the same rows, and never over all their splits.
    pooled = float(parts.var(axis=1, ddof=1).mean()) / n_folds
    if is_shuffled(design):
        pooled *= 1.0 + n_folds * share / (1.0 - share)
    else:
        pooled /= 1.0 - share
    own = own_variance(parts, design, inflation=1.0 / (1.0 - share))
    return pooled / scale, float(own) / scale


def _varies(table: FloatArray) -> bool:
    deviation = table - table.mean(axis=0)
    return bool(np.abs(deviation).max() > _SAME * np.abs(table).max())


def _agree(splits: Noise, known: float) -> bool:
    """Whether splits that know nothing of a dispersion may differ as much as they do under it."""
    free = splits.df
    return not free or splits.dispersion <= known * stats.chi2.ppf(1.0 - _DISTRUST, free) / free


def _is_bounded(support: Support) -> bool:
    return bool(np.isfinite(support).all())


def _rows_of_a_share(shares: FloatArray, design: Design) -> float | None:
    """Rows behind scores that are whole numbers of rows over rows; None if they are not.

    Rows that belong together are fewer than they count.
    """
    if design.clusters is not None:
        return None
    if design.n_test is None:
        rows = [_common_denominator(split) for split in shares]
        if None in rows:
            return None
        judged = float(sum(size for size in rows if size))
        if is_shuffled(design):
            return judged / len(rows) / design.test_share
        return judged / design.n_repeats  # each partition judges the same rows
    counts = shares * design.n_test[:, None]
    whole = np.abs(counts - np.round(counts)) <= _CUT_DIGITS * design.n_test[:, None]
    return _n_rows(design) if whole.all() else None


def _n_rows(design: Design) -> float | None:
    """Rows that were judged at least once."""
    if design.n_rows is not None or design.n_test is None:
        return design.n_rows
    if is_shuffled(design):
        return float(np.mean(design.n_test)) / design.test_share
    return float(np.sum(design.n_test)) / design.n_repeats


def _common_denominator(shares: FloatArray) -> int | None:
    """Least number of rows of which all the shares are whole numbers."""
    rows = 1
    # Most that are no shares of rows show it soon.
    for share in itertools.chain.from_iterable(map(np.unique, (shares[:_FIRST], shares))):
        if abs(share * rows - round(share * rows)) <= _ROUNDING * rows:
            continue
        nearest = Fraction(float(share)).limit_denominator(_MOST_ROWS)
        rows = lcm(rows, nearest.denominator)
        if abs(float(nearest) - share) > _ROUNDING or rows > _MOST_ROWS:
            return None
    return rows
