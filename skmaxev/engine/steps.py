"""Shared pipeline steps: candidates that begin alike fit their first steps once.

On one set of training rows, candidates whose ``Pipeline`` agrees on its first steps would fit these
steps to the same data and get the same result. Here the first of them fits the step, and the others
get it from the pipeline's ``memory``, which is scikit-learn's own way: what is handed over is
a fitted step as it is, so that parameters for single steps, metadata routing and callbacks
work as always. scikit-learn's scorers look at predictions only, so they get the rest of the
pipeline and the transformed rows; any other scorer gets the whole pipeline, and the rows.
Where a shared step fails, or draws random numbers, every candidate does it for itself.
The warnings of a shared step are heard once.

Left to scikit-learn, so that every number stays its own:

- subclasses of ``Pipeline``, imbalanced-learn's among them, whose steps may resample rows;
- pipelines with ``memory``, which share by themselves, and with ``transform_input``;
- steps that draw random numbers without a seed: every candidate has to draw its own;
- steps that may write into their input (``copy=False``);
- steps that are no scikit-learn estimators with ``fit_transform`` and ``transform``.
"""

from __future__ import annotations

import pickle
import random
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, clone
from sklearn.pipeline import Pipeline

from skmaxev._compat import safe_split
from skmaxev.engine.fingerprint import digest
from skmaxev.engine.types import Prefix

__all__ = ["SharedSteps", "common_prefixes", "private_copy", "random_states"]

_SETTINGS = {"steps", "memory", "transform_input", "verbose"}
_SEEDS = {"random_state", "random_seed", "seed", "rng"}
_COPIES = {"copy", "copy_X", "copy_x"}
_SMALL_BYTES = 1_000_000
"""Data up to this size are cut once for all candidates of a task, and copied for each."""

_Settings = tuple[tuple[str, str], ...]
"""Names and fingerprints of the parameters that a candidate sets in one step."""
_Rows = tuple[int, int]
"""Which rows: identity of the first array, number of arrays."""


def common_prefixes(estimator: Any, candidates: Sequence[Mapping[str, Any]]) -> list[Prefix]:
    """Label the first steps that candidates have in common.

    Gives for each candidate one label for each first step that it shares with another one; empty if
    it shares none. Errs towards not sharing. Sorting by it puts those together that share.

    Examples
    --------
    >>> from sklearn.feature_selection import SelectKBest
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from sklearn.svm import SVC
    >>> from skmaxev.engine.steps import common_prefixes
    >>> pipe = make_pipeline(StandardScaler(), SelectKBest(), SVC())
    >>> grid = [{"selectkbest__k": k, "svc__C": C} for k in (1, 2) for C in (1, 10)]
    >>> common_prefixes(pipe, grid)
    [(0, 1), (0, 1), (0, 2), (0, 2)]
    """
    plain = type(estimator) is Pipeline and not estimator.memory
    if not plain or getattr(estimator, "transform_input", None) is not None:
        return [()] * len(candidates)
    names = [name for name, _ in estimator.steps[:-1]]
    settings = [_settings(params, names) for params in candidates]
    count = Counter(steps[:depth] for steps in settings for depth in range(1, len(steps) + 1))
    verdicts: dict[tuple[int, _Settings], bool] = {}
    labels: dict[tuple[_Settings, ...], int] = {}
    prefixes = []
    for params, steps in zip(candidates, settings, strict=True):
        prefix: list[int] = []
        for depth, own in enumerate(steps):
            if count[steps[: depth + 1]] < 2:
                break
            if (depth, own) not in verdicts:
                name, step = estimator.steps[depth]
                settled = {param: params[param] for param, _ in own}
                verdicts[depth, own] = _may_share(name, step, settled)
            if not verdicts[depth, own]:
                break
            prefix.append(labels.setdefault(steps[: depth + 1], len(labels)))
        prefixes.append(tuple(prefix))
    return prefixes


def _settings(params: Mapping[str, Any], names: Sequence[str]) -> tuple[_Settings, ...]:
    """Describe what a candidate sets in each first step; nothing if it changes the pipeline."""
    roots = {name: name.partition("__")[0] for name in params}
    if _SETTINGS & set(roots.values()):
        return ()
    return tuple(
        tuple(sorted((name, digest(params[name])) for name in params if roots[name] == step))
        for step in names
    )


def _may_share(name: str, step: Any, own: dict[str, Any]) -> bool:
    alone = Pipeline([(name, clone(step, safe=False)), ("end", "passthrough")])
    try:
        alone.set_params(**clone(own, safe=False))
    except (ValueError, TypeError, RuntimeError):  # the candidate's own fit will say it
        return False
    return _is_no_step(alone.steps[0][1]) or _is_repeatable(alone.steps[0][1])


def _is_no_step(step: Any) -> bool:
    """Tell whether a pipeline skips the step."""
    return step is None or (isinstance(step, str) and step == "passthrough")


