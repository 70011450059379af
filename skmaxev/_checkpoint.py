"""The checkpoint file: records one after the other, each with a digest of itself.

A file that only grows has a sound beginning at every moment: after kill -9, on a full disk, and in
any copy, also one that was made while a search was writing. There is no second file that belongs
to it, as the journals of a database do. Nothing in it is ever unpickled or run, so a file from
someone else can hold wrong numbers but no code.
"""

from __future__ import annotations

import errno
import json
import os
import struct
import sys
import zlib
from collections.abc import Mapping
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "CheckpointError",
    "CheckpointFile",
    "finished_searches",
    "is_checkpoint",
]

FIT, SEARCH = b"fit ", b"end "
"""Kinds of records: a finished fit, and what a finished search leaves."""
FORMAT = 3
"""Version of the records below; the first format was an SQLite file."""
_NAME = b"skmaxev checkpoint "
_BEGIN = _NAME + b"%d\n" % FORMAT
_HEAD = struct.Struct("<4s48sIQ16sI")
"""Kind, key, bytes of text and of data, digest of the record, check of this head itself."""
_END = b"\n"
"""Last byte of the data: a zero in its place was left by a power cut."""
_SQLITE = b"SQLite format 3\x00"
_LABELS = "iuUO"
"""Kinds of dtype that are kept by number, since few of their values differ."""
_CURES = {
    errno.ENOSPC: "Make room on the disk",
    errno.EDQUOT: "Make room in the quota",
    errno.EFBIG: "Allow larger files (ulimit -f; FAT holds 4 GB)",
}


class CheckpointError(ValueError):
    """A checkpoint cannot be used: it is damaged, in use, of another kind, or in no good place."""


class Record(NamedTuple):
    """Where a record stands in the file, and what its head says."""

    kind: bytes
    key: bytes
    digest: bytes
    start: int
    n_text: int
    n_data: int

    @property
    def end(self) -> int:
        """First byte after the record."""
        return self.start + _HEAD.size + self.n_text + self.n_data


