"""The inspector: formulas, power, and the smallest inspection."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from skmaxev.cherrypicking import (
    inspection_power,
    inspection_size,
    inspection_test,
    minimum_improvement,
)

REPORTED = [1.9, 2.2, 1.6, 1.8, 2.0]
FRESH = [0.2, -0.9, 0.4, 0.1, 0.3, -0.2]


def test_known_variance_is_the_two_sample_z_test():
    result = inspection_test(REPORTED, FRESH, variance=1.0)
    gap = np.mean(REPORTED) - np.mean(FRESH)
    assert result.statistic == pytest.approx(gap / np.sqrt(1 / 5 + 1 / 6))
    assert result.pvalue == pytest.approx(stats.norm.sf(gap / np.sqrt(1 / 5 + 1 / 6)))
    assert (result.n_reported, result.n_inspected) == (5, 6)


def test_estimated_variance_is_the_pooled_t_test():
    right = stats.ttest_ind(REPORTED, FRESH, alternative="greater")
    result = inspection_test(REPORTED, FRESH, variance="estimate")
    assert (result.statistic, result.pvalue) == pytest.approx((right.statistic, right.pvalue))


@given(st.floats(-10, 10))
def test_what_both_sides_share_does_not_matter(shift):
    moved = inspection_test(np.add(REPORTED, shift), np.add(FRESH, shift), variance=1.0)
    assert moved.statistic == pytest.approx(
        inspection_test(REPORTED, FRESH, variance=1.0).statistic
    )


def test_many_inspections_at_once_agree_with_one_at_a_time():
    fresh = np.random.default_rng(0).standard_normal((4, 6))
    together = inspection_test(REPORTED, fresh, variance="estimate")
    one = [inspection_test(REPORTED, row, variance="estimate").pvalue for row in fresh]
    assert together.pvalue == pytest.approx(one)


def test_the_sentence_says_the_odds():
    sentence = str(inspection_test(REPORTED, FRESH, variance=1.0))
    assert sentence.startswith("Had nobody chosen, the 5 reported data sets would beat 6 fresh")
    assert "3 tests" in inspection_test(REPORTED, np.zeros((3, 2)), variance=1.0).sentence


@given(st.floats(1.0, 3.0), st.integers(5, 30))
def test_the_size_is_the_smallest_with_the_power(excess, n_reported):
    size = inspection_size(excess, n_reported, power=0.9, variance=1.0)
    assert inspection_power(excess, n_reported, size, variance=1.0) >= 0.9
    if size > 1:
        assert inspection_power(excess, n_reported, size - 1, variance=1.0) < 0.9


def test_the_papers_setting_is_found_about_as_often_as_in_the_paper():
    # Five of 66 data sets, five fresh ones: 959 of 1,000 in the paper, on real improvements.
    assert inspection_power(
        minimum_improvement(5, 66, variance=1.0), 5, 5, variance=1.0
    ) == pytest.approx(0.96, abs=0.015)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: inspection_test([1.0], [np.inf], variance=1.0), "inspected must be finite"),
        (lambda: inspection_test([1.0], [1.0], variance="estimate"), "at least 2"),
        (lambda: inspection_test([1.0] * 2, [1.0] * 2, variance="estimate"), "must differ"),
        (lambda: inspection_size(0.1, 5, variance=1.0), "noise of a report"),
        (lambda: inspection_size(1.0, 5, variance="estimate"), "positive number"),
        (lambda: inspection_power(1.0, 0, 5, variance=1.0), "n_reported must be"),
        (lambda: inspection_power(1.0, 5, 5, level=5, variance=1.0), "level must be"),
    ],
)
def test_impossible_input_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.slow
def test_power_agrees_with_a_simulation():
    rng = np.random.default_rng(5)
    fresh = rng.standard_normal((20_000, 8))
    for excess in (0.5, 1.0, 1.8):
        reported = np.full(5, excess)
        rate = (inspection_test(reported, fresh, variance=1.0).pvalue <= 0.05).mean()
        assert rate == pytest.approx(inspection_power(excess, 5, 8, variance=1.0), abs=0.012)


def test_an_excess_that_is_no_number_is_refused():
    with pytest.raises(ValueError, match="excess must be a number"):
        inspection_power(float("nan"), 5, 2, variance=1.0)


def test_a_row_of_an_inspection_has_nothing_of_claims():
    (row,) = inspection_test([1.0, 2.0, 1.5], [0.1, 0.3, 0.2, 0.5]).to_dict()
    assert set(row) == {"statistic", "pvalue", "n_reported", "n_inspected"}
    assert row["n_inspected"] == 4
