"""Bootstrap bias correction: choose on what a resample draws, judge on what it leaves out."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from skmaxev.estimators._auc import WeightedAUC
from skmaxev.estimators._bootstrap import (
    FloatArray,
    Weights,
    check_length,
    draw_weights,
    judge_rest,
    resample_rows,
)
from skmaxev.estimators._design import checked_design, is_shuffled, partitions
from skmaxev.estimators.validation import check_level, check_scores
from skmaxev.table import Design

if TYPE_CHECKING:
    RNG = np.random.Generator | int | None

__all__ = ["Resampled", "bbc", "bbc_auc", "bbc_folds", "bbc_metric", "bbc_r2"]


class Resampled(NamedTuple):
    """A bootstrap's estimate with its percentile interval.

    Parameters
    ----------
    estimate : float
        Mean score of the chosen candidates on what their resample left out.
    low, high : float
        Percentiles of those scores.
    n_resamples : int
        Resamples that count: those that left something out on which the metric is defined.
    """

    estimate: float
    low: float
    high: float
    n_resamples: int


def bbc(
    values: ArrayLike,
    *,
    strata: ArrayLike | None = None,
    n_resamples: int = 1000,
    level: float = 0.95,
    rng: RNG = None,
) -> Resampled:
    """Bootstrap-bias-corrected cross-validation for a metric that is a mean over rows.

    Rows are drawn with replacement; the candidate with the best mean over the drawn rows is judged
    on the rows left out. Accuracy, log loss, squared and absolute error are such metrics.

    Parameters
    ----------
    values : array-like of shape (n_rows, n_candidates)
        Score of each row by each candidate, out of fold; higher is better.
    strata : array-like of shape (n_rows,), optional
        Rows are drawn within each stratum, such as the fold or the class.
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

    Raises
    ------
    ValueError
        If ``values`` hold NaN or fewer than two rows.

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
    table = _check_rows(values)
    judged = resample_rows(table, strata, n_resamples, rng)
    return _summary(judged, level)


def bbc_r2(
    y: ArrayLike,
    predictions: ArrayLike,
    *,
    strata: ArrayLike | None = None,
    n_resamples: int = 1000,
    level: float = 0.95,
    rng: RNG = None,
) -> Resampled:
    """Bootstrap-bias-corrected cross-validation for the coefficient of determination.

    Parameters
    ----------
    y : array-like of shape (n_rows,)
        Target of each row.
    predictions : array-like of shape (n_rows, n_candidates)
        Out-of-fold predictions.
    strata, n_resamples, level, rng
        As in `bbc`.

    Returns
    -------
    Resampled
        In units of R2. Errs slightly downwards, as `bbc` does.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> y = rng.normal(size=300)
    >>> result = bbc_r2(y, y[:, None] + rng.normal(size=(300, 20)), rng=0)
    >>> -0.3 < result.estimate < 0.3
    True
    """
    target = np.asarray(y, dtype=np.float64)
    table = _check_rows(predictions)
    check_length(target, len(table), "y")
    losses = -((target[:, None] - table) ** 2)

    def finish(left_out: NDArray[np.bool_], mean: FloatArray) -> FloatArray:
        """Turn mean squared errors into R2 on the same rows."""
        share = left_out / np.maximum(left_out.sum(axis=1, keepdims=True), 1)
        spread = share @ target**2 - (share @ target) ** 2
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(np.where(spread > 0, 1.0 + mean / spread, np.nan))

    # The drawn rows' own spread is common, so the least error has the best R2.
    return _summary(resample_rows(losses, strata, n_resamples, rng, finish), level)


