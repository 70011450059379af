"""Random searches against GridSearchCV, and nested ones against a loop written by hand."""

import warnings
from typing import NamedTuple

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.dummy import DummyClassifier
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    KFold,
    LeaveOneGroupOut,
    ParameterGrid,
    PredefinedSplit,
    RepeatedKFold,
    ShuffleSplit,
    StratifiedKFold,
    TimeSeriesSplit,
    check_cv,
)
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, MaxAbsScaler
from sklearn.tree import DecisionTreeClassifier

from skmaxev import LowVarianceCVSearch, NestedCVSearch, ShrunkSearchCV

N_ROWS = 26


class Moody(DecisionTreeClassifier):
    """Fails where the number of rows can be divided by ``fails``; 1 fails always, 0 never."""

    def __init__(self, *, max_depth=None, random_state=0, fails=0):
        super().__init__(max_depth=max_depth, random_state=random_state)
        self.fails = fails

    def fit(self, X, y):
        if self.fails and len(y) % self.fails == 0:
            raise RuntimeError("not today")
        return super().fit(X, y)


MODELS = [
    (Moody(), {"max_depth": [1, 2, None, 3], "fails": [0, 0, 2, 3, 1]}),
    (KNeighborsClassifier(), {"n_neighbors": [1, 3, 5, 17], "weights": ["uniform", "distance"]}),
    (
        make_pipeline(MaxAbsScaler(), FunctionTransformer(accept_sparse=True), Moody()),
        {"moody__fails": [0, 2, 3], "moody__max_depth": [1, 3], "maxabsscaler__copy": [True]},
    ),
    (DummyClassifier(random_state=0), {"strategy": ["prior", "stratified", "uniform"]}),
]
KINDS = {
    "array": np.asarray,
    "fortran": np.asfortranarray,
    "pandas": lambda X: pd.DataFrame(X, index=np.arange(N_ROWS)[::-1]).add_prefix("c"),
    "polars": lambda X: pl.DataFrame(X, schema=["a", "b", "c"]),
    "csr": sp.csr_array,
    "csc": sp.csc_matrix,
    "list": np.ndarray.tolist,
}
SPLITTERS = [
    2,
    3,
    4,
    KFold(3),
    KFold(4, shuffle=True, random_state=1),
    StratifiedKFold(3, shuffle=True, random_state=0),
    ShuffleSplit(3, random_state=0),
    RepeatedKFold(n_splits=3, n_repeats=2, random_state=0),
    TimeSeriesSplit(3),
    PredefinedSplit(np.arange(N_ROWS) % 5 - 1),
    GroupKFold(3),
    LeaveOneGroupOut(),
    list(KFold(3).split(np.zeros(N_ROWS))),
]
OUTER = [
    3,
    KFold(4, shuffle=True, random_state=1),
    ShuffleSplit(2, random_state=0),
    TimeSeriesSplit(3),
    GroupKFold(3),
]
SCORINGS = [
    {},
    {"scoring": "balanced_accuracy"},
    {"scoring": ["accuracy", "roc_auc"], "refit": "roc_auc"},
]


class Case(NamedTuple):
    model: object
    grid: object
    X: object
    y: object
    groups: object
    options: dict
    outer: object

    def fit(self, search, rows=None):
        """Fit on some rows as scikit-learn would cut them; groups where a splitter takes them."""
        X, y, groups = self.X, self.y, self.groups
        if rows is not None:
            X, y, groups = cut(X, rows), y[rows], groups[rows]
        takes = [cv for cv in (search.cv, getattr(search, "outer_cv", None)) if is_grouped(cv)]
        return search.fit(X, y, **({"groups": groups} if takes else {}))


def cut(X, rows):
    if isinstance(X, list):
        return [X[row] for row in rows]
    return X.iloc[rows] if hasattr(X, "iloc") else X.tocsr()[rows] if sp.issparse(X) else X[rows]


def is_grouped(cv):
    return isinstance(cv, GroupKFold | LeaveOneGroupOut)


@st.composite
def cases(draw):
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    model, values = draw(st.sampled_from(MODELS))
    grid = {
        name: draw(st.lists(st.sampled_from(some), min_size=1, max_size=2))
        for name, some in values.items()
        if draw(st.booleans())
    }
    if draw(st.booleans()):
        grid = [grid, {name: some[:1] for name, some in values.items()}]
    X = rng.integers(0, 4, (N_ROWS, 3)).astype(float)
    y = (X[:, 0] + rng.normal(0, 1, N_ROWS) > 1.5).astype(int)
    y[:6] = [0, 1] * 3
    options = dict(draw(st.sampled_from(SCORINGS)))
    options["cv"] = draw(st.sampled_from(SPLITTERS))
    options["error_score"] = draw(st.sampled_from([np.nan, -7.0]))
    options["return_train_score"] = draw(st.booleans())
    outer = draw(st.sampled_from([None, None, *OUTER]))
    kind = draw(st.sampled_from(list(KINDS)))
    y = np.array(["no", "yes"])[y] if draw(st.booleans()) else y
    return Case(clone(model), grid, KINDS[kind](X), y, np.arange(N_ROWS) % 7, options, outer)


