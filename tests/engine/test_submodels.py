"""Candidates cut out of another fit have the numbers of fits of their own, to the last bit."""

import pickle
import warnings
from copy import copy
from zlib import crc32

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
import sklearn
from recorders import Jitter, Shift, lines
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.datasets import make_classification
from sklearn.ensemble import (
    AdaBoostClassifier,
    AdaBoostRegressor,
    BaggingClassifier,
    BaggingRegressor,
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    IsolationForest,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.feature_selection import SelectKBest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, make_scorer
from sklearn.model_selection import FixedThresholdClassifier, GridSearchCV, KFold
from sklearn.naive_bayes import BernoulliNB, CategoricalNB, ComplementNB, MultinomialNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from skmaxev import HonestSearchCV, NestedCVSearch, ShrunkSearchCV, planned_fits
from skmaxev._compat.families import FAMILIES
from skmaxev.engine.submodels import SubmodelAxis, register_submodels

X, y = make_classification(120, 6, random_state=0)
FOUR = make_classification(160, 6, n_informative=4, n_classes=4, random_state=1)
NUMBERS = X[:, 0] ** 2 + X[:, 1]
HOLES = np.where(np.random.default_rng(0).uniform(size=X.shape) < 0.1, np.nan, X)
FRAME = pd.DataFrame({"a": X[:, 0], "b": X[:, 1], "c": pd.Categorical(np.digitize(X[:, 2], [0]))})
WEIGHTS = np.random.default_rng(1).uniform(0.5, 2, size=len(y))
METHODS = ("predict", "predict_proba", "decision_function", "transform", "score_samples")
SEED = {"random_state": 0}
TREES = {"n_estimators": [2, 7, 4]}
ROUNDS = {"max_iter": [3, 12, 7]}
STOPS = {"early_stopping": True, "n_iter_no_change": 2, "max_iter": 60, **SEED}


def bits(model, X, y=None):
    """Score that no two different answers share: a checksum of each of a model's answers."""
    found = {"n": 0.0}
    for name in METHODS:
        if hasattr(model, name):
            answer = getattr(model, name)(X)
            parts = answer if isinstance(answer, list) else [answer]
            parts = [part.toarray() if sp.issparse(part) else np.asarray(part) for part in parts]
            found[name] = float(crc32(b"".join(part.tobytes() for part in parts)))
    return found


class Sums(ClassifierMixin, BaseEstimator):
    """Adds up ``n`` numbers; notes its fits. The class attribute says what is to go wrong."""

    fails_at = None
    wrong = 0.0

    def __init__(self, n=1, log=None, noisy=False):
        self.n = n
        self.log = log
        self.noisy = noisy

    def fit(self, X, y):
        if self.log:
            with open(self.log, "a") as file:  # noqa: PTH123
                file.write(f"{self.n}\n")
        if self.n == self.fails_at:
            raise ValueError("this one fails")
        self.classes_ = np.unique(y)
        self.noise_ = np.random.normal() if self.noisy else 0.0  # noqa: NPY002
        self.total_ = sum(range(self.n))
        return self

    def predict(self, X):
        return np.full(len(X), self.classes_[int(self.total_ + self.wrong) % len(self.classes_)])


# what, model, grid, X, y
CASES = {
    "histogram, two classes": (HistGradientBoostingClassifier(), ROUNDS, X, y),
    "histogram, four classes": (HistGradientBoostingClassifier(**SEED), ROUNDS, *FOUR),
    "histogram, numbers": (HistGradientBoostingRegressor(), ROUNDS, X, NUMBERS),
    "histogram, quantile": (
        HistGradientBoostingRegressor(loss="quantile", quantile=0.8),
        ROUNDS,
        X,
        NUMBERS,
    ),
    "histogram, holes": (HistGradientBoostingClassifier(), ROUNDS, HOLES, y),
    "histogram, categories": (
        HistGradientBoostingClassifier(categorical_features="from_dtype"),
        ROUNDS,
        FRAME,
        y,
    ),
    "histogram, other axes too": (
        HistGradientBoostingClassifier(max_features=0.5, l2_regularization=1.0, **SEED),
        {**ROUNDS, "learning_rate": [0.1, 0.3], "max_leaf_nodes": [4, 8]},
        X,
        y,
    ),
    "histogram, stops early": (
        HistGradientBoostingClassifier(**STOPS),
        {"max_iter": [2, 5, 60, 20]},
        X,
        y,
    ),
    "histogram, stops early by a scorer": (
        HistGradientBoostingRegressor(scoring="neg_mean_absolute_error", **STOPS),
        {"max_iter": [2, 5, 60, 20]},
        X,
        NUMBERS,
    ),
    "gradient boosting": (GradientBoostingClassifier(**SEED), TREES, X, y),
    "gradient boosting, four classes": (GradientBoostingClassifier(**SEED), TREES, *FOUR),
    "gradient boosting, subsampled": (
        GradientBoostingRegressor(subsample=0.6, max_features=3, **SEED),
        TREES,
        X,
        NUMBERS,
    ),
    "gradient boosting, stops early": (
        GradientBoostingRegressor(n_iter_no_change=1, tol=0.05, learning_rate=0.9, **SEED),
        {"n_estimators": [1, 3, 50, 30]},
        X,
        NUMBERS,
    ),
    "gradient boosting, sparse": (
        GradientBoostingClassifier(init="zero", loss="exponential", **SEED),
        TREES,
        sp.csr_matrix(np.where(X > 0, X, 0)),
        y,
    ),
    "forest": (RandomForestClassifier(**SEED), TREES, X, y),
    "forest, a generator": (
        RandomForestClassifier(random_state=np.random.RandomState(3)),
        TREES,
        X,
        y,
    ),
    "forest, many outputs": (
        RandomForestClassifier(max_samples=0.7, **SEED),
        TREES,
        X,
        np.column_stack([y, X[:, 0] > 0]),
    ),
    "forest, numbers": (
        RandomForestRegressor(**SEED),
        {**TREES, "max_features": [2, 4]},
        HOLES,
        np.column_stack([NUMBERS, X[:, 2]]),
    ),
    "extra trees": (ExtraTreesClassifier(class_weight="balanced", **SEED), TREES, *FOUR),
    "extra trees, sparse": (
        ExtraTreesRegressor(bootstrap=True, **SEED),
        TREES,
        sp.csr_matrix(np.where(X > 0, X, 0)),
        NUMBERS,
    ),
}


CASES |= {
    "bagging": (BaggingClassifier(max_features=0.7, **SEED), TREES, X, y),
    "bagging, other members": (
        BaggingRegressor(make_pipeline(StandardScaler(), KNeighborsRegressor()), **SEED),
        {**TREES, "max_samples": [0.5, 1.0], "bootstrap_features": [True]},
        X,
        NUMBERS,
    ),
    "bagging, sparse": (BaggingClassifier(**SEED), TREES, sp.csr_matrix(np.round(X)), y),
    "isolation": (IsolationForest(**SEED), TREES, X, y),
    "isolation, sparse": (
        IsolationForest(max_samples=0.5, max_features=0.5, **SEED),
        TREES,
        sp.csr_matrix(np.round(X)),
        y,
    ),
    "boosted stumps": (AdaBoostClassifier(**SEED), TREES, X, y),
    "boosted stumps, four classes": (AdaBoostClassifier(learning_rate=0.5, **SEED), TREES, *FOUR),
    "boosted trees that end early": (
        AdaBoostClassifier(DecisionTreeClassifier(max_depth=8), **SEED),
        TREES,
        X,
        y,
    ),
    "boosted numbers": (
        AdaBoostRegressor(loss="square", **SEED),
        {**TREES, "estimator": [None, DecisionTreeRegressor(max_depth=2)]},
        X,
        NUMBERS,
    ),
}
ALPHAS = {"ccp_alpha": [0.01, 0.0, 0.003, 0.2]}
COARSE = np.round(X)  # with ties, and rows that are the same
NEIGHBOURS = {"n_neighbors": [1, 9, 2, 5], "weights": ["uniform", "distance"]}
CASES |= {
    "pruned": (DecisionTreeClassifier(**SEED), {**ALPHAS, "min_samples_leaf": [1, 5]}, *FOUR),
    "pruned, ties": (DecisionTreeClassifier(**SEED), {"ccp_alpha": [0, 1 / 80, 1 / 40]}, COARSE, y),
    "pruned, numbers": (
        DecisionTreeRegressor(max_features=2, **SEED),
        {"ccp_alpha": [0.0, 0.01, 0.1]},
        HOLES,
        np.column_stack([NUMBERS, X[:, 2]]),
    ),
    "pruned forest": (ExtraTreesClassifier(n_estimators=4, **SEED), ALPHAS, X, y),
    "thresholds": (
        FixedThresholdClassifier(LogisticRegression()),
        {"threshold": [0.5, "auto", 0.1, 0.8], "estimator__C": [0.1, 1.0]},
        FRAME[["a", "b"]],
        np.array(["a", "b"])[y],
    ),
    "thresholds of decisions": (
        FixedThresholdClassifier(
            make_pipeline(StandardScaler(), LogisticRegression()),
            response_method="decision_function",
            pos_label=0,
        ),
        {"threshold": [-1, 0, 0.3]},
        X,
        y,
    ),
    "neighbours": (KNeighborsClassifier(), {**NEIGHBOURS, "p": [1, 2]}, X, y),
    "neighbours with ties": (KNeighborsClassifier(), NEIGHBOURS, COARSE, y),
    "neighbours, all the same": (KNeighborsClassifier(), NEIGHBOURS, COARSE[:, :1] * 0, y),
    "neighbours, ball tree, four classes": (
        KNeighborsClassifier(algorithm="ball_tree", metric="manhattan"),
        NEIGHBOURS,
        *FOUR,
    ),
    "neighbours, numbers": (
        KNeighborsRegressor(leaf_size=3),
        NEIGHBOURS,
        COARSE[:, :3],
        np.column_stack([NUMBERS, X[:, 2]]),
    ),
    "neighbours, all that there are": (
        KNeighborsClassifier(algorithm="kd_tree"),
        {"n_neighbors": [80, 79, 78, 3]},
        X,
        y,
    ),
}
COUNTS = np.round(np.abs(X))
SMOOTH = {"alpha": [1.0, 0, 0.01, 30], "fit_prior": [True, False]}
CASES |= {
    "counts": (MultinomialNB(), SMOOTH, COUNTS, y),
    "counts, sparse, four classes": (
        MultinomialNB(force_alpha=False),
        SMOOTH,
        sp.csr_matrix(np.round(np.abs(FOUR[0]))),
        FOUR[1],
    ),
    "yes or no": (BernoulliNB(binarize=0.5), {**SMOOTH, "class_prior": [None, [0.2, 0.8]]}, X, y),
    "yes or no, frame": (BernoulliNB(), SMOOTH, FRAME[["a", "b"]], np.array(["a", "b"])[y]),
    "complement": (ComplementNB(), {**SMOOTH, "norm": [False, True]}, COUNTS, y),
    "categories": (CategoricalNB(min_categories=9), SMOOTH, COUNTS, y),
}
MORE_ROWS = make_classification(400, 6, random_state=2)
LIGHT = {"verbose": -1, "n_jobs": 1}
LIGHTGBM = [
    ("LGBMClassifier", LIGHT, TREES, *MORE_ROWS),
    ("LGBMRegressor", {"subsample": 0.7, "subsample_freq": 1, **LIGHT}, TREES, *MORE_ROWS),
    ("LGBMClassifier", LIGHT, {**TREES, "num_leaves": [3, 7]}, *FOUR),
    (
        "LGBMRegressor",
        {"min_child_samples": 5, "colsample_bytree": 0.6, **LIGHT},
        {**TREES, "objective": ["regression", "quantile", "mae"]},
        HOLES,
        NUMBERS,
    ),
    (
        "LGBMClassifier",
        {**LIGHT, "class_weight": "balanced"},
        TREES,
        FRAME,
        np.array(["a", "b"])[y],
    ),
    ("LGBMRegressor", {"max_bin": 31, **LIGHT, **SEED}, TREES, sp.csr_matrix(np.round(X)), NUMBERS),
]
XGBOOST = [
    ("XGBClassifier", {}, TREES, X, y),
    ("XGBClassifier", {"num_parallel_tree": 2}, {**TREES, "max_depth": [2, 4]}, *FOUR),
    (
        "XGBRegressor",
        {"subsample": 0.5, "colsample_bytree": 0.6},
        {**TREES, "objective": ["reg:squarederror", "reg:absoluteerror"]},
        HOLES,
        np.column_stack([NUMBERS, X[:, 2]]),
    ),
    ("XGBClassifier", {"enable_categorical": True, **SEED}, TREES, FRAME, y),
    ("XGBRegressor", {"tree_method": "exact"}, TREES, sp.csr_matrix(np.round(X)), NUMBERS),
]


CAT = {"verbose": 0, "thread_count": 1, "learning_rate": 0.1, "allow_writing_files": False}
CATBOOST = [
    ("CatBoostClassifier", {}, X, y),
    ("CatBoostClassifier", {"bootstrap_type": "Bernoulli", "subsample": 0.7, "rsm": 0.5}, *FOUR),
    ("CatBoostClassifier", {}, FRAME[["a", "b"]], np.array(["a", "b"])[y]),
    ("CatBoostRegressor", {"loss_function": "MAE"}, HOLES, NUMBERS),
]


def of_other_libraries(found, package):
    library = pytest.importorskip(package)
    for name, params, grid, X, y in found:
        yield getattr(library, name)(**params), grid, X, y


def search_both(model, grid, X, y, kind=ShrunkSearchCV, **options):
    options = {"cv": KFold(3), "scoring": bits, "refit": False, **options}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ours = kind(model, grid, **options).fit(X, y)
        alone = kind(model, grid, share_submodels=False, **options).fit(X, y)
    return ours, alone


def assert_same(ours, alone):
    assert list(ours.cv_results_) == list(alone.cv_results_)
    for name, column in alone.cv_results_.items():
        if "_time" not in name:
            own = ours.cv_results_[name]
            if name.startswith("param"):  # masked, or objects
                assert repr(list(own)) == repr(list(column))
            else:
                np.testing.assert_array_equal(own, column, err_msg=name, strict=True)


def n_groups(grid, axis):
    sizes = [len(values) for name, values in grid.items() if name not in axis]
    return int(np.prod(sizes))


@pytest.mark.parametrize("case", CASES)
def test_every_answer_is_that_of_a_fit_of_its_own(case):
    model, grid, X, y = CASES[case]
    ours, alone = search_both(model, grid, X, y)
    assert_same(ours, alone)
    n_candidates = len(ours.cv_results_["params"])
    param = next(iter(grid))
    axes = FAMILIES["sklearn", type(model).__name__]
    (also,) = (axis.also for axis in axes if axis.param == param)
    assert ours.n_submodels_ == 3 * (n_candidates - n_groups(grid, [param, *also]))
    assert alone.n_submodels_ == 0
    assert ours.n_fits_ == alone.n_fits_ == 3 * n_candidates


@pytest.mark.parametrize(("package", "cases"), [("lightgbm", LIGHTGBM), ("xgboost", XGBOOST)])
def test_every_answer_of_other_libraries_is_that_of_a_fit_of_its_own(package, cases):
    for model, grid, X, y in of_other_libraries(cases, package):
        ours, alone = search_both(model, grid, X, y)
        assert_same(ours, alone)
        n_candidates = len(ours.cv_results_["params"])
        assert ours.n_submodels_ == 3 * (n_candidates - n_groups(grid, ["n_estimators"]))
        base = clone(model).set_params(n_estimators=7).fit(X, y)
        own = clone(model).set_params(n_estimators=4)
        (axis,) = FAMILIES[package, type(model).__name__]
        derived, fitted = axis.derive(base, own), clone(own).fit(X, y)
        assert repr(derived.get_params()) == repr(fitted.get_params())
        assert vars(derived).keys() == vars(fitted).keys()
        np.testing.assert_array_equal(derived.feature_importances_, fitted.feature_importances_)
        assert bits(pickle.loads(pickle.dumps(derived)), X) == bits(fitted, X)  # noqa: S301
        if package == "lightgbm":
            assert derived.n_iter_ == fitted.n_iter_
        else:
            assert derived.get_booster().num_boosted_rounds() == 4


def checksum(_, answer):
    return float(crc32(np.ascontiguousarray(answer).tobytes()))


def test_catboost_is_shared_where_a_scorer_looks_at_predictions_alone():
    catboost = pytest.importorskip("catboost")
    grid = {"iterations": [4, 12, 7], "depth": [2, 4]}
    for name, params, X, y in CATBOOST:
        model = getattr(catboost, name)(**CAT, **params)
        methods = ["predict", *(["predict_proba"] if hasattr(model, "predict_proba") else [])]
        scoring = {
            method: "neg_log_loss" if len(set(y)) < 9 else make_scorer(checksum)
            for method in methods
        }
        ours, alone = search_both(model, grid, X, y, scoring=scoring)
        assert_same(ours, alone)
        assert ours.n_submodels_ == 3 * 4
        assert search_both(model, grid, X, y)[0].n_submodels_ == 0
        base = clone(model).set_params(iterations=12).fit(X, y)
        own = clone(model).set_params(iterations=5)
        derived = FAMILIES["catboost", name][0].derive(base, own)
        fitted = clone(own).fit(X, y)
        assert derived.get_params() == fitted.get_params()
        assert bits(derived, X) == bits(fitted, X)
        assert base.tree_count_ == 12


def test_rounds_in_which_lightgbm_grew_no_tree_are_fitted():
    lightgbm = pytest.importorskip("lightgbm")
    model = lightgbm.LGBMRegressor(
        objective="quantile", subsample=0.5, subsample_freq=1, colsample_bytree=0.6, **LIGHT
    )
    ours, alone = search_both(model, TREES, HOLES, NUMBERS)
    assert_same(ours, alone)  # fewer trees than rounds, and later rounds grew some again
    rows = np.r_[:40, 80:120]
    few, many = (clone(model).set_params(n_estimators=n) for n in (4, 7))
    few.fit(HOLES[rows], NUMBERS[rows])
    many.fit(HOLES[rows], NUMBERS[rows])
    assert few.n_iter_ < 4
    assert few.n_iter_ < many.n_iter_ < 7
    assert ours.n_submodels_ < 6


@pytest.mark.parametrize(
    ("package", "name", "params"),
    [
        ("lightgbm", "LGBMClassifier", {"boosting_type": "dart"}),
        ("lightgbm", "LGBMClassifier", {"boosting": "dart"}),
        ("lightgbm", "LGBMClassifier", {"early_stopping_round": 2}),
        ("lightgbm", "LGBMClassifier", {"num_iterations": 5}),
        (
            "catboost",
            "CatBoostClassifier",
            {"verbose": 0, "allow_writing_files": False},
        ),  # the rate depends on iterations
        ("catboost", "CatBoostClassifier", {**CAT, "langevin": True}),
        ("catboost", "CatBoostClassifier", {**CAT, "grow_policy": "Lossguide"}),
        ("catboost", "CatBoostClassifier", {**CAT, "od_wait": 3}),
        ("xgboost", "XGBClassifier", {"booster": "dart"}),
        ("xgboost", "XGBClassifier", {"booster": "gblinear"}),
        ("xgboost", "XGBClassifier", {"early_stopping_rounds": 2}),
        ("xgboost", "XGBClassifier", {"rate_drop": 0.5}),
    ],
)
def test_what_might_differ_in_other_libraries_is_left_alone(package, name, params):
    model = getattr(pytest.importorskip(package), name)(**params)
    grid = {"iterations": [2, 4]} if package == "catboost" else TREES
    scoring = "accuracy"  # looks at predictions alone
    assert planned_fits(ShrunkSearchCV(model, grid, scoring=scoring), X, y).n_submodels == 0


@pytest.mark.filterwarnings("ignore:alpha too small", "ignore::RuntimeWarning")
@pytest.mark.parametrize("case", CASES)
def test_a_derived_model_says_of_itself_what_a_fitted_one_says(case):
    model, grid, X, y = CASES[case]
    name, values = next(iter(grid.items()))
    axes = FAMILIES["sklearn", type(model).__name__]
    axis = next(axis for axis in axes if axis.param == name)
    base = clone(model).set_params(**{name: axis.fit_value(values)}).fit(X, y)
    for value in values:
        alone = clone(model).set_params(**{name: value}).fit(X, y)
        derived = axis.derive(base, clone(model).set_params(**{name: value}))
        assert derived.get_params().keys() == alone.get_params().keys()
        assert getattr(derived, name) == value
        apart = {"_raw_predict", "kneighbors"}
        assert vars(derived).keys() | apart == vars(alone).keys() | apart
        for fitted in (
            "n_iter_",
            "train_score_",
            "validation_score_",
            "feature_importances_",
            "oob_improvement_",
            "n_estimators_",
            "estimator_weights_",
            "estimator_errors_",
            "estimators_features_",
            "estimators_samples_",
        ):
            if hasattr(alone, fitted):
                np.testing.assert_array_equal(getattr(derived, fitted), getattr(alone, fitted))
    again = clone(model).set_params(**{name: axis.fit_value(values)}).fit(X, y)
    assert bits(base, X) == bits(again, X)  # nothing that was derived has touched it


@pytest.mark.parametrize(
    ("model", "grid"),
    [
        (RandomForestClassifier(), TREES),
        (RandomForestClassifier(oob_score=True, bootstrap=True, **SEED), TREES),
        (BaggingClassifier(), TREES),
        (BaggingClassifier(oob_score=True, **SEED), TREES),
        (BaggingClassifier(Sums(), **SEED), TREES),
        (IsolationForest(contamination=0.2, **SEED), TREES),
        (AdaBoostClassifier(), TREES),
        (DecisionTreeClassifier(), ALPHAS),
        (DecisionTreeClassifier(**SEED), {"ccp_alpha": [0.01, 0.1]}),  # none of them is whole
        (
            FixedThresholdClassifier(RandomForestClassifier(n_estimators=2)),
            {"threshold": [0.1, 0.9]},
        ),
        (FixedThresholdClassifier(BaggingClassifier(Sums(), **SEED)), {"threshold": [0, 1]}),
        (KNeighborsClassifier(algorithm="brute"), {"n_neighbors": [1, 2]}),
        (KNeighborsClassifier(), {"n_neighbors": [1, 50]}),  # with 50 of 80 it is brute too
        (KNeighborsClassifier(weights=np.ones_like), {"n_neighbors": [1, 2]}),
        (KNeighborsClassifier(), {"weights": ["uniform", "distance"]}),  # the axis is not varied
        (BernoulliNB(), {"alpha": [0.1, [1.0] * 6]}),
        (BernoulliNB(), {"alpha": [0.1, -1.0]}),
        (RandomForestClassifier(warm_start=True, **SEED), TREES),
        (RandomForestClassifier(n_estimators=3, **SEED), {"max_depth": [1, 2]}),
        (RandomForestClassifier(**SEED), {"n_estimators": [3], "max_depth": [1, 2]}),
        (RandomForestClassifier(**SEED), {"n_estimators": [3], "random_state": [1, 2]}),
        (GradientBoostingClassifier(), TREES),
        (HistGradientBoostingClassifier(early_stopping=True), ROUNDS),
        (HistGradientBoostingClassifier(warm_start=True, **SEED), ROUNDS),
        (HistGradientBoostingClassifier(max_features=0.5), ROUNDS),
        (type("Mine", (RandomForestClassifier,), {})(**SEED), TREES),
    ],
)
def test_what_might_differ_fits_itself(model, grid):
    ours, _ = search_both(model, grid, X, y)
    assert ours.n_submodels_ == 0


def test_histograms_of_many_rows_need_a_seed():
    (axis,) = FAMILIES["sklearn", "HistGradientBoostingClassifier"]
    model = HistGradientBoostingClassifier()
    assert axis.suits(model, 10_000)
    assert not axis.suits(model, 10_001)  # it stops early from here on
    assert axis.suits(model.set_params(early_stopping=False), 200_000)
    assert not axis.suits(model, 200_001)  # its bins are drawn from here on
    assert axis.suits(model.set_params(random_state=0), 10**9)


def test_a_value_that_a_fit_refuses_is_refused():
    grid = {"max_iter": [10, 0, 5, True, "many"]}
    ours, alone = search_both(
        HistGradientBoostingClassifier(), grid, X, y, scoring="accuracy", error_score=-1.0
    )
    assert_same(ours, alone)
    assert ours.n_submodels_ == 3
    scores = ours.cv_results_["mean_test_score"]
    np.testing.assert_array_equal(scores == -1.0, [False, True, False, False, True])


def derive_sums(base, own):
    model = copy(base)
    model.n = own.n
    model.total_ = sum(range(own.n))
    return model


@pytest.fixture
def sums():
    """Make a class of its own, so that what is known of one does not help another."""
    cls = type("Sums", (Sums,), {"__module__": __name__})
    register_submodels(cls, SubmodelAxis("n", derive_sums))
    return cls


def fits_of(log):
    return [int(line) for line in log.read_text().split()]


def test_an_unknown_derivation_is_compared_with_a_fit_once(sums, tmp_path):
    log = tmp_path / "log"
    search = ShrunkSearchCV(sums(log=str(log)), {"n": [1, 2, 3, 4]}, cv=KFold(2), refit=False)
    search.fit(X, y)
    assert fits_of(log) == [4, 1, 4]
    assert search.n_submodels_ == 2 + 3


def test_a_derivation_that_gives_something_else_is_given_up_with_a_note(sums, tmp_path):
    def derive_wrongly(base, own):
        model = derive_sums(base, own)
        model.wrong = 1.0
        return model

    register_submodels(sums, SubmodelAxis("n", derive_wrongly))
    log = tmp_path / "log"
    search = ShrunkSearchCV(sums(log=str(log)), {"n": [1, 2, 3]}, cv=KFold(2), refit=False)
    with pytest.warns(UserWarning, match="Sums: a model derived along n is not what a fit gives"):
        search.fit(X, y)
    assert fits_of(log) == [3, 1, 2, 3, 1, 2]
    assert search.n_submodels_ == 0


def test_a_class_may_say_itself_how_it_is_cut_but_not_for_its_subclasses(tmp_path):
    axes = {"__skmaxev_submodels__": (SubmodelAxis("n", derive_sums),)}
    cls = type("Own", (Sums,), {"__module__": __name__, **axes})
    other = type("Other", (cls,), {"__module__": __name__})
    grid = {"n": [1, 2, 3]}
    assert planned_fits(ShrunkSearchCV(cls(), grid, cv=2), X, y).n_submodels == 4
    assert planned_fits(ShrunkSearchCV(other(), grid, cv=2), X, y).n_submodels == 0
    register_submodels(cls)
    assert planned_fits(ShrunkSearchCV(cls(), grid, cv=2), X, y).n_submodels == 0


def test_where_the_base_fails_every_other_candidate_fits_itself(sums, tmp_path):
    sums.fails_at = 4
    log = tmp_path / "log"
    ours, alone = search_both(
        sums(), {"n": [1, 2, 3, 4]}, X, y, scoring="accuracy", error_score=-1.0
    )
    assert_same(ours, alone)
    assert ours.n_submodels_ == 0
    with pytest.raises(ValueError, match="this one fails"):
        search_both(sums(log=str(log)), {"n": [1, 4]}, X, y, error_score="raise")


def test_where_a_derivation_fails_the_candidate_fits_itself(sums):
    def fail(base, own):
        raise RuntimeError("no")

    register_submodels(sums, SubmodelAxis("n", fail))
    ours, alone = search_both(sums(), {"n": [1, 2, 3, 4]}, X, y)
    assert_same(ours, alone)
    assert ours.n_submodels_ == 0


def test_a_fit_that_draws_global_random_numbers_is_not_shared(sums, tmp_path):
    log = tmp_path / "log"
    ShrunkSearchCV(sums(log=str(log), noisy=True), {"n": [1, 2, 3]}, cv=2, refit=False).fit(X, y)
    assert sorted(fits_of(log)) == [1, 1, 2, 2, 3, 3]


def refit_in_place(model, X, y):
    score = bits(model, X)["predict_proba"]
    model.set_params(random_state=5).fit(X, y)
    return score


def test_a_scorer_that_fits_its_model_again_does_not_reach_the_others():
    ours, alone = search_both(RandomForestClassifier(**SEED), TREES, X, y, scoring=refit_in_place)
    assert_same(ours, alone)
    assert ours.n_submodels_ > 0


PIPE = make_pipeline(StandardScaler(), SelectKBest(k=4), RandomForestClassifier(**SEED))
PIPE_GRID = {"selectkbest__k": [2, 4], "randomforestclassifier__n_estimators": [2, 6, 4]}


@pytest.mark.parametrize("scoring", [bits, "roc_auc", ["accuracy", "neg_log_loss"]])
def test_a_pipeline_with_shared_steps_shares_its_model_too(scoring):
    options = {"scoring": scoring, "return_train_score": True}
    ours, alone = search_both(PIPE, PIPE_GRID, X, y, **options)
    assert_same(ours, alone)
    assert ours.n_submodels_ == 3 * 4
    assert ours.n_steps_reused_ == alone.n_steps_reused_
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert_same(
            ours, GridSearchCV(PIPE, PIPE_GRID, cv=KFold(3), refit=False, **options).fit(X, y)
        )


def test_a_pipeline_whose_steps_are_not_shared_fits_every_candidate(tmp_path):
    for first in (SelectKBest(k=3), Jitter(log=str(tmp_path / "log"))):
        pipe = make_pipeline(first, clone(PIPE[-1]))
        grid = {"randomforestclassifier__n_estimators": [2, 4]}
        search = ShrunkSearchCV(pipe, grid, cv=3, share_steps=isinstance(first, Jitter))
        assert search.fit(X, y).n_submodels_ == 0


def test_the_model_of_a_pipeline_may_be_a_choice_itself():
    grid = [
        {"model": [RandomForestClassifier(**SEED)], "model__n_estimators": [2, 5]},
        {"model": [HistGradientBoostingClassifier()], "model__max_iter": [2, 5]},
        {"model": [DecisionTreeClassifier(**SEED)], "model__max_depth": [2, 5]},
    ]
    pipe = make_pipeline(StandardScaler(), "passthrough")
    pipe.steps[-1] = ("model", "passthrough")
    ours, alone = search_both(pipe, grid, X, y)
    assert_same(ours, alone)
    assert ours.n_submodels_ == 3 * 2


def test_shared_steps_are_fitted_once_for_all_models_that_are_derived(tmp_path):
    log = tmp_path / "log"
    pipe = make_pipeline(Shift(log=str(log)), RandomForestClassifier(**SEED))
    grid = {"randomforestclassifier__n_estimators": [1, 2, 3]}
    search = ShrunkSearchCV(pipe, grid, cv=KFold(3), refit=False).fit(X, y)
    assert sum(count for line, count in lines(log).items() if line.startswith("fit")) == 3
    assert search.n_steps_reused_ == 3 * 2


@pytest.mark.parametrize("kind", [HonestSearchCV, NestedCVSearch])
def test_two_workers_and_a_checkpoint_change_no_number(kind, tmp_path):
    options = {"scoring": "roc_auc", "refit": True, "return_train_score": True}
    grid = {"n_estimators": [2, 7, 4], "max_features": [2, 4]}
    model = RandomForestClassifier(**SEED)
    ours, alone = search_both(model, grid, X, y, kind=kind, **options)
    kept = {"checkpoint": tmp_path / "kept.db"}
    for more in ({"n_jobs": 2}, kept, kept):
        again = kind(model, grid, cv=KFold(3), **options, **more).fit(X, y)
        assert_same(again, alone)
        assert again.best_score_ == ours.best_score_ == alone.best_score_
        if kind is NestedCVSearch:
            np.testing.assert_array_equal(again.outer_scores_, alone.outer_scores_)
    assert again.n_restored_ == again.n_fits_ - 1  # of the first run, whether derived or not


def test_a_resumed_search_derives_from_what_is_left(tmp_path):
    model, path = RandomForestClassifier(**SEED), tmp_path / "kept.db"
    options = {"cv": KFold(3), "scoring": bits, "refit": False}
    ShrunkSearchCV(model, {"n_estimators": [9, 2]}, checkpoint=path, **options).fit(X, y)
    grid = {"n_estimators": [2, 4, 6, 9]}
    search = ShrunkSearchCV(model, grid, checkpoint=path, **options).fit(X, y)
    assert_same(search, ShrunkSearchCV(model, grid, share_submodels=False, **options).fit(X, y))
    assert (search.n_restored_, search.n_submodels_) == (6, 3)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("routing", [False, True])
def test_weights_are_shared_and_other_parameters_of_fit_are_not(routing):
    with sklearn.config_context(enable_metadata_routing=routing):
        model = GradientBoostingClassifier(**SEED)
        if routing:
            model.set_fit_request(sample_weight=True, monitor=True)
        scorer = make_scorer(accuracy_score)
        if routing:
            scorer.set_score_request(sample_weight=False)
        options = {"cv": KFold(3), "scoring": scorer}
        found = [
            ShrunkSearchCV(model, TREES, share_submodels=share, **options).fit(
                X, y, sample_weight=WEIGHTS
            )
            for share in (True, False)
        ]
        assert_same(*found)
        assert found[0].n_submodels_ == 6
        if not routing:
            found = [
                ShrunkSearchCV(MultinomialNB(), SMOOTH, share_submodels=share, **options).fit(
                    COUNTS, y, sample_weight=WEIGHTS
                )
                for share in (True, False)
            ]
            assert_same(*found)
            assert found[0].n_submodels_ == 21
        stopped = ShrunkSearchCV(model, TREES, **options).fit(X, y, monitor=lambda *_: False)
        assert stopped.n_submodels_ == 0


@pytest.mark.parametrize(("kind", "units"), [(HonestSearchCV, 5), (NestedCVSearch, 15)])
def test_what_is_derived_is_known_before(kind, units):
    search = kind(RandomForestClassifier(**SEED), {**TREES, "max_depth": [1, 2]}, cv=5)
    planned = planned_fits(search, X, y)
    assert planned == 6 * units + 1
    assert planned.n_submodels == 4 * units
    search.fit(X, y)
    assert (search.n_fits_, search.n_submodels_) == (planned, planned.n_submodels)


def test_the_time_of_a_derived_fit_is_its_share():
    grid = {"n_estimators": [10, 40, 20]}
    search = ShrunkSearchCV(RandomForestClassifier(**SEED), grid, cv=3).fit(X, y)
    seconds = search.cv_results_["mean_fit_time"]
    np.testing.assert_allclose(seconds, seconds[1] * np.array([0.25, 1, 0.5]), rtol=1e-9)
