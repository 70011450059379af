"""Submodels: candidates that one fit holds in full are derived from it, and not fitted.

A forest of 500 trees holds the forests of 100, 200 and 300 trees with the same seed. Candidates
that differ in such a parameter alone are fitted once, with the largest value, and the
others are cut out of it: real fitted estimators, equal to fits of their own to the last bit,
so that any scorer can judge them. A value that a fit of its own might refuse, a setting
under which the bits differ, parameters of ``fit`` other than sample weights, a pipeline whose first
steps are not shared: there every candidate fits itself, and so it does where the base's fit
or a derivation fails.
"""

from __future__ import annotations

import pickle
import sys
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import copy
from itertools import groupby
from typing import Any

from sklearn.base import clone
from sklearn.pipeline import Pipeline

from skmaxev._compat.families import FAMILIES, TESTED, SubmodelAxis
from skmaxev.engine.fingerprint import digest
from skmaxev.engine.steps import SharedSteps, random_states
from skmaxev.engine.types import Pair, Prefix, Submodel

__all__ = [
    "Base",
    "SubmodelAxis",
    "base_first",
    "count_derived",
    "group_of",
    "register_submodels",
    "submodels_of",
]

_METHODS = ("predict", "predict_proba", "decision_function", "transform")
_registered: dict[type, tuple[SubmodelAxis, ...]] = {}
_verdicts: dict[tuple[type, str], bool] = {}
"""Whether a derivation that no test knows gave the bits of a fit, when this process tried."""


def register_submodels(cls: type, *axes: SubmodelAxis) -> None:
    """Say along which parameters one fit of an estimator holds the models of all values.

    A class may say it itself, by an attribute ``__skmaxev_submodels__``, a tuple of axes. Either
    counts for the class alone: a subclass may fit in another way.

    Parameters
    ----------
    cls : type
        Class of the estimator.
    *axes : SubmodelAxis
        Of several that a grid varies, the one with the most values. None turns sharing off.

    Examples
    --------
    >>> from copy import copy
    >>> from sklearn.base import BaseEstimator
    >>> from skmaxev.search import SubmodelAxis, register_submodels
    >>> class Trim(BaseEstimator):
    ...     def __init__(self, threshold=0.5):
    ...         self.threshold = threshold
    >>> def with_threshold(base, own):
    ...     model = copy(base)
    ...     model.threshold = own.threshold
    ...     return model
    >>> register_submodels(Trim, SubmodelAxis("threshold", with_threshold, share=lambda *_: 1.0))
    """
    _registered[cls] = axes


def axes_of(cls: type) -> tuple[SubmodelAxis, ...]:
    """Give the axes of a class: those registered, its own, or those known of libraries."""
    if cls in _registered:
        return _registered[cls]
    known = FAMILIES.get((_package(cls), cls.__qualname__), ())
    axes: tuple[SubmodelAxis, ...] = vars(cls).get("__skmaxev_submodels__", known)
    return axes


def _package(cls: type) -> str:
    return cls.__module__.partition(".")[0]


def submodels_of(
    estimator: Any,
    candidates: Sequence[Mapping[str, Any]],
    *,
    prefixes: Sequence[Prefix],
    fit_params: Iterable[str],
    n_rows: int,
    only_predictions: bool = True,
) -> list[Submodel | None]:
    """Find the candidates that can be derived from one fit.

    Parameters
    ----------
    estimator : estimator
        What is searched; its last step if it is a pipeline whose other steps are shared.
    candidates : sequence of mapping
        Settings of each candidate.
    prefixes : sequence of tuple of int
        Labels of the pipeline steps that candidates share; may be empty.
    fit_params : iterable of str
        Names of the parameters of ``fit``.
    n_rows : int
        The most training rows.
    only_predictions : bool
        Whether the scorer looks at predictions and nothing else.

    Returns
    -------
    list of Submodel or None
        For each candidate its group; None where it fits itself.
    """
    found: list[Submodel | None] = [None] * len(candidates)
    if any(name.rpartition("__")[2] != "sample_weight" for name in fit_params):
        return found
    groups: defaultdict[Any, list[tuple[int, Any]]] = defaultdict(list)
    is_pipeline = type(estimator) is Pipeline
    last = estimator.steps[-1][0] if is_pipeline else ""
    for number, params in enumerate(candidates):
        prefix = prefixes[number] if prefixes else ()
        if is_pipeline and len(prefix) != len(estimator.steps) - 1:
            continue
        model = params.get(last, estimator.steps[-1][1]) if is_pipeline else estimator
        for axis in axes_of(type(model)):
            name, *also = (
                f"{last}__{one}" if is_pipeline else one for one in (axis.param, *axis.also)
            )
            if name in params and (only_predictions or not axis.only_predictions):
                others = sorted(
                    (other, digest(value))
                    for other, value in params.items()
                    if other not in {name, *also}
                )
                groups[prefix, name, axis, tuple(others)].append((number, params[name]))
    largest = sorted(groups.items(), key=lambda group: -len(group[1]))
    for group, ((_, _, axis, _), members) in enumerate(largest):
        free = [m for m in members if found[m[0]] is None] if len(members) > 1 else []
        suited = [m for m in free if _suits(axis, estimator, candidates[m[0]], n_rows)]
        for number, value in suited if len(suited) > 1 else ():
            found[number] = Submodel(group, axis, value)
    return found


