"""How a fitted model is cut down to a smaller one: private attributes of scikit-learn's estimators.

What is left out never gives the bits of a fit of its own: depth, warm-started paths, iterations
of solvers, draws without a seed, out-of-bag scores.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from dataclasses import dataclass
from functools import partial
from inspect import signature
from operator import itemgetter
from typing import Any

import numpy as np

from skmaxev._compat.neighbours import with_fewer_neighbours

__all__ = ["FAMILIES", "TESTED", "SubmodelAxis"]

TESTED = {
    "sklearn": ("1.6", "1.9"),
    "lightgbm": ("4.7",),
    "xgboost": ("3.2", "3.4"),
    "catboost": ("1.2",),
}
"""Versions whose derived models the tests compare with fits of their own, by package."""
_MOST_BINNED = 200_000
"""Rows above which histogram gradient boosting draws those that it finds its bins by."""
_MOST_WITHOUT_STOPPING = 10_000
"""Rows above which it stops early by itself, and draws rows for that."""


_LIGHTGBM_EXTRA = frozenset(
    ("verbose", "verbosity", "max_bin", "min_data_in_bin", "path_smooth", "extra_trees",
     "feature_fraction_bynode", "cat_smooth", "cat_l2", "max_cat_to_onehot", "deterministic",
     "force_row_wise", "force_col_wise", "num_threads"),
)  # fmt: skip
"""Parameters of LightGBM beside those of its classes that no round but its own depends on."""

_CATBOOST_PLAIN = frozenset(
    ("iterations", "learning_rate", "depth", "max_depth", "l2_leaf_reg", "random_seed",
     "random_state", "loss_function", "boosting_type", "bootstrap_type", "subsample", "rsm",
     "bagging_temperature", "random_strength", "border_count", "cat_features", "one_hot_max_size",
     "leaf_estimation_iterations", "leaf_estimation_method", "class_weights", "auto_class_weights",
     "verbose", "silent", "logging_level", "thread_count", "allow_writing_files"),
)  # fmt: skip
"""Parameters of CatBoost whose effect on a tree does not depend on how many follow.

A learning rate that is not set depends on the number of iterations.
"""


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
    also : tuple of str, default=()
        Other parameters that a fit does not depend on; candidates may differ in them too.
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
    only_predictions : bool, default=False
        Whether derived models equal fitted ones in what they predict alone; they are then shared
        only for scorers that look at nothing else, as those of scikit-learn.
    """

    param: str
    derive: Callable[[Any, Any], Any]
    also: tuple[str, ...] = ()
    fit_value: Callable[[list[Any]], Any] = max
    suits: Callable[[Any, int], bool] = _always
    share: Callable[[Any, Any], float] = proportional
    seedless: bool = False
    only_predictions: bool = False


def _as_own(base: Any, own: Any, param: str = "n_estimators") -> Any:
    """Copy a fitted model, all but what it has learnt, with one parameter of ``own``."""
    model = copy(base)
    vars(model)[param] = getattr(own, param)
    return model


def _sliced(base: Any, own: Any, *, names: tuple[str, ...], param: str = "n_estimators") -> Any:
    model = _as_own(base, own, param)
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


def _lightgbm(base: Any, own: Any) -> Any:
    """Cut a booster by way of its text, which keeps every bit of the leaves."""
    model, whole = _as_own(base, own), base.booster_
    if whole.current_iteration() < base.n_estimators:
        raise ValueError("a round that grew no tree leaves no trace: none knows which one it was.")
    text = whole.model_to_string(num_iteration=own.n_estimators)
    booster = type(whole)(model_str=text)
    booster.best_iteration = whole.best_iteration
    booster.pandas_categorical = whole.pandas_categorical
    vars(model).update(_Booster=booster, _other_params=vars(own)["_other_params"])
    return model


def _xgboost(base: Any, own: Any) -> Any:
    model = _as_own(base, own)
    vars(model)["_Booster"] = base.get_booster()[: own.n_estimators]
    return model


def _catboost(base: Any, own: Any) -> Any:
    model = base.copy()
    model.shrink(ntree_end=own.get_params()["iterations"])
    vars(model)["_init_params"] = own.get_params()
    return model


