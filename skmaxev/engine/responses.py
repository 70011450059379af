"""Predictions that a scorer asks a model for, overheard so that they are not made twice."""

from __future__ import annotations

from collections.abc import Iterator
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


def row_results(heard: Heard, metric: str, y: Any) -> NDArray[np.float32] | None:
    """Turn what was heard into one number a row, or None where that cannot be done.

    Returns
    -------
    ndarray of shape (n_rows,) or None
        Score of each row, higher is better; for "roc_auc" the response for the positive class.
    """
    if not heard or y is None:
        return None
    try:
        answer, truth = np.asarray(next(iter(heard.values()))), np.asarray(y)
    except (RuntimeError, TypeError):  # they lie on another device
        return None
    if metric == "roc_auc":
        answer = answer[:, 1] if answer.ndim == 2 and answer.shape[1] == 2 else answer
        return answer.astype(np.float32) if answer.ndim == 1 else None
    if answer.ndim != 1 or truth.shape != answer.shape:
        return None
    if metric == "accuracy":
        return np.asarray(answer == truth, dtype=np.float32)
    error = np.abs(truth.astype(np.float64) - answer)
    return (-(error**2) if metric == "neg_mean_squared_error" else -error).astype(np.float32)
