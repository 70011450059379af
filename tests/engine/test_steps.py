"""Shared pipeline steps give scikit-learn's numbers to the last bit, with fewer fits."""

import copy
import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
import sklearn
from hypothesis import given
from hypothesis import strategies as st
from recorders import Jitter, Scribble, Shift, Vandal, length_of_longest, lines
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.compose import make_column_transformer
from sklearn.datasets import make_classification
from sklearn.decomposition import PCA, TruncatedSVD
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer, TfidfVectorizer
from sklearn.feature_selection import SelectKBest, VarianceThreshold
from sklearn.kernel_approximation import Nystroem
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import make_scorer
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import GridSearchCV, KFold, StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import FeatureUnion, Pipeline, make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    KernelCenterer,
    MaxAbsScaler,
    MinMaxScaler,
    OneHotEncoder,
    StandardScaler,
)
from sklearn.svm import SVC

from skmaxev.engine.steps import common_prefixes, private_copy
from skmaxev.search import NestedCVSearch, ShrunkSearchCV

X, y = make_classification(n_samples=60, n_features=6, random_state=0)
FRAME = pd.DataFrame({"a": X[:, 0], "b": X[:, 1], "word": np.where(X[:, 2] > 0, "up", "down")})
TEXTS = [
    f"{'good' if label else 'bad'} thing {number % 7} and {number % 5}"
    for number, label in enumerate(y)
]
C = [0.1, 10.0]


def first_columns(data):
    return data[:, :4]


CASES = {
    "scaler": (
        make_pipeline(StandardScaler(), LogisticRegression()),
        {"logisticregression__C": C},
        X,
    ),
    "tree of prefixes": (
        make_pipeline(StandardScaler(), SelectKBest(), PCA(), SVC()),
        {"selectkbest__k": [3, 5], "pca__n_components": [1, 2], "svc__C": C},
        X,
    ),
    "unseeded, but nothing is drawn": (
        make_pipeline(PCA(n_components=3), KNeighborsClassifier()),
        {"kneighborsclassifier__n_neighbors": [1, 3, 5]},
        X,
    ),
    "text": (
        make_pipeline(CountVectorizer(), TfidfTransformer(), LogisticRegression()),
        {
            "countvectorizer__ngram_range": [(1, 1), (1, 2)],
            "tfidftransformer__norm": ["l1", "l2"],
            "logisticregression__C": C,
        },
        TEXTS,
    ),
    "text to dense": (
        make_pipeline(TfidfVectorizer(), TruncatedSVD(3, random_state=0), SVC()),
        {"svc__C": C},
        TEXTS,
    ),
    "columns": (
        make_pipeline(
            make_column_transformer((StandardScaler(), ["a", "b"]), (OneHotEncoder(), ["word"])),
            LogisticRegression(),
        ),
        {"columntransformer__standardscaler__with_mean": [True, False], "logisticregression__C": C},
        FRAME,
    ),
    "frames between steps": (
        make_pipeline(StandardScaler(), PCA(2, random_state=0), LogisticRegression()).set_output(
            transform="pandas"
        ),
        {"logisticregression__C": C},
        FRAME[["a", "b"]],
    ),
    "union": (
        make_pipeline(
            FeatureUnion([("pca", PCA(2)), ("best", SelectKBest(k=2))]), StandardScaler(), SVC()
        ),
        {"featureunion__best__k": [1, 3], "svc__C": C},
        X,
    ),
    "steps that are replaced or skipped": (
        Pipeline([("scale", StandardScaler()), ("pick", "passthrough"), ("model", SVC())]),
        [
            {"scale": [StandardScaler(), MinMaxScaler(), "passthrough"], "model__C": C},
            {"pick": [PCA(2), SelectKBest(k=3)], "model__C": [1.0, 2.0]},
            {"model": [KNeighborsClassifier(), LogisticRegression()]},
        ],
        X,
    ),
    "pipeline in a pipeline": (
        make_pipeline(make_pipeline(StandardScaler(), PCA(3)), VarianceThreshold(), SVC()),
        {"svc__C": C},
        X,
    ),
    "sparse": (
        make_pipeline(MaxAbsScaler(), LogisticRegression()),
        {"logisticregression__C": C},
        TfidfVectorizer().fit_transform(TEXTS),
    ),
    "kernel": (
        make_pipeline(KernelCenterer(), SVC(kernel="precomputed")),
        {"svc__C": C},
        rbf_kernel(X),
    ),
    "seeds": (
        make_pipeline(
            Nystroem(n_components=5, random_state=3),
            Nystroem(n_components=4, random_state=np.random.RandomState(1)),
            LogisticRegression(),
        ),
        {"logisticregression__C": C},
        X,
    ),
    "view of the input": (
        make_pipeline(FunctionTransformer(first_columns), StandardScaler(), SVC()),
        {"svc__C": C, "standardscaler__with_std": [True, False]},
        X,
    ),
    "the input itself": (make_pipeline(FunctionTransformer(), Vandal()), {"vandal__C": C}, X),
    "column major": (make_pipeline(StandardScaler(), SVC()), {"svc__C": C}, np.asfortranarray(X)),
    "writes into its input and says so": (
        make_pipeline(StandardScaler(copy=False), MinMaxScaler(), SVC()),
        {"minmaxscaler__clip": [True, False], "svc__C": C},
        X,
    ),
    "writes into its input": (
        make_pipeline(Shift(1.0), Scribble(), MinMaxScaler(), SVC()),
        {"scribble__by": [1.0, 2.0], "minmaxscaler__clip": [True, False], "svc__C": C},
        X,
    ),
    "first step writes into its input": (
        make_pipeline(Scribble(2.0), SVC()),
        {"svc__C": C},
        X,
    ),
    "model writes into its input": (
        make_pipeline(StandardScaler(), SelectKBest(k=4), Vandal()),
        {"vandal__C": C},
        X,
    ),
}