def _pruned(base: Any, own: Any) -> Any:
    """Prune a copy; sums over a tree that was pruned before may differ in the last bit."""
    if base.ccp_alpha != 0:
        raise ValueError("only a tree that is whole can be pruned as a fit prunes it.")
    model = _as_own(base, own, "ccp_alpha")
    trees = [copy(tree) for tree in getattr(base, "estimators_", [])]
    if trees:
        model.estimators_ = trees
    for tree in trees or [model]:
        tree.ccp_alpha = own.ccp_alpha
        tree._prune_tree()  # noqa: SLF001  # no public way
    return model


def _smoothed(base: Any, own: Any) -> Any:
    """Smooth the counts of a naive Bayes model as its fit does."""
    model = copy(base)
    vars(model).update(alpha=own.alpha, fit_prior=own.fit_prior)
    model._update_feature_log_prob(model._check_alpha())  # noqa: SLF001  # no public way
    model._update_class_log_prior(class_prior=model.class_prior)  # noqa: SLF001
    return model


def _whole(value: Any, base: Any) -> float:  # noqa: ARG001
    return 1.0


def _counts(value: Any) -> bool:
    return isinstance(value, int | np.integer) and type(value) is not bool and bool(value >= 1)


def _is_cold(model: Any, param: str = "n_estimators") -> bool:
    return _counts(getattr(model, param)) and not getattr(model, "warm_start", False)


def _is_seeded(model: Any, n_rows: int) -> bool:  # noqa: ARG001
    oob = getattr(model, "oob_score", False)
    return _is_cold(model) and model.random_state is not None and not oob


def _ensemble_suits(model: Any, n_rows: int) -> bool:
    """Tell it of ensembles that seed their members, where these are scikit-learn's."""
    known = _is_known(getattr(model, "estimator", None))
    return _is_seeded(model, n_rows) and known and getattr(model, "contamination", "auto") == "auto"


def _is_known(model: Any) -> bool:
    """Tell whether all parts of a model are scikit-learn's, whose random numbers can be watched."""
    parts = [] if model is None else [model, *model.get_params().values()]
    return all(
        type(part).__module__.startswith("sklearn.") for part in parts if hasattr(part, "fit")
    )


def _tree_suits(model: Any, n_rows: int) -> bool:  # noqa: ARG001
    cold = not getattr(model, "warm_start", False) and not getattr(model, "oob_score", False)
    return cold and model.random_state is not None and 0 <= _number(model.ccp_alpha) < np.inf


def _number(value: Any) -> float:
    """Give a number as it is, and anything else as NaN."""
    return float(value) if isinstance(value, float | np.number) or type(value) is int else np.nan


def _threshold_suits(model: Any, n_rows: int) -> bool:  # noqa: ARG001
    jobs = {value for name, value in model.get_params().items() if name.endswith("n_jobs")}
    valid = model.threshold == "auto" or np.isfinite(_number(model.threshold))
    return bool(valid) and jobs <= {None, 1} and _is_known(model.estimator)


def _smoothing_suits(model: Any, n_rows: int) -> bool:  # noqa: ARG001
    return 0 <= _number(model.alpha) < np.inf and isinstance(model.fit_prior, bool)


def _neighbours_suit(model: Any, n_rows: int) -> bool:  # noqa: ARG001
    plain = isinstance(model.metric, str) and model.weights in (None, "uniform", "distance")
    return _counts(model.n_neighbors) and plain


def _lightgbm_suits(model: Any, n_rows: int) -> bool:  # noqa: ARG001
    extra = (
        set(vars(model)["_other_params"]) - _LIGHTGBM_EXTRA - {*signature(type(model)).parameters}
    )
    plain = model.boosting_type == "gbdt" and not callable(model.objective)
    return _is_cold(model) and plain and not extra


def _xgboost_suits(model: Any, n_rows: int) -> bool:  # noqa: ARG001
    unset = ("early_stopping_rounds", "callbacks", "kwargs")
    return (
        _is_cold(model)
        and model.booster in {None, "gbtree"}
        and model.device in {None, "cpu"}
        and not callable(model.objective)
        and not any(getattr(model, name, None) for name in unset)
    )


