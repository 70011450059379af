"""Intervals for the true score of the winner of a search, and for nested cross-validation."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy import stats

from skmaxev.estimators import _noise
from skmaxev.estimators._design import checked_design
from skmaxev.estimators.validation import check_best_index, check_level, check_scores

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from skmaxev.table import Design

__all__ = ["nadeau_bengio_interval", "selection_interval"]


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
    if _noise.counts_rows(table, support, design):
        support = (0.0, 1.0)
    noise = _noise.measure(
        table,
        support=support,
        winner=int(winner),
        design=design,
        row_values=_checked_rows(row_values, table.shape[1]),
    )
    if noise is None:
        return None
    return _noise.interval(float(estimate), noise, level, support)


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
