import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import score_tables

from skmaxev.estimators import bbc, bbc_folds
from skmaxev.estimators.corrections import _contenders, _draws

SEEDS = st.integers(0, 2**32 - 1)


def clear_winner(rng, n_rows=80, n_candidates=5):
    """Rows on which one candidate wins every resample, so that the choice is no matter of luck."""
    values = rng.random((n_rows, n_candidates))
    values[:, 2] += 2.0
    return values


def loop_rest(scores_of, n_rows, winner, weights):
    """Score of the winner on the rows that each resample left out."""
    found = []
    for weight in weights:
        left_out = [row for row in range(n_rows) if weight[row] == 0]
        found.append(scores_of(left_out, winner))
    return found


def all_weights(n_rows, n_resamples, seed):
    rng = np.random.default_rng(seed)
    return np.concatenate(list(_draws(n_rows, n_resamples, rng)))


def loop_bbc(y, responses, metric, n_resamples, rng):
    """Mean score on the rows left out of each resample, by the definition, for any metric."""
    judged = []
    for times in all_weights(len(y), n_resamples, rng).astype(int):
        drawn, rest = np.repeat(np.arange(len(y)), times), np.flatnonzero(times == 0)
        inside = np.array([metric(y[drawn], column[drawn]) for column in responses.T])
        tied = np.flatnonzero(inside >= inside.max() - 1e-14 * abs(inside.max()))
        if len(rest):
            judged.append(np.mean([metric(y[rest], responses[rest, i]) for i in tied]))
    return np.mean(judged)


def test_judges_the_winner_on_the_rows_left_out():
    values = clear_winner(np.random.default_rng(0))
    weights = all_weights(len(values), 50, 3)
    rest = loop_rest(lambda rows, w: values[rows, w].mean(), len(values), 2, weights)
    result = bbc(values, n_resamples=50, level=0.8, rng=3)
    assert result.estimate == pytest.approx(np.mean(rest))
    assert result[1:3] == pytest.approx(tuple(np.quantile(rest, [0.1, 0.9])))


def test_chooses_the_best_of_the_drawn_rows():
    rng = np.random.default_rng(1)
    values = rng.random((30, 4))  # real numbers do not tie
    weights = all_weights(30, 40, 5)
    rest = []
    for weight in weights:
        winner = int((weight[:, None] * values).sum(axis=0).argmax())
        rest.append(values[weight == 0, winner].mean())
    assert bbc(values, n_resamples=40, rng=5).estimate == pytest.approx(np.mean(rest))


def test_any_metric_agrees_with_the_fast_path():
    rng = np.random.default_rng(2)
    y = rng.integers(0, 2, 60)
    responses = y[:, None] + rng.normal(size=(60, 6))
    common = {"n_resamples": 60, "rng": 7}
    losses = -((y[:, None] - responses) ** 2)
    slow = loop_bbc(y, responses, lambda t, r: -np.mean((t - r) ** 2), **common)
    assert bbc(losses, **common).estimate == pytest.approx(slow)
    right = responses > 0.5  # many ties
    slow = loop_bbc(y, right, lambda t, r: np.mean(t == r), **common)
    assert bbc(right == y[:, None], **common).estimate == pytest.approx(slow)


@given(SEEDS)
def test_no_candidate_is_dropped_that_wins_a_resample(seed):
    rng = np.random.default_rng(seed)
    values = rng.random((40, 30)) < rng.uniform(0.2, 0.9, 30)
    gap = values - values[:, [values.mean(axis=0).argmax()]].astype(float)
    kept = set(_contenders(gap, 100).tolist())
    totals = all_weights(40, 100, seed) @ values
    assert set(totals.argmax(axis=1).tolist()) <= kept


def test_hopeless_candidates_are_dropped():
    gap = np.zeros((1000, 3))
    gap[:, 1] = -1.0
    gap[::2, 2] = -0.001
    assert _contenders(gap, 1000).tolist() == [0, 2] or _contenders(gap, 1000).tolist() == [0]
    assert 1 not in _contenders(gap, 1000)


