"""Fingerprints are the same in every process, and tell apart what could change a number."""

import functools
import math
import os
import pickle
import subprocess
import sys
import threading
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from recorders import Logged, Shift, length_of_longest
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import check_scoring, get_scorer, make_scorer, precision_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from sklearn.svm import SVC

from skmaxev.engine.fingerprint import FingerprintError, fingerprint

ROOT = Path(__file__).parents[2]

EVERYTHING = """
import numpy as np, scipy.sparse as sp
from recorders import Logged, Shift, length_of_longest
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.metrics import check_scoring, get_scorer, make_scorer, precision_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from sklearn.svm import SVC
from skmaxev.engine.fingerprint import fingerprint

rng = np.random.default_rng(0)
state = np.random.RandomState(3)
state.rand(5)
values = [
    {"b", "a", "c"}, frozenset("xyz"), {"k": {"b", "a"}}, rng.normal(size=(4, 3)),
    np.array(["u", None, 3.5], dtype=object), sp.random(6, 5, 0.4, format="csr", random_state=0),
    ["a text", "another"], state, rng,
    make_pipeline(TfidfVectorizer(stop_words=frozenset(["a", "the"])), SVC(random_state=state)),
    make_pipeline(Shift(2.0), FunctionTransformer(np.log1p), Logged()), length_of_longest,
    make_scorer(precision_score, average="macro"), get_scorer("roc_auc"),
    check_scoring(SVC(), ["accuracy", "f1"]), StandardScaler().set_output(transform="pandas"),
]
print(fingerprint(values))
"""


def run_python(code, seed):
    path = os.pathsep.join([str(ROOT), str(ROOT / "tests")])
    return subprocess.run(  # noqa: S603
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONHASHSEED": str(seed), "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=True,
    ).stdout.strip()


def test_other_processes_find_the_same_fingerprint():
    here = {}
    exec(EVERYTHING.replace("\nprint(", "\nfound = ("), here)  # noqa: S102
    assert run_python(EVERYTHING, seed=1) == here["found"]


plain = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.just(math.nan)
    | st.text(max_size=4)
    | st.binary(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.tuples(inner, inner)
        | st.dictionaries(st.text(max_size=2), inner, max_size=3)
    ),
    max_leaves=6,
)


def spelled(value):
    """Write a value so that equal spellings mean equal values of equal types."""
    return repr(value)


@given(plain, plain)
def test_plain_values_have_the_same_fingerprint_exactly_if_they_are_spelled_alike(one, other):
    assert (fingerprint(one) == fingerprint(other)) == (spelled(one) == spelled(other))


X = np.random.default_rng(0).normal(size=(6, 4))
with warnings.catch_warnings():
    warnings.simplefilter("ignore", PendingDeprecationWarning)  # the class is not liked
    MATRIX = np.asmatrix(X)
CHANGED = {
    "one value": (X, X + np.eye(6, 4) * 1e-15 * (X[0, 0] + 1)),
    "dtype": (X, X.astype(np.float32)),
    "shape": (X, X.reshape(4, 6)),
    "memory order": (X, np.asfortranarray(X)),
    "order of rows": (X, X[::-1].copy()),
    "sign of zero": (np.array([0.0]), np.array([-0.0])),
    "array or list": (X, X.tolist()),
    "array or matrix": (X, MATRIX),
    "int or float": ([1, 2], [1.0, 2.0]),
    "bool or int": ([True], [1]),
    "text boundaries": (["ab", "c"], ["a", "bc"]),
    "text or None": (["None"], [None]),
    "list or tuple": ([1], (1,)),
    "sparse format": (sp.csr_array(X), sp.csc_array(X)),
    "sparse value": (sp.csr_array(X), sp.csr_array(X * 2)),
    "column name": (pd.DataFrame(X), pd.DataFrame(X, columns=list("abcd"))),
    "index": (pd.DataFrame(X), pd.DataFrame(X, index=range(1, 7))),
    "frame or array": (pd.DataFrame(X), X),
    "category": (pd.Series(["a", "b"]), pd.Series(["a", "b"], dtype="category")),
    "missing": (pd.Series([1.0, 2.0]), pd.Series([1.0, np.nan])),
    "polars or pandas": (pl.DataFrame({"a": [1]}), pd.DataFrame({"a": [1]})),
    "polars dtype": (
        pl.DataFrame({"a": [1]}),
        pl.DataFrame({"a": [1]}, schema={"a": pl.Int8}),
    ),
    "parameter": (SVC(C=1.0), SVC(C=2.0)),
    "type of parameter": (SVC(C=1.0), SVC(C=1)),
    "class": (make_pipeline(SVC()), make_pipeline(LogisticRegression())),
    "name of a step": (make_pipeline(SVC()), make_pipeline(make_pipeline(SVC()))),
    "output": (StandardScaler(), StandardScaler().set_output(transform="pandas")),
    "seed": (RandomForestClassifier(random_state=0), RandomForestClassifier(random_state=1)),
    "state": (np.random.RandomState(0), np.random.RandomState(1)),
    "generator": (np.random.default_rng(0), np.random.default_rng(1)),
    "scorer": (get_scorer("f1"), get_scorer("f1_macro")),
    "sign of scorer": (
        make_scorer(precision_score),
        make_scorer(precision_score, greater_is_better=False),
    ),
    "scorers": (check_scoring(SVC(), ["f1"]), check_scoring(SVC(), ["recall"])),
    "frozen": (
        FrozenEstimator(LogisticRegression().fit(X, [0, 1] * 3)),
        FrozenEstimator(LogisticRegression().fit(X, [1, 0, 0] * 2)),
    ),
    "function": (FunctionTransformer(np.log1p), FunctionTransformer(np.log)),
    "argument": (functools.partial(max, 1), functools.partial(max, 2)),
    "method": ("a".upper, "a".lower),
    "owner of a method": ("a".upper, "b".upper),
    "slice": (slice(1), slice(2)),
}


