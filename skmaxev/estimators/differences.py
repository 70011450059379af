"""How far one candidate is ahead of the others, and which of them may be the best."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from skmaxev.estimators._design import checked_design, is_shuffled
from skmaxev.estimators.validation import (
    ROUNDING,
    check_best_index,
    check_level,
    check_scores,
    is_constant,
)
from skmaxev.table import Design

__all__ = ["Differences", "known_differences", "paired_differences"]

FloatArray = NDArray[np.float64]

_DISTRUST = 0.01  # chance to distrust rows that are right, because the splits happen to differ more
_FEWEST_DRAWS, _MOST_DRAWS = 499, 999
_WORK = 2_000_000  # drawn numbers in all, where that allows more than the fewest
_SUMS = 100_000_000  # multiplications of the bootstrap of rows: some hundredths of a second
_FEWEST_BLOCKS, _MOST_BLOCKS = 50, 200  # resamples of more take longer than all else in a report
_MOST_CHECKED = 20
_COLUMNS = 2000  # drawn at once


class Differences(NamedTuple):
    """One candidate, mostly the winner, minus each candidate; arrays of shape (n_candidates,).

    Parameters
    ----------
    values, standard_errors : ndarray
        Mean difference and its standard error; both are 0 for identical scores.
    low, high : ndarray
        Interval of each pair by itself; NaN where nothing shows the noise.
    p_better : ndarray
        Probability that the candidate is better than the one it is compared with; NaN as above.
    pvalues : ndarray
        Of 'no candidate is better than this one', for all candidates together: those above
        ``1 - level`` may be the best.
    level : float
        Of the intervals and of the set.
    """

    values: FloatArray
    standard_errors: FloatArray
    low: FloatArray
    high: FloatArray
    p_better: FloatArray
    pvalues: FloatArray
    level: float

    @property
    def may_be_best(self) -> NDArray[np.bool_]:
        """Whether a candidate is in the confidence set of the best."""
        return np.asarray(self.pvalues > 1 - self.level)


class _Gaps(NamedTuple):
    """Mean differences, their variance and its freedom, and what Student's t is 1 for."""

    values: FloatArray
    variance: FloatArray
    df: FloatArray
    by_splits: NDArray[np.bool_]
    splits: FloatArray
    rows: FloatArray | None


def paired_differences(
    scores: ArrayLike,
    *,
    best_index: int | None = None,
    design: Design | None = None,
    row_values: ArrayLike | None = None,
    level: float = 0.95,
) -> Differences:
    r"""Compare every candidate with the winner, pair by pair and all together.

    The variance of a mean difference is :math:`(1/J + q / (1 - q)) s^2` over J splits with the
    share q of test rows [1]_. Where the results of single rows are known they show :math:`s^2`
    with much more freedom, and are pooled with the splits, unless these differ by more than such
    rows let them.

    The set of those that may be the best is simultaneous over the same differences: the yardstick
    is the largest of all their Student's t under random rotations of the splits, which are exact
    for normal differences of any correlation [2]_, or in a bootstrap of the rows, which bears
    skewed ones [3]_.

    Parameters
    ----------
    scores : array-like of shape (n_splits, n_candidates)
        Mean score of each candidate on each split; higher is better.
    best_index : int, optional
        Candidate that the others are compared with; the largest mean if omitted.
    design : Design, optional
        How the splits came about; the folds of one partition if omitted.
    row_values : array-like of shape (n_rows, n_candidates), optional
        What each row adds to the score of each candidate; clusters count as one row.
    level : float, default=0.95
        Confidence level of the intervals, and of the set.

    Returns
    -------
    Differences
        They err in favour of a winner that was chosen on these scores; the set allows for that.

    References
    ----------
    .. [1] C. Nadeau and Y. Bengio (2003). Inference for the generalization error, Eq. 9.
    .. [2] O. Langsrud (2005). Rotation tests. Statistics and Computing 15.
    .. [3] P. R. Hansen, A. Lunde and J. M. Nason (2011). The model confidence set. Econometrica 79.

    Examples
    --------
    >>> scores = [[0.80, 0.79, 0.60], [0.85, 0.86, 0.62], [0.82, 0.80, 0.65], [0.84, 0.84, 0.61]]
    >>> found = paired_differences(scores)
    >>> found.may_be_best.tolist(), found.p_better.round(2).tolist()
    ([True, True, False], [0.5, 0.32, 0.0])
    """
    table, level = check_scores(scores, min_splits=2), check_level(level)
    check_best_index(best_index, table.shape[1])
    design = checked_design(design, len(table))
    rows = None if row_values is None else np.asarray(row_values, dtype=np.float64)
    best = int(table.mean(axis=0).argmax())
    given = best if best_index is None else int(best_index)
    pvalues = _pvalues(table, best, design, rows, level)
    gaps = _gaps(table, given, design, rows)
    return _compared(gaps.values, np.sqrt(gaps.variance), gaps.df, pvalues, level)


