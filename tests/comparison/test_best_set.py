"""The confidence set of the best: oracle, invariances, and measured coverage."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from skmaxev.comparison import (
    confidence_set_of_the_best,
    corrected_resampled_t,
    holm,
    winner_against_runners_up,
)

tables = st.integers(0, 2**32 - 1).map(
    lambda seed: np.random.default_rng(seed).normal([0.0, 0.3, 0.6, 0.6], 0.5, size=(6, 4))
)


def loop_pvalue(table, index):
    """Turn every sign pattern and compare the largest Student's t."""
    n = len(table)
    others = [j for j in range(table.shape[1]) if j != index]

    def largest_t(signs):
        values = [signs * (table[:, j] - table[:, index]) for j in others]
        return max(d.mean() / (d.std(ddof=1) / np.sqrt(n)) for d in values)

    observed = largest_t(np.ones(n))
    turned = [largest_t(np.array(signs)) for signs in product((1, -1), repeat=n)]
    return max(np.mean(np.array(turned) >= observed - 1e-9), 2.0**-n)


@given(tables)
def test_pvalues_match_the_definition(table):
    found = confidence_set_of_the_best(table).pvalues
    for index in range(table.shape[1]):
        oracle = loop_pvalue(table, index)
        if oracle < 0.5:  # the winner counts its draw with itself; it never leaves the set
            assert found[index] == pytest.approx(oracle)
        else:
            assert found[index] >= 0.5 - 1e-12


@given(tables, st.floats(0.1, 10), st.floats(-5, 5))
def test_shifts_of_folds_units_and_order_do_not_matter(table, unit, shift):
    base = confidence_set_of_the_best(table).pvalues
    moved = unit * table + shift * np.arange(len(table))[:, None]
    assert confidence_set_of_the_best(moved[:, ::-1]).pvalues[::-1] == pytest.approx(base)


@given(tables)
def test_the_winner_is_always_in_the_set(table):
    for options in ({}, {"n_train": 80, "n_test": 20}):
        found = confidence_set_of_the_best(table, **options)
        assert table.mean(axis=0).argmax() in found.indices


@given(tables)
def test_overlap_of_training_sets_never_excludes_more(table):
    free = confidence_set_of_the_best(table).pvalues
    overlapping = confidence_set_of_the_best(table, n_train=80, n_test=20).pvalues
    assert (overlapping >= free - 1e-12).all()


def test_what_few_folds_cannot_show_is_said():
    table = np.array([[0.9, 0.1], [0.8, 0.2], [0.9, 0.1]])
    found = confidence_set_of_the_best(table)
    assert found.indices.tolist() == [0, 1]
    assert found.smallest_pvalue == pytest.approx(1 / 8)
    assert "So few folds" in str(found)
    enough = confidence_set_of_the_best(np.tile(table, (3, 1)))
    assert enough.indices.tolist() == [0]
    assert "So few folds" not in str(enough)


def test_identical_candidates_stay_together():
    column = np.random.default_rng(0).normal(size=(40, 1))
    found = confidence_set_of_the_best(np.hstack([column, column, column - 1]), rng=0)
    assert found.indices.tolist() == [0, 1]
    assert confidence_set_of_the_best(column, rng=0).indices.tolist() == [0]


def test_random_turns_are_reproducible():
    table = np.random.default_rng(1).normal(size=(30, 5))
    one = confidence_set_of_the_best(table, rng=3, n_resamples=500)
    other = confidence_set_of_the_best(table, rng=3, n_resamples=500)
    assert (one.pvalues == other.pvalues).all()
    assert one.smallest_pvalue == pytest.approx(1 / 501)


def test_runners_up_are_pairs_by_the_corrected_t():
    table = np.random.default_rng(2).normal([0.8, 0.79, 0.5], 0.02, size=(5, 3))
    result = winner_against_runners_up(table, n_train=80, n_test=20)
    winner = result.best_index
    others = [j for j in range(3) if j != winner]
    pairs = [
        corrected_resampled_t(table[:, winner], table[:, j], n_train=80, n_test=20) for j in others
    ]
    assert result.differences[others] == pytest.approx([pair.difference for pair in pairs])
    assert result.pvalues[others] == pytest.approx(holm([pair.pvalue for pair in pairs]))
    assert result.pvalues[winner] == 1.0
    assert f"Candidate {winner} won" in str(result)


