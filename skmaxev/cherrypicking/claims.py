"""Tests of a claimed improvement, plain and safe against choosing the data sets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

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
from skmaxev.cherrypicking._top import best_studentised_subset, top_mean_survival
from skmaxev.cherrypicking.results import ClaimResult
from skmaxev.estimators.validation import as_result

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = [
    "claim_test",
    "cohen_kappa_score_from_accuracy",
    "conservative_claim_test",
    "minimum_improvement",
]


def claim_test(
    improvements: ArrayLike,
    *,
    min_improvement: float = 0.0,
    variance: Variance = "estimate",
    alternative: Literal["greater", "less", "two-sided"] = "greater",
) -> ClaimResult:
    r"""Test whether the mean improvement is larger than ``min_improvement``.

    Assumes that the improvements are independent draws of one normal distribution, that is that
    nobody chose the data sets. Where somebody did, the p-value is too small: see
    `conservative_claim_test`.

    Parameters
    ----------
    improvements : array-like of shape (..., n_reported)
        New score minus old score on each reported data set.
    min_improvement : float, default=0.0
        Mean improvement that the null hypothesis grants, :math:`\mu_{gap}`.
    variance : float or "estimate", default="estimate"
        Variance of one improvement where it is known, in the square of their unit; else estimated
        from the reported ones (Student's t with ``n_reported - 1`` degrees of freedom).
    alternative : {"greater", "less", "two-sided"}, default="greater"
        As in SciPy: "greater" is the claim of an improvement.

    Returns
    -------
    ClaimResult
        ``statistic``, ``pvalue`` and ``sentence``. The p-value errs downwards if the
        data sets were chosen, more so with an estimated variance.

    Raises
    ------
    ValueError
        If an improvement is not finite, or if a variance cannot be estimated.

    References
    ----------
    .. [1] J. Komiyama and T. Maehara (2018), A Simple Way to Deal with Cherry-picking,
       Sections 2, 5.1 and 6.1. arXiv:1810.04996.

    Examples
    --------
    >>> from skmaxev.cherrypicking import claim_test
    >>> result = claim_test([1.2, 0.4, 0.9, 1.6, 0.9], variance=1.0)
    >>> round(result.statistic, 3), round(result.pvalue, 4)
    (2.236, 0.0127)
    """
    statistic, n_reported, known = _statistic(improvements, min_improvement, variance)
    distribution = stats.norm() if known else stats.t(n_reported - 1)
    tails = {
        "greater": distribution.sf(statistic),
        "less": distribution.cdf(statistic),
        "two-sided": 2 * distribution.sf(np.abs(statistic)),
    }
    if alternative not in tails:
        raise ValueError(f"alternative must be one of {tuple(tails)}; got {alternative!r}.")
    return ClaimResult(
        statistic=as_result(statistic),
        pvalue=at_least(tails[alternative]),
        n_reported=n_reported,
        n_available=n_reported,
        min_improvement=float(min_improvement),
        alternative=alternative,
    )


def conservative_claim_test(
    improvements: ArrayLike,
    n_available: int,
    *,
    min_improvement: float = 0.0,
    variance: Variance = "estimate",
    n_resamples: int = 20_000,
    rng: np.random.Generator | int | None = None,
) -> ClaimResult:
    r"""Test a claim as if its data sets were the best that the reporter could choose.

    The p-value is the probability that the best choice of ``n_reported`` among ``n_available``
    draws of :math:`N(\mu_{gap}, \sigma^2)` reaches the reported statistic.

    Parameters
    ----------
    improvements : array-like of shape (..., n_reported)
        New score minus old score on each reported data set.
    n_available : int
        Data sets that the reporter could have chosen from.
    min_improvement : float, default=0.0
        Mean improvement that the null hypothesis grants.
    variance : float or "estimate", default="estimate"
        Variance of one improvement. If known, the best choice are the largest values, and the
        probability is found by quadrature. If estimated, the largest values are NOT the best
        choice (a little less mean with much less spread gives a larger t); the best one is a run
        of neighbours in the sorted draws, and the probability is found by simulation.
    n_resamples : int, default=20000
        Simulated reporters; used only if the variance is estimated.
    rng : Generator or int, optional
        Source of the simulated reporters.

    Returns
    -------
    ClaimResult
        The p-value is right for a reporter who chooses as well as possible, and errs upwards for
        every other: honest reporters lose power.

    Raises
    ------
    ValueError
        If fewer data sets are available than reported.

    Notes
    -----
    With an estimated variance and a reported mean at or below ``min_improvement`` there is no
    claim to test and the p-value is 1 (unless nothing could be chosen). Where there is much to
    choose from, say ten data sets for each one shown, that test has hardly any power: among many
    draws some neighbours always have a large t. Give a known variance, or inspect.

    References
    ----------
    .. [1] J. Komiyama and T. Maehara (2018), Sections 4 and 6.1. arXiv:1810.04996.

    Examples
    --------
    >>> from skmaxev.cherrypicking import conservative_claim_test
    >>> result = conservative_claim_test(
    ...     [1.2, 0.4, 0.9, 1.6, 0.9], n_available=10, variance=1.0
    ... )
    >>> round(result.pvalue, 3)
    0.237
    """
    statistic, n_reported, known = _statistic(improvements, min_improvement, variance)
    check_count(n_available, name="n_available", least=n_reported)
    plain = claim_test(improvements, min_improvement=min_improvement, variance=variance)
    if n_available == n_reported:
        return plain
    if known:
        pvalue = top_mean_survival(statistic / np.sqrt(n_reported), n_reported, n_available)
    else:
        pvalue = _simulated_pvalue(statistic, n_reported, n_available, n_resamples, rng)
    return ClaimResult(
        statistic=plain.statistic,
        pvalue=at_least(pvalue),
        n_reported=n_reported,
        n_available=int(n_available),
        min_improvement=float(min_improvement),
    )


def minimum_improvement(
    n_reported: ArrayLike, n_available: ArrayLike, *, variance: float
) -> float | NDArray[np.float64]:
    r"""Mean improvement that must be asked for so that choosing alone cannot reach it.

    The mean of the largest ``n_reported`` of ``n_available`` improvements without any true one
    tends to the mean of a normal variable above its ``n_reported / n_available`` upper quantile.

    Parameters
    ----------
    n_reported, n_available : array-like of int
        Data sets shown and data sets to choose from; broadcast together.
    variance : float
        Variance of one improvement, in the square of their unit.

    Returns
    -------
    float or ndarray
        In the unit of the improvements. Errs upwards for a finite number of data sets: the
        expected mean of the largest ones is a little smaller than its limit.

    Raises
    ------
    ValueError
        If fewer data sets are available than reported, or none is reported.

    References
    ----------
    .. [1] J. Komiyama and T. Maehara (2018), Theorem 4. arXiv:1810.04996.

    Examples
    --------
    >>> from skmaxev.cherrypicking import minimum_improvement
    >>> round(minimum_improvement(5, 66, variance=1.0), 3)
    1.883
    """
    shown, pool = np.asarray(n_reported, float), np.asarray(n_available, float)
    if not ((shown >= 1) & (pool >= shown)).all():
        raise ValueError(
            f"n_reported must be from 1 to n_available; got {n_reported!r} of {n_available!r}."
        )
    scale = known_variance(variance)
    if scale is None:
        raise ValueError("variance must be known here: the answer is in units of its square root.")
    share = shown / pool
    return as_result(np.asarray(np.sqrt(scale) * stats.norm.pdf(stats.norm.isf(share)) / share))


def cohen_kappa_score_from_accuracy(
    accuracy: ArrayLike, base_accuracy: ArrayLike
) -> float | NDArray[np.float64]:
    r"""Accuracy above a baseline, as a share of what the baseline leaves: :math:`(s-s_b)/(1-s_b)`.

    Parameters
    ----------
    accuracy : array-like, from 0 to 1
        Accuracy of the model.
    base_accuracy : array-like, from 0 to 1
        Accuracy of always answering with the commonest class; broadcast with ``accuracy``.

    Returns
    -------
    float or ndarray
        1 is perfect, 0 is no better than the baseline, below 0 is worse. Cohen's kappa proper
        uses the chance agreement of the two label distributions in place of the baseline.

    Raises
    ------
    ValueError
        If an accuracy is outside 0 to 1, or a baseline leaves nothing to win.

    References
    ----------
    .. [1] J. Komiyama and T. Maehara (2018), Section 7. arXiv:1810.04996.

    Examples
    --------
    >>> from skmaxev.cherrypicking import cohen_kappa_score_from_accuracy
    >>> round(cohen_kappa_score_from_accuracy(0.9, 0.6), 2)
    0.75
    """
    score, base = np.asarray(accuracy, float), np.asarray(base_accuracy, float)
    for name, values in (("accuracy", score), ("base_accuracy", base)):
        if not ((values >= 0) & (values <= 1)).all():
            raise ValueError(f"{name} must be from 0 to 1; got {values!r}. Divide percent by 100.")
    if (base == 1).any():
        raise ValueError("base_accuracy must be below 1: with one class there is nothing to win.")
    return as_result(np.asarray((score - base) / (1 - base)))


def _statistic(
    improvements: ArrayLike, min_improvement: float, variance: Variance
) -> tuple[NDArray[np.float64], int, bool]:
    """Reported mean above the null in standard errors, its sample size, and if sigma is known."""
    sigma2 = known_variance(variance)
    values = check_improvements(
        improvements, name="improvements", least=1 if sigma2 is not None else 2
    )
    n_reported = values.shape[-1]
    spread = values.var(axis=-1, ddof=1) if sigma2 is None else np.asarray(sigma2)
    if sigma2 is None:
        check_differ(values)
    if not np.isfinite(min_improvement):
        raise ValueError(
            f"min_improvement must be a number; got {min_improvement!r}. Give the mean improvement "
            "that the null hypothesis grants, 0 for none."
        )
    excess = values.mean(axis=-1) - min_improvement
    return np.asarray(excess * np.sqrt(n_reported / spread)), n_reported, sigma2 is not None


def _simulated_pvalue(
    statistic: NDArray[np.float64],
    n_reported: int,
    n_available: int,
    n_resamples: int,
    rng: np.random.Generator | int | None,
) -> NDArray[np.float64]:
    """Share of simulated reporters whose best choice reaches each statistic."""
    check_count(n_resamples, name="n_resamples", least=1)
    generator = np.random.default_rng(rng)
    reached = np.concatenate(
        [
            best_studentised_subset(generator.standard_normal((size, n_available)), n_reported)
            for size in _chunks(n_resamples, n_available)
        ]
    )
    below = np.searchsorted(np.sort(reached), statistic, side="left")
    pvalue = (1 + n_resamples - below) / (1 + n_resamples)
    return np.asarray(np.where(statistic > 0, pvalue, 1.0))


def _chunks(n_resamples: int, n_available: int) -> list[int]:
    """Split the resamples so that one chunk holds about a million numbers."""
    size = max(1, 1_000_000 // n_available)
    whole, rest = divmod(n_resamples, size)
    return [size] * whole + [rest] * (rest > 0)