class CheckpointFile:
    """An open checkpoint, every record of which has been checked.

    Parameters
    ----------
    path : str or path-like
        The file.
    write : bool
        Whether records will be added. The file is then made if there is none, a record that a kill
        cut short is removed from its end, and no other process can write to it.

    Attributes
    ----------
    records : list of Record
        What was in the file when it was opened.

    Raises
    ------
    CheckpointError
        If the file is damaged, in use, something else, or cannot be opened. It is left as it was.
    """

    def __init__(self, path: str | os.PathLike[str], *, write: bool) -> None:
        self.path = Path(os.fspath(path))
        if self.path.is_dir() or not self.path.parent.is_dir():
            what = "a checkpoint must be a file in a directory that exists"
            raise CheckpointError(f"{what}; {str(self.path)!r} is not.")
        if not write and not self.path.exists():
            raise CheckpointError(f"there is no checkpoint {str(self.path)!r}.")
        try:
            self._writer = self.path.open("ab", buffering=0) if write else None
            self._reader = self.path.open("rb")
        except OSError as error:
            raise self._unusable(error) from error
        try:
            if self._writer is not None:
                self._lock(self._writer.fileno())
            self.records = self._scan()
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file, and let other processes write to it."""
        self._reader.close()
        if self._writer is not None:
            self._writer.close()

    def read(self, record: Record) -> tuple[Any, dict[str, NDArray[Any]]]:
        """Give what was handed to `append`."""
        text, data = self._payload(record)
        value, shapes = json.loads(text)
        arrays, start = {}, 0
        for name, (dtype, labels, shape, n_bytes) in shapes.items():
            flat = np.frombuffer(data[start : start + n_bytes], dtype=np.dtype(dtype))
            arrays[name] = (flat.copy() if labels is None else _as_array(*labels)[flat]).reshape(
                shape
            )
            start += n_bytes
        return value, arrays

    def append(
        self, kind: bytes, key: bytes, value: Any, arrays: Mapping[str, NDArray[Any]]
    ) -> None:
        """Add a record, whole or not at all.

        Parameters
        ----------
        kind : {FIT, SEARCH}
            What it is.
        key : bytes
            Up to 48 bytes to find it by.
        value : object
            Numbers, texts, lists and dicts of them.
        arrays : mapping of str to ndarray
            What is too long for that, by name.
        """
        record, payload = _encode(kind, key, value, arrays)
        if any(one.digest == record.digest for one in self.records if one.kind == SEARCH == kind):
            return  # the same search came to the same end before
        self._put(_head(record), *payload)

    def _put(self, *parts: bytes) -> None:
        if self._writer is None:
            raise CheckpointError(f"checkpoint {str(self.path)!r} was opened to be read.")
        before = os.fstat(self._writer.fileno()).st_size
        try:
            for part in parts:
                rest = memoryview(part)
                while rest:  # a disk that is nearly full takes what it can
                    rest = rest[self._writer.write(rest) :]
        except BaseException as error:
            with suppress(OSError):
                self._writer.truncate(before)
            if isinstance(error, OSError):
                raise self._unusable(error) from error
            raise

    def _scan(self) -> list[Record]:
        """List the records, each checked; cut off what a kill has left of the last one."""
        size = os.fstat(self._reader.fileno()).st_size
        begin = self._reader.read(len(_BEGIN))
        if not _BEGIN.startswith(begin):
            raise self._foreign(begin + self._reader.read(100))
        records: list[Record] = []
        end = len(_BEGIN) if begin == _BEGIN else 0
        while 0 < end < size and (record := self._next(end, size)) is not None:
            records.append(record)
            end = record.end
        if self._writer is not None:
            if end < size:
                self._writer.truncate(end)
            if end == 0:
                self._put(_BEGIN)
        return records

    def _next(self, start: int, size: int) -> Record | None:
        """Read the record that starts here; None if it is the last one, and was cut short."""
        self._reader.seek(start)
        head = self._reader.read(_HEAD.size)
        if len(head) < _HEAD.size:
            return None
        kind, key, n_text, n_data, digest, _ = _HEAD.unpack(head)
        record = Record(kind, key, digest, start, n_text, n_data)
        if head == _head(record):
            if record.end > size:
                return None
            payload = self._payload(record)
            if _digest(record, payload) == digest:
                return record
            head = b"".join(payload)
        if (head[-1:] + self._reader.read()).strip(b"\0"):
            raise self._damaged()
        return None  # a power cut can leave zeros in the place of what was written last

    def _payload(self, record: Record) -> tuple[bytes, bytes]:
        self._reader.seek(record.start + _HEAD.size)
        return self._reader.read(record.n_text), self._reader.read(record.n_data)

    def _lock(self, descriptor: int) -> None:
        """Keep other processes from writing; the system lets go when this one ends, however."""
        try:
            if sys.platform == "win32":
                import msvcrt  # noqa: PLC0415

                os.lseek(descriptor, 1 << 40, os.SEEK_SET)  # locked bytes cannot be read by others
                msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
            else:
                import fcntl  # noqa: PLC0415

                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            if error.errno not in {errno.EAGAIN, errno.EACCES, errno.EDEADLK}:
                raise self._unusable(error) from error
            raise CheckpointError(
                f"checkpoint {str(self.path)!r} is in use: another search, or a worker that one "
                "left behind, writes to it, and both would make the same fits. Wait for that one, "
                "or give another path."
            ) from error

    def _unusable(self, error: OSError) -> CheckpointError:
        cure = _CURES.get(error.errno or 0)
        cure = (
            f"{cure} and run the same call again; finished fits are kept."
            if cure
            else "Give a path in a directory that can be written, on a local disk; `correct` reads "
            "a finished checkpoint anywhere."
        )
        return CheckpointError(
            f"checkpoint {str(self.path)!r} cannot be used: {error.strerror}. {cure}"
        )

    def _damaged(self) -> CheckpointError:
        return CheckpointError(
            f"checkpoint {str(self.path)!r} is damaged (a record is not as it was written), so "
            "none of its numbers is used and nothing is written to it. Move it away, or give "
            "another path, to start anew."
        )

    def _foreign(self, begin: bytes) -> CheckpointError:
        if begin.startswith(_NAME) or (begin.startswith(_SQLITE) and begin[68:72] == b"SKMX"):
            return CheckpointError(
                f"{str(self.path)!r} is no checkpoint of this version of skmaxev, which reads "
                f"format {FORMAT}, and was left alone. Use the version that wrote it, or give "
                "another path."
            )
        return CheckpointError(
            f"a checkpoint must be a file that skmaxev wrote; {str(self.path)!r} is none, and was "
            "left alone. Give another path."
        )


def is_checkpoint(source: Any) -> bool:
    """Tell whether ``source`` is the path of a checkpoint, or of an SQLite file."""
    if not isinstance(source, str | os.PathLike) or "\n" in os.fspath(source):
        return False
    file = Path(source)
    try:
        if not file.is_file():
            return False
    except OSError:  # no name of a file but a long text
        return False
    with file.open("rb") as stream:
        return stream.read(len(_BEGIN)).startswith((_NAME, _SQLITE))


def finished_searches(path: str | os.PathLike[str]) -> list[dict[str, Any]]:
    """Read the searches that were brought to an end in a checkpoint.

    Parameters
    ----------
    path : str or path-like
        The checkpoint; nothing is written to it.

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
    with CheckpointFile(path, write=False) as file:
        found = [file.read(record) for record in file.records if record.kind == SEARCH]
    return [{**result, "arrays": arrays} for result, arrays in found]


