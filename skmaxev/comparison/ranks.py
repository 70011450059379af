"""Many models on many data sets: ranks, and which of them can be told apart."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy import stats

from skmaxev.comparison._checks import check_table, names_of
from skmaxev.comparison.results import RankComparison
from skmaxev.estimators.validation import check_level

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["friedman_nemenyi"]


def friedman_nemenyi(scores: ArrayLike, *, level: float = 0.95) -> RankComparison:
    r"""Compare many models on many data sets by their ranks.

    Assumes that the data sets are independent. Only the order of the models within a data set
    counts, so that data sets of different difficulty may stand together.

    Parameters
    ----------
    scores : array-like of shape (n_datasets, n_models)
        Score of each model on each data set; higher is better. At least 3 models, 2 data sets. The
        columns of a frame name the models.
    level : float, default=0.95
        One minus the probability that equally good models are told apart.

    Returns
    -------
    RankComparison
        Friedman's test with Iman and Davenport's F, and Nemenyi's critical difference
        :math:`q\sqrt{k(k+1)/(6N)}`, which allows for the number of pairs. Nemenyi errs to the
        cautious side; the chi-squared p-value errs upwards for few data sets.

    Raises
    ------
    ValueError
        If the table is too small or not finite.

    References
    ----------
    .. [1] J. Demsar (2006), Statistical Comparisons of Classifiers over Multiple Data Sets.

    Examples
    --------
    Four data sets and three algorithms; the ranks average to 1, 2.125 and 2.875.

    >>> from skmaxev.comparison import friedman_nemenyi
    >>> scores = [[0.9, 0.8, 0.7], [0.9, 0.8, 0.8], [0.9, 0.8, 0.7], [0.9, 0.8, 0.7]]
    >>> result = friedman_nemenyi(scores)
    >>> result.average_ranks.tolist(), round(result.critical_difference, 3)
    ([1.0, 2.125, 2.875], 1.657)
    """
    table = check_table(scores, rows="datasets", least=3)
    check_level(level)
    n_datasets, n_models = table.shape
    ranks = stats.rankdata(-table, axis=1).mean(axis=0)
    statistic, pvalue = _friedman(table)
    f_statistic, f_pvalue = _iman_davenport(statistic, n_datasets, n_models)
    unit = np.sqrt(n_models * (n_models + 1) / (6 * n_datasets))
    # Nemenyi's q is the studentised range over root two, with known variance.
    quantile = stats.studentized_range.ppf(level, n_models, np.inf) / np.sqrt(2)
    return RankComparison(
        average_ranks=ranks,
        statistic=statistic,
        pvalue=pvalue,
        f_statistic=f_statistic,
        f_pvalue=f_pvalue,
        critical_difference=float(quantile * unit),
        pairwise_pvalues=_nemenyi_pvalues(ranks, unit),
        level=float(level),
        names=names_of(scores, n_models),
    )


def _friedman(table: NDArray[np.float64]) -> tuple[float, float]:
    """SciPy's test, and no difference where every data set ties all models."""
    if (table == table[:, :1]).all():
        return 0.0, 1.0
    found = stats.friedmanchisquare(*table.T)
    return float(found.statistic), float(found.pvalue)


def _iman_davenport(statistic: float, n_datasets: int, n_models: int) -> tuple[float, float]:
    """F form of Friedman's statistic; infinite if all data sets agree on the order."""
    left = n_datasets * (n_models - 1) - statistic
    freedom = (n_models - 1, (n_models - 1) * (n_datasets - 1))
    # Full agreement leaves a remainder of rounding errors only.
    if left <= 1e-9 * n_datasets * n_models:
        return float("inf"), 0.0
    value = (n_datasets - 1) * statistic / left
    return float(value), float(stats.f.sf(value, *freedom))


def _nemenyi_pvalues(ranks: NDArray[np.float64], unit: float) -> NDArray[np.float64]:
    """Adjusted p-value of every pair, of shape (n_models, n_models), one on the diagonal."""
    gaps = np.abs(ranks[:, None] - ranks[None, :]) / unit
    upper = np.triu_indices(ranks.size, k=1)
    pvalues = np.ones((ranks.size, ranks.size))
    pvalues[upper] = stats.studentized_range.sf(gaps[upper] * np.sqrt(2), ranks.size, np.inf)
    return np.asarray(np.minimum(pvalues, pvalues.T))
