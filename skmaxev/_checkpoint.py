"""The checkpoint file: how it is opened, checked and read.

A checkpoint is an SQLite file with numbers and texts only. Nothing in it is ever unpickled or
run, so a file from someone else can hold wrong numbers but no code. Every row carries a digest of
itself, since SQLite notices a damaged tree but not a flipped digit.
"""

from __future__ import annotations

import json
import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "CheckpointError",
    "array_of",
    "damaged",
    "finished_searches",
    "is_sqlite",
    "open_checkpoint",
    "parts_of",
    "reading",
    "row_digest",
]

APPLICATION_ID = 0x534B4D58
"""Marks a file as ours in its header: the letters SKMX."""
FORMAT = 1
"""Version of the tables below."""
BUSY_SECONDS = 60.0
"""How long to wait for another process that is writing."""
_PLAIN_KINDS = "biufcmMSU"
"""Kinds of dtype that are their bytes."""
_MAGIC = b"SQLite format 3\x00"
_TABLES = (
    "CREATE TABLE fit (context BLOB, candidate BLOB, train BLOB, result TEXT NOT NULL, "
    "digest BLOB NOT NULL, PRIMARY KEY (context, candidate, train)) WITHOUT ROWID",
    "CREATE TABLE response (context BLOB, candidate BLOB, train BLOB, judged INTEGER, "
    "dtype TEXT NOT NULL, shape TEXT NOT NULL, data BLOB NOT NULL, digest BLOB NOT NULL, "
    "PRIMARY KEY (context, candidate, train, judged))",
    "CREATE TABLE array (search BLOB, name TEXT, dtype TEXT NOT NULL, shape TEXT NOT NULL, "
    "data BLOB NOT NULL, digest BLOB NOT NULL, PRIMARY KEY (search, name))",
    "CREATE TABLE search (context BLOB, ended REAL NOT NULL, result TEXT NOT NULL, "
    "digest BLOB NOT NULL)",
)


class CheckpointError(ValueError):
    """A checkpoint cannot be used: it is damaged, of another kind, or cannot be written."""


def open_checkpoint(path: str | os.PathLike[str], *, create: bool) -> sqlite3.Connection:
    """Open a checkpoint, and make sure that it is one.

    Parameters
    ----------
    path : str or path-like
        The file. Its neighbours ``-wal`` and ``-shm`` belong to it while it is being written.
    create : bool
        Whether a file that does not exist, or is empty, becomes a new checkpoint.

    Returns
    -------
    sqlite3.Connection
        In autocommit mode. What is committed survives the death of the process at any moment.

    Raises
    ------
    CheckpointError
        If the file is damaged, is something else, was written by another format of skmaxev, or
        cannot be opened. The file is then left as it was.
    """
    file = Path(os.fspath(path))
    _check_place(file, create=create)
    with reading(file):
        mode = "rwc" if create else "rw"
        link = sqlite3.connect(
            f"{file.resolve().as_uri()}?mode={mode}",
            uri=True,
            timeout=BUSY_SECONDS,
            isolation_level=None,
        )
        try:
            _check_contents(link, file, create=create)
        except BaseException:
            link.close()
            raise
    return link


@contextmanager
def reading(file: str | os.PathLike[str]) -> Iterator[None]:
    """Turn an error of SQLite into one that says what to do."""
    try:
        yield
    except sqlite3.OperationalError as error:
        msg = f"checkpoint {os.fspath(file)!r} cannot be used: {error}. " + _cure(str(error))
        raise CheckpointError(msg) from error
    except sqlite3.DatabaseError as error:
        raise damaged(file, str(error)) from error


def damaged(file: str | os.PathLike[str], what: str) -> CheckpointError:
    """Build the error for a file that does not hold together."""
    return CheckpointError(
        f"checkpoint {os.fspath(file)!r} is damaged ({what}), so none of its numbers is used and "
        "nothing is written to it. Move it away, or give another path, to start anew."
    )


def _cure(error: str) -> str:
    if "locked" in error or "busy" in error:
        return "Another process holds it; wait for that one, or give another path."
    if "full" in error:
        return "Make room on the disk and run the same call again; finished fits are kept."
    return "Give a path in a directory that can be written, on a local disk."


def is_sqlite(file: Path) -> bool:
    """Tell whether a file begins as SQLite's files do."""
    if not file.is_file():
        return False
    with file.open("rb") as stream:
        return stream.read(len(_MAGIC)) == _MAGIC


def _check_place(file: Path, *, create: bool) -> None:
    """Look at the file from outside, before SQLite touches it."""
    if file.is_dir() or not file.parent.is_dir():
        msg = f"a checkpoint must be a file in a directory that exists; {str(file)!r} is not."
        raise CheckpointError(msg)
    if not file.exists():
        if not create:
            msg = f"there is no checkpoint {str(file)!r}."
            raise CheckpointError(msg)
        return
    if file.stat().st_size and not is_sqlite(file):
        raise _foreign(file, "is no SQLite file")


