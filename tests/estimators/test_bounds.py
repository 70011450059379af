import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import integrate, special, stats

from skmaxev.estimators import (
    aven_bound,
    cv_bias_bound,
    expected_maximum_of_normals,
    low_bias_cv,
    low_variance_cv,
    maximum,
    optimism_of_equal_candidates,
)

variances = arrays(np.float64, (3, 4), elements=st.integers(0, 1000).map(lambda i: i / 100))


@given(variances)
def test_the_bounds_match_their_formulas(v):
    for row in v:
        assert aven_bound(row) == pytest.approx(np.sqrt(3 / 4 * sum(row)))
    assert cv_bias_bound(v) == pytest.approx(-sum(np.sqrt(sum(row)) for row in v) / 3)


@given(variances, st.permutations(range(4)), st.sampled_from([1e-6, 4.0, 1e6]))
def test_the_bounds_scale_with_the_scores_and_ignore_order(v, order, scale):
    assert aven_bound(v[:, order] * scale**2) == pytest.approx(scale * aven_bound(v))
    assert cv_bias_bound(v[:, order] * scale**2) == pytest.approx(scale * cv_bias_bound(v))


@given(variances)
def test_one_variable_has_no_optimism(v):
    assert aven_bound(v[:, :1]).tolist() == [0.0, 0.0, 0.0]


def test_the_bounds_hold_for_normal_scores():
    rng = np.random.default_rng(0)
    truths, sigma, n_splits = np.array([0.0, -0.1, -0.3, -0.3]), 1.0, 5
    tables = rng.normal(truths, sigma, size=(20_000, n_splits, 4))
    of_means = np.full(4, sigma**2 / n_splits)
    assert 0 < maximum(tables).mean() < aven_bound(of_means)
    assert maximum(tables).var() < of_means.sum()  # Theorem 2
    on_one = np.full((n_splits, 4), sigma**2)
    assert cv_bias_bound(on_one) < low_variance_cv(tables).mean() < 0
    assert cv_bias_bound(on_one / (n_splits - 1)) < low_bias_cv(tables).mean() < 0


def test_aven_is_reached_by_its_extreme_distribution():
    # One of M variables, drawn at random, is M and the others are 0: the mean of each is 1.
    m = 4
    tables = m * np.eye(m)[:, np.newaxis, :]
    optimism = maximum(tables).mean() - 1
    assert optimism == pytest.approx(aven_bound(np.full(m, tables.var(axis=0)[0])))


@pytest.mark.parametrize(("k", "expected"), [(5, 1.163), (20, 1.867), (100, 2.508)])
def test_the_expected_maxima_of_the_article_are_reproduced(k, expected):
    assert expected_maximum_of_normals(k) == pytest.approx(expected, abs=5e-4)


def test_few_normals_have_the_closed_form():
    root_pi = np.sqrt(np.pi)
    expected = [0, 1 / root_pi, 1.5 / root_pi, 3 / root_pi * (0.5 + np.arcsin(1 / 3) / np.pi)]
    assert expected_maximum_of_normals([1, 2, 3, 4]) == pytest.approx(expected, abs=1e-13)
    assert expected_maximum_of_normals(1) == 0.0


@pytest.mark.parametrize("k", [2, 7, 1_000, 1_000_000])
def test_the_expected_maximum_matches_its_definition(k):
    def density(x):
        return x * k * np.exp(-x * x / 2 + (k - 1) * special.log_ndtr(x)) / np.sqrt(2 * np.pi)

    expected, _ = integrate.quad(density, -12, 12, points=[0, 2, 4, 6], epsabs=1e-13, limit=500)
    assert expected_maximum_of_normals(k) == pytest.approx(expected, abs=1e-9)


def test_the_expected_maximum_takes_arrays():
    numbers = np.array([[2, 3], [5, 8]])
    assert expected_maximum_of_normals(numbers).shape == (2, 2)
    assert type(expected_maximum_of_normals(3)) is float


def test_the_optimism_of_equal_candidates_is_that_of_simulated_accuracies():
    right = stats.binom(1000, 0.8).rvs(size=(20_000, 1, 20), random_state=0)
    optimism = maximum(right / 1000).mean() - 0.8
    assert optimism_of_equal_candidates(20, 1000, 0.8) == pytest.approx(optimism, rel=0.02)


@pytest.mark.parametrize(("k", "expected"), [(100, 3.17), (20, 2.36)])
def test_the_optimism_at_a_spread_of_nothing_is_near_the_simulated_one(k, expected):
    # The article simulates 3.12 and 2.34 points: accuracies are not quite normal.
    assert 100 * optimism_of_equal_candidates(k, 1000, 0.8) == pytest.approx(expected, abs=5e-3)


def test_one_candidate_or_a_sure_score_has_no_optimism():
    assert optimism_of_equal_candidates(1, 100, 0.8) == 0
    assert optimism_of_equal_candidates(50, 100, [0.0, 1.0]).tolist() == [0.0, 0.0]


@pytest.mark.parametrize("k", [0, -1, 1.5, float("nan"), float("inf"), "many", None])
def test_a_number_of_candidates_that_is_none_is_refused(k):
    with pytest.raises(ValueError, match="k must be a whole number of at least 1"):
        expected_maximum_of_normals(k)


ERRORS = [((5, 0, 0.8), "n must be a whole"), ((5, 100, 1.5), "score must be a proportion")]


@pytest.mark.parametrize(("values", "message"), ERRORS)
def test_impossible_cases_are_refused(values, message):
    with pytest.raises(ValueError, match=message):
        optimism_of_equal_candidates(*values)


@pytest.mark.parametrize("bound", [aven_bound, cv_bias_bound])
@pytest.mark.parametrize("bad", [[[1.0, -1.0]], [[1.0, float("nan")]], [[]], 1.0])
def test_impossible_variances_are_refused(bound, bad):
    with pytest.raises(ValueError, match="variances must"):
        bound(bad)
