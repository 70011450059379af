"""Predictions that a scorer asks a model for, captured so that they are not made twice."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import wraps
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skmaxev._compat import num_samples
from skmaxev.engine.types import Fit, Split, Unit

__all__ = ["Responses", "capture", "response_of"]

Captured = dict[str, Any]
METHODS = {
    "label": ("predict",),
    "number": ("predict",),
    "score": ("decision_function", "predict_proba"),
    "chance": ("predict_proba",),
}
"""Kinds of predictions, with the methods that scorers call for them."""


@contextmanager
def capture(estimator: Any, kind: str, X: Any) -> Iterator[Captured]:
    """Listen to a fitted model while it is scored.

    Scorers look at the model itself, so that its own methods are covered for the time: asking
    again instead would double the cost of scoring.

    Parameters
    ----------
    estimator : estimator
        Fitted. Its methods are covered for the length of the ``with`` block and then uncovered; a
        model that does not allow this is scored all the same, and nothing is captured.
    kind : str
        Key of `METHODS`.
    X : array-like
        The rows that are judged.

    Yields
    ------
    dict
        Filled with the answer of each method that was called with as many rows as ``X`` has.
    """
    captured: Captured = {}
    n_rows = num_samples(X)
    covered = [
        (model, name)
        for model in _models(estimator)
        for name in METHODS[kind]
        if _cover(model, name, n_rows, captured)
    ]
    try:
        yield captured
    finally:
        for model, name in covered:
            with suppress(AttributeError):
                delattr(model, name)


def _models(estimator: Any) -> list[Any]:
    """List what may be asked: a pipeline's own ``score`` goes round it, to its last step."""
    models = [estimator]
    while hasattr(models[-1], "steps"):
        models.append(models[-1].steps[-1][1])
    return models


def _cover(estimator: Any, name: str, n_rows: int, captured: Captured) -> bool:
    method = getattr(estimator, name, None)
    if method is None or name in getattr(estimator, "__dict__", {name: None}):
        return False

    @wraps(method)
    def listening(data: Any, *args: Any, **kwargs: Any) -> Any:
        answer = method(data, *args, **kwargs)
        if num_samples(data) == n_rows:
            captured[name] = answer
        return answer

    try:
        setattr(estimator, name, listening)
    except (AttributeError, TypeError):
        return False
    return True


def response_of(captured: Captured, kind: str) -> NDArray[Any] | None:
    """Give what was captured as one array, or None where that cannot be done.

    Returns
    -------
    ndarray of shape (n_rows,) or (n_rows, n_classes), or None
        Of two classes the probability of the second. All keep their precision: nearly 1 is not 1,
        and decisions that are nearly the same still rank the rows.
    """
    if not captured:
        return None
    try:
        answer = np.asarray(next(iter(captured.values())))
    except (RuntimeError, TypeError):  # on another device
        return None
    if answer.dtype == object:
        answer = np.asarray(answer.tolist())
    if answer.ndim == 2 and answer.shape[1] == 2 and kind in {"score", "chance"}:
        answer = answer[:, 1]
    if answer.ndim != 1 and not (answer.ndim == 2 and kind == "chance"):
        return None
    if kind == "label":
        return answer if answer.dtype.kind in "biufUS" else None
    if answer.dtype.kind not in "biuf":
        return None
    return answer


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
