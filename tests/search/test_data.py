"""Kinds of data and of settings: all are kept as they came."""

import numpy as np
import pandas as pd
import pytest
from searches import LOGISTIC, X, Y
from sklearn.compose import TransformedTargetRegressor, make_column_transformer
from sklearn.datasets import (
    make_multilabel_classification,
)
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge
from sklearn.model_selection import (
    GridSearchCV,
    KFold,
    StratifiedKFold,
    cross_val_score,
)
from sklearn.neighbors import KernelDensity, KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, SplineTransformer

from skmaxev import NestedCVSearch


def test_frames_keep_names_and_positions_whatever_their_index():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"age": rng.normal(40, 9, 60), "city": rng.choice(["rome", "oslo"], 60)})
    y = pd.Series(np.where(frame["age"] + rng.normal(0, 8, 60) > 40, "yes", "no"))
    frame.loc[::7, "age"] = np.nan
    frame.index = y.index = ["dup"] * 30 + list(range(100, 130))
    columns = make_column_transformer((SimpleImputer(), ["age"]), (OneHotEncoder(), ["city"]))
    model = make_pipeline(columns, LogisticRegression())
    grid = {"columntransformer__simpleimputer__strategy": ["mean", "median"]}
    search = NestedCVSearch(model, grid, cv=3, outer_cv=StratifiedKFold(4)).fit(frame, y)
    expected = cross_val_score(GridSearchCV(model, grid, cv=3), frame, y, cv=StratifiedKFold(4))
    np.testing.assert_array_equal(search.outer_scores_, expected)
    assert list(search.feature_names_in_) == ["age", "city"]


@pytest.mark.filterwarnings("ignore:A column-vector y was passed")
def test_a_column_of_targets_scores_as_a_vector():
    column = NestedCVSearch(*LOGISTIC, cv=3).fit(X, Y.reshape(-1, 1))
    vector = NestedCVSearch(*LOGISTIC, cv=3).fit(X, Y)
    np.testing.assert_array_equal(column.outer_scores_, vector.outer_scores_)


def test_many_labels_a_row_are_split_without_strata_at_both_levels():
    data, labels = make_multilabel_classification(60, n_classes=3, random_state=0)
    knn, grid = KNeighborsClassifier(), {"n_neighbors": [1, 5]}
    options = {"cv": 3, "scoring": "f1_micro"}
    search = NestedCVSearch(knn, grid, outer_cv=4, **options).fit(data, labels)
    expected = cross_val_score(
        GridSearchCV(knn, grid, **options), data, labels, cv=KFold(4), scoring="f1_micro"
    )
    np.testing.assert_array_equal(search.outer_scores_, expected)


def test_settings_of_any_type_and_shape_are_kept_as_they_are():
    rng = np.random.default_rng(0)
    data = rng.uniform(0, 10, (60, 1))
    knots = ["uniform", np.linspace(0, 10, 4)[:, None], np.linspace(0, 10, 6)[:, None]]
    model = make_pipeline(SplineTransformer(extrapolation="linear"), LinearRegression())
    search = NestedCVSearch(model, {"splinetransformer__knots": knots}, cv=3)
    search.fit(data, np.sin(data[:, 0]))
    kept = [params["splinetransformer__knots"] for params in search.cv_results_["params"]]
    assert kept[0] == "uniform"
    assert kept[1].shape == (4, 1)
    assert "uniform" in str(search.report_) or "array" in str(search.report_)
    pd.DataFrame(search.outer_results_)


def test_a_search_without_target():
    data = np.random.default_rng(0).normal(size=(60, 2))
    grid = {"bandwidth": np.logspace(-1, 1, 4)}
    search = NestedCVSearch(KernelDensity(), grid, cv=3, outer_cv=4).fit(data)
    expected = cross_val_score(GridSearchCV(KernelDensity(), grid, cv=3), data, cv=4)
    np.testing.assert_array_equal(search.outer_scores_, expected)


def test_outer_folds_are_scored_by_the_metric_of_the_search():
    rng = np.random.default_rng(0)
    data = rng.normal(size=(60, 4))
    y = np.exp(1 + data[:, 0] + rng.normal(0, 0.5, 60))
    model = TransformedTargetRegressor(Ridge(), func=np.log, inverse_func=np.exp)
    grid, scoring = {"regressor__alpha": [0.1, 10.0]}, "neg_root_mean_squared_error"
    search = NestedCVSearch(model, grid, cv=3, outer_cv=4, scoring=scoring).fit(data, y)
    plain = GridSearchCV(model, grid, cv=3, scoring=scoring)
    expected = cross_val_score(plain, data, y, cv=4, scoring=scoring)
    np.testing.assert_array_equal(search.outer_scores_, expected)
    assert search.best_score_ < 0
