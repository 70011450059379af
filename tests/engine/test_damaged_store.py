"""A file that is damaged, foreign or in no good place is told, never changed, never believed."""

import os
import random
import sqlite3
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from checkpoints import C, change, plain_search

from skmaxev import correct
from skmaxev._checkpoint import CheckpointError, open_checkpoint


def scribble(path, where, what):
    with path.open("r+b") as stream:
        stream.seek(where)
        stream.write(what)


def test_a_file_of_another_kind_is_left_alone(tmp_path):
    texts = tmp_path / "notes.txt"
    texts.write_text("my notes")
    with pytest.raises(CheckpointError, match=r"must be a file that skmaxev wrote; .* no SQLite"):
        plain_search(texts)
    assert texts.read_text() == "my notes"


def test_a_database_of_another_program_is_left_alone(tmp_path):
    path = tmp_path / "other.db"
    change(path, "CREATE TABLE fit (mine)")
    before = path.read_bytes()
    for use in (plain_search, correct):
        with pytest.raises(CheckpointError, match="belongs to another program"):
            use(path)
    assert path.read_bytes() == before


def test_another_format_is_told_apart(tmp_path):
    path = tmp_path / "kept.db"
    plain_search(path)
    change(path, "PRAGMA user_version = 7")
    with pytest.raises(CheckpointError, match="format 7; this version of skmaxev reads format 1"):
        plain_search(path)


@pytest.mark.parametrize("kind", ["directory", "no directory", "read-only"])
def test_a_place_where_no_file_can_be_is_said_before_the_first_fit(tmp_path, kind):
    path = {"directory": tmp_path, "no directory": tmp_path / "none" / "kept.db"}.get(
        kind, tmp_path / "kept.db"
    )
    if kind == "read-only":
        if os.geteuid() == 0:
            pytest.skip("root may write everywhere")
        tmp_path.chmod(0o500)
    with pytest.raises(CheckpointError, match="director"):
        plain_search(path)
    tmp_path.chmod(0o700)


def test_an_empty_file_becomes_a_checkpoint(tmp_path):
    path = tmp_path / "kept.db"
    path.touch()
    assert plain_search(path).n_restored_ == 0
    assert plain_search(path).n_restored_ == len(C) * 4


def test_a_digit_that_was_changed_is_noticed(tmp_path):
    path = tmp_path / "kept.db"
    plain_search(path)
    with closing(sqlite3.connect(path)) as link, link:
        (result,) = link.execute("SELECT result FROM fit LIMIT 1").fetchone()
        link.execute(
            "UPDATE fit SET result = ? WHERE result = ?", (result.replace("0.", "1.", 1), result)
        )
        link.execute("UPDATE search SET result = replace(result, '0.9', '0.8')")
    with pytest.raises(CheckpointError, match=r"is damaged .*none of its numbers is used"):
        plain_search(path)
    with pytest.raises(CheckpointError, match="is damaged"):
        correct(path)


def test_damage_anywhere_gives_an_error_or_the_same_numbers(tmp_path):
    sound = tmp_path / "sound.db"
    reference = plain_search(sound).cv_results_["mean_test_score"]
    whole, rng, errors = sound.read_bytes(), random.Random(0), 0  # noqa: S311
    for attempt in range(40):
        path = tmp_path / f"{attempt}.db"
        path.write_bytes(whole)
        if attempt % 4 == 0:  # torn
            path.write_bytes(whole[: rng.randrange(100, len(whole))])
        else:
            scribble(path, rng.randrange(16, len(whole) - 64), rng.randbytes(48))
        damaged = path.read_bytes()
        try:
            scores = plain_search(path).cv_results_["mean_test_score"]
            np.testing.assert_array_equal(scores, reference)
        except CheckpointError:
            errors += 1
            assert path.read_bytes() == damaged
    assert errors >= 10  # the 10 torn ones; elsewhere much of a small file is empty


def test_a_torn_log_costs_at_most_the_last_fits(tmp_path):
    path = tmp_path / "kept.db"
    with closing(open_checkpoint(path, create=True)) as other:
        other.execute("SELECT * FROM fit").fetchone()  # it has the log open: nobody folds it in
        reference = plain_search(path)
        whole, wal = path.read_bytes(), Path(f"{path}-wal").read_bytes()
    copy = tmp_path / "copy.db"
    copy.write_bytes(whole)
    Path(f"{copy}-wal").write_bytes(wal[: int(len(wal) * 0.6)])
    again = plain_search(copy)
    assert 0 < again.n_restored_ < len(C) * 4
    np.testing.assert_array_equal(
        again.cv_results_["mean_test_score"], reference.cv_results_["mean_test_score"]
    )
