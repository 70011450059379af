"""Unusual data, settings, scorers and models: the numbers of scikit-learn at both levels."""

import tempfile
from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from recorders import Vandal
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.calibration import CalibratedClassifierCV
from sklearn.cluster import KMeans
from sklearn.compose import make_column_transformer
from sklearn.datasets import make_classification
from sklearn.decomposition import PCA
from sklearn.ensemble import BaggingClassifier, RandomForestClassifier, StackingClassifier
from sklearn.gaussian_process import GaussianProcessClassifier
from sklearn.gaussian_process.kernels import RBF, DotProduct
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import pairwise_distances
from sklearn.mixture import GaussianMixture
from sklearn.model_selection import (
    GridSearchCV,
    GroupShuffleSplit,
    LeaveOneGroupOut,
    LeavePGroupsOut,
    StratifiedGroupKFold,
    cross_val_score,
)
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, OneHotEncoder, StandardScaler
from sklearn.svm import SVC, OneClassSVM

from skmaxev import NestedCVSearch

X, Y = make_classification(48, 4, flip_y=0.2, random_state=3)
TEXT = np.array(["no", "yes"])[Y]
NUMBERS = X[:, 0] + np.random.default_rng(0).normal(size=48)
FRAME = pd.DataFrame(X).add_prefix("c")
CLASSES = (LogisticRegression(), {"C": [0.01, 1.0]})
RIDGE = (Ridge(), {"alpha": [0.1, 100.0]})
MEMORY = Path(tempfile.mkdtemp()) / "X.npy"


def equals_scikit_learn(model, grid, data, y=None, fit=None, **options):
    """Compare the table with GridSearchCV's, and the outer scores with the recipe's."""
    options = {"cv": 2, **options}
    args, fit = (data,) if y is None else (data, y), fit or {}
    own = {"outer_cv": 2, "keep_predictions": options.get("scoring") is not None}
    search = NestedCVSearch(model, grid, **own, **options).fit(*args, **fit)
    plain = GridSearchCV(model, grid, **options).fit(*args, **fit)
    assert list(search.cv_results_) == list(plain.cv_results_)
    for key, values in plain.cv_results_.items():
        if not key.endswith("_time"):
            np.testing.assert_array_equal(search.cv_results_[key], values)
    recipe = GridSearchCV(model, grid, **options)
    expected = cross_val_score(
        recipe, *args, cv=2, params=fit, scoring=lambda fitted, *rows: fitted.score(*rows)
    )
    np.testing.assert_array_equal(search.outer_scores_, np.asarray(expected, dtype=float))
    return search


def in_memory_map(values):
    np.save(MEMORY, values)
    return np.load(MEMORY, mmap_mode="r")


KINDS = {
    "keys": sp.dok_array(np.round(X)),
    "diagonals": sp.dia_matrix(np.round(X)),
    "nullable": FRAME.convert_dtypes(),
    "two levels of names": FRAME.set_axis(pd.MultiIndex.from_product([["a", "b"], [1, 2]]), axis=1),
    "sparse columns": pd.DataFrame.sparse.from_spmatrix(sp.csr_matrix(np.round(X))),
    "objects": X.astype(object),
    "memory map": in_memory_map(X),
}


@pytest.mark.parametrize("kind", KINDS)
def test_data_of_any_kind(kind):
    equals_scikit_learn(*CLASSES, KINDS[kind], Y)


TARGETS = {
    "texts as objects": TEXT.astype(object),
    "categories": pd.Series(pd.Categorical(TEXT)),
    "nullable numbers": pd.Series(Y, dtype="Int64"),
    "index": pd.Index(TEXT),
    "polars": pl.Series(TEXT),
    "dates": pd.Series(pd.to_datetime(["2020-01-01", "2021-01-01"])[Y]),
}


@pytest.mark.parametrize("kind", TARGETS)
def test_classes_of_any_kind(kind):
    equals_scikit_learn(*CLASSES, X, TARGETS[kind], scoring="roc_auc")


@pytest.mark.filterwarnings("ignore:A column-vector y was passed")
@pytest.mark.parametrize("scoring", ["roc_auc", "neg_log_loss"])
def test_a_column_of_classes_for_any_metric(scoring):
    equals_scikit_learn(*CLASSES, X, pd.DataFrame({"class": TEXT}), scoring=scoring)


def test_distances_dates_and_several_targets():
    knn = KNeighborsClassifier(metric="precomputed")
    equals_scikit_learn(knn, {"n_neighbors": [1, 5]}, pairwise_distances(X), Y)
    two = pd.DataFrame({"a": NUMBERS, "b": NUMBERS**2})
    equals_scikit_learn(*RIDGE, X, two, scoring="neg_mean_squared_error")
    frame = FRAME.assign(day=pd.date_range("2020", periods=48), kind=pd.Categorical(TEXT[::-1]))
    columns = make_column_transformer((OneHotEncoder(), ["kind"]), ("passthrough", ["c0"]))
    model = make_pipeline(columns, LogisticRegression())
    equals_scikit_learn(model, {"logisticregression__C": [0.1, 1]}, frame, Y)


