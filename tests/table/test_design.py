"""How the design of splits is read off their row numbers."""

import numpy as np
import pytest
from sklearn.model_selection import (
    GroupKFold,
    KFold,
    LeaveOneOut,
    LeavePOut,
    RepeatedKFold,
    ShuffleSplit,
    StratifiedKFold,
    TimeSeriesSplit,
)

from skmaxev.table import Design

N_ROWS = 60
X = np.zeros((N_ROWS, 1))
y = np.arange(N_ROWS) % 2
groups = np.arange(N_ROWS) // 6


@pytest.mark.parametrize(
    ("cv", "n_repeats", "n_folds", "test_share"),
    [
        (KFold(5), 1, 5, 0.2),
        (StratifiedKFold(10, shuffle=True), 1, 10, 0.1),
        (RepeatedKFold(n_splits=5, n_repeats=4, random_state=0), 4, 5, 0.2),
        (ShuffleSplit(100, test_size=0.25, random_state=0), 100, 1, 0.25),
        (LeaveOneOut(), 1, N_ROWS, 1 / N_ROWS),
        (LeavePOut(2), N_ROWS * (N_ROWS - 1) // 2, 1, 2 / N_ROWS),
        (GroupKFold(5), 1, 5, 0.2),
    ],
    ids=str,
)
def test_the_design_of_scikit_learns_splitters(cv, n_repeats, n_folds, test_share):
    labels = {"groups": groups} if isinstance(cv, GroupKFold) else {}
    design = Design.from_splits(list(cv.split(X, y, **labels)))
    assert (design.n_repeats, design.n_folds) == (n_repeats, n_folds)
    assert design.test_share == pytest.approx(test_share)
    assert design.n_rows == N_ROWS


def test_time_series_splits_are_one_partition_of_the_later_rows():
    design = Design.from_splits(list(TimeSeriesSplit(5).split(X)))
    assert (design.n_repeats, design.n_folds, design.n_rows) == (1, 5, 50)


def test_the_order_of_rows_within_a_split_does_not_matter():
    splits = list(RepeatedKFold(n_splits=3, n_repeats=2, random_state=0).split(X))
    turned = [(train[::-1], test[::-1]) for train, test in splits]
    assert Design.from_splits(turned).n_repeats == 2


def test_repeats_that_do_not_divide_the_splits_are_refused():
    with pytest.raises(ValueError, match="n_repeats must divide"):
        Design(n_splits=7, n_repeats=2, test_share=0.2)


@pytest.mark.parametrize("share", [0.0, 1.0, np.nan])
def test_an_impossible_test_share_is_refused(share):
    with pytest.raises(ValueError, match="test_share must be between 0 and 1"):
        Design(n_splits=5, test_share=share)
