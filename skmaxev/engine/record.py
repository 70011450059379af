"""Scores of finished fits in arrays, found again by their place in the search."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skmaxev.engine.plan import Plan
from skmaxev.engine.types import Fit, Judgement, Place

__all__ = ["SINGLE", "Record"]

FloatArray = NDArray[np.float64]
SINGLE = "score"
"""Name of the metric where there is only one."""


class Record:
    """What the fits of a plan gave, in memory linear in the number of judged sets.

    Parameters
    ----------
    plan : Plan
        The fits, each made once.
    n_candidates : int
        Candidates, each fitted on every unit.
    error_score : float or "raise"
        Score of what failed.

    Attributes
    ----------
    multimetric : bool
        Whether the scorer gives a dict.
    errors : dict of (int, int) to str
        Traceback of each failed fit, by unit and candidate.
    failures : dict of (int, int) to dict
        Tracebacks of failed scorers, by judged set and candidate.
    n_fits : int
        Fits added.
    n_restored : int
        Those that came out of a checkpoint.
    n_reused : int
        Pipeline steps that were not fitted, because another candidate had fitted them.
    n_derived : int
        Models that were cut out of another candidate's.
    """

    def __init__(self, plan: Plan, n_candidates: int, error_score: float | str) -> None:
        self._plan, self.n_candidates = plan, n_candidates
        self.error_score = error_score
        self._first = np.concatenate([[0], np.cumsum(plan.n_judged)])
        self._scores: dict[str, FloatArray] = {}
        self._train: dict[str, FloatArray] = {}
        self._score_seconds = np.zeros((int(self._first[-1]), n_candidates))
        self._fit_seconds = np.zeros((len(plan.units), n_candidates))
        self.multimetric = False
        self.errors: dict[tuple[int, int], str] = {}
        self.failures: dict[tuple[int, int], dict[str, str]] = {}
        self.train_failures: dict[tuple[int, int], dict[str, str]] = {}
        self.n_fits = self.n_restored = self.n_reused = self.n_derived = 0

    @property
    def metrics(self) -> tuple[str, ...]:
        """Names of the metrics; ``("score",)`` for a single one. None before the first score."""
        return tuple(self._scores)

    def add(self, fit: Fit) -> None:
        """Take in a finished fit."""
        self.n_fits += 1
        self.n_restored += fit.restored
        self.n_reused += fit.n_reused
        self.n_derived += fit.derived
        self._fit_seconds[fit.unit, fit.candidate] = fit.seconds
        if fit.error is not None:
            self.errors[fit.unit, fit.candidate] = fit.error
        for row, judgement in enumerate(fit.judged, start=int(self._first[fit.unit])):
            self._put(self._scores, len(self._score_seconds), row, fit.candidate, judgement)
            self._score_seconds[row, fit.candidate] = judgement.seconds
            if judgement.failures:
                self.failures[row, fit.candidate] = judgement.failures
        if fit.train is not None:
            self._put(self._train, len(self._plan.units), fit.unit, fit.candidate, fit.train)
            if fit.train.failures:
                self.train_failures[fit.unit, fit.candidate] = fit.train.failures

    def count(self, other: Record) -> None:
        """Count the fits of a second step of the same search."""
        self.n_fits += other.n_fits
        self.n_restored += other.n_restored
        self.n_reused += other.n_reused
        self.n_derived += other.n_derived

    def _put(
        self,
        arrays: dict[str, FloatArray],
        n_rows: int,
        row: int,
        candidate: int,
        judgement: Judgement,
    ) -> None:
        scores = judgement.scores
        self.multimetric |= isinstance(scores, dict)
        for name, score in (scores if isinstance(scores, dict) else {SINGLE: scores}).items():
            if name not in arrays:
                filler = np.nan if self.error_score == "raise" else self.error_score
                arrays[name] = np.full((n_rows, self.n_candidates), filler, dtype=np.float64)
            arrays[name][row, candidate] = score

    def scores(self, places: Sequence[Place], metric: str) -> FloatArray:
        """Gather scores, ``error_score`` where a fit or a scorer failed.

        Returns
        -------
        ndarray of shape (n_candidates, n_places)
            In C order, so that means over places are those of scikit-learn to the last bit.
        """
        return np.ascontiguousarray(self._scores[metric][self.numbers(places)].T)

    def failed(self, places: Sequence[Place], metric: str) -> NDArray[np.bool_]:
        """Tell which scores stand for a failed fit or scorer, of shape (n_candidates, n_places)."""
        failed = np.zeros((self.n_candidates, len(places)), dtype=bool)
        for column, place in enumerate(places):
            unit, _ = self._plan.where[place]
            row = self.numbers([place])[0]
            for candidate in range(self.n_candidates) if self.errors or self.failures else ():
                failed[candidate, column] = (unit, candidate) in self.errors or (
                    metric in self.failures.get((row, candidate), ())
                )
        return failed

    def numbers(self, places: Sequence[Place]) -> list[int]:
        """Number the judged sets behind these places, counted over all units."""
        found = (self._plan.where[place] for place in places)
        return [int(self._first[unit]) + judged for unit, judged in found]

    def as_scikit_learn(self, places: Sequence[Place], *, train: bool) -> list[dict[str, Any]]:
        """Give the results in the form in which scikit-learn's searches make them.

        Parameters
        ----------
        places : sequence of Place
            The splits.
        train : bool
            Whether to give the scores on the training rows.

        Returns
        -------
        list of dict
            One for each candidate and split, the splits of a candidate together.
        """
        rows = self.numbers(places)
        return [
            self._one(place, row, candidate, train=train)
            for candidate in range(self.n_candidates)
            for place, row in zip(places, rows, strict=True)
        ]

    def _one(self, place: Place, row: int, candidate: int, *, train: bool) -> dict[str, Any]:
        unit, _ = self._plan.where[place]
        result = {
            "fit_error": self.errors.get((unit, candidate)),
            "test_scores": self._value(self._scores, row, candidate),
            "fit_time": self._fit_seconds[unit, candidate],
            "score_time": self._score_seconds[row, candidate],
        }
        if train:
            result["train_scores"] = self._value(self._train, unit, candidate)
        return result

    def _value(self, arrays: dict[str, FloatArray], row: int, candidate: int) -> Any:
        scores = {name: float(array[row, candidate]) for name, array in arrays.items()}
        return scores if self.multimetric else scores.get(SINGLE, self.error_score)
