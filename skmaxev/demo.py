"""The main job on real data: a search's printed and honest score against fresh rows."""

from __future__ import annotations

import time

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import StratifiedKFold, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from skmaxev.report import SelectionReport
from skmaxev.search import HonestSearchCV, NestedCVSearch

__all__ = ["run_demo", "search_and_judge"]

_GRID = {"svc__C": np.logspace(-1, 3, 6), "svc__gamma": np.logspace(-4, 0, 6)}
_TRUTH = "True, on the fresh rows"

_BEFORE = """Is the best score of a search true?

Breast cancer data, 569 rows. A search sees 50 of them and tunes a pipeline (scaling,
support vector machine) over 36 candidates by 5-fold cross-validation. The rows it never
saw then tell how good its winner really is. Repeated for draw after draw:
"""
_AFTER = """
Your own search:  HonestSearchCV(model, grid)  in place of  GridSearchCV(model, grid),
or of one that is over:  skmaxev.correct(search)  or  skmaxev correct cv_results.csv"""


def search_and_judge(seed: int, *, nested: bool) -> tuple[SelectionReport, dict[str, float]]:
    """Tune on 50 rows drawn anew and judge the winner on all others: the report, and scores."""
    X, y = load_breast_cancer(return_X_y=True)
    seen, fresh = train_test_split(np.arange(len(y)), train_size=50, random_state=seed)
    model = make_pipeline(StandardScaler(), SVC())
    folds = StratifiedKFold(5, shuffle=True, random_state=seed)
    search = HonestSearchCV(model, _GRID, cv=folds).fit(X[seen], y[seen])
    report = search.report_
    scores = {
        "Printed by GridSearchCV": report.naive,
        "Honest score, no extra fits": report.estimate,
        _TRUTH: float(search.score(X[fresh], y[fresh])),
    }
    if nested:
        again = NestedCVSearch(model, _GRID, cv=folds, refit=False).fit(X[seen], y[seen])
        scores["Nested CV, 3 times the fits"] = float(again.best_score_)
    return report, scores


def run_demo(*, n_searches: int = 60, seconds: float = 45.0, nested: bool = False) -> None:
    """Tune a pipeline on small draws of real rows and print what its best score was worth.

    Parameters
    ----------
    n_searches : int
        Searches to make, each on 50 rows drawn anew.
    seconds : float
        Time after which no further search begins.
    nested : bool
        Make nested cross-validation too, at three times the fits.
    """
    print(_BEFORE, flush=True)
    begin = time.monotonic()
    found: list[tuple[SelectionReport, dict[str, float]]] = []
    while len(found) < n_searches and (not found or time.monotonic() - begin < seconds):
        found.append(search_and_judge(len(found), nested=nested))
        print(".", end="" if len(found) % 60 else "\n", flush=True)
    print("\n\nThe first of these searches:\n")
    print("\n".join(f"  {line}".rstrip() for line in str(found[0][0]).splitlines()))
    print(_comparison({name: np.array([s[name] for _, s in found]) for name in found[0][1]}))
    print(_AFTER)


def _comparison(scores: dict[str, NDArray[np.float64]]) -> str:
    """Set each score beside the true one."""
    truth = scores.pop(_TRUTH)
    size = len(truth)
    lines = [
        f"\nAccuracy over {size} searches:\n",
        f"  {'':<30}{'mean':>7}{'off by':>10}{'error':>8}",
    ]
    for name, values in scores.items():
        off = values - truth
        error = f"{off.std(ddof=1) / np.sqrt(size):>8.3f}" if size > 1 else ""
        lines.append(f"  {name:<30}{values.mean():>7.3f}{off.mean():>+10.3f}{error}")
    return "\n".join([*lines, f"  {_TRUTH:<30}{truth.mean():>7.3f}"])
