"""When a pool is started, and how fits are bundled for it."""

import time

import numpy as np
import pytest
from joblib import Parallel, parallel_config
from joblib import delayed as joblib_delayed
from recorders import Slow, own_score
from sklearn.datasets import make_classification
from sklearn.model_selection import GridSearchCV, KFold

from skmaxev import _compat
from skmaxev.engine import paying
from skmaxev.engine import run as engine
from skmaxev.engine.fitting import Job
from skmaxev.engine.plan import as_splits, make_plan

X, Y = make_classification(60, 4, random_state=0)


@pytest.fixture
def pools(monkeypatch):
    """Count the pools that are started, and run them in this process."""
    started = []

    def pool(**options):
        started.append(options)
        return lambda tasks: [function(*args, **kwargs) for function, args, kwargs in tasks]

    monkeypatch.setattr(engine, "Parallel", pool)
    monkeypatch.setattr(engine, "needs_processes", lambda _: True)
    monkeypatch.setattr(paying, "pool_is_warm", lambda _: False)
    monkeypatch.setattr(paying, "pool_is_there", lambda _: False)
    monkeypatch.setattr(paying, "cpu_count", lambda: 2)
    monkeypatch.setattr(paying, "is_compiled", lambda: True)
    monkeypatch.setattr(engine, "delayed", lambda function: lambda *args: (function, args, {}))
    return started


def made(n_candidates, seconds=0.0, **options):
    plan = make_plan(as_splits(KFold(3).split(X), len(X)))
    candidates = [{"shift": k / n_candidates} for k in range(n_candidates)]
    job = Job(estimator=Slow(seconds), scorer=own_score, n_candidates=n_candidates)
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
    handed_out = []
    make = engine.fit_task
    monkeypatch.setattr(engine, "fit_task", lambda *task: handed_out.append(task) or make(*task))
    for start in ("COLD_START", "FOREIGN_START", "LONG_FIT", "SHORTEST_LOOK"):
        monkeypatch.setattr(paying, start, 0.0)
    assert made(30, n_jobs=2) == expected
    assert sum(len(task.candidates) for *_, task in handed_out) == 89


def test_a_backend_that_is_named_gets_every_fit(pools, monkeypatch):
    expected, handed_out, make = made(5), [], engine.fit_task
    monkeypatch.setattr(engine, "fit_task", lambda *task: handed_out.append(task) or make(*task))
    with parallel_config(n_jobs=2):
        assert made(5) == expected
    assert handed_out == []
    with parallel_config(backend="loky", n_jobs=2):
        assert made(5) == expected
    assert sum(len(task.candidates) for *_, task in handed_out) == 15


def meter_after(seconds, *, n_fits, n_workers=2, processor=1.0):
    """A meter that has seen fits take so many seconds, and a share of the processor."""
    meter = paying.Meter(n_fits, n_workers)
    for one in seconds:
        meter._add(one, one * processor)
    return meter


@pytest.mark.parametrize(
    ("seconds", "n_fits", "pays"),
    [
        ([0.05] + [0.001] * 120, 4200, False),  # 4 s: shared by two, it saves half of the start
        ([0.05] + [0.001] * 120, 8400, True),
        ([0.05] + [0.001] * 40, 60_000, False),  # too early to say
        ([1.9], 100, False),  # the first fit may be an import
        ([2.1], 100, True),
        ([1.9, 1.0], 100, True),
        ([60.0], 2, True),
        ([60.0], 1, False),
    ],
)
def test_a_pool_pays_if_it_saves_more_than_its_start(pools, seconds, n_fits, pays):
    assert meter_after(seconds, n_fits=n_fits).pool_pays() == pays


def test_a_busy_machine_and_more_workers_than_processors_make_a_start_longer(pools):
    fits = [0.001] * 120
    assert meter_after(fits, n_fits=10_000).pool_pays()
    assert not meter_after(fits, n_fits=10_000, processor=0.5).pool_pays()
    assert not meter_after(fits, n_fits=10_000, n_workers=8).pool_pays()


