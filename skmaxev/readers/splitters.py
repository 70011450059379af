"""The design of the splits of a finished search, read off its splitter."""

from __future__ import annotations

from collections.abc import Sequence
from math import comb
from typing import Any

from sklearn.model_selection import (
    BaseShuffleSplit,
    GroupKFold,
    GroupShuffleSplit,
    KFold,
    LeaveOneGroupOut,
    LeaveOneOut,
    LeavePGroupsOut,
    LeavePOut,
    PredefinedSplit,
    RepeatedKFold,
    RepeatedStratifiedKFold,
    StratifiedGroupKFold,
    StratifiedKFold,
    TimeSeriesSplit,
)

from skmaxev.table import Design

__all__ = ["design_of_splitter"]

_PARTITIONS = (
    GroupKFold,
    KFold,
    LeaveOneGroupOut,
    LeaveOneOut,
    PredefinedSplit,
    StratifiedGroupKFold,
    StratifiedKFold,
)


def design_of_splitter(cv: Any, n_splits: int) -> Design | None:
    """Read how ``n_splits`` splits came about off the ``cv`` of a search that has made them.

    None where a splitter is not scikit-learn's, does not tell the share of test rows, or can be
    used only once, so that its splits are gone.
    """
    if isinstance(cv, Sequence):
        return Design.from_splits(cv, source="splitter")
    n_repeats, share = 1, None
    if cv is None or isinstance(cv, (int, *_PARTITIONS)):
        share = 1.0 / max(n_splits, 2)
    elif isinstance(cv, RepeatedKFold | RepeatedStratifiedKFold):
        n_repeats, share = cv.n_repeats, cv.n_repeats / n_splits
    elif isinstance(cv, BaseShuffleSplit):
        n_repeats, share = n_splits, _share_of_shuffles(cv)
    elif isinstance(cv, LeavePOut | LeavePGroupsOut):
        n_left_out = cv.p if isinstance(cv, LeavePOut) else cv.n_groups
        n_all = n_left_out
        while comb(n_all, n_left_out) < n_splits:
            n_all += 1
        n_repeats, share = n_splits, n_left_out / n_all
    elif isinstance(cv, TimeSeriesSplit) and not (cv.gap or cv.test_size or cv.max_train_size):
        # Blocks of n / (K + 1) rows; split k trains on k of them, on (K + 1) / 2 in the mean.
        share = 2.0 / (n_splits + 3.0)
    if share is None:
        return None
    return Design(n_splits=n_splits, n_repeats=n_repeats, test_share=share, source="splitter")


def _share_of_shuffles(cv: Any) -> float | None:
    """Take the share of test rows from the parameters; None where they count rows."""
    test, train = cv.test_size, cv.train_size
    if test is None and train is None:
        return 0.2 if isinstance(cv, GroupShuffleSplit) else 0.1  # scikit-learn's defaults
    if isinstance(test, int) and isinstance(train, int):
        return test / (test + train)
    if any(isinstance(size, int) for size in (test, train)):
        return None
    test = 1.0 - train if test is None else test
    return float(test / (test + (1.0 - test if train is None else train)))
