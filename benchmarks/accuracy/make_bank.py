"""Make a bank of finished searches whose truth is known, from data that need no download.

    python -m benchmarks.accuracy.make_bank --out DIR                 # some minutes on two cores
    python -m benchmarks.accuracy.make_bank --out DIR --n-searches 20
    python -m benchmarks.accuracy.make_bank --out DIR --quick         # four searches, for a try

Half of the searches classify two classes, half predict numbers, each by several metrics. The
problems and grids are in `problems.py`. Each search is a `NestedCVSearch` over 20 to 28 candidates
on 60 to 300 rows, 5 folds or sometimes 10, and all its candidates are judged on three more
partitions of the rows. Kept in DIR, one .npz file a search: for every metric the scores on all
partitions, the winner of every outer fold of nested cross-validation (the outer folds are those of
the search), and the truth of every candidate, refitted on all rows of the search and scored on the
other rows of the data set or on 3,000 fresh ones; and the out-of-fold predictions. Seeds are fixed:
the same searches on every run. `wide.py` reads them and measures.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from sklearn import config_context
from sklearn.base import BaseEstimator, clone, is_regressor
from sklearn.metrics import get_scorer
from sklearn.model_selection import KFold, ParameterGrid, StratifiedKFold

from benchmarks.accuracy.problems import (
    CLASSES,
    CLASSIFIERS,
    FRESH,
    NUMBERS,
    REGRESSORS,
    standardised,
)
from skmaxev import HonestSearchCV, NestedCVSearch
from skmaxev.metrics import scores_from_responses

SEED = 20_240_501
QUICK = 2
# Below this many rows ten stratified folds may lack a class.
LEAST_FOR_TEN = 120
N_FRESH = 3
"""Partitions of the rows beyond that of the search."""
TEN_FOLDS = 0.2
"""Share of the larger searches with ten folds."""


def make_search(number: int, *, classes: bool) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Draw the rows of a search, make it, and score all its candidates on the other rows."""
    sources, families = (CLASSES, CLASSIFIERS) if classes else (NUMBERS, REGRESSORS)
    # The numbers of sources and families have no common divisor: all pairs come up.
    name = list(sources)[number % len(sources)]
    kind = list(families)[number % len(families)]
    source, family = sources[name], families[kind]
    rng = np.random.default_rng([SEED, int(classes), number])
    n = int(np.exp(rng.uniform(np.log(source.least), np.log(source.most + 1))))
    n_folds = 10 if n >= LEAST_FOR_TEN and rng.random() < TEN_FOLDS else 5
    seed = int(rng.integers(2**31))
    X, y = standardised(source.make(n + FRESH, seed), classes=classes)
    # Rows that are left over are the truth.
    order = rng.permutation(len(y))
    mine, other = order[:n], order[n:]
    metrics = metrics_of(classes=classes, probabilities=family.probabilities)
    kind_of_folds = StratifiedKFold if classes else KFold
    options = {"scoring": Scores(metrics), "refit": metrics[0], "keep_predictions": True}
    searches = [
        Search(
            family.estimator,
            family.grid,
            cv=kind_of_folds(n_folds, shuffle=True, random_state=seed + repeat),
            **options,
        ).fit(X[mine], y[mine])
        for repeat, Search in enumerate([NestedCVSearch] + [HonestSearchCV] * N_FRESH)
    ]
    facts = {
        "source": name,
        "family": kind,
        "task": "binary" if classes else "regression",
        "metrics": metrics,
        "n_truth": len(other),
        "n_fits": sum(search.n_fits_ for search in searches),
    }
    found = truths(searches[0], X, y, mine, other)
    return facts, found | tables(searches) | {"y": y[mine]}