def assert_same_results(search, reference):
    """Compare every column but the times, to the last bit."""
    names = [name for name in reference.cv_results_ if "time" not in name and name != "params"]
    for name in names:
        if not name.startswith("param_"):
            np.testing.assert_array_equal(search.cv_results_[name], reference.cv_results_[name])
    assert search.best_params_.keys() == reference.best_params_.keys()
    assert search.best_index_ == reference.best_index_


@pytest.mark.parametrize("name", CASES)
def test_shared_steps_give_the_numbers_of_scikit_learn(name):
    estimator, grid, data = CASES[name]
    # Where a model destroys its training rows, scikit-learn scores the ruins.
    train = name != "the input itself"
    scoring = ["accuracy", "neg_log_loss"] if name == "scaler" else ["accuracy", "f1"]
    options = {"scoring": scoring, "refit": "accuracy", "cv": 3, "return_train_score": train}
    reference = GridSearchCV(estimator, grid, **options).fit(copy.copy(data), y)
    search = ShrunkSearchCV(estimator, grid, **options).fit(copy.copy(data), y)
    assert_same_results(search, reference)
    assert search.n_steps_reused_ > 0 or name == "writes into its input and says so"
    np.testing.assert_array_equal(
        search.predict(copy.copy(data)), reference.predict(copy.copy(data))
    )


def test_shared_steps_do_not_change_nested_cross_validation():
    estimator, grid, data = CASES["tree of prefixes"]
    shared, alone = (
        NestedCVSearch(estimator, grid, cv=4, share_steps=share).fit(data, y)
        for share in (True, False)
    )
    assert_same_results(shared, alone)
    np.testing.assert_array_equal(shared.outer_scores_, alone.outer_scores_)
    assert shared.best_score_ == alone.best_score_
    # 8 candidates on 4 + 6 sets of rows: scaler 1, selection 2, PCA 4 fits in place of 8 each
    assert shared.n_steps_reused_ == 10 * (3 * 8 - 1 - 2 - 4)
    assert alone.n_steps_reused_ == 0


def test_each_step_is_fitted_once_for_each_set_of_training_rows(tmp_path):
    log = str(tmp_path / "log")
    estimator = Pipeline([("one", Shift(log=log)), ("two", Shift(log=log)), ("svc", SVC())])
    grid = {"two__by": [1.0, 2.0], "svc__C": C}
    ShrunkSearchCV(estimator, grid, cv=3, refit=False).fit(X, y)
    fits = [line for line in lines(log).elements() if line.startswith("fit")]
    transforms = [line for line in lines(log).elements() if line.startswith("transform")]
    assert len(fits) == 3 * (1 + 2)
    assert len(transforms) == 2 * len(fits)  # training rows and judged rows


