"""Pairs on the same folds or rows: oracles, agreement, and refusals."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

from skmaxev.comparison import (
    bayesian_correlated_t,
    corrected_resampled_t,
    five_by_two_f,
    five_by_two_t,
    holm,
    mcnemar,
    nadeau_bengio_interval,
)

A = [0.82, 0.80, 0.85, 0.79, 0.84]
B = [0.80, 0.79, 0.81, 0.78, 0.82]
SIZES = {"n_train": 80, "n_test": 20}

fold_scores = st.lists(
    st.tuples(st.integers(0, 1000), st.integers(0, 1000)), min_size=3, max_size=10
).map(lambda pairs: np.array(pairs).T / 1000)


def loop_corrected_t(a, b, n_train, n_test):
    d = [x - y for x, y in zip(a, b, strict=True)]
    mean = sum(d) / len(d)
    variance = sum((x - mean) ** 2 for x in d) / (len(d) - 1)
    t = mean / np.sqrt((1 / len(d) + n_test / n_train) * variance)
    return t, 2 * stats.t.sf(abs(t), len(d) - 1)


@given(fold_scores)
def test_corrected_t_matches_the_definition(pair):
    a, b = pair
    assume(np.std(a - b) > 1e-6)
    result = corrected_resampled_t(a, b, n_train=90, n_test=10)
    assert (result.statistic, result.pvalue) == pytest.approx(loop_corrected_t(a, b, 90, 10))


def test_without_overlap_it_is_the_paired_t_test():
    result = corrected_resampled_t(A, B, n_train=1, n_test=1e-12)
    right = stats.ttest_rel(A, B)
    assert (result.statistic, result.pvalue) == pytest.approx((right.statistic, right.pvalue))


def test_overlap_makes_it_more_cautious_and_the_interval_wider():
    result = corrected_resampled_t(A, B, **SIZES)
    assert result.pvalue > stats.ttest_rel(A, B).pvalue
    assert result.interval == nadeau_bengio_interval(np.subtract(A, B), **SIZES)
    low, high = corrected_resampled_t(A, B, **SIZES, level=1 - result.pvalue).interval
    assert min(abs(low), abs(high)) == pytest.approx(0.0, abs=1e-12)


@given(fold_scores, st.floats(0, 0.5))
def test_bayesian_probabilities_sum_to_one_and_turn_with_the_sides(pair, rope):
    a, b = pair
    assume(np.std(a - b) > 1e-6)
    one = bayesian_correlated_t(a, b, **SIZES, rope=rope)
    other = bayesian_correlated_t(b, a, **SIZES, rope=rope)
    assert one.p_a_better + one.p_equivalent + one.p_b_better == pytest.approx(1.0)
    assert one.p_a_better == pytest.approx(other.p_b_better)
    assert one.p_equivalent >= -1e-12


def test_without_a_region_the_bayesian_form_is_one_minus_half_the_pvalue():
    result = bayesian_correlated_t(A, B, **SIZES, rope=0.0)
    half = corrected_resampled_t(A, B, **SIZES).pvalue / 2
    assert result.p_a_better == pytest.approx(1 - half)
    assert result.p_equivalent == pytest.approx(0.0)


def test_identical_scores_differ_by_exactly_nothing():
    result = corrected_resampled_t(A, A, **SIZES)
    assert (result.difference, result.statistic, result.pvalue) == (0.0, 0.0, 1.0)
    assert bayesian_correlated_t(A, A, **SIZES).p_equivalent == 1.0


def test_five_by_two_match_loops_over_the_papers_formulas():
    a, b = np.random.default_rng(0).uniform(0.7, 0.9, size=(2, 5, 2))
    squares, variance = 0.0, 0.0
    for i in range(5):
        p = a[i] - b[i]
        mean = (p[0] + p[1]) / 2
        variance += (p[0] - mean) ** 2 + (p[1] - mean) ** 2
        squares += p[0] ** 2 + p[1] ** 2
    t, f = five_by_two_t(a, b), five_by_two_f(a, b)
    assert t.statistic == pytest.approx((a[0, 0] - b[0, 0]) / np.sqrt(variance / 5))
    assert f.statistic == pytest.approx(squares / (2 * variance))
    assert t.pvalue == pytest.approx(2 * stats.t.sf(abs(t.statistic), 5))
    assert f.pvalue == pytest.approx(stats.f.sf(f.statistic, 10, 5))
    assert t.interval is None
    assert "interval" not in f.sentence


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=40))
def test_mcnemar_is_the_sign_test_on_rows_that_differ(pairs):
    a, b = np.array(pairs).T
    only_a, only_b = int(np.sum(a & ~b)), int(np.sum(~a & b))
    tail = stats.binom.cdf(min(only_a, only_b), only_a + only_b, 0.5)
    result = mcnemar(a, b)
    assert result.pvalue == pytest.approx(min(1.0, 2 * tail))
    assert result.difference == pytest.approx(a.mean() - b.mean())
    low, high = result.interval
    assert -1 <= low <= high <= 1


def test_sentences_are_plain():
    sentence = str(corrected_resampled_t(A, B, **SIZES))
    assert sentence.startswith("a scores +0.02 against b (95% interval")
    assert "7.2% of such comparisons" in sentence
    assert "probability 0.85" in str(bayesian_correlated_t(A, B, **SIZES))


def test_holm_is_the_published_step_down():
    # Holm's steps by hand: 4 x 0.005, 3 x 0.01, 2 x 0.03, 1 x 0.04 (not below the step before).
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.6, 0.7]) == pytest.approx([1.0, 1.0])


@given(st.lists(st.floats(0, 1), min_size=1, max_size=10), st.randoms())
def test_holm_does_not_depend_on_the_order(values, random):
    order = list(range(len(values)))
    random.shuffle(order)
    shuffled = holm([values[index] for index in order])
    assert shuffled == pytest.approx(holm(values)[order])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: corrected_resampled_t(A, B[:4], **SIZES), "same folds"),
        (lambda: corrected_resampled_t([A], [B], **SIZES), "one score for each fold"),
        (lambda: corrected_resampled_t([0.8], [0.7], **SIZES), "at least 2 folds"),
        (lambda: corrected_resampled_t([*A[:4], np.nan], B, **SIZES), "must be finite"),
        (lambda: corrected_resampled_t(A, B, n_train=0, n_test=1), "must be positive"),
        (lambda: corrected_resampled_t([0.9, 0.8], [0.8, 0.7], **SIZES), "one difference"),
        (lambda: bayesian_correlated_t(A, B, **SIZES, rope=-0.1), "rope"),
        (lambda: five_by_two_t(A, B), r"of shape \(5, 2\)"),
        (lambda: five_by_two_f(np.full((5, 2), np.nan), np.ones((5, 2))), "finite"),
        (lambda: five_by_two_f(np.ones((5, 2)), np.zeros((5, 2))), "without noise"),
        (lambda: mcnemar([2, 0], [1, 0]), "True and False"),
        (lambda: holm([0.5, 1.5]), "from 0 to 1"),
    ],
)
def test_comparisons_that_mean_nothing_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.slow
def test_corrected_t_keeps_its_level_on_folds_that_overlap():
    # Differences of folds correlate by n_test / (n_train + n_test): the model of the correction.
    rng = np.random.default_rng(0)
    share = 0.2
    common = np.sqrt(share) * rng.standard_normal((4000, 1))
    folds = common + np.sqrt(1 - share) * rng.standard_normal((4000, 5))
    zero = np.zeros(5)
    corrected = [corrected_resampled_t(row, zero, **SIZES).pvalue for row in folds]
    plain = stats.ttest_1samp(folds, 0.0, axis=1).pvalue
    assert np.mean(np.array(corrected) < 0.05) == pytest.approx(0.05, abs=0.012)
    assert (plain < 0.05).mean() > 0.1


def test_what_is_masked_or_empty_is_not_compared():
    masked = np.ma.masked_array([0.5, 0.6, 0.7], mask=[True, False, False])
    with pytest.raises(ValueError, match="must be finite"):
        corrected_resampled_t(masked, [0.5, 0.5, 0.4], n_train=90, n_test=10)
    with pytest.raises(ValueError, match="one score for each row"):
        mcnemar([], [])
    with pytest.raises(ValueError, match="rope must not be negative; got nan"):
        bayesian_correlated_t([0.5, 0.6], [0.5, 0.5], n_train=9, n_test=1, rope=float("nan"))


def test_a_chance_near_one_is_written_as_a_percentage():
    assert "come up in 100% of" in str(mcnemar([1, 0, 1], [1, 0, 1]))
