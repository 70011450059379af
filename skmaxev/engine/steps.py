"""Shared pipeline steps: candidates that begin alike fit their first steps once.

On one set of training rows, candidates whose ``Pipeline`` agrees on its first steps would fit these
steps to the same data and get the same result. Here the first of them fits the step, and
the others find it fitted, with its outcome for the training rows and for every set of judged rows.
Every candidate still goes through scikit-learn's own ``Pipeline``, so that parameters for single
steps, metadata routing and callbacks work as always, and scorers see a whole pipeline.
The warnings of a shared step are heard once.
"""

from __future__ import annotations

import functools
import pickle
import random
import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from skmaxev._compat import safe_split
from skmaxev.engine.prefixes import Prefix, is_no_step

__all__ = ["SharedSteps"]

SMALL_BYTES = 1_000_000
"""Data up to this size are cut once for all candidates of a task, and copied for each."""


class SharedSteps:
    """The fitted steps that the candidates of one task have in common.

    Held are the steps of one candidate only, so that memory is bounded by the length of the
    pipeline: the candidates come in the order of their prefixes, and what the next one does not
    share is dropped.

    Parameters
    ----------
    prefixes : sequence of tuple of int
        Labels of the shared steps of each candidate, in the order in which they are fitted.
    n_sets : int
        Sets of rows for which the outcome of a step is kept.

    Attributes
    ----------
    n_reused : int
        Steps that the current candidate found fitted.
    """

    def __init__(self, prefixes: Sequence[Prefix], n_sets: int) -> None:
        self.n_sets = n_sets
        self.n_reused = 0
        self._saved = 0.0
        self._prefixes = ((), *prefixes, ())
        self._position = 0
        self._path: list[_SharedStep] = []
        self._cuts: dict[tuple[int, int], Any] = {}

    def enter(self, pipeline: Any) -> None:
        """Put the fitted steps into the next candidate, and watch those that others will need.

        Parameters
        ----------
        pipeline : estimator
            Unfitted, with the candidate's settings; a ``Pipeline`` if it has a prefix.
        """
        self._position += 1
        before, own, after = self._prefixes[self._position - 1 : self._position + 2]
        self._drop(_n_common(before, own))
        self._saved, self.n_reused = 0.0, 0
        for depth, shared in enumerate(self._path):
            name, _ = pipeline.steps[depth]
            pipeline.steps[depth] = (name, shared.step)
            self.n_reused += not is_no_step(shared.step)
        for depth in range(len(self._path), _n_common(own, after)):
            _, step = pipeline.steps[depth]
            self._path.append(_SharedStep(step, self))
        real = [shared for shared in self._path if not is_no_step(shared.step)]
        for place, shared in enumerate(real):
            shared.is_first, shared.is_last = place == 0, place == len(real) - 1

    def leave(self) -> None:
        """Forget steps that failed or drew random numbers, with all that comes after them."""
        ready = 0
        while ready < len(self._path) and self._path[ready].ready:
            ready += 1
        self._drop(ready)
        if self._position == len(self._prefixes) - 2:
            self._drop(0)

    def save(self, seconds: float) -> None:
        """Count time that the current candidate did not need, because another had spent it."""
        self._saved += seconds

    def take_saved(self) -> float:
        """Give the seconds saved since the last call; they belong to a fit as if made alone."""
        saved, self._saved = self._saved, 0.0
        return saved

    def _drop(self, depth: int) -> None:
        for shared in self._path[depth:]:
            shared.release()
        if depth == 0 and self._path:
            self._cuts.clear()
        del self._path[depth:]

    def cut(self, estimator: Any, X: Any, y: Any, *rows: NDArray[np.intp]) -> tuple[Any, Any]:
        """Cut rows as scikit-learn does: a shared step gets the same object, others their own.

        Parameters
        ----------
        estimator : estimator
            Says whether ``X`` is a kernel.
        X, y : array-like of n_rows rows
            The whole data.
        *rows : ndarray
            Rows to cut, and the training rows where a kernel needs them.
        """
        if not self._path and not _is_small(X, y):
            return tuple(safe_split(estimator, X, y, *rows))
        key = id(rows[0]), len(rows)
        if key not in self._cuts:  # holds the rows too: a number is free when its object is gone
            self._cuts[key] = rows, tuple(safe_split(estimator, X, y, *rows))
        cut: tuple[Any, Any] = self._cuts[key][1]
        return cut if self._path else (private_copy(cut[0]), private_copy(cut[1]))


