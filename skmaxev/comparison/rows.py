"""Models judged on the same rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import stats

from skmaxev._results import at_least, tail_probability
from skmaxev.comparison._checks import Alternative, aligned, check_pair, check_table, names_of
from skmaxev.comparison.results import Comparison
from skmaxev.estimators.validation import ROUNDING, as_floats, check_level

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import ArrayLike, NDArray

__all__ = ["cochran_q", "delong", "mcnemar", "resampled_rows"]


def mcnemar(
    correct_a: ArrayLike,
    correct_b: ArrayLike | None = None,
    *,
    level: float = 0.95,
    alternative: Alternative = "two-sided",
) -> Comparison:
    """Compare two classifiers on the rows where just one of them is right (exact McNemar test).

    Parameters
    ----------
    correct_a, correct_b : array-like of bool, shape (n_rows,)
        Whether each model is right on each row; Series and frames are paired by their index. Or
        ``correct_a`` alone, the table of shape (2, 2) with the number of rows that
        ``[[both, only a], [only b, neither]]`` got right.
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
        first, second = check_pair(correct_a, correct_b, thing="row")
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


def cochran_q(correct: ArrayLike) -> Comparison:
    """Ask whether several classifiers are right equally often (Cochran's Q).

    Parameters
    ----------
    correct : array-like of bool, shape (n_rows, n_models)
        Whether each model is right on each row; the columns of a frame name the models.

    Returns
    -------
    Comparison
        Of the best with the worst; the test is about all of them. Errs little where a hundred
        rows or more are in dispute. With two models it is McNemar's test without correction.

    References
    ----------
    .. [1] W. G. Cochran (1950), The comparison of percentages in matched samples.

    Examples
    --------
    >>> from skmaxev.comparison import cochran_q
    >>> right = [[1, 1, 0], [1, 0, 0], [1, 1, 1], [1, 1, 0], [0, 0, 0], [1, 1, 0], [1, 0, 0]]
    >>> round(cochran_q(right).pvalue, 4)
    0.0224
    """
    table = check_table(correct, rows="rows", least=2)
    if not np.isin(table, (0.0, 1.0)).all():
        raise ValueError("correct must hold True and False: y_true == y_pred of each model.")
    size, shares = table.shape[1], table.mean(axis=0)
    by_row = table.sum(axis=1)
    disputed = float((by_row * (size - by_row)).sum())
    statistic = (size - 1) * size * float(np.square(table.sum(axis=0) - by_row.sum() / size).sum())
    statistic = statistic / disputed if disputed else 0.0
    names, best, worst = names_of(correct, size), int(shares.argmax()), int(shares.argmin())
    return Comparison(
        difference=float(shares[best] - shares[worst]),
        statistic=statistic,
        pvalue=at_least(stats.chi2.sf(statistic, size - 1)),
        names=(names[best], names[worst]),
        method=f"Cochran's Q of {size} models",
        assumes="independent rows, many of them; about these fitted models",
    )


def delong(
    y_true: ArrayLike,
    scores_a: ArrayLike,
    scores_b: ArrayLike,
    *,
    level: float = 0.95,
    alternative: Alternative = "two-sided",
) -> Comparison:
    """Compare the areas under the ROC curve of two models on the same rows (DeLong's test).

    Parameters
    ----------
    y_true : array-like of shape (n_rows,)
        Labels, of two kinds; the greater is the positive one.
    scores_a, scores_b : array-like of shape (n_rows,)
        Probability or decision value of each row.
    level, alternative
        As in `mcnemar`.

    Returns
    -------
    Comparison
        Difference of the areas with a normal interval. It is about these two fitted models.

    Raises
    ------
    ValueError
        If there are not two rows or more of each of two labels.

    References
    ----------
    .. [1] E. DeLong, D. DeLong and D. Clarke-Pearson (1988), Comparing the areas under two or more
       correlated receiver operating characteristic curves.

    Examples
    --------
    >>> from skmaxev.comparison import delong
    >>> y = [0, 0, 0, 0, 1, 1, 1, 1]
    >>> result = delong(y, [1, 2, 3, 5, 4, 6, 7, 8], [1, 5, 6, 2, 3, 8, 4, 7])
    >>> round(result.difference, 4), round(result.pvalue, 3)
    (0.1875, 0.399)
    """
    check_level(level)
    y_true, scores_a = aligned(y_true, scores_a, thing="row")
    labels, codes = np.unique(np.ravel(y_true), return_inverse=True)
    pair = np.stack(check_pair(scores_a, scores_b, thing="row"))
    positive = codes == 1
    fits = labels.size == 2 and codes.shape == pair.shape[1:]
    if not fits or min(positive.sum(), (~positive).sum()) < 2:
        raise ValueError(
            "y_true must hold two labels, one a row, with two rows or more of each; got "
            f"{labels.size} labels on {codes.size} rows of {pair.shape[1]}."
        )
    areas, parts = _placements(pair, positive)
    difference = float(areas[0] - areas[1])
    error = float(np.sqrt(sum(np.var(part[0] - part[1], ddof=1) / part.shape[1] for part in parts)))
    if error <= ROUNDING:
        if abs(difference) > ROUNDING:
            raise ValueError("the rows give no variance to judge by: all show one difference.")
        error = difference = 0.0
    half = float(stats.norm.ppf((1 + level) / 2)) * error
    statistic = difference / error if error else 0.0
    return Comparison(
        difference=difference,
        statistic=statistic,
        pvalue=tail_probability(statistic, np.inf, alternative),
        alternative=alternative,
        interval=(difference - half, difference + half),
        level=float(level),
        method="DeLong's test of two areas",
        assumes="independent rows; about these two fitted models",
    )


