"""How much noise do cross-validated scores hide, since their training sets overlap?

    python -m benchmarks.accuracy.overlap --markdown overlap.md      # a quarter of an hour
    python -m benchmarks.accuracy.overlap --quick                    # half a minute, for a try

The variance of a candidate's rows tells how far its mean score is off if rows were all that is
drawn. But the model that is deployed is trained on all rows, and the models of the folds on parts
that overlap, so the error is larger, and no single data set shows by how much. Here a problem is
drawn again and again: 24 data sets of 60 or 160 rows, ten candidates of one family (`problems.py`),
5 or 10 folds. Measured over the draws, for each metric:

- "whole": the variance of a candidate's error, mean score minus true score after a refit on all
  rows, without its own mean over the draws, over the variance of its rows divided by their number
- "own": the same without what all candidates share, the rows being compared within their splits
- "K r": the correlation between splits that makes "own" of the noise, by ``(1 + (K - 1) r) / (1 -
  r)``, times K: the consensus takes 1/2, half-way between independent splits and Nadeau and
  Bengio's 1 / K
- "corrected": the mean square of the error of the consensus, less its mean, over the variance of
  the rows of the winner divided by their number
- how much less pessimistic the score of the truly best candidate is than that of the average one,
  in points: nobody has chosen, so it is no optimism, but errors measured against the average
  candidate contain it
"""

from __future__ import annotations

import argparse
import itertools
import warnings
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from joblib import Parallel, delayed
from sklearn import config_context
from sklearn.base import clone
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import KFold, ParameterGrid, StratifiedKFold, cross_val_predict

from benchmarks.accuracy.problems import (
    CLASSES,
    CLASSIFIERS,
    FRESH,
    NUMBERS,
    REGRESSORS,
    standardised,
)
from skmaxev.estimators import auc_influences, consensus

SOURCES = {
    True: ["digits, odd", "digits, 3 5 8", "made, 4 of 10", "made, 3 of 20", "no signal"],
    False: ["Friedman 1", "Friedman 1, noisy", "linear, 5 of 20"],
}
SIZES = [(60, 5), (160, 5), (160, 10)]
"""Rows and folds."""
N_CANDIDATES = 10
N_DRAWS = 24
METRICS = {
    "accuracy": "accuracy",
    "roc_auc": "area under the ROC curve",
    "neg_mean_squared_error": "squared error",
}


class Cell(NamedTuple):
    """What one problem, family, size and number of folds shows of one metric."""

    metric: str
    n_folds: int
    family: str
    whole: float
    own: float
    corrected: float
    lead: float
    """Mean error of the truly best candidate minus that of all, in points."""


def draws(name, n_rows, *, classes, rng):
    """Yield the rows of a search and the rows that are its truth, again and again."""
    source = (CLASSES if classes else NUMBERS)[name]
    wanted = N_DRAWS * n_rows
    X, y = standardised(source.make(wanted + FRESH, 5), classes=classes)
    for number in range(N_DRAWS):
        if len(y) == wanted + FRESH:  # made data: fresh rows for every draw, one truth
            mine = np.arange(number * n_rows, (number + 1) * n_rows)
            other = np.arange(wanted, len(y))
        else:
            mine, other = np.split(rng.permutation(len(y)), [n_rows])
        yield X[mine], y[mine], X[other], y[other]


def responses(model, X):
    return getattr(model, method_of(model))(X).reshape(len(X), -1)[:, -1]


def method_of(model):
    names = ("decision_function", "predict_proba", "predict")
    return next(name for name in names if hasattr(model, name))


def areas(y, table):
    return np.array([roc_auc_score(y, column) for column in table.T])


def rights(model, y, values):
    threshold = 0.0 if method_of(model) == "decision_function" else 0.5
    return (values > threshold) == y


def errors_and_noise(models, data, n_folds, *, classes, seed):
    """Give, by metric, each candidate's error, true score, and noise variance by its rows."""
    X, y, X_new, y_new = data
    splitter = (StratifiedKFold if classes else KFold)(n_folds, shuffle=True, random_state=seed)
    folds = list(splitter.split(X, y))
    fold = np.empty(len(y), dtype=int)
    for number, (_, test) in enumerate(folds):
        fold[test] = number
    columns, fresh = [], []
    for model in models:
        method = method_of(model)
        found = cross_val_predict(clone(model), X, y, cv=folds, method=method)
        columns.append(found.reshape(len(y), -1)[:, -1])
        fresh.append(responses(clone(model).fit(X, y), X_new))
    table, new = np.transpose(columns), np.transpose(fresh)
    if not classes:
        squares, truth = -np.square(table - y[:, None]), -np.square(new - y_new[:, None]).mean(0)
        scores = np.array([squares[test].mean(axis=0) for _, test in folds])
        below_zero = (-np.inf, 0.0)
        return {"neg_mean_squared_error": summary(scores, squares, truth, fold, below_zero)}
    pairs = zip(models, table.T, new.T, strict=True)
    both = [(rights(m, y, a), rights(m, y_new, b).mean()) for m, a, b in pairs]
    right, truth = np.transpose([a for a, _ in both]).astype(float), np.array([b for _, b in both])
    shares = np.array([right[test].mean(axis=0) for _, test in folds])
    by_fold = np.array([areas(y[test], table[test]) for _, test in folds])
    influences = auc_influences(table, y == 1, row_splits=fold)
    return {
        "accuracy": summary(shares, right, truth, fold, (0.0, 1.0)),
        "roc_auc": summary(by_fold, influences, areas(y_new, new), fold, (0.0, 1.0)),
    }


