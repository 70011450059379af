"""Searches that remember: they must not be fitted again and again inside a search."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

__all__ = ["check_forgets"]

_PLAIN = (int, float, str, bytes, np.generic, type(None))
"""What remembers nothing; lists may hold very many."""

_DATABASES = ("sqlite", "mysql", "postgresql", "redis")
"""Kinds of databases that Optuna keeps studies in; a URL begins with one of them."""

_RESULTS = ("study_", "optimizer_results_", "cv_results_")
"""What searches leave on themselves when they are fitted."""


def check_forgets(copied: Mapping[str, Any], handed_on: Mapping[str, Any] | None = None) -> None:
    """Refuse a model that takes along what it learnt on one fold to the next.

    A study of Optuna that lies in a database or holds trials already, its storage, an optimizer of
    scikit-optimize that was told scores: each has seen the rows that a fold is about to judge.
    A new study in memory is copied for every fit and may pass, and so may a cache that is keyed by
    the data, such as `joblib.Memory`. What a function of the user remembers cannot be known.

    Every fit gets a copy of what is ``copied``, and what is ``handed_on`` as it is, so that there
    a new study is shared too. Models, lists and mappings in them are looked through.
    """
    for given, is_copied in ((copied, True), (handed_on or {}, False)):
        for name, value in _inside("", given, set()):
            if memory := _memory(name, value, is_copied=is_copied):
                raise ValueError(
                    "a model that is fitted on one fold after another must start anew each time; "
                    f"{name} is {memory}, so every fold would know what others have found. Leave "
                    "it out, or give a new one in memory as a parameter of the model, which is "
                    "copied for every fit."
                )


def _inside(name: str, value: Any, seen: set[int]) -> Iterator[tuple[str, Any]]:
    """Walk through models, lists and mappings; give each value with its name."""
    yield name, value
    parts: Any = ()
    if isinstance(value, Mapping):
        join = "{}[{!r}]" if name else "{}{}"
        parts = ((join.format(name, key), part) for key, part in value.items())
    elif isinstance(value, list | tuple | set | frozenset) or _holds_objects(value):
        large = enumerate(value)
        parts = ((f"{name}[{n}]", part) for n, part in large if not isinstance(part, _PLAIN))
    elif hasattr(value, "get_params") and not isinstance(value, type):
        parts = ((f"{name}__{key}", part) for key, part in value.get_params(deep=False).items())
    if id(value) in seen:
        return
    seen.add(id(value))
    for own_name, part in parts:
        yield from _inside(own_name, part, seen)


def _holds_objects(value: Any) -> bool:
    return isinstance(value, np.ndarray) and value.dtype == object and value.ndim > 0


def _memory(name: str, value: Any, *, is_copied: bool) -> str:
    """Say what the value remembers from one fit to the next; empty if nothing."""
    if _is_optuna(value, "Study"):
        storage = type(getattr(value, "_storage", None)).__name__
        fresh = is_copied and storage == "InMemoryStorage" and not value.trials
        return "" if fresh else f"a study with {len(value.trials)} trials in {storage}"
    if _is_optuna(value, "BaseStorage"):
        fresh = is_copied and type(value).__name__ == "InMemoryStorage" and not _n_trials(value)
        return "" if fresh else f"{type(value).__name__}, a storage of studies"
    if isinstance(value, str):
        is_storage = name.replace("__", " ").split()[-1:] == ["storage"]
        return "a database of studies" if is_storage and value.startswith(_DATABASES) else ""
    if hasattr(value, "tell") and len(getattr(value, "Xi", ())):
        return f"{type(value).__name__}, an optimizer that was told {len(value.Xi)} scores"
    return _kept_results(value)


def _kept_results(value: Any) -> str:
    """Find a fitted search whose own way of cloning keeps what it found."""
    if not (hasattr(value, "__sklearn_clone__") and hasattr(value, "fit")):
        return ""
    left = set(_RESULTS) & set(getattr(value, "__dict__", ()))
    kept = left and left & set(vars(value.__sklearn_clone__()))
    return f"a fitted search that keeps {', '.join(sorted(kept))} when it is cloned" if kept else ""


def _is_optuna(value: Any, name: str) -> bool:
    """Tell a class of Optuna without importing it."""
    return any(
        kind.__name__ == name and kind.__module__.partition(".")[0] == "optuna"
        for kind in type(value).__mro__
    )


def _n_trials(storage: Any) -> int:
    studies = storage.get_all_studies()
    return sum(storage.get_n_trials(study._study_id) for study in studies)  # noqa: SLF001  # no other