def _catboost_suits(model: Any, n_rows: int) -> bool:  # noqa: ARG001
    params = model.get_params()
    texts = all(isinstance(params.get(name, ""), str) for name in ("loss_function", "eval_metric"))
    known = params.keys() <= _CATBOOST_PLAIN and "learning_rate" in params
    return _counts(params["iterations"]) and known and texts


def _histogram_suits(model: Any, n_rows: int) -> bool:
    asked = model.early_stopping
    stops = n_rows > _MOST_WITHOUT_STOPPING if isinstance(asked, str) else bool(asked)
    draws = stops or model.max_features != 1.0 or n_rows > _MOST_BINNED
    return _is_cold(model, "max_iter") and (model.random_state is not None or not draws)


_TREE = (SubmodelAxis("ccp_alpha", _pruned, fit_value=min, suits=_tree_suits, share=_whole),)
_FOREST = (
    SubmodelAxis("n_estimators", partial(_sliced, names=("estimators_",)), suits=_is_seeded),
    *_TREE,
)
_THRESHOLD = SubmodelAxis(
    "threshold",
    partial(_as_own, param="threshold"),
    fit_value=itemgetter(0),
    suits=_threshold_suits,
    share=_whole,
)
_NEIGHBOURS = (
    SubmodelAxis(
        "n_neighbors",
        with_fewer_neighbours,
        also=("weights",),
        suits=_neighbours_suit,
        share=_whole,
    ),
)
_BAYES = (
    SubmodelAxis(
        "alpha",
        _smoothed,
        also=("fit_prior",),
        fit_value=itemgetter(0),
        suits=_smoothing_suits,
        share=_whole,
    ),
)
_BOOSTING = (SubmodelAxis("n_estimators", _gradient_boosting, suits=_is_seeded),)
_HISTOGRAM = (SubmodelAxis("max_iter", _histogram_boosting, suits=_histogram_suits, seedless=True),)
_BAGS = ("estimators_", "estimators_features_", "_seeds")
_PATHS = ("_average_path_length_per_tree", "_decision_path_lengths")
_BAGGING, _ISOLATION, _ADABOOST = (
    (SubmodelAxis("n_estimators", partial(_sliced, names=names), suits=_ensemble_suits),)
    for names in (
        _BAGS,
        (*_BAGS, *_PATHS),
        ("estimators_", "estimator_weights_", "estimator_errors_"),
    )
)
_LIGHTGBM = (SubmodelAxis("n_estimators", _lightgbm, suits=_lightgbm_suits),)
_CATBOOST = (SubmodelAxis("iterations", _catboost, suits=_catboost_suits, only_predictions=True),)
_XGBOOST = (SubmodelAxis("n_estimators", _xgboost, suits=_xgboost_suits),)
FAMILIES: dict[tuple[str, str], tuple[SubmodelAxis, ...]] = {
    ("sklearn", "IsolationForest"): _ISOLATION,
    ("sklearn", "FixedThresholdClassifier"): (_THRESHOLD,),
    **{
        ("sklearn", f"{kind}NB"): _BAYES
        for kind in ("Multinomial", "Bernoulli", "Complement", "Categorical")
    },
    **{
        (package, f"{name}{kind}"): axes
        for package, name, axes in (
            ("sklearn", "RandomForest", _FOREST),
            ("sklearn", "ExtraTrees", _FOREST),
            ("sklearn", "GradientBoosting", _BOOSTING),
            ("sklearn", "HistGradientBoosting", _HISTOGRAM),
            ("sklearn", "AdaBoost", _ADABOOST),
            ("sklearn", "Bagging", _BAGGING),
            ("sklearn", "DecisionTree", _TREE),
            ("sklearn", "ExtraTree", _TREE),
            ("sklearn", "KNeighbors", _NEIGHBOURS),
            ("lightgbm", "LGBM", _LIGHTGBM),
            ("xgboost", "XGB", _XGBOOST),
            ("catboost", "CatBoost", _CATBOOST),
        )
        for kind in ("Classifier", "Regressor")
    },
}
"""Axes by package and name of a class."""
