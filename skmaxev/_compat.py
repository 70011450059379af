"""Every private or version-dependent name of scikit-learn and joblib, in one place.

Supported: scikit-learn 1.6 and newer. What a version lacks is told by a flag, never by its number.
"""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any

from joblib import parallel as joblib_parallel
from joblib.externals.loky import reusable_executor
from joblib.parallel import Parallel as _JoblibParallel
from joblib.parallel import default_parallel_config, get_active_backend
from sklearn.base import _fit_context as fit_context
from sklearn.metrics._scorer import _MultimetricScorer as MultimetricScorer
from sklearn.metrics._scorer import _PassthroughScorer as PassthroughScorer
from sklearn.model_selection._search import BaseSearchCV
from sklearn.model_selection._validation import (
    _warn_or_raise_about_fit_failures as warn_or_raise_about_fit_failures,
)
from sklearn.utils import _safe_indexing as safe_indexing
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions
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
    "HasMethods",
    "Interval",
    "MultimetricScorer",
    "PassthroughScorer",
    "StrOptions",
    "as_they_finish",
    "check_method_params",
    "fit_context",
    "has_callbacks",
    "names_backend",
    "needs_processes",
    "note_pool",
    "num_samples",
    "pool_is_there",
    "pool_is_warm",
    "propagate",
    "routing_enabled",
    "safe_indexing",
    "safe_split",
    "scorers_of",
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


def scorers_of(scorer: Any) -> Any:
    """Return the scorers of several metrics by name, as ``scorer_`` has them, or the only one."""
    return scorer._scorers if isinstance(scorer, MultimetricScorer) else scorer  # noqa: SLF001  # no public way


def propagate(context: Any, estimator: Any) -> Any:
    """Pass a callback context on to ``estimator`` for the length of a ``with`` block."""
    return nullcontext() if context is None else context.propagate_callback_context(estimator)


def needs_processes(parallel: _JoblibParallel) -> bool:
    """Tell whether a pool of local worker processes would have to be started."""
    name = type(parallel._backend).__name__  # noqa: SLF001  # no public way
    return name in {"LokyBackend", "MultiprocessingBackend"}


def names_backend() -> bool:
    """Tell whether the caller has chosen a backend by `joblib.parallel_config`."""
    config = getattr(joblib_parallel._backend, "config", default_parallel_config)  # noqa: SLF001  # no public way
    return config["backend"] is not default_parallel_config["backend"]


_warm_pools: set[int] = set()
"""Pools of processes that have made fits of ours, and so have imported what these need."""


def _pool() -> Any:
    """Return joblib's pool of worker processes, if it has one with workers in it."""
    executor: Any = getattr(reusable_executor, "_executor", None)
    flags = getattr(executor, "_flags", None)
    ended = getattr(flags, "shutdown", True) or getattr(flags, "broken", None)
    return executor if getattr(executor, "_processes", None) and not ended else None


def note_pool() -> None:
    """Remember that the present pool has worked for us."""
    if (executor := _pool()) is not None:
        _warm_pools.add(executor.executor_id)


def pool_is_there(n_workers: int) -> bool:
    """Tell whether as many worker processes are there."""
    executor = _pool()
    return executor is not None and len(executor._processes) >= n_workers  # noqa: SLF001  # no public way


def pool_is_warm(n_workers: int) -> bool:
    """Tell whether as many worker processes are there, in a pool that has worked for us before.

    A caller that makes joblib start its pool anew leaves one with another number.
    """
    return pool_is_there(n_workers) and _pool().executor_id in _warm_pools


def as_they_finish() -> str:
    """Name the fastest way in which the active backend hands over results."""
    backend, _ = get_active_backend()
    return "generator_unordered" if backend.supports_return_generator else "list"
