"""Scores of single rows: dealt into parts that show the noise."""

import warnings
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import make_classification, make_regression
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV, LeaveOneOut
from sklearn.neighbors import KNeighborsClassifier

from skmaxev.correction import correct, with_parts
from skmaxev.readers.arrays import from_array
from skmaxev.search import HonestSearchCV, LowVarianceCVSearch, ShrunkSearchCV


@given(st.integers(20, 90), st.integers(2, 6), st.integers(0, 1000))
def test_every_row_counts_once_in_equal_parts(n_rows, n_candidates, seed):
    right = (np.random.default_rng(seed).random((n_rows, n_candidates)) < 0.7).astype(float)
    table = with_parts(from_array(right))
    held = np.zeros((n_rows, 10))  # tenths of a row that lie in a part
    for place, row in enumerate(sorted(range(n_rows), key=lambda row: (row % 10, row))):
        for part in range(10):
            inside = min(10 * place + 10, n_rows * part + n_rows) - max(10 * place, n_rows * part)
            held[row, part] = max(inside, 0)
    np.testing.assert_allclose(table.scores, held.T @ right / n_rows, atol=1e-12)
    named = held[np.arange(n_rows), table.rows.test_fold[0]]
    assert (named == held.max(axis=1)).all()  # the part that holds most of it
    np.testing.assert_allclose(table.scores.mean(axis=0), right.mean(axis=0), atol=1e-12)
    assert np.ptp(np.bincount(table.rows.test_fold[0], minlength=10)) <= 1


def test_failed_candidates_keep_their_place():
    right = (np.random.default_rng(0).random((40, 4)) < 0.7).astype(float)
    right[3, 1] = np.nan
    table = with_parts(from_array(right))
    assert np.isnan(table.scores[:, 1]).all()
    assert table.rows.complete.tolist() == [True, False, True, True]
    assert correct(right).n_used == 3


@pytest.mark.parametrize(
    "scores",
    [
        np.random.default_rng(0).random((19, 3)).round(),  # too few rows to deal
        np.random.default_rng(0).random((40, 3)),  # shares of several rows
        np.random.default_rng(0).random((40, 1)).round(),  # nothing was chosen
    ],
)
def test_other_splits_stay_as_they_are(scores):
    table = from_array(scores)
    assert with_parts(table) is table


def test_splits_of_which_some_only_are_single_rows_stay_as_they_are():
    right = (np.random.default_rng(1).random((40, 3)) < 0.7).astype(float)
    sizes = np.where(np.arange(40) == 7, 2, 1)
    table = replace(from_array(right), n_test=sizes)
    assert with_parts(table) is table
    assert with_parts(replace(table, n_test=np.ones(40, dtype=int))).n_splits == 10


def test_predictions_of_single_rows_lie_in_the_parts_of_their_scores():
    rng = np.random.default_rng(2)
    y = rng.integers(0, 2, 43)
    said = np.where(rng.random((3, 43)) < 0.7, y, 1 - y)
    order = rng.permutation(43)  # the row of each split is another
    report = correct(responses=said, metric="accuracy", y_true=y, test_fold=order)
    right = np.empty((43, 3))
    right[order] = (said == y).T
    expected = with_parts(from_array(right))
    np.testing.assert_allclose(report.table.scores, expected.scores)
    named = report.table.rows.test_fold[0]
    np.testing.assert_array_equal(named, expected.rows.test_fold[0][order])
    np.testing.assert_array_equal(report.table.rows.values[:, 0], said == y)


@pytest.mark.parametrize("kind", [ShrunkSearchCV, LowVarianceCVSearch, GridSearchCV])
@pytest.mark.parametrize(
    ("model", "grid", "scoring", "make"),
    [
        (KNeighborsClassifier(), {"n_neighbors": [1, 9, 20]}, "accuracy", make_classification),
        (Ridge(), {"alpha": [1e-3, 1.0, 1e3]}, "neg_mean_squared_error", make_regression),
    ],
)
def test_leave_one_out_is_corrected(kind, model, grid, scoring, make):
    X, y = make(n_samples=30, n_features=4, n_informative=2, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        search = kind(model, grid, cv=LeaveOneOut(), scoring=scoring).fit(X, y)
        report = correct(search)
    plain = GridSearchCV(model, grid, cv=LeaveOneOut(), scoring=scoring).fit(X, y)
    assert report.naive == pytest.approx(plain.best_score_)
    if kind is not GridSearchCV or scoring == "accuracy":
        assert report.n_splits == 10
        assert report.notes[0].startswith("Each of the 30 splits is one row")


def test_a_search_around_leave_one_out_says_the_same():
    X, y = make_classification(n_samples=40, n_features=4, random_state=0)
    inner = GridSearchCV(KNeighborsClassifier(), {"n_neighbors": [1, 9, 20]}, cv=LeaveOneOut())
    search = HonestSearchCV(inner).fit(X, y)
    assert search.report_.estimate == correct(inner.fit(X, y)).estimate