def test_the_first_step_is_shared_where_the_second_is_not(tmp_path):
    log = str(tmp_path / "log")
    estimator = Pipeline([("one", Shift(log=log)), ("two", Shift(log=log)), ("svc", SVC())])
    ShrunkSearchCV(estimator, {"two__by": [1.0, 2.0, 3.0]}, cv=3, refit=False).fit(X, y)
    counts = lines(log)
    by_step = {
        by: sum(n for line, n in counts.items() if line.startswith(f"fit {by} "))
        for by in (0.0, 1.0, 2.0, 3.0)
    }
    assert by_step == {0.0: 3, 1.0: 3, 2.0: 3, 3.0: 3}


@pytest.mark.slow
def test_workers_share_within_a_task_and_give_the_same_numbers():
    estimator, grid, data = CASES["tree of prefixes"]
    options = {"cv": StratifiedKFold(5), "share_steps": True}
    here = ShrunkSearchCV(estimator, grid, **options).fit(data, y)
    there = ShrunkSearchCV(estimator, grid, n_jobs=2, **options).fit(data, y)
    assert_same_results(there, here)
    assert there.n_steps_reused_ > 0.7 * here.n_steps_reused_


@pytest.mark.parametrize("n_workers", [2, 3, 8])
def test_few_families_are_cut_so_that_every_worker_has_one(n_workers):
    from skmaxev.engine.run import _families

    pairs = [(unit, number) for unit in range(2) for number in range(12)]
    pieces = _families(pairs, lambda pair: (pair[0], (0,), -1), n_workers)
    assert n_workers <= len(pieces) <= 2 * n_workers
    assert [pair for piece in pieces for pair in piece] == pairs


@pytest.mark.parametrize("routing", [False, True])
def test_weights_for_a_step_stay_with_it(routing):
    weight = np.random.default_rng(0).uniform(size=len(y))
    with sklearn.config_context(enable_metadata_routing=routing):
        scaler, model = StandardScaler(), LogisticRegression()
        params = {"standardscaler__sample_weight": weight}
        if routing:
            scaler.set_fit_request(sample_weight=True)
            model.set_fit_request(sample_weight=False).set_score_request(sample_weight=False)
            params = {"sample_weight": weight}
        scoring = make_scorer(sklearn.metrics.accuracy_score)
        if routing:
            scoring.set_score_request(sample_weight=False)
        estimator = make_pipeline(scaler, model)
        grid, options = {"logisticregression__C": C}, {"cv": KFold(3), "scoring": scoring}
        reference = GridSearchCV(estimator, grid, **options).fit(X, y, **params)
        search = ShrunkSearchCV(estimator, grid, **options).fit(X, y, **params)
        unweighted = ShrunkSearchCV(
            make_pipeline(StandardScaler(), LogisticRegression()), grid, cv=KFold(3)
        ).fit(X, y)
    assert_same_results(search, reference)
    assert search.n_steps_reused_ == 3
    scale = search.best_estimator_[0].scale_
    assert not np.allclose(scale, unweighted.best_estimator_[0].scale_)


def test_scorers_see_the_rows_and_the_fitted_steps():
    estimator = make_pipeline(Shift(), Shift(1.0), SVC())
    options = {"cv": 3, "scoring": length_of_longest}
    reference = GridSearchCV(estimator, {"svc__C": C}, **options).fit(X, y)
    search = ShrunkSearchCV(estimator, {"svc__C": C}, **options).fit(X, y)
    assert_same_results(search, reference)
    assert search.n_steps_reused_ == 6


def score_of_a_copy(estimator, data, target):
    return pickle.loads(pickle.dumps(estimator)).score(data, target)  # noqa: S301


def test_a_scorer_may_pickle_the_pipeline():
    estimator = make_pipeline(StandardScaler(), SVC())
    options = {"cv": 3, "scoring": score_of_a_copy}
    reference = GridSearchCV(estimator, {"svc__C": C}, cv=3).fit(X, y)
    assert_same_results(ShrunkSearchCV(estimator, {"svc__C": C}, **options).fit(X, y), reference)


