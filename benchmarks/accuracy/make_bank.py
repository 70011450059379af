"""Make a bank of finished searches whose truth is known, from data that need no download.

    python -m benchmarks.accuracy.make_bank --out DIR                 # some minutes on two cores
    python -m benchmarks.accuracy.make_bank --out DIR --n-searches 20
    python -m benchmarks.accuracy.make_bank --out DIR --quick         # four searches, for a try

Half of the searches classify two classes (accuracy, area under the ROC curve and, where candidates
have probabilities, log loss), half predict numbers (squared error and R2). The problems and grids
are in `problems.py`. Each is a `NestedCVSearch` over 20 to 28 candidates on 60 to 300 rows, 5 folds
or sometimes 10. Kept in DIR, one .npz file a search: the table of scores for every metric, the
out-of-fold responses of single rows, the nested scores (the outer folds are those of the search),
and the truth of every candidate, refitted on all rows of the search and scored on the other rows
of the data set or on 3,000 fresh ones. Seeds are fixed: the same searches on every run.
`own_bank.py` reads them and measures.
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
from sklearn.base import clone
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
from skmaxev import NestedCVSearch

SEED = 20_240_501
QUICK = 2
# Below this many rows ten stratified folds may lack a class.
LEAST_FOR_TEN = 120
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
    folds = (StratifiedKFold if classes else KFold)(n_folds, shuffle=True, random_state=seed)
    search = NestedCVSearch(
        family.estimator,
        family.grid,
        scoring=metrics,
        # The metric whose responses are kept row by row; each metric has its own winner.
        refit="roc_auc" if classes else "neg_mean_squared_error",
        cv=folds,
        keep_predictions=True,
    ).fit(X[mine], y[mine])
    facts = {
        "source": name,
        "family": kind,
        "classes": classes,
        "metrics": metrics,
        "n_truth": len(other),
        "n_fits": search.n_fits_,
    }
    found = truths(search, X, y, mine, other)
    return facts, found | tables(search) | {"y": y[mine]}


def metrics_of(*, classes: bool, probabilities: bool) -> list[str]:
    if not classes:
        return ["neg_mean_squared_error", "r2"]
    return ["accuracy", "roc_auc"] + ["neg_log_loss"] * probabilities


def tables(search: NestedCVSearch) -> dict[str, np.ndarray]:
    """Scores, nested scores and rows of a finished search."""
    found = {}
    for metric, report in search.reports_.items():
        table = report.table
        found[f"scores_{metric}"] = table.scores
        found[f"outer_{metric}"] = table.outer.scores
        found |= {"n_train": table.n_train, "n_test": table.n_test}
        if table.rows is not None:
            kept = table.rows.values if table.rows.responses is None else table.rows.responses
            found |= {"rows": kept, "fold": table.rows.fold}
    return found


def truths(
    search: NestedCVSearch, X: np.ndarray, y: np.ndarray, mine: np.ndarray, other: np.ndarray
) -> dict[str, np.ndarray]:
    """Score every candidate, refitted on all rows of the search, on all other rows."""
    metrics, candidates = search.scoring, list(ParameterGrid(search.param_grid))
    found = {f"truth_{metric}": np.empty(len(candidates)) for metric in metrics}
    decides = np.empty(len(candidates), dtype=bool)
    for index, settings in enumerate(candidates):
        model = clone(search.estimator).set_params(**clone(settings, safe=False))
        model.fit(X[mine], y[mine])
        # The rows of such a model are log odds or distances, those of others probabilities.
        decides[index] = hasattr(model, "decision_function")
        for metric in metrics:
            found[f"truth_{metric}"][index] = get_scorer(metric)(model, X[other], y[other])
    return found | {"decides": decides}


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
