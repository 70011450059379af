"""Time bootstrap bias correction on many rows, with the memory that the process takes.

    python benchmarks/speed/resampling.py                        # 100,000 rows, 200 candidates
    python benchmarks/speed/resampling.py --rows 10000 --quick   # one case

Seconds of processor time on one core, for candidates alike (all can win a resample) and for
candidates that differ (most are dropped). Beside them those of the plain way: index the rows of a
resample and average, measured on a few resamples.
"""

from __future__ import annotations

import argparse
import resource
from time import process_time

import numpy as np

from skmaxev.estimators import bbc, bbc_folds

PLAIN_RESAMPLES = 5


def right_predictions(rng, n_rows, n_candidates, spread):
    """Draw predictions that are right on the same rows for the most part."""
    chances = 0.8 + spread * rng.standard_normal(n_candidates)
    common = rng.random((n_rows, 1))
    return 0.7 * common + 0.3 * rng.random((n_rows, n_candidates)) < chances


def plain(values, rng):
    """Resample by indexing, one resample at a time."""
    for _ in range(PLAIN_RESAMPLES):
        drawn = rng.integers(0, len(values), len(values))
        left_out = np.ones(len(values), dtype=bool)
        left_out[drawn] = False
        values[left_out, values[drawn].mean(axis=0).argmax()].mean()


def timed(function):
    start = process_time()
    result = function()
    return process_time() - start, result


def peak_gigabytes():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--candidates", type=int, default=200)
    parser.add_argument("--resamples", type=int, default=1000)
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args()
    size, n_resamples = (options.rows, options.candidates), options.resamples
    rng = np.random.default_rng(0)
    print(f"{size[0]} rows, {size[1]} candidates, {n_resamples} resamples")
    for spread in (0.0,) if options.quick else (0.0, 0.01):
        values = right_predictions(rng, *size, spread)
        seconds, result = timed(lambda table=values: bbc(table, n_resamples=n_resamples, rng=0))
        slow, _ = timed(lambda table=values: plain(table.astype(float), rng))
        slow *= n_resamples / PLAIN_RESAMPLES
        print(f"accuracy, spread {spread}: {seconds:.1f} s, the plain way {slow:.0f} s")
        print(f"  {result}, peak {peak_gigabytes():.2f} GB")
    folds = rng.random((10, 100_000))
    seconds, _ = timed(lambda: bbc_folds(folds, n_resamples=n_resamples, rng=0))
    print(f"over 10 folds, 100,000 candidates: {seconds:.1f} s")


if __name__ == "__main__":
    main()
