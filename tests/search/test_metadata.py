"""Groups, weights and routed metadata, at both levels."""

import numpy as np
import pytest
from recorders import Centred, weighted_loss
from searches import LOGISTIC, Recorder, X, Y, every_search
from sklearn import config_context
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, make_scorer
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    cross_validate,
)
from sklearn.pipeline import Pipeline

from skmaxev import HonestSearchCV, LowVarianceCVSearch, NestedCVSearch, ShrunkSearchCV


def test_groups_beside_a_whole_number_of_folds_are_ignored_aloud():
    with pytest.warns(UserWarning, match="groups parameter is ignored"):
        search = NestedCVSearch(*LOGISTIC, cv=3).fit(X, Y, groups=np.arange(80) % 8)
    assert search.naive_best_score_ == GridSearchCV(*LOGISTIC, cv=3).fit(X, Y).best_score_


def test_routed_metadata_reach_both_levels():
    groups, weight = np.arange(80) % 8, 1.0 + np.arange(80) % 3
    params = {"groups": groups, "sample_weight": weight}
    with config_context(enable_metadata_routing=True):
        model = LogisticRegression().set_fit_request(sample_weight=True)
        scorer = make_scorer(accuracy_score).set_score_request(sample_weight=True)
        options = {"cv": GroupKFold(3), "scoring": scorer}
        grid = LOGISTIC[1]
        plain = GridSearchCV(model, grid, **options)
        expected = cross_validate(plain, X, Y, cv=GroupKFold(4), params=params, scoring=scorer)
        search = NestedCVSearch(model, grid, outer_cv=GroupKFold(4), **options).fit(X, Y, **params)
        np.testing.assert_array_equal(search.outer_scores_, expected["test_score"])
        inside = cross_validate(
            ShrunkSearchCV(model, grid, **options),
            X,
            Y,
            cv=GroupKFold(4),
            params=params,
            scoring=scorer,
        )
        np.testing.assert_array_equal(inside["test_score"], expected["test_score"])
        wrapped = HonestSearchCV(plain).fit(X, Y, **params)
        assert wrapped.naive_best_score_ == pytest.approx(plain.fit(X, Y, **params).best_score_)


@pytest.mark.parametrize("outer_cv", [None, 4])
def test_parameters_with_a_value_for_each_row_are_cut_and_others_are_not(outer_cv):
    data = np.c_[np.arange(50), np.random.default_rng(0).normal(size=50)]
    search = NestedCVSearch(
        Recorder(), {"flip": [True, False]}, outer_cv=outer_cv, error_score="raise"
    )
    search.fit(
        data, (data[:, 1] > 0.2).astype(int), row_id=np.arange(50), palette=["red", "green", "blue"]
    )
    assert search.best_params_ == {"flip": False}


@every_search
def test_routing_may_be_on_with_metadata_and_without(Search):
    with config_context(enable_metadata_routing=True):
        model = LogisticRegression().set_fit_request(sample_weight=True)
        weight = 1.0 + np.arange(80) % 3
        scorer = make_scorer(accuracy_score).set_score_request(sample_weight=False)
        weighted = Search(model, LOGISTIC[1], scoring=scorer).fit(X, Y, sample_weight=weight)
        plain = Search(*LOGISTIC).fit(X, Y)
    assert weighted.best_score_ <= 1
    assert plain.best_score_ == Search(*LOGISTIC).fit(X, Y).best_score_


def routed_search():
    """Give a pipeline, its grid and options that ask for metadata of five kinds."""
    steps = [
        ("centre", Centred().set_fit_request(tag=True, sample_weight=True)),
        ("model", LogisticRegression().set_fit_request(sample_weight=True)),
    ]
    scorer = make_scorer(weighted_loss, greater_is_better=False)
    scorer.set_score_request(cost=True, sample_weight=True)
    options = {"cv": GroupKFold(3).set_split_request(groups="inner"), "scoring": scorer}
    return Pipeline(steps), {"model__C": [0.001, 0.1, 10]}, {**options, "error_score": "raise"}


def test_metadata_of_ones_own_reach_every_step_at_both_levels():
    rows = np.arange(80)
    params = {"tag": X[:, 0], "sample_weight": 1.0 + rows % 3, "cost": 1.0 + rows % 5}
    params |= {"inner": rows % 8, "outer": rows % 4}
    with config_context(enable_metadata_routing=True):
        model, grid, options = routed_search()
        outer = GroupKFold(4).set_split_request(groups="outer")
        plain = GridSearchCV(model, grid, **options)
        inside = {name: value for name, value in params.items() if name != "outer"}
        expected = []
        for train, test in GroupKFold(4).split(X, Y, params["outer"]):
            fold = {name: value[train] for name, value in inside.items()}
            judged = {name: params[name][test] for name in ("cost", "sample_weight")}
            fitted = clone(plain).fit(X[train], Y[train], **fold)
            expected.append(fitted.score(X[test], Y[test], **judged))
        for n_jobs in (None, 2):
            search = NestedCVSearch(model, grid, outer_cv=outer, n_jobs=n_jobs, **options)
            search.fit(X, Y, **params)
            np.testing.assert_array_equal(search.outer_scores_, expected)
        best = plain.fit(X, Y, **inside).best_score_
        judge = {"scoring": options["scoring"], "params": params, "error_score": "raise"}
        for other in (
            LowVarianceCVSearch(model, grid, **options),
            ShrunkSearchCV(model, grid, **options),
            HonestSearchCV(clone(plain)),
        ):
            judged = cross_validate(other, X, Y, cv=outer, **judge)
            np.testing.assert_array_equal(judged["test_score"], expected)
            assert other.fit(X, Y, **inside).naive_best_score_ == pytest.approx(best)
