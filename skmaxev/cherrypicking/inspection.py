"""An inspector draws fresh data sets and compares them with the reported ones."""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING

import numpy as np
from scipy import stats

from skmaxev._results import tail_probability
from skmaxev.cherrypicking.claims import ClaimResult, Variance, check_improvements, known_variance
from skmaxev.estimators.validation import as_result, check_count, check_level

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["inspection_power", "inspection_size", "inspection_test"]

_MOST = 2**62  # data sets, and the end of the search for them


def inspection_test(
    reported: ArrayLike, inspected: ArrayLike, *, variance: Variance = "estimate"
) -> ClaimResult:
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
    ClaimResult
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
    samples, spread = check_improvements({"reported": reported, "inspected": inspected}, variance)
    (shown, fresh), sizes = samples, np.array([values.shape[-1] for values in samples])
    freedom = np.inf
    if spread is None:
        freedom = float(sizes.sum() - 2)
        spread = sum((v.shape[-1] - 1) * v.var(axis=-1, ddof=1) for v in samples) / freedom
    statistic = (shown.mean(axis=-1) - fresh.mean(axis=-1)) / np.sqrt(spread * (1 / sizes).sum())
    return ClaimResult(
        statistic=as_result(statistic),
        pvalue=tail_probability(statistic, freedom, "greater"),
        n_reported=int(sizes[0]),
        n_available=int(sizes[0]),
        n_inspected=int(sizes[1]),
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
    variance : float
        Known variance of one improvement.
    level : float, default=0.95
        One minus the share of honest reports that may be called biased.

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
    sigma = np.sqrt(known_variance(variance))
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
    excess, n_reported, variance, level
        As in `inspection_power`.
    power : float, default=0.95
        Probability of finding it.

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
    noise = stats.norm.ppf(check_level(level)) * np.sqrt(known_variance(variance) / n_reported)
    if not noise < excess < np.inf:
        raise ValueError(
            f"excess must be above {noise:.3g}, the noise of a report of {n_reported} data sets; "
            f"got {excess!r}. No inspection can find less; ask for a longer report."
        )

    def finds(size: int) -> bool:
        found = inspection_power(excess, n_reported, size, level=level, variance=variance)
        return bool(found >= power)

    return 1 + bisect_left(range(1, _MOST), x=True, key=finds)
