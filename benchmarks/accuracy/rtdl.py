"""Corrections on real searches whose candidates really differ: 3 of 15 seeds stand for the splits.

    python -m benchmarks.accuracy.rtdl PATH/val_test_rtdl.csv      # about a minute

The file holds the validation and test scores of up to 15 configurations on 11 data sets, for 15
seeds (https://github.com/yandex-research/rtdl-revisiting-models). Each round draws three seeds,
takes the configuration with the best mean validation score, and compares every estimate with that
configuration's mean validation score over all seeds, over the other twelve, and with its mean test
score. Errors are in units of the data set's own noise, so that no data set weighs more by
its scale. Seeds are independent, which the consensus tells by the noise that candidates share.
"""

from __future__ import annotations

import argparse
import csv
import json
from collections import defaultdict
from pathlib import Path

import numpy as np

from skmaxev.estimators import (
    consensus,
    efron_shrinkage,
    low_variance_cv,
    maximum,
    residual_noise,
    tibshirani,
)

METHODS = {
    "naive": maximum,
    "LVCV": low_variance_cv,
    "EB": efron_shrinkage,
    "mean of LVCV and EB": lambda s: (low_variance_cv(s) + efron_shrinkage(s)) / 2,
    "TT": tibshirani,
    "consensus": consensus,
}
AIMS = ("all seeds", "other seeds", "test")


def read(path):
    """Return (validation, test) tables of shape (n_seeds, n_configurations) by data set."""
    cells = defaultdict(lambda: defaultdict(dict))
    with path.open(newline="") as lines:
        for row in csv.DictReader(lines):
            pair = float(row["val_score"]), float(row["test_score"])
            cells[row["dataset"]][row["model"], row["setting"]][int(row["seed"])] = pair
    tables = {}
    for name, runs in cells.items():
        most = max(len(seeds) for seeds in runs.values())
        full = [[seeds[k] for k in sorted(seeds)] for seeds in runs.values() if len(seeds) == most]
        tables[name] = np.array(full).transpose(2, 1, 0)
    return tables


def errors(validation, test, n_rounds, rng):
    """Return errors of shape (n_rounds, n_methods, n_aims) in units of the noise of a mean."""
    n_seeds = len(validation)
    found = np.empty((n_rounds, len(METHODS), len(AIMS)))
    for i in range(n_rounds):
        drawn = np.isin(np.arange(n_seeds), rng.choice(n_seeds, 3, replace=False))
        scores = validation[drawn]
        winner = scores.mean(axis=0).argmax()
        aims = [table[:, winner].mean() for table in (validation, validation[~drawn], test)]
        values = np.array([method(scores) for method in METHODS.values()])
        found[i] = values[:, np.newaxis] - aims
    return found / np.sqrt(residual_noise(validation) * n_seeds / 3)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("path", type=Path)
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    rng = np.random.default_rng(0)
    by_data = {
        name: errors(*tables, options.rounds, rng) for name, tables in read(options.path).items()
    }
    rms = {name: np.sqrt((e**2).mean(axis=0)) for name, e in by_data.items()}
    pooled = np.sqrt(np.mean([r**2 for r in rms.values()], axis=0))
    bias = np.mean([e.mean(axis=0) for e in by_data.values()], axis=0)
    print(f"{'RMS error (bias), against':24s}" + "".join(f"{aim:>20s}" for aim in AIMS))
    for row, method in enumerate(METHODS):
        cells = zip(pooled[row], bias[row], strict=True)
        print(f"{method:24s}" + "".join(f"{r:12.3f} ({b:+.2f})" for r, b in cells))
    print("\nRMS error against all seeds\n" + " " * 24 + " ".join(f"{m:>19s}" for m in METHODS))
    for name, r in rms.items():
        print(f"{name:24s}" + " ".join(f"{value:19.3f}" for value in r[:, 0]))
    if options.json:
        options.json.write_text(json.dumps({name: r.tolist() for name, r in rms.items()}, indent=1))


if __name__ == "__main__":
    main()
