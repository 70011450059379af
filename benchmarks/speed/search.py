"""Time the searches against scikit-learn's: both sides in one run, in turns, medians of repeats.

    python -m benchmarks.speed.search                          # everything, about an hour
    python -m benchmarks.speed.search --quick                  # smaller data: does it run?
    python -m benchmarks.speed.search --only nested --repeats 5 --json speed.json

A ratio above 1 says how many times faster skmaxev is; where the goal is a bound on the cost, it is
skmaxev's cost over the other side's. Give the machine to it alone: others spoil ratios too. On a
machine that is not alone, ``--cpu`` times what runs in one process by its processor seconds.
"""

from __future__ import annotations

import argparse
import json
import platform
import tempfile
import time
import tracemalloc
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from functools import partial
from itertools import product
from pathlib import Path

import numpy as np
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
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

import skmaxev
from skmaxev import HonestSearchCV, NestedCVSearch, ShrunkSearchCV

Side = Callable[[], object]


@dataclass
class Case:
    """Two sides of one comparison; of several others the fastest counts."""

    name: str
    ours: Side
    others: dict[str, Side]
    goal: float
    bound: bool = False
    measure: str = "seconds"


@dataclass
class Result:
    """Medians over the repeats."""

    name: str
    measure: str
    ours: float
    other: float
    fastest: str
    ratio: float
    goal: float
    bound: bool
    met: bool
    repeats: list[list[float]] = field(default_factory=list)


class Waits(ClassifierMixin, BaseEstimator):
    """A classifier whose fit takes a set time of work."""

    def __init__(self, number=0, seconds=1e-4):
        self.number = number
        self.seconds = seconds

    def fit(self, X, y):  # noqa: ARG002
        self.classes_ = np.unique(y)
        stop = time.perf_counter() + self.seconds
        while time.perf_counter() < stop:
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


def vectors():
    X, y = load_breast_cancer(return_X_y=True)
    pipe = make_pipeline(StandardScaler(), SVC())
    grid = {"svc__C": np.logspace(-2, 2, 4), "svc__gamma": [0.01, 0.03, 0.1]}
    return "StandardScaler + SVC", pipe, grid, X, y


def forest(*, quick):
    X, y = make_classification(500 if quick else 5000, 20, n_informative=8, random_state=0)
    model = RandomForestClassifier(5 if quick else 30, random_state=0)
    return "random forest", model, {"max_features": [2, 4, 8], "min_samples_leaf": [1, 5]}, X, y


def texts(*, quick):
    rng = np.random.default_rng(0)
    words = np.array([f"word{number}" for number in range(5000)])
    weights = 1 / np.arange(1, len(words) + 1)
    n_texts = 200 if quick else 3000
    y = rng.integers(0, 2, n_texts)
    drawn = rng.choice(len(words), size=(n_texts, 200), p=weights / weights.sum())
    drawn = np.where(rng.random(drawn.shape) < 0.02, 40 + y[:, None], drawn)
    return [" ".join(words[row]) for row in drawn], y


def nested_cases(*, quick: bool) -> Iterator[Case]:
    goals = {"StandardScaler + SVC": {5: 1.5, 10: 1.7}, "random forest": {5: 1.6, 10: 1.75}}
    for (name, *data), n_folds in product((vectors(), forest(quick=quick)), (5, 10)):
        estimator, grid, X, y = data
        sides = (estimator, grid, n_folds, X, y)
        yield Case(
            f"nested, {name}, K={n_folds}",
            partial(nested, *sides),
            {"recipe": partial(nested_recipe, *sides)},
            goals[name][n_folds],
        )