def test_candidates_that_tie_share_the_judgement():
    """A draw takes one of two rows twice, on which two candidates tie; the other row judges."""
    values = [[1.0, 1.0, 0.0], [0.25, 0.75, 0.0]]
    weights = all_weights(2, 30, 0)
    rest = [0.5 if first else 1.0 for first, second in weights == 2 if first or second]
    # On the second row the second candidate is ahead, and the first row judges it as 1.
    assert bbc(values, n_resamples=30, rng=0).estimate == pytest.approx(np.mean(rest))


@given(SEEDS, st.permutations(range(6)))
def test_the_order_of_candidates_changes_no_number(seed, order):
    rng = np.random.default_rng(seed)
    right = (rng.random((30, 6)) < 0.6) * 1.0
    common = {"n_resamples": 40, "rng": 1}
    assert bbc(right[:, order], **common) == pytest.approx(bbc(right, **common))
    folds = right.reshape(5, 6, 6).mean(axis=1)
    assert bbc_folds(folds[:, order], **common) == pytest.approx(bbc_folds(folds, **common))


@given(score_tables(), SEEDS, st.floats(-3, 3), st.floats(0.1, 5))
def test_shifting_and_scaling_the_scores_carries_over(table, seed, shift, scale):
    plain = bbc_folds(table, n_resamples=40, rng=seed)
    moved = bbc_folds(shift + scale * table, n_resamples=40, rng=seed)
    if len(np.unique(table)) == table.size:  # ties may come out of rounding otherwise
        assert moved[:3] == pytest.approx([shift + scale * x for x in plain[:3]], abs=1e-6)
    assert table.min() - 1e-9 <= plain.low <= plain.high <= table.max() + 1e-9


def test_one_candidate_is_its_own_winner():
    values = np.random.default_rng(0).random((50, 1))
    assert bbc(values, n_resamples=500, rng=0).estimate == pytest.approx(values.mean(), abs=0.01)


def test_a_resample_without_a_rest_is_not_counted():
    result = bbc_folds([[1.0, 0.0], [1.0, 0.0]], n_resamples=200, rng=0)
    assert result.estimate == 1.0
    assert 60 < result.n_resamples < 140


@pytest.mark.slow
def test_all_equal_candidates_come_out_unbiased():
    rng = np.random.default_rng(0)
    found, naive = [], []
    for _ in range(150):
        right = rng.random((100, 20)) < 0.7
        naive.append(right.mean(axis=0).max())
        found.append(bbc(right, n_resamples=200, rng=rng).estimate)
    assert np.mean(naive) > 0.77
    assert np.mean(found) == pytest.approx(0.7, abs=4 * np.std(found) / np.sqrt(150))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: bbc([1.0, 0.0]), "rows must have shape"),
        (lambda: bbc([[1.0, np.nan], [0.0, 1.0]]), "rows must be finite"),
        (lambda: bbc([[1.0], [0.0]], n_resamples=0), "n_resamples must be at least 1"),
        (lambda: bbc([[1.0], [0.0]], level=1.0), "level must be between 0 and 1"),
        (lambda: bbc([[1.0], [0.0]], n_resamples=1, rng=1), "no resample left out any row"),
        (lambda: bbc_folds(np.zeros((2, 3, 2))), "one table"),
        (lambda: bbc_folds([[0.1, 0.2]]), "at least 2 split"),
    ],
)
def test_wrong_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.parametrize("loss", [1e2, 1e12, 1e40, 1e80])
@pytest.mark.parametrize("wins_once", [False, True])
def test_a_diverged_candidate_ties_no_others(loss, wins_once):
    """Differences choose in single precision, which ends at 3e38, with a slack for ties."""
    good = 10.0 + np.random.default_rng(0).normal(size=(5, 6))
    diverged = np.full((5, 1), loss)
    if wins_once:
        diverged[0] = good[0].min() - 1.0
    without = bbc_folds(-good, rng=0).estimate
    assert bbc_folds(-np.hstack([good, diverged]), rng=0).estimate == pytest.approx(without)


@pytest.mark.parametrize("unit", [2.0**-300, 2.0**150])
def test_units_do_not_matter_to_choices_in_single_precision(unit):
    table = np.random.default_rng(0).normal(size=(8, 6))
    assert bbc(unit * table, rng=0).estimate == unit * bbc(table, rng=0).estimate
