"""Estimators that search by themselves."""

import warnings
from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.datasets import load_diabetes
from sklearn.linear_model import (
    ElasticNetCV,
    LarsCV,
    LassoCV,
    LassoLarsCV,
    LogisticRegressionCV,
    RidgeClassifierCV,
    RidgeCV,
)
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from skmaxev.correction import correct

X, Y = load_diabetes(return_X_y=True)
X, Y = X[:100], Y[:100]
CLASSES = (Y > 140).astype(int)


def fitted(model, X=X, y=Y):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # their arguments are on the move
        return model.fit(X, y)


@pytest.mark.parametrize(
    "model", [LassoCV(cv=4), LarsCV(cv=4), LassoLarsCV(cv=4), ElasticNetCV(cv=4, l1_ratio=0.5)]
)
def test_errors_along_a_path_are_losses(model):
    report, plain = correct(fitted(model)), correct(model.mse_path_.T, greater_is_better=False)
    assert report.best_params == {"alpha": model.alpha_}
    assert report.naive == pytest.approx(model.mse_path_.mean(axis=-1).min())
    assert report.naive <= report.estimate
    assert report.interval == pytest.approx(plain.interval)
    assert (report.greater_is_better, report.metric) == (False, "mean squared error")


def test_two_settings_make_one_path():
    model = fitted(ElasticNetCV(cv=4, l1_ratio=[0.5, 0.9]))
    report = correct(model)
    assert report.best_params == {"l1_ratio": model.l1_ratio_, "alpha": model.alpha_}
    assert report.n_candidates == 200
    assert report.naive == pytest.approx(model.mse_path_.mean(axis=-1).min())


def test_weights_leave_the_winner_of_the_estimator():
    model = LassoCV(cv=4).fit(X, Y, sample_weight=np.arange(100.0) ** 3)
    assert correct(model).best_params == {"alpha": model.alpha_}


def test_squared_errors_of_rows_are_dealt_into_parts():
    report = correct(RidgeCV([0.1, 1, 10], store_cv_results=True).fit(X, Y))
    errors = RidgeCV([0.1, 1, 10], store_cv_results=True).fit(X, Y).cv_results_
    assert report.naive == pytest.approx(errors.mean(axis=0).min())
    assert report.n_splits == 10
    assert not report.greater_is_better


@pytest.mark.parametrize(
    ("options", "metric"),
    [
        ({}, "accuracy"),
        ({"scoring": "neg_log_loss"}, "neg_log_loss"),
        ({"penalty": "elasticnet", "solver": "saga", "l1_ratios": [0.1, 0.9]}, "accuracy"),
        ({"l1_ratios": [0.0], "use_legacy_attributes": False}, "accuracy"),
    ],
)
@pytest.mark.parametrize("y", [CLASSES, CLASSES + (Y > 200)])
def test_regularised_classifiers_are_read(options, metric, y):
    if (
        "use_legacy_attributes" in options
        and "use_legacy_attributes" not in LogisticRegressionCV().get_params()
    ):
        pytest.skip("scikit-learn has no such argument yet")
    model = fitted(LogisticRegressionCV(cv=4, Cs=3, max_iter=50, **options), y=y)
    report = correct(model)
    kept = next(iter(model.scores_.values())) if isinstance(model.scores_, dict) else model.scores_
    assert report.naive == pytest.approx(kept.mean(axis=0).max())
    assert report.best_params["C"] == np.ravel(model.C_)[0]
    assert report.metric == metric


def test_a_pipeline_that_ends_in_a_search_is_followed():
    search = GridSearchCV(SVC(), {"C": [0.1, 1, 10]}, cv=4)
    pipeline = make_pipeline(StandardScaler(), search).fit(X, CLASSES)
    assert correct(pipeline).estimate == correct(pipeline[-1]).estimate
    assert correct(make_pipeline(StandardScaler(), LassoCV(cv=4)).fit(X, Y)).n_candidates == 100


def test_results_without_their_class_are_read():
    search = GridSearchCV(SVC(), {"C": [0.1, 1, 10]}, cv=4).fit(X, CLASSES)
    kept = SimpleNamespace(cv_results_=search.cv_results_, best_index_=search.best_index_)
    assert correct(kept).naive == search.best_score_


def test_scores_of_their_own_for_each_class_are_refused():
    model = SimpleNamespace(
        scores_={0: np.zeros((4, 3)), 1: np.ones((4, 3))}, Cs_=[1, 2, 3], fit=None, get_params=None
    )
    with pytest.raises(ValueError, match=r"share their scores.*scores_\[label\]"):
        correct(model)


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (RidgeClassifierCV([0.1, 1], store_cv_results=True), r"shape \(100, 1, 2\)"),
        (RidgeCV([0.1, 1], store_cv_results=True, scoring="r2"), "scoring='r2'"),
        (RidgeCV([0.1, 1], cv=4), r"GridSearchCV, or .* pass those scores as an array"),
        (RidgeCV([0.1, 1]), r"Fit RidgeCV\(store_cv_results=True\)"),
    ],
)
def test_what_keeps_no_scores_is_told(model, words):
    with pytest.raises((TypeError, ValueError), match=words):
        correct(model.fit(X, CLASSES))