def attempt(function, *args):
    """Call with warnings off; give the result, or the type of the error."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return function(*args), None
        except Exception as error:  # noqa: BLE001
            return None, type(error)


def others(splits, fold):
    """Find the folds that judge other rows, in the same run of disjoint folds; None if none."""
    whole = set(splits[0][0]) | set(splits[0][1])
    runs, judged = [[]], set()
    for number, (train, test) in enumerate(splits):
        if list(train) != sorted(whole - set(test)):
            return None
        if judged & set(test):
            runs, judged = [*runs, []], set()
        runs[-1].append(number)
        judged |= set(test)
    covers = [{row for k in run for row in splits[k][1]} for run in runs]
    if any(cover != covers[0] for cover in covers) or min(map(len, runs)) < 3:
        return None
    (own,) = (run for run in runs if fold in run)
    return [k for k in own if k != fold]


def nested_by_hand(case):
    """Score a search in every outer fold, NaN where it finds nobody; None without outer folds."""

    def split(cv):
        return list(check_cv(cv, case.y, classifier=True).split(case.y, case.y, case.groups))

    own, cv = split(case.options["cv"]), case.options["cv"]
    outer = own if case.outer is None else split(case.outer)
    scores = []
    for k, (train, test) in enumerate(outer):
        rest = others(own, k) if case.outer is None else None
        inner = cv
        if rest is not None:
            places = [np.isin(train, own[j][1]) for j in rest]
            inner = [(np.flatnonzero(~place), np.flatnonzero(place)) for place in places]
        elif isinstance(cv, list):
            raise ValueError("row numbers of the whole data")
        scores.append(outer_score(case, inner, train, test))
    return np.array(scores)


def outer_score(case, inner, train, test):
    y, groups = case.y[train], case.groups[train]
    for pair in check_cv(inner, y, classifier=True).split(y, y, groups):
        if max(map(np.max, pair)) >= len(train):
            raise ValueError("splits of other rows")
    search = GridSearchCV(case.model, case.grid, **{**case.options, "cv": inner})
    if len(ParameterGrid(case.grid)) == 1:  # no choice, so no need to choose
        whole = [(np.arange(len(train)), np.arange(len(train)))]
        search = GridSearchCV(case.model, case.grid, **{**case.options, "cv": whole})
    elif not some_is_complete(case, search, train):
        return np.nan
    search, error = attempt(case.fit, search, train)
    if error:
        return np.nan
    score, error = attempt(search.score, cut(case.X, test), case.y[test])
    return np.nan if error else score


def some_is_complete(case, search, train=None):
    """Tell whether some candidate has its score on every split."""
    options = {**case.options, "cv": search.cv, "error_score": np.nan, "refit": False}
    table, error = attempt(case.fit, GridSearchCV(case.model, case.grid, **options), train)
    if error:
        return False
    metric = search.refit if isinstance(search.refit, str) else "score"
    scores = [
        values
        for key, values in table.cv_results_.items()
        if key.endswith(f"_test_{metric}") and key.startswith("split")
    ]
    return bool(np.isfinite(scores).all(axis=0).any())


def check(case, Search):
    own = {"outer_cv": case.outer} if Search is NestedCVSearch else {}
    search, error = attempt(case.fit, Search(case.model, case.grid, **case.options, **own))
    plain, expected_error = attempt(case.fit, GridSearchCV(case.model, case.grid, **case.options))
    scores, impossible = attempt(nested_by_hand, case) if own else (None, None)
    if impossible and case.outer is not None:
        assert issubclass(error, ValueError)
        return
    assert error is expected_error
    if error:
        return
    assert list(search.cv_results_) == list(plain.cv_results_)
    for key, values in plain.cv_results_.items():
        if not key.endswith("_time"):
            np.testing.assert_array_equal(search.cv_results_[key], values)
    assert search.best_index_ == plain.best_index_
    np.testing.assert_array_equal(search.naive_best_score_, plain.best_score_)
    np.testing.assert_array_equal(search.predict(case.X), plain.predict(case.X))
    if scores is not None:
        np.testing.assert_array_equal(search.outer_scores_, scores)
        whole = some_is_complete(case, plain)  # or the search itself has no score to speak of
        mean = scores.mean() if whole else np.nan
        assert search.best_score_ == pytest.approx(mean, nan_ok=True)
    elif own:
        assert np.isnan(search.best_score_)
    assert np.isnan(search.best_score_) or 0 <= search.best_score_ <= 1


PHASES = [Phase.explicit, Phase.reuse, Phase.generate]  # to make a search smaller takes long
SEARCHES = st.sampled_from([NestedCVSearch, NestedCVSearch, LowVarianceCVSearch, ShrunkSearchCV])
some, more, many = (
    settings(max_examples=number, suppress_health_check=list(HealthCheck), phases=PHASES)
    for number in (15, 300, 2000)
)


@some
@given(cases(), SEARCHES)
def test_any_search_equals_scikit_learn(case, Search):
    check(case, Search)


@pytest.mark.slow
@more
@given(cases(), SEARCHES)
def test_three_hundred_searches_equal_scikit_learn(case, Search):
    check(case, Search)


@pytest.mark.long
@many
@given(cases(), SEARCHES)
def test_two_thousand_searches_equal_scikit_learn(case, Search):
    check(case, Search)
