"""The design of a finished search, told by its splitter, is that of the splits themselves."""

import numpy as np
import pytest
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    GroupShuffleSplit,
    KFold,
    LeaveOneOut,
    LeavePGroupsOut,
    LeavePOut,
    RepeatedKFold,
    RepeatedStratifiedKFold,
    ShuffleSplit,
    StratifiedShuffleSplit,
    TimeSeriesSplit,
)
from sklearn.tree import DecisionTreeClassifier

from skmaxev.readers import read_scores
from skmaxev.readers.splitters import design_of_splitter
from skmaxev.table import Design

N_ROWS = 48
rng = np.random.default_rng(0)
X = rng.normal(size=(N_ROWS, 3))
y = np.arange(N_ROWS) % 2
groups = np.arange(N_ROWS) // 6
BY_GROUPS = (GroupKFold, GroupShuffleSplit, LeavePGroupsOut)


@pytest.mark.parametrize(
    "cv",
    [
        KFold(6),
        RepeatedKFold(n_splits=4, n_repeats=3, random_state=0),
        RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=0),
        ShuffleSplit(20, test_size=0.25, random_state=0),
        ShuffleSplit(8, train_size=0.5, test_size=0.25, random_state=0),
        StratifiedShuffleSplit(8, test_size=12, train_size=36, random_state=0),
        GroupShuffleSplit(8, test_size=0.25, random_state=0),
        LeaveOneOut(),
        LeavePOut(2),
        LeavePGroupsOut(2),
        GroupKFold(4),
        TimeSeriesSplit(5),
    ],
    ids=lambda cv: type(cv).__name__,
)
def test_the_splitter_tells_what_the_splits_show(cv):
    labels = {"groups": groups} if isinstance(cv, BY_GROUPS) else {}
    splits = list(cv.split(X, y, **labels))
    told, seen = design_of_splitter(cv, len(splits)), Design.from_splits(splits)
    assert (told.n_repeats, told.n_folds) == (seen.n_repeats, seen.n_folds)
    assert told.test_share == pytest.approx(seen.test_share)


def test_a_finished_search_brings_its_design():
    cv = RepeatedKFold(n_splits=4, n_repeats=3, random_state=0)
    search = GridSearchCV(DecisionTreeClassifier(random_state=0), {"max_depth": [1, 2]}, cv=cv)
    design = read_scores(search.fit(X, y)).design
    assert (design.n_repeats, design.n_folds, design.source) == (3, 4, "splitter")


def test_pairs_of_indices_are_read_as_they_are():
    splits = list(RepeatedKFold(n_splits=4, n_repeats=3, random_state=0).split(X))
    assert design_of_splitter(splits, 12).n_repeats == 3


@pytest.mark.parametrize("cv", [ShuffleSplit(5, test_size=10), TimeSeriesSplit(4, gap=2), iter(())])
def test_what_a_splitter_does_not_tell_stays_unknown(cv):
    assert design_of_splitter(cv, 5) is None
