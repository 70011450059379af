"""A search that was killed goes on where it was, alone or beside other processes."""

import os
import random
import signal
import sqlite3
import time
import warnings
from contextlib import closing
from pathlib import Path

import pytest
from checkpoints import C, X, assert_same, nested, stored, y
from recorders import Logged, lines, note
from sklearn.svm import SVC

from skmaxev._checkpoint import open_checkpoint
from skmaxev.search import NestedCVSearch, ShrunkSearchCV


def test_a_second_run_repeats_no_fit_and_gives_the_same_result(tmp_path):
    path, log = tmp_path / "kept.db", str(tmp_path / "log")
    first = nested(path, log)
    made = lines(log)
    again = nested(path, log)
    assert lines(log) == made
    assert set(made.values()) == {1}
    assert (first.n_restored_, again.n_restored_) == (0, len(C) * 10)
    assert_same(first, again)
    assert_same(first, nested(None))


def test_the_checkpoint_does_not_change_a_score_or_a_file_name(tmp_path):
    nested(str(tmp_path / "kept.db"))
    assert [file.name for file in tmp_path.iterdir()] == ["kept.db"]


def test_a_search_that_broke_off_goes_on_where_it_was(tmp_path):
    path, log = tmp_path / "kept.db", str(tmp_path / "log")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Logged, "predict", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            nested(path, log, error_score="raise")
    assert stored(path) == 0  # the first score failed
    Path(log).unlink()
    with pytest.MonkeyPatch.context() as patch:

        def interrupt(file, *words):
            if len(lines(log)) == 13:
                raise KeyboardInterrupt
            note(file, *words)

        patch.setattr("recorders.note", interrupt)
        with pytest.raises(KeyboardInterrupt):
            nested(path, log)
    assert stored(path) == 13
    resumed = nested(path, log)
    assert resumed.n_restored_ == 13
    assert set(lines(log).values()) == {1}
    assert_same(resumed, nested(None))


def run_in_child(path, log, seconds):
    """Search in a child that never comes back by itself to the test."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # other tests may have left threads
        child = os.fork()
    if child == 0:
        code = 1
        try:
            resume(path, log, seconds)
            code = 0
        finally:
            os._exit(code)
    return child


def kill_after(path, log, seconds, pause):
    seen = sum(lines(log).values())
    child = run_in_child(path, log, seconds)
    while sum(lines(log).values()) == seen:
        time.sleep(0.002)
        if os.waitpid(child, os.WNOHANG) != (0, 0):
            return  # nothing was left to do
    time.sleep(pause)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)


def resume(path, log, seconds):
    slow = Logged(log=str(log), seconds=seconds)
    return NestedCVSearch(slow, {"C": C}, cv=4, checkpoint=path, refit=False).fit(X, y)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_kill_9_at_any_moment_loses_no_finished_fit(tmp_path):
    reference = nested(None)
    rng = random.Random(0)  # noqa: S311
    for attempt in range(10):
        path, log = tmp_path / f"{attempt}.db", tmp_path / f"{attempt}.log"
        kill_after(path, log, 0.001, rng.uniform(0, 0.15))
        made, kept = sum(lines(log).values()), stored(path)
        assert kept <= made <= kept + 1  # one may have been at its judging
        resumed = resume(path, log, 0.001)
        assert resumed.n_restored_ == kept
        assert sum(lines(log).values()) == made + resumed.n_fits_ - kept
        assert_same(resumed, reference)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_kill_9_again_and_again_comes_to_an_end(tmp_path):
    path, log, kept = tmp_path / "kept.db", tmp_path / "log", 0
    rng = random.Random(1)  # noqa: S311
    for _ in range(10):
        kill_after(path, log, 0.005, rng.uniform(0, 0.15))
        assert stored(path) >= kept
        kept = stored(path)
    resumed = resume(path, log, 0.005)
    assert resumed.n_restored_ == kept
    assert kept >= 3
    assert_same(resumed, nested(None))
    assert sum(lines(log).values()) <= resumed.n_fits_ + 10  # of each run at most the fit at hand


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_several_processes_may_use_one_file_at_once(tmp_path):
    path, log = tmp_path / "kept.db", tmp_path / "log"
    children = [run_in_child(path, log, 0.005) for _ in range(3)]
    for child in children:
        assert os.waitpid(child, 0)[1] == 0
    assert sum(lines(log).values()) > len(C) * 10  # they did work at the same time
    with closing(open_checkpoint(path, create=False)) as link:
        assert link.execute("SELECT count(*) FROM fit").fetchone() == (len(C) * 10,)
        assert link.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    resumed = resume(path, log, 0.005)
    assert resumed.n_restored_ == len(C) * 10
    assert_same(resumed, nested(None))


def test_a_writer_waits_for_another_one(tmp_path):
    path = tmp_path / "kept.db"
    nested(path)
    other = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    other.execute("BEGIN IMMEDIATE")
    import threading

    threading.Timer(0.3, lambda: other.execute("COMMIT")).start()
    search = ShrunkSearchCV(SVC(), {"C": C}, cv=3, checkpoint=path).fit(X, y)
    assert search.n_restored_ == 0
    assert stored(path) == len(C) * 10 + len(C) * 3
    other.close()
