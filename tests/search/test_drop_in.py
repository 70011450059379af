"""What other code asks of GridSearchCV: all four classes answer alike, in all three ways."""

import pickle
import sys

import numpy as np
import pytest
from scipy.stats import loguniform
from sklearn import config_context
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.decomposition import PCA
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, GroupKFold, RandomizedSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.utils import get_tags

from skmaxev import (
    HonestSearchCV,
    LowVarianceCVSearch,
    NestedCVSearch,
    ShrunkSearchCV,
    planned_fits,
)

X, Y = make_classification(90, 6, flip_y=0.2, random_state=0)
MODEL = make_pipeline(PCA(random_state=0), LogisticRegression())
GRID = {"pca__n_components": [1, 3], "logisticregression__C": [0.1, 1.0]}
DRAWN = {"logisticregression__C": loguniform(0.1, 10)}
SEARCHES = (HonestSearchCV, ShrunkSearchCV, LowVarianceCVSearch, NestedCVSearch)
OWN = {HonestSearchCV: {"method", "n_judge_again"}, ShrunkSearchCV: set()}
OWN |= {LowVarianceCVSearch: {"inner_cv"}, NestedCVSearch: {"outer_cv"}}


def of_way(Search, way, model=MODEL):
    """Give our search, and scikit-learn's with the same candidates."""
    if way == "random":
        options = {"n_iter": 3, "random_state": 0, "cv": 3}
        return Search(model, DRAWN, **options), RandomizedSearchCV(model, DRAWN, **options)
    plain = GridSearchCV(model, GRID, cv=3)
    return (Search(plain) if way == "object" else Search(model, GRID, cv=3)), plain


both = pytest.mark.parametrize("way", ["grid", "random", "object"])
each = pytest.mark.parametrize("Search", SEARCHES)


@each
def test_parameters_are_those_of_all_searches_and_its_own(Search):
    shared = set.intersection(*(set(one(MODEL).get_params(deep=False)) for one in SEARCHES))
    assert set(Search(MODEL).get_params(deep=False)) - shared == OWN[Search]
    assert set(GridSearchCV(MODEL, GRID).get_params(deep=False)) <= shared
    with pytest.raises(TypeError, match="positional"):
        Search(MODEL, GRID, 3)


@each
@both
def test_tags_predictions_scores_and_clones_are_scikit_learns(Search, way):
    ours, plain = of_way(Search, way)
    assert get_tags(ours) == get_tags(plain)
    fitted = clone(ours).fit(X, Y)
    plain.fit(X, Y)
    assert fitted.best_params_ == plain.best_params_
    np.testing.assert_array_equal(fitted.predict_proba(X), plain.predict_proba(X))
    assert fitted.score(X, Y) == plain.score(X, Y)
    np.testing.assert_array_equal(fitted.classes_, plain.classes_)
    assert not hasattr(ours, "best_params_")


@each
@both
def test_a_pickle_is_larger_than_scikit_learns_by_the_report_alone(Search, way):
    ours, plain = of_way(Search, way)
    sizes = [len(pickle.dumps(search.fit(X, Y))) for search in (ours, plain)]
    bare = pickle.loads(pickle.dumps(ours)).report_  # noqa: S301  # our own
    assert sizes[0] < sizes[1] + 2 * len(pickle.dumps(bare)) + 1000
    np.testing.assert_array_equal(bare.estimate, ours.report_.estimate)


@each
@both
def test_the_winner_gives_frames_where_it_is_told_to(Search, way):
    pandas = pytest.importorskip("pandas")
    steps = make_pipeline(PCA(random_state=0), LogisticRegression()).set_output(transform="pandas")
    ours, _ = of_way(Search, way, steps)
    assert isinstance(ours.fit(X, Y).best_estimator_[:-1].transform(X), pandas.DataFrame)


@each
@both
def test_weights_and_groups_reach_whom_they_are_meant_for(Search, way):
    weights, groups = np.linspace(0.1, 2, len(Y)), np.arange(len(Y)) % 9
    with config_context(enable_metadata_routing=True):
        model = LogisticRegression().set_fit_request(sample_weight=True)
        model.set_score_request(sample_weight=True)
        grid, cv = {"C": [0.01, 1.0]}, GroupKFold(3)
        plain = GridSearchCV(model, grid, cv=cv)
        given = {"outer_cv": cv} if Search is NestedCVSearch and way == "object" else {}
        ours = Search(plain, **given) if way == "object" else Search(model, grid, cv=cv)
        both_fitted = [one.fit(X, Y, sample_weight=weights, groups=groups) for one in (ours, plain)]
    found = [one.cv_results_["mean_test_score"] for one in both_fitted]
    np.testing.assert_array_equal(*found)


def test_one_machine_serves_every_method():
    nested = NestedCVSearch(MODEL, GRID, cv=3).fit(X, Y)
    same = HonestSearchCV(MODEL, GRID, cv=3, method="NESTED").fit(X, Y)
    np.testing.assert_array_equal(same.outer_scores_, nested.outer_scores_)
    assert (same.best_score_, same.n_fits_) == (nested.best_score_, nested.n_fits_)


def test_where_refit_chooses_nobody_nothing_is_fitted():
    calls = []

    def refit(results):
        calls.append(len(calls))
        if len(calls) > 1:  # the search itself comes first
            raise RuntimeError("no more")
        return 0

    search = NestedCVSearch(MODEL, GRID, cv=2, outer_cv=3, refit=refit)
    told = pytest.warns(UserWarning, match="refit chose nobody inside outer fold")
    with told, pytest.warns(UserWarning, match=r"outer folds \[0, 1, 2\] have no score"):
        search.fit(X, Y)
    assert search.n_fits_ == planned_fits(search, X, Y) - 3
    assert np.isnan(search.best_score_)


def test_a_fit_passes_fewer_than_thirty_modules():
    passed = set()

    def listen(frame, event, _):
        if event == "call":
            passed.add(str(frame.f_globals.get("__name__")))

    search = NestedCVSearch(LogisticRegression(), {"C": [0.1, 1.0]}, cv=3)
    before = sys.getprofile()
    sys.setprofile(listen)
    try:
        search.fit(X, Y)
    finally:
        sys.setprofile(before)
    own = {name for name in passed if name.startswith("skmaxev")}
    assert 10 < len(own) < 30, sorted(own)
