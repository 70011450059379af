"""Searches that would carry what they learnt from fold to fold are refused, others never."""

import warnings

import numpy as np
import pytest
from joblib import Memory
from scipy.stats import loguniform
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.datasets import make_classification
from sklearn.ensemble import VotingClassifier
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import (
    GridSearchCV,
    HalvingGridSearchCV,
    RandomizedSearchCV,
    cross_val_score,
)
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

from skmaxev import HonestSearchCV, LowVarianceCVSearch, NestedCVSearch, ShrunkSearchCV

optuna = pytest.importorskip("optuna")
optuna.logging.set_verbosity(optuna.logging.WARNING)
X, Y = make_classification(60, 5, flip_y=0.2, random_state=0)
SEARCHES = [NestedCVSearch, LowVarianceCVSearch, ShrunkSearchCV]
WIDE = {"C": loguniform(1e-3, 1e3)}


class Asks(ClassifierMixin, BaseEstimator):
    """Takes anything that might remember, in a parameter or in ``fit``."""

    def __init__(self, study=None, storage=None, settings=None):
        self.study = study
        self.storage = storage
        self.settings = settings

    def fit(self, X, y, study=None):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.zeros(len(X), dtype=int)


@pytest.fixture
def storage(tmp_path):
    """A storage of studies on disk."""
    journal = optuna.storages.journal.JournalFileBackend(str(tmp_path / "study.log"))
    return optuna.storages.JournalStorage(journal)


@pytest.fixture
def study(storage):
    return optuna.create_study(storage=storage)


def told_study():
    study = optuna.create_study()
    study.add_trial(optuna.trial.create_trial(value=0.5))
    return study


def told_optimizer():
    room = pytest.importorskip("skopt")
    optimizer = room.Optimizer([(0.0, 1.0)], n_initial_points=1)
    optimizer.tell([0.5], 1.0)
    return optimizer


class Keeps(RandomizedSearchCV):
    """A search whose clones start where it ended."""

    def __sklearn_clone__(self):
        new = type(self)(**self.get_params(deep=False))
        new.__dict__.update(self.__dict__)
        return new


PLACES = {
    "the model's": lambda it: (Asks(study=it), {"settings": [1, 2]}),
    "in a list of the model's": lambda it: (Asks(settings=[0, it]), {"study": [None]}),
    "in a mapping of the model's": lambda it: (Asks(settings={"use": it}), {"study": [None]}),
    "a candidate": lambda it: (Asks(), {"study": [None, it]}),
    "in a list of grids": lambda it: (Asks(), [{"settings": [1]}, {"study": [it]}]),
    "of a candidate model": lambda it: (
        Pipeline([("model", Asks())]),
        {"model": [Asks(), Asks(study=it)]},
    ),
    "of a step": lambda it: (
        make_pipeline(StandardScaler(), Asks(study=it)),
        {"asks__settings": [1, 2]},
    ),
    "of one among several models": lambda it: (
        VotingClassifier([("a", Asks()), ("b", Asks(study=it))]),
        {"a__settings": [1, 2]},
    ),
    "of a search inside": lambda it: (
        GridSearchCV(Asks(study=it), {"settings": [1]}),
        {"cv": [2, 3]},
    ),
    "a candidate of a search inside": lambda it: (
        RandomizedSearchCV(Asks(), {"study": [it]}),
        {"cv": [2, 3]},
    ),
}


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("Search", SEARCHES)
def test_a_study_on_disk_is_refused_wherever_it_lies(Search, place, study):
    model, grid = PLACES[place](study)
    with pytest.raises(ValueError, match=r"is a study with 0 trials in JournalStorage.*Leave it"):
        Search(model, grid).fit(X, Y)
    with pytest.raises(ValueError, match="study with 0 trials"):
        HonestSearchCV(GridSearchCV(model, grid)).fit(X, Y)


@pytest.mark.parametrize("make", [told_study, told_optimizer])
@pytest.mark.parametrize("place", PLACES)
def test_what_holds_results_already_is_refused(place, make):
    model, grid = PLACES[place](make())
    with pytest.raises(ValueError, match=r"a study with 1 trials|that was told 1 scores"):
        ShrunkSearchCV(model, grid).fit(X, Y)


def test_a_storage_is_refused_as_an_object_and_by_its_address(storage):
    for given in (storage, "sqlite:///studies.db"):
        with pytest.raises(ValueError, match=r"estimator__storage is .*stud"):
            NestedCVSearch(Asks(storage=given), {"settings": [1, 2]}).fit(X, Y)
    told = told_study()._storage
    with pytest.raises(ValueError, match="InMemoryStorage"):
        NestedCVSearch(Asks(storage=told), {"settings": [1, 2]}).fit(X, Y)


