"""Compare random searches of this checkout with those of another, number by number.

    python -m benchmarks.equality --against ../other-checkout
    python -m benchmarks.equality --against ../other-checkout --searches 1000 --seed 7

Each side runs the same searches in a process of its own: grids, splitters, metrics, workers.
``best_score_`` follows the statistics, so its differences are counted and do not fail; everything
else is compared to the last bit.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import warnings
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

FREE = "best_score_"
"""What may differ, since it is what the statistics say of the same scores."""


def draw(seed: int) -> tuple[str, dict[str, Any], dict[str, Any], tuple[Any, ...]]:
    """Draw one search: its class, how it is made, how it is fitted, the data."""
    from sklearn.datasets import make_classification
    from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier
    from sklearn.feature_selection import SelectKBest
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import (
        GroupKFold,
        KFold,
        RepeatedStratifiedKFold,
        ShuffleSplit,
        StratifiedKFold,
    )
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.tree import DecisionTreeClassifier

    rng = np.random.default_rng(seed)

    def one(values):
        return values[rng.integers(len(values))]

    n_rows = int(rng.integers(40, 90))
    X, y = make_classification(n_rows, 6, flip_y=0.3, random_state=seed)
    model, grid = one(
        [
            (DecisionTreeClassifier(random_state=0), {"max_depth": [1, 2, 5, None]}),
            (RandomForestClassifier(5, random_state=0), {"n_estimators": [2, 5, 9]}),
            (GradientBoostingClassifier(random_state=0), {"n_estimators": [3, 8]}),
            (
                make_pipeline(StandardScaler(), SelectKBest(), LogisticRegression()),
                {"selectkbest__k": [2, 4], "logisticregression__C": [0.01, 1.0, 100.0]},
            ),
        ]
    )
    cv = one(
        [
            3,
            KFold(4, shuffle=True, random_state=1),
            StratifiedKFold(5, shuffle=True, random_state=0),
            RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=0),
            ShuffleSplit(4, random_state=0),
            GroupKFold(3),
        ]
    )
    kind = one(["NestedCVSearch", "LowVarianceCVSearch", "ShrunkSearchCV"])
    options = {
        "estimator": model,
        "param_grid": grid,
        "cv": cv,
        "scoring": one([None, "roc_auc", "f1", "neg_log_loss", "balanced_accuracy"]),
        "n_jobs": one([None, None, 2]),
        "return_train_score": one([False, True]),
    }
    fit = {"groups": np.arange(n_rows) % 8} if isinstance(cv, GroupKFold) else {}
    return kind, options, fit, (X, y)


def run(seed: int) -> dict[str, Any]:
    """Make one search; give what it found, or its error, as plain values."""
    import skmaxev

    kind, options, fit, data = draw(seed)
    try:
        search = getattr(skmaxev, kind)(**options).fit(*data, **fit)
    except Exception as error:  # noqa: BLE001  # an error is an outcome that both sides share
        return {"search": kind, "error": f"{type(error).__name__}: {error}"}
    found = {
        name: np.asarray(values).astype(float).tolist()
        for name, values in search.cv_results_.items()
        if "test_" in name or "train_" in name
    }
    for name in ("naive_best_score_", "best_index_", "outer_scores_", "n_fits_", FREE):
        if hasattr(search, name):
            found[name] = np.asarray(getattr(search, name), dtype=float).tolist()
    return {"search": kind, **found}


def other_side(checkout: Path, n_searches: int, seed: int) -> list[dict[str, Any]]:
    arguments = ["--searches", str(n_searches), "--seed", str(seed), "--tell"]
    done = subprocess.run(  # noqa: S603
        [sys.executable, str(Path(__file__).resolve()), *arguments],
        env={**os.environ, "PYTHONPATH": str(checkout.resolve())},
        stdout=subprocess.PIPE,
        check=True,
    )
    place, found = json.loads(done.stdout)
    if Path(place).parents[1] != checkout.resolve():
        raise RuntimeError(f"skmaxev must come from {checkout}; it came from {place}.")
    return list(found)


def differences(one: dict[str, Any], other: dict[str, Any]) -> list[str]:
    """Name what differs; NaN equals NaN."""
    return [
        name
        for name in sorted({*one, *other})
        if json.dumps(one.get(name)) != json.dumps(other.get(name))
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--against", type=Path, help="another checkout")
    parser.add_argument("--searches", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0, help="of the first search")
    parser.add_argument("--tell", action="store_true", help=argparse.SUPPRESS)  # one side's work
    options = parser.parse_args()
    if options.tell:
        import skmaxev

        warnings.simplefilter("ignore")
        seeds = range(options.seed, options.seed + options.searches)
        print(json.dumps([skmaxev.__file__, [run(seed) for seed in seeds]]))
        return
    here = Path(__file__).parents[1]
    sides = (other_side(side, options.searches, options.seed) for side in (here, options.against))
    counts: Counter[str] = Counter()
    for seed, (ours, theirs) in enumerate(zip(*sides, strict=True), start=options.seed):
        names = differences(ours, theirs)
        counts.update(names)
        if set(names) - {FREE}:
            print(f"seed {seed}, {ours['search']}: {', '.join(names)}")
    print(f"{options.searches} searches; that differ: {dict(counts) or 'none'}")
    sys.exit(bool(set(counts) - {FREE}))


if __name__ == "__main__":
    main()
