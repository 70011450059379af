"""Two models judged on the same rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy import stats

from skmaxev._results import at_least
from skmaxev.comparison._checks import Alternative, Identities, check_pair
from skmaxev.comparison.results import Comparison
from skmaxev.estimators.validation import as_floats, check_level

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

__all__ = ["mcnemar"]


def mcnemar(
    correct_a: ArrayLike,
    correct_b: ArrayLike | None = None,
    *,
    rows: Identities | None = None,
    level: float = 0.95,
    alternative: Alternative = "two-sided",
) -> Comparison:
    """Compare two classifiers on the rows where just one of them is right (exact McNemar test).

    Parameters
    ----------
    correct_a, correct_b : array-like of bool, shape (n_rows,)
        Whether each model is right on each row; the rows in the same order. Or ``correct_a``
        alone, the table of shape (2, 2) with the number of rows that
        ``[[both, only a], [only b, neither]]`` got right.
    rows : pair of sequences, optional
        Names of the rows of a and of b; refused unless they are the same.
    level : float, default=0.95
        Of the interval.
    alternative : {"two-sided", "greater", "less"}, default="two-sided"
        "greater" asks whether a is better, "less" whether b is. The interval is two-sided.

    Returns
    -------
    Comparison
        ``statistic`` is the number of rows that only a got right. The exact p-value errs upwards.
        The interval for the difference of accuracies adds half a row to each cell (Agresti and
        Min). It is about these two fitted models, not about the procedures that made them.

    Raises
    ------
    ValueError
        If the sides differ in length or rows, or hold anything but right and wrong.

    References
    ----------
    .. [1] T. Dietterich (1998), Approximate Statistical Tests for Comparing Supervised
       Classification Learning Algorithms.
    .. [2] A. Agresti and Y. Min (2005), Simple improved confidence intervals for comparing matched
       proportions.

    Examples
    --------
    >>> from skmaxev.comparison import mcnemar
    >>> result = mcnemar([1, 1, 1, 1, 1, 1, 0, 0], [0, 0, 0, 0, 0, 0, 0, 0])
    >>> result.difference, result.pvalue
    (0.75, 0.03125)
    """
    check_level(level)
    if correct_b is None:
        only_a, only_b, size = _from_table(correct_a)
    else:
        first, second = check_pair(correct_a, correct_b, same=rows, thing="row")
        if not np.isin(np.concatenate([first, second]), (0.0, 1.0)).all():
            raise ValueError("correct_a and correct_b must hold True and False: y_true == y_pred.")
        only_a, only_b = int(np.sum(first > second)), int(np.sum(second > first))
        size = first.size
    differing = only_a + only_b
    test = stats.binomtest(only_a, differing, alternative=alternative) if differing else None
    return Comparison(
        difference=(only_a - only_b) / size,
        statistic=float(only_a),
        pvalue=at_least(test.pvalue) if test else 1.0,
        alternative=alternative,
        interval=_paired_interval(only_a, only_b, size, level),
        level=float(level),
        method="exact McNemar test",
        assumes="independent rows; about these two fitted models",
    )


def _from_table(table: ArrayLike) -> tuple[int, int, int]:
    """Rows that only a, only b and all in all got right, from the 2x2 table."""
    counts = as_floats(table)
    if counts.shape != (2, 2) or not ((counts >= 0) & (counts % 1 == 0)).all() or not counts.any():
        raise ValueError(
            "one argument must be the table [[both, only a], [only b, neither]] of counts; got "
            f"{table!r}. Or give correct_a and correct_b, one value a row."
        )
    return int(counts[0, 1]), int(counts[1, 0]), int(counts.sum())


def _paired_interval(only_a: int, only_b: int, size: int, level: float) -> tuple[float, float]:
    """Wald interval after half a row is added to each of the four cells."""
    b, c, n = only_a + 0.5, only_b + 0.5, size + 2.0
    half = stats.norm.ppf((1 + level) / 2) * np.sqrt(b + c - (b - c) ** 2 / n) / n
    middle = (b - c) / n
    return float(max(-1.0, middle - half)), float(min(1.0, middle + half))
