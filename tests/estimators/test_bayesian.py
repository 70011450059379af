from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special, stats

from skmaxev.estimators import (
    bayesian_maximum,
    bayesian_maximum_beta,
    expected_maximum_of_normals,
    maximum,
    weighted_maximum,
)

numbers = st.integers(-500, 500).map(lambda i: i / 100)
# Standard errors that differ by many orders of magnitude, and none at all.
standard_errors = st.sampled_from([0.0, 1e-6, 1e-3, 0.1, 0.5, 1.0, 20.0])
beliefs = st.lists(st.tuples(numbers, standard_errors), min_size=1, max_size=6).map(
    lambda pairs: tuple(np.array(pairs).T)
)


def slow_quadrature(means, errors):
    """Integrate by a fine fixed rule between breakpoints of every variable, variable by variable.

    Returns the mean of the maximum and the weighted mean.
    """
    known, unknown = errors == 0, errors > 0
    low = (means - 9 * errors).max()
    high = (means + 9 * errors).max()
    if low == high:
        return low, low
    steps = means + errors * np.arange(-9, 10, 1.5)[:, np.newaxis]
    breaks = np.unique(np.clip([low, high, *steps.ravel()], low, high))
    node, weight = np.polynomial.legendre.leggauss(20)
    below, weighted, mass = 0.0, 0.0, 0.0
    for left, right in pairwise(breaks):
        x = ((left + right) / 2 + (right - left) / 2 * node)[:, np.newaxis]
        w = (right - left) / 2 * weight
        z = (x - means) / np.where(known, 1, errors)
        cdf = np.where(known, x >= means, special.ndtr(z))
        below += w @ cdf.prod(axis=1)
        for i in np.nonzero(unknown)[0]:
            density = np.exp(-(z[:, i] ** 2) / 2) / np.sqrt(2 * np.pi) / errors[i]
            chance = w @ (density * np.delete(cdf, i, axis=1).prod(axis=1))
            weighted += chance * means[i]
            mass += chance
    if known.any():
        point = means[known].max()
        weighted += (1 - mass) * point
        mass = 1.0
    return high - below, weighted / mass


@given(beliefs)
def test_the_mean_of_the_maximum_matches_a_slow_quadrature(pair):
    expected, _ = slow_quadrature(*pair)
    assert bayesian_maximum(*pair) == pytest.approx(expected, abs=1e-7)


@given(beliefs)
def test_the_weighted_maximum_matches_a_slow_quadrature(pair):
    _, expected = slow_quadrature(*pair)
    assert weighted_maximum(*pair) == pytest.approx(expected, abs=1e-6)


each = pytest.mark.parametrize("estimator", [bayesian_maximum, weighted_maximum])


@each
@given(pair=beliefs, data=st.data())
def test_the_order_of_the_variables_does_not_matter(estimator, pair, data):
    order = data.draw(st.permutations(range(pair[0].size)))
    again = estimator(pair[0][order], pair[1][order])
    assert again == pytest.approx(estimator(*pair), abs=1e-9)


@each
@given(pair=beliefs, shift=st.sampled_from([-1e3, 1.0, 1e9]))
def test_a_shift_of_the_means_shifts_the_estimate(estimator, pair, shift):
    means, errors = pair[0], pair[1]
    moved = (means + shift) - shift  # the means that survive the rounding
    shifted = estimator(means + shift, errors) - shift
    assert shifted == pytest.approx(estimator(moved, errors), abs=1e-15 * abs(shift) + 1e-9)


@each
@given(pair=beliefs, scale=st.sampled_from([1e-9, 7.0, 1e6]))
def test_a_scale_scales_the_estimate(estimator, pair, scale):
    scaled = estimator(pair[0] * scale, pair[1] * scale) / scale
    assert scaled == pytest.approx(estimator(*pair), abs=1e-7)


@given(beliefs)
def test_the_mean_of_the_maximum_is_never_below_the_largest_mean(pair):
    assert bayesian_maximum(*pair) >= pair[0].max()


@given(beliefs)
def test_the_weighted_maximum_lies_between_the_means(pair):
    assert pair[0].min() <= weighted_maximum(*pair) <= pair[0].max()


@each
@given(means=st.lists(numbers, min_size=1, max_size=5))
def test_known_values_have_exactly_their_maximum(estimator, means):
    assert estimator(means, np.zeros(len(means))) == max(means)


@each
@given(mean=numbers, error=standard_errors)
def test_one_variable_is_exactly_its_mean(estimator, mean, error):
    assert estimator([mean], [error]) == mean


@given(mean=numbers, errors=st.lists(standard_errors, min_size=1, max_size=5))
def test_equal_means_have_exactly_that_weighted_maximum(mean, errors):
    assert weighted_maximum(np.full(len(errors), mean), errors) == mean


@pytest.mark.parametrize("k", [2, 10, 300, 10_000])
def test_equal_normals_have_the_known_mean_of_their_maximum(k):
    estimate = bayesian_maximum(np.full(k, 5.0), np.full(k, 2.0))
    assert estimate == pytest.approx(5 + 2 * expected_maximum_of_normals(k), abs=1e-8)


def test_two_normals_have_the_closed_form():
    m, s = np.array([0.3, -0.4]), np.array([0.5, 1.2])
    theta = np.hypot(*s)
    a = (m[0] - m[1]) / theta
    expected = m[0] * stats.norm.cdf(a) + m[1] * stats.norm.sf(a)
    assert weighted_maximum(m, s) == pytest.approx(expected, abs=1e-9)
    assert bayesian_maximum(m, s) == pytest.approx(expected + theta * stats.norm.pdf(a), abs=1e-9)


