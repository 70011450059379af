"""Problems of known truth and grids of small models, for searches that take a second.

Real data are what scikit-learn ships: a search gets a random sample of the rows, and the rest are
the truth. Made data get fresh rows as truth. All features, and the targets of regression, are
standardised over all rows, so that a squared error is a share of the target's variance.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.datasets import (
    load_breast_cancer,
    load_diabetes,
    load_digits,
    load_wine,
    make_classification,
    make_friedman1,
    make_friedman3,
    make_regression,
)
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import scale
from sklearn.svm import SVC, SVR
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

FRESH = 3000
"""Rows that stand for the truth where data are made."""

Data = tuple[np.ndarray, np.ndarray]


class Source(NamedTuple):
    """Where rows come from: `make(n_rows, seed)`, and how many a search gets at least and most."""

    make: Callable[[int, int], Data]
    least: int
    most: int


class Family(NamedTuple):
    """A model and the grid of its candidates."""

    estimator: BaseEstimator
    grid: Any
    probabilities: bool = True


def shipped(load: Callable[..., Data], positive: tuple[int, ...] = ()) -> Any:
    """All rows of a data set; some classes against the rest if they are named."""

    def make(_rows: int, _seed: int) -> Data:
        X, y = load(return_X_y=True)
        return X, np.isin(y, positive).astype(int) if positive else y

    return make


def made(generate: Callable[..., Data], **settings: Any) -> Any:
    """As many rows of an artificial problem as are asked for."""

    def make(rows: int, seed: int) -> Data:
        return generate(n_samples=rows, random_state=seed, **settings)

    return make


def chance_classes(rows: int, seed: int) -> Data:
    rng = np.random.default_rng(seed)
    return rng.normal(size=(rows, 10)), rng.integers(2, size=rows)


def chance_numbers(rows: int, seed: int) -> Data:
    rng = np.random.default_rng(seed)
    return rng.normal(size=(rows, 10)), rng.normal(size=rows)


# Samples of small data sets stay small, so that enough rows are left for the truth.
CLASSES = {
    "breast cancer": Source(shipped(load_breast_cancer), 60, 120),
    "digits, odd": Source(shipped(load_digits, (1, 3, 5, 7, 9)), 60, 300),
    "digits, above 4": Source(shipped(load_digits, (5, 6, 7, 8, 9)), 60, 300),
    "digits, 3 5 8": Source(shipped(load_digits, (3, 5, 8)), 60, 300),
    "wine, second": Source(shipped(load_wine, (1,)), 60, 60),
    "made, 4 of 10": Source(
        made(make_classification, n_features=10, n_informative=4, flip_y=0.15, class_sep=0.7),
        60,
        300,
    ),
    "made, 3 of 20": Source(
        made(make_classification, n_features=20, n_informative=3, flip_y=0.1, weights=[0.7]),
        60,
        300,
    ),
    "no signal": Source(chance_classes, 60, 300),
}
NUMBERS = {
    "diabetes": Source(shipped(load_diabetes), 60, 110),
    "Friedman 1": Source(made(make_friedman1, noise=1.0), 60, 300),
    "Friedman 1, noisy": Source(made(make_friedman1, noise=5.0), 60, 300),
    "Friedman 3": Source(made(make_friedman3, noise=0.1), 60, 300),
    "linear, 5 of 20": Source(
        made(make_regression, n_features=20, n_informative=5, noise=80.0), 60, 300
    ),
    "no signal": Source(chance_numbers, 60, 300),
}

RBF = {"C": [0.1, 0.5, 2.0, 10.0, 50.0], "gamma": [0.003, 0.01, 0.03, 0.1, 0.3]}
NEAREST = {
    "n_neighbors": [1, 3, 5, 7, 11, 15, 21],
    "weights": ["uniform", "distance"],
    "p": [1, 2],
}
DEPTH = {"max_depth": [2, 3, 4, 6, 8, None], "min_samples_leaf": [1, 3, 5, 10]}


def step(model: BaseEstimator, **settings: list[Any]) -> dict[str, list[Any]]:
    """Part of the grid of a mixed search."""
    return {"model": [model]} | {f"model__{name}": values for name, values in settings.items()}


SMALL_RBF = {"C": [0.5, 5.0], "gamma": [0.01, 0.05, 0.2]}
SMALL_NEAREST = {"n_neighbors": [3, 7, 15], "weights": ["uniform", "distance"]}
SMALL_DEPTH = {"max_depth": [2, 4, 8], "min_samples_leaf": [3, 10]}

CLASSIFIERS = {
    "svc": Family(SVC(), RBF, probabilities=False),
    "knn": Family(KNeighborsClassifier(), NEAREST),
    "tree": Family(DecisionTreeClassifier(random_state=0), DEPTH),
    "logit": Family(
        LogisticRegression(max_iter=2000),
        {"C": np.logspace(-4, 1, 12), "class_weight": [None, "balanced"]},
    ),
    "mix": Family(
        Pipeline([("model", GaussianNB())]),
        [
            step(LogisticRegression(max_iter=2000), C=[0.001, 0.01, 0.1, 1.0, 10.0]),
            step(KNeighborsClassifier(), **SMALL_NEAREST),
            step(DecisionTreeClassifier(random_state=0), **SMALL_DEPTH),
            step(GaussianNB(), var_smoothing=[1e-9, 0.1, 1.0]),
            step(LinearDiscriminantAnalysis(solver="lsqr"), shrinkage=[0.1, 0.3, 0.6, 0.9]),
        ],
    ),
}
REGRESSORS = {
    "svr": Family(SVR(), RBF),
    "knn": Family(KNeighborsRegressor(), NEAREST),
    "tree": Family(DecisionTreeRegressor(random_state=0), DEPTH),
    "ridge": Family(Ridge(), {"alpha": np.logspace(-2, 4, 24)}),
    "mix": Family(
        Pipeline([("model", Ridge())]),
        [
            step(Ridge(), alpha=[0.1, 1.0, 10.0, 100.0, 1000.0]),
            step(KNeighborsRegressor(), **SMALL_NEAREST),
            step(DecisionTreeRegressor(random_state=0), **SMALL_DEPTH),
            step(SVR(), **SMALL_RBF),
        ],
    ),
}


def standardised(data: Data, *, classes: bool) -> Data:
    """Rows whose features, and numeric target, have mean 0 and variance 1."""
    X, y = data
    return scale(np.asarray(X, dtype=float)), np.asarray(y) if classes else scale(y)
