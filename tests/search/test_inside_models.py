"""Our searches inside models that hold a model, and such models inside our searches."""

import joblib
import numpy as np
import pytest
import scipy.sparse as sp
from searches import X, Y
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import AdaBoostClassifier, BaggingClassifier, StackingClassifier
from sklearn.feature_selection import RFE, RFECV, SelectFromModel
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import (
    FixedThresholdClassifier,
    GridSearchCV,
    KFold,
    TunedThresholdClassifierCV,
    cross_val_predict,
    cross_val_score,
    permutation_test_score,
)
from sklearn.multiclass import OneVsRestClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier

from skmaxev import HonestSearchCV, LowVarianceCVSearch, NestedCVSearch, ShrunkSearchCV

BAYES, FOREST = GaussianNB(), DecisionTreeClassifier(max_depth=1, random_state=0)
LIGHT = (LogisticRegression(solver="liblinear"), {"C": [0.01, 1.0]})
COEF = {"importance_getter": "best_estimator_.coef_"}

AROUND = {
    "threshold": lambda search: TunedThresholdClassifierCV(
        search, cv=0.5, thresholds=5, random_state=0
    ),
    "calibration of a fitted one": lambda search: CalibratedClassifierCV(
        FrozenEstimator(search.fit(X, Y)), cv=2
    ),
    "stack": lambda search: StackingClassifier([("a", search)], BAYES, cv=2),
    "end of a stack": lambda search: StackingClassifier([("b", BAYES)], search, cv=2),
    "elimination": lambda search: RFE(search, step=4, **COEF),
    "selection": lambda search: SelectFromModel(search, **COEF),
    "bagging": lambda search: BaggingClassifier(search, n_estimators=2, random_state=0),
    "one against the rest": OneVsRestClassifier,
    "pipeline": lambda search: make_pipeline(StandardScaler(), search),
}


def searches():
    yield NestedCVSearch(*LIGHT, cv=3)
    yield LowVarianceCVSearch(*LIGHT, cv=3)
    yield ShrunkSearchCV(*LIGHT, cv=3)
    yield HonestSearchCV(GridSearchCV(*LIGHT, cv=3))


@pytest.mark.parametrize("kind", AROUND)
def test_whatever_holds_a_search_learns_the_same_from_ours(kind):
    plain = AROUND[kind](GridSearchCV(*LIGHT, cv=3)).fit(X, Y)
    answer = "predict_proba" if hasattr(plain, "predict_proba") else "transform"
    expected = getattr(plain, answer)(X)
    for search in searches():
        model = AROUND[kind](search).fit(X, Y)
        np.testing.assert_array_equal(getattr(model, answer)(X), expected)


def test_functions_that_take_a_search_give_the_same_for_ours():
    def results(search):
        predicted = cross_val_predict(search, X, Y, cv=2, method="predict_proba")
        options = {"n_permutations": 1, "cv": 2, "random_state": 0}
        return predicted, permutation_test_score(search, X, Y, **options)[1]

    expected = results(GridSearchCV(*LIGHT, cv=3))
    for search in searches():
        for value, wanted in zip(results(search), expected, strict=True):
            np.testing.assert_array_equal(value, wanted)


LINEAR = LinearSVC(random_state=0)
GIVEN = LinearSVC(random_state=0)
SELECTED = RFECV(
    make_pipeline(StandardScaler(), LogisticRegression()),
    importance_getter="named_steps.logisticregression.coef_",
    step=3,
    cv=2,
)

INSIDE = {
    "threshold": (
        TunedThresholdClassifierCV(BAYES, cv=2, thresholds=3),
        {"scoring": ["balanced_accuracy", "f1"]},
    ),
    "fixed threshold": (FixedThresholdClassifier(BAYES), {"threshold": [0.3, 0.5]}),
    "calibration in a pipeline": (
        make_pipeline(StandardScaler(), CalibratedClassifierCV(FOREST, cv=2)),
        {
            "calibratedclassifiercv__method": ["isotonic", "sigmoid"],
            "calibratedclassifiercv__estimator__max_depth": [1, 3],
        },
    ),
    "stack of fitted models": (
        StackingClassifier([("a", FrozenEstimator(GaussianNB().fit(X, Y)))], cv="prefit"),
        {"final_estimator": [LogisticRegression(C=0.01), BAYES]},
    ),
    "boosting": (
        AdaBoostClassifier(FOREST, n_estimators=3, random_state=0),
        {
            "estimator__max_depth": [1, 2],
        },
    ),
    "elimination": (
        make_pipeline(SELECTED, BAYES),
        {"rfecv__estimator__logisticregression__C": [0.01, 1]},
    ),
    "search": (GridSearchCV(BAYES, {"var_smoothing": [1e-9, 1.0]}), {"cv": [2, 3]}),
    "models as settings": (
        Pipeline([("scale", StandardScaler()), ("model", BAYES)]),
        [{"model": [GIVEN], "model__C": [0.01, 1.0]}, {"scale": ["passthrough"]}],
    ),
    "settings that some solvers refuse": (
        LINEAR,
        {"dual": [False], "penalty": ["l1", "l2"], "loss": ["hinge", "squared_hinge"]},
    ),
}


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.FitFailedWarning")
@pytest.mark.filterwarnings("ignore:One or more of the test scores are non-finite")
@pytest.mark.parametrize("kind", INSIDE)
def test_models_that_hold_models_are_searched_as_by_grid_search(kind):
    model, grid = INSIDE[kind]
    plain, outer = GridSearchCV(model, grid, cv=2), KFold(2)
    search = NestedCVSearch(model, grid, cv=2, outer_cv=outer).fit(X, Y)
    np.testing.assert_array_equal(search.outer_scores_, cross_val_score(plain, X, Y, cv=outer))
    plain.fit(X, Y)
    for name, values in plain.cv_results_.items():
        if name.endswith("test_score"):
            np.testing.assert_array_equal(search.cv_results_[name], values)
    np.testing.assert_array_equal(search.predict(X), plain.predict(X))
    assert GIVEN.C == 1.0
    assert not hasattr(GIVEN, "coef_")


@pytest.mark.parametrize("mode", ["r", "c"])
def test_sparse_data_that_lie_in_a_file(mode, tmp_path):
    data = sp.random(80, 30, density=0.2, format="csr", random_state=0)
    joblib.dump(data, tmp_path / "data")
    mapped = joblib.load(tmp_path / "data", mmap_mode=mode)
    model, grid, outer = SVC(kernel="linear"), {"C": [1, 10]}, KFold(3)
    search = NestedCVSearch(model, grid, cv=3, outer_cv=outer).fit(mapped, Y)
    plain = GridSearchCV(model, grid, cv=3)
    np.testing.assert_array_equal(search.outer_scores_, cross_val_score(plain, data, Y, cv=outer))