def test_runners_up_of_a_chosen_candidate_may_be_ahead_of_it():
    table = np.array([[0.9, 0.5], [0.8, 0.6], [0.9, 0.5]])
    result = winner_against_runners_up(table, n_train=2, n_test=1, best_index=1)
    assert result.differences[0] < 0
    assert result.within_one_standard_error.tolist() == [0]


def test_an_identical_runner_up_is_not_told_apart():
    table = np.array([[0.9, 0.9], [0.8, 0.8]])
    result = winner_against_runners_up(table, n_train=2, n_test=1)
    assert result.pvalues.tolist() == [1.0, 1.0]
    assert result.within_one_standard_error.tolist() == [1]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: confidence_set_of_the_best(np.ones(4)), "shape"),
        (lambda: confidence_set_of_the_best(np.ones((1, 4))), "at least 2 units"),
        (lambda: confidence_set_of_the_best(np.full((4, 2), np.nan)), "finite"),
        (lambda: confidence_set_of_the_best(np.ones((4, 2)), n_train=3), "given together"),
        (lambda: confidence_set_of_the_best(np.ones((4, 2)), n_resamples=0), "n_resamples"),
        (lambda: confidence_set_of_the_best(np.ones((4, 2)), level=2), "level"),
        (
            lambda: winner_against_runners_up(np.ones((4, 2)), n_train=1, n_test=1, best_index=2),
            "best_index",
        ),
        (lambda: winner_against_runners_up(np.ones((4, 1)), n_train=1, n_test=1), "2 candidates"),
    ],
)
def test_impossible_input_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def coverage(tables, best, **options):
    """Share of tables whose 90% set holds the best candidate, and the mean size of the set."""
    sets = [
        confidence_set_of_the_best(t, level=0.9, n_resamples=299, rng=0, **options) for t in tables
    ]
    return np.mean([best in found.indices for found in sets]), np.mean(
        [found.indices.size for found in sets]
    )


@pytest.mark.slow
@pytest.mark.parametrize("correlation", [0.0, 0.9])
@pytest.mark.parametrize("means", ["equal", "spread"])
def test_the_set_holds_the_best_as_often_as_it_says(correlation, means):
    rng = np.random.default_rng(7)
    mu = np.zeros(8) if means == "equal" else -0.15 * np.arange(8)
    common = rng.standard_normal((600, 40, 1))
    own = rng.standard_normal((600, 40, 8))
    tables = mu + np.sqrt(correlation) * common + np.sqrt(1 - correlation) * own
    covered, size = coverage(tables, best=0)
    assert covered >= 0.9 - 3 * np.sqrt(0.09 / 600)
    if means == "equal":
        assert covered == pytest.approx(0.9, abs=3 * np.sqrt(0.09 / 600))
    else:
        assert size < 7


@pytest.mark.slow
def test_the_set_covers_for_right_and_wrong_answers_on_rows():
    rng = np.random.default_rng(8)
    latent = np.sqrt(0.6) * rng.standard_normal((600, 120, 1)) + np.sqrt(0.4) * (
        rng.standard_normal((600, 120, 6))
    )
    right = (latent < stats.norm.ppf(0.8)).astype(float)
    covered, _ = coverage(right, best=0)
    assert covered >= 0.9 - 3 * np.sqrt(0.09 / 600)


@pytest.mark.slow
def test_the_set_covers_for_folds_that_overlap():
    rng = np.random.default_rng(9)
    share = 0.1  # of variance common to the ten folds, by the model of Nadeau and Bengio
    tables = np.sqrt(share) * rng.standard_normal((600, 1, 6)) + np.sqrt(1 - share) * (
        rng.standard_normal((600, 10, 6))
    )
    covered, _ = coverage(tables, best=0, n_train=90, n_test=10)
    assert covered >= 0.9 - 3 * np.sqrt(0.09 / 600)
    uncorrected, _ = coverage(tables, best=0)
    assert uncorrected < covered