def _is_small(X: Any, y: Any) -> bool:
    """Tell whether copies of a cut cost less than cutting again, and next to no memory.

    A square matrix may be a kernel, which is cut in another way; for which candidate it is one,
    their settings say.
    """
    arrays = isinstance(X, np.ndarray) and (y is None or isinstance(y, np.ndarray))
    return arrays and X.nbytes <= SMALL_BYTES and len(set(X.shape)) == X.ndim


def _n_common(one: Prefix, other: Prefix) -> int:
    """Count the first labels on which two prefixes agree."""
    depth = 0
    while depth < min(len(one), len(other)) and one[depth] == other[depth]:
        depth += 1
    return depth


class _Outcome(NamedTuple):
    """What a step made of an input, which is told from others by identity."""

    X: Any
    result: Any
    seconds: float


class _SharedStep:
    """A step of the current candidate that others use too, with what it made of its inputs.

    The methods are covered on the instance: it stays the object that a scorer expects to find.
    """

    def __init__(self, step: Any, owner: SharedSteps) -> None:
        self.step = step
        self.ready = is_no_step(step)
        self.is_first = self.is_last = False
        self._owner = owner
        self._busy = False
        self._fitted: _Outcome | None = None
        self._judged: list[_Outcome] = []
        if not is_no_step(step):
            self._fit_transform, self._transform = step.fit_transform, step.transform
            step.fit_transform = _Cover(step, "fit_transform", self.fit_transform)
            step.transform = _Cover(step, "transform", self.transform)

    def release(self) -> None:
        """Give the step its own methods back and let go of the data."""
        self._fitted = None
        self._judged.clear()
        if not is_no_step(self.step):
            del self.step.fit_transform, self.step.transform

    def fit_transform(self, X: Any, *args: Any, **params: Any) -> Any:
        """Fit the step, or give what its fit to the same data gave."""
        if self._busy:  # the step's own method calls another one
            return self._fit_transform(X, *args, **params)
        if self._fitted is not None and self._fitted.X is X:
            return self._give_again(self._fitted)
        self.ready, self._fitted = False, None
        self._judged.clear()
        self._fitted, self.ready = self._compute(self._fit_transform, X, *args, **params)
        return self._give(self._fitted)

    def transform(self, X: Any, **params: Any) -> Any:
        """Transform, or give the outcome for the same data."""
        if self._busy or params or not self.ready:
            return self._transform(X, **params)
        for outcome in self._judged:
            if outcome.X is X:
                return self._give_again(outcome)
        outcome, repeatable = self._compute(self._transform, X)
        if repeatable and len(self._judged) < self._owner.n_sets:
            self._judged.append(outcome)
        return self._give(outcome)

    def _compute(
        self, method: Callable[..., Any], X: Any, *args: Any, **params: Any
    ) -> tuple[_Outcome, bool]:
        """Run the step's own method; tell whether it drew no random numbers."""
        # The first step's input is cut for it alone. Others may need what a later one gets.
        private = X if self.is_first else private_copy(X)
        before, start = _random_states(), time.time()
        self._busy = True
        try:
            result = method(private, *args, **params)
        finally:
            self._busy = False
        seconds = time.time() - start
        result = private_copy(result) if result is X else result
        return _Outcome(X, result, seconds), _random_states() == before

    def _give(self, outcome: _Outcome) -> Any:
        # What comes after the shared steps may write into its input. Between them the object
        # has to stay itself, to be known again.
        return private_copy(outcome.result) if self.is_last else outcome.result

    def _give_again(self, outcome: _Outcome) -> Any:
        self._owner.save(outcome.seconds)
        return self._give(outcome)


class _Cover:
    """A method of one instance in place of its class's; pickled, it is the class's again."""

    def __init__(self, step: Any, name: str, method: Callable[..., Any]) -> None:
        self._step, self._name, self._method = step, name, method
        self.__wrapped__ = getattr(step, name)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._method(*args, **kwargs)

    def __reduce__(self) -> tuple[Any, ...]:
        return functools.partial, (getattr(type(self._step), self._name), self._step)


def _random_states() -> tuple[bytes, int, object]:
    """Read the two global sources of random numbers."""
    state: Any = np.random.get_state(legacy=False)  # noqa: NPY002  # scikit-learn's own source
    return state["state"]["key"].tobytes(), state["state"]["pos"], random.getstate()


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