def _foreign(file: Path, what: str) -> CheckpointError:
    return CheckpointError(
        f"a checkpoint must be a file that skmaxev wrote; {str(file)!r} {what}, and was left "
        "alone. Give another path."
    )


def _check_contents(link: sqlite3.Connection, file: Path, *, create: bool) -> None:
    link.execute("PRAGMA trusted_schema = OFF")
    if create and _is_empty(link):
        _make_tables(link)
    kind, version = _pragma(link, "application_id"), _pragma(link, "user_version")
    if kind != APPLICATION_ID:
        raise _foreign(file, "belongs to another program")
    if version != FORMAT:
        msg = (
            f"checkpoint {str(file)!r} has format {version}; this version of skmaxev reads "
            f"format {FORMAT}. Use the version that wrote it, or give another path."
        )
        raise CheckpointError(msg)
    found = {sql for (sql,) in link.execute("SELECT sql FROM sqlite_master") if sql}
    verdict = _pragma(link, "quick_check")
    if found != set(_TABLES) or verdict != "ok":
        raise damaged(file, "its tables are not as they were made" if verdict == "ok" else verdict)
    if create:
        _set_durable(link)


def _is_empty(link: sqlite3.Connection) -> bool:
    (tables,) = link.execute("SELECT count(*) FROM sqlite_master").fetchone()
    return tables == 0 and _pragma(link, "application_id") in {0, APPLICATION_ID}


def _make_tables(link: sqlite3.Connection) -> None:
    link.execute("BEGIN IMMEDIATE")
    if _is_empty(link):  # another process may have been faster
        for table in _TABLES:
            link.execute(table)
        link.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        link.execute(f"PRAGMA user_version = {FORMAT}")
    link.execute("COMMIT")


def _set_durable(link: sqlite3.Connection) -> None:
    """Make every commit survive kill -9, without waiting for the disk at each.

    With a write-ahead log a commit is in the hands of the system when it returns. A power cut can
    take the last commits along, but cannot tear the file.
    """
    stop = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            link.execute("PRAGMA journal_mode = WAL")
            break
        except sqlite3.OperationalError:  # this one does not wait for other processes by itself
            if time.monotonic() > stop:
                raise
            time.sleep(0.05)
    link.execute("PRAGMA synchronous = NORMAL")


def _pragma(link: sqlite3.Connection, name: str) -> Any:
    return link.execute(f"PRAGMA {name}").fetchone()[0]


def row_digest(*parts: bytes | str) -> bytes:
    """Digest a row, to be kept in it."""
    state = blake2b(digest_size=16)
    for part in parts:
        raw = part.encode("utf-8", "surrogatepass") if isinstance(part, str) else part
        state.update(len(raw).to_bytes(8, "little") + raw)
    return state.digest()


def parts_of(array: NDArray[Any]) -> tuple[str, str, bytes]:
    """Take an array apart into dtype, shape and bytes; labels of any kind as JSON."""
    shape = json.dumps(array.shape)
    if array.dtype.kind in _PLAIN_KINDS:
        return array.dtype.str, shape, np.ascontiguousarray(array).tobytes()
    return "labels", shape, json.dumps(array.ravel().tolist()).encode()


def array_of(dtype: str, shape: str, data: bytes) -> NDArray[Any]:
    """Put an array together again."""
    if dtype == "labels":
        labels = json.loads(data)
        flat = np.empty(len(labels), dtype=object)
        flat[:] = labels
    else:
        flat = np.frombuffer(data, dtype=np.dtype(dtype)).copy()
    return flat.reshape(json.loads(shape))


def finished_searches(path: str | os.PathLike[str]) -> list[dict[str, Any]]:
    """Read the searches that were brought to an end in a checkpoint.

    Parameters
    ----------
    path : str or path-like
        The checkpoint.

    Returns
    -------
    list of dict
        What the searches left, in the order in which they ended; empty if none has ended. The
        arrays of a search are under ``"arrays"``, by name.

    Raises
    ------
    CheckpointError
        If the file is damaged or no checkpoint.
    """
    link = open_checkpoint(path, create=False)
    try:
        with reading(path):
            rows = link.execute("SELECT context, result, digest FROM search ORDER BY rowid")
            return [_search(link, path, *row) for row in rows.fetchall()]
    finally:
        link.close()


def _search(
    link: sqlite3.Connection,
    path: str | os.PathLike[str],
    context: bytes,
    result: str,
    digest: bytes,
) -> dict[str, Any]:
    arrays = {}
    sound = row_digest(context, result) == digest
    for name, *parts, own in link.execute(
        "SELECT name, dtype, shape, data, digest FROM array WHERE search = ?", (digest,)
    ):
        sound = sound and row_digest(digest, name, *parts) == own
        arrays[name] = parts
    if not sound:
        raise damaged(path, "the result of a search is not as it was written")
    return {**json.loads(result), "arrays": {name: array_of(*arrays[name]) for name in arrays}}
