"""An inspector draws fresh data sets and compares them with the reported ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy import stats

from skmaxev._results import at_least
from skmaxev.cherrypicking._checks import (
    Variance,
    check_count,
    check_differ,
    check_improvements,
    known_variance,
)
from skmaxev.cherrypicking.results import InspectionResult
from skmaxev.estimators.validation import as_result, check_level

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["inspection_power", "inspection_size", "inspection_test"]


def inspection_test(
    reported: ArrayLike, inspected: ArrayLike, *, variance: Variance = "estimate"
) -> InspectionResult:
    r"""Test whether reported improvements are better than fresh ones.

    Assumes normal improvements with one variance, and that the inspector did not choose.

    Parameters
    ----------
    reported : array-like of shape (..., n_reported)
        Improvements in the report.
    inspected : array-like of shape (..., n_inspected)
        Improvements on data sets drawn afresh; leading axes broadcast with ``reported``.
    variance : float or "estimate", default="estimate"
        Variance of one improvement where it is known, in the square of their unit; else pooled
        from both samples (Student's t with ``n_reported + n_inspected - 2`` degrees of freedom).

    Returns
    -------
    InspectionResult
        One-sided: small if the report is better than it should be. With an estimated variance it
        errs upwards for a chosen report.

    Raises
    ------
    ValueError
        If an improvement is not finite, or if a variance cannot be estimated.

    References
    ----------
    .. [1] J. Komiyama and T. Maehara (2018), Sections 5.2 and 6.1. arXiv:1810.04996.

    Examples
    --------
    >>> from skmaxev.cherrypicking import inspection_test
    >>> result = inspection_test(
    ...     [1.9, 2.2, 1.6, 1.8, 2.0], [0.2, -0.9, 0.4, 0.1, 0.3], variance=1.0
    ... )
    >>> round(result.statistic, 3), round(result.pvalue, 4)
    (2.973, 0.0015)
    """
    sigma2 = known_variance(variance)
    least = 1 if sigma2 is not None else 2
    shown = check_improvements(reported, name="reported", least=least)
    fresh = check_improvements(inspected, name="inspected", least=least)
    n_shown, n_fresh = shown.shape[-1], fresh.shape[-1]
    spread = _pooled_variance(shown, fresh) if sigma2 is None else np.asarray(sigma2)
    gap = shown.mean(axis=-1) - fresh.mean(axis=-1)
    statistic = np.asarray(gap / np.sqrt(spread * (1 / n_shown + 1 / n_fresh)))
    distribution = stats.norm() if sigma2 is not None else stats.t(n_shown + n_fresh - 2)
    return InspectionResult(
        statistic=as_result(statistic),
        pvalue=at_least(distribution.sf(statistic)),
        n_reported=n_shown,
        n_inspected=n_fresh,
    )


def inspection_power(
    excess: ArrayLike,
    n_reported: int,
    n_inspected: int,
    *,
    variance: float,
    level: float = 0.95,
) -> float | NDArray[np.float64]:
    r"""Probability that an inspection finds a report that is too good by ``excess``.

    The report is fixed, only the fresh data sets are drawn:
    :math:`\Phi((\delta - z\,\sigma\sqrt{1/N_P + 1/N_I})\sqrt{N_I}/\sigma)`.

    Parameters
    ----------
    excess : array-like
        Reported mean minus true mean improvement.
    n_reported, n_inspected : int
        Data sets on either side.
    level : float, default=0.95
        One minus the share of honest reports that may be called biased.
    variance : float
        Known variance of one improvement.

    Returns
    -------
    float or ndarray
        Exact for normal improvements of known variance; errs upwards for an estimated one.

    Raises
    ------
    ValueError
        If a count, the level or the variance is not possible.

    References
    ----------
    .. [1] J. Komiyama and T. Maehara (2018), Theorem 5. arXiv:1810.04996.

    Examples
    --------
    >>> from skmaxev.cherrypicking import inspection_power, minimum_improvement
    >>> round(inspection_power(minimum_improvement(5, 66, variance=1.0), 5, 5, variance=1.0), 3)
    0.97
    """
    n_reported = check_count(n_reported, name="n_reported", least=1)
    n_inspected = check_count(n_inspected, name="n_inspected", least=1)
    sigma = _sigma(variance)
    bar = stats.norm.ppf(check_level(level)) * sigma * np.sqrt(1 / n_reported + 1 / n_inspected)
    given = np.asarray(excess, float)
    if np.isnan(given).any():
        raise ValueError("excess must be a number; got NaN. Give how much too good a report is.")
    distance = (given - bar) * np.sqrt(n_inspected) / sigma
    return as_result(np.asarray(stats.norm.cdf(distance)))


def inspection_size(
    excess: float,
    n_reported: int,
    *,
    power: float = 0.95,
    variance: float,
    level: float = 0.95,
) -> int:
    r"""Fresh data sets needed to find a report that is too good by ``excess``.

    Parameters
    ----------
    excess : float
        Reported mean minus true mean improvement that shall be found.
    n_reported : int
        Data sets in the report.
    power : float, default=0.95
        Probability of finding it.
    level : float, default=0.95
        One minus the share of honest reports that may be called biased.
    variance : float
        Known variance of one improvement.

    Returns
    -------
    int
        Smallest number with at least this power; errs downwards for an estimated variance.

    Raises
    ------
    ValueError
        If no number is enough: the excess is within the noise of the report itself.

    References
    ----------
    .. [1] J. Komiyama and T. Maehara (2018), Theorem 5. arXiv:1810.04996.

    Examples
    --------
    >>> from skmaxev.cherrypicking import inspection_size, minimum_improvement
    >>> inspection_size(minimum_improvement(5, 66, variance=1.0), n_reported=5, variance=1.0)
    5
    """
    n_reported = check_count(n_reported, name="n_reported", least=1)
    check_level(power)
    noise = stats.norm.ppf(check_level(level)) * _sigma(variance) / np.sqrt(n_reported)
    if not noise < excess < np.inf:
        raise ValueError(
            f"excess must be above {noise:.3g}, the noise of a report of {n_reported} data sets; "
            f"got {excess!r}. No inspection can find less; ask for a longer report."
        )
    size = 1
    while inspection_power(excess, n_reported, size, level=level, variance=variance) < power:
        size *= 2
    below = size // 2
    while size - below > 1:
        middle = (size + below) // 2
        enough = inspection_power(excess, n_reported, middle, level=level, variance=variance)
        size, below = (middle, below) if enough >= power else (size, middle)
    return size


def _pooled_variance(shown: NDArray[np.float64], fresh: NDArray[np.float64]) -> NDArray[np.float64]:
    """Variance of one improvement from both samples, each about its own mean."""
    n_shown, n_fresh = shown.shape[-1], fresh.shape[-1]
    check_differ(shown, fresh)
    squares = (n_shown - 1) * shown.var(axis=-1, ddof=1) + (n_fresh - 1) * fresh.var(
        axis=-1, ddof=1
    )
    return np.asarray(squares / (n_shown + n_fresh - 2))


def _sigma(variance: float) -> float:
    known = known_variance(variance)
    if known is None:
        raise ValueError("variance must be known to plan an inspection; give a number.")
    return float(np.sqrt(known))
