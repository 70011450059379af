"""A search that was killed goes on where it was, and repeats nothing."""

import os
import random
import signal
import time
from pathlib import Path

import pytest
from checkpoints import C, assert_same, in_child, nested, resume, stored
from recorders import Logged, lines, note


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


def kill_after(path, log, seconds, pause):
    seen = sum(lines(log).values())
    child = in_child(resume, path, log, seconds=seconds)
    while sum(lines(log).values()) == seen:
        time.sleep(0.002)
        if os.waitpid(child, os.WNOHANG) != (0, 0):
            return  # nothing was left to do
    time.sleep(pause)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_kill_9_at_any_moment_loses_no_finished_fit(tmp_path):
    reference = nested(None)
    rng = random.Random(0)  # noqa: S311
    for attempt in range(10):
        path, log = tmp_path / f"{attempt}.db", tmp_path / f"{attempt}.log"
        kill_after(path, log, 0.001, rng.uniform(0, 0.15))
        made, kept = sum(lines(log).values()), stored(path)
        assert kept <= made <= kept + 1  # one may have been at its judging
        resumed = resume(path, log, seconds=0.001)
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
    resumed = resume(path, log)
    assert resumed.n_restored_ == kept
    assert kept >= 3
    assert_same(resumed, nested(None))
    assert sum(lines(log).values()) <= resumed.n_fits_ + 10  # of each run at most the fit at hand
