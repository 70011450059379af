"""The winner against the others: pairs as by SciPy, and sets that hold the best."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from skmaxev.comparison import corrected_resampled_t
from skmaxev.estimators.differences import known_differences, paired_differences
from skmaxev.table import Design

tables = st.integers(0, 2**32 - 1).map(
    lambda seed: np.random.default_rng(seed).normal([0.0, 0.3, 0.6, 0.6], 0.5, size=(6, 4))
)
NOTHING_TRAINED = 1e-12


def by_parts(rows, n_parts=10):
    """Scores of parts of the rows, the rows and the design, of models that are not trained."""
    part = np.arange(len(rows)) % n_parts
    scores = np.array([rows[part == number].mean(axis=0) for number in range(n_parts)])
    return scores, rows, Design(n_splits=n_parts, test_share=NOTHING_TRAINED)


def test_a_pair_is_the_corrected_resampled_t():
    table = np.random.default_rng(2).normal([0.8, 0.79, 0.5], 0.02, size=(5, 3))
    found = paired_differences(table)
    best = int(table.mean(axis=0).argmax())
    for other in {0, 1, 2} - {best}:
        pair = corrected_resampled_t(
            table[:, best], table[:, other], n_train=80, n_test=20, alternative="less"
        )
        assert found.values[other] == pytest.approx(pair.difference)
        assert (found.low[other], found.high[other]) == pytest.approx(pair.interval)
        assert found.p_better[other] == pytest.approx(1 - pair.pvalue)


def test_rows_for_which_nothing_was_trained_give_the_paired_t():
    rows = np.random.default_rng(0).normal([0.1, 0.0], 1.0, size=(400, 2))
    scores, values, design = by_parts(rows)
    found = paired_differences(scores, row_values=values, design=design)
    best, other = np.argsort(-rows.mean(axis=0))
    expected = stats.ttest_rel(rows[:, best], rows[:, other])
    assert found.standard_errors[other] == pytest.approx(
        found.values[other] / expected.statistic, rel=0.03
    )


def loop_pair(splits, rows, n_test, test_share):
    """Variance and freedom of a mean difference, by the formula page."""
    n, j = len(rows), len(splits)
    f = j - 1
    between = sum((splits - splits.mean()) ** 2) / f
    of_rows = rows - rows.mean()
    within = sum(of_rows**2) / (n - 1) / n_test
    g = 2 * n / (np.mean(of_rows**4) / np.mean(of_rows**2) ** 2 - 1)
    if f * between / within > stats.chi2.ppf(0.99, f):
        one, df = between, f
    else:
        one, df = (f * between + g * within) / (f + g), f + g
    return (1 / j + test_share / (1 - test_share)) * one, df


@pytest.mark.parametrize(("n_repeats", "test_share"), [(1, 0.2), (5, 0.1)])
def test_rows_and_splits_are_pooled_by_their_freedom(n_repeats, test_share):
    """Folds, and shuffled splits; of one candidate the splits vary more than the rows allow."""
    rng = np.random.default_rng(0)
    rows = rng.normal([0.5, 0.2, 0.0, 0.0], 1.0, size=(100, 4)) ** 3
    scores = rows.reshape(5, 20, 4).mean(axis=1)
    scores[:, 3] += 3.0 * np.array([1, -1, 1, -1, 0])
    design = Design(n_splits=5, n_repeats=n_repeats, test_share=test_share)
    found = paired_differences(scores, row_values=rows, design=design)
    n_test = 20 if n_repeats == 1 else 100 * test_share
    for other in (1, 2, 3):
        gap = scores[:, 0] - scores[:, other]
        variance, df = loop_pair(gap, rows[:, 0] - rows[:, other], n_test, test_share)
        half = stats.t.ppf(0.975, df) * np.sqrt(variance)
        assert found.standard_errors[other] == pytest.approx(np.sqrt(variance))
        assert found.high[other] - gap.mean() == pytest.approx(half)
        assert found.p_better[other] == pytest.approx(stats.t.sf(gap.mean() / variance**0.5, df))


def test_the_set_is_the_one_of_student_for_two_candidates():
    """With one other candidate, rotations make Student's t, so the p-value is known."""
    table = np.random.default_rng(5).normal([0.1, 0.0], 0.1, size=(5, 2))
    design = Design(n_splits=5, test_share=NOTHING_TRAINED)
    found = paired_differences(table, design=design)
    best = int(table.mean(axis=0).argmax())
    one_sided = stats.ttest_rel(table[:, best], table[:, 1 - best], alternative="greater").pvalue
    assert found.pvalues[1 - best] == pytest.approx(one_sided, abs=0.03)


