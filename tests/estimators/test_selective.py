import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from skmaxev.estimators import (
    conditional_interval,
    hybrid_interval,
    winner_covariance,
    zoom_interval,
)

SEEDS = st.integers(0, 2**32 - 1)


def draw_search(rng, n_candidates, spread, correlation):
    """Means of candidates with unequal, equally correlated errors, and what the methods need."""
    sd = rng.uniform(0.7, 1.3, n_candidates)
    truth = spread * rng.standard_normal(n_candidates)
    common = np.sqrt(correlation) * rng.standard_normal()
    own = np.sqrt(1 - correlation) * rng.standard_normal(n_candidates)
    means = truth + sd * (common + own)
    winner = int(means.argmax())
    covariance = correlation * sd * sd[winner]
    covariance[winner] = sd[winner] ** 2
    return means, covariance, sd, truth[winner]


def loop_conditional_share(theta, means, covariance):
    """Definition: P(X <= x | X won, rest) for X normal with mean theta, by quadrature."""
    w = int(means.argmax())
    variance = covariance[w]
    grid = np.linspace(theta - 12 * variance**0.5, theta + 12 * variance**0.5, 400_001)
    wins = np.ones(len(grid), dtype=bool)
    for j in range(len(means)):
        if j != w:
            rest = means[j] - covariance[j] / variance * means[w]
            wins &= grid >= rest + covariance[j] / variance * grid
    density = stats.norm.pdf(grid, theta, variance**0.5) * wins
    return density[grid <= means[w]].sum() / density.sum()


@pytest.mark.parametrize("seed", range(8))
def test_the_conditional_ends_match_the_definition(seed):
    rng = np.random.default_rng(seed)
    means, covariance, _, _ = draw_search(rng, 5, 1.0, 0.6)
    for end, share in zip(
        conditional_interval(means, covariance, level=0.9), (0.95, 0.05), strict=True
    ):
        if np.isfinite(end) and abs(end - means.max()) < 8:
            assert loop_conditional_share(end, means, covariance) == pytest.approx(share, abs=2e-3)


@given(SEEDS, st.floats(-5, 5), st.floats(0.1, 10))
def test_intervals_follow_shift_scale_and_order(seed, shift, scale):
    rng = np.random.default_rng(seed)
    means, covariance, sd, _ = draw_search(rng, 6, 1.0, 0.3)
    order = rng.permutation(6)
    for method, errors, unit in (
        (hybrid_interval, covariance, scale**2),
        (zoom_interval, sd, scale),
    ):
        plain = np.array(method(means, errors))
        moved = method(shift + scale * means[order], unit * errors[order])
        assert moved == pytest.approx(tuple(shift + scale * plain), abs=1e-4 * scale)


@given(SEEDS, st.floats(0.3, 0.98))
def test_the_hybrid_lies_within_simultaneous_limits(seed, level):
    means, covariance, _, _ = draw_search(np.random.default_rng(seed), 6, 0.3, 0.3)
    low, high = hybrid_interval(means, covariance, level=level)
    spent = 0.1 * (1 - level)
    reach = np.sqrt(covariance[means.argmax()]) * stats.norm.isf(spent / 2 / 6)
    assert means.max() - reach <= low <= high <= means.max() + reach


def test_a_clear_winner_gets_the_usual_interval():
    means, covariance = np.array([10.0, 0.0, 1.0]), np.array([1.0, 0.2, -0.1])
    usual = 10 - 1.959964, 10 + 1.959964
    assert conditional_interval(means, covariance) == pytest.approx(usual, abs=1e-4)
    assert zoom_interval(means, np.full(3, 0.5)) == pytest.approx(
        (10 - 0.979982, 10 + 0.979982), abs=1e-3
    )
    assert conditional_interval([10.0], [1.0]) == pytest.approx(usual, abs=1e-4)


