"""A file that is damaged or foreign is told, never changed, never believed."""

import random
import sqlite3
from contextlib import closing

import numpy as np
import pytest
from checkpoints import C, plain_search, records, stored

from skmaxev import correct
from skmaxev._checkpoint import FIT, SEARCH, CheckpointError, CheckpointFile


def scores(path):
    return plain_search(path).cv_results_["mean_test_score"]


def database(path, mark):
    """Make a database of SQLite; programs put a mark of their own into its header."""
    with closing(sqlite3.connect(path)) as link, link:
        link.execute("CREATE TABLE fit (mine)")
        link.execute(f"PRAGMA application_id = {mark}")
    return path.read_bytes()


def test_a_file_of_another_kind_is_left_alone(tmp_path):
    texts = tmp_path / "notes.txt"
    texts.write_text("my notes")
    with pytest.raises(CheckpointError, match=r"must be a file that skmaxev wrote; .* is none"):
        plain_search(texts)
    assert texts.read_text() == "my notes"


def test_a_database_of_another_program_is_left_alone(tmp_path):
    path = tmp_path / "other.db"
    before = database(path, 7)
    for use in (plain_search, correct):
        with pytest.raises(CheckpointError, match="must be a file that skmaxev wrote"):
            use(path)
    assert path.read_bytes() == before


def test_a_checkpoint_of_the_first_format_is_left_to_the_version_that_wrote_it(tmp_path):
    path = tmp_path / "kept.db"
    before = database(path, 0x534B4D58)
    for use in (plain_search, correct):
        with pytest.raises(
            CheckpointError, match=r"Use the version that wrote it, or give another"
        ):
            use(path)
    assert path.read_bytes() == before


def test_another_format_is_told_apart(tmp_path):
    path = tmp_path / "kept.db"
    plain_search(path)
    before = path.read_bytes().replace(b"checkpoint 3", b"checkpoint 7", 1)
    path.write_bytes(before)
    for use in (plain_search, correct):
        with pytest.raises(CheckpointError, match="which reads format 3"):
            use(path)
    assert path.read_bytes() == before


@pytest.mark.parametrize("kind", ["directory", "no directory"])
def test_a_place_where_no_file_can_be_is_said_before_the_first_fit(tmp_path, kind):
    path = tmp_path if kind == "directory" else tmp_path / "none" / "kept.db"
    with pytest.raises(CheckpointError, match="must be a file in a directory that exists"):
        plain_search(path)


@pytest.mark.parametrize("begin", [b"", b"skmax", b"skmaxev checkpoint 3"])
def test_an_empty_or_just_begun_file_becomes_a_checkpoint(tmp_path, begin):
    path = tmp_path / "kept.db"
    path.write_bytes(begin)
    assert plain_search(path).n_restored_ == 0
    assert plain_search(path).n_restored_ == len(C) * 4


@pytest.mark.parametrize("kind", [FIT, SEARCH])
def test_a_digit_that_was_changed_is_noticed(tmp_path, kind):
    path = tmp_path / "kept.db"
    plain_search(path)
    record = records(path, kind)[0]
    whole = path.read_bytes()
    digit = next(k for k in range(record.start + 90, record.end) if whole[k : k + 1].isdigit())
    before = whole[:digit] + b"%d" % (9 - int(whole[digit : digit + 1])) + whole[digit + 1 :]
    path.write_bytes(before)
    for use in (plain_search, correct):
        with pytest.raises(CheckpointError, match=r"is damaged .*none of its numbers is used"):
            use(path)
    assert path.read_bytes() == before


def test_damage_anywhere_gives_an_error_or_the_same_numbers(tmp_path):
    sound = tmp_path / "sound.db"
    reference = scores(sound)
    whole, rng = sound.read_bytes(), random.Random(0)  # noqa: S311
    for attempt in range(40):
        path = tmp_path / f"{attempt}.db"
        where = rng.randrange(len(whole) - 48)
        path.write_bytes(whole[:where] + rng.randbytes(48) + whole[where + 48 :])
        damaged = path.read_bytes()
        with pytest.raises(CheckpointError):
            plain_search(path)
        assert path.read_bytes() == damaged
    for attempt in range(40):
        path = tmp_path / f"cut {attempt}.db"
        path.write_bytes(whole[: rng.randrange(len(whole))])
        np.testing.assert_array_equal(scores(path), reference)
        assert path.read_bytes().startswith(whole[:21])
        assert stored(path) == len(C) * 4


@pytest.mark.parametrize("n_zeros", [0, 1, 500])
def test_a_file_that_ends_anywhere_keeps_its_whole_records(tmp_path, n_zeros):
    """A kill and a copy on the way cut a file; a power cut may leave zeros at its end."""
    sound, path = tmp_path / "sound.db", tmp_path / "kept.db"
    values = {"a": np.arange(4.0) + 1, "b": np.array(["x", None, "é"], dtype=object)}
    with CheckpointFile(sound, write=True) as file:
        for number in range(3):
            file.append(FIT, b"%d" % number, [number / 3, "é\ud800"], values)
    whole, ends = sound.read_bytes(), [record.end for record in records(sound)]
    for size in range(ends[0], len(whole)):
        path.write_bytes(whole[:size] + b"\0" * n_zeros * (size not in ends))
        expected = sum(end <= size for end in ends)
        assert stored(path) == expected  # reading leaves the end alone
        with CheckpointFile(path, write=True) as file:
            assert len(file.records) == expected
            file.append(FIT, b"new", None, {})
        with CheckpointFile(path, write=False) as file:
            assert len(file.records) == expected + 1
            value, arrays = file.read(file.records[0])
            assert value == [0.0, "é\ud800"]
            np.testing.assert_array_equal(arrays["a"], values["a"])
            assert arrays["b"].tolist() == values["b"].tolist()
