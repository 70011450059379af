"""Two models or two tuned searches judged on the same folds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import stats

from skmaxev._results import at_least, tail_probability
from skmaxev.comparison._checks import Alternative, check_pair, check_sizes
from skmaxev.comparison.results import Comparison
from skmaxev.estimators.intervals import nadeau_bengio_interval
from skmaxev.estimators.validation import check_level, check_spread, is_constant

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = [
    "bayesian_correlated_t",
    "corrected_resampled_t",
    "equivalence_test",
    "five_by_two_f",
    "five_by_two_t",
]


def corrected_resampled_t(
    scores_a: ArrayLike,
    scores_b: ArrayLike,
    *,
    n_train: float,
    n_test: float,
    level: float = 0.95,
    alternative: Alternative = "two-sided",
) -> Comparison:
    r"""Compare two models on the same folds, with training sets that overlap.

    The variance of the mean difference is :math:`(1/K + n_{test}/n_{train})\,s^2`: folds that
    share training rows tell less than independent ones.

    Parameters
    ----------
    scores_a, scores_b : array-like of shape (n_folds,)
        Score of each model on each fold; for tuned searches, of the outer folds. Those of Series
        and frames are paired by their index.
    n_train, n_test : float
        Rows trained on and judged on in a fold.
    level : float, default=0.95
        Of the interval.
    alternative : {"two-sided", "greater", "less"}, default="two-sided"
        "greater" asks whether a is better, "less" whether b is. The interval is two-sided.

    Returns
    -------
    Comparison
        Student's t with ``n_folds - 1`` degrees of freedom. The correction is approximate; the
        p-value errs upwards on average.

    Raises
    ------
    ValueError
        If the folds differ, or if every fold shows the same difference other than zero.

    References
    ----------
    .. [1] C. Nadeau and Y. Bengio (2003), Inference for the generalization error, Eq. 9.

    Examples
    --------
    >>> from skmaxev.comparison import corrected_resampled_t
    >>> result = corrected_resampled_t(
    ...     [0.82, 0.80, 0.85, 0.79, 0.84], [0.80, 0.79, 0.81, 0.78, 0.82], n_train=80, n_test=20
    ... )
    >>> round(result.difference, 3), round(result.pvalue, 3)
    (0.02, 0.072)
    """
    differences, size = _differences(scores_a, scores_b)
    interval = nadeau_bengio_interval(differences, n_train=n_train, n_test=n_test, level=level)
    mean, scale = _location_scale(differences, size, check_sizes(n_train, n_test))
    statistic = mean / scale if scale else 0.0
    return Comparison(
        difference=mean,
        statistic=statistic,
        pvalue=tail_probability(statistic, differences.size - 1, alternative),
        alternative=alternative,
        interval=interval,
        level=float(level),
        **_effect(mean, differences),
        method="corrected resampled t",
        assumes="folds of one cross-validation, or repeats of it; normal differences",
    )


def equivalence_test(
    scores_a: ArrayLike,
    scores_b: ArrayLike,
    *,
    rope: float,
    n_train: float | None = None,
    n_test: float | None = None,
    level: float = 0.95,
) -> Comparison:
    """Ask whether two models are as good as equal (two one-sided t tests, TOST).

    Parameters
    ----------
    scores_a, scores_b : array-like of shape (n_folds,)
        Score of each model on each fold, or on each of many independent data sets or rows.
    rope : float
        Differences up to this size, in the unit of the score, do not matter.
    n_train, n_test : float, optional
        Rows trained on and judged on in a fold, for folds; leave out for independent units.
    level : float, default=0.95
        Both are called equal where ``pvalue <= 1 - level``: where the interval, at
        ``2 level - 1``, lies inside the region.

    Returns
    -------
    Comparison
        ``pvalue`` is that of 'they differ by more than the region'.

    References
    ----------
    .. [1] D. J. Schuirmann (1987), A comparison of the two one-sided tests procedure and the power
       approach for assessing the equivalence of average bioavailability.

    Examples
    --------
    >>> from skmaxev.comparison import equivalence_test
    >>> a, b = [0.82, 0.80, 0.85, 0.79, 0.84], [0.82, 0.81, 0.84, 0.79, 0.85]
    >>> round(equivalence_test(a, b, rope=0.02, n_train=80, n_test=20).pvalue, 3)
    0.016
    """
    if not rope > 0 or not check_level(level) > 0.5:
        raise ValueError(f"rope must be positive and level above 0.5; got {rope!r}, {level!r}.")
    differences, size = _differences(scores_a, scores_b)
    ratio = 0.0 if n_train is None and n_test is None else check_sizes(n_train or 0, n_test or 0)
    mean, scale = _location_scale(differences, size, ratio)
    free = differences.size - 1
    unit = scale or np.finfo(float).tiny  # identical scores are equal whatever the region
    pvalue = max(stats.t.sf((mean + rope) / unit, free), stats.t.cdf((mean - rope) / unit, free))
    half = float(stats.t.ppf(level, free)) * scale
    return Comparison(
        difference=mean,
        pvalue=at_least(pvalue),
        rope=float(rope),
        interval=(mean - half, mean + half),
        level=round(2 * level - 1, 12),
        **_effect(mean, differences),
        method="two one-sided t tests",
        assumes="normal differences; with n_train, folds of one cross-validation",
    )


def _effect(mean: float, differences: NDArray[np.float64]) -> dict[str, Any]:
    """Mean difference in units of the differences' own standard deviation."""
    spread = float(differences.std(ddof=1))
    return {"effect_size": mean / spread if mean else 0.0, "effect": "standardised difference"}


