"""Models that clone in their own way, pickles, workers, time, and very many candidates."""

import pickle
import tracemalloc

import numpy as np
from joblib import parallel_config
from searches import LOGISTIC, Recorder, X, Y, every_search
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import (
    GridSearchCV,
    TimeSeriesSplit,
    cross_val_score,
)
from sklearn.neighbors import KNeighborsClassifier

from skmaxev import NestedCVSearch, ShrunkSearchCV, correct


class Marked(KNeighborsClassifier):
    """Keeps a mark through its own protocol of cloning."""

    mark = None

    def __sklearn_clone__(self):
        new = type(self)(**self.get_params())
        new.mark = self.mark
        return new

    def fit(self, X, y):
        if self.mark != "kept":
            raise ValueError("the mark was lost")
        return super().fit(X, y)


@every_search
def test_models_are_cloned_as_they_wish_and_never_touched(Search):
    model = Marked()
    model.mark = "kept"
    search = Search(model, {"n_neighbors": [1, 3]}, error_score="raise").fit(X, Y)
    assert search.best_score_ > 0
    assert not hasattr(model, "classes_")


@every_search
def test_a_fitted_search_survives_pickle_with_all_it_knows(Search):
    search = Search(*LOGISTIC, cv=3).fit(X, Y)
    again = pickle.loads(pickle.dumps(search))  # noqa: S301
    assert again.best_score_ == search.best_score_
    assert str(again.report_) == str(search.report_)
    np.testing.assert_array_equal(again.predict(X), search.predict(X))


def test_a_scorer_defined_on_the_spot_works_with_two_workers():
    factor = 2

    def local(model, X, y):
        return float(np.mean(model.predict(X) == y)) * factor / 2

    search = ShrunkSearchCV(*LOGISTIC, scoring=local, n_jobs=2).fit(X, Y)
    assert search.naive_best_score_ == GridSearchCV(*LOGISTIC).fit(X, Y).best_score_


@every_search
def test_workers_at_every_level_change_no_number(Search):
    forest, grid = RandomForestClassifier(5, random_state=0, n_jobs=2), {"max_depth": [1, 3]}
    alone = Search(clone(forest).set_params(n_jobs=None), grid, cv=3).fit(X, Y)
    with parallel_config(backend="threading"):
        threads = Search(forest, grid, cv=3, n_jobs=2).fit(X, Y)
    for search in (threads, Search(forest, grid, cv=3, n_jobs=2).fit(X, Y)):
        assert search.best_score_ == alone.best_score_
        np.testing.assert_array_equal(
            search.cv_results_["mean_test_score"], alone.cv_results_["mean_test_score"]
        )
    inside = cross_val_score(Search(forest, grid, cv=3, n_jobs=2), X, Y, cv=2, n_jobs=2)
    np.testing.assert_array_equal(
        inside, cross_val_score(GridSearchCV(forest, grid, cv=3), X, Y, cv=2)
    )


def test_no_row_of_the_future_ever_trains():
    Recorder.rows = []
    data = np.c_[np.arange(60), np.random.default_rng(0).normal(size=60)]
    splitter = TimeSeriesSplit(3)
    NestedCVSearch(Recorder(), {"flip": [True, False]}, cv=splitter, refit=False).fit(
        data, (data[:, 1] > 0).astype(int)
    )
    for rows in Recorder.rows:
        np.testing.assert_array_equal(rows, np.arange(len(rows)))


class Cheap(ClassifierMixin, BaseEstimator):
    """Learns nothing."""

    def __init__(self, a=0.0):
        self.a = a

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return (X[:, 0] > self.a).astype(int)


def test_memory_grows_with_candidates_and_folds_only():
    scores = 0.5 + 0.05 * np.random.default_rng(0).normal(size=(10, 50_000))
    tracemalloc.start()
    report = correct(scores)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert report.n_candidates == 50_000
    assert abs(report.estimate - 0.5) < 0.05
    assert peak < 100 * scores.nbytes  # all pairs of candidates would be 20 GB


@every_search
def test_candidates_that_tie_exactly_are_no_trouble(Search):
    search = Search(Cheap(), {"a": np.linspace(-3, 3, 40)}, cv=3, refit=False).fit(X, Y)
    assert search.best_score_ <= search.naive_best_score_
