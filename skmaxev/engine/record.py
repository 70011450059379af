"""Scores of finished fits in arrays, predictions for single rows, and what failed."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import FitFailedWarning
from sklearn.utils.multiclass import type_of_target

from skmaxev._compat import warn_or_raise_about_fit_failures
from skmaxev.engine.plan import Plan
from skmaxev.engine.splits import describe_rows
from skmaxev.engine.types import Fit, Judgement, Place, Split, Unit

__all__ = ["SINGLE", "Record", "Responses", "report_failures", "report_nested_failures"]

FloatArray = NDArray[np.float64]
SINGLE = "score"
"""Name of the metric where there is only one."""
_MOST_COMPARED = 1000
"""Sets of training rows that are looked at for the smallest one."""


class Record:
    """What the fits of a plan gave, in memory linear in the number of judged sets.

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

        Of shape (n_candidates, n_places), in C order, so that means over places are those of
        scikit-learn to the last bit.
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
        """Give the results as scikit-learn's searches make them, a dict for each fit.

        The splits of a candidate come together; ``train`` adds the scores on the training rows.
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


class Responses:
    """Takes the predictions out of finished fits, for all candidates and rows.

    Parameters
    ----------
    splits : sequence of Split
        Splits of the search, partition after partition.
    n_repeats : int
        Partitions of the rows.
    n_rows, n_candidates : int
        Size of the search.
    classes : ndarray of shape (n_classes,), optional
        Labels, where they are predicted; they are then kept by their number.
    """

    def __init__(
        self,
        splits: Sequence[Split],
        *,
        n_repeats: int,
        n_rows: int,
        n_candidates: int,
        classes: NDArray[Any] | None = None,
    ) -> None:
        self._n_folds, self._classes = len(splits) // n_repeats, classes
        self._shape = n_candidates, n_repeats, n_rows
        self.test_fold = np.full((n_repeats, n_rows), -1, dtype=np.intp)
        for number, split in enumerate(splits):
            self.test_fold[number // self._n_folds, split.test] = number
        self.values: NDArray[Any] | None = None

    def take(self, fit: Fit, units: Sequence[Unit]) -> None:
        """Take in a fit; what a candidate does not predict stays NaN."""
        for judgement, rows, places in zip(
            fit.judged, units[fit.unit].judged, units[fit.unit].places, strict=False
        ):
            splits = [place.split for place in places if place.level == "search"]
            if splits and judgement.response is not None:
                for split in splits:
                    self._put(fit.candidate, split // self._n_folds, rows, judgement.response)

    def _put(
        self, candidate: int, repeat: int, rows: NDArray[np.intp], response: NDArray[Any]
    ) -> None:
        numbers = response if self._classes is None else self._numbered(response)
        if self.values is None:
            shape = (*self._shape, *numbers.shape[1:])
            self.values = np.full(shape, np.nan, dtype=np.result_type(numbers, np.float32))
        if numbers.shape[1:] == self.values.shape[3:]:  # or a class is missing in training
            self.values[candidate, repeat, rows] = numbers

    def _numbered(self, labels: NDArray[Any]) -> NDArray[np.float32]:
        if self._classes is None or not np.isin(labels, self._classes).all():
            return np.full(labels.shape, np.nan, dtype=np.float32)
        return np.searchsorted(self._classes, labels).astype(np.float32)


def report_failures(record: Record, plan: Plan, places: Sequence[Place], y: Any) -> None:
    """Tell about failures: of the search itself as scikit-learn does, of nested folds once.

    ``places`` are the splits of the search itself, ``y`` is the target of a classifier. If all fits
    of the search failed, the ValueError is scikit-learn's.
    """
    for tracebacks in (*_scorers(record, places), *record.train_failures.values()):
        for details in tracebacks.values():
            warnings.warn(
                "Scoring failed. The score on this train-test partition for these parameters will "
                f"be set to {record.error_score}. Details: \n{details}",
                UserWarning,
                stacklevel=2,
            )
    output = record.as_scikit_learn(places, train=False)
    warn_or_raise_about_fit_failures(output, record.error_score)
    report_nested_failures(record, plan, plan.splits, y)


def _scorers(record: Record, places: Sequence[Place]) -> list[dict[str, str]]:
    rows = set(record.numbers(places))
    return [found for (row, _), found in sorted(record.failures.items()) if row in rows]


def report_nested_failures(record: Record, plan: Plan, splits: Sequence[Split], y: Any) -> None:
    """Warn once about fits, and once about scorers, that failed in nested folds only.

    Of the fits it is said what they trained on, beside the ``splits`` of the search itself.
    """
    failed = {unit for unit, _ in record.errors}
    nested = {number for number in failed if plan.units[number].search_split is None}
    errors = Counter(text for (unit, _), text in record.errors.items() if unit in nested)
    if errors:
        some, classes = sorted(nested)[:_MOST_COMPARED], _classes(y)
        inside = _smallest((plan.units[number].train for number in some), classes)
        own = _smallest((split.train for split in splits), classes)
        details = "\n".join(f"{count} fits failed with:\n{text}" for text, count in errors.items())
        warnings.warn(
            f"Nested folds: {errors.total()} fits inside outer folds failed. These models train on "
            f"fewer rows than those of the search itself, where they may have fitted: {inside}; "
            f"the search itself: {own}. Their scores are set to {_score_of(record)}. Use more "
            f"folds, which leave more rows, or settings that need fewer.\n{details}",
            FitFailedWarning,
            stacklevel=2,
        )
    _report_nested_scorers(record, plan)


def _report_nested_scorers(record: Record, plan: Plan) -> None:
    own = [Place("search", -1, number) for number in range(len(plan.splits))]
    told = {text for found in _scorers(record, own) for text in found.values()}
    rows = set(record.numbers(own))
    failures = [found for (row, _), found in record.failures.items() if row not in rows]
    errors = Counter(text for found in failures for text in found.values() if text not in told)
    if errors:
        details = "\n".join(
            f"{count} scores failed with:\n{text}" for text, count in errors.items()
        )
        warnings.warn(
            f"Nested folds: {errors.total()} scores inside outer folds failed. They are set to "
            f"{_score_of(record)}.\n{details}",
            UserWarning,
            stacklevel=2,
        )


def _score_of(record: Record) -> float:
    """Give the score of a failed nested fit; where errors are raised, only some of them are."""
    return np.nan if isinstance(record.error_score, str) else record.error_score


def _classes(y: Any) -> NDArray[Any] | None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # scikit-learn has warned of many classes
        known = y is not None and type_of_target(y) in {"binary", "multiclass"}
    try:
        return np.asarray(y) if known else None
    except (RuntimeError, TypeError):  # on another device
        return None


def _smallest(trains: Iterable[NDArray[np.intp]], classes: NDArray[Any] | None) -> str:
    """Describe the training rows with the fewest members of some class, or the fewest at all."""

    def rarest(rows: NDArray[np.intp]) -> tuple[int, int]:
        if classes is None:
            return len(rows), 0
        return int(np.unique(classes[rows], return_counts=True)[1].min()), len(rows)

    rows = min(trains, key=rarest)
    return describe_rows(len(rows), None if classes is None else classes[rows])
