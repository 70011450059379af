"""Which candidates of a search agree on the first steps of their pipeline.

Left to scikit-learn, so that every number stays its own:

- subclasses of ``Pipeline``, imbalanced-learn's among them, whose steps may resample rows;
- pipelines with ``memory``, which share by themselves, and with ``transform_input``;
- steps that draw random numbers without a seed: every candidate has to draw its own;
- steps that may write into their input (``copy=False``);
- steps that are no scikit-learn estimators with ``fit_transform`` and ``transform``.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sklearn.base import BaseEstimator, clone
from sklearn.pipeline import Pipeline

from skmaxev.engine.fingerprint import FingerprintError, fingerprint
from skmaxev.engine.types import Prefix

__all__ = ["Prefix", "common_prefixes", "digest", "is_no_step"]

_SETTINGS = {"steps", "memory", "transform_input", "verbose"}
_SEEDS = {"random_state", "random_seed", "seed", "rng"}
_COPIES = {"copy", "copy_X", "copy_x"}

_Key = tuple[tuple[str, str], ...]
"""Names and fingerprints of the parameters that a candidate sets in one step."""


def common_prefixes(estimator: Any, candidates: Sequence[Mapping[str, Any]]) -> list[Prefix]:
    """Label the first steps that candidates have in common.

    Parameters
    ----------
    estimator : estimator
        What is searched.
    candidates : sequence of mapping
        Settings of each candidate.

    Returns
    -------
    list of tuple of int
        For each candidate one label for each first step that it shares with another one; empty if
        it shares none. Errs towards not sharing. Sorting by it puts those together that share.

    Examples
    --------
    >>> from sklearn.feature_selection import SelectKBest
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from sklearn.svm import SVC
    >>> from skmaxev.engine.prefixes import common_prefixes
    >>> pipe = make_pipeline(StandardScaler(), SelectKBest(), SVC())
    >>> grid = [{"selectkbest__k": k, "svc__C": C} for k in (1, 2) for C in (1, 10)]
    >>> common_prefixes(pipe, grid)
    [(0, 1), (0, 1), (0, 2), (0, 2)]
    """
    if type(estimator) is not Pipeline or estimator.memory or _has(estimator, "transform_input"):
        return [()] * len(candidates)
    names = [name for name, _ in estimator.steps[:-1]]
    keys = [_keys(params, names) for params in candidates]
    count = Counter(steps[:depth] for steps in keys for depth in range(1, len(steps) + 1))
    judge = _Judge(estimator)
    labels: dict[tuple[_Key, ...], int] = {}
    prefixes = []
    for params, steps in zip(candidates, keys, strict=True):
        depth = 0
        while (
            depth < len(steps)
            and count[steps[: depth + 1]] > 1
            and judge.may_share(depth, steps[depth], params)
        ):
            depth += 1
            labels.setdefault(steps[:depth], len(labels))
        prefixes.append(tuple(labels[steps[:stop]] for stop in range(1, depth + 1)))
    return prefixes


def _has(estimator: Any, name: str) -> bool:
    return getattr(estimator, name, None) is not None


def _keys(params: Mapping[str, Any], names: Sequence[str]) -> tuple[_Key, ...]:
    """Describe what a candidate sets in each first step; nothing if it changes the pipeline."""
    roots = {name: name.partition("__")[0] for name in params}
    if _SETTINGS & set(roots.values()):
        return ()
    return tuple(
        tuple(sorted((name, digest(params[name])) for name in params if roots[name] == step))
        for step in names
    )


def digest(value: Any) -> str:
    """Tell values apart, within this process."""
    try:
        return fingerprint(value)
    except FingerprintError:  # within this search its identity will do: the candidates hold it
        return f"object {id(value)}"


class _Judge:
    """Says which steps may be shared; looks at each step with certain settings once."""

    def __init__(self, estimator: Pipeline) -> None:
        self._steps = estimator.steps
        self._verdicts: dict[tuple[int, _Key], bool] = {}

    def may_share(self, depth: int, key: _Key, params: Mapping[str, Any]) -> bool:
        if (depth, key) not in self._verdicts:
            own = {name: params[name] for name, _ in key}
            self._verdicts[depth, key] = self._look(depth, own)
        return self._verdicts[depth, key]

    def _look(self, depth: int, own: dict[str, Any]) -> bool:
        name, step = self._steps[depth]
        alone = Pipeline([(name, clone(step, safe=False)), ("end", "passthrough")])
        try:
            alone.set_params(**clone(own, safe=False))
        except (ValueError, TypeError, RuntimeError):  # the candidate's own fit will say it
            return False
        return is_no_step(alone.steps[0][1]) or _is_repeatable(alone.steps[0][1])


def is_no_step(step: Any) -> bool:
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
    return alone and all(
        type(part).__module__.startswith("sklearn.") for part in _estimators_in(step)
    )


def _estimators_in(step: Any) -> Iterator[Any]:
    yield step
    for value in step.get_params(deep=True).values():
        if hasattr(value, "get_params"):
            yield value
