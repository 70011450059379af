"""When a pool is started, and how fits are bundled for it."""

import time

import numpy as np
import pytest
from joblib import parallel_config
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import make_classification
from sklearn.model_selection import KFold

from skmaxev.engine import run as engine
from skmaxev.engine.fitting import Job
from skmaxev.engine.plan import as_splits, make_plan

X, Y = make_classification(60, 4, random_state=0)


class Slow(ClassifierMixin, BaseEstimator):
    def __init__(self, seconds=0.0, shift=0.0):
        self.seconds, self.shift = seconds, shift

    def fit(self, X, y):
        time.sleep(self.seconds)
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return (X[:, 0] > self.shift).astype(int)

    def score(self, X, y):
        return float(np.mean(self.predict(X) == y))


def score(model, X, y):
    return model.score(X, y)


@pytest.fixture
def pools(monkeypatch):
    """Count the pools that are started, and run them in this process."""
    started = []

    def pool(**options):
        started.append(options)
        return lambda tasks: [function(*args, **kwargs) for function, args, kwargs in tasks]

    monkeypatch.setattr(engine, "Parallel", pool)
    monkeypatch.setattr(engine, "needs_processes", lambda _: True)
    monkeypatch.setattr(engine, "pool_is_warm", lambda: False)
    monkeypatch.setattr(engine, "delayed", lambda function: lambda *args: (function, args, {}))
    return started


def made(n_candidates, seconds=0.0, **options):
    plan = make_plan(as_splits(KFold(3).split(X), len(X)))
    candidates = [{"shift": k / n_candidates} for k in range(n_candidates)]
    job = Job(estimator=Slow(seconds), scorer=score, n_candidates=n_candidates)
    pairs = engine.all_pairs(plan, n_candidates)
    fits = list(engine.run(job, X, Y, pairs, units=plan.units, candidates=candidates, **options))
    assert sorted((fit.unit, fit.candidate) for fit in fits) == sorted(pairs)
    return {(fit.unit, fit.candidate): fit.judged[0].scores for fit in fits}


def test_without_n_jobs_no_pool_is_ever_started(pools, monkeypatch):
    def forbidden(**_):
        raise AssertionError("a pool was started")

    monkeypatch.setattr(engine, "Parallel", forbidden)
    made(4)
    made(4, n_jobs=1)


def test_work_that_does_not_pay_for_a_pool_stays_here(pools, monkeypatch):
    handed_out = []
    monkeypatch.setattr(engine, "fit_task", lambda *task: handed_out.append(task) or [])
    made(5, n_jobs=2)
    assert handed_out == []


def test_a_pool_is_started_as_soon_as_it_pays_and_changes_no_number(pools, monkeypatch):
    expected = made(30)
    monkeypatch.setattr(engine, "COLD_START", 0.0)
    assert made(30, n_jobs=2) == expected
    assert len(pools) == 1


@pytest.mark.parametrize(
    ("seconds", "n_fits", "size"), [(0.0, 100, 1), (0.001, 4000, 50), (0.001, 160, 10), (1, 99, 1)]
)
def test_tasks_fill_a_set_time_but_leave_enough_for_every_worker(seconds, n_fits, size):
    assert engine._task_size(seconds, n_fits, 2) == size


def test_threads_give_the_same_numbers():
    expected = made(8)
    with parallel_config(backend="threading", n_jobs=2):
        assert made(8) == expected
