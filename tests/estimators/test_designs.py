"""Repeats and shuffled splits judge the same rows: their number is no number of samples."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.model_selection import KFold, LeaveOneOut, RepeatedKFold, ShuffleSplit

from skmaxev.estimators import (
    bbc_folds,
    consensus,
    efron_shrinkage,
    low_bias_cv,
    low_variance_cv,
    residual_noise,
    selection_interval,
)
from skmaxev.table import Design

POINTS = {
    "consensus": consensus,
    "efron": efron_shrinkage,
    "low variance": low_variance_cv,
    "low bias": low_bias_cv,
    "noise": residual_noise,
}


def repeated(n_folds, n_repeats):
    return Design(n_splits=n_folds * n_repeats, n_repeats=n_repeats, test_share=1 / n_folds)


@pytest.mark.parametrize("name", POINTS)
@given(st.integers(0, 99), st.integers(2, 6), st.integers(1, 4))
def test_one_partition_repeated_counts_once(name, seed, n_folds, n_repeats):
    once = np.random.default_rng(seed).normal(size=(n_folds, 6))
    often = POINTS[name](np.tile(once, (n_repeats, 1)), design=repeated(n_folds, n_repeats))
    assert often == pytest.approx(POINTS[name](once))


@pytest.mark.parametrize("name", ["low variance", "low bias"])
def test_partitions_choose_and_judge_within_themselves(name):
    tables = np.random.default_rng(0).normal(size=(3, 5, 4))
    found = POINTS[name](tables.reshape(15, 4), design=repeated(5, 3))
    within = POINTS[name](tables).mean()
    assert found == pytest.approx(min(within, tables.mean(axis=(0, 1)).max()))


@pytest.mark.parametrize("name", POINTS)
@pytest.mark.parametrize("size", [1e-14, 1e14])
def test_a_unit_changes_nothing_but_the_unit(name, size):
    scores = np.random.default_rng(1).normal(size=(15, 4))
    unit = size**2 if name == "noise" else size
    found = POINTS[name](size * scores, design=repeated(5, 3))
    assert found == pytest.approx(unit * POINTS[name](scores, design=repeated(5, 3)), rel=1e-6)


def right_rows(rng, n_rows=60, n_candidates=40):
    """Fixed rules that are right by chance: nothing is learned, so all noise is that of rows."""
    return (rng.random((n_rows, n_candidates)) < 0.5) * 1.0


def table_of(rows, splits):
    return np.array([rows[test].mean(axis=0) for _, test in splits])


SPLITTERS = {
    "5 x 1": lambda seed: KFold(5, shuffle=True, random_state=seed),
    "5 x 20": lambda seed: RepeatedKFold(n_splits=5, n_repeats=20, random_state=seed),
    "10 x 10": lambda seed: RepeatedKFold(n_splits=10, n_repeats=10, random_state=seed),
    "shuffles": lambda seed: ShuffleSplit(100, test_size=0.2, random_state=seed),
    "leave one out": lambda seed: LeaveOneOut(),  # as the others
}


@pytest.mark.slow
@pytest.mark.parametrize("name", SPLITTERS)
def test_rules_without_signal_are_found_out_whatever_the_splits(name):
    """The truth is one half. Who takes 100 splits for 100 samples leaves nearly all of the gain."""
    rng, held, left, printed = np.random.default_rng(0), [], [], []
    for seed in range(60):
        rows = right_rows(rng)
        splits = list(SPLITTERS[name](seed).split(rows))
        scores, design = table_of(rows, splits), Design.from_splits(splits)
        estimate = consensus(scores, design=design)
        low, high = selection_interval(scores, estimate=estimate, design=design, support=(0.0, 1.0))
        held.append(low <= 0.5 <= high)
        left.append(estimate - 0.5)
        printed.append(scores.mean(axis=0).max() - 0.5)
    assert np.mean(held) >= 0.92
    assert np.mean(left) <= 0.25 * np.mean(printed)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["5 x 20", "shuffles"])
def test_the_noise_of_fixed_rules_is_that_of_their_rows(name):
    """Var(mean) = p (1 - p) / n, however often the rows are judged."""
    rng, found = np.random.default_rng(1), []
    for seed in range(100):
        rows = right_rows(rng)
        splits = list(SPLITTERS[name](seed).split(rows))
        found.append(residual_noise(table_of(rows, splits), design=Design.from_splits(splits)))
    assert np.mean(found) == pytest.approx(0.25 / 60, rel=0.1)


def test_shuffled_splits_leave_no_fresh_rows_to_resample():
    design = Design(n_splits=10, n_repeats=10, test_share=0.2)
    with pytest.raises(ValueError, match="10 shuffled splits"):
        bbc_folds(np.zeros((10, 3)), design=design)


@pytest.mark.parametrize("name", POINTS)
def test_a_design_of_other_splits_is_refused(name):
    with pytest.raises(ValueError, match="it has 4 splits, the scores have 5"):
        POINTS[name](np.zeros((5, 3)), design=Design.assumed(4))
