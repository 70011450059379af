"""Every private or version-dependent name of scikit-learn and joblib, in one place.

Supported: scikit-learn 1.6 and newer. What a version lacks is told by a flag, never by its number.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from types import SimpleNamespace
from typing import Any

from joblib.parallel import get_active_backend
from sklearn.base import _fit_context as fit_context
from sklearn.metrics._scorer import _MultimetricScorer as MultimetricScorer
from sklearn.metrics._scorer import _PassthroughScorer as PassthroughScorer
from sklearn.metrics._scorer import _Scorer
from sklearn.model_selection._search import BaseSearchCV
from sklearn.model_selection._validation import (
    _warn_or_raise_about_fit_failures as warn_or_raise_about_fit_failures,
)
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.metadata_routing import _routing_enabled as routing_enabled
from sklearn.utils.metaestimators import _safe_split as safe_split
from sklearn.utils.validation import _check_method_params as check_method_params
from sklearn.utils.validation import _num_samples as num_samples

try:  # scikit-learn 1.9: progress callbacks
    from sklearn.callback import CallbackSupportMixin

    HAS_CALLBACKS = issubclass(BaseSearchCV, CallbackSupportMixin)
except ImportError:
    HAS_CALLBACKS = False

__all__ = [
    "HAS_CALLBACKS",
    "BaseSearchCV",
    "Interval",
    "MultimetricScorer",
    "PassthroughScorer",
    "StrOptions",
    "as_they_finish",
    "asks_for_predictions_only",
    "check_method_params",
    "check_refit",
    "fit_context",
    "format_results",
    "has_callbacks",
    "make_scorers",
    "num_samples",
    "propagate",
    "routed_params",
    "routing_enabled",
    "safe_split",
    "scorers_of",
    "select_best_index",
    "warn_or_raise_about_fit_failures",
]


def has_callbacks(estimator: Any) -> bool:
    """Tell whether callbacks listen to the fit of ``estimator``.

    Contexts are made only then: each one pickled carries the whole tree of tasks, which in
    scikit-learn 1.9 costs quadratically in the number of fits.
    """
    return HAS_CALLBACKS and bool(
        getattr(estimator, "_skl_callbacks", None) or hasattr(estimator, "_parent_callback_ctx")
    )


select_best_index = BaseSearchCV._select_best_index  # noqa: SLF001  # no public way


def check_refit(refit: Any, metrics: Sequence[str]) -> None:
    """Refuse a ``refit`` that names none of several metrics."""
    settings = SimpleNamespace(refit=refit)  # all that it asks a search for
    BaseSearchCV._check_refit_for_multimetric(settings, dict.fromkeys(metrics))  # noqa: SLF001  # no public way


def routed_params(search: Any, params: Mapping[str, Any]) -> Mapping[str, Any]:
    """Say which parameters of ``fit`` go where: estimator, scorer, splitter."""
    if hasattr(search, "_get_routed_params_for_fit"):
        return search._get_routed_params_for_fit(params)  # type: ignore[no-any-return]  # noqa: SLF001  # no public way
    split = {"groups": params["groups"]} if "groups" in params else {}
    fit = {name: value for name, value in params.items() if name != "groups"}
    return {"estimator": {"fit": fit}, "scorer": {"score": {}}, "splitter": {"split": split}}


def make_scorers(search: Any) -> tuple[Any, Any]:
    """Give a search's scorer, and its metric of ``refit``."""
    return search._get_scorers()  # type: ignore[no-any-return]  # noqa: SLF001  # no public way


def format_results(
    candidates: Sequence[Any], n_splits: int, output: Sequence[Any], *, train: bool
) -> dict[str, Any]:
    """Make a ``cv_results_`` of the results of single fits, of which ``train`` scores are some."""
    settings = SimpleNamespace(return_train_score=train)  # all that it asks a search for
    return dict(BaseSearchCV._format_results(settings, candidates, n_splits, output))  # noqa: SLF001  # no public way


def scorers_of(scorer: Any) -> Any:
    """Return the scorers of several metrics by name, as ``scorer_`` has them, or the only one."""
    return scorer._scorers if isinstance(scorer, MultimetricScorer) else scorer  # noqa: SLF001  # no public way


def propagate(context: Any, estimator: Any) -> Any:
    """Pass a callback context on to ``estimator`` for the length of a ``with`` block."""
    return nullcontext() if context is None else context.propagate_callback_context(estimator)


def asks_for_predictions_only(scorer: Any) -> bool:
    """Tell whether a scorer looks at what a model predicts, and at nothing else of it."""
    several = isinstance(scorer, MultimetricScorer)
    parts = scorer._scorers.values() if several else (scorer,)  # noqa: SLF001  # no public way
    return all(type(part) in {_Scorer, PassthroughScorer} for part in parts)


def as_they_finish() -> str:
    """Name the fastest way in which the active backend hands over results."""
    backend, _ = get_active_backend()
    return "generator_unordered" if backend.supports_return_generator else "list"