def parallel_cases(*, quick: bool) -> Iterator[Case]:
    for name, *data in (vectors(), forest(quick=quick)):
        estimator, grid, X, y = data
        sides = (estimator, grid, 5, X, y)
        places = {
            f"outer {outer}, inner {inner}": partial(
                nested_recipe, *sides, outer_jobs=outer, inner_jobs=inner
            )
            for outer, inner in product((None, 2), repeat=2)
        }
        yield Case(f"nested, {name}, K=5, n_jobs=2", partial(nested, *sides, n_jobs=2), places, 1.7)
    X, y = load_breast_cancer(return_X_y=True)
    grid = {"number": range(200 if quick else 1000)}
    yield Case(
        "n_jobs=2 against n_jobs=1, fits of 1 ms",
        lambda: ShrunkSearchCV(Waits(seconds=1e-3), grid, cv=3, n_jobs=2).fit(X, y),
        {"serial": lambda: ShrunkSearchCV(Waits(seconds=1e-3), grid, cv=3).fit(X, y)},
        1.1,
        bound=True,
    )


def text_cases(*, quick: bool) -> Iterator[Case]:
    X, y = texts(quick=quick)
    model = LogisticRegression(max_iter=1000)
    pipe = make_pipeline(TfidfVectorizer(ngram_range=(1, 2)), model)
    grid = {"logisticregression__C": np.logspace(-3, 3, 7)}
    yield Case(
        "plain, text, 7 values of C",
        lambda: ShrunkSearchCV(pipe, grid, cv=5).fit(X, y),
        {"GridSearchCV": lambda: GridSearchCV(pipe, grid, cv=5).fit(X, y)},
        3.0,
    )
    yield Case(
        "nested, text, 7 values of C",
        partial(nested, pipe, grid, 5, X, y),
        {"recipe": partial(nested_recipe, pipe, grid, 5, X, y)},
        5.0,
    )


def plain_cases(*, quick: bool) -> Iterator[Case]:
    _, pipe, grid, X, y = vectors()
    grid = {**grid, "svc__C": np.logspace(-2, 2, 4 if quick else 12)}
    other: dict[str, Side] = {"GridSearchCV": lambda: GridSearchCV(pipe, grid, cv=5).fit(X, y)}
    ours: dict[str, Side] = {
        "ShrunkSearchCV": lambda: ShrunkSearchCV(pipe, grid, cv=5, share_steps=False).fit(X, y),
        "HonestSearchCV": lambda: HonestSearchCV(GridSearchCV(pipe, grid, cv=5)).fit(X, y),
    }
    for name, side in ours.items():
        yield Case(f"plain, {name}", side, other, 1.05, bound=True)
        yield Case(f"plain, {name}, peak", side, other, 1.1, bound=True, measure="MB")


def many_cases(*, quick: bool) -> Iterator[Case]:
    X, y = make_classification(60, 4, random_state=0)
    for n_candidates in (1000,) if quick else (5000, 20000):
        grid = {"number": range(n_candidates)}
        ours = partial(_fit, ShrunkSearchCV, grid, X, y)
        other: dict[str, Side] = {"GridSearchCV": partial(_fit, GridSearchCV, grid, X, y)}
        name = f"{n_candidates:,} candidates of 0.1 ms"
        yield Case(name, ours, other, 1.0)
        yield Case(f"{name}, peak", ours, other, 1.1, bound=True, measure="MB")


def _fit(kind, grid, X, y):
    return kind(Waits(), grid, cv=3, refit=False).fit(X, y)


def checkpoint_cases(*, quick: bool) -> Iterator[Case]:
    X, y = load_breast_cancer(return_X_y=True)
    search = partial(ShrunkSearchCV, Waits(seconds=0.01), {"number": range(20 if quick else 100)})

    def kept():
        with tempfile.TemporaryDirectory() as directory:
            return search(cv=5, checkpoint=Path(directory) / "kept.db").fit(X, y)

    other: dict[str, Side] = {"off": lambda: search(cv=5).fit(X, y)}
    yield Case("checkpoint on, fits of 10 ms", kept, other, 1.05, bound=True)


GROUPS = {
    "nested": nested_cases,
    "parallel": parallel_cases,
    "text": text_cases,
    "plain": plain_cases,
    "many": many_cases,
    "checkpoint": checkpoint_cases,
}


def measured(side: Side, measure: str) -> float:
    if measure == "MB":
        tracemalloc.start()
        side()
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return peak / 1e6
    clock = time.process_time if measure == "cpu seconds" else time.perf_counter
    start = clock()
    side()
    return clock() - start


