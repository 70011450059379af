"""The rows of the best candidates, within a bound of memory."""

import numpy as np
import pytest

from skmaxev.engine.fitting import Fit, Judgement
from skmaxev.engine.kept import BestRows, by_candidates
from skmaxev.engine.plan import Place, Unit

N_ROWS, N_SPLITS, N_CANDIDATES = 12, 3, 30
RNG = np.random.default_rng(0)
ROWS = RNG.normal(size=(N_CANDIDATES, N_ROWS)).astype(np.float32)
TESTS = [np.arange(k, N_ROWS, N_SPLITS) for k in range(N_SPLITS)]
UNITS = [
    Unit(np.setdiff1d(np.arange(N_ROWS), test), (test,), ((Place("search", -1, k),),))
    for k, test in enumerate(TESTS)
]
MEANS = np.array([[ROWS[c, test].mean() for test in TESTS] for c in range(N_CANDIDATES)])


def fit(unit, candidate, **changed):
    row = ROWS[candidate, TESTS[unit]]
    judgement = Judgement(float(MEANS[candidate, unit]), {}, len(row), 0.0, row)
    return Fit(unit, candidate, 0.0, None, (judgement._replace(**changed),))


def kept_after(pairs, n_most):
    rows = BestRows(N_ROWS, N_CANDIDATES, N_SPLITS, n_most=n_most, metric="score")
    held = set()
    for unit, candidate in pairs:
        held.add(candidate)
        held -= set(rows.take(fit(unit, candidate), UNITS))
        assert len(held) <= n_most
    return rows


def check(rows, n_fewest):
    best = np.argsort(-MEANS.mean(axis=1), kind="stable")
    kept = rows.candidates
    assert len(kept) >= n_fewest
    assert set(kept) == set(best[: len(kept)])
    np.testing.assert_array_equal(rows.values(), ROWS[kept].T)
    np.testing.assert_array_equal(rows.candidates, kept)
    np.testing.assert_array_equal(rows.values(), ROWS[kept].T)


@pytest.mark.parametrize(("n_most", "n_together"), [(2, 1), (5, 1), (8, 3), (29, 4)])
def test_the_best_are_kept_whatever_the_order_of_candidates(n_most, n_together):
    pairs = [(unit, number) for unit in range(N_SPLITS) for number in range(N_CANDIDATES)]
    ordered = by_candidates(pairs, n_splits=N_SPLITS, n_together=n_together)
    assert sorted(ordered) == pairs
    for shift in range(N_CANDIDATES):
        turned = [(unit, (number + shift) % N_CANDIDATES) for unit, number in ordered]
        check(kept_after(turned, n_most), n_most - n_together)


def test_where_all_fit_in_all_are_kept_in_any_order():
    pairs = [(unit, number) for unit in range(N_SPLITS) for number in range(N_CANDIDATES)]
    RNG.shuffle(pairs)
    check(kept_after(pairs, N_CANDIDATES), N_CANDIDATES)


def test_where_too_many_are_in_work_none_is_kept_rather_than_others_than_the_best():
    pairs = [(unit, number) for unit in range(N_SPLITS) for number in range(N_CANDIDATES)]
    rows = kept_after(pairs, 4)  # one fold after the other
    best = int(MEANS.mean(axis=1).argmax())
    assert (best in rows.candidates) == (best < 4)
    check(rows, 0)


def test_candidates_without_results_make_room_and_count_for_nothing():
    rows = BestRows(N_ROWS, N_CANDIDATES, N_SPLITS, n_most=2, metric="score")
    best, other, third = np.argsort(-MEANS.mean(axis=1))[[0, 5, 9]].tolist()
    for unit in range(N_SPLITS):
        assert rows.take(Fit(unit, best, 0.0, "failed"), UNITS) == [best]
        assert rows.take(fit(unit, other), UNITS) == []
    for unit in range(N_SPLITS):
        gone = rows.take(fit(unit, third, response=None if unit == 2 else np.ones(4)), UNITS)
        assert gone == ([third] if unit == 2 else [])
    assert rows.candidates.tolist() == [other]


def test_the_first_of_equals_is_the_winner_and_stays():
    rows = BestRows(N_ROWS, N_CANDIDATES, N_SPLITS, n_most=2, metric="a")
    for candidate in range(6):
        for unit in range(N_SPLITS):
            rows.take(fit(unit, candidate, scores={"a": 1.0, "b": candidate}), UNITS)
    assert rows.candidates.tolist() == [0]


def test_candidates_that_share_steps_stay_together():
    pairs = [(unit, number) for unit in range(3) for number in range(6)]
    prefixes = [(1,), (0,)] * 3
    ordered = by_candidates(pairs, n_splits=2, n_together=3, prefixes=prefixes)
    assert ordered[:6] == [(0, 1), (0, 3), (0, 5), (1, 1), (1, 3), (1, 5)]
    assert ordered[12:] == [(2, 1), (2, 3), (2, 5), (2, 0), (2, 2), (2, 4)]
