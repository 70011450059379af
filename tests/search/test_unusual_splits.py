"""Splits and iterators as users give them, and what is said where rows cannot be kept."""

import numpy as np
import pandas as pd
import pytest
from searches import LOGISTIC, Recorder, X, Y
from sklearn.linear_model import Ridge
from sklearn.model_selection import (
    GridSearchCV,
    KFold,
    StratifiedKFold,
    cross_val_score,
)

from skmaxev import HonestSearchCV, NestedCVSearch, ShrunkSearchCV

FOLDS = list(StratifiedKFold(3).split(X, Y))
DATA = np.c_[np.arange(80), X[:, 0]]


def in_mask(rows):
    mask = np.zeros(80, dtype=bool)
    mask[rows] = True
    return mask


NAMES = {
    "masks": in_mask,
    "lists of truth values": lambda rows: in_mask(rows).tolist(),
    "lists": np.ndarray.tolist,
    "index": pd.Index,
    "series": pd.Series,
    "from the end": lambda rows: rows - 80,
    "small numbers": lambda rows: rows.astype(np.uint8),
}


@pytest.mark.parametrize("kind", NAMES)
def test_rows_are_named_in_any_way_at_both_levels(kind):
    folds = [tuple(map(NAMES[kind], pair)) for pair in FOLDS]
    plain = GridSearchCV(*LOGISTIC, cv=folds).fit(X, Y)
    search = NestedCVSearch(*LOGISTIC, cv=folds).fit(X, Y)
    np.testing.assert_array_equal(
        search.cv_results_["mean_test_score"], plain.cv_results_["mean_test_score"]
    )
    classical = NestedCVSearch(*LOGISTIC, cv=2, outer_cv=folds).fit(X, Y)
    expected = cross_val_score(GridSearchCV(*LOGISTIC, cv=2), X, Y, cv=folds)
    np.testing.assert_array_equal(classical.outer_scores_, expected)


WRONG = {
    "a mask of another length": (np.ones(79, dtype=bool), "masks of 80 entries.*bool"),
    "rows that are not there": ([0, 80], "asks for row 80, but there are 80 rows"),
    "rows before the first": ([0, -81], "asks for row -81"),
    "fractions": ([0.5, 1.0], "whole numbers.*float64"),
    "a slice": (slice(0, 40), "got slice"),
    "names": (["a", "b"], "dtype <U1"),
    "a column": (np.arange(40)[:, None], r"shape \(40, 1\)"),
}


@pytest.mark.parametrize("level", ["cv", "outer_cv"])
@pytest.mark.parametrize("kind", WRONG)
def test_what_names_no_rows_is_refused_before_the_first_fit(kind, level):
    rows, message = WRONG[kind]
    Recorder.rows = []
    search = NestedCVSearch(Recorder(), {"flip": [True, False]}, **{level: [(rows, [1]), *FOLDS]})
    with pytest.raises(ValueError, match=message):
        search.fit(DATA, Y)
    assert Recorder.rows == []


@pytest.mark.parametrize("empty", [([], np.arange(80)), (np.arange(80), [])])
def test_outer_folds_without_rows_are_refused_before_the_first_fit(empty):
    Recorder.rows = []
    search = NestedCVSearch(Recorder(), {"flip": [True, False]}, cv=2, outer_cv=[*FOLDS, empty])
    with pytest.raises(ValueError, match=r"of 4 outer folds, \[3\] have none"):
        search.fit(DATA, Y)
    assert Recorder.rows == []


def test_an_iterator_serves_once_at_either_level():
    by_list = NestedCVSearch(*LOGISTIC, cv=FOLDS).fit(X, Y)
    once = NestedCVSearch(*LOGISTIC, cv=iter(FOLDS)).fit(X, Y)
    np.testing.assert_array_equal(once.outer_scores_, by_list.outer_scores_)
    outside = NestedCVSearch(*LOGISTIC, cv=2, outer_cv=StratifiedKFold(3).split(X, Y)).fit(X, Y)
    expected = cross_val_score(GridSearchCV(*LOGISTIC, cv=2), X, Y, cv=FOLDS)
    np.testing.assert_array_equal(outside.outer_scores_, expected)
    search = GridSearchCV(*LOGISTIC, cv=StratifiedKFold(3).split(X, Y))
    with pytest.raises(TypeError, match=r"can be cloned.*give cv=list"):
        HonestSearchCV(search).fit(X, Y)
    with pytest.raises(ValueError, match="list of splits"):
        NestedCVSearch(*LOGISTIC, cv=StratifiedKFold(3).split(X, Y), outer_cv=3).fit(X, Y)


THREE = np.arange(80) % 3
KEPT_NOT = {
    "a metric": ({"scoring": "adjusted_rand_score"}, Y, "what a row adds to 'adjusted_rand_score'"),
    "classes": ({"scoring": "roc_auc_ovr"}, THREE, "what a row adds to 'roc_auc_ovr'"),
}


@pytest.mark.parametrize("kind", KEPT_NOT)
def test_whoever_asks_for_rows_that_are_not_kept_is_told_why(kind):
    options, y, message = KEPT_NOT[kind]
    asked = ShrunkSearchCV(*LOGISTIC, keep_predictions=True, **options).fit(X, y)
    assert any("rows were not kept" in note and message in note for note in asked.report_.notes)
    auto = ShrunkSearchCV(*LOGISTIC, **options).fit(X, y)
    assert not any("single rows" in note for note in auto.report_.notes)


def test_whoever_asks_for_rows_of_weighted_scores_is_told_why():
    search = ShrunkSearchCV(*LOGISTIC, keep_predictions=True)
    weights = {"sample_weight": 1.0 + np.arange(80) % 3}
    if not search._get_routed_params_for_fit(weights)["scorer"]["score"]:
        pytest.skip("this scikit-learn hands no weights to scorers")
    search.fit(X, Y, **weights)
    assert any("depend on sample_weight" in note for note in search.report_.notes)


@pytest.mark.parametrize("keep", [True, "auto"])
def test_rows_that_have_no_number_each_are_told_of(keep):
    targets = np.c_[Y, 1 - Y]
    options = {"scoring": "neg_mean_squared_error", "cv": KFold(3), "keep_predictions": keep}
    search = ShrunkSearchCV(Ridge(), {"alpha": [0.1, 10.0]}, **options).fit(X, targets)
    assert any("one target" in note for note in search.report_.notes) == (keep is True)