def summary(scores, rows, truth, fold, support):
    """Return errors, truths, and noise variances: whole, and without what candidates share.

    And the error of the consensus for the winner, with the variance of the winner's rows.
    """
    means = scores.mean(axis=0)
    winner = means.argmax()
    estimate = consensus(scores, row_values=rows, row_splits=fold, support=support)
    whole = rows.var(axis=0, ddof=1) / len(rows)
    of_winner = np.array([estimate - truth[winner], whole[winner]])
    own = rows - rows.mean(axis=1, keepdims=True)
    for k in np.unique(fold):
        own[fold == k] -= own[fold == k].mean(axis=0)
    free = len(rows) - np.unique(fold).size
    noise = np.square(own).sum(axis=0) / free / len(rows)
    return means - truth, truth, whole, noise, of_winner


def measure(name, kind, n_rows, n_folds, *, classes) -> list[Cell]:
    """Draw one problem again and again with one family of candidates."""
    warnings.simplefilter("ignore")  # workers inherit no filters; some models do not converge
    family = (CLASSIFIERS if classes else REGRESSORS)[kind]
    rng = np.random.default_rng([7, n_rows, n_folds, len(name), len(kind)])
    grid = list(ParameterGrid(family.grid))
    picked = np.sort(rng.choice(len(grid), N_CANDIDATES, replace=False))
    models = [clone(family.estimator).set_params(**clone(grid[i], safe=False)) for i in picked]
    found: dict[str, list[Any]] = {}
    with config_context(assume_finite=True, skip_parameter_validation=True):
        for seed, data in enumerate(draws(name, n_rows, classes=classes, rng=rng)):
            one = errors_and_noise(models, data, n_folds, classes=classes, seed=seed)
            for metric, values in one.items():
                found.setdefault(metric, []).append(values)
    cells = []
    for metric, values in found.items():
        errors, truths, whole, noise, of_winner = map(np.array, zip(*values, strict=True))
        own = errors - errors.mean(axis=1, keepdims=True)
        lead = 100 * own.mean(axis=0)[truths.mean(axis=0).argmax()]
        wrong, shown_of_winner = of_winner.T
        ratios = [
            spread.var(axis=0, ddof=1).sum() / shown.mean(axis=0).sum()
            for spread, shown in ((errors, whole), (own, noise), (wrong, shown_of_winner))
        ]
        cells.append(Cell(metric, n_folds, kind, *map(float, ratios), float(lead)))
    return cells


def correlation_times_folds(inflation: float, n_folds: int) -> float:
    """Solve ``inflation = (1 + (K - 1) r) / (1 - r)`` for K r."""
    return n_folds * (inflation - 1) / (n_folds - 1 + inflation)


def table(cells: list[Cell]) -> str:
    head = [
        "Metric",
        "folds",
        "problems",
        "whole",
        "own",
        "K r",
        "corrected",
        "best less pessimistic",
    ]
    lines = ["| " + " | ".join(head) + " |", "|---" * len(head) + "|"]
    groups = itertools.product(METRICS, sorted({cell.n_folds for cell in cells}))
    for metric, n_folds in groups:
        group = [cell for cell in cells if (cell.metric, cell.n_folds) == (metric, n_folds)]
        if not group:
            continue
        own = np.array([cell.own for cell in group])
        times = correlation_times_folds(own.mean(), n_folds)
        texts = [
            METRICS[metric],
            str(n_folds),
            str(len(group)),
            with_error(np.array([cell.whole for cell in group]), "{:.2f}"),
            with_error(own, "{:.2f}"),
            f"{times:.2f}",
            with_error(np.array([cell.corrected for cell in group]), "{:.2f}"),
            with_error(np.array([cell.lead for cell in group]), "{:+.2f}"),
        ]
        lines.append("| " + " | ".join(texts) + " |")
    return "\n".join(lines) + "\n\n" + by_family(cells)


def by_family(cells: list[Cell]) -> str:
    families = sorted({cell.family for cell in cells})
    metrics = [metric for metric in METRICS if any(cell.metric == metric for cell in cells)]
    lines = ["| Family | " + " | ".join(METRICS[metric] for metric in metrics) + " |"]
    lines.append("|---" * (len(metrics) + 1) + "|")
    for family in families:
        texts = []
        for metric in metrics:
            group = [c for c in cells if (c.metric, c.family) == (metric, family)]
            numbers = np.mean([cell[3:] for cell in group], axis=0) if group else None
            texts.append(
                "" if numbers is None else "{:.2f}, {:.2f}, {:.2f} ({:+.2f})".format(*numbers)
            )
        lines.append(f"| {family} | " + " | ".join(texts) + " |")
    return "\n".join(lines) + "\n"


def with_error(values: np.ndarray, form: str) -> str:
    error = values.std(ddof=1) / np.sqrt(len(values)) if len(values) > 1 else np.nan
    return f"{form.format(values.mean())} ± {error:.2f}"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="one size, one problem a kind")
    parser.add_argument("--n-jobs", type=int, default=2)
    parser.add_argument("--markdown", type=Path, help="file for the tables")
    options = parser.parse_args()
    tasks = [
        (name, kind, *size, classes)
        for classes, names in SOURCES.items()
        for name in (names[2:3] if options.quick else names)
        for kind in (CLASSIFIERS if classes else REGRESSORS)
        for size in (SIZES[:1] if options.quick else SIZES)
    ]
    run = Parallel(n_jobs=options.n_jobs)
    found = run(delayed(measure)(*task, classes=classes) for *task, classes in tasks)
    text = table(list(itertools.chain.from_iterable(found)))
    print(text)
    if options.markdown:
        options.markdown.write_text(text)


if __name__ == "__main__":
    main()
