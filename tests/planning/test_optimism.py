"""Optimism before the search: the article's tables, limits, and monotony."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skmaxev.estimators import expected_maximum_of_normals, optimism_of_equal_candidates
from skmaxev.planning import (
    PLAUSIBLE_CORRELATIONS,
    affordable_candidates,
    expected_optimism,
    validation_size,
    winner_regret,
)

OWN = {"correlation": 0.0}  # each candidate is judged on rows of its own


def points(*args, **options):
    return 100 * np.asarray(expected_optimism(*args, **options))


def simulate(k, n, score, spread, rng, repeats=4000):
    """The article's loop: optimism, shortfall and how often the winner is the best."""
    true = np.clip(rng.normal(score, spread, (repeats, k)), 0.0, 1.0)
    shown = rng.binomial(n, true) / n
    winner = shown.argmax(axis=1)[:, None]
    chosen = np.take_along_axis(true, winner, axis=1)[:, 0]
    shown = np.take_along_axis(shown, winner, axis=1)[:, 0]
    return (
        (shown - chosen).mean(),
        (true.max(axis=1) - chosen).mean(),
        (true.argmax(axis=1) == winner[:, 0]).mean(),
    )


def test_the_articles_table_of_optimism():
    table = [
        [1.49, 0.57, 0.16],
        [3.07, 1.15, 0.31],
        [4.82, 1.80, 0.49],
        [6.34, 2.37, 0.65],
        [7.51, 2.83, 0.77],
    ]
    found = points([[2], [5], [20], [100], [500]], [200, 1000, 5000], score=0.8, spread=0.01, **OWN)
    assert found == pytest.approx(np.array(table), abs=0.05)  # the article simulates


def test_the_articles_table_of_spreads():
    found = points([[100], [20]], 1000, score=0.8, spread=[0.0, 0.01, 0.03, 0.05], **OWN)
    article = [[3.12, 2.38, 0.93, 0.42], [2.34, 1.81, 0.77, 0.42]]
    assert found == pytest.approx(np.array(article), abs=0.03)


def test_the_articles_winner_is_the_best_one_time_in_six():
    loss = winner_regret(100, 1000, score=0.8, spread=0.01, **OWN)
    assert loss.probability_best == pytest.approx(0.17, abs=0.01)
    assert 100 * loss.shortfall == pytest.approx(0.93, abs=0.02)


def test_few_rows_and_ties_agree_with_the_articles_loop():
    rng = np.random.default_rng(0)
    optimism, shortfall, best = simulate(8, 30, 0.7, 0.05, rng)
    loss = winner_regret(8, 30, score=0.7, spread=0.05, **OWN)
    assert expected_optimism(8, 30, score=0.7, spread=0.05, **OWN) == pytest.approx(
        optimism, abs=0.004
    )
    assert loss.shortfall == pytest.approx(shortfall, abs=0.003)
    assert loss.probability_best == pytest.approx(best, abs=0.025)


def test_equal_candidates_on_many_rows_have_the_closed_form():
    for k, n in ((5, 20_000), (100, 10**6)):
        closed = optimism_of_equal_candidates(k, n, 0.8)
        assert expected_optimism(k, n, score=0.8, **OWN) == pytest.approx(closed, rel=0.005)


def test_the_noise_of_an_auc_is_hanley_and_mcneils():
    noise = expected_optimism(
        2, 500, score=0.75, metric="roc_auc", **OWN
    ) / expected_maximum_of_normals(2)
    # Hanley and McNeil (1982) for 250 positive and 250 negative rows.
    q1, q2 = 0.75 / 1.25, 2 * 0.75**2 / 1.75
    variance = (0.75 * 0.25 + 249 * (q1 - 0.75**2) + 249 * (q2 - 0.75**2)) / 250**2
    assert noise == pytest.approx(np.sqrt(variance), rel=1e-3)


def test_one_candidate_has_nothing_to_choose():
    assert expected_optimism(1, 100, score=0.8, spread=0.02, **OWN) == 0.0
    loss = winner_regret(1, 100, score=0.8, spread=0.02, **OWN)
    assert (loss.shortfall, loss.probability_best) == (0.0, 1.0)


def test_equal_candidates_lose_nothing():
    loss = winner_regret([5, 50], 100, score=0.8, **OWN)
    assert loss.shortfall.tolist() == [0.0, 0.0]
    assert loss.probability_best.tolist() == [1.0, 1.0]


def test_shared_noise_counts_as_more_rows():
    shared = expected_optimism(20, 500, score=0.8, correlation=0.75)
    assert shared == pytest.approx(expected_optimism(20, 2000, score=0.8, **OWN))