@pytest.mark.parametrize("name", CHANGED)
def test_values_that_differ_are_told_apart(name):
    one, other = CHANGED[name]
    assert fingerprint(one) != fingerprint(other)


SAME = {
    "copy": (X, X.copy()),
    "view of other memory": (X, np.vstack([X, X])[:6]),
    "cached flags": (sp.csr_array(X), sp.csr_array(X)),
    "clone": (
        make_pipeline(StandardScaler(), SVC()),
        clone(make_pipeline(StandardScaler(), SVC())),
    ),
    "one tuple twice": ([(1, 2)] * 2, [(1, 2), tuple(range(1, 3))]),
    "sets": ({"b", "a"}, {"a", "b"}),
    "blocks of a frame": (
        pd.DataFrame({"a": [1.0], "b": [2.0]}),
        pd.DataFrame([[1.0, 2.0]], columns=["a", "b"]),
    ),
    "state that is the same again": (np.random.RandomState(1), np.random.RandomState(1)),
}


@pytest.mark.parametrize("name", SAME)
def test_equal_values_agree(name):
    one, other = SAME[name]
    if name == "cached flags":
        other.has_sorted_indices  # noqa: B018  # looks, and remembers
    assert fingerprint(one) == fingerprint(other)


LOOKED_AT = np.ma.array([1.0, 2.0, 3.0], mask=[0, 1, 0])


@pytest.mark.parametrize("value", [*(one for one, _ in CHANGED.values()), LOOKED_AT, np.float32(1)])
def test_a_value_that_went_through_a_pickle_agrees(value):
    again = pickle.loads(pickle.dumps(value))  # noqa: S301  # its own
    assert fingerprint(again) == fingerprint(value)


def test_what_is_nested_too_deep_is_refused_by_name():
    deep = []
    for _ in range(5000):
        deep = [deep]
    with pytest.raises(FingerprintError, match="model is nested deeper"):
        fingerprint(deep, name="model")


def test_a_memory_map_is_the_array_it_shows(tmp_path):
    np.save(tmp_path / "x.npy", X)
    assert fingerprint(np.load(tmp_path / "x.npy", mmap_mode="r")) == fingerprint(X)


def make_module(directory, name, body):
    (directory / f"{name}.py").write_text(body)
    sys.path.insert(0, str(directory))
    try:
        return __import__(name)
    finally:
        sys.path.remove(str(directory))
        sys.modules.pop(name + "_", None)


SOURCE = """
from sklearn.base import BaseEstimator
def double(x):
    return x * {factor}
class Own(BaseEstimator):
    power = {factor}
    def fit(self, X, y=None):
        return X ** {factor}
"""


@pytest.mark.parametrize("kind", ["double", "Own"])
def test_code_of_ones_own_that_was_edited_is_told_apart(tmp_path, kind):
    found = []
    for factor in (2, 3):
        module = make_module(tmp_path, "edited_code", SOURCE.format(factor=factor))
        value = getattr(module, kind)
        found.append(fingerprint(value() if kind == "Own" else value))
        del sys.modules["edited_code"]
        for cached in tmp_path.rglob("*.pyc"):
            cached.unlink()
    moved = make_module(tmp_path, "edited_code", "\n\n# moved\n" + SOURCE.format(factor=3))
    found.append(fingerprint(moved.Own() if kind == "Own" else moved.double))
    del sys.modules["edited_code"]
    assert found[0] != found[1]
    assert found[1] == found[2]  # only the line numbers changed


def test_a_cycle_ends():
    loop = [1]
    loop.append(loop)
    assert fingerprint(loop) == fingerprint(loop)
    assert fingerprint(loop) != fingerprint([1, [1]])


def local_function():
    def inner(x):
        return x

    return inner


REFUSED = {
    "lambda": (
        make_pipeline(FunctionTransformer(lambda x: x), SVC()),
        "est holds one of this process only: .*'<lambda>' cannot be imported",
    ),
    "local function": ({"f": local_function()}, r"inner' cannot be imported"),
    "generator": ([(n for n in ())], r"cannot pickle 'generator' object"),
    "lock": (Shift(log=threading.Lock()), r"cannot pickle '_thread.lock' object"),
    "module": (np, "cannot pickle 'module' object"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_lives_in_one_process_is_refused_by_name(name):
    value, message = REFUSED[name]
    with pytest.raises(FingerprintError, match=message):
        fingerprint(value, name="est")


def test_an_open_file_is_refused(tmp_path):
    with (
        (tmp_path / "x").open("w") as stream,
        pytest.raises(FingerprintError, match="TextIOWrapper"),
    ):
        fingerprint(Shift(log=stream))


def test_importable_objects_of_the_test_helpers_are_accepted():
    assert len({fingerprint(part) for part in (Logged(), Shift(), length_of_longest)}) == 3
    assert fingerprint(TfidfVectorizer()) == fingerprint(TfidfVectorizer())