def test_the_winner_is_an_ordinary_pipeline():
    search = ShrunkSearchCV(make_pipeline(StandardScaler(), SVC()), {"svc__C": C}, cv=3).fit(X, y)
    assert "transform" not in vars(search.best_estimator_[0])
    assert "fit_transform" not in vars(search.best_estimator_[0])


def test_a_step_that_draws_without_a_seed_is_left_to_every_candidate(tmp_path):
    log = str(tmp_path / "log")
    estimator = make_pipeline(Jitter(log=log), SVC())
    search = ShrunkSearchCV(estimator, {"svc__C": C}, cv=3, refit=False).fit(X, y)
    assert search.n_steps_reused_ == 0
    assert sum(n for line, n in lines(log).items() if line.startswith("fit")) == 6


@pytest.mark.parametrize(
    "step",
    [
        Nystroem(n_components=3),
        Shift(random_state=None),
        StandardScaler(copy=False),
        make_pipeline(Nystroem(n_components=2, random_state=0), Nystroem(n_components=2)),
        FeatureUnion([("a", PCA(2))], n_jobs=2),
    ],
    ids=["draws", "unseeded and not of scikit-learn", "in place", "within", "in other processes"],
)
def test_steps_that_might_change_a_number_are_not_shared(step):
    estimator = Pipeline([("step", step), ("svc", SVC())])
    if step.get_params().get("n_jobs"):  # no need to start processes
        assert common_prefixes(estimator, [{"svc__C": value} for value in C]) == [(), ()]
    else:
        search = ShrunkSearchCV(estimator, {"svc__C": C}, cv=3, refit=False)
        assert search.fit(X, y).n_steps_reused_ == 0


def test_pipelines_with_memory_and_other_pipelines_are_left_alone(tmp_path):
    from imblearn.pipeline import make_pipeline as make_sampling_pipeline

    grid = [{"svc__C": value} for value in C]
    memory = make_pipeline(StandardScaler(), SVC(), memory=str(tmp_path))
    assert common_prefixes(memory, grid) == [(), ()]
    assert common_prefixes(make_sampling_pipeline(StandardScaler(), SVC()), grid) == [(), ()]
    assert common_prefixes(SVC(), [{"C": value} for value in C]) == [(), ()]
    assert common_prefixes(make_pipeline(StandardScaler(), SVC()), [{"memory": None}] * 2) == [
        (),
        (),
    ]


def test_a_shared_step_that_fails_fails_for_every_candidate():
    estimator = make_pipeline(StandardScaler(), Shift(fails=True), SVC())
    folds = [(np.arange(40), np.arange(40, 60)), (np.arange(19, 60), np.arange(19))]
    messages, found = [], []
    for kind in (GridSearchCV, ShrunkSearchCV):
        search = kind(estimator, {"svc__C": C, "shift__by": [0.0, 1.0]}, cv=folds, refit=False)
        with pytest.warns() as caught:
            search.fit(X, y)
        found.append(search.cv_results_)
        messages.append(
            {str(one.message)[:60] for one in caught if "fits failed" in str(one.message)}
        )
    assert messages[0]
    assert messages[0] <= messages[1]
    for split in (0, 1):
        name = f"split{split}_test_score"
        np.testing.assert_array_equal(found[0][name], found[1][name])
    assert np.isnan(found[1]["split1_test_score"]).all()


def test_reported_times_are_those_of_a_fit_alone():
    estimator = make_pipeline(Sleepy(), SVC())
    search = ShrunkSearchCV(estimator, {"svc__C": C}, cv=2, refit=False).fit(X, y)
    assert (search.cv_results_["mean_fit_time"] > 0.02).all()
    assert (search.cv_results_["mean_score_time"] > 0.02).all()


class TargetMean(TransformerMixin, BaseEstimator):
    """Encodes training rows without their own target: ``fit_transform`` calls ``transform``."""

    def fit(self, X, y):
        self.sum_ = {c: (y[X[:, 0] > 0].sum(), np.sum(X[:, 0] > 0)) for c in (True,)}
        return self

    def fit_transform(self, X, y):
        return self.fit(X, y).transform(X, y)

    def transform(self, X, y=None):
        total, n = self.sum_[True]
        own = 0 if y is None else y
        return np.c_[(total - own + 0.5) / (n - (y is not None) + 1) * np.ones(len(X)), X[:, 1:]]


