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
    ShuffleSplit,
    StratifiedKFold,
    StratifiedShuffleSplit,
)

from skmaxev import LowVarianceCVSearch, NestedCVSearch, ShrunkSearchCV
from skmaxev.engine.splits import describe_rows


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


class NeedsRows(LogisticRegression):
    """Cannot be fitted on fewer than 40 rows."""

    def fit(self, X, y):
        if len(y) < 40:
            raise RuntimeError("too few rows")
        return super().fit(X, y)


@pytest.mark.parametrize(
    "options",
    [{}, {"scoring": ["accuracy", "f1"], "refit": "f1"}, {"refit": lambda _: 1}],
    ids=["one metric", "two metrics", "a rule"],
)
def test_errors_are_raised_where_grid_search_raises_them_and_told_of_inside(options):
    data, y, grid = X[:50], Y[:50], {"C": [0.01, 1.0, 100.0]}
    options = {"cv": 5, "error_score": "raise", **options}
    plain = GridSearchCV(NeedsRows(), grid, **options).fit(data, y)
    with pytest.warns(FitFailedWarning, match=r"30 rows.*40 rows.*set to nan[\s\S]*too few rows"):
        search = NestedCVSearch(NeedsRows(), grid, **options).fit(data, y)
    assert np.isnan(search.best_score_)
    assert search.best_params_ == plain.best_params_
    for key, values in plain.cv_results_.items():
        if not key.endswith("_time"):
            np.testing.assert_array_equal(search.cv_results_[key], values)
    with pytest.raises(RuntimeError, match="too few rows"):
        NestedCVSearch(NeedsRows(), grid, outer_cv=5, **options).fit(data, y)
    with pytest.raises(RuntimeError, match="too few rows"):
        NestedCVSearch(NeedsRows(), grid, **options).fit(X[:45], Y[:45])


class CountsRows(LogisticRegression):
    """Remembers how many rows it was fitted on."""

    def fit(self, X, y):
        self.n_rows_ = len(y)
        return super().fit(X, y)


def counting_accuracy(model, X, y):
    if model.n_rows_ < 40:
        raise RuntimeError("too few rows")
    return model.score(X, y)


@pytest.mark.parametrize("refit", [True, "a", "b"])
def test_errors_of_scorers_are_raised_where_grid_search_raises_them(refit):
    data, y, grid = X[:50], Y[:50], {"C": [0.01, 1.0]}
    scoring = counting_accuracy if refit is True else {"a": counting_accuracy, "b": "accuracy"}
    options = {"cv": 5, "error_score": "raise", "scoring": scoring, "refit": refit}
    plain = GridSearchCV(CountsRows(), grid, **options).fit(data, y)
    with pytest.warns(UserWarning, match=r"scores inside outer folds failed[\s\S]*too few rows"):
        search = NestedCVSearch(CountsRows(), grid, **options).fit(data, y)
    assert np.isnan(search.best_score_) == (refit != "b")
    assert search.best_params_ == plain.best_params_
    with pytest.raises(RuntimeError, match="too few rows"):
        NestedCVSearch(CountsRows(), grid, outer_cv=5, **options).fit(data, y)
    with pytest.raises(RuntimeError, match="too few rows"):
        NestedCVSearch(CountsRows(), grid, **options).fit(X[:45], Y[:45])


class OnlyWhole:
    """A splitter that is made for all rows and fails on fewer."""

    def __init__(self, error):
        self.error = error

    def get_n_splits(self, X=None, y=None, groups=None):
        return 2

    def split(self, X, y=None, groups=None):
        if len(X) < 60:
            raise self.error("not for so few")
        yield np.arange(30), np.arange(30, 60)
        yield np.arange(40), np.arange(40, 60)


@pytest.mark.parametrize("error", [IndexError, KeyError, ValueError])
def test_whatever_a_splitter_raises_inside_the_search_itself_is_made(error):
    data, y = X[:60], Y[:60]
    plain = GridSearchCV(*LOGISTIC, cv=OnlyWhole(error)).fit(data, y)
    with pytest.warns(UserWarning, match="outer fold 0 .30 rows.*not for so few.*three or more"):
        search = NestedCVSearch(*LOGISTIC, cv=OnlyWhole(error)).fit(data, y)
    assert np.isnan(search.best_score_)
    assert search.best_params_ == plain.best_params_
    Recorder.rows = []
    with pytest.raises(ValueError, match=r"outer fold 0 .40 rows.*not for so few.*fewer folds"):
        NestedCVSearch(Recorder(), {"flip": [True]}, cv=OnlyWhole(error), outer_cv=3).fit(data, y)
    assert Recorder.rows == []


class OnDevice:
    """An array that lies where NumPy cannot read it."""

    def __len__(self):
        return 4

    def __array__(self, dtype=None, copy=None):
        raise RuntimeError("on another device")


def test_what_numpy_cannot_read_is_left_out_of_messages():
    assert describe_rows(4, None, OnDevice()) == "4 rows"
    assert describe_rows(4, [0, 0, 1, 0], [1, 2, 2, 3]) == "4 rows, 1 to 3 in a class, 3 groups"


def test_outer_folds_without_a_score_are_told_of():
    def nothing_below_forty_rows(model, X, y):
        return np.nan if model.n_rows_ < 40 else model.score(X, y)

    with pytest.warns(UserWarning, match=r"best_score_ is NaN: outer folds \[0, 1, 2, 3, 4\]"):
        search = NestedCVSearch(
            CountsRows(), {"C": [0.01, 1.0]}, scoring=nothing_below_forty_rows
        ).fit(X[:50], Y[:50])
    assert np.isnan(search.best_score_)
    assert np.isfinite(search.naive_best_score_)


@pytest.mark.parametrize(
    ("cv", "inner_cv", "message"),
    [
        (KFold(5), 20, r"judged rows of fold 0 .16 rows.*inner_cv=None"),
        (ShuffleSplit(2, train_size=10, test_size=40, random_state=0), 3, r"fold 0 .10 rows"),
        (
            StratifiedShuffleSplit(2, train_size=4, test_size=40, random_state=0),
            3,
            r"fold 0 .4 rows",
        ),
    ],
    ids=str,
)
def test_the_full_form_finds_what_it_cannot_split_before_the_first_fit(cv, inner_cv, message):
    Recorder.rows = []
    search = LowVarianceCVSearch(Recorder(), {"flip": [True, False]}, cv=cv, inner_cv=inner_cv)
    with pytest.raises(ValueError, match=message):
        search.fit(X, Y)
    assert Recorder.rows == []
