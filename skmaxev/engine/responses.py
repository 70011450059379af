"""Predictions that a scorer asks a model for, overheard so that they are not made twice."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import wraps
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skmaxev._compat import num_samples

__all__ = ["METHODS", "overhear", "row_results"]

Heard = dict[str, Any]
METHODS = {
    "accuracy": ("predict",),
    "neg_mean_squared_error": ("predict",),
    "neg_mean_absolute_error": ("predict",),
    "roc_auc": ("decision_function", "predict_proba"),
    "neg_log_loss": ("predict_proba",),
    "neg_brier_score": ("predict_proba",),
}
"""Metrics whose rows can be kept one by one, with the methods that their scorers call."""


@contextmanager
def overhear(estimator: Any, metric: str, X: Any) -> Iterator[Heard]:
    """Listen to a fitted model while it is scored.

    Parameters
    ----------
    estimator : estimator
        Fitted. Its methods are covered for the length of the ``with`` block and then uncovered; a
        model that does not allow this is scored all the same, and nothing is heard.
    metric : str
        Key of `METHODS`.
    X : array-like
        The rows that are judged.

    Yields
    ------
    dict
        Filled with the answer of each method that was called with as many rows as ``X`` has.
    """
    heard: Heard = {}
    n_rows = num_samples(X)
    covered = [
        (model, name)
        for model in _models(estimator)
        for name in METHODS[metric]
        if _cover(model, name, n_rows, heard)
    ]
    try:
        yield heard
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


def _cover(estimator: Any, name: str, n_rows: int, heard: Heard) -> bool:
    method = getattr(estimator, name, None)
    if method is None or name in getattr(estimator, "__dict__", {name: None}):
        return False

    @wraps(method)
    def listening(data: Any, *args: Any, **kwargs: Any) -> Any:
        answer = method(data, *args, **kwargs)
        if num_samples(data) == n_rows:
            heard[name] = answer
        return answer

    try:
        setattr(estimator, name, listening)
    except (AttributeError, TypeError):
        return False
    return True


def row_results(
    heard: Heard, metric: str, y: Any, classes: Any = None
) -> NDArray[np.float32] | None:
    """Turn what was heard into one number a row, or None where that cannot be done.

    Parameters
    ----------
    heard : dict
        As `overhear` leaves it.
    metric : str
        Key of `METHODS`.
    y : array-like of shape (n_rows,)
        Target of the rows; None gives None.
    classes : array-like of shape (n_classes,), optional
        Classes of the fitted model, in the order of its probabilities.

    Returns
    -------
    ndarray of shape (n_rows,) or None
        Score of each row, higher is better: their mean is the score of the rows but for rounding to
        32 bits. For "roc_auc" the response for the positive class.
    """
    if not heard or y is None:
        return None
    try:
        answer, truth = np.asarray(next(iter(heard.values()))), np.asarray(y)
        rows = _ROWS[metric](answer, truth, classes)
    except (RuntimeError, TypeError):  # on another device, or labels that have no order
        return None
    return None if rows is None else rows.astype(np.float32)


Rows = NDArray[Any] | None


def _responses(answer: NDArray[Any], truth: NDArray[Any], classes: Any) -> Rows:  # noqa: ARG001
    answer = answer[:, 1] if answer.ndim == 2 and answer.shape[1] == 2 else answer
    return answer if answer.ndim == truth.ndim == 1 else None


def _right(answer: NDArray[Any], truth: NDArray[Any], classes: Any) -> Rows:  # noqa: ARG001
    return np.asarray(answer == truth) if answer.ndim == 1 and truth.ndim == 1 else None


def _errors(answer: NDArray[Any], truth: NDArray[Any], classes: Any) -> Rows:  # noqa: ARG001
    if answer.ndim != 1 or truth.ndim != 1:
        return None
    return np.asarray(-np.abs(truth.astype(np.float64) - answer))


def _squares(answer: NDArray[Any], truth: NDArray[Any], classes: Any) -> Rows:
    errors = _errors(answer, truth, classes)
    return None if errors is None else -(errors**2)


def _log_likelihoods(answer: NDArray[Any], truth: NDArray[Any], classes: Any) -> Rows:  # noqa: ARG001
    """Take the logarithm of the true class's probability, kept off 0 and 1 as `log_loss` does.

    That one takes the classes for those of the rows, and fails if there are others.
    """
    labels = np.unique(truth)
    if truth.ndim != 1 or answer.shape != (len(truth), len(labels)) or len(labels) < 2:
        return None
    if len(labels) == 2:
        chance = np.where(truth == labels[1], answer[:, 1], 1 - answer[:, 1])
    else:
        chance = answer[np.arange(len(truth)), np.searchsorted(labels, truth)]
    chance = chance if chance.dtype.kind == "f" else chance.astype(np.float64)
    smallest = np.finfo(chance.dtype).eps
    return np.asarray(np.log(np.clip(chance, smallest, 1 - smallest)))


def _brier(answer: NDArray[Any], truth: NDArray[Any], classes: Any) -> Rows:
    """Square the error of the second class's probability; for two classes only."""
    if truth.ndim != 1 or answer.shape != (len(truth), 2) or len(np.asarray(classes)) != 2:
        return None
    return np.asarray(-((answer[:, 1] - (truth == np.asarray(classes)[1])) ** 2))


_ROWS: dict[str, Callable[[NDArray[Any], NDArray[Any], Any], Rows]] = {
    "accuracy": _right,
    "neg_mean_squared_error": _squares,
    "neg_mean_absolute_error": _errors,
    "roc_auc": _responses,
    "neg_log_loss": _log_likelihoods,
    "neg_brier_score": _brier,
}
