"""The plan against a slow function that only knows sets."""

import itertools
import tracemalloc
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.model_selection import (
    GroupKFold,
    KFold,
    LeaveOneGroupOut,
    LeaveOneOut,
    LeavePGroupsOut,
    PredefinedSplit,
    RepeatedKFold,
    ShuffleSplit,
    StratifiedGroupKFold,
    StratifiedKFold,
    TimeSeriesSplit,
)

from skmaxev.engine.plan import make_plan, share_folds
from skmaxev.engine.splits import as_splits
from skmaxev.engine.types import Nesting, Place, Split

N = 24
Y = np.arange(N) % 2
GROUPS = np.arange(N) % 6

PARTITIONS = [
    KFold(3),
    KFold(5, shuffle=True, random_state=0),
    StratifiedKFold(4),
    GroupKFold(3),
    LeaveOneOut(),
    LeaveOneGroupOut(),
    StratifiedGroupKFold(3),
    PredefinedSplit(np.repeat([-1, 0, 1, 2], 6)),
]
OTHERS = [
    KFold(2),
    ShuffleSplit(4, random_state=0),
    ShuffleSplit(3, test_size=0.1, random_state=1),
    TimeSeriesSplit(4),
    LeavePGroupsOut(2),
    PredefinedSplit(np.repeat([-1, 0], 12)),
]


def splits_of(cv):
    groups = GROUPS if "Group" in type(cv).__name__ else None
    return as_splits(cv.split(np.zeros(N), Y, groups), N)


def slow_fits(splits):
    """Every set of rows that nested cross-validation over shared folds trains on."""
    needed = {frozenset(train.tolist()) for train, _ in splits}
    for (train_i, test_i), (_, test_j) in itertools.permutations(splits, 2):
        if not set(test_i.tolist()) & set(test_j.tolist()):
            needed.add(frozenset(train_i.tolist()) - frozenset(test_j.tolist()))
    return needed


