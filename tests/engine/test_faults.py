"""Checkpoints under load: nothing is lost, nothing is counted twice, and a word says what to do."""

import errno
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest
from checkpoints import C, assert_same, in_child, nested, plain_search, records, resume, stored
from recorders import lines

from skmaxev import correct
from skmaxev._checkpoint import CheckpointError, CheckpointFile

resource = pytest.importorskip("resource", reason="needs a system with fork")
N_FITS = len(C) * 10


def wait_until(condition):
    stop = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < stop, "it did not come to that in a minute"
        time.sleep(0.005)


def killed(path, log, *, after):
    """Search in a child, and kill it when so many fits are in the file."""
    child = in_child(resume, path, log)
    wait_until(lambda: path.exists() and stored(path) >= after)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return stored(path)


def test_the_file_alone_is_all_that_has_to_be_copied(tmp_path):
    path, copy, log = tmp_path / "kept.db", tmp_path / "copy.db", tmp_path / "log"
    kept = killed(path, log, after=12)
    assert sorted(file.name for file in tmp_path.iterdir()) == ["kept.db", "log"]
    shutil.copyfile(path, copy)
    resumed = resume(copy, log)
    assert resumed.n_restored_ == kept >= 12
    assert_same(resumed, nested(None))


def test_a_copy_that_was_made_while_a_search_was_writing_is_sound(tmp_path):
    path, log = tmp_path / "kept.db", tmp_path / "log"
    child = in_child(resume, path, log)
    copies = []
    while os.waitpid(child, os.WNOHANG) == (0, 0):
        if path.exists():
            copies.append(tmp_path / f"{len(copies)}.db")
            shutil.copyfile(path, copies[-1])
        time.sleep(0.01)
    counts = [stored(copy) for copy in copies]
    assert counts == sorted(counts)
    assert len(set(counts)) > 3
    middle = copies[len(copies) // 2]
    assert resume(middle, log).n_restored_ == counts[len(copies) // 2]


def test_a_backup_may_be_put_over_the_file_of_a_killed_search(tmp_path):
    path, backup, log = tmp_path / "kept.db", tmp_path / "backup.db", tmp_path / "log"
    early = killed(path, log, after=5)
    shutil.copyfile(path, backup)
    assert killed(path, log, after=early + 5) > early
    shutil.copyfile(backup, path)
    resumed = resume(path, log)
    assert resumed.n_restored_ == early
    assert_same(resumed, nested(None))
    assert correct(path).naive == resumed.naive_best_score_


def test_a_second_process_is_refused_and_the_first_goes_on(tmp_path):
    path, log = tmp_path / "kept.db", tmp_path / "log"
    first = in_child(resume, path, log)
    wait_until(lambda: path.exists() and stored(path) > 3)
    with pytest.raises(CheckpointError, match=r"is in use: another search.* writes to it.*Wait"):
        resume(path, log)
    with pytest.raises(CheckpointError, match="holds no finished search"):
        correct(path)  # reading is no work on the file
    assert os.waitpid(first, 0)[1] == 0
    assert set(lines(log).values()) == {1}
    assert resume(path, log).n_restored_ == N_FITS


def test_a_lock_ends_with_its_search_and_holds_for_other_threads(tmp_path):
    path = tmp_path / "kept.db"
    with CheckpointFile(path, write=True), pytest.raises(CheckpointError, match="is in use"):
        plain_search(path)
    assert plain_search(path).n_restored_ == 0


def test_a_bound_on_the_size_of_files_is_said_and_costs_no_fit(tmp_path):
    path, log = tmp_path / "kept.db", tmp_path / "log"

    def bounded():
        resource.setrlimit(resource.RLIMIT_FSIZE, (5000, 5000))
        with pytest.raises(CheckpointError, match=r"File too large\. Allow larger files \(ulimit"):
            resume(path, log)

    assert os.waitpid(in_child(bounded), 0)[1] == 0
    assert path.stat().st_size <= 5000
    kept = stored(path)
    assert path.stat().st_size == records(path)[-1].end  # nothing is cut
    resumed = resume(path, log)
    assert resumed.n_restored_ == kept > 5
    assert_same(resumed, nested(None))


def mounted(place, options):
    command = ["mount", *options, str(place)]
    if subprocess.run(command, check=False, capture_output=True).returncode:  # noqa: S603
        pytest.skip("mounting takes root")
    return place


@pytest.fixture
def disk(tmp_path):
    """Mount a disk that holds 8 KiB."""
    place = tmp_path / "disk"
    place.mkdir()
    if shutil.which("mount") is None:
        pytest.skip("mounting takes root")
    yield mounted(place, ["-t", "tmpfs", "-o", "size=8k", "none"])
    subprocess.run(["umount", str(place)], check=True)  # noqa: S603, S607


def test_a_full_disk_is_said_and_costs_no_fit(disk):
    path, log = disk / "kept.db", disk.parent / "log"
    with pytest.raises(CheckpointError, match="Make room on the disk and run the same call again"):
        resume(path, log)
    kept = stored(path)
    assert kept > 10
    mounted(disk, ["-o", "remount,size=1m"])
    resumed = resume(path, log)
    assert resumed.n_restored_ == kept
    assert_same(resumed, nested(None))


def test_a_finished_checkpoint_can_be_read_where_nothing_can_be_written(disk):
    path = disk / "kept.db"
    mounted(disk, ["-o", "remount,size=1m"])
    search = plain_search(path)
    mounted(disk, ["-o", "remount,ro"])
    assert correct(path).naive == search.naive_best_score_
    with pytest.raises(
        CheckpointError, match=r"Read-only file system\. .* directory that can be w"
    ):
        plain_search(path)


def test_a_folder_without_leave_to_write_can_be_read(tmp_path):
    path = tmp_path / "kept.db"
    expected = correct(plain_search(path)).naive
    assert correct(path).naive == expected  # and all modules are loaded
    for place in (tmp_path, *tmp_path.parents[:3]):
        place.chmod(0o755)
    path.chmod(0o444)
    tmp_path.chmod(0o555)

    def as_nobody():
        if os.geteuid() == 0:
            os.setuid(65534)
        assert correct(path).naive == expected
        with pytest.raises(CheckpointError, match="Permission denied"):
            plain_search(path)
        with pytest.raises(CheckpointError, match="Permission denied"):
            plain_search(tmp_path / "other.db")

    assert os.waitpid(in_child(as_nobody), 0)[1] == 0
    tmp_path.chmod(0o700)


def test_a_record_that_cannot_be_written_whole_is_not_written_at_all(tmp_path):
    path = tmp_path / "kept.db"
    with CheckpointFile(path, write=True) as file:
        begin, writer = path.stat().st_size, file._writer

        class Half:
            """A disk with room for half of what comes."""

            def __getattr__(self, name):
                return getattr(writer, name)

            def write(self, data):
                if path.stat().st_size > begin:
                    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
                return writer.write(data[: len(data) // 2])

        file._writer = Half()
        with pytest.raises(CheckpointError, match="Make room on the disk"):
            file.append(b"fit ", b"key", [1.0], {})
    assert path.stat().st_size == begin


def with_two_workers(path, log, words):
    """Begin to search in a new Python; it leads a group of processes."""
    room = str(Path(__file__).parents[1])
    code = "import sys, checkpoints; checkpoints.resume(*sys.argv[1:], n_jobs=2)"
    return subprocess.Popen(  # noqa: S603
        [sys.executable, "-c", code, str(path), str(log)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join([room, *filter(None, sys.path)])},
        start_new_session=True,
        stderr=words,
    )


@pytest.mark.slow
@pytest.mark.parametrize("sent", [signal.SIGKILL, signal.SIGINT])
def test_a_search_with_two_workers_that_is_stopped_loses_and_repeats_no_fit(tmp_path, sent):
    rng = random.Random(int(sent))  # noqa: S311
    path, log, words = tmp_path / "kept.db", tmp_path / "log", tmp_path / "words"
    groups = []
    for _ in range(3):
        before = stored(path) if path.exists() else 0
        with words.open("w") as stream:
            process = with_two_workers(path, log, stream)
        groups.append(process.pid)
        wait_until(lambda: path.exists() and stored(path) > before)  # noqa: B023
        time.sleep(rng.uniform(0, 0.03))
        (os.killpg if sent == signal.SIGINT else os.kill)(process.pid, sent)
        process.wait(timeout=60)
        assert sent == signal.SIGKILL or "KeyboardInterrupt" in words.read_text()
        keys = [record.key for record in records(path)]
        assert len(set(keys)) == len(keys) > before
    for group in groups:  # joblib's workers outlive one that was killed
        with suppress(ProcessLookupError):
            os.killpg(group, signal.SIGKILL)
    made = sum(lines(log).values())
    resumed = resume(path, log)
    assert resumed.n_restored_ == len(keys)
    assert sum(lines(log).values()) == made + N_FITS - len(keys)
    assert_same(resumed, nested(None))
