"""The nested score, bit by bit, against scikit-learn's own recipe."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from sklearn.datasets import make_classification, make_regression
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    KFold,
    LeaveOneGroupOut,
    RepeatedKFold,
    ShuffleSplit,
    StratifiedKFold,
    StratifiedShuffleSplit,
    TimeSeriesSplit,
    cross_val_score,
)
from sklearn.naive_bayes import MultinomialNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from skmaxev import LowVarianceCVSearch, NestedCVSearch, ShrunkSearchCV, planned_fits

X, Y = make_classification(60, 6, flip_y=0.2, random_state=3)
GROUPS = np.arange(60) % 12

KNN = (KNeighborsClassifier(), {"n_neighbors": [1, 2, 3]})
MODELS = {
    "knn": KNN,
    "svc": (make_pipeline(StandardScaler(), SVC()), {"svc__C": [0.1, 1, 10]}),
    "logistic": (LogisticRegression(), {"C": [0.01, 1.0]}),
    "forest": (RandomForestClassifier(3, random_state=0), {"max_depth": [1, 3]}),
    "forest with a RandomState": (
        RandomForestClassifier(3, random_state=np.random.RandomState(1)),
        {"max_depth": [1, 3]},
    ),
}


def text():
    rng = np.random.default_rng(0)
    words = np.array(["warm", "kind", "cold", "rude", "the", "and"])
    return [" ".join(rng.choice(words[[2 * (v % 2), 4, 5, 1]], 5)) for v in Y]


DATA = {
    "array": (X, KNN),
    "pandas": (pd.DataFrame(X, index=["same"] * 60).add_prefix("c"), KNN),
    "polars": (pl.DataFrame(X), KNN),
    "csr matrix": (sp.csr_matrix(X), KNN),
    "csc array": (sp.csc_array(X), KNN),
    "list of lists": (X.tolist(), KNN),
    "texts": (
        text(),
        (make_pipeline(CountVectorizer(), MultinomialNB()), {"multinomialnb__alpha": [0.1, 9]}),
    ),
    "kernel": (X @ X.T, (SVC(kernel="precomputed"), {"C": [0.01, 1.0]})),
}


def shared_recipe(model, grid, data, y, folds, **options):
    """scikit-learn's nesting over the folds themselves: their numbers are groups."""
    labels = np.empty(60, dtype=int)
    for number, (_, test) in enumerate(folds):
        labels[test] = number
    return cross_val_score(
        GridSearchCV(model, grid, cv=LeaveOneGroupOut(), **options),
        data,
        y,
        cv=LeaveOneGroupOut(),
        groups=labels,
        params={"groups": labels},
        error_score="raise",
    )


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize(
    "cv", [StratifiedKFold(3), KFold(4, shuffle=True, random_state=0)], ids=str
)
def test_shared_folds_equal_the_recipe_to_the_last_bit(name, cv):
    model, grid = MODELS[name]
    search = NestedCVSearch(model, grid, cv=cv).fit(X, Y)
    expected = shared_recipe(model, grid, X, Y, cv.split(X, Y))
    np.testing.assert_array_equal(search.outer_scores_, expected)
    assert search.best_score_ == pytest.approx(expected.mean(), abs=1e-15)
    k, m = len(expected), len(search.cv_results_["params"])
    assert search.n_fits_ == m * (k + k * (k - 1) // 2) + 1 == planned_fits(search, X, Y)


@pytest.mark.parametrize("kind", DATA)
def test_every_kind_of_data_is_cut_as_scikit_learn_cuts_it(kind):
    data, (model, grid) = DATA[kind]
    cv = StratifiedKFold(3)
    search = NestedCVSearch(model, grid, cv=cv).fit(data, Y)
    expected = shared_recipe(model, grid, data, Y, cv.split(np.zeros(60), Y))
    np.testing.assert_array_equal(search.outer_scores_, expected)
    classical = NestedCVSearch(model, grid, cv=2, outer_cv=cv).fit(data, Y)
    expected = cross_val_score(GridSearchCV(model, grid, cv=2), data, Y, cv=cv)
    np.testing.assert_array_equal(classical.outer_scores_, expected)


@pytest.mark.parametrize(
    ("cv", "outer"),
    [
        (3, 4),
        (KFold(3), ShuffleSplit(3, random_state=0)),
        (StratifiedShuffleSplit(2, random_state=1), KFold(3)),
        (TimeSeriesSplit(3), TimeSeriesSplit(4)),
        (KFold(3, shuffle=True, random_state=5), KFold(3, shuffle=True, random_state=5)),
        (RepeatedKFold(n_splits=3, n_repeats=2, random_state=0), KFold(3)),
        (GroupKFold(3), GroupKFold(4)),
    ],
    ids=str,
)
def test_an_outer_splitter_gives_the_classical_recipe(cv, outer):
    model, grid = KNN
    grouped = {"groups": GROUPS} if isinstance(outer, GroupKFold) else {}
    search = NestedCVSearch(model, grid, cv=cv, outer_cv=outer).fit(X, Y, **grouped)
    expected = cross_val_score(
        GridSearchCV(model, grid, cv=cv), X, Y, cv=outer, **grouped, params=grouped or None
    )
    np.testing.assert_array_equal(search.outer_scores_, expected)


def test_a_generator_of_random_numbers_in_the_splitter_is_used_as_the_recipe_uses_it():
    model, grid = KNN

    def inner():
        return KFold(3, shuffle=True, random_state=np.random.RandomState(4))

    search = NestedCVSearch(model, grid, cv=inner(), outer_cv=KFold(4)).fit(X, Y)
    expected = cross_val_score(GridSearchCV(model, grid, cv=inner()), X, Y, cv=KFold(4))
    np.testing.assert_array_equal(search.outer_scores_, expected)


@pytest.mark.parametrize("cv", [TimeSeriesSplit(4), ShuffleSplit(3, random_state=0)], ids=str)
def test_splits_that_are_no_partition_are_nested_classically_by_default(cv):
    model, grid = KNN
    search = NestedCVSearch(model, grid, cv=cv).fit(X, Y)
    expected = cross_val_score(GridSearchCV(model, grid, cv=cv), X, Y, cv=cv)
    np.testing.assert_array_equal(search.outer_scores_, expected)
    assert search.n_fits_ == planned_fits(search, X, Y)


@pytest.mark.parametrize("Search", [NestedCVSearch, LowVarianceCVSearch, ShrunkSearchCV])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"return_train_score": True, "cv": 3},
        {"scoring": ["accuracy", "roc_auc"], "refit": "roc_auc"},
        {"scoring": {"a": "accuracy", "b": "neg_log_loss"}, "refit": False},
        {"refit": False},
    ],
    ids=str,
)
def test_everything_that_grid_search_has_is_here_with_the_same_values(Search, options):
    model, grid = MODELS["logistic"]
    plain = GridSearchCV(model, grid, **options).fit(X, Y)
    search = Search(model, grid, **options).fit(X, Y)
    assert list(search.cv_results_) == list(plain.cv_results_)
    for key, value in plain.cv_results_.items():
        if not key.endswith("_time"):
            np.testing.assert_array_equal(search.cv_results_[key], value)
    for name in set(vars(plain)) - {"cv_results_", "best_score_", "refit_time_", "scorer_"}:
        if name.endswith("_") and not name.startswith("_"):
            assert str(getattr(search, name)) == str(getattr(plain, name))
    if "best_score_" in vars(plain):
        assert search.naive_best_score_ == plain.best_score_
    if options.get("refit", True):
        np.testing.assert_array_equal(search.predict_proba(X), plain.predict_proba(X))


