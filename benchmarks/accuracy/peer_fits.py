"""Searches made anew for `peers.py`, and the tools that fit models again, beside ours."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from types import SimpleNamespace
from typing import Any

import numpy as np
from scipy import special, stats
from sklearn.base import BaseEstimator, clone
from sklearn.metrics import accuracy_score, get_scorer, roc_auc_score
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_score
from sklearn.svm import SVC

from benchmarks.accuracy.intervals import around_mean
from benchmarks.accuracy.make_bank import LEAST_FOR_TEN, SEED, TEN_FOLDS
from benchmarks.accuracy.problems import CLASSES, CLASSIFIERS, FRESH, standardised
from skmaxev import ShrunkSearchCV, correct

TAIL = 0.025
NAN = float("nan")
AFTER = ("ours, table", "printed best score, normal", "mlxtend: .632", "mlxtend: .632+")
"""Take a finished search, whose seconds come on top."""

Answer = tuple[float, float, float]
"""Estimate and both ends of the interval; NaN where a tool gives none."""
Method = Callable[[Any], Answer]


@dataclass(frozen=True)
class Made:
    """A search to be made: its rows, and the other rows, which tell the truth."""

    X: np.ndarray
    y: np.ndarray
    other: tuple[np.ndarray, np.ndarray]
    estimator: BaseEstimator
    grid: Any
    folds: StratifiedKFold
    metric: str

    @cached_property
    def finished(self) -> tuple[GridSearchCV, float]:
        """Search once for all tools that take a finished search; its seconds of CPU."""
        start = time.process_time()
        return plain(self).fit(self.X, self.y), time.process_time() - start


class SVCWithChances(SVC):
    """Support vector machine for tools that demand probabilities; ranks and predicts as SVC."""

    def predict_proba(self, X: np.ndarray) -> np.ndarray:
        chance = special.expit(self.decision_function(X))
        return np.column_stack([1 - chance, chance])


def answer_of(report: Any) -> Answer:
    return report.estimate, *report.interval


def printed(search: Any) -> Answer:
    """Take the best score as it is, with the normal interval."""
    scores = search.scores[:, search.scores.mean(axis=0).argmax()]
    return scores.mean(), *around_mean(scores, stats.norm.ppf(1 - TAIL))


def from_folds(scores: np.ndarray) -> Answer:
    """Average the scores of the outer folds, with the t interval."""
    return scores.mean(), *around_mean(scores, stats.t.ppf(1 - TAIL, len(scores) - 1))


def installed(optional: dict[str, tuple[str, Callable[[], Method]]]) -> dict[str, Method]:
    """Import each tool; name those that are missing."""
    found = {}
    for name, (package, build) in optional.items():
        try:
            found[name] = build()
        except ImportError:
            print(f"{name} is left out, not installed: pip install {package}")
    return found


def draw(number: int, metric: str) -> Made:
    """Draw the rows of a search as `make_bank.py` does."""
    name = list(CLASSES)[number % len(CLASSES)]
    kind = list(CLASSIFIERS)[number % len(CLASSIFIERS)]
    source, family = CLASSES[name], CLASSIFIERS[kind]
    rng = np.random.default_rng([SEED, 1, number])
    n = int(np.exp(rng.uniform(np.log(source.least), np.log(source.most + 1))))
    n_folds = 10 if n >= LEAST_FOR_TEN and rng.random() < TEN_FOLDS else 5
    seed = int(rng.integers(2**31))
    X, y = standardised(source.make(n + FRESH, seed), classes=True)
    order = rng.permutation(len(y))
    mine, other = order[:n], order[n:]
    model = SVCWithChances() if kind == "svc" else family.estimator
    folds = StratifiedKFold(n_folds, shuffle=True, random_state=seed)
    return Made(X[mine], y[mine], (X[other], y[other]), model, family.grid, folds, metric)


def plain(made: Made) -> GridSearchCV:
    return GridSearchCV(made.estimator, made.grid, scoring=made.metric, cv=made.folds)


def ours_kept(made: Made) -> Answer:
    """Search with the grid search of this package, which keeps rows, and correct it."""
    search = ShrunkSearchCV(made.estimator, made.grid, scoring=made.metric, cv=made.folds)
    return answer_of(correct(search.fit(made.X, made.y), level=1 - 2 * TAIL))


def ours_after(made: Made) -> Answer:
    """Correct a finished search of scikit-learn."""
    return answer_of(correct(made.finished[0], level=1 - 2 * TAIL))


def printed_after(made: Made) -> Answer:
    return printed(SimpleNamespace(scores=scores_of(made.finished[0])))


def scores_of(search: GridSearchCV) -> np.ndarray:
    names = [f"split{index}_test_score" for index in range(search.n_splits_)]
    return np.array([search.cv_results_[name] for name in names])


def recipe(made: Made) -> Answer:
    """Nest as scikit-learn's documentation does."""
    return from_folds(
        cross_val_score(plain(made), made.X, made.y, scoring=made.metric, cv=made.folds)
    )