@pytest.mark.parametrize("seed", range(4))
def test_the_set_on_rows_is_that_of_all_resamples(seed):
    rows = np.random.default_rng(seed).normal([0.5, 0.0], 1.0, size=(6, 2))
    scores, values, design = by_parts(rows, n_parts=3)
    found = paired_differences(scores, row_values=values, design=design)
    best = int(rows.mean(axis=0).argmax())
    gaps = rows[:, best] - rows[:, 1 - best]
    drawn = (gaps - gaps.mean())[np.array(list(product(range(6), repeat=6)))]
    with np.errstate(divide="ignore", invalid="ignore"):  # one row six times
        t = drawn.mean(axis=1) / drawn.std(axis=1, ddof=1) * np.sqrt(6)
    observed = found.values[1 - best] / found.standard_errors[1 - best]
    assert found.pvalues[1 - best] == pytest.approx((t >= observed).mean(), abs=0.03)


@given(tables, st.floats(0.1, 10), st.floats(-5, 5))
def test_shifts_of_folds_units_and_order_of_candidates_do_not_matter(table, unit, shift):
    base = paired_differences(table).pvalues
    moved = unit * table + shift * np.arange(len(table))[:, None]
    assert paired_differences(moved[:, ::-1]).pvalues[::-1] == pytest.approx(base, abs=0.04)


@given(tables)
def test_the_best_mean_is_always_in_the_set(table):
    for given_index in (None, 0):
        found = paired_differences(table, best_index=given_index)
        assert found.may_be_best[table.mean(axis=0).argmax()]


def test_identical_candidates_are_the_same_and_stay_together():
    column = np.random.default_rng(0).normal(size=(40, 1))
    found = paired_differences(np.hstack([column, column + 1e-13, column - np.abs(column) - 1]))
    assert found.may_be_best.tolist() == [True, True, False]
    assert (found.values[1], found.low[1], found.high[1], found.p_better[1]) == (0, 0, 0, 0.5)


@pytest.mark.parametrize("unit", [1e-8, 1.0, 1e8])
def test_a_difference_without_noise_excludes_nobody(unit):
    scores = np.array([0.3, 0.31, 0.7, 0.82, 0.9])
    found = paired_differences(unit * np.c_[scores + 0.1, scores])  # equal up to rounding
    assert np.isnan([found.low[1], found.high[1], found.p_better[1]]).all()
    assert found.may_be_best.all()


def test_known_noise_gives_normal_intervals():
    found = known_differences([0.9, 0.8], best_index=0, standard_error=0.1)
    assert found.high[1] - found.values[1] == pytest.approx(stats.norm.ppf(0.975) * 0.1 * 2**0.5)
    assert found.pvalues[1] == pytest.approx(stats.norm.sf(0.5**0.5), abs=0.03)


def rare(rng, size):
    """One model with rare dear losses among steady ones, all equally good on average."""
    scores = np.full((size, 8), -0.05) + rng.normal(0, 0.004, (size, 8))
    scores[:, 0] = -1.0 * (rng.random(size) < 0.05)
    return scores


KINDS = {
    "normal": lambda rng: rng.normal(0, 1, (60, 8)),
    "correlated": lambda rng: 3 * rng.normal(0, 1, (60, 1)) + rng.normal(0, 1, (60, 8)),
    "rare errors": lambda rng: -(rng.random((60, 20)) < 0.03).astype(float),
    "rare dear losses": lambda rng: rare(rng, 60),
    "skewed": lambda rng: -rng.lognormal(0, 1.2, (60, 8)),
    "a noisy best": lambda rng: rng.normal(0, 1, (60, 8)) * np.r_[1.0, np.full(7, 0.3)],
}


@pytest.mark.slow
@pytest.mark.parametrize("with_rows", [True, False])
@pytest.mark.parametrize("kind", KINDS)
def test_the_set_holds_the_best_as_often_as_it_says(kind, with_rows):
    rng, n_draws = np.random.default_rng(7), 200
    covered = 0
    for _ in range(n_draws):
        scores, rows, design = by_parts(KINDS[kind](rng))
        found = paired_differences(scores, row_values=rows if with_rows else None, design=design)
        covered += found.may_be_best[0]
    assert covered / n_draws >= 0.95 - 3 * np.sqrt(0.95 * 0.05 / n_draws)


@pytest.mark.slow
def test_the_set_tells_candidates_apart_that_differ():
    rng, sizes = np.random.default_rng(8), []
    for _ in range(100):
        scores, rows, design = by_parts(rng.normal(-0.15 * np.arange(8), 1.0, (200, 8)))
        found = paired_differences(scores, row_values=rows, design=design)
        sizes.append(found.may_be_best.sum())
    assert np.mean(sizes) < 5
