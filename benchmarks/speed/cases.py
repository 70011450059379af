"""What is compared: data, models, and the two sides of each case."""

from __future__ import annotations

import ast
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import product
from pathlib import Path

import numpy as np
import scipy
import sklearn
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_breast_cancer, make_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import (
    GridSearchCV,
    LeaveOneGroupOut,
    StratifiedKFold,
    cross_val_score,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.utils.parallel import Parallel, delayed

from skmaxev import HonestSearchCV, NestedCVSearch, ShrunkSearchCV

__all__ = ["GROUPS", "Case", "Works"]

Side = Callable[[], object]
AROUND_A_FIT = 7e-4
"""Seconds that a fit of `Works` takes beside its own time: clone, cut, predict, score."""
N_FOLDS = 5


@dataclass
class Case:
    """Two sides of one comparison; of several others the fastest counts.

    With ``fresh`` every side runs in a process of its own, and its memory is measured too. With
    ``warm`` every side runs before it is timed, so that none pays for a pool's start; what
    ``prepare`` does is not timed either. With ``best`` the fastest of the turns counts, as it must
    by the clock on a machine that others use too; memory is then not measured.
    """

    name: str
    ours: Side
    others: dict[str, Side]
    fresh: bool = False
    warm: bool = False
    best: bool = False
    prepare: Side | None = None
    most_repeats: int = 99


class Works(ClassifierMixin, BaseEstimator):
    """A classifier whose fit takes a set time of the processor."""

    def __init__(self, number=0, seconds=1e-4):
        self.number = number
        self.seconds = seconds

    def fit(self, X, y):  # noqa: ARG002
        self.classes_ = np.unique(y)
        stop = time.thread_time() + self.seconds
        while time.thread_time() < stop:
            pass
        return self

    def predict(self, X):
        return np.full(len(X), self.classes_[self.number % len(self.classes_)])


def nested_recipe(estimator, grid, n_folds, X, y, *, outer_jobs=None, inner_jobs=None):
    """Nest as scikit-learn's users do: a search, and a search inside every outer fold."""
    folds = np.empty(len(y), dtype=int)
    for number, (_, test) in enumerate(StratifiedKFold(n_folds).split(X, y)):
        folds[test] = number
    search = partial(GridSearchCV, estimator, grid, n_jobs=inner_jobs)
    outer = cross_val_score(
        search(cv=LeaveOneGroupOut()),
        X,
        y,
        cv=LeaveOneGroupOut(),
        groups=folds,
        params={"groups": folds},
        n_jobs=outer_jobs,
    )
    whole = GridSearchCV(estimator, grid, cv=n_folds, n_jobs=outer_jobs or inner_jobs)
    return outer, whole.fit(X, y)


def nested(estimator, grid, n_folds, X, y, **options):
    search = NestedCVSearch(estimator, grid, cv=n_folds, **options).fit(X, y)
    return search.outer_scores_, search


def plain(kind, estimator, grid, n_folds, X, y, **options):
    return kind(estimator, grid, cv=n_folds, **options).fit(X, y)


def vectors(*, quick):
    X, y = load_breast_cancer(return_X_y=True)
    C = np.logspace(-2, 2, 2 if quick else 4)
    grid = {"svc__C": C, "svc__gamma": [0.01, 0.03, 0.1]}
    return "StandardScaler + SVC", make_pipeline(StandardScaler(), SVC()), grid, X, y


def forest(*, quick):
    X, y = make_classification(500 if quick else 5000, 20, n_informative=8, random_state=0)
    model = RandomForestClassifier(5 if quick else 20, random_state=0)
    return "random forest", model, {"max_features": [2, 4, 8]}, X, y


def texts(*, quick):
    """Docstrings of 100 words and more: from which of two packages does one come?

    Real texts of a few hundred words that everyone who can run this has on his disk.
    """
    found = [
        (text, package.__name__)
        for package in (scipy, sklearn)
        for text in sorted(_docstrings(Path(package.__file__).parent))
    ][:: 60 if quick else 8]
    return [text for text, _ in found], np.array([name for _, name in found])


def _docstrings(folder: Path) -> set[str]:
    kinds = ast.ClassDef | ast.FunctionDef | ast.Module
    sources = (file for file in folder.rglob("*.py") if "tests" not in file.parts)
    nodes = (node for file in sources for node in ast.walk(ast.parse(file.read_bytes())))
    documented = (ast.get_docstring(node) for node in nodes if isinstance(node, kinds))
    return {text for text in documented if text and len(text.split()) >= 100}


def nested_cases(*, quick: bool) -> Iterator[Case]:
    for (name, *data), n_folds in product((vectors(quick=quick), forest(quick=quick)), (5, 10)):
        estimator, grid, X, y = data
        sides = (estimator, grid, n_folds, X, y)
        yield Case(
            f"nested, {name}, K={n_folds}",
            partial(nested, *sides),
            {"search + nested search": partial(nested_recipe, *sides)},
        )


def parallel_cases(*, quick: bool) -> Iterator[Case]:
    for (name, *data), n_folds in product((vectors(quick=quick), forest(quick=quick)), (5, 10)):
        estimator, grid, X, y = data
        sides = (estimator, grid, n_folds, X, y)
        places = {
            f"the same, outer n_jobs={outer}, inner {inner}": partial(
                nested_recipe, *sides, outer_jobs=outer, inner_jobs=inner
            )
            for outer, inner in product((None, 2), repeat=2)
        }
        if (name, n_folds) != ("random forest", 10):  # ten minutes alone
            title = f"nested, {name}, K={n_folds}, n_jobs=2"
            yield Case(title, partial(nested, *sides, n_jobs=2), places, warm=True)


def jobs_cases(*, quick: bool) -> Iterator[Case]:
    """Compare two workers that are there with one process.

    The number of fits is chosen so that one process takes about the total time.
    """
    X, y = make_classification(60, 4, random_state=0)
    totals = (0.1,) if quick else (0.5, 2.0, 10.0)
    for fit, total in product((1e-4, 1e-3, 1e-2, 1e-1), totals):
        number = max(round(total / (fit + AROUND_A_FIT) / N_FOLDS), 1)
        sides = (ShrunkSearchCV, Works(seconds=fit), {"number": range(number)}, N_FOLDS, X, y)
        yield Case(
            f"{number * N_FOLDS:,} fits of {1e3 * fit:g} ms, n_jobs=2",
            partial(plain, *sides, n_jobs=2),
            {"n_jobs=1": partial(plain, *sides)},
            best=True,
            prepare=warm_pool,
        )


def warm_pool() -> None:
    """Start two workers, and let them import what a search needs."""
    X, y = make_classification(60, 4, random_state=0)
    sides = (ShrunkSearchCV, Works(), {"number": range(2)}, 2, X, y)
    Parallel(n_jobs=2)(delayed(plain)(*sides) for _ in range(8))


def text_cases(*, quick: bool) -> Iterator[Case]:
    pipe = make_pipeline(TfidfVectorizer(ngram_range=(1, 2)), LogisticRegression())
    grid = {"logisticregression__C": np.logspace(-2, 1, 7)}
    sides = (pipe, grid, 5, *texts(quick=quick))
    recipe: dict[str, Side] = {"search + nested search": partial(nested_recipe, *sides)}
    yield Case(
        "plain, text, 7 values of C",
        partial(plain, ShrunkSearchCV, *sides),
        {"GridSearchCV": partial(plain, GridSearchCV, *sides)},
    )
    yield Case("nested, text, 7 values of C, K=5", partial(nested, *sides), recipe)


def plain_cases(*, quick: bool) -> Iterator[Case]:
    _, pipe, grid, X, y = vectors(quick=quick)
    # So many fits that the report, a tenth of a second on these rows, is a small part.
    grid = {**grid, "svc__C": np.logspace(-2, 2, 12)}
    yield from _plain("", (pipe, grid, 5, X, y), fresh=False)
    X, y = make_classification(10_000 if quick else 100_000, 40, random_state=0)
    pipe = make_pipeline(StandardScaler(), GaussianNB())
    sides = (pipe, {"gaussiannb__var_smoothing": np.logspace(-9, 0, 4)}, 5, X, y)
    yield from _plain(" on 32 MB of data", sides, fresh=True)


def _plain(what, sides, *, fresh: bool) -> Iterator[Case]:
    grid_search = partial(plain, GridSearchCV, *sides)
    honest = lambda: HonestSearchCV(GridSearchCV(*sides[:2], cv=5)).fit(*sides[3:])  # noqa: E731
    shrunk = partial(plain, ShrunkSearchCV, *sides, share_steps=False)
    for name, side in {"ShrunkSearchCV": shrunk, "HonestSearchCV": honest}.items():
        yield Case(f"plain, {name}{what}", side, {"GridSearchCV": grid_search}, fresh=fresh)


def many_cases(*, quick: bool) -> Iterator[Case]:
    X, y = make_classification(60, 4, random_state=0)
    sizes = {500: 1, 1000: 1} if quick else {5000: 3, 20000: 1}
    for n_candidates, repeats in sizes.items():
        sides = (Works(), {"number": range(n_candidates)}, 3, X, y)
        others: dict[str, Side] = {"GridSearchCV": partial(plain, GridSearchCV, *sides)}
        ours = partial(plain, ShrunkSearchCV, *sides)
        name = f"{n_candidates:,} candidates of 0.1 ms"
        yield Case(name, ours, others, fresh=True, most_repeats=repeats)


def checkpoint_cases(*, quick: bool) -> Iterator[Case]:
    X, y = load_breast_cancer(return_X_y=True)
    sides = (ShrunkSearchCV, Works(seconds=0.01), {"number": range(10 if quick else 40)}, 5, X, y)

    def kept():
        with tempfile.TemporaryDirectory() as directory:
            return plain(*sides, checkpoint=Path(directory) / "kept.db")

    yield Case("checkpoint on, fits of 10 ms", kept, {"checkpoint off": partial(plain, *sides)})


GROUPS: dict[str, Callable[..., Iterator[Case]]] = {
    "nested": nested_cases,
    "parallel": parallel_cases,
    "jobs": jobs_cases,
    "text": text_cases,
    "plain": plain_cases,
    "many": many_cases,
    "checkpoint": checkpoint_cases,
}
