"""How a fitted model is cut down to a smaller one: private attributes of scikit-learn's estimators.

What is left out never gives the bits of a fit of its own: depth, warm-started paths, iterations
of solvers, draws without a seed, out-of-bag scores.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

__all__ = ["FAMILIES", "TESTED", "SubmodelAxis"]

TESTED = {"sklearn": ("1.6", "1.9")}
"""Versions whose derived models the tests compare with fits of their own, by package."""
_MOST_BINNED = 200_000
"""Rows above which histogram gradient boosting draws those that it finds its bins by."""
_MOST_WITHOUT_STOPPING = 10_000
"""Rows above which it stops early by itself, and draws rows for that."""


def proportional(value: Any, base: Any) -> float:
    """Give the part of a fit's time that one with a smaller value takes."""
    return float(value / base)


def _always(model: Any, n_rows: int) -> bool:  # noqa: ARG001  # as any other `suits`
    return True


@dataclass(frozen=True)
class SubmodelAxis:
    """A parameter of which one fit holds the models of all values, to the last bit.

    Parameters
    ----------
    param : str
        Name of the parameter.
    derive : callable
        ``derive(base, own)`` gives the fitted model of ``own``, an estimator with a candidate's
        settings that is not fitted. It may change neither, and should copy nothing large.
    fit_value : callable, default=max
        Chooses the value that is fitted, out of a list of values.
    suits : callable, optional
        ``suits(model, n_rows)`` tells whether the settings of an unfitted model, its value of
        ``param`` among them, allow it. Where there is doubt they do not.
    share : callable, optional
        ``share(value, base_value)`` gives the part of the base's time that a fit alone would take;
        their ratio if omitted.
    seedless : bool, default=False
        Whether ``suits`` vouches that NumPy's global random numbers leave no trace in the model.
        If not, a fit that draws some is not shared.
    """

    param: str
    derive: Callable[[Any, Any], Any]
    fit_value: Callable[[list[Any]], Any] = max
    suits: Callable[[Any, int], bool] = _always
    share: Callable[[Any, Any], float] = proportional
    seedless: bool = False


def _as_own(base: Any, own: Any) -> Any:
    """Give a fitted model with the settings of ``own``, and what ``base`` has learnt."""
    model = copy(own)
    learnt = {name: value for name, value in vars(base).items() if name not in vars(own)}
    vars(model).update(learnt)
    return model


def _sliced(base: Any, own: Any, *, names: tuple[str, ...], param: str = "n_estimators") -> Any:
    model = _as_own(base, own)
    for name in names:
        if name in vars(base):
            setattr(model, name, getattr(base, name)[: getattr(own, param)])
    return model


def _gradient_boosting(base: Any, own: Any) -> Any:
    names = "estimators_", "train_score_", "oob_improvement_", "oob_scores_"
    model = _sliced(base, own, names=names)
    model.n_estimators_ = len(model.estimators_)
    if hasattr(model, "oob_scores_"):
        model.oob_score_ = model.oob_scores_[-1]
    return model


def _histogram_boosting(base: Any, own: Any) -> Any:
    model = _sliced(base, own, names=("_predictors",), param="max_iter")
    vars(model).pop("_raw_predict", None)  # left by early stopping, it asks the base's trees
    for name in ("train_score_", "validation_score_"):  # with the score before the first tree
        setattr(model, name, getattr(base, name)[: own.max_iter + 1])
    return model


def _counts(value: Any) -> bool:
    return isinstance(value, int | np.integer) and type(value) is not bool and bool(value >= 1)


def _is_cold(model: Any, param: str = "n_estimators") -> bool:
    return _counts(getattr(model, param)) and not getattr(model, "warm_start", False)


def _is_seeded(model: Any, n_rows: int) -> bool:  # noqa: ARG001
    oob = getattr(model, "oob_score", False)
    return _is_cold(model) and model.random_state is not None and not oob


def _histogram_suits(model: Any, n_rows: int) -> bool:
    stops = model.early_stopping is True or (
        model.early_stopping == "auto" and n_rows > _MOST_WITHOUT_STOPPING
    )
    draws = stops or model.max_features != 1.0 or n_rows > _MOST_BINNED
    return _is_cold(model, "max_iter") and (model.random_state is not None or not draws)


_FOREST = (
    SubmodelAxis("n_estimators", partial(_sliced, names=("estimators_",)), suits=_is_seeded),
)
_BOOSTING = (SubmodelAxis("n_estimators", _gradient_boosting, suits=_is_seeded),)
_HISTOGRAM = (SubmodelAxis("max_iter", _histogram_boosting, suits=_histogram_suits, seedless=True),)
FAMILIES: dict[tuple[str, str], tuple[SubmodelAxis, ...]] = {
    **{
        ("sklearn", f"{forest}{kind}"): _FOREST
        for forest in ("RandomForest", "ExtraTrees")
        for kind in ("Classifier", "Regressor")
    },
    ("sklearn", "GradientBoostingClassifier"): _BOOSTING,
    ("sklearn", "GradientBoostingRegressor"): _BOOSTING,
    ("sklearn", "HistGradientBoostingClassifier"): _HISTOGRAM,
    ("sklearn", "HistGradientBoostingRegressor"): _HISTOGRAM,
}
"""Axes by package and name of a class."""