def test_a_step_may_transform_training_rows_in_its_own_way():
    estimator, grid = (
        make_pipeline(TargetMean(), LogisticRegression()),
        {"logisticregression__C": C},
    )
    options = {"cv": 3, "return_train_score": True}
    reference = GridSearchCV(estimator, grid, **options).fit(X, y)
    search = ShrunkSearchCV(estimator, grid, **options).fit(X, y)
    assert_same_results(search, reference)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()
    assert search.n_steps_reused_ == 3


def test_whole_pipelines_are_scored_on_training_rows_as_the_fit_has_left_them():
    estimator = make_pipeline(Scribble(2.0), Shift(1.0), SVC())
    options = {"cv": 3, "scoring": length_of_longest, "return_train_score": True}
    reference = GridSearchCV(estimator, {"svc__C": C}, **options).fit(X.copy(), y)
    search = ShrunkSearchCV(estimator, {"svc__C": C}, **options).fit(X.copy(), y)
    assert_same_results(search, reference)
    assert search.n_steps_reused_ == 6


class OnlyFits(Shift):
    """Transforms training rows, and no others."""

    def fit_transform(self, X, y=None):
        return self.fit(X, y)._shifted(X)

    def _shifted(self, X):
        return X - self.mean_

    def transform(self, X):
        raise RuntimeError("no other rows")


def test_rows_that_a_shared_step_cannot_transform_fail_as_they_do_alone():
    grid, options = {"svc__C": C}, {"cv": 3, "refit": False}
    for kind in (GridSearchCV, ShrunkSearchCV):
        search = kind(make_pipeline(OnlyFits(), SVC()), grid, **options)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            search.fit(X, y)
        assert any("no other rows" in str(one.message) for one in caught)
        assert np.isnan(search.cv_results_["mean_test_score"]).all()


class Sleepy(Shift):
    def transform(self, X):
        import time

        time.sleep(0.02)
        return super().transform(X)


settings = st.fixed_dictionaries(
    {},
    optional={
        "one__by": st.sampled_from([0.0, 1.0, 2.0]),
        "two__by": st.sampled_from([0.0, 1.0]),
        "svc__C": st.sampled_from([1.0, 2.0]),
    },
)


@given(st.lists(settings, min_size=1, max_size=8))
def test_prefixes_agree_where_the_settings_of_the_first_steps_agree(grid):
    estimator = Pipeline([("one", Shift()), ("two", Shift()), ("svc", SVC())])
    prefixes = common_prefixes(estimator, grid)
    for i, mine in enumerate(grid):
        longest = 0
        for j, other in enumerate(grid):
            depth = 0
            if mine.get("one__by") == other.get("one__by"):
                depth = 2 if mine.get("two__by") == other.get("two__by") else 1
            if i != j:
                longest = max(longest, depth)
            assert prefixes[i][:depth] == prefixes[j][:depth]
            assert prefixes[i][: depth + 1] != prefixes[j][: depth + 1] or depth >= min(
                len(prefixes[i]), len(prefixes[j])
            )
        assert len(prefixes[i]) == longest


@pytest.mark.parametrize(
    "data",
    [
        np.arange(12.0).reshape(3, 4),
        np.asfortranarray(np.arange(12.0).reshape(3, 4)),
        np.arange(24.0).reshape(6, 4)[::2, 1:3],
        np.asfortranarray(np.arange(24.0).reshape(6, 4))[1:4, ::-1],
        np.empty((0, 3)),
        np.array(["a", None], dtype=object),
    ],
)
def test_a_private_copy_has_the_same_values_and_the_same_layout(data):
    copied = private_copy(data)
    np.testing.assert_array_equal(copied, data)
    assert copied.strides == data.strides
    assert not np.shares_memory(copied, data)
    assert copied.flags.writeable


def test_a_private_frame_keeps_the_layout_of_its_columns():
    frame = pd.DataFrame(np.arange(12.0).reshape(3, 4))
    copied = private_copy(frame)
    assert np.asarray(copied).strides == np.asarray(frame).strides
    pd.testing.assert_frame_equal(copied, frame)
