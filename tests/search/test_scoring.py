"""Metrics, rules of choice, and what is reported."""

import numpy as np
import pytest
from searches import LOGISTIC, X, Y, every_search
from sklearn.datasets import (
    load_diabetes,
    load_iris,
)
from sklearn.linear_model import Ridge
from sklearn.metrics import brier_score_loss, make_scorer
from sklearn.model_selection import (
    GridSearchCV,
    KFold,
    cross_val_score,
)
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC

from skmaxev import NestedCVSearch


@every_search
def test_each_metric_has_a_report_of_its_own_winner(Search):
    scoring = {"acc": "accuracy", "nll": "neg_log_loss"}
    search = Search(*LOGISTIC, cv=3, scoring=scoring, refit="nll").fit(X, Y)
    for name, scorer in scoring.items():
        alone = Search(*LOGISTIC, cv=3, scoring=scorer).fit(X, Y)
        assert search.reports_[name].best_index == alone.best_index_
        assert search.reports_[name].estimate == pytest.approx(alone.best_score_, abs=1e-12)
    assert search.report_ is search.reports_["nll"]
    assert search.best_score_ == search.report_.estimate


def one_standard_error(results):
    means = results["mean_test_score"]
    splits = sum(key.startswith("split") for key in results)
    best = means.argmax()
    enough = means >= means[best] - results["std_test_score"][best] / np.sqrt(splits)
    return int(np.flatnonzero(enough).max())


@every_search
def test_a_callable_refit_is_judged_by_what_it_chose(Search):
    data, y = load_diabetes(return_X_y=True)
    grid = {"alpha": np.logspace(-3, 2, 11)}
    search = Search(Ridge(), grid, refit=one_standard_error).fit(data[:150], y[:150])
    plain = GridSearchCV(Ridge(), grid).fit(data[:150], y[:150])
    chosen = one_standard_error(plain.cv_results_)
    assert search.best_index_ == chosen != plain.best_index_
    assert search.report_.naive == pytest.approx(plain.cv_results_["mean_test_score"][chosen])
    pooled = search.report_.naive_pooled if Search is not NestedCVSearch else np.inf
    assert search.best_score_ <= pooled + 1e-12


def test_a_callable_refit_chooses_inside_every_outer_fold():
    data, y = load_diabetes(return_X_y=True)
    data, y, grid = data[:150], y[:150], {"alpha": np.logspace(-3, 2, 11)}
    options = {"cv": KFold(4), "refit": one_standard_error}
    search = NestedCVSearch(Ridge(), grid, outer_cv=KFold(3), **options).fit(data, y)
    expected = cross_val_score(GridSearchCV(Ridge(), grid, **options), data, y, cv=KFold(3))
    np.testing.assert_array_equal(search.outer_scores_, expected)


@every_search
def test_without_refit_the_score_is_still_corrected(Search):
    data, y = load_iris(return_X_y=True)
    search = Search(SVC(), {"C": [0.1, 1, 10]}, refit=False).fit(data, y)
    assert np.isfinite(search.best_score_)
    assert search.best_params_["C"] in {0.1, 1, 10}
    assert not hasattr(search, "best_estimator_")
    with pytest.raises(AttributeError):
        search.predict(data)


def test_losses_by_probability_keep_their_sign_at_both_levels():
    scorer = make_scorer(brier_score_loss, greater_is_better=False, response_method="predict_proba")
    own = NestedCVSearch(*LOGISTIC, cv=3, scoring=scorer).fit(X, Y)
    named = NestedCVSearch(*LOGISTIC, cv=3, scoring="neg_brier_score").fit(X, Y)
    np.testing.assert_allclose(own.outer_scores_, named.outer_scores_, atol=1e-12)
    assert -1 <= own.best_score_ <= 0


def test_nested_scores_above_the_printed_one_are_reported_as_they_are():
    data, y = load_iris(return_X_y=True)
    grid = {"C": [1, 10], "gamma": [0.01, 0.1]}
    above = 0
    for seed in range(6):
        folds = KFold(4, shuffle=True, random_state=seed)
        outer = KFold(4, shuffle=True, random_state=seed + 100)
        search = NestedCVSearch(SVC(), grid, cv=folds, outer_cv=outer).fit(data, y)
        assert search.best_score_ == pytest.approx(search.outer_scores_.mean(), abs=1e-15)
        above += search.best_score_ > search.naive_best_score_
    assert above > 0


def test_the_deployed_model_comes_from_all_rows():
    search = NestedCVSearch(KNeighborsClassifier(), {"n_neighbors": [1, 3, 9, 15]}).fit(X, Y)
    plain = GridSearchCV(KNeighborsClassifier(), {"n_neighbors": [1, 3, 9, 15]}).fit(X, Y)
    assert search.best_params_ == plain.best_params_
    np.testing.assert_array_equal(search.predict(X), plain.predict(X))
    assert len(search.outer_results_["params"]) == 5


@pytest.mark.parametrize("n_outer", [2, 5])
def test_the_interval_of_a_nested_score_is_wider_than_the_spread_of_its_folds_says(n_outer):
    search = NestedCVSearch(*LOGISTIC, cv=3, outer_cv=n_outer).fit(X, Y)
    low, high = search.report_.interval
    scores = search.outer_scores_
    naive = 1.96 * scores.std(ddof=1) / np.sqrt(n_outer)
    assert 0 <= low < search.best_score_ < high <= 1
    assert high - low > 2 * naive