def scorer_params(search, weight):
    """Ask scikit-learn what it hands to scorers: weights since 1.7, nothing before."""
    return search._get_routed_params_for_fit({"sample_weight": weight})["scorer"]["score"]


def test_weights_reach_fit_and_score_at_both_levels():
    X, y = make_regression(48, 4, noise=20, random_state=0)
    weight = np.arange(48) % 4
    grid = {"alpha": [0.1, 10.0, 1000.0]}
    search = NestedCVSearch(Ridge(), grid, cv=3, outer_cv=KFold(4))
    search.fit(X, y, sample_weight=weight)
    scored = weight if "sample_weight" in scorer_params(search, weight) else np.ones(48, dtype=int)
    repeat = np.repeat(np.arange(48), scored)
    for k, (train, test) in enumerate(KFold(4).split(X)):
        inner = GridSearchCV(Ridge(), grid, cv=3).fit(
            X[train], y[train], sample_weight=weight[train]
        )
        rows = repeat[np.isin(repeat, test)]
        assert search.outer_scores_[k] == pytest.approx(inner.score(X[rows], y[rows]), abs=1e-9)


@pytest.mark.parametrize("kind", [np.asarray, list, pd.Series, pl.Series])
def test_groups_of_every_kind_are_cut_at_both_levels(kind):
    model, grid = KNN
    search = NestedCVSearch(model, grid, cv=GroupKFold(3), outer_cv=GroupKFold(4))
    search.fit(X, Y, groups=kind(GROUPS.tolist()))
    expected = cross_val_score(
        GridSearchCV(model, grid, cv=GroupKFold(3)),
        X,
        Y,
        cv=GroupKFold(4),
        groups=GROUPS,
        params={"groups": GROUPS},
    )
    np.testing.assert_array_equal(search.outer_scores_, expected)


def test_two_workers_give_the_numbers_of_one():
    model, grid = MODELS["svc"]
    one = NestedCVSearch(model, grid, cv=3).fit(X, Y)
    two = NestedCVSearch(model, grid, cv=3, n_jobs=2).fit(X, Y)
    np.testing.assert_array_equal(one.outer_scores_, two.outer_scores_)
    assert one.best_params_ == two.best_params_
