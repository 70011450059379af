"""Time the estimators on many tables and on one enormous table, with the memory they take.

python benchmarks/speed/estimators.py
"""

from __future__ import annotations

import argparse
import tracemalloc
from time import perf_counter

import numpy as np

from skmaxev import estimators as est

MANY = (2_000, 10, 300)
WIDE = (10, 100_000)
ON_TABLES = ("maximum", "low_variance_cv", "low_bias_cv", "efron_shrinkage", "tibshirani")


def seconds(function, *args, n_repeats):
    """Return the shortest of several runs."""
    times = []
    for _ in range(n_repeats):
        start = perf_counter()
        function(*args)
        times.append(perf_counter() - start)
    return min(times)


def peak_ratio(function, table):
    """Return the peak of the memory taken, in sizes of the table."""
    tracemalloc.start()
    function(table)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / table.nbytes


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=3)
    n_repeats = parser.parse_args().repeats
    rng = np.random.default_rng(0)
    for shape in (MANY, WIDE):
        table = rng.normal(size=shape)
        print(f"table of {shape}: seconds, peak memory in sizes of the table")
        for name in ON_TABLES:
            function = getattr(est, name)
            spent = seconds(function, table, n_repeats=n_repeats)
            print(f"  {name:18}{spent:8.3f}{peak_ratio(function, table):8.1f}", flush=True)
    for n in (2, 300, 10_000):
        means, errors = rng.normal(size=n), rng.uniform(0.01, 1, size=n)
        print(f"{n} variables: seconds")
        for name in ("bayesian_maximum", "weighted_maximum"):
            print(
                f"  {name:22}{seconds(getattr(est, name), means, errors, n_repeats=n_repeats):8.3f}"
            )
        won = rng.integers(0, 1000, size=n)
        spent = seconds(est.bayesian_maximum_beta, won, 1000, n_repeats=n_repeats)
        print(f"  {'bayesian_maximum_beta':22}{spent:8.3f}", flush=True)


if __name__ == "__main__":
    main()