def test_a_study_for_fit_is_shared_by_all_fits_even_if_it_is_new():
    study = optuna.create_study()
    with pytest.raises(ValueError, match="study is a study with 0 trials"):
        ShrunkSearchCV(Asks(), {"settings": [1, 2]}).fit(X, Y, study=study)
    with pytest.raises(ValueError, match="study is a study with 0 trials"):
        HonestSearchCV(GridSearchCV(Asks(), {"settings": [1]})).fit(X, Y, study=study)


def test_a_search_whose_clones_keep_their_results_is_refused():
    model = Keeps(LogisticRegression(), WIDE, n_iter=2, cv=2, random_state=0)
    NestedCVSearch(model, {"n_iter": [1, 2]}, cv=3).fit(X, Y)
    model.fit(X, Y)
    with pytest.raises(ValueError, match="a fitted search that keeps cv_results_"):
        NestedCVSearch(model, {"n_iter": [1, 2]}, cv=3).fit(X, Y)


def inner_searches():
    tree = LogisticRegression()
    yield RandomizedSearchCV(tree, WIDE, n_iter=2, cv=2, random_state=0), {"n_iter": [1, 2]}
    yield HalvingGridSearchCV(tree, {"C": [0.1, 1]}, cv=2, random_state=0), {"factor": [2, 3]}
    yield Asks(study=optuna.create_study()), {"settings": [1, 2]}
    yield Asks(storage=optuna.storages.InMemoryStorage()), {"settings": [1, 2]}
    yield Asks(storage="s3://some/where"), {"settings": ["sqlite", "a study"]}


@pytest.mark.parametrize(("model", "grid"), list(inner_searches()), ids=lambda it: str(it)[:30])
def test_searches_that_start_anew_pass_fitted_or_not(model, grid):
    expected = cross_val_score(GridSearchCV(model, grid, cv=2), X, Y, cv=3)
    for given in (model, clone(model).fit(X, Y)):
        search = NestedCVSearch(given, grid, cv=2, outer_cv=3).fit(X, Y)
        np.testing.assert_array_equal(search.outer_scores_, expected)


def test_a_bayesian_search_starts_anew_in_every_fold():
    skopt = pytest.importorskip("skopt")
    wide = {"C": (1e-3, 1e3, "log-uniform")}
    model = skopt.BayesSearchCV(LogisticRegression(), wide, n_iter=3, cv=2, random_state=0)
    model.fit(X, Y)
    search = NestedCVSearch(model, {"n_iter": [2, 3]}, cv=3).fit(X, Y)
    made = search.best_estimator_.optimizer_results_[0]
    assert len(made.func_vals) == search.best_params_["n_iter"]


def test_an_optuna_search_in_memory_passes_fitted_or_not():
    room = pytest.importorskip("optuna_integration")
    wide = {"C": optuna.distributions.FloatDistribution(1e-3, 1e3, log=True)}
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="OptunaSearchCV is experimental")
        warnings.filterwarnings("ignore", message=".*has been deprecated in v4")
        warnings.filterwarnings("ignore", message=".*The pandas import is slow")
        model = room.OptunaSearchCV(LogisticRegression(), wide, cv=2, n_trials=2, random_state=0)
        model.fit(X, Y)
        search = NestedCVSearch(model, {"n_trials": [1, 2]}, cv=3).fit(X, Y)
    assert len(search.best_estimator_.study_.trials) == search.best_params_["n_trials"]


def test_a_cache_on_disk_is_keyed_by_the_data_and_passes(tmp_path):
    steps = [("scale", StandardScaler()), ("model", LogisticRegression())]
    grid = {"model__C": [0.01, 1.0]}
    cached = Pipeline(steps, memory=Memory(tmp_path, verbose=0))
    first, second, plain = (
        NestedCVSearch(model, grid, cv=3).fit(X, Y) for model in (cached, cached, Pipeline(steps))
    )
    for search in (first, second):
        np.testing.assert_array_equal(search.outer_scores_, plain.outer_scores_)


def test_a_search_of_its_own_may_go_on_with_a_study():
    room = pytest.importorskip("optuna_integration")
    wide = {"C": optuna.distributions.FloatDistribution(1e-3, 1e3, log=True)}
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="OptunaSearchCV is experimental")
        warnings.filterwarnings("ignore", message=".*has been deprecated in v4")
        warnings.filterwarnings("ignore", message=".*The pandas import is slow")
        study = optuna.create_study(direction="maximize")
        search = room.OptunaSearchCV(LogisticRegression(), wide, cv=3, n_trials=2, study=study)
        honest = HonestSearchCV(search.fit(X, Y)).fit(X, Y)
    assert np.isfinite(honest.best_score_)