SETTINGS = {
    "mappings": (LogisticRegression(), {"class_weight": [{0: 1, 1: 2}, None, "balanced"]}),
    "kernels": (GaussianProcessClassifier(), {"kernel": [RBF(1.0), 2 * DotProduct()]}),
    "models": (
        make_pipeline(StandardScaler(), SVC()),
        [
            {"svc": [SVC(), LogisticRegression()], "svc__C": [0.1, 1]},
            {"standardscaler": ["passthrough", None, MinMaxScaler()]},
        ],
    ),
    "random states": (
        RandomForestClassifier(3),
        {"random_state": [np.random.RandomState(0), 1]},
    ),
    "twice the same": (KNeighborsClassifier(), [{"n_neighbors": [3, 3]}, {}]),
}
MODELS = {
    "bagging": (BaggingClassifier(SVC(), 3, random_state=0), {"estimator__C": [0.1, 1]}),
    "stacking": (
        StackingClassifier([("a", SVC()), ("b", KNeighborsClassifier())], cv=2),
        {"a__C": [0.1, 1], "b": ["drop"]},
    ),
    "calibration": (CalibratedClassifierCV(SVC(), cv=2), {"estimator__C": [0.1, 1]}),
    "a search": (GridSearchCV(SVC(), {"C": [0.1, 1]}, cv=2), {"cv": [2, 3]}),
    "warm start": (
        RandomForestClassifier(3, warm_start=True, random_state=0),
        {"n_estimators": [2, 4]},
    ),
}


@pytest.mark.parametrize("name", [*SETTINGS, *MODELS])
def test_settings_that_cannot_be_hashed_and_models_that_hold_models(name):
    equals_scikit_learn(*(SETTINGS | MODELS)[name], X, Y)


@pytest.mark.parametrize(
    ("model", "grid"),
    [
        (KMeans(random_state=0, n_init=1), {"n_clusters": [2, 3]}),
        (PCA(), {"n_components": [1, 2]}),
        (GaussianMixture(random_state=0), {"n_components": [1, 2]}),
    ],
    ids=["clusters", "components", "mixture"],
)
def test_models_without_a_target(model, grid):
    equals_scikit_learn(model, grid, np.random.default_rng(0).normal(size=(48, 3)))


def test_an_outlier_detector_is_scored_by_its_response():
    inliers = np.where(np.arange(48) % 7 == 0, -1, 1)
    equals_scikit_learn(OneClassSVM(), {"nu": [0.1, 0.5]}, X, inliers, scoring="roc_auc")


@pytest.mark.parametrize(
    "inside", [LeavePGroupsOut(2), GroupShuffleSplit(2, random_state=0), StratifiedGroupKFold(2)]
)
def test_groups_of_very_different_size_are_left_out_at_both_levels(inside):
    groups = np.r_[np.zeros(30), 1 + np.arange(18) // 5]
    options = {"cv": inside}
    search = NestedCVSearch(*CLASSES, outer_cv=LeaveOneGroupOut(), **options)
    search.fit(X, Y, groups=groups)
    expected = cross_val_score(
        GridSearchCV(*CLASSES, **options),
        X,
        Y,
        cv=LeaveOneGroupOut(),
        groups=groups,
        params={"groups": groups},
    )
    np.testing.assert_array_equal(search.outer_scores_, expected)


SCORES = {
    "float32": np.float32,
    "array": np.array,
    "fraction": Fraction,
    "truth": lambda v: v > 0.7,
}


@pytest.mark.parametrize("kind", SCORES)
def test_numbers_of_any_type_are_scores(kind):
    def score(model, X, y):
        return SCORES[kind](float(model.score(X, y)))

    equals_scikit_learn(*CLASSES, X, Y, scoring=score)


@pytest.mark.parametrize("kind", [complex, np.complex64, lambda value: {"a": complex(value)}])
def test_complex_scores_are_refused(kind):
    def score(model, X, y):
        return kind(model.score(X, y))

    with pytest.raises(ValueError, match=r"real number.*no order.*Return its real part"):
        NestedCVSearch(*CLASSES, scoring=score, refit="a").fit(X, Y)


class TakesRows(ClassifierMixin, BaseEstimator):
    """Refuses parameters that do not go with its rows."""

    def __init__(self, C=1.0):
        self.C = C

    def fit(self, X, y, rows=None, whole=None):
        if hasattr(rows, "toarray"):
            rows = rows.toarray()
        if not np.array_equal(np.asarray(rows).reshape(len(y), -1)[:, 0], X[:, 0]):
            raise ValueError("rows do not go with X")
        self.whole_ = whole
        self.model_ = LogisticRegression(C=self.C).fit(X, y)
        self.classes_ = self.model_.classes_
        return self

    def predict(self, X):
        return self.model_.predict(X)


@pytest.mark.parametrize(
    "make",
    [list, pd.Series, pl.Series, sp.csc_array, lambda v: pd.DataFrame({"a": v, "b": v}), pd.Index],
)
def test_parameters_of_fit_of_any_kind_are_cut_with_the_rows(make):
    column = X[:, :1] if make is sp.csc_array else X[:, 0]
    whole = {"a": 1}
    options = {"fit": {"rows": make(column), "whole": whole}, "error_score": "raise"}
    search = equals_scikit_learn(TakesRows(), {"C": [0.01, 1.0]}, X, Y, **options)
    assert search.best_estimator_.whole_ is whole


def test_a_model_that_destroys_its_data_is_judged_on_what_it_had_not_seen_yet():
    grid = {"C": [0.01, 1.0]}
    clean = NestedCVSearch(LogisticRegression(), grid, cv=2, outer_cv=3).fit(X, Y)
    search = NestedCVSearch(Vandal(), grid, cv=2, outer_cv=3, error_score="raise")
    search.fit(X.copy(), Y)
    np.testing.assert_array_equal(search.outer_scores_, clean.outer_scores_)
    assert search.best_score_ == clean.best_score_