@pytest.mark.parametrize("cv", PARTITIONS, ids=lambda cv: type(cv).__name__)
def test_shared_folds_need_each_set_of_rows_once(cv):
    splits = splits_of(cv)
    plan = make_plan(splits, share_folds(splits))
    trained = [frozenset(unit.train.tolist()) for unit in plan.units]
    assert len(trained) == len(set(trained))
    assert set(trained) == slow_fits(splits)
    k = len(splits)
    assert plan.n_fits(7, refit=True) == 7 * (k + k * (k - 1) // 2) + 1


@pytest.mark.parametrize("cv", PARTITIONS, ids=lambda cv: type(cv).__name__)
def test_every_place_is_judged_on_its_own_rows_by_a_model_that_never_saw_them(cv):
    splits = splits_of(cv)
    plan = make_plan(splits, share_folds(splits))
    for place, (number, judged) in plan.where.items():
        unit = plan.units[number]
        assert place in unit.places[judged]
        assert not set(unit.train) & set(unit.judged[judged])
        outer = splits[place.outer].test if place.level == "inner" else ()
        assert not set(unit.train) & set(outer)


@pytest.mark.parametrize("cv", PARTITIONS, ids=lambda cv: type(cv).__name__)
def test_inner_folds_are_the_other_folds_in_their_order(cv):
    splits = splits_of(cv)
    nesting = share_folds(splits)
    for k, inner in enumerate(nesting.inner):
        others = [split.test for j, split in enumerate(splits) if j != k]
        for split, test in zip(inner, others, strict=True):
            np.testing.assert_array_equal(split.test, test)
            np.testing.assert_array_equal(split.train, np.sort(split.train))


@pytest.mark.parametrize("cv", OTHERS, ids=lambda cv: type(cv).__name__)
def test_splits_that_are_no_partition_are_not_shared(cv):
    assert share_folds(splits_of(cv)) is None


def test_repeated_folds_are_shared_within_each_repeat():
    splits = splits_of(RepeatedKFold(n_splits=4, n_repeats=3, random_state=0))
    nesting = share_folds(splits)
    assert [len(inner) for inner in nesting.inner] == [3] * 12
    assert make_plan(splits, nesting).n_fits(1, refit=False) == 3 * (4 + 6)


def test_rows_in_another_order_are_another_fit():
    shuffled = [Split(split.train[::-1], split.test) for split in splits_of(KFold(3))]
    assert share_folds(shuffled) is None
    both = make_plan([*splits_of(KFold(3)), *shuffled])
    assert len(both.units) == 6


def test_masks_lists_and_negative_numbers_are_the_rows_they_name():
    train, test = np.array([True, True, False]), [-1]
    (split,) = as_splits([(train, test)], 3)
    assert split.train.tolist() == [0, 1]
    assert split.test.tolist() == [2]


def test_the_same_split_twice_is_fitted_and_judged_once():
    splits = splits_of(KFold(3))
    plan = make_plan([splits[0], splits[0], splits[1]])
    assert [len(unit.judged) for unit in plan.units] == [1, 1]
    assert plan.units[0].search_splits == (0, 1)


def test_an_outer_fold_that_the_search_trains_on_needs_no_second_fit():
    splits = splits_of(ShuffleSplit(3, random_state=0))
    inner = tuple((Split(fold.train[:9], fold.train[9:]),) for fold in splits)
    plan = make_plan(splits, Nesting(outer=splits, inner=inner))
    assert plan.outer_refits == ()
    assert plan.where[Place("outer", 1, 0)] == plan.where[Place("search", -1, 1)]


@given(st.lists(st.integers(-1, 4), min_size=8, max_size=30))
def test_any_labels_of_folds_give_the_fits_of_the_slow_function(labels):
    labels = np.array(labels)
    folds = np.unique(labels[labels >= 0])
    if len(folds) < 3:
        return
    splits = as_splits(PredefinedSplit(labels).split(), len(labels))
    plan = make_plan(splits, share_folds(splits))
    trained = {frozenset(unit.train.tolist()) for unit in plan.units}
    assert trained == slow_fits(splits)


@given(st.lists(st.integers(-1, 4), min_size=8, max_size=30), st.integers(1, 2))
def test_pairs_of_folds_are_counted_as_if_found_by_their_rows(labels, n_repeats):
    folds = np.unique([label for label in labels if label >= 0])
    if len(folds) < 3:
        return
    both = [np.array(labels), np.where(np.array(labels) < 0, -1, np.array(labels)[::-1])]
    splits = [s for repeat in both[:n_repeats] for s in PredefinedSplit(repeat).split()]
    splits = as_splits(splits, len(labels))
    nesting = share_folds(splits)
    if nesting is None:
        return
    plan = make_plan(splits, nesting)
    slow = make_plan(splits, replace(nesting, inner=tuple(map(tuple, nesting.inner))))
    assert dict(plan.where).keys() == slow.where.keys()
    for place, (number, judged) in plan.where.items():
        unit, (slow_number, slow_judged) = plan.units[number], slow.where[place]
        slow_unit = slow.units[slow_number]
        np.testing.assert_array_equal(unit.train, slow_unit.train)
        np.testing.assert_array_equal(unit.judged[judged], slow_unit.judged[slow_judged])
        assert place in unit.places[judged]
        assert len(unit.judged) == plan.n_judged[number]
    if n_repeats == 1:
        assert dict(plan.where) == slow.where
        assert [unit.places for unit in plan.units] == [unit.places for unit in slow.units]


def test_a_repeat_that_is_the_same_again_is_fitted_once():
    splits = splits_of(KFold(4)) * 2
    assert len(make_plan(splits, share_folds(splits)).units) == 4 + 6


def test_leave_one_out_needs_memory_for_its_splits_only():
    data = np.zeros((500, 1))
    splits = as_splits(LeaveOneOut().split(data), 500)
    tracemalloc.start()
    plan = make_plan(splits, share_folds(splits))
    unit = plan.units[-1]
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert plan.n_fits(3, refit=True) == 3 * (500 + 500 * 499 // 2) + 1
    assert np.setdiff1d(np.arange(500), unit.train).tolist() == [498, 499]
    assert peak < 10e6  # rows of training for each pair of folds would be 500 MB