def nestkit_nested() -> Method:
    from nestkit import NestedCVClassifier

    def method(made: Made) -> Answer:
        search = NestedCVClassifier(
            made.estimator,
            made.grid,
            scoring=made.metric,
            outer_cv=made.folds,
            inner_cv=made.folds,
            random_state=0,
        )
        summary = search.fit(made.X, made.y).results_.summary_default_.set_index("metric")
        row = summary.loc[made.metric]
        return row["mean"], row["ci_lower"], row["ci_upper"]

    return method


def nested_cv() -> Method:
    """The best-known name; its folds are not stratified and come from NumPy's global state."""
    from nested_cv import NestedCV

    def method(made: Made) -> Answer:
        metric = accuracy_score if made.metric == "accuracy" else roc_auc_score
        options = {
            "metric": metric,
            "metric_score_indicator_lower": False,
            "predict_proba": made.metric == "roc_auc",
        }
        np.random.seed(0)  # noqa: NPY002
        sizes = {"outer_kfolds": made.folds.n_splits, "inner_kfolds": made.folds.n_splits}
        model = clone(made.estimator)
        search = NestedCV(model, made.grid, **sizes, cv_options=options)
        search.fit(made.X, made.y)
        return float(np.mean(search.outer_scores)), NAN, NAN

    return method


def mlxtend_bootstrap(kind: str, resamples: int) -> Callable[[], Method]:
    """Mean and percentiles of a bootstrap of the winner alone."""

    def build() -> Method:
        from mlxtend.evaluate import bootstrap_point632_score

        def method(made: Made) -> Answer:
            best = made.finished[0].best_estimator_
            ranks = made.metric == "roc_auc"
            found = bootstrap_point632_score(
                best,
                made.X,
                made.y,
                n_splits=resamples,
                method=kind,
                scoring_func=roc_auc_score if ranks else accuracy_score,
                predict_proba=ranks,
                random_seed=0,
            )
            return found.mean(), *np.percentile(found, [100 * TAIL, 100 - 100 * TAIL])

        return method

    return build


def known(made: Made) -> SimpleNamespace:
    """Score all candidates on the search's folds and, refitted, on the other rows."""
    search = made.finished[0]
    scorer, truth = get_scorer(made.metric), []
    for settings in search.cv_results_["params"]:
        model = clone(made.estimator).set_params(**clone(settings, safe=False))
        truth.append(scorer(model.fit(made.X, made.y), *made.other))
    return SimpleNamespace(scores=scores_of(search), truth=np.array(truth))


def on_made(metric: str, resamples: int, *, nested: bool) -> dict[str, Method]:
    """Collect what is installed."""
    found = {
        "ours, rows": ours_kept,
        "ours, table": ours_after,
        "printed best score, normal": printed_after,
        "nested, t": recipe,
    }
    optional = {
        "mlxtend: .632": ("mlxtend", mlxtend_bootstrap(".632", resamples)),
        "mlxtend: .632+": ("mlxtend", mlxtend_bootstrap(".632+", resamples)),
    }
    if nested:
        optional["nestkit: nested, Nadeau-Bengio"] = ("nestkit", nestkit_nested)
        optional["nested-cv"] = ("nested-cv", nested_cv)
    if metric != "accuracy":
        # Its rate without information is defined for errors of single rows.
        del optional["mlxtend: .632+"]
    return found | installed(optional)
