import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import score_tables

from skmaxev.estimators import (
    bootstrap_optimism,
    expected_maximum_of_normals,
    weighted_mean_correction,
)


def loop_weighted_mean(table, ratio, n_draws, seed):
    """Chances to win from an explicit multivariate normal."""
    means = table.mean(axis=0)
    covariance = np.cov(table.T) * (1 / len(table) + ratio)
    rng = np.random.default_rng(seed)
    drawn = rng.multivariate_normal(means, covariance, n_draws, method="eigh")
    winners = drawn.argmax(axis=1)
    return np.mean([means[i] for i in winners])


@pytest.mark.parametrize("ratio", [None, 0.5])
def test_the_weighted_mean_matches_an_explicit_normal(ratio):
    table = np.random.default_rng(0).normal(size=(6, 4))
    expected = loop_weighted_mean(table, 1 / 5 if ratio is None else ratio, 40_000, 1)
    found = weighted_mean_correction(table, test_train_ratio=ratio, n_draws=40_000, rng=2)
    assert found == pytest.approx(expected, abs=0.01)


def test_optimism_of_equal_candidates_is_the_expected_maximum():
    rng = np.random.default_rng(0)
    table = rng.normal(size=(200, 10))
    table -= table.mean(axis=0)  # no spread beyond noise: the copy's candidates are all equal
    table[:, 0] -= 10.0  # lets the estimate fall below the others' means
    noise = np.sqrt(np.mean(np.var(table[:, 1:], axis=0, ddof=1)) / 200)
    found = bootstrap_optimism(table, n_draws=20_000, rng=1)
    assert -found == pytest.approx(noise * expected_maximum_of_normals(9), rel=0.05)


def test_candidates_far_apart_keep_their_score():
    table = np.random.default_rng(0).normal(size=(5, 4)) * 0.01 + np.arange(4)
    best = table.mean(axis=0).max()
    assert bootstrap_optimism(table, rng=0) == pytest.approx(best, abs=0.01)
    assert weighted_mean_correction(table, rng=0) == pytest.approx(best, abs=1e-9)


@given(score_tables(), st.integers(0, 2**32 - 1), st.floats(-3, 3))
def test_estimates_stay_among_the_means_and_follow_a_shift(table, seed, shift):
    means = table.mean(axis=0)
    for estimator in (bootstrap_optimism, weighted_mean_correction):
        found = estimator(table, n_draws=200, rng=seed)
        assert means.min() - 1e-9 <= found <= means.max() + 1e-9
    moved = bootstrap_optimism(table + shift, n_draws=200, rng=seed)
    plain = bootstrap_optimism(table, n_draws=200, rng=seed)
    assert moved - shift == pytest.approx(plain, abs=1e-5)


@given(score_tables(max_candidates=1), st.integers(0, 2**32 - 1))
def test_nothing_is_taken_off_where_nothing_was_chosen(table, seed):
    for copied in (table, np.repeat(table, 3, axis=1)):
        mean = table.mean()
        assert bootstrap_optimism(copied, n_draws=50, rng=seed) == pytest.approx(mean, abs=1e-12)
        assert weighted_mean_correction(copied, n_draws=50, rng=seed) == pytest.approx(
            mean, abs=1e-12
        )


def test_a_given_choice_is_the_one_corrected():
    table = np.array([[0.9, 0.8, 0.1], [0.8, 0.9, 0.2], [0.9, 0.7, 0.1]])
    best = bootstrap_optimism(table, rng=0)
    second = bootstrap_optimism(table, best_index=1, rng=0)
    gap = table.mean(axis=0)[0] - table.mean(axis=0)[1]
    assert best - second == pytest.approx(gap)


def test_one_split_is_refused():
    with pytest.raises(ValueError, match="at least 2 split"):
        bootstrap_optimism([[0.1, 0.2]])
    with pytest.raises(ValueError, match="best_index must be a column"):
        bootstrap_optimism([[0.1, 0.2], [0.3, 0.1]], best_index=2)
