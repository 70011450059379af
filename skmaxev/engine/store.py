"""Finished fits in a file, so that a search that was killed goes on where it was.

A row is found again by three digests: of everything that all fits of a search share (data,
estimator, scorer, parameters for both, versions), of the candidate, and of the rows of the fit.
Other data, another scorer or another version have other digests, so one file can serve
many searches without mixing them, and a grid that was made larger repeats no old fit.

Fits that failed are not kept: they are made again, and fail or not, as if for the first time.
"""

from __future__ import annotations

import json
import os
import platform
import sqlite3
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Self

import numpy as np
import scipy
import sklearn
from numpy.typing import NDArray

from skmaxev._checkpoint import (
    array_of,
    damaged,
    open_checkpoint,
    parts_of,
    reading,
    row_digest,
)
from skmaxev._compat import PassthroughScorer
from skmaxev._version import __version__
from skmaxev.engine.fingerprint import fingerprint
from skmaxev.engine.run import run
from skmaxev.engine.types import Fit, Job, Judgement, Pair, Unit

__all__ = ["Checkpoint"]

_SETTINGS = ("transform_output", "enable_metadata_routing", "array_api_dispatch")
"""Settings of scikit-learn that can change a score."""


class Checkpoint:
    """A file that keeps every finished fit of a search, in use as ``with Checkpoint(...) as kept``.

    Parameters
    ----------
    path : str or path-like
        The file; made if it does not exist.
    job : Job
        What all fits of the search share.
    X, y : array-like of n_rows rows
        The whole data; ``y`` may be None.

    Raises
    ------
    CheckpointError
        If the file is damaged or something else.
    FingerprintError
        If a value would not be recognised by another process.

    Notes
    -----
    A ``random_state=None`` of an estimator is inherently random and is let through: each stored fit
    is one of the draws that the search could have made, and is not drawn again.
    """

    def __init__(self, path: str | os.PathLike[str], job: Job, X: Any, y: Any) -> None:
        self._path = path
        self._context = _context(job, X, y)
        self._link = open_checkpoint(path, create=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._link.close()

    def run(
        self,
        job: Job,
        X: Any,
        y: Any,
        pairs: Sequence[Pair],
        *,
        units: Sequence[Unit],
        candidates: Sequence[Mapping[str, Any]],
        **options: Any,
    ) -> Iterator[Fit]:
        """Make fits as `skmaxev.engine.run.run` does, but only those that the file lacks.

        Yields
        ------
        Fit
            First those from the file, with ``restored=True``. Every new one is in the file before
            it is handed over.
        """
        shelf = _Shelf(self._path, self._link, self._context, units, candidates)
        found = set()
        for fit in shelf.finished(pairs, with_rows=bool(job.keep)):
            found.add((fit.unit, fit.candidate))
            yield fit
        missing = [pair for pair in pairs if pair not in found]
        if missing:
            new = run(job, X, y, missing, units=units, candidates=candidates, **options)
            for fit in new:
                shelf.keep(fit)
                yield fit

    def finish(self, result: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> None:
        """Write what the finished search leaves, for `skmaxev.correct` to read later.

        Parameters
        ----------
        result : mapping
            Numbers, texts and lists of them.
        arrays : mapping of str to ndarray
            What is too long for that, by name.
        """
        text = json.dumps(result)
        digest = row_digest(self._context, text)
        row = self._context, time.time(), text, digest
        with reading(self._path), self._link:
            self._link.execute("BEGIN IMMEDIATE")
            same = self._link.execute("SELECT 1 FROM search WHERE digest = ?", (digest,))
            if same.fetchone() is None:
                self._link.execute("INSERT INTO search VALUES (?, ?, ?, ?)", row)
                for name, array in arrays.items():
                    parts = parts_of(array)
                    own = row_digest(digest, name, *parts)
                    self._link.execute(
                        "INSERT INTO array VALUES (?, ?, ?, ?, ?, ?)", (digest, name, *parts, own)
                    )


class _Shelf:
    """The fits of one plan in an open checkpoint."""

    def __init__(
        self,
        path: str | os.PathLike[str],
        link: sqlite3.Connection,
        context: bytes,
        units: Sequence[Unit],
        candidates: Sequence[Mapping[str, Any]],
    ) -> None:
        self._path, self._link, self._context = path, link, context
        self._candidates = [
            _bytes(dict(params), name=f"candidate {number}")
            for number, params in enumerate(candidates)
        ]
        self._trains = [_bytes(_rows(unit), name="rows") for unit in units]

    def finished(self, pairs: Sequence[Pair], *, with_rows: bool) -> Iterator[Fit]:
        """Read those of some fits that are there, in their order; each must be as it was written.

        Results of single rows are read with their fit, so that one fit's are in memory at a time.
        """
        with reading(self._path):
            rows = self._link.execute(
                "SELECT candidate, train, result, digest FROM fit WHERE context = ?",
                (self._context,),
            )
            there = {row[:2]: row[2:] for row in rows}
        for unit, number in pairs:
            key = self._candidates[number], self._trains[unit]
            if key in there:
                result, digest = there[key]
                self._check(digest, *key, result)
                yield _as_fit(result, unit, number, self._responses(key) if with_rows else {})

    def _responses(self, key: tuple[bytes, bytes]) -> dict[int, NDArray[Any]]:
        found: dict[int, NDArray[Any]] = {}
        with reading(self._path):
            rows = self._link.execute(
                "SELECT judged, dtype, shape, data, digest FROM response "
                "WHERE context = ? AND candidate = ? AND train = ?",
                (self._context, *key),
            ).fetchall()
        for judged, dtype, shape, data, digest in rows:
            self._check(digest, *key, str(judged), dtype, shape, data)
            found[judged] = array_of(dtype, shape, data)
        return found

    def _check(self, digest: bytes, *parts: bytes | str) -> None:
        if row_digest(self._context, *parts) != digest:
            raise damaged(self._path, "a fit is not as it was written")

    def keep(self, fit: Fit) -> None:
        """Write a finished fit; one that failed is left out."""
        if _succeeded(fit):
            with reading(self._path), self._link:  # all or nothing
                self._link.execute("BEGIN IMMEDIATE")
                self._write(fit)

    def _write(self, fit: Fit) -> None:
        key = self._context, self._candidates[fit.candidate], self._trains[fit.unit]
        result = _as_text(fit)
        row = (*key, result, row_digest(*key, result))
        self._link.execute("INSERT OR IGNORE INTO fit VALUES (?, ?, ?, ?, ?)", row)
        for number, judgement in enumerate(fit.judged):
            if judgement.response is not None:
                parts = parts_of(judgement.response)
                digest = row_digest(*key, str(number), *parts)
                self._link.execute(
                    "INSERT OR IGNORE INTO response VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                    (*key, number, *parts, digest),
                )


def _rows(unit: Unit) -> tuple[Any, ...]:
    """Say what a fit is trained and judged on, and where the search itself judges."""
    own = [any(place.level == "search" for place in places) for places in unit.places]
    return unit.train, unit.judged, own


def _bytes(value: Any, *, name: str) -> bytes:
    return bytes.fromhex(fingerprint(value, name=name))


def _context(job: Job, X: Any, y: Any) -> bytes:
    """Digest everything but candidate and rows that a score depends on."""
    settings = sklearn.get_config()
    versions = (
        __version__,
        sklearn.__version__,
        np.__version__,
        scipy.__version__,
    )
    parts = {
        "X": X,
        "y": y,
        "estimator": sklearn.clone(job.estimator),
        "scoring": "its own" if isinstance(job.scorer, PassthroughScorer) else job.scorer,
        "fit parameters": sorted(job.fit_params.items()),
        "score parameters": sorted(job.score_params.items()),
        "kept": (job.train_scores, job.keep),
        "settings": [settings.get(name) for name in _SETTINGS],
        "versions": (*versions, platform.python_version()),
    }
    return _bytes([_bytes(part, name=name) for name, part in parts.items()], name="search")


def _succeeded(fit: Fit) -> bool:
    judged = (*fit.judged, *((fit.train,) if fit.train else ()))
    return fit.error is None and not any(judgement.failures for judgement in judged)


def _as_text(fit: Fit) -> str:
    """Write a fit as JSON, which keeps every bit of a float."""
    train = None if fit.train is None else _as_list(fit.train)
    judged = [_as_list(judgement) for judgement in fit.judged]
    return json.dumps([fit.seconds, judged, train], default=float)


def _as_list(judgement: Judgement) -> list[Any]:
    return [judgement.scores, judgement.n_rows, judgement.seconds]


def _as_fit(text: str, unit: int, candidate: int, responses: Mapping[int, NDArray[Any]]) -> Fit:
    seconds, judged, train = json.loads(text)
    return Fit(
        unit,
        candidate,
        seconds,
        None,
        tuple(_as_judgement(row, responses.get(number)) for number, row in enumerate(judged)),
        None if train is None else _as_judgement(train, None),
        restored=True,
    )


def _as_judgement(row: Sequence[Any], response: NDArray[Any] | None) -> Judgement:
    scores, n_rows, seconds = row
    return Judgement(scores, {}, n_rows, seconds, response)