def _head(record: Record) -> bytes:
    kind, key, digest, _, n_text, n_data = record
    head = _HEAD.pack(kind, key, n_text, n_data, digest, 0)[:-4]
    return head + zlib.crc32(head).to_bytes(4, "little")


def _digest(record: Record, payload: tuple[bytes, ...]) -> bytes:
    state = blake2b(digest_size=16)
    for part in (record.kind, record.key, record.n_text.to_bytes(8, "little"), *payload):
        state.update(part)
    return state.digest()


def _encode(
    kind: bytes, key: bytes, value: Any, arrays: Mapping[str, NDArray[Any]]
) -> tuple[Record, tuple[bytes, ...]]:
    parts = {name: _parts(array) for name, array in arrays.items()}
    shapes = {
        name: [flat.dtype.str, labels, arrays[name].shape, flat.nbytes]
        for name, (flat, labels) in parts.items()
    }
    text = json.dumps([value, shapes], default=float).encode()
    payload = text, *(flat.tobytes() for flat, _ in parts.values()), _END
    bare = Record(kind, key.ljust(48, b"\0"), b"", 0, len(text), sum(map(len, payload[1:])))
    return bare._replace(digest=_digest(bare, payload)), payload


def _parts(array: NDArray[Any]) -> tuple[NDArray[Any], tuple[str, list[Any]] | None]:
    """Take an array apart into numbers and, of labels, what the numbers stand for."""
    flat = array.ravel()
    if flat.dtype.kind not in _LABELS:
        return flat, None
    numbers: dict[Any, int] = {}  # by type too: 1 and True are equal
    codes = [numbers.setdefault((type(label), label), len(numbers)) for label in flat.tolist()]
    kind = np.min_scalar_type(len(numbers))
    return np.array(codes, dtype=kind), (flat.dtype.str, [label for _, label in numbers])


def _as_array(dtype: str, labels: list[Any]) -> NDArray[Any]:
    array = np.empty(len(labels), dtype=np.dtype(dtype))
    array[:] = labels
    return array