@settings(max_examples=20)
@given(st.integers(2, 50), st.integers(20, 400), st.floats(0.3, 0.9), st.sampled_from([0.0, 0.02]))
def test_optimism_grows_with_candidates_and_falls_with_rows(k, n, score, spread):
    base = expected_optimism(k, n, score=score, spread=spread, **OWN)
    assert base > 0
    assert expected_optimism(k + 5, n, score=score, spread=spread, **OWN) > base
    assert expected_optimism(k, 2 * n, score=score, spread=spread, **OWN) < base


@settings(max_examples=10)
@given(st.integers(2, 30), st.floats(0.01, 0.05), st.sampled_from([0.0, 0.01]))
def test_the_validation_size_is_the_smallest_that_is_enough(k, resolve, spread):
    n = validation_size(k, score=0.8, resolve=resolve, spread=spread, **OWN)
    assert isinstance(n, int)
    assert expected_optimism(k, n, score=0.8, spread=spread, **OWN) <= resolve
    assert n == 1 or expected_optimism(k, n // 2, score=0.8, spread=spread, **OWN) > resolve


@settings(max_examples=10)
@given(st.integers(50, 2000), st.floats(0.005, 0.05))
def test_the_affordable_candidates_are_the_most_that_are_resolved(n, resolve):
    k = affordable_candidates(n, score=0.8, resolve=resolve, **OWN)
    assert k == 1 or expected_optimism(k, n, score=0.8, **OWN) <= resolve
    assert k == 10**6 or expected_optimism(k + 1, n, score=0.8, **OWN) > resolve


def test_arguments_broadcast_and_scalars_stay_scalars():
    assert expected_optimism([[2], [5]], [100, 200, 300], score=0.8, **OWN).shape == (2, 3)
    assert validation_size([2, 5], score=0.8, resolve=0.05, **OWN).dtype == np.int64
    assert affordable_candidates([100, 200], score=0.8, resolve=0.05, **OWN).shape == (2,)
    assert isinstance(expected_optimism(2, 100, score=0.8, **OWN), float)


def test_a_great_number_stands_for_no_limit():
    assert affordable_candidates(10**6, score=0.8, resolve=0.5, **OWN) == 10**6


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: expected_optimism(0, 100, score=0.8), "n_candidates"),
        (lambda: expected_optimism(2.5, 100, score=0.8), "n_candidates"),
        (lambda: expected_optimism(2, 0, score=0.8), "n_validation"),
        (lambda: expected_optimism(2, 100, score=80), "Divide percent"),
        (lambda: expected_optimism(2, 100, score=0.8, spread=-1), "spread"),
        (lambda: expected_optimism(2, 100, score=0.8, correlation=1), "correlation"),
        (lambda: expected_optimism(2, 100, score=0.8, metric="r2"), "metric must be one of"),
        (lambda: validation_size(2, score=0.8, resolve=0), "resolve must be positive"),
        (lambda: affordable_candidates(9, score=0.8, resolve=-1), "resolve must be positive"),
    ],
)
def test_impossible_input_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.slow
@pytest.mark.parametrize(("k", "n", "spread"), [(20, 200, 0.01), (100, 1000, 0.03), (5, 50, 0.1)])
def test_quadrature_agrees_with_the_articles_loop(k, n, spread):
    optimism, shortfall, best = simulate(k, n, 0.8, spread, np.random.default_rng(1), 20_000)
    loss = winner_regret(k, n, score=0.8, spread=spread, **OWN)
    assert expected_optimism(k, n, score=0.8, spread=spread, **OWN) == pytest.approx(
        optimism, abs=1e-3
    )
    assert loss.shortfall == pytest.approx(shortfall, abs=1e-3)
    assert loss.probability_best == pytest.approx(best, abs=0.012)


def test_more_rows_than_there_are_is_an_error_and_not_a_cap():
    with pytest.raises(ValueError, match="1,000,000,000 rows can show; got 1e-06"):
        validation_size(20, score=0.8, resolve=1e-6, **OWN)
    with pytest.raises(ValueError, match="n_candidates must be a whole number"):
        expected_optimism(float("nan"), 100, score=0.8, **OWN)


def test_an_unknown_correlation_gives_both_ends_of_the_plausible_range():
    ends = affordable_candidates([100, 569, 10_000], score=0.9, resolve=0.01)
    known = [
        affordable_candidates([100, 569, 10_000], score=0.9, resolve=0.01, correlation=end)
        for end in PLAUSIBLE_CORRELATIONS
    ]
    assert ends.tolist() == [found.tolist() for found in known]
    assert winner_regret(5, 100, score=0.9, spread=0.01).gain.shape == (2,)


def test_what_choosing_gains_and_loses_is_the_best_of_all():
    loss = winner_regret([2, 20, 200], 500, score=0.8, spread=0.01, correlation=0.5)
    best = 0.01 * expected_maximum_of_normals([2, 20, 200])
    assert loss.gain + loss.shortfall == pytest.approx(best, rel=0.002)
