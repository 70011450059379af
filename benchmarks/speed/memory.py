"""Peak memory of a search over many candidates: ``python -m benchmarks.speed.memory``.

Each search runs in a process of its own, since a peak never falls; what Python and the imports
take is measured too, and is in all of them.
"""

from __future__ import annotations

import subprocess
import sys

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import make_classification
from sklearn.model_selection import GridSearchCV

import skmaxev
from benchmarks.speed.measure import peak_megabytes

SEARCHES = {
    "GridSearchCV": GridSearchCV,
    "HonestSearchCV": skmaxev.HonestSearchCV,
    "ShrunkSearchCV": skmaxev.ShrunkSearchCV,
}


class Cut(ClassifierMixin, BaseEstimator):
    """Cuts the first column: next to no time and no memory of its own."""

    def __init__(self, at: float = 0.0) -> None:
        self.at = at

    def fit(self, X: np.ndarray, y: np.ndarray) -> Cut:  # noqa: ARG002  # as any `fit`
        self.classes_ = np.unique(y)
        return self

    def predict(self, X: np.ndarray) -> np.ndarray:
        return self.classes_[(X[:, 0] > self.at).astype(int)]


def in_a_fresh_process(name: str, n_candidates: int) -> float:
    """Search in a process of its own; give its peak."""
    command = [sys.executable, "-m", "benchmarks.speed.memory", name, str(n_candidates)]
    return float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)  # noqa: S603


def search(name: str, n_candidates: int) -> float:
    """Search on 60 rows with five folds; give the peak of this process."""
    X, y = make_classification(60, 4, random_state=0)
    if n_candidates:
        SEARCHES[name](Cut(), {"at": np.linspace(-1, 1, n_candidates)}, cv=5).fit(X, y)
    return peak_megabytes()


def main(n_candidates: int = 20_000) -> None:
    """Print the peak of each search, and its ratio to that of ``GridSearchCV``."""
    print(f"imports alone: {in_a_fresh_process('GridSearchCV', 0):.0f} MB")
    peaks = {name: in_a_fresh_process(name, n_candidates) for name in SEARCHES}
    for name, peak in peaks.items():
        times = peak / peaks["GridSearchCV"]
        print(f"{name:<16}{n_candidates:>8,} candidates {peak:>6.0f} MB {times:>6.2f}x")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        print(search(sys.argv[1], int(sys.argv[2])))
    else:
        main()
