"""What works in the search itself and cannot work inside an outer fold."""

import numpy as np
import pytest
from searches import LOGISTIC, Recorder, X, Y
from sklearn.exceptions import FitFailedWarning
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    KFold,
    PredefinedSplit,
    StratifiedKFold,
)

from skmaxev import NestedCVSearch, ShrunkSearchCV


@pytest.mark.parametrize(
    ("search", "n_rows", "groups", "message"),
    [
        ({"cv": GroupKFold(3), "outer_cv": GroupKFold(3)}, 60, 3, "2 groups"),
        ({"cv": StratifiedKFold(4), "outer_cv": StratifiedKFold(4)}, 8, None, "3 to 3 in a class"),
        ({"cv": KFold(60), "outer_cv": KFold(6)}, 60, None, "50 rows"),
        ({"cv": PredefinedSplit(np.arange(60) % 3), "outer_cv": 3}, 60, None, "other rows"),
        ({"cv": list(KFold(3).split(np.zeros(60))), "outer_cv": 3}, 60, None, "list of splits"),
    ],
    ids=["groups", "members of a class", "rows", "predefined", "list"],
)
def test_what_cannot_be_split_inside_is_found_before_the_first_fit(search, n_rows, groups, message):
    Recorder.rows = []
    data = np.c_[np.arange(n_rows), np.arange(n_rows) % 7]
    params = {} if groups is None else {"groups": np.arange(n_rows) % groups}
    with pytest.raises(ValueError, match="outer fold") as error:
        NestedCVSearch(Recorder(), {"flip": [True, False]}, **search).fit(
            data, np.arange(n_rows) % 2, **params
        )
    assert message in str(error.value)
    assert "outer_cv=None" in str(error.value)
    assert Recorder.rows == []


def test_one_split_is_judged_by_its_rows_or_not_at_all():
    fold = np.full(80, -1)
    fold[60:] = 0
    options = {"cv": PredefinedSplit(fold)}
    search = ShrunkSearchCV(*LOGISTIC, **options).fit(X, Y)
    assert any("one split" in note for note in search.report_.notes)
    assert search.n_splits_ == 1
    with pytest.warns(UserWarning, match="honest score is NaN.*1 split"):
        search = ShrunkSearchCV(*LOGISTIC, keep_predictions=False, **options).fit(X, Y)
    assert np.isnan(search.best_score_)
    assert search.predict(X).shape == (80,)
    with pytest.warns(UserWarning, match="No nested cross-validation"):
        search = NestedCVSearch(*LOGISTIC, **options).fit(X, Y)
    assert np.isnan(search.best_score_)


def test_a_list_of_splits_is_shared_by_the_nested_search():
    folds = list(StratifiedKFold(5, shuffle=True, random_state=0).split(X, Y))
    by_list = NestedCVSearch(*LOGISTIC, cv=folds).fit(X, Y)
    by_splitter = NestedCVSearch(
        *LOGISTIC, cv=StratifiedKFold(5, shuffle=True, random_state=0)
    ).fit(X, Y)
    np.testing.assert_array_equal(by_list.outer_scores_, by_splitter.outer_scores_)


def test_a_class_too_small_for_the_inner_folds_is_named_with_its_number():
    room = pytest.importorskip("imblearn.over_sampling")
    pipeline = pytest.importorskip("imblearn.pipeline")
    y = np.r_[np.ones(8, dtype=int), np.zeros(112, dtype=int)]
    data = np.random.default_rng(0).normal(size=(120, 4)) + 1.5 * y[:, None]
    model = pipeline.make_pipeline(room.SMOTE(random_state=0), LogisticRegression())
    grid = {"logisticregression__C": [0.01, 1.0]}
    folds = StratifiedKFold(4)
    with pytest.warns(FitFailedWarning, match="4 to 56 in a class; .* 6 to 84 in a class"):
        search = NestedCVSearch(model, grid, cv=folds).fit(data, y)
    assert np.isnan(search.best_score_)
    assert search.naive_best_score_ == GridSearchCV(model, grid, cv=folds).fit(data, y).best_score_
    with pytest.warns(FitFailedWarning, match="in a class"):
        search = NestedCVSearch(model, grid, cv=folds, outer_cv=folds).fit(data, y)
    assert np.isnan(search.best_score_)
