"""How much of their noise the candidates of a grid share, which planning has to assume.

    python -m benchmarks.planning

Every candidate is trained on the same sample and judged on rows that none of them saw. The noise
of a score is that of the rows: what two candidates share of it is the correlation of their rights
and wrongs over the rows, pooled over the pairs of the better half of a grid, which one of them
wins. A minute.
"""

from __future__ import annotations

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import ParameterGrid

from benchmarks.accuracy.problems import CLASSES, CLASSIFIERS, FRESH


def shared(source, family, seed):
    X, y = source.make(FRESH, seed)
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(y))[:FRESH]
    train, test = order[: source.most], order[source.most :]
    scaled = (X - X.mean(axis=0)) / np.maximum(X.std(axis=0), 1e-12)
    right = []
    for params in ParameterGrid(family.grid):
        model = clone(family.estimator).set_params(**params).fit(scaled[train], y[train])
        right.append(model.predict(scaled[test]) == y[test])
    right = np.array(right, dtype=float)
    better = right[right.mean(axis=1) >= np.median(right.mean(axis=1))]
    covariance = np.cov(better)
    n, own = len(better), np.trace(covariance)
    return (covariance.sum() - own) / (n - 1) / own if own else 1.0


def main():
    print("| grid | least | median | most |\n|:--|--:|--:|--:|")
    every = []
    for name, family in CLASSIFIERS.items():
        found = [shared(source, family, seed) for source in CLASSES.values() for seed in (0, 1)]
        every += found
        ends = np.quantile(found, [0, 0.5, 1])
        print(f"| {name} | " + " | ".join(f"{value:.2f}" for value in ends) + " |", flush=True)
    ends = np.quantile(every, [0.05, 0.5, 0.95])
    print(f"\nOf all {len(every)}, 90% lie between {ends[0]:.2f} and {ends[2]:.2f}.")


if __name__ == "__main__":
    main()