def _is_repeatable(step: Any) -> bool:
    """Tell whether fitting a clone of the step again would give the same and touch nothing else."""
    methods = hasattr(step, "fit_transform") and hasattr(step, "transform")
    if not isinstance(step, BaseEstimator) or not methods:
        return False
    params: defaultdict[str, list[Any]] = defaultdict(list)
    for name, value in step.get_params(deep=True).items():
        params[name.rpartition("__")[2]].append(value)
    writes = any(value is False for name in _COPIES & set(params) for value in params[name])
    unseeded = any(value is None for name in _SEEDS & set(params) for value in params[name])
    return not writes and not (unseeded and not _can_be_watched(step, params))


def _can_be_watched(step: Any, params: Mapping[str, Sequence[Any]]) -> bool:
    """Tell whether every random number would come from NumPy's global state, in this process.

    So it is for all of scikit-learn. Many of its steps, PCA among them, have a
    ``random_state`` that they do not use; a step that does use it is found out while it is fitted.
    """
    alone = all(value in {None, 1} for value in params.get("n_jobs", ()))
    parts = [step, *(value for values in params.values() for value in values)]
    return alone and all(
        type(part).__module__.startswith("sklearn.")
        for part in parts
        if hasattr(part, "get_params")
    )


@dataclass
class _FittedStep:
    """A fitted step, and what it made of the rows that were put into it."""

    label: int
    step: Any
    train: Any
    seconds: float
    transformed: dict[_Rows, tuple[Any, float]] = field(default_factory=dict)


class SharedSteps:
    """The fitted steps that the candidates of one task have in common; a pipeline's ``memory``.

    Held are the steps of one candidate only, so that memory is bounded by the length of the
    pipeline: the candidates come in the order of their prefixes, and what the next one does not
    share is dropped.

    Attributes
    ----------
    n_reused : int
        Steps that the current candidate found fitted.
    """

    location = None
    """As scikit-learn's own memory that stores nothing: steps are fitted, not clones of them."""

    def __init__(self, prefixes: Sequence[Prefix], X: Any, y: Any) -> None:
        self.X, self.y = X, y
        self.n_reused = 0
        self._saved = 0.0
        self._prefixes = (*prefixes, ())
        self._position = -1
        self._own: list[int] = []
        self._held: list[_FittedStep] = []
        self._pristine: dict[_Rows, Any] = {}
        self._inputs: dict[_Rows, Any] = {}

    @property
    def is_shared(self) -> bool:
        """Whether the current candidate's first step is one that others use too."""
        return bool(self._held)

    def held_seconds(self) -> float | None:
        """Give the time of the current candidate's shared steps; None if they are not all held."""
        if len(self._held) < len(self._own):
            return None
        return sum(held.seconds for held in self._held)

    def reuse_all(self) -> None:
        """Count the steps of a candidate whose pipeline is not fitted at all."""
        self.n_reused = len(self._held)

    def enter(self, pipeline: Any, train: NDArray[np.intp]) -> tuple[Any, Any]:
        """Turn to the next candidate, unfitted with its settings; give its training rows."""
        self._position += 1
        self.n_reused, self._saved = 0, 0.0
        self._own = [
            label
            for label, (_, step) in zip(
                self._prefixes[self._position], getattr(pipeline, "steps", ()), strict=False
            )
            if not _is_no_step(step)
        ]
        common = 0
        while common < len(self._held) and self._held[common].label in self._own:
            common += 1
        del self._held[common:]
        if not self._held:
            self._inputs.clear()
        return self._input(pipeline, train)

    @contextmanager
    def fitting(self, pipeline: Any) -> Iterator[None]:
        """Be the memory of a pipeline for the length of a ``with`` block."""
        if not self._own:
            yield
            return
        memory, pipeline.memory = pipeline.memory, self
        try:
            yield
        finally:
            pipeline.memory = memory

    def cache(self, fit_transform: Callable[..., Any], **_: Any) -> Callable[..., Any]:
        """Give the function that fits one step after the other, as `joblib.Memory` does."""
        numbers = iter(range(len(self._own)))

        def fit_or_find(step: Any, X: Any, *args: Any, **params: Any) -> tuple[Any, Any]:
            depth = next(numbers, None)
            if depth is None:
                found: tuple[Any, Any] = fit_transform(step, X, *args, **params)
                return found
            if depth < len(self._held):
                return self._find(depth)
            return self._fit(self._own[depth], depth, fit_transform, step, X, *args, **params)

        return fit_or_find

    def _find(self, depth: int) -> tuple[Any, Any]:
        held = self._held[depth]
        self.n_reused += 1
        self._saved += held.seconds
        # the last one's outcome goes to a step that may write into it
        is_last = depth == len(self._held) - 1
        return private_copy(held.train) if is_last else held.train, held.step

    def _fit(
        self, label: int, depth: int, fit_transform: Callable[..., Any], *args: Any, **params: Any
    ) -> tuple[Any, Any]:
        before, start = random_states(), time.time()
        outcome, step = fit_transform(*args, **params)
        seconds = time.time() - start
        wanted = label in self._prefixes[self._position + 1] and depth == len(self._held)
        if wanted and random_states() == before:
            with suppress(Exception):  # what cannot be copied cannot be shared
                self._held.append(_FittedStep(label, step, private_copy(outcome), seconds))
        return outcome, step

    def take_saved(self) -> float:
        """Give the seconds saved since the last call; they belong to a fit as if made alone."""
        saved, self._saved = self._saved, 0.0
        return saved

    def cut(self, estimator: Any, *rows: NDArray[np.intp], whole: bool) -> tuple[Any, Any, Any]:
        """Give a fitted model, and X and y for it to be judged on.

        If it need not be ``whole``, shared steps are left out, and the rows are as these steps
        transform them. Of ``rows`` the second are those of training, where a kernel needs them.
        """
        if self._held and not whole:
            try:
                X, y = self._transformed(estimator, *rows)
            except Exception:  # noqa: BLE001  # the candidate's own pipeline will say it
                self._inputs.pop(_key(rows), None)
            else:
                skipped = [name for name, step in estimator.steps if not _is_no_step(step)]
                last = skipped[len(self._held) - 1]
                names = [name for name, _ in estimator.steps]
                return estimator[names.index(last) + 1 :], X, y
        if self._held and _key(rows) in self._inputs:  # training rows, as the fit has left them
            X, y = self._inputs[_key(rows)]
            return estimator, private_copy(X), private_copy(y)
        return estimator, *self._cut(estimator, *rows)

    def _transformed(self, estimator: Any, *rows: NDArray[np.intp]) -> tuple[Any, Any]:
        """Put rows through the steps that are held, each once."""
        key = _key(rows)
        X, y = self._input(estimator, *rows)
        for depth, held in enumerate(self._held):
            if key in held.transformed:
                X, seconds = held.transformed[key]
                self._saved += seconds
                continue
            before, start = random_states(), time.time()
            X = held.step.transform(private_copy(X) if depth else X)
            if random_states() != before:
                raise RuntimeError("a step draws random numbers, so that it cannot be shared.")
            X, seconds = private_copy(X), time.time() - start
            held.transformed[key] = X, seconds
            self._saved += seconds
        return private_copy(X), y

    def _input(self, estimator: Any, *rows: NDArray[np.intp]) -> tuple[Any, Any]:
        """Cut rows; they stay the same object as long as the first step is shared."""
        key = _key(rows)
        if key not in self._inputs or not self._held:
            self._inputs[key] = self._cut(estimator, *rows)
        found: tuple[Any, Any] = self._inputs[key]
        return found

    def _cut(self, estimator: Any, *rows: NDArray[np.intp]) -> tuple[Any, Any]:
        """Cut rows as scikit-learn does."""
        if not _is_small(self.X, self.y):
            return tuple(safe_split(estimator, self.X, self.y, *rows))
        key = _key(rows)
        if key not in self._pristine:  # with the rows: a number is free when its object is gone
            self._pristine[key] = rows, tuple(safe_split(estimator, self.X, self.y, *rows))
        X, y = self._pristine[key][1]
        return private_copy(X), private_copy(y)


