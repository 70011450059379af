"""Two models judged on the same rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy import stats

from skmaxev.comparison._checks import Identities, check_pair
from skmaxev.comparison.results import Comparison
from skmaxev.estimators.validation import check_level

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

__all__ = ["mcnemar"]


def mcnemar(
    correct_a: ArrayLike,
    correct_b: ArrayLike,
    *,
    rows: Identities | None = None,
    level: float = 0.95,
) -> Comparison:
    """Compare two classifiers on the rows where just one of them is right (exact McNemar test).

    Parameters
    ----------
    correct_a, correct_b : array-like of bool, shape (n_rows,)
        Whether each model is right on each row; the rows in the same order.
    rows : pair of sequences, optional
        Names of the rows of a and of b; refused unless they are the same.
    level : float, default=0.95
        Of the interval.

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
    first, second = check_pair(correct_a, correct_b, same=rows, thing="row")
    if not np.isin(np.concatenate([first, second]), (0.0, 1.0)).all():
        raise ValueError("correct_a and correct_b must hold True and False: y_true == y_pred.")
    check_level(level)
    only_a, only_b = int(np.sum(first > second)), int(np.sum(second > first))
    differing = only_a + only_b
    pvalue = stats.binomtest(only_a, differing).pvalue if differing else 1.0
    return Comparison(
        difference=(only_a - only_b) / first.size,
        statistic=float(only_a),
        pvalue=float(pvalue),
        interval=_paired_interval(only_a, only_b, first.size, level),
        level=float(level),
        method="exact McNemar test",
    )


def _paired_interval(only_a: int, only_b: int, size: int, level: float) -> tuple[float, float]:
    """Wald interval after half a row is added to each of the four cells."""
    b, c, n = only_a + 0.5, only_b + 0.5, size + 2.0
    half = stats.norm.ppf((1 + level) / 2) * np.sqrt(b + c - (b - c) ** 2 / n) / n
    middle = (b - c) / n
    return float(max(-1.0, middle - half)), float(min(1.0, middle + half))