class Scores:
    """Scores a model by several metrics at once, from its predictions.

    Equal to scikit-learn's scorers, as the tests of these metrics hold; on folds of a dozen rows
    those would take ten times as long as the fits.
    """

    def __init__(self, metrics: list[str]) -> None:
        self.metrics = metrics

    def __call__(self, model: BaseEstimator, X: np.ndarray, y: np.ndarray) -> dict[str, float]:
        if is_regressor(model):
            said = model.predict(X)
        elif "neg_log_loss" in self.metrics:
            said = model.predict_proba(X)[:, 1]
        else:
            said = model.decision_function(X)
        one_fold = np.zeros(len(y), dtype=int)
        return {
            metric: float(scores_from_responses(metric, y, said[np.newaxis], one_fold)[0, 0])
            for metric in self.metrics
        }


def metrics_of(*, classes: bool, probabilities: bool) -> list[str]:
    """Name the metrics; predictions are kept as the first one asks for them."""
    if not classes:
        return ["neg_mean_squared_error", "neg_mean_absolute_error", "r2"]
    chances = ["neg_log_loss", "neg_brier_score"] if probabilities else []
    return [*chances, "roc_auc", "average_precision", "accuracy", "balanced_accuracy", "f1"]


def tables(searches: list[NestedCVSearch | HonestSearchCV]) -> dict[str, np.ndarray]:
    """Scores on all partitions, predictions, and the winners of the outer folds of the first."""
    found = {}
    for metric in searches[0].scoring.metrics:
        kept = [search.reports_[metric].table for search in searches]
        found[f"scores_{metric}"] = np.array([table.scores for table in kept])
        found[f"winners_{metric}"] = kept[0].outer.best_index
    rows = [search.report_.table.rows for search in searches]
    found["fold"] = np.concatenate([one.test_fold for one in rows])
    found["responses"] = np.concatenate([one.responses for one in rows], axis=1)
    return found


def truths(
    search: NestedCVSearch, X: np.ndarray, y: np.ndarray, mine: np.ndarray, other: np.ndarray
) -> dict[str, np.ndarray]:
    """Score every candidate, refitted on all rows of the search, on all other rows."""
    metrics, candidates = search.scoring.metrics, list(ParameterGrid(search.param_grid))
    found = {f"truth_{metric}": np.empty(len(candidates)) for metric in metrics}
    for index, settings in enumerate(candidates):
        model = clone(search.estimator).set_params(**clone(settings, safe=False))
        model.fit(X[mine], y[mine])
        for metric in metrics:
            found[f"truth_{metric}"][index] = get_scorer(metric)(model, X[other], y[other])
    return found


def save(out: Path, number: int, *, classes: bool) -> dict[str, Any]:
    """Make one search and write it to its file."""
    # Of fits this small, checking their arguments would take the larger part.
    with config_context(assume_finite=True, skip_parameter_validation=True):
        facts, arrays = make_search(number, classes=classes)
    name = f"{'classes' if classes else 'numbers'}-{number:04d}.npz"
    np.savez_compressed(out / name, facts=json.dumps(facts), **arrays)
    return facts


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--out", type=Path, required=True, help="folder for the searches")
    parser.add_argument("--n-searches", type=int, default=60, help="searches of either kind")
    parser.add_argument("--quick", action="store_true", help=f"{QUICK} searches of either kind")
    parser.add_argument("--n-jobs", type=int, default=2)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    count = QUICK if options.quick else options.n_searches
    tasks = [(number, classes) for number in range(count) for classes in (True, False)]
    start, fits = time.perf_counter(), 0
    run = Parallel(n_jobs=options.n_jobs, return_as="generator")
    made = run(delayed(save)(options.out, number, classes=classes) for number, classes in tasks)
    for done, facts in enumerate(made, start=1):
        fits += facts["n_fits"]
        took = time.perf_counter() - start
        message = f"{done}/{len(tasks)} searches, {fits:,} fits, {took:.0f} s"
        print(f"\r{message}", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    about = {"seconds": round(time.perf_counter() - start), "fits": fits, "searches": len(tasks)}
    (options.out / "about.json").write_text(json.dumps(about) + "\n")


if __name__ == "__main__":
    main()