def known_differences(
    scores: ArrayLike, *, best_index: int, standard_error: float, level: float = 0.95
) -> Differences:
    """Compare every candidate with the winner, where the noise of single scores is known.

    Parameters
    ----------
    scores : array-like of shape (n_candidates,)
        One score each; higher is better.
    best_index : int
        Candidate that the others are compared with.
    standard_error : float
        Of each score, independent of the others'.
    level : float, default=0.95
        Confidence level of the intervals, and of the set.
    """
    values = np.asarray(scores, dtype=np.float64)
    errors = np.where(np.arange(values.size) == best_index, 0.0, np.sqrt(2.0) * standard_error)
    drawn = np.random.default_rng(0).standard_normal((_MOST_DRAWS, values.size))
    largest = (drawn[:, 1:] - drawn[:, :1]).max(axis=1, initial=-np.inf) / np.sqrt(2.0)
    pvalues = _reached((values.max() - values) / (np.sqrt(2.0) * standard_error), largest)
    return _compared(
        values[best_index] - values, errors, np.full(values.size, np.inf), pvalues, level
    )


def _compared(
    values: FloatArray, errors: FloatArray, df: FloatArray, pvalues: FloatArray, level: float
) -> Differences:
    silent = (errors == 0.0) & (values != 0.0)  # one difference on all splits shows no noise
    shown = np.where(silent, np.nan, errors)
    half = stats.t.ppf((1.0 + level) / 2.0, df) * shown
    better = stats.t.sf(values / np.where(shown > 0.0, shown, 1.0), df)
    return Differences(
        values=values,
        standard_errors=errors,
        low=values - half,
        high=values + half,
        p_better=np.where(silent, np.nan, better),
        pvalues=np.where(silent, 1.0, pvalues),
        level=level,
    )


