"""Searches that remember: they must not be fitted again and again inside a search."""

from __future__ import annotations

from typing import Any

__all__ = ["check_forgets"]


def check_forgets(estimator: Any) -> None:
    """Refuse a model that takes along what it learnt on one fold to the next.

    A search with an Optuna study of its own, which lies in a database or holds trials already, has
    seen the rows that a fold is about to judge. A new study in memory is copied for every fit and
    may pass.

    Parameters
    ----------
    estimator : estimator
        What is fitted on every fold.

    Raises
    ------
    ValueError
        Names the parameter.
    """
    if not hasattr(estimator, "get_params"):
        return
    for name, value in estimator.get_params(deep=True).items():
        if _is_study(value) and (not _is_copied(value) or len(value.trials)):
            raise ValueError(
                f"a model that is fitted on one fold after another must start anew each time; "
                f"{name} is a study with {len(value.trials)} trials in {_storage(value)}, so every "
                "fold would know what others have found. Leave the study out, or give a new one "
                "in memory, which is copied for every fit."
            )


def _is_study(value: Any) -> bool:
    return type(value).__name__ == "Study" and hasattr(value, "trials")


def _storage(study: Any) -> str:
    return type(getattr(study, "_storage", None)).__name__


def _is_copied(study: Any) -> bool:
    """Tell whether a clone gets a study of its own; a database stays the same."""
    return _storage(study) == "InMemoryStorage"
