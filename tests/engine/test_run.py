"""Where fits are made, and that it changes no number."""

import os

import numpy as np
import pytest
from joblib import parallel_config
from recorders import Located, Slow, lines, own_score
from sklearn.datasets import make_classification
from sklearn.model_selection import KFold

from skmaxev.engine import run as engine
from skmaxev.engine.plan import make_plan
from skmaxev.engine.splits import as_splits
from skmaxev.engine.types import Job

X, Y = make_classification(60, 4, random_state=0)


def made(n_candidates, estimator=None, **options):
    plan = make_plan(as_splits(KFold(3).split(X), len(X)))
    candidates = [{"shift": k / n_candidates} for k in range(n_candidates)]
    job = Job(estimator=estimator or Slow(), scorer=own_score, n_candidates=n_candidates)
    pairs = plan.pairs(n_candidates)
    fits = list(engine.run(job, X, Y, pairs, units=plan.units, candidates=candidates, **options))
    assert sorted((fit.unit, fit.candidate) for fit in fits) == sorted(pairs)
    return {(fit.unit, fit.candidate): fit.judged[0].scores for fit in fits}


def processes(log):
    return {int(line) for line in lines(log)}


@pytest.mark.parametrize("options", [{}, {"n_jobs": 1}])
def test_without_workers_every_fit_is_made_here(tmp_path, options):
    log = str(tmp_path / "log")
    expected = {
        (unit, k): np.mean((X[test, 0] > k / 4) == Y[test])
        for unit, (_, test) in enumerate(KFold(3).split(X))
        for k in range(4)
    }
    assert made(4, Located(log=log), **options) == expected
    assert processes(log) == {os.getpid()}


def test_with_workers_no_fit_is_made_in_the_process_of_the_caller(tmp_path):
    log = str(tmp_path / "log")
    assert made(8, Located(log=log), n_jobs=2) == made(8)
    assert os.getpid() not in processes(log)


def test_a_backend_that_is_named_gets_every_fit(tmp_path):
    log = str(tmp_path / "log")
    with parallel_config(backend="loky", n_jobs=2):
        assert made(5, Located(log=log)) == made(5)
    assert os.getpid() not in processes(log)


def test_threads_give_the_same_numbers():
    expected = made(8)
    with parallel_config(backend="threading", n_jobs=2):
        assert made(8) == expected


def test_a_single_fit_goes_to_a_worker_too(tmp_path):
    log = str(tmp_path / "log")
    plan = make_plan(as_splits(KFold(2).split(X), len(X)))
    job = Job(estimator=Located(log=log), scorer=own_score, n_candidates=1)
    (fit,) = engine.run(job, X, Y, [(0, 0)], units=plan.units, candidates=[{}], n_jobs=2)
    assert fit.judged[0].n_rows == 30
    assert os.getpid() not in processes(log)