def _gaps(table: FloatArray, index: int, design: Design, rows: FloatArray | None) -> _Gaps:
    """Compare with one candidate; a variance from rows where these agree with the splits."""
    splits = _without_rounding(table, index)
    values, between = splits.mean(axis=0), _variance(splits, table)
    free = np.full(values.shape, len(table) - 1.0)
    factor = 1.0 / len(table) + design.test_share / (1.0 - design.test_share)
    if rows is None:
        return _Gaps(
            values, factor * between, free, np.ones(values.shape, dtype=bool), splits, None
        )
    of_rows = _without_rounding(rows, index)
    n_rows = len(rows)
    n_test = n_rows * design.test_share if is_shuffled(design) else n_rows / design.n_folds
    within = _variance(of_rows, rows) / n_test
    # The freedom of a variance of values with rare large ones is small.
    varies = within > 0.0
    tails = np.zeros(values.shape)
    for some in np.array_split(np.flatnonzero(varies), 1 + varies.sum() // _COLUMNS):
        tails[some] = stats.kurtosis(of_rows[:, some], axis=0)
    freedom = 2.0 * n_rows / np.maximum(tails + 2.0, 2.0 / n_rows)
    most = within * stats.chi2.ppf(1.0 - _DISTRUST, free) / free
    by_splits = (between > most) | ~varies
    pooled = (free * between + freedom * within) / (free + freedom)
    return _Gaps(
        values,
        factor * np.where(by_splits, between, pooled),
        np.where(by_splits, free, free + freedom),
        by_splits,
        splits,
        of_rows,
    )


def _without_rounding(scores: FloatArray, index: int) -> FloatArray:
    gaps = scores[:, [index]] - scores
    gaps[np.abs(gaps) <= ROUNDING * np.abs(scores).max()] = 0.0
    return gaps


def _variance(gaps: FloatArray, scores: FloatArray) -> FloatArray:
    """Variance of each column; what rounding leaves of a constant difference is none."""
    constant = is_constant(gaps.T, size=np.abs(scores).max())
    return np.where(constant, 0.0, gaps.var(axis=0, ddof=1))


def _pvalues(
    table: FloatArray, best: int, design: Design, rows: FloatArray | None, level: float
) -> FloatArray:
    """Share of draws whose largest Student's t reaches that of a candidate's own difference.

    The draws are those of the best mean, which stands for the candidate that is the best. Where
    noise differs much, as of rare errors, its own draws tell more: the first that seem to be
    excluded get theirs.
    """
    gaps = _gaps(table, best, design, rows)
    errors = np.sqrt(gaps.variance)
    observed = np.divide(gaps.values, errors, out=np.zeros_like(errors), where=errors > 0.0)
    draws = _Draws(table.shape, None if rows is None else len(rows))
    pvalues = _reached(observed, draws.largest(gaps))
    excluded = np.flatnonzero((pvalues <= 1.0 - level) & (errors > 0.0))
    for index in excluded[np.argsort(-pvalues[excluded], kind="stable")][:_MOST_CHECKED]:
        own = draws.largest(_gaps(table, int(index), design, rows))
        pvalue = float(_reached(observed[[index]], own)[0])
        if pvalue <= pvalues[index]:
            break
        pvalues[index] = pvalue
    return pvalues


def _reached(observed: FloatArray, largest: FloatArray) -> FloatArray:
    above = largest.size - np.searchsorted(np.sort(largest), observed - 1e-9)
    return np.where(observed > 0.0, (above + 1.0) / (largest.size + 1.0), 1.0)


class _Draws:
    """Random turns of splits and resamples of rows, the same for all candidates."""

    def __init__(self, shape: tuple[int, ...], n_rows: int | None) -> None:
        rng = np.random.default_rng(0)
        n_splits, n_candidates = shape
        n_draws = int(np.clip(_WORK // n_candidates, _FEWEST_DRAWS, _MOST_DRAWS))
        turned = rng.standard_normal((n_draws, n_splits))
        self._turned = turned / np.sqrt(np.square(turned).sum(axis=1, keepdims=True))
        if n_rows is not None:
            most = np.clip(_SUMS // (n_draws * n_candidates), _FEWEST_BLOCKS, _MOST_BLOCKS)
            self._dealt = -(-n_rows // most)  # many rows are drawn in blocks
            size = n_rows // self._dealt
            self._order = rng.permutation(n_rows)[: size * self._dealt]
            self._times = rng.multinomial(size, np.full(size, 1.0 / size), size=n_draws) / size

    def largest(self, gaps: _Gaps) -> FloatArray:
        """Largest Student's t of all differences in each draw."""
        largest = self._of_rotations(gaps.splits[:, gaps.by_splits])
        if gaps.rows is None or gaps.by_splits.all():
            return largest
        return np.maximum(largest, self._of_resamples(gaps.rows[:, ~gaps.by_splits]))

    def _of_rotations(self, splits: FloatArray) -> FloatArray:
        """Turn the splits at random; no turn changes a sum of squares."""
        length = np.sqrt(np.square(splits).sum(axis=0))
        directions = splits[:, length > 0.0] / length[length > 0.0]
        # In an order that is the same however the splits came.
        directions = directions[np.lexsort((np.square(splits).sum(axis=1), splits.sum(axis=1)))]
        cosine = self._largest(lambda some: self._turned @ some, directions, -1.0)
        left = np.maximum(1.0 - cosine**2, 1e-300)  # two splits may point the same way
        return np.asarray(cosine * np.sqrt((len(splits) - 1) / left))

    def _of_resamples(self, rows: FloatArray) -> FloatArray:
        """Draw the centred rows with replacement."""
        return self._largest(self._student, rows, -np.inf)

    def _student(self, rows: FloatArray) -> FloatArray:
        size = self._times.shape[1]
        blocks = rows[self._order].reshape(size, self._dealt, -1).mean(axis=1)
        centred = blocks - blocks.mean(axis=0)
        means = self._times @ centred
        variance = self._times @ np.square(centred) - means**2
        constant = variance <= ROUNDING * centred.var(axis=0)  # only rows of one value were drawn
        t = means * np.sqrt((len(centred) - 1) / np.where(constant, 1.0, variance))
        infinite = np.where(means == 0.0, 0.0, np.copysign(np.inf, means))
        return np.where(constant, infinite, t)

    def _largest(
        self, draw: Callable[[FloatArray], FloatArray], columns: FloatArray, initial: float
    ) -> FloatArray:
        """Draw some columns at a time, so that memory does not grow with their number."""
        largest = np.full(len(self._turned), initial)
        for start in range(0, columns.shape[1], _COLUMNS):
            drawn = draw(columns[:, start : start + _COLUMNS]).max(axis=1)
            np.maximum(largest, drawn, out=largest)
        return largest
