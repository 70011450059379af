"""Finished fits in a file, so that a search that was killed goes on where it was.

A row is found again by three digests: of everything that all fits of a search share (data,
estimator, scorer, parameters for both, versions), of the candidate, and of the rows of the fit.
Other data, another scorer or another version have other digests, so one file can serve
many searches without mixing them, and a grid that was made larger repeats no old fit.

Fits that failed are not kept: they are made again, and fail or not, as if for the first time.
"""

from __future__ import annotations

import os
import platform
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import scipy
import sklearn
from numpy.typing import NDArray

from skmaxev._checkpoint import FIT, SEARCH, CheckpointFile
from skmaxev._compat import PassthroughScorer
from skmaxev._version import __version__
from skmaxev.engine.fingerprint import fingerprint
from skmaxev.engine.types import Fit, Job, Judgement, Pair, Unit

__all__ = ["FitStore"]

_SETTINGS = ("transform_output", "enable_metadata_routing", "array_api_dispatch")
"""Settings of scikit-learn that can change a score."""


class FitStore:
    """A file that keeps every finished fit of a search.

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
        If the file is damaged, in use, or something else.
    FingerprintError
        If a value would not be recognised by another process.

    Notes
    -----
    A ``random_state=None`` of an estimator is inherently random and is let through: each stored fit
    is one of the draws that the search could have made, and is not drawn again.
    """

    def __init__(self, path: str | os.PathLike[str], job: Job, X: Any, y: Any) -> None:
        self._context = _context(job, X, y)
        self._file = CheckpointFile(path, write=True)
        self._candidates: list[bytes] = []
        self._trains: list[bytes] = []

    def close(self) -> None:
        """Let other processes write to the file."""
        self._file.close()

    def finished(
        self,
        pairs: Sequence[Pair],
        *,
        units: Sequence[Unit],
        candidates: Sequence[Mapping[str, Any]],
    ) -> Iterator[Fit]:
        """Read those of some fits that are there, in their order, with ``restored=True``.

        They are read as they are asked for, so that one fit's predictions are in memory at a time.
        """
        self._candidates = [
            _bytes(dict(params), name=f"candidate {number}")
            for number, params in enumerate(candidates)
        ]
        self._trains = [_bytes(_rows(unit), name="rows") for unit in units]
        there = {record.key: record for record in self._file.records if record.kind == FIT}
        for unit, candidate in pairs:
            record = there.get(self._key(unit, candidate))
            if record is not None:
                (seconds, rows, train), responses = self._file.read(record)
                judged = tuple(
                    Judgement(*row)._replace(response=responses.get(str(number)))
                    for number, row in enumerate(rows)
                )
                own = None if train is None else Judgement(*train)
                yield Fit(unit, candidate, seconds, None, judged, own, restored=True)

    def keep(self, fit: Fit) -> None:
        """Write a finished fit of those that were asked for; one that failed is left out."""
        judgements = (*fit.judged, *((fit.train,) if fit.train else ()))
        if fit.error is None and not any(judgement.failures for judgement in judgements):
            responses = {str(number): judged.response for number, judged in enumerate(fit.judged)}
            self._file.append(
                FIT,
                self._key(fit.unit, fit.candidate),
                [fit.seconds, [judged[:4] for judged in fit.judged], fit.train and fit.train[:4]],
                {name: values for name, values in responses.items() if values is not None},
            )

    def finish(self, result: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> None:
        """Write what the finished search leaves, for `skmaxev.correct` to read later.

        Parameters
        ----------
        result : mapping
            Numbers, texts and lists of them.
        arrays : mapping of str to ndarray
            What is too long for that, by name.
        """
        self._file.append(SEARCH, self._context, result, arrays)

    def _key(self, unit: int, candidate: int) -> bytes:
        return self._context + self._candidates[candidate] + self._trains[unit]


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
