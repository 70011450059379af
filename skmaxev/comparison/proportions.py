"""Intervals for one proportion: an accuracy or an error rate on rows that chose nothing."""

from __future__ import annotations

from typing import Literal

import numpy as np
from scipy import stats

from skmaxev.estimators.validation import check_level

__all__ = ["proportion_interval"]

_METHODS = ("wilson", "exact", "normal")


def proportion_interval(
    successes: int,
    trials: int,
    *,
    level: float = 0.95,
    method: Literal["wilson", "exact", "normal"] = "wilson",
) -> tuple[float, float]:
    r"""Bound a true proportion, such as a model's error rate, from independent rows.

    Parameters
    ----------
    successes : int
        Rows that count: the errors, or the right answers.
    trials : int
        Rows judged, drawn independently and not used to choose the model.
    level : float, default=0.95
        Probability that the interval holds the true proportion.
    method : {"wilson", "exact", "normal"}, default="wilson"
        "normal" is :math:`e \pm z\sqrt{e(1-e)/n}`, good for :math:`n e (1-e) \ge 5`; "wilson"
        is near its level on average also for few rows; "exact" (Clopper-Pearson) never covers
        less than its level.

    Returns
    -------
    tuple of two floats
        Within 0 to 1. The normal interval errs to the narrow side for few rows and near 0 or 1.

    References
    ----------
    .. [1] T. Mitchell (1997), Machine Learning, Eq. 5.1.

    Examples
    --------
    Twelve errors in forty rows: 0.30 give or take 0.14.

    >>> from skmaxev.comparison import proportion_interval
    >>> low, high = proportion_interval(12, 40, method="normal")
    >>> round(low, 2), round(high, 2)
    (0.16, 0.44)
    """
    # Comparisons with NaN are false, and infinity has no remainder.
    whole = successes % 1 == 0 and trials % 1 == 0
    if not (whole and trials >= 1 and 0 <= successes <= trials):
        raise ValueError(
            f"successes must be from 0 to trials, and trials at least 1; got {successes!r} of "
            f"{trials!r}. Give counts, whole numbers, not rates."
        )
    check_level(level)
    if method not in _METHODS:
        raise ValueError(f"method must be one of {_METHODS}; got {method!r}.")
    if method == "normal":
        rate = successes / trials
        half = stats.norm.ppf((1 + level) / 2) * np.sqrt(rate * (1 - rate) / trials)
        return float(max(0.0, rate - half)), float(min(1.0, rate + half))
    found = stats.binomtest(int(successes), int(trials)).proportion_ci(level, method=method)
    return float(found.low), float(found.high)
