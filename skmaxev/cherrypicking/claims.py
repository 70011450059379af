"""Tests of a claimed improvement, plain and safe against choosing the data sets."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from scipy import stats

from skmaxev._results import Result, as_odds, as_pvalue, at_least, tail_probability
from skmaxev.cherrypicking._top import best_studentised_subset, top_mean_survival
from skmaxev.estimators.validation import as_floats, as_result, check_count, is_constant

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = [
    "ClaimResult",
    "Variance",
    "check_improvements",
    "claim_test",
    "conservative_claim_test",
    "known_variance",
    "minimum_improvement",
]

Variance = float | Literal["estimate"]

_LOOKS = {"greater": "at least this good", "less": "at most this good", "two-sided": "this far off"}


@dataclass(frozen=True)
class ClaimResult(Result):
    """Test of a reported improvement, alone or against fresh data sets.

    Attributes
    ----------
    statistic : float or ndarray of shape (...)
        Reported mean above the null, or above the inspected mean, in standard errors.
    pvalue : float or ndarray of shape (...)
        Probability of such a statistic without the improvement, or if nobody chose.
    n_reported : int
        Data sets shown.
    n_available : int
        Data sets the reporter could choose from; ``n_reported`` if nothing was chosen.
    min_improvement : float
        The mean that the null hypothesis grants.
    alternative : {"greater", "less", "two-sided"}
        On which side of it.
    n_inspected : int or None
        Fresh data sets, of an inspection.
    """

    statistic: float | NDArray[np.float64]
    pvalue: float | NDArray[np.float64]
    n_reported: int
    n_available: int
    min_improvement: float = 0.0
    alternative: str = "greater"
    n_inspected: int | None = None

    @property
    def sentence(self) -> str:
        """The result in plain words."""
        if np.ndim(self.pvalue):
            least, most = (as_pvalue(end) for end in (np.min(self.pvalue), np.max(self.pvalue)))
            return f"{np.size(self.pvalue)} tests; p-values from {least} to {most}."
        odds = as_odds(float(self.pvalue))
        if self.n_inspected is not None:
            return (
                f"Had nobody chosen, the {self.n_reported} reported data sets would beat "
                f"{self.n_inspected} fresh ones by this much in {odds} of inspections."
            )
        chosen = (
            f"the best {self.n_reported} of {self.n_available} data sets"
            if self.n_available > self.n_reported
            else f"{self.n_reported} data sets that nobody chose"
        )
        return (
            f"Were the true mean improvement only {self.min_improvement:g}, {chosen} would look "
            f"{_LOOKS[self.alternative]} in {odds} of reports."
        )

    def to_dict(self) -> list[dict[str, Any]]:
        """Give one row a test, with the fields that mean something for it."""
        of_claims = {"n_available", "min_improvement", "alternative"}
        foreign = {"n_inspected"} if self.n_inspected is None else of_claims
        fields = {name: value for name, value in vars(self).items() if name not in foreign}
        pairs = zip(np.ravel(self.statistic), np.ravel(self.pvalue), strict=True)
        return [fields | {"statistic": float(t), "pvalue": float(p)} for t, p in pairs]


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
        The p-value errs downwards if the data sets were chosen, more so with an estimated
        variance.

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
    (values,), sigma2 = check_improvements({"improvements": improvements}, variance)
    if not np.isfinite(min_improvement):
        raise ValueError(
            f"min_improvement must be a number; got {min_improvement!r}. Give the mean improvement "
            "that the null hypothesis grants, 0 for none."
        )
    n_reported = values.shape[-1]
    spread = values.var(axis=-1, ddof=1) if sigma2 is None else sigma2
    statistic = (values.mean(axis=-1) - min_improvement) * np.sqrt(n_reported / spread)
    freedom = n_reported - 1 if sigma2 is None else np.inf
    return ClaimResult(
        statistic=as_result(statistic),
        pvalue=tail_probability(statistic, freedom, alternative),
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
    improvements, min_improvement
        As in `claim_test`.
    n_available : int
        Data sets that the reporter could have chosen from.
    variance : float or "estimate", default="estimate"
        Variance of one improvement. If known, the best choice are the largest values, and the
        probability is found by quadrature. If estimated, it is a run of neighbours in the sorted
        draws (a little less mean with much less spread gives a larger t), found by simulation.
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
    >>> report = [1.2, 0.4, 0.9, 1.6, 0.9]
    >>> round(conservative_claim_test(report, n_available=10, variance=1.0).pvalue, 3)
    0.237
    """
    plain = claim_test(improvements, min_improvement=min_improvement, variance=variance)
    statistic, size = np.asarray(plain.statistic), plain.n_reported
    available = check_count(n_available, name="n_available", least=size)
    if available == size:
        return plain
    if variance == "estimate":
        pvalue = _simulated_pvalue(statistic, size, available, n_resamples, rng)
    else:
        pvalue = top_mean_survival(statistic / np.sqrt(size), size, available)
    return replace(plain, pvalue=at_least(pvalue), n_available=available)


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
    shown, pool = as_floats(n_reported), as_floats(n_available)
    if not ((shown >= 1) & (pool >= shown)).all():
        raise ValueError(
            f"n_reported must be from 1 to n_available; got {n_reported!r} of {n_available!r}."
        )
    sigma, share = np.sqrt(known_variance(variance)), shown / pool
    return as_result(np.asarray(sigma * stats.norm.pdf(stats.norm.isf(share)) / share))


def check_improvements(
    samples: dict[str, ArrayLike], variance: Variance
) -> tuple[list[NDArray[np.float64]], float | None]:
    """Return samples of shape (..., n) and the known variance, None where it is to be estimated."""
    estimated = isinstance(variance, str) and variance == "estimate"
    sigma2 = None if estimated else known_variance(variance)
    arrays = [np.atleast_1d(as_floats(values)) for values in samples.values()]
    least = 2 if estimated else 1
    for name, array in zip(samples, arrays, strict=True):
        if array.shape[-1] < least:
            raise ValueError(
                f"{name} must hold at least {least} data set(s); got {array.shape[-1]}. "
                "An estimated variance needs two; give a known variance for one."
            )
        if not np.isfinite(array).all():
            raise ValueError(
                f"{name} must be finite; got NaN or infinity. Leave out the data sets that failed, "
                "and say so in the report."
            )
    equal = [is_constant(values, size=np.abs(values).max(axis=-1)) for values in arrays]
    if estimated and np.all(np.broadcast_arrays(*equal), axis=0).any():
        raise ValueError(
            "improvements must differ where their variance is estimated; all are equal, which "
            "gives no variance to judge by. Give the known variance of one improvement."
        )
    return arrays, sigma2


def known_variance(variance: Any) -> float:
    """Return the variance of one improvement if it is a positive number."""
    if isinstance(variance, str) or np.ndim(variance) or not 0 < variance < np.inf:
        raise ValueError(
            f"variance must be one positive number, or 'estimate' for a test; got {variance!r}. "
            "What is planned before the data needs the number."
        )
    return float(variance)


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
    chunk = max(1, 1_000_000 // n_available)  # about a million numbers at a time
    reached = [
        best_studentised_subset(
            generator.standard_normal((min(chunk, n_resamples - start), n_available)), n_reported
        )
        for start in range(0, n_resamples, chunk)
    ]
    below = np.searchsorted(np.sort(np.concatenate(reached)), statistic, side="left")
    pvalue = (1 + n_resamples - below) / (1 + n_resamples)
    return np.asarray(np.where(statistic > 0, pvalue, 1.0))
