"""Reader of estimators that search by themselves along a path, such as LassoCV."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skmaxev.readers.arrays import as_floats
from skmaxev.readers.build import build_table
from skmaxev.table import ScoreTable, UncorrectableError

__all__ = ["from_path", "is_path"]

FloatArray = NDArray[np.float64]

_ONE_TARGET = 2  # axes: rows and settings


def is_path(model: Any) -> bool:
    """Tell whether a fitted estimator keeps the scores of its splits, as no search does."""
    kept = getattr(model, "cv_results_", None)  # of RidgeCV, an array
    by_class = hasattr(model, "scores_") and hasattr(model, "Cs_")
    return (
        hasattr(model, "mse_path_") or by_class or (isinstance(kept, np.ndarray) and kept.ndim > 1)
    )


def from_path(model: Any, *, metric: str | None = None) -> ScoreTable:
    """Read the scores that an estimator of scikit-learn's keeps of its own search.

    LassoCV and its like with ``mse_path_``, LogisticRegressionCV with ``scores_``, RidgeCV of one
    target with ``store_cv_results=True`` and without ``scoring``, whose squared errors are those of
    single rows. Squared errors stay losses.
    """
    if hasattr(model, "mse_path_"):
        return _errors(model, metric)
    return _of_classifier(model, metric) if hasattr(model, "scores_") else _of_rows(model, metric)


def _errors(model: Any, metric: str | None) -> ScoreTable:
    path = as_floats(model.mse_path_, "mse_path_")  # (..., n_alphas, n_splits)
    alphas = np.asarray(getattr(model, "cv_alphas_", getattr(model, "alphas_", ())))
    sizes = path.shape[:-1]
    settings = [{"alpha": alpha} for alpha in np.broadcast_to(alphas, sizes).ravel()]
    if len(sizes) > 1:
        ratios = np.repeat(np.atleast_1d(model.l1_ratio), sizes[-1])
        settings = [{"l1_ratio": ratio, **one} for ratio, one in zip(ratios, settings, strict=True)]
    return _table(model, path.reshape(-1, path.shape[-1]).T, settings, metric=metric)


def _of_classifier(model: Any, metric: str | None) -> ScoreTable:
    by_class = isinstance(model.scores_, Mapping)
    every = model.scores_.values() if by_class else [model.scores_]
    first, *others = [as_floats(one, "scores_") for one in every]
    if not all(np.array_equal(one, first, equal_nan=True) for one in others):
        raise UncorrectableError(
            "all classes must share their scores; this LogisticRegressionCV fitted one model a "
            "class, each with scores of its own. Pass those of one class, "
            "correct(model.scores_[label].reshape(n_folds, -1))."
        )
    values = {"C": model.Cs_, "l1_ratio": getattr(model, "l1_ratios_", None)}
    names = ["C", "l1_ratio"] if by_class else ["l1_ratio", "C"]
    names = names if first.ndim > len(names) else ["C"]
    grid = product(*(values[name] for name in names))
    scoring = getattr(model, "scoring", None)
    if metric is None and isinstance(scoring, str) and scoring != "warn":
        metric = scoring
    return _table(
        model,
        first.reshape(len(first), -1),
        [dict(zip(names, found, strict=True)) for found in grid],
        metric=metric or ("score" if callable(scoring) else "accuracy"),
        losses=False,
    )


def _of_rows(model: Any, metric: str | None) -> ScoreTable:
    errors, scoring = as_floats(model.cv_results_, "cv_results_"), getattr(model, "scoring", None)
    if errors.ndim > _ONE_TARGET or scoring is not None:
        raise UncorrectableError(
            f"cv_results_ of {type(model).__name__} must hold squared errors of one target; got "
            f"shape {errors.shape} and scoring={scoring!r}. Search with GridSearchCV(Ridge(), "
            "{'alpha': [...]}) instead."
        )
    settings = [{"alpha": alpha} for alpha in np.ravel(model.alphas)]
    ones = np.ones(len(errors), dtype=np.intp)
    sizes: dict[str, Any] = {"n_test": ones, "n_train": (len(errors) - 1) * ones}
    return _table(model, errors, settings, metric=metric, **sizes)


def _table(
    model: Any,
    scores: FloatArray,
    settings: Sequence[Mapping[str, Any]],
    *,
    metric: str | None,
    losses: bool = True,
    **sizes: Any,
) -> ScoreTable:
    """Make the table with the estimator's own winner, which weights may have moved."""
    chosen = {name: np.ravel(getattr(model, f"{name}_"))[0] for name in settings[0]}
    winner = next((i for i, found in enumerate(settings) if found == chosen), None)
    note = (
        "The final model has none of the settings that were scored; the best of them is corrected."
    )
    return build_table(
        scores,
        metric=metric or "mean squared error",
        greater_is_better=not losses,
        best_index=winner,
        params=settings,
        source=type(model).__name__,
        notes=(note,) if winner is None else (),
        **sizes,
    )
