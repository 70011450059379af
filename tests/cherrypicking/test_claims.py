"""Claims: published formulas, the best choice by brute force, and rates by simulation."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from skmaxev.cherrypicking import (
    claim_test,
    conservative_claim_test,
    minimum_improvement,
)
from skmaxev.cherrypicking._top import best_studentised_subset, top_mean_survival

REPORT = [1.2, 0.4, 0.9, 1.6, 0.9]

improvements = st.lists(st.floats(-5, 5).map(lambda x: round(x, 3)), min_size=3, max_size=8).filter(
    lambda values: np.std(values) > 1e-2
)


def test_known_variance_is_the_z_test():
    result = claim_test(REPORT, variance=1.0)
    assert result.statistic == pytest.approx(np.mean(REPORT) * np.sqrt(5))
    assert result.pvalue == pytest.approx(stats.norm.sf(np.mean(REPORT) * np.sqrt(5)))


@given(improvements, st.floats(-1, 1))
def test_estimated_variance_is_the_one_sample_t_test(values, gap):
    result = claim_test(values, min_improvement=gap, variance="estimate")
    right = stats.ttest_1samp(values, gap, alternative="greater")
    assert result.statistic == pytest.approx(right.statistic)
    assert result.pvalue == pytest.approx(right.pvalue)


@given(improvements, st.floats(0.1, 10))
def test_the_unit_of_the_improvements_does_not_matter(values, unit):
    scaled = claim_test(np.multiply(values, unit), variance=unit**2)
    assert scaled.pvalue == pytest.approx(claim_test(values, variance=1.0).pvalue)


def test_a_table_of_reports_gives_one_result_a_report():
    table = np.array([REPORT, [0.1, 0.2, -0.3, 0.4, 0.0]])
    for test in (claim_test, lambda values: conservative_claim_test(values, 9, variance=1.0)):
        together = test(table)
        assert together.pvalue == pytest.approx([test(row).pvalue for row in table])
        assert "2 tests" in together.sentence


def test_the_best_one_of_many_has_a_closed_form():
    means = np.array([0.5, 1.0, 2.0, 4.0])
    exact = -np.expm1(7 * stats.norm.logcdf(means))
    assert top_mean_survival(means, 1, 7) == pytest.approx(exact, rel=2e-4)


def test_the_best_few_agree_with_a_simulation():
    draws = np.sort(np.random.default_rng(0).standard_normal((100_000, 12)), axis=1)
    for n_top in (2, 4, 11):
        means = draws[:, -n_top:].mean(axis=1)
        asked = np.quantile(means, [0.1, 0.5, 0.95])
        rate = (means[:, None] >= asked).mean(axis=0)
        assert top_mean_survival(asked, n_top, 12) == pytest.approx(rate, abs=0.006)


def test_many_of_many_agree_with_their_normal_limit():
    # The mean of the upper half of 2,000 normals: mean 2 phi(0), less a bias of order 1/2,000.
    rng = np.random.default_rng(0)
    means = np.array([np.sort(rng.standard_normal(2000))[1000:].mean() for _ in range(2000)])
    assert means.mean() == pytest.approx(2 * stats.norm.pdf(0), abs=0.002)
    asked = np.quantile(means, [0.1, 0.5, 0.9])
    assert top_mean_survival(asked, 1000, 2000) == pytest.approx([0.9, 0.5, 0.1], abs=0.03)


@given(st.integers(0, 2**32 - 1), st.integers(2, 6))
def test_no_subset_has_a_larger_t_than_the_best_run_of_neighbours(seed, size):
    draws = np.random.default_rng(seed).standard_normal(8) + 0.5
    subsets = [np.array(chosen) for chosen in combinations(draws, size)]
    oracle = max(stats.ttest_1samp(chosen, 0.0).statistic for chosen in subsets)
    if oracle > 0:
        assert best_studentised_subset(draws[None], size)[0] == pytest.approx(oracle)


def test_the_largest_values_are_not_always_the_best_choice():
    draws = np.array([0.1, 1.0, 1.1, 1.2, 9.0])
    top = stats.ttest_1samp(draws[-3:], 0.0).statistic
    assert best_studentised_subset(draws[None], 3)[0] > 5 * top


def test_nothing_to_choose_from_leaves_the_plain_test():
    for variance in (1.0, "estimate"):
        plain = claim_test(REPORT, variance=variance)
        assert conservative_claim_test(REPORT, 5, variance=variance) == plain


@settings(max_examples=4)
@given(improvements, st.integers(1, 20))
def test_more_data_sets_to_choose_from_make_a_claim_weaker(values, more):
    n = len(values)
    few = conservative_claim_test(values, n + more, variance=1.0).pvalue
    many = conservative_claim_test(values, n + more + 5, variance=1.0).pvalue
    assert claim_test(values, variance=1.0).pvalue <= few + 2e-4
    assert few <= many + 2e-4


def test_the_estimated_variance_case_is_reproducible_and_never_zero():
    report = [2.0, 2.1, 1.9, 2.0, 2.05]
    result = conservative_claim_test(report, 6, variance="estimate", n_resamples=999, rng=1)
    again = conservative_claim_test(report, 6, variance="estimate", n_resamples=999, rng=1)
    assert result == again
    assert 1 / 1000 <= result.pvalue < 0.05
    below = conservative_claim_test(np.negative(report), 6, variance="estimate", rng=1)
    assert below.pvalue == 1.0


def test_minimum_improvement_is_the_mean_of_the_tail():
    quantile = stats.norm.isf(5 / 66)
    tail = stats.norm.expect(lambda x: x, lb=quantile, conditional=True)
    assert minimum_improvement(5, 66, variance=1.0) == pytest.approx(tail)
    assert minimum_improvement(66, 66, variance=1.0) == pytest.approx(0.0)
    assert minimum_improvement(5, 66, variance=4.0) == pytest.approx(2 * tail)


def test_the_sentence_says_the_odds_and_not_more():
    sentence = str(conservative_claim_test(REPORT, 10, variance=1.0))
    assert "best 5 of 10" in sentence
    assert "significant" not in sentence
    assert "nobody chose" in claim_test(REPORT).sentence
    assert "less than 0.01%" in claim_test([9.0, 9.0], variance=1.0).sentence


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: claim_test([1.0, np.nan]), "must be finite"),
        (lambda: claim_test([], variance=1.0), "at least 1 data set"),
        (lambda: claim_test([1.0], variance="estimate"), "at least 2 data set"),
        (lambda: claim_test([1.0, 1.0], variance="estimate"), "must differ"),
        (lambda: claim_test([1.0], variance="guess"), "positive number"),
        (lambda: claim_test([1.0], variance=0.0), "positive number"),
        (lambda: claim_test([0.8 - 0.7, 0.9 - 0.8, 0.3 - 0.2]), "must differ"),
        (lambda: claim_test(REPORT, min_improvement=np.nan), "min_improvement must be a number"),
        (lambda: claim_test(REPORT, alternative="larger"), "alternative must be one of"),
        (lambda: conservative_claim_test(REPORT, np.nan), "n_available must be a whole number"),
        (lambda: conservative_claim_test(REPORT, 4), "n_available must be a whole number"),
        (
            lambda: conservative_claim_test(REPORT, 9, variance="estimate", n_resamples=0),
            "n_resamples must be",
        ),
        (lambda: minimum_improvement(5, 4, variance=1.0), "from 1 to n_available"),
        (lambda: minimum_improvement(5, 9, variance="estimate"), "positive number"),
    ],
)
def test_impossible_input_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.slow
@pytest.mark.parametrize("variance", [1.0, "estimate"])
def test_the_best_cherry_picker_succeeds_as_often_as_the_level_allows(variance):
    rng = np.random.default_rng(3)
    draws = np.sort(rng.standard_normal((4000, 20)), axis=1)
    if variance == "estimate":
        runs = np.lib.stride_tricks.sliding_window_view(draws, 5, axis=1)
        t = runs.mean(-1) / runs.std(-1, ddof=1)
        shown = np.take_along_axis(runs, t.argmax(1)[:, None, None], axis=1)[:, 0]
    else:
        shown = draws[:, -5:]
    pvalue = conservative_claim_test(shown, 20, variance=variance, rng=rng).pvalue
    assert (pvalue <= 0.05).mean() == pytest.approx(0.05, abs=0.012)
    assert (claim_test(shown, variance=variance).pvalue <= 0.05).mean() > 0.9


def test_odd_input_of_a_claim_is_refused():
    with pytest.raises(ValueError, match="one positive number"):
        claim_test([0.1, 0.2], variance=[1.0, 2.0])
    with pytest.raises(ValueError, match="improvements must be finite"):
        claim_test(np.ma.masked_array([0.1, 5.0], mask=[False, True]))
    assert "100% of reports" in str(claim_test([-9.0, -9.0], variance=1.0))


@pytest.mark.parametrize("alternative", ["greater", "less", "two-sided"])
def test_alternatives_are_scipys(alternative):
    result = claim_test(REPORT, min_improvement=0.8, alternative=alternative)
    right = stats.ttest_1samp(REPORT, 0.8, alternative=alternative)
    assert result.pvalue == pytest.approx(right.pvalue)
    assert "nobody chose" in result.sentence


def test_the_far_tail_is_small_but_never_nothing():
    # One subset of five that far out costs Phi(-x sqrt 5); there are C(66, 5) of them.
    far = conservative_claim_test([5.0] * 5, 66, variance=1.0).pvalue
    assert far == pytest.approx(8936928 * stats.norm.sf(5 * np.sqrt(5)), rel=1e-9)
    draws = np.random.default_rng(0).standard_normal((200_000, 8))
    rate = (np.sort(draws, axis=1)[:, -2:].mean(axis=1) > 3.2).mean()
    assert top_mean_survival(np.array(3.2), 2, 8) == pytest.approx(rate, rel=0.5)
    for extreme in (
        claim_test([60.0] * 5, variance=1.0),
        conservative_claim_test([60.0] * 5, 66, variance=1.0),
    ):
        assert 0 < extreme.pvalue <= 1e-300
        assert "< 1e-300" in extreme.to_markdown()


def test_the_tail_falls_where_the_convolution_ends():
    found = top_mean_survival(np.linspace(3.0, 4.5, 200), 4, 9)
    assert found[0] > 1e-8
    assert found[-1] < 1e-16
    assert (np.diff(found) <= 0).all()