def bbc_auc(
    y: ArrayLike,
    responses: ArrayLike,
    *,
    fold: ArrayLike | None = None,
    n_resamples: int = 1000,
    level: float = 0.95,
    rng: RNG = None,
) -> Resampled:
    """Bootstrap-bias-corrected cross-validation for the area under the ROC curve.

    Positive and negative rows are drawn apart, so that every resample holds both.

    Parameters
    ----------
    y : array-like of shape (n_rows,)
        Class of each row: 1 or True is positive.
    responses : array-like of shape (n_rows, n_candidates)
        Out-of-fold probabilities or decision values.
    fold : array-like of shape (n_rows,), optional
        Split that judged each row. Responses are then replaced by their rank within the split, as
        models of different splits need not share a scale; without it they are pooled as they are.
    n_resamples, level, rng
        As in `bbc`.

    Returns
    -------
    Resampled
        Errs slightly downwards, as `bbc` does.

    Raises
    ------
    ValueError
        If a class has fewer than two rows.

    Notes
    -----
    Candidates are ranked by the first-order expansion of the area in the row weights, which is one
    matrix product; those closer to the best than six standard deviations of what that leaves out
    are compared exactly.
    """
    table = _check_rows(responses)
    positive = np.asarray(y) == 1
    check_length(positive, len(table), "y")
    area = WeightedAUC(table, positive, fold)
    draws = draw_weights(len(table), positive, n_resamples, np.random.default_rng(rng))
    return _summary(judge_rest(draws, area.choose, area.judge), level)


def bbc_metric(
    y: ArrayLike,
    responses: ArrayLike,
    metric: Callable[[NDArray[Any], NDArray[Any]], float],
    *,
    strata: ArrayLike | None = None,
    n_resamples: int = 1000,
    level: float = 0.95,
    rng: RNG = None,
) -> Resampled:
    """Bootstrap-bias-corrected cross-validation for any metric.

    Parameters
    ----------
    y : array-like of shape (n_rows,)
        Target of each row.
    responses : array-like of shape (n_rows, n_candidates)
        Out-of-fold predictions, probabilities or decision values.
    metric : callable
        ``metric(y, response) -> float`` of one candidate on some rows; higher is better. NaN where
        it is not defined: a resample whose chosen candidate has no score is not counted.
    strata, n_resamples, level, rng
        As in `bbc`; classes as strata keep every class in the drawn rows.

    Returns
    -------
    Resampled
        Errs slightly downwards, as `bbc` does.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.metrics import f1_score
    >>> y = np.arange(60) % 2
    >>> guess = np.random.default_rng(0).integers(0, 2, (60, 5))
    >>> bbc_metric(y, guess, f1_score, strata=y, n_resamples=50, rng=0).n_resamples
    50
    """
    target, table = np.asarray(y), np.asarray(responses)
    check_length(target, len(table), "y")

    def choose(weights: Weights) -> NDArray[np.intp]:
        chosen = np.empty(len(weights), dtype=np.intp)
        for index, weight in enumerate(weights):
            drawn = np.repeat(np.arange(len(table)), weight.astype(np.intp))
            inside = np.array(
                [metric(target[drawn], table[drawn, i]) for i in range(table.shape[1])]
            )
            chosen[index] = np.where(np.isnan(inside), -np.inf, inside).argmax()
        return chosen

    def judge(left_out: NDArray[np.bool_], candidate: int) -> FloatArray:
        return np.array(
            [
                metric(target[rows], table[rows, candidate]) if rows.any() else np.nan
                for rows in left_out
            ]
        )

    draws = draw_weights(len(table), strata, n_resamples, np.random.default_rng(rng))
    return _summary(judge_rest(draws, choose, judge), level)


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
    judged = [resample_rows(part, None, each, generator) for part in parts]
    return _summary(np.concatenate(judged), level)


def _summary(judged: FloatArray, level: float) -> Resampled:
    tail = (1.0 - check_level(level)) / 2.0
    counted = judged[~np.isnan(judged)]
    if not len(counted):
        raise ValueError(
            "no resample left out rows on which the metric is defined. Draw more resamples, or "
            "give more rows."
        )
    low, high = np.quantile(counted, [tail, 1.0 - tail])
    return Resampled(float(counted.mean()), float(low), float(high), len(counted))


def _check_rows(values: ArrayLike) -> FloatArray:
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
    return table