def _placements(
    pair: NDArray[np.float64], positive: NDArray[np.bool_]
) -> tuple[NDArray[np.float64], list[NDArray[np.float64]]]:
    """Areas, and the share of rows of the other label that each row stands rightly to."""
    ranks = stats.rankdata(pair, axis=1)
    parts = []
    for members in (positive, ~positive):
        own = stats.rankdata(pair[:, members], axis=1)
        share = (ranks[:, members] - own) / (~members).sum()
        parts.append(share if members is positive else 1.0 - share)
    return parts[0].mean(axis=1), parts


def resampled_rows(
    metric: Callable[[NDArray[np.generic], NDArray[np.generic]], float],
    y_true: ArrayLike,
    predictions_a: ArrayLike,
    predictions_b: ArrayLike,
    *,
    level: float = 0.95,
    alternative: Alternative = "two-sided",
    n_resamples: int = 999,
    rng: np.random.Generator | int | None = None,
) -> Comparison:
    """Compare two models on the same rows by any metric: paired permutation and bootstrap.

    Parameters
    ----------
    metric : callable
        Score of ``(y_true, predictions)``, higher is better, such as `sklearn.metrics.f1_score`.
    y_true : array-like of shape (n_rows,)
        Targets.
    predictions_a, predictions_b : array-like of shape (n_rows,)
        What the metric takes: labels, numbers or probabilities of each model.
    level, alternative
        As in `mcnemar`.
    n_resamples : int, default=999
        Of each kind.
    rng : Generator or int, optional
        Source of the resamples.

    Returns
    -------
    Comparison
        The p-value is that of exchanging the two predictions of rows at random, exact if both
        models are alike; the interval the percentiles of a bootstrap of the rows, which errs to
        the narrow side for few rows. Both are about these two fitted models.

    References
    ----------
    .. [1] B. Efron and R. Tibshirani (1993), An introduction to the bootstrap, chapters 13 and 15.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.metrics import f1_score
    >>> from skmaxev.comparison import resampled_rows
    >>> rng = np.random.default_rng(0)
    >>> y = rng.integers(0, 2, 200)
    >>> good, bad = (np.where(rng.random(200) < share, y, 1 - y) for share in (0.9, 0.7))
    >>> resampled_rows(f1_score, y, good, bad, rng=0).pvalue
    0.002
    """
    check_level(level)
    generator, y = np.random.default_rng(rng), np.asarray(y_true)
    first, second = (
        np.asarray(aligned(y_true, predictions, thing="row")[1])
        for predictions in (predictions_a, predictions_b)
    )
    if not len(y) == len(first) == len(second) or len(y) < 2:
        raise ValueError(
            "y_true and both predictions must have one entry a row, of two rows or more; got "
            f"{len(y)}, {len(first)} and {len(second)}."
        )
    rows, both = np.arange(len(y)), np.concatenate([first, second])

    def gap(chosen: NDArray[np.intp], other: NDArray[np.intp]) -> float:
        """Difference when the side of each row is drawn: below n it is a's prediction."""
        return float(metric(y, both[chosen]) - metric(y, both[other]))

    def resampled(drawn: NDArray[np.intp]) -> float:
        return float(metric(y[drawn], first[drawn]) - metric(y[drawn], second[drawn]))

    options: dict[str, Any] = {"n_resamples": n_resamples, "random_state": generator}
    test = stats.permutation_test(
        (rows, rows + len(y)), gap, permutation_type="samples", alternative=alternative, **options
    )
    drawn = stats.bootstrap(
        (rows,), resampled, method="percentile", confidence_level=level, **options
    ).confidence_interval
    return Comparison(
        difference=float(test.statistic),
        statistic=float(test.statistic),
        pvalue=float(test.pvalue),
        alternative=alternative,
        interval=(float(drawn.low), float(drawn.high)),
        level=float(level),
        method="permutation and bootstrap of rows",
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
