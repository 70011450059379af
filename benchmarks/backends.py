"""Searches on the backends of ray and spark: the same numbers as here, and a worker is killed.

    pip install ray joblibspark pyspark        # Spark needs Java 17
    python -m benchmarks.backends ray
    python -m benchmarks.backends spark

Prints what happened; docs/guide/parallel.md says what of it can be relied on. Dask is in the tests.
"""

import argparse
import os
import signal
import sys
import tempfile
import threading
import time
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from joblib import parallel_config
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression

from skmaxev import NestedCVSearch

X, Y = make_classification(200, 6, random_state=0)
GRID = {"C": [0.001, 0.01, 0.1, 1.0, 10.0]}


class Noted(LogisticRegression):
    """Takes its time, and notes the process of every fit."""

    def __init__(self, C=1.0, *, log=None):
        super().__init__(C=C)
        self.log = log

    def fit(self, X, y):
        time.sleep(0.2)
        with Path(self.log).open("a") as file:
            file.write(f"{os.getpid()}\n")
        return super().fit(X, y)


@contextmanager
def ray_backend():
    import ray
    from ray.util.joblib import register_ray

    register_ray()
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    with parallel_config(backend="ray"):
        yield
    ray.shutdown()


@contextmanager
def spark_backend():
    from joblibspark import register_spark
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master("local[2, 4]")  # a task may fail three times
    session = builder.config("spark.ui.enabled", "false").getOrCreate()
    register_spark()
    with parallel_config(backend="spark", n_jobs=2):
        yield
    session.stop()


def fitted(folder, name, *, kill=False, n_jobs=2):
    """Search, and print where the fits were made."""
    log, checkpoint = folder / "log", folder / f"{name}.ckpt"
    log.write_text("")
    model = Noted(log=str(log))
    search = NestedCVSearch(model, GRID, cv=4, n_jobs=n_jobs, refit=False, checkpoint=checkpoint)
    killed = threading.Thread(target=kill_one, args=(log,), daemon=True)
    if kill:
        killed.start()
    start = time.perf_counter()
    search.fit(X, Y)
    seconds = time.perf_counter() - start
    processes = log.read_text().split()
    print(
        f"{name}: {seconds:.1f} s, {search.n_restored_} fits from the checkpoint, "
        f"{len(processes)} made in {len(set(processes))} processes, "
        f"{processes.count(str(os.getpid()))} of them in this one"
    )
    return search


def kill_one(log):
    while len(log.read_text().split()) < 25:
        time.sleep(0.01)
    process = int(log.read_text().split()[-1])
    os.kill(process, signal.SIGKILL)
    print(f"killed worker {process} after 25 fits")


def same(one, other):
    return all(
        np.array_equal(one.cv_results_[key], other.cv_results_[key])
        for key in one.cv_results_
        if key.startswith(("split", "mean_test", "std_test"))
    ) and np.array_equal(one.outer_scores_, other.outer_scores_)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("backend", choices=["ray", "spark"])
    asked = parser.parse_args().backend
    folder = Path(tempfile.mkdtemp())
    here = fitted(folder, "one process", n_jobs=None)
    with {"ray": ray_backend, "spark": spark_backend}[asked]():
        there = fitted(folder, asked)
        print("the same numbers:", same(here, there))
        try:
            there = fitted(folder, f"{asked}, a worker killed", kill=True)
        except Exception as error:  # noqa: BLE001  # that is the question
            print(f"the search ended: {type(error).__name__}: {str(error).strip().splitlines()[0]}")
            there = fitted(folder, f"{asked}, a worker killed")
        print("the same numbers:", same(here, there))


if __name__ == "__main__":
    from benchmarks.backends import main as importable  # by name, so that workers find Noted

    sys.exit(importable())