def bayesian_correlated_t(
    scores_a: ArrayLike,
    scores_b: ArrayLike,
    *,
    n_train: float,
    n_test: float,
    rope: float = 0.01,
) -> Comparison:
    """Give the probabilities that a is better, that b is better, and that it does not matter.

    The Bayesian form of `corrected_resampled_t`: with its flat prior the posterior of the
    difference is the same t distribution.

    Parameters
    ----------
    scores_a, scores_b, n_train, n_test
        As in `corrected_resampled_t`.
    rope : float, default=0.01
        Region of practical equivalence: differences up to this size, in the unit of the score, do
        not matter.

    Returns
    -------
    Comparison
        With three probabilities that sum to one.

    References
    ----------
    .. [1] G. Corani and A. Benavoli (2015), A Bayesian approach for comparing cross-validated
       algorithms on multiple data sets.

    Examples
    --------
    >>> from skmaxev.comparison import bayesian_correlated_t
    >>> result = bayesian_correlated_t(
    ...     [0.82, 0.80, 0.85, 0.79, 0.84], [0.80, 0.79, 0.81, 0.78, 0.82], n_train=80, n_test=20
    ... )
    >>> round(result.p_a_better, 2), round(result.p_equivalent, 2), round(result.p_b_better, 2)
    (0.85, 0.13, 0.01)
    """
    if not rope >= 0:
        raise ValueError(f"rope must not be negative; got {rope!r}.")
    differences, size = _differences(scores_a, scores_b)
    mean, scale = _location_scale(differences, size, check_sizes(n_train, n_test))
    if scale:
        posterior = stats.t(differences.size - 1, loc=mean, scale=scale)
        above, below = float(posterior.sf(rope)), float(posterior.cdf(-rope))
    else:
        above = below = 0.0
    return Comparison(
        difference=mean,
        p_a_better=above,
        p_equivalent=1.0 - above - below,
        p_b_better=below,
        rope=float(rope),
        method="Bayesian correlated t",
        assumes="folds of one cross-validation, or repeats of it; normal differences, flat prior",
    )


