"""Three tuned families, of which the best is reported: corrected as one search.

    python -m benchmarks.accuracy.joined --draws 400 --markdown docs/measured/joined.md

Every draw is a new sample of one of four problems of two classes. Nearest neighbours, a tree and
logistic regression are tuned on it; the winner of all, refitted on all its rows, is judged on
20,000 fresh rows. An error is the reported score minus that truth, in points of accuracy; positive
is too good. "each by itself" corrects the three searches one by one and reports the best of the
honest scores. "a fixed candidate" is the zero of the mean error: the mean over all candidates, each
refitted on all rows, which nobody chose.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from pathlib import Path

import numpy as np
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from skmaxev import HonestSearchCV, correct

N_FRESH = 20_000
PROBLEMS = {  # rows, features that say something, strength, share of products
    "linear": (300, 4, 1.5, 0.0),
    "curved": (400, 4, 2.0, 0.8),
    "weak": (300, 4, 0.7, 0.3),
    "easy": (200, 6, 3.0, 0.0),
}
FAMILIES = {
    "neighbours": (
        make_pipeline(StandardScaler(), KNeighborsClassifier()),
        {"kneighborsclassifier__n_neighbors": [1, 3, 5, 7, 9, 13, 17, 25]},
    ),
    "tree": (
        DecisionTreeClassifier(random_state=0),
        {"max_depth": [1, 2, 3, 5], "min_samples_leaf": [1, 5, 10]},
    ),
    "logistic": (
        make_pipeline(StandardScaler(), LogisticRegression()),
        {"logisticregression__C": [0.001, 0.01, 0.1, 1.0, 10.0]},
    ),
}


def draw(problem, rng, size):
    _, n_useful, strength, products = PROBLEMS[problem]
    X = rng.standard_normal((size, 8))
    useful = X[:, :n_useful]
    signal = (1 - products) * useful.sum(axis=1)
    if n_useful > 1:
        signal = signal + products * (useful[:, ::2] * useful[:, 1::2]).sum(axis=1)
    y = (strength * signal + rng.logistic(size=size) * (strength > 0) > 0).astype(int)
    return X, y if strength else rng.integers(0, 2, size)


def tuned(X, y, seeds):
    return {
        name: HonestSearchCV(
            model,
            grid,
            cv=StratifiedKFold(5, shuffle=True, random_state=seed),
            scoring="accuracy",
            keep_predictions=True,
        ).fit(X, y)
        for (name, (model, grid)), seed in zip(FAMILIES.items(), seeds, strict=True)
    }


def measure(problem, number):
    """Errors, and whether the interval holds, by way of reporting."""
    rng = np.random.default_rng([number, list(PROBLEMS).index(problem)])
    X, y = draw(problem, rng, PROBLEMS[problem][0])
    X_new, y_new = draw(problem, rng, N_FRESH)
    found = {}
    for splits, seeds in (("same", (0, 0, 0)), ("different", (0, 1, 2))):
        searches = tuned(X, y, seeds)
        truths = {name: search.score(X_new, y_new) for name, search in searches.items()}
        bare = {name: search.cv_results_ for name, search in searches.items()}
        joined = {"scores and rows": correct(searches)}
        if splits == "same":
            joined["scores alone"] = correct(bare, metric="accuracy")
        else:
            tables = {name: correct(search).table for name, search in searches.items()}
            joined["scores alone"] = correct(
                {name: _without_rows(table) for name, table in tables.items()}
            )
        for kind, report in joined.items():
            truth = truths[report.best_params["search"]]
            low, high = report.interval
            found[splits, kind] = (report.estimate - truth, low <= truth <= high)
        name = max(searches, key=lambda one: searches[one].naive_best_score_)
        printed = searches[name].naive_best_score_ - truths[name]
        found[splits, "printed"] = (printed, np.nan)
        name = max(searches, key=lambda one: searches[one].best_score_)
        low, high = searches[name].report_.interval
        error = searches[name].best_score_ - truths[name]
        found[splits, "each by itself"] = (error, low <= truths[name] <= high)
        fixed = [error_of_all(search, X, y, X_new, y_new) for search in searches.values()]
        found[splits, "a fixed candidate"] = (np.concatenate(fixed).mean(), np.nan)
    return found


def error_of_all(search, X, y, X_new, y_new):
    """Error of the printed score of every candidate."""
    results = search.cv_results_
    truths = [
        clone(search.estimator).set_params(**params).fit(X, y).score(X_new, y_new)
        for params in results["params"]
    ]
    return results["mean_test_score"] - truths


def _without_rows(table):
    """The same scores, of splits that are only known to be others."""
    from dataclasses import replace

    design = replace(table.design, test_share=table.design.test_share + 1e-9 * table.scores.mean())
    return replace(table, rows=None, design=design)


def summary(results):
    lines = [
        "| splits | reported | mean error | its SE | RMSE | 95% interval holds | its SE |",
        "|:--|:--|--:|--:|--:|--:|--:|",
    ]
    for (splits, kind), values in results.items():
        errors, held = 100 * np.array(values).T
        n = len(errors)
        share = "" if np.isnan(held).any() else f"{held.mean():.1f}%"
        error = "" if not share else f"{held.std() / n**0.5:.1f}"
        lines.append(
            f"| {splits} | {kind} | {errors.mean():+.2f} | {errors.std(ddof=1) / n**0.5:.2f} "
            f"| {np.sqrt(np.mean(errors**2)):.2f} | {share} | {error} |"
        )
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=400)
    parser.add_argument("--markdown", type=Path)
    asked = parser.parse_args()
    results, by_problem = defaultdict(list), defaultdict(lambda: defaultdict(list))
    for number in range(asked.draws):
        problem = list(PROBLEMS)[number % len(PROBLEMS)]
        for key, value in measure(problem, number).items():
            results[key].append(value)
            by_problem[problem][key].append(value)
    text = summary(results)
    for problem, found in by_problem.items():
        text += f"\n\n{problem}, {PROBLEMS[problem][0]} rows\n\n{summary(found)}"
    print(text)
    if asked.markdown:
        asked.markdown.write_text(f"# {__doc__}\n{text}\n")


if __name__ == "__main__":
    main()