def _key(rows: Sequence[NDArray[np.intp]]) -> _Rows:
    return id(rows[0]), len(rows)


def _is_small(X: Any, y: Any) -> bool:
    """Tell whether copies of a cut cost less than cutting again, and next to no memory.

    A square matrix may be a kernel, which is cut in another way; for which candidate it is one,
    their settings say.
    """
    arrays = isinstance(X, np.ndarray) and (y is None or isinstance(y, np.ndarray))
    return arrays and X.nbytes <= _SMALL_BYTES and len(set(X.shape)) == X.ndim


def random_states() -> tuple[Any, ...]:
    """Read the two global sources of random numbers; normal ones are drawn in pairs."""
    state: Any = np.random.get_state(legacy=False)  # noqa: NPY002  # scikit-learn's own source
    position = state["state"]["pos"], state["has_gauss"]
    return state["state"]["key"].tobytes(), *position, random.getstate()


def private_copy(data: Any) -> Any:
    """Copy transformed data, with its memory layout: that can change the last bit of a sum."""
    if isinstance(data, np.ndarray):
        return _copy_array(data)
    if sp.issparse(data) or isinstance(data, list):
        return getattr(data, "copy")()  # noqa: B009  # the types of scipy do not know it
    if type(data).__module__.startswith("pandas."):
        return pickle.loads(pickle.dumps(data, protocol=5))  # noqa: S301  # made the line before
    return data


def _copy_array(data: NDArray[Any]) -> NDArray[Any]:
    if data.flags.c_contiguous or data.flags.f_contiguous:
        return data.copy(order="K")
    owner = data
    while isinstance(owner.base, np.ndarray):
        owner = owner.base
    if not (owner.flags.c_contiguous or owner.flags.f_contiguous) or data.dtype.hasobject:
        return data.copy(order="K")
    room = owner.copy(order="K")
    start = _address(data) - _address(owner)
    flat = room if room.flags.c_contiguous else room.T
    return np.ndarray(data.shape, data.dtype, buffer=flat.data, offset=start, strides=data.strides)


def _address(data: NDArray[Any]) -> int:
    return int(data.__array_interface__["data"][0])
