"""Intervals for one proportion: Mitchell's example, closed forms, and real coverage."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from skmaxev.comparison import proportion_interval

METHODS = ("normal", "wilson", "exact")

counts = st.integers(1, 60).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


@pytest.mark.parametrize(("level", "half"), [(0.95, 0.14), (0.68, 0.07)])
def test_twelve_errors_in_forty_are_mitchells_intervals(level, half):
    low, high = proportion_interval(12, 40, level=level, method="normal")
    assert (low + high) / 2 == pytest.approx(0.30)
    assert (high - low) / 2 == pytest.approx(half, abs=0.005)


def test_wilson_solves_its_quadratic():
    z = stats.norm.ppf(0.975)
    for bound in proportion_interval(12, 40):
        assert abs(0.3 - bound) == pytest.approx(z * np.sqrt(bound * (1 - bound) / 40))


def test_exact_bounds_are_where_the_tails_are_half_of_what_is_left():
    low, high = proportion_interval(12, 40, method="exact")
    assert stats.binom.sf(11, 40, low) == pytest.approx(0.025)
    assert stats.binom.cdf(12, 40, high) == pytest.approx(0.025)


@given(counts, st.sampled_from(METHODS))
def test_errors_and_right_answers_give_mirrored_intervals(count, method):
    successes, trials = count
    low, high = proportion_interval(successes, trials, method=method)
    mirrored = proportion_interval(trials - successes, trials, method=method)
    assert (low, high) == pytest.approx((1 - mirrored[1], 1 - mirrored[0]))
    assert 0 <= low <= successes / trials <= high <= 1


def test_only_the_exact_interval_always_covers_its_level():
    covers = {}
    for method in METHODS:
        bounds = np.array([proportion_interval(r, 20, method=method) for r in range(21)])
        rates = np.linspace(0.01, 0.99, 99)
        inside = (bounds[:, :1] <= rates) & (rates <= bounds[:, 1:])
        covers[method] = (stats.binom.pmf(np.arange(21)[:, None], 20, rates) * inside).sum(axis=0)
    assert covers["exact"].min() >= 0.95
    assert covers["wilson"].mean() == pytest.approx(0.95, abs=0.01)
    assert covers["normal"].min() < 0.20


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: proportion_interval(41, 40), "from 0 to trials"),
        (lambda: proportion_interval(0, 0), "trials at least 1"),
        (lambda: proportion_interval(1, 4, method="wald"), "must be one of"),
        (lambda: proportion_interval(1, 4, level=95), "level must be"),
    ],
)
def test_impossible_input_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.parametrize("counts", [(2.5, 5), (2, 4.5)])
def test_parts_of_a_count_are_refused(counts):
    with pytest.raises(ValueError, match="counts, whole numbers"):
        proportion_interval(*counts)