def five_by_two_t(
    scores_a: ArrayLike, scores_b: ArrayLike, *, alternative: Alternative = "two-sided"
) -> Comparison:
    """Compare two models by five times twofold cross-validation (Dietterich's t).

    Parameters
    ----------
    scores_a, scores_b : array-like of shape (5, 2)
        Score of each model on both halves of five random divisions; the same for both models.
    alternative : {"two-sided", "greater", "less"}, default="two-sided"
        "greater" asks whether a is better, "less" whether b is.

    Returns
    -------
    Comparison
        Student's t with 5 degrees of freedom. It rests on the very first difference and is weaker
        than `five_by_two_f`.

    Raises
    ------
    ValueError
        If the shapes are not (5, 2), or both halves of every division show one difference.

    References
    ----------
    .. [1] T. Dietterich (1998), Approximate Statistical Tests for Comparing Supervised
       Classification Learning Algorithms, Section 3.5.

    Examples
    --------
    >>> from skmaxev.comparison import five_by_two_t
    >>> a = [[0.9, 0.8], [0.85, 0.8], [0.9, 0.85], [0.8, 0.9], [0.85, 0.9]]
    >>> b = [[0.8, 0.8], [0.8, 0.75], [0.8, 0.8], [0.8, 0.8], [0.8, 0.8]]
    >>> round(five_by_two_t(a, b).pvalue, 3)
    0.102
    """
    differences, variances = _five_by_two(scores_a, scores_b)
    total = variances.mean()
    statistic = float(differences[0, 0] / np.sqrt(total)) if total else 0.0
    return Comparison(
        difference=float(differences.mean()),
        statistic=statistic,
        pvalue=tail_probability(statistic, 5, alternative),
        alternative=alternative,
        method="5x2 cv t",
        assumes="five random divisions into halves, the same for both",
    )


def five_by_two_f(scores_a: ArrayLike, scores_b: ArrayLike) -> Comparison:
    """Compare two models by five times twofold cross-validation (Alpaydin's F).

    Parameters
    ----------
    scores_a, scores_b
        As in `five_by_two_t`.

    Returns
    -------
    Comparison
        F with 10 and 5 degrees of freedom; uses all ten differences. Errs upwards.

    References
    ----------
    .. [1] E. Alpaydin (1999), Combined 5x2 cv F Test for Comparing Supervised Classification
       Learning Algorithms.

    Examples
    --------
    >>> from skmaxev.comparison import five_by_two_f
    >>> a = [[0.9, 0.8], [0.85, 0.8], [0.9, 0.85], [0.8, 0.9], [0.85, 0.9]]
    >>> b = [[0.8, 0.8], [0.8, 0.75], [0.8, 0.8], [0.8, 0.8], [0.8, 0.8]]
    >>> round(five_by_two_f(a, b).pvalue, 3)
    0.23
    """
    differences, variances = _five_by_two(scores_a, scores_b)
    total = variances.sum()
    statistic = float(np.sum(differences**2) / (2 * total)) if total else 0.0
    return Comparison(
        difference=float(differences.mean()),
        statistic=statistic,
        pvalue=at_least(stats.f.sf(statistic, 10, 5)),
        method="5x2 cv F",
        assumes="five random divisions into halves, the same for both",
    )


def _differences(scores_a: ArrayLike, scores_b: ArrayLike) -> tuple[NDArray[np.float64], float]:
    """Score of a minus score of b on each fold, two or more, and the size of the scores."""
    first, second = check_pair(scores_a, scores_b, thing="fold")
    if first.size < 2:
        raise ValueError(f"at least 2 folds must be compared; got {first.size}.")
    return np.asarray(first - second), float(np.abs([first, second]).max())


def _location_scale(
    differences: NDArray[np.float64], size: float, ratio: float
) -> tuple[float, float]:
    """Mean difference and its corrected standard error; both zero for identical scores."""
    if not check_spread(differences, size=size, thing="fold"):
        return 0.0, 0.0
    variance = (1 / differences.size + ratio) * differences.var(ddof=1)
    return float(differences.mean()), float(np.sqrt(variance))


def _five_by_two(
    scores_a: ArrayLike, scores_b: ArrayLike
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Differences of shape (5, 2) and the variance of each division, of shape (5,)."""
    first, second = check_pair(scores_a, scores_b, thing="division", shape=(5, 2))
    differences, size = first - second, float(np.abs([first, second]).max())
    if is_constant(differences, size=size).all():  # both halves alike in every division
        check_spread(differences, size=size, thing="division")
        # Divisions that differ have a variance, though not the one that these tests take.
        if not is_constant(differences.ravel(), size=size):
            raise ValueError(
                "the divisions give no variance to judge by: both halves of each show one "
                "difference. Measure more divisions, with corrected_resampled_t."
            )
        return np.zeros((5, 2)), np.zeros(5)
    return differences, np.asarray(2 * differences.var(axis=1))
