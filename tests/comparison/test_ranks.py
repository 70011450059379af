"""Many models on many data sets: the published tables come out."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from skmaxev.comparison import friedman_nemenyi

# Demsar (2006), Table 6: AUC of four decision-tree learners on fourteen data sets.
DEMSAR = np.array(
    [
        [0.763, 0.768, 0.771, 0.798],
        [0.599, 0.591, 0.590, 0.569],
        [0.954, 0.971, 0.968, 0.967],
        [0.628, 0.661, 0.654, 0.657],
        [0.882, 0.888, 0.886, 0.898],
        [0.936, 0.931, 0.916, 0.931],
        [0.661, 0.668, 0.609, 0.685],
        [0.583, 0.583, 0.563, 0.625],
        [0.775, 0.838, 0.866, 0.875],
        [1.000, 1.000, 1.000, 1.000],
        [0.940, 0.962, 0.965, 0.962],
        [0.619, 0.666, 0.614, 0.669],
        [0.972, 0.981, 0.97501, 0.975],  # 0.975 twice in print, yet ranked in this order
        [0.957, 0.978, 0.946, 0.970],
    ]
)
# Zhou, chapter 2: three algorithms on four data sets; b and c tie on the second.
ZHOU = np.array([[0.9, 0.8, 0.7], [0.9, 0.8, 0.8], [0.9, 0.8, 0.7], [0.9, 0.8, 0.7]])


def without_tie_correction(scores, statistic):
    n, k = scores.shape
    ties = sum(
        np.sum(np.unique(row, return_counts=True)[1] ** 3 - np.unique(row, return_counts=True)[1])
        for row in scores
    )
    return statistic * (1 - ties / (n * k * (k**2 - 1)))


def test_demsars_table():
    result = friedman_nemenyi(DEMSAR)
    assert result.average_ranks == pytest.approx([3.143, 2.000, 2.893, 1.964], abs=5e-4)
    # The paper does not correct for ties: 9.28 there.
    assert without_tie_correction(DEMSAR, result.statistic) == pytest.approx(9.28, abs=0.01)
    assert result.critical_difference == pytest.approx(1.25, abs=0.005)
    assert friedman_nemenyi(DEMSAR, level=0.9).critical_difference == pytest.approx(1.12, abs=0.005)
    assert result.pvalue == pytest.approx(stats.friedmanchisquare(*DEMSAR.T).pvalue)


def test_zhous_table():
    result = friedman_nemenyi(ZHOU)
    assert result.average_ranks == pytest.approx([1, 2.125, 2.875])
    assert result.critical_difference == pytest.approx(1.657, abs=5e-4)
    assert without_tie_correction(ZHOU, result.statistic) == pytest.approx(7.125)
    n, k, chi2 = 4, 3, result.statistic
    assert result.f_statistic == pytest.approx((n - 1) * chi2 / (n * (k - 1) - chi2))
    assert result.pairwise_pvalues[0, 2] < 0.05 < result.pairwise_pvalues[0, 1]


def test_a_pair_is_told_apart_just_where_it_differs_by_more_than_the_critical_difference():
    result = friedman_nemenyi(DEMSAR)
    gaps = np.abs(result.average_ranks[:, None] - result.average_ranks)
    off = ~np.eye(4, dtype=bool)
    apart = result.pairwise_pvalues < 0.05
    assert (apart == (gaps > result.critical_difference))[off].all()


@given(st.integers(0, 2**32 - 1))
def test_only_the_order_within_a_data_set_counts(seed):
    scores = np.random.default_rng(seed).normal(size=(6, 4))
    changed = np.exp(scores) * 3 + np.arange(6)[:, None]
    one, other = friedman_nemenyi(scores), friedman_nemenyi(changed)
    assert one.average_ranks == pytest.approx(other.average_ranks)
    assert one.pvalue == pytest.approx(other.pvalue)


def test_full_agreement_and_full_ties_are_the_two_ends():
    agreed = friedman_nemenyi(np.tile([3.0, 2.0, 1.0], (5, 1)))
    assert (agreed.f_statistic, agreed.f_pvalue) == (np.inf, 0.0)
    tied = friedman_nemenyi(np.ones((5, 3)))
    assert (tied.statistic, tied.pvalue, tied.f_pvalue) == (0.0, 1.0, 1.0)
    assert "told apart" in str(tied)


@pytest.mark.parametrize(
    ("scores", "message"),
    [
        (np.ones((5, 2)), "3 candidates"),
        (np.ones((1, 4)), "at least 2 datasets"),
        (np.array([[1.0, 2, 3], [1, np.nan, 3]]), r"candidates \[1\]"),
    ],
)
def test_impossible_tables_are_refused(scores, message):
    with pytest.raises(ValueError, match=message):
        friedman_nemenyi(scores)