def _suits(axis: SubmodelAxis, estimator: Any, params: Mapping[str, Any], n_rows: int) -> bool:
    try:
        own = clone(estimator).set_params(**clone(dict(params), safe=False))
        return bool(axis.suits(_last(own), n_rows))
    except Exception:  # noqa: BLE001  # the candidate's own fit will say it
        return False


def count_derived(submodels: Iterable[Submodel | None]) -> int:
    """Count the candidates that are derived on one set of training rows."""
    groups = [one.group for one in submodels if one is not None]
    return len(groups) - len(set(groups))


def base_first(family: Sequence[Pair], submodels: Sequence[Submodel | None]) -> list[Pair]:
    """Put the candidate that is fitted before the others of its group, its neighbours."""
    ordered: list[Pair] = []
    for _, pairs in groupby(family, key=lambda pair: group_of(submodels[pair[1]])):
        kin = list(pairs)
        member = submodels[kin[0][1]]
        if member is not None:
            values = [one.value for _, number in kin if (one := submodels[number]) is not None]
            kin.insert(0, kin.pop(values.index(member.axis.fit_value(values))))
        ordered += kin
    return ordered


def group_of(member: Submodel | None) -> int:
    """Give the number of a candidate's group; -1 if it has none."""
    return -1 if member is None else member.group


def _last(estimator: Any) -> Any:
    return estimator.steps[-1][1] if type(estimator) is Pipeline else estimator


def _with_last(estimator: Any, base: Any, model: Any) -> Any:
    """Give the candidate's estimator with a fitted last step, and the other steps of the base."""
    if type(estimator) is not Pipeline:
        return model
    estimator = copy(estimator)
    estimator.steps = [*base.steps[:-1], (base.steps[-1][0], model)]
    return estimator


class Base:
    """The fitted model that the candidates of one group are derived from; one at a time."""

    def __init__(self, shared: SharedSteps) -> None:
        self._shared = shared
        self._group, self._opens = -1, False
        self._model: Any = None
        self._value: Any = None
        self._seconds, self._random = 0.0, random_states()

    def fit(self, member: Submodel | None, own: Any, X: Any, alone: Callable[[], None]) -> Any:
        """Derive a candidate's fitted model, or fit it by ``alone``; give the fitted model."""
        self._opens = group_of(member) not in {-1, self._group}
        if member is None or self._opens:  # this one is fitted, and may become the base
            self._group, self._model, self._random = group_of(member), None, random_states()
            alone()
            return own
        derived = self._derive(member, own)
        kind = type(_last(own)), member.axis.param
        if derived is not None and (_is_tested(kind[0]) or kind in _verdicts):
            self._shared.reuse_all()
            return derived
        alone()
        if derived is not None:
            _compare(kind, derived, own, X)
        return own

    def _derive(self, member: Submodel, own: Any) -> Any:
        if self._model is None or not _verdicts.get((type(_last(own)), member.axis.param), True):
            return None
        try:
            return _with_last(own, self._model, member.axis.derive(_last(self._model), _last(own)))
        except Exception:  # noqa: BLE001  # its own fit will say what is wrong
            return None

    def settle(
        self, member: Submodel | None, model: Any, seconds: float, *, derived: bool
    ) -> float:
        """Keep a model that others are derived from; give the time that its fit alone would take.

        A shallow copy is kept, so that a scorer that sets attributes of its model does not change
        what is derived.
        """
        steps = self._shared.held_seconds()
        if member is None or steps is None:
            return seconds
        if derived:
            return steps + float(member.axis.share(member.value, self._value)) * self._seconds
        if self._opens and (member.axis.seedless or random_states() == self._random):
            self._model = _with_last(model, model, copy(_last(model)))
            self._value, self._seconds = member.value, seconds - steps
        return seconds


def _is_tested(cls: type) -> bool:
    """Tell whether the tests cover the derivation in this version of the class's library."""
    package = _package(cls)
    version = str(getattr(sys.modules.get(package), "__version__", ""))
    known = axes_of(cls) is FAMILIES.get((package, cls.__qualname__))
    return known and version.startswith(tuple(f"{one}." for one in TESTED.get(package, ())))


def _compare(kind: tuple[type, str], derived: Any, fitted: Any, X: Any) -> None:
    """Compare a derived model with the candidate's own fit; where they differ, derive no more."""
    _verdicts[kind] = all(_bits(derived, name, X) == _bits(fitted, name, X) for name in _METHODS)
    if not _verdicts[kind]:
        warnings.warn(
            f"{kind[0].__name__}: a model derived along {kind[1]} is not what a fit gives, in this "
            "version of its library, so every candidate is fitted.",
            UserWarning,
            stacklevel=2,
        )


def _bits(model: Any, method: str, X: Any) -> Any:
    """Give an answer as bytes; None where there is no such method."""
    if not hasattr(model, method):
        return None
    answer = getattr(model, method)(X)
    parts = answer if isinstance(answer, list) else [answer]
    return [pickle.dumps(part.tolist() if hasattr(part, "tolist") else part) for part in parts]
