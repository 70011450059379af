"""Searches and models of other packages, inside ours and around."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression, RidgeCV
from sklearn.model_selection import (
    GridSearchCV,
    StratifiedKFold,
    TunedThresholdClassifierCV,
    cross_val_score,
)

from skmaxev import HonestSearchCV, LowVarianceCVSearch, NestedCVSearch, ShrunkSearchCV, correct

X, Y = make_classification(120, 6, flip_y=0.2, random_state=0)
GRID = {"C": [0.01, 1.0]}
SEARCHES = [NestedCVSearch, LowVarianceCVSearch, ShrunkSearchCV]


def optuna_search(**options):
    optuna = pytest.importorskip("optuna")
    room = pytest.importorskip("optuna_integration")
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    wide = {"C": optuna.distributions.FloatDistribution(1e-3, 1e3, log=True)}
    return room.OptunaSearchCV(LogisticRegression(), wide, cv=3, n_trials=5, **options)


def skopt_search():
    skopt = pytest.importorskip("skopt")
    wide = {"C": (1e-3, 1e3, "log-uniform")}
    return skopt.BayesSearchCV(LogisticRegression(), wide, n_iter=5, cv=3, random_state=0)


@pytest.fixture
def _optuna_warns():
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="OptunaSearchCV is experimental")
        warnings.filterwarnings("ignore", message=".*has been deprecated in v4")
        warnings.filterwarnings("ignore", message=".*The pandas import is slow")
        yield


@pytest.mark.usefixtures("_optuna_warns")
@pytest.mark.parametrize("make", [lambda: optuna_search(random_state=0), skopt_search])
def test_searches_of_other_packages_get_an_honest_score(make):
    honest = HonestSearchCV(make()).fit(X, Y)
    assert honest.best_score_ == correct(honest.search_).estimate
    assert honest.naive_best_score_ == pytest.approx(honest.search_.best_score_)
    assert honest.best_score_ <= honest.naive_best_score_
    assert (honest.report_.n_candidates, honest.report_.n_splits) == (5, 3)
    np.testing.assert_array_equal(honest.predict(X), honest.search_.predict(X))


@pytest.mark.usefixtures("_optuna_warns")
def test_the_study_behind_a_search_gives_the_same_number():
    honest = HonestSearchCV(optuna_search(random_state=0)).fit(X, Y)
    assert correct(honest.search_.study_).estimate == pytest.approx(honest.best_score_)


@pytest.mark.usefixtures("_optuna_warns")
@pytest.mark.parametrize("kind", ["on disk", "known already"])
@pytest.mark.parametrize("Search", SEARCHES)
def test_a_study_that_would_go_from_fold_to_fold_is_refused(Search, kind, tmp_path):
    optuna = pytest.importorskip("optuna")
    journal = optuna.storages.journal.JournalFileBackend(str(tmp_path / "study.log"))
    storage = optuna.storages.JournalStorage(journal) if kind == "on disk" else None
    study = optuna.create_study(direction="maximize", storage=storage)
    if kind == "known already":
        study.add_trial(optuna.trial.create_trial(value=0.5))
    model = optuna_search(study=study)
    with pytest.raises(ValueError, match=r"study with . trials in .* Leave it out"):
        Search(model, {"n_trials": [2, 3]}).fit(X, Y)
    with pytest.raises(ValueError, match=r"study is a study with . trials"):
        HonestSearchCV(GridSearchCV(model, {"n_trials": [2, 3]})).fit(X, Y)


@pytest.mark.usefixtures("_optuna_warns")
def test_a_new_study_in_memory_is_copied_for_every_fold():
    optuna = pytest.importorskip("optuna")
    study = optuna.create_study(direction="maximize", sampler=optuna.samplers.RandomSampler(seed=0))
    model = optuna_search(study=study)
    search = NestedCVSearch(model, {"n_trials": [1, 2]}, cv=3).fit(X, Y)
    assert study.trials == []
    assert len(search.best_estimator_.study_.trials) == search.best_params_["n_trials"]


class QuietSearch(BaseEstimator):
    """Keeps its results as a frame, and ``fit`` returns None, as in some libraries."""

    def fit(self, X, y):
        scores = np.random.default_rng(0).normal(0.8, 0.02, (5, 4))
        self.cv_results_ = pd.DataFrame(scores, columns=[f"split{k}_test_score" for k in range(4)])
        self.best_index_ = int(scores.mean(axis=1).argmax())


@pytest.mark.parametrize("search", [QuietSearch(), RidgeCV([0.1, 1, 10], store_cv_results=True)])
def test_searches_may_keep_frames_or_arrays_and_return_nothing(search):
    honest = HonestSearchCV(search).fit(X, Y)
    search.fit(X, Y)
    report = correct(search)
    assert abs(honest.best_score_) == pytest.approx(abs(report.estimate), rel=1e-12)
    assert honest.report_.best_index == report.best_index


def test_a_threshold_is_tuned_inside_each_fold():
    model = TunedThresholdClassifierCV(LogisticRegression(), scoring="f1", cv=2, thresholds=5)
    grid, cv = {"estimator__C": [0.01, 1.0]}, StratifiedKFold(3)
    search = NestedCVSearch(model, grid, cv=2, outer_cv=cv, scoring="f1").fit(X, Y)
    plain = GridSearchCV(model, grid, cv=2, scoring="f1")
    expected = cross_val_score(plain, X, Y, cv=cv, scoring="f1")
    np.testing.assert_array_equal(search.outer_scores_, expected)


def test_thresholds_without_scores_of_splits_give_no_number():
    model = TunedThresholdClassifierCV(LogisticRegression(), cv=2, thresholds=5)
    with pytest.warns(UserWarning, match=r"honest score is NaN.*FixedThresholdClassifier"):
        honest = HonestSearchCV(model).fit(X, Y)
    assert np.isnan(honest.best_score_)
    np.testing.assert_array_equal(honest.predict(X), honest.search_.predict(X))


def lightgbm_model():
    room = pytest.importorskip("lightgbm")
    model = room.LGBMClassifier(n_estimators=30, min_child_samples=5, n_jobs=1, verbose=-1)
    stop = room.early_stopping(3, verbose=False)
    fit = {"eval_set": [(X[90:], Y[90:])], "eval_metric": "auc", "callbacks": [stop]}
    return model, {"num_leaves": [2, 5]}, fit, "best_iteration_"


def xgboost_model():
    room = pytest.importorskip("xgboost")
    model = room.XGBClassifier(n_estimators=30, early_stopping_rounds=3, n_jobs=1)
    fit = {"eval_set": [(X[90:], Y[90:])], "verbose": False}
    return model, {"max_depth": [1, 3]}, fit, "best_iteration"


def catboost_model():
    room = pytest.importorskip("catboost")
    model = room.CatBoostClassifier(
        20, early_stopping_rounds=3, thread_count=1, verbose=0, allow_writing_files=False
    )
    return model, {"depth": [1, 3]}, {"eval_set": (X[90:], Y[90:])}, "tree_count_"


@pytest.mark.filterwarnings("ignore:The argument 'eval_set' is deprecated")
@pytest.mark.filterwarnings("ignore:X does not have valid feature names")
@pytest.mark.parametrize("make", [lightgbm_model, xgboost_model, catboost_model])
def test_early_stopping_gets_its_rows_whole_at_every_level(make):
    model, grid, fit, stopped = make()
    data, y, cv = X[:90], Y[:90], StratifiedKFold(3)
    options = {"cv": 2, "error_score": "raise"}
    search = NestedCVSearch(model, grid, outer_cv=cv, **options).fit(data, y, **fit)
    expected = [
        GridSearchCV(model, grid, **options)
        .fit(data[train], y[train], **fit)
        .score(data[test], y[test])
        for train, test in cv.split(data, y)
    ]
    np.testing.assert_array_equal(search.outer_scores_, expected)
    assert getattr(search.best_estimator_, stopped) > 0