def test_a_known_value_cuts_the_belief_about_the_other():
    assert bayesian_maximum([0.0, 0.0], [0.0, 1.0]) == pytest.approx(1 / np.sqrt(2 * np.pi))
    assert weighted_maximum([0.0, -1.0], [0.0, 1.0]) == pytest.approx(-stats.norm.sf(1))


@each
def test_a_certain_variable_among_thousands_of_vague_ones_is_seen(estimator):
    rng = np.random.default_rng(0)
    means, errors = rng.normal(-40, 1, size=10_000), np.full(10_000, 5.0)
    means[77], errors[77] = 0.25, 1e-7
    # The vague ones exceed 0.25 hardly ever.
    assert estimator(means, errors) == pytest.approx(0.25, abs=1e-2)


@each
def test_many_tables_give_an_array_over_the_leading_axes(estimator):
    rng = np.random.default_rng(0)
    means, errors = rng.normal(size=(2, 3, 7)), rng.uniform(0, 1, size=(2, 3, 7))
    estimates = estimator(means, errors)
    assert estimates.shape == (2, 3)
    for index in np.ndindex(2, 3):
        assert estimates[index] == pytest.approx(estimator(means[index], errors[index]), abs=1e-12)
    assert type(estimator([0.5, 1.0], 0.5)) is float


# Success rates

BERNOULLI = {
    (0, 0): 0.35714,
    (0, 1): 0.53571,
    (1, 1): 0.62857,
    (0, 2): 0.75714,
    (1, 2): 0.78571,
    (2, 2): 0.85714,
}


@pytest.mark.parametrize(("successes", "expected"), BERNOULLI.items())
def test_two_rates_with_two_samples_each_have_the_known_estimates(successes, expected):
    assert bayesian_maximum_beta(successes, 2) == pytest.approx(expected, abs=5e-6)


def test_two_fair_rates_bias_the_maximum_by_three_sixteenths_and_the_belief_by_less():
    samples = np.array(list(product([0, 1], repeat=4))).reshape(16, 2, 2)
    assert maximum(samples).mean() == 11 / 16
    beliefs = bayesian_maximum_beta(samples.sum(axis=1), 2)
    assert beliefs.mean() == pytest.approx(0.65804, abs=5e-6)


@given(
    counts=st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30)), min_size=2, max_size=4),
    prior=st.sampled_from([(1.0, 1.0), (0.5, 0.5), (2.0, 5.0)]),
)
def test_rates_match_the_integral_of_their_distribution(counts, prior):
    won = np.array([w for w, _ in counts])
    tried = won + [lost for _, lost in counts]
    # In the angle theta with x = sin^2(theta) the poles of the densities disappear.
    node, weight = np.polynomial.legendre.leggauss(200)
    theta = (node + 1) * np.pi / 4
    x = np.sin(theta) ** 2
    below = np.prod(
        [
            stats.beta.cdf(x, w + prior[0], t - w + prior[1])
            for w, t in zip(won, tried, strict=True)
        ],
        axis=0,
    )
    expected = 1 - (weight * np.pi / 4 * below * np.sin(2 * theta)).sum()
    assert bayesian_maximum_beta(won, tried, prior=prior) == pytest.approx(expected, abs=1e-7)


def test_one_rate_is_its_posterior_mean():
    assert bayesian_maximum_beta([3], [4]) == pytest.approx(4 / 6, rel=1e-15)


def test_untried_rates_have_the_mean_of_the_largest_uniform():
    assert bayesian_maximum_beta(np.zeros(9), np.zeros(9)) == pytest.approx(0.9, abs=1e-9)
    many = np.zeros(10_000)
    assert bayesian_maximum_beta(many, many) == pytest.approx(10_000 / 10_001, abs=1e-9)


def test_rates_of_many_trials_are_nearly_normal():
    won = np.array([[500_100, 500_000, 499_000], [20_000, 20_050, 20_100]])
    rate = won / 1_000_000
    normal = bayesian_maximum(rate, np.sqrt(rate * (1 - rate) / 1_000_000))
    assert bayesian_maximum_beta(won, 1_000_000) == pytest.approx(normal, abs=2e-6)


NORMAL_ERRORS = [
    ([0.5, float("nan")], [1, 1], "means must be finite"),
    ([], [], "means must be finite, one for each variable"),
    (0.5, 1.0, "means must be finite, one for each variable"),
    ([0.5, 0.5], [1, -1], "standard_errors must be finite and not negative; got -1"),
    ([0.5, 0.5], [1, float("inf")], "standard_errors must be finite and not negative; got inf"),
    ([0.5, 0.5], [1, 1, 1], "broadcast"),
]


@each
@pytest.mark.parametrize(("means", "errors", "message"), NORMAL_ERRORS)
def test_bad_beliefs_are_refused_with_the_reason(estimator, means, errors, message):
    with pytest.raises(ValueError, match=message):
        estimator(means, errors)


BETA_ERRORS = [
    ([3, 1], [2, 2], (1, 1), "successes must be from 0 to trials"),
    ([-1, 1], [2, 2], (1, 1), "successes must be from 0 to trials"),
    ([1, float("nan")], [2, 2], (1, 1), "successes must be from 0 to trials"),
    ([1, 1], [2, float("inf")], (1, 1), "successes must be from 0 to trials"),
    ([], [], (1, 1), "successes must be from 0 to trials"),
    ([1, 1], [2, 2], (0, 1), "prior must be two positive numbers"),
    ([1, 1], [2, 2], (1, float("nan")), "prior must be two positive numbers"),
]


@pytest.mark.parametrize(("successes", "trials", "prior", "message"), BETA_ERRORS)
def test_bad_counts_are_refused_with_the_reason(successes, trials, prior, message):
    with pytest.raises(ValueError, match=message):
        bayesian_maximum_beta(successes, trials, prior=prior)