def test_workers_that_have_to_compile_what_they_import_pay_later(pools, monkeypatch, tmp_path):
    fits = [0.001] * 120
    assert meter_after(fits, n_fits=10_000).pool_pays()
    monkeypatch.undo()
    monkeypatch.setattr(paying, "pool_is_warm", lambda _: False)
    monkeypatch.setattr(paying, "pool_is_there", lambda _: False)
    monkeypatch.setattr(paying, "cpu_count", lambda: 2)
    file = tmp_path / "sklearn.pyc"
    monkeypatch.setattr(paying.sklearn.__spec__, "cached", str(file))
    assert not paying.is_compiled()
    assert not meter_after(fits, n_fits=10_000).pool_pays()
    file.touch()
    assert paying.is_compiled()
    assert meter_after(fits, n_fits=10_000).pool_pays()


def test_a_pool_that_is_there_pays_sooner(pools, monkeypatch):
    fits = [0.001] * 120
    assert not meter_after(fits, n_fits=3000).pool_pays()
    monkeypatch.setattr(paying, "pool_is_there", lambda n: n <= 2)
    assert meter_after(fits, n_fits=3000).pool_pays()
    assert not meter_after(fits, n_fits=500).pool_pays()
    monkeypatch.setattr(paying, "pool_is_warm", lambda n: n <= 2)
    assert meter_after(fits, n_fits=500).pool_pays()


def test_time_of_the_caller_is_no_work_to_share():
    meter = paying.Meter(5, 2)
    for _ in meter.timed(iter([None, "fit", "fit", "fit"])):
        pass
    assert meter.n_left == 5  # None is the end
    for _ in meter.timed(iter(["fit", "fit", "fit"])):
        time.sleep(0.01)
    assert meter.n_left == 2
    assert meter.seconds < 0.005


@pytest.mark.parametrize("n", [1, 2, 5, 16, 1000])
def test_the_first_fits_come_from_all_over_the_list(n):
    numbers = paying.scattered(n)
    assert len(set(numbers)) == len(numbers)
    assert set(numbers) <= set(range(n))
    assert np.diff(sorted([*numbers, 0, n])).max() <= max(2, n / 8)
    pairs = [(unit, 0) for unit in range(n)]
    assert sorted(engine._scattered_first(pairs)) == pairs


def test_the_pool_of_scikit_learn_is_the_pool_of_ours_and_known_to_be_warm(monkeypatch):
    for start in ("COLD_START", "FOREIGN_START", "LONG_FIT", "SHORTEST_LOOK"):
        monkeypatch.setattr(paying, start, 0.0)
    made(4, n_jobs=2)
    number = _compat._pool().executor_id
    assert _compat.pool_is_warm(2)
    assert not _compat.pool_is_warm(3)
    GridSearchCV(Slow(), {"shift": [0.0, 0.1]}, n_jobs=2).fit(X, Y)
    made(4, n_jobs=2)
    assert _compat._pool().executor_id == number
    Parallel(n_jobs=2, max_nbytes=1000)(joblib_delayed(abs)(k) for k in range(4))
    assert _compat._pool().executor_id != number
    assert not _compat.pool_is_warm(2)


@pytest.mark.parametrize(
    ("seconds", "n_left", "size"), [(0.0, 100, 1), (0.001, 4000, 200), (0.001, 160, 10), (1, 99, 1)]
)
def test_tasks_fill_a_set_time_but_leave_enough_for_every_worker(seconds, n_left, size):
    meter = meter_after([seconds], n_fits=n_left + 1)
    assert engine._task_size(meter, 2) == size


def test_threads_give_the_same_numbers():
    expected = made(8)
    with parallel_config(backend="threading", n_jobs=2):
        assert made(8) == expected