def test_a_tie_leaves_nothing_to_condition_on():
    assert conditional_interval([1.0, 1.0], [0.01, 0.0]) == (-np.inf, np.inf)
    low, high = hybrid_interval([1.0, 1.0], [0.01, 0.0])
    assert 0.6 < low < 1.0 < high < 1.4


def test_a_copy_of_the_winner_changes_nothing():
    alone = conditional_interval([1.0, 0.5], [0.04, 0.01])
    assert conditional_interval([1.0, 1.0, 0.5], [0.04, 0.04, 0.01]) == pytest.approx(alone)


def test_covariance_with_the_winner_is_numpys():
    values = np.random.default_rng(0).random((30, 4))
    expected = np.cov(values.T)[values.mean(axis=0).argmax()] / 30
    assert winner_covariance(values) == pytest.approx(expected)
    assert winner_covariance(values, best_index=1) == pytest.approx(np.cov(values.T)[1] / 30)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("n_candidates", "spread", "correlation"), [(10, 0, 0.5), (30, 2, 0), (50, 0.5, 0.9), (2, 0, 0)]
)
def test_intervals_cover_at_their_level(n_candidates, spread, correlation):
    rng = np.random.default_rng(0)
    held = np.zeros(4)
    n_searches = 1500
    for _ in range(n_searches):
        means, covariance, sd, truth = draw_search(rng, n_candidates, spread, correlation)
        half = 1.96 * sd[means.argmax()]
        intervals = (
            conditional_interval(means, covariance),
            hybrid_interval(means, covariance),
            zoom_interval(means, sd),
            (means.max() - half, means.max() + half),
        )
        held += [low <= truth <= high for low, high in intervals]
    conditional, hybrid, zoom, usual = held / n_searches
    error = 3.5 * np.sqrt(0.95 * 0.05 / n_searches)
    assert conditional == pytest.approx(0.95, abs=error)
    assert 0.95 - error < hybrid < 0.955 + error
    assert zoom > 0.95 - error
    if n_candidates == 30:
        assert usual < 0.9


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: conditional_interval([1.0, 2.0], [1.0]), "have one shape"),
        (lambda: conditional_interval([1.0, 2.0], [1.0, 0.0]), "variance must be positive"),
        (lambda: hybrid_interval([1.0], [1.0], level=0.0), "level must be between 0 and 1"),
        (lambda: hybrid_interval([1.0], [1.0], simultaneous_share=1), "simultaneous_share must be"),
        (lambda: zoom_interval([1.0, 0.0], [1.0, 0.0]), "standard_errors must be positive"),
        (lambda: winner_covariance([[1.0, 2.0]]), "two rows or more"),
    ],
)
def test_wrong_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.parametrize("unit", [1e-15, 1e9])
def test_intervals_after_choosing_scale_with_the_unit(unit):
    """Ends are found to a part of the noise, not to a fixed number of decimals."""
    means, covariance = np.array([0.3, 0.1, 0.25]), np.array([0.01, 0.004, 0.002])
    for ends in (conditional_interval, hybrid_interval):
        found = np.array(ends(unit * means, unit**2 * covariance))
        np.testing.assert_allclose(found / unit, ends(means, covariance), rtol=1e-8)
    errors = np.array([0.1, 0.1, 0.08])
    found = np.array(zoom_interval(unit * means, unit * errors))
    np.testing.assert_allclose(found / unit, zoom_interval(means, errors), rtol=1e-8)


@pytest.mark.parametrize("ends", [conditional_interval, hybrid_interval, zoom_interval])
@pytest.mark.parametrize("broken", [np.nan, np.inf])
def test_numbers_that_are_not_finite_are_refused(ends, broken):
    for means, noise in (([broken, 0.0], [0.1, 0.1]), ([1.0, 0.0], [0.1, broken]), ([], [])):
        with pytest.raises(ValueError, match=r"must be finite and have one shape"):
            ends(means, noise)