def compare(case: Case, repeats: int) -> Result:
    """Measure both sides in turns, after one turn that warms up pools and caches."""
    check(case.ours(), next(iter(case.others.values()))())
    repeats = 1 if case.measure == "MB" else repeats
    rows = [
        [measured(side, case.measure) for side in (case.ours, *case.others.values())]
        for _ in range(repeats)
    ]
    ours, *others = np.median(rows, axis=0)
    best = int(np.argmin(others))
    ratio = ours / others[best] if case.bound else others[best] / ours
    met = ratio <= case.goal if case.bound else ratio >= case.goal
    return Result(
        case.name,
        case.measure,
        float(ours),
        float(others[best]),
        list(case.others)[best],
        float(ratio),
        case.goal,
        case.bound,
        bool(met),
        rows,
    )


def check(ours: object, other: object) -> None:
    """Make sure that both sides did the same: the same outer scores, to the last bit."""
    if isinstance(ours, tuple) and isinstance(other, tuple):
        np.testing.assert_array_equal(ours[0], other[0])


def curve(*, quick: bool) -> list[dict[str, float]]:
    """Time the search over candidates and folds: linear in the one, quadratic in the other."""
    X, y = load_breast_cancer(return_X_y=True)
    rows = []
    for n_candidates, n_folds in product((10, 20, 40, 80), (3, 5, 10) if quick else (3, 5, 10, 20)):
        search = NestedCVSearch(Waits(), {"number": range(n_candidates)}, cv=n_folds, refit=False)
        seconds = measured(partial(search.fit, X, y), "seconds")
        rows.append(
            {
                "candidates": n_candidates,
                "folds": n_folds,
                "seconds": seconds,
                "fits": search.n_fits_,
                "milliseconds_a_fit": 1e3 * seconds / search.n_fits_,
            }
        )
    return rows


def show(results: list[Result], rows: list[dict[str, float]]) -> None:
    print("| case | ours | against | ratio | goal | |")
    print("|:--|--:|--:|--:|--:|:--|")
    for one in results:
        sign = "<=" if one.bound else ">="
        print(
            f"| {one.name} | {one.ours:.3g} {one.measure} | {one.other:.3g} ({one.fastest}) "
            f"| {one.ratio:.2f} | {sign} {one.goal:g} | {'met' if one.met else 'MISSED'} |"
        )
    if rows:
        print("\n| candidates | folds | fits | seconds | ms a fit |\n|--:|--:|--:|--:|--:|")
    for row in rows:
        print(
            f"| {row['candidates']} | {row['folds']} | {row['fits']} | {row['seconds']:.2f} "
            f"| {row['milliseconds_a_fit']:.2f} |"
        )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="smaller data, one repeat")
    parser.add_argument("--only", choices=[*GROUPS, "curve"], nargs="*", help="some groups")
    parser.add_argument("--cpu", action="store_true", help="processor seconds in one process")
    parser.add_argument("--repeats", type=int, default=5, help="repeats of each case")
    parser.add_argument("--json", type=Path, help="where to write the figures")
    options = parser.parse_args()
    chosen = options.only or [*GROUPS, "curve"]
    results = []
    for name in (name for name in GROUPS if name in chosen):
        for case in GROUPS[name](quick=options.quick):
            if options.cpu and case.measure == "seconds" and name != "parallel":
                case.measure = "cpu seconds"
            results.append(compare(case, 1 if options.quick else options.repeats))
            print(f"{results[-1].name}: {results[-1].ratio:.2f}", flush=True)
    rows = curve(quick=options.quick) if "curve" in chosen else []
    print()
    show(results, rows)
    if options.json:
        about = {
            "python": platform.python_version(),
            "machine": platform.platform(),
            "scikit-learn": sklearn.__version__,
            "skmaxev": skmaxev.__version__,
            "quick": options.quick,
        }
        found = {"about": about, "cases": [asdict(one) for one in results], "curve": rows}
        options.json.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
