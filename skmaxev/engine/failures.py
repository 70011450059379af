"""Warnings and errors about fits and scorers that failed, each at its level."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import FitFailedWarning
from sklearn.utils.multiclass import type_of_target

from skmaxev._compat import warn_or_raise_about_fit_failures
from skmaxev.engine.inner import describe_rows
from skmaxev.engine.plan import Place, Plan, Split
from skmaxev.engine.record import Record
from skmaxev.engine.scoring import scoring_failed

__all__ = ["report_failures", "report_nested_failures"]

_MOST_COMPARED = 1000
"""Sets of training rows that are looked at for the smallest one."""


def report_failures(record: Record, plan: Plan, places: Sequence[Place], y: Any = None) -> None:
    """Tell about failures: of the search itself as scikit-learn does, of nested folds once.

    Parameters
    ----------
    record : Record
        Every fit of the plan.
    plan : Plan
        Tells which fits serve the search itself.
    places : sequence of Place
        The splits of the search itself.
    y : array-like of n_rows rows, optional
        Target of a classifier, for all rows of the data.

    Raises
    ------
    ValueError
        If all fits of the search failed, in scikit-learn's words.
    """
    for tracebacks in (*_scorers(record, places), *record.train_failures.values()):
        for details in tracebacks.values():
            warnings.warn(scoring_failed(record.error_score, details), UserWarning, stacklevel=2)
    output = record.as_scikit_learn(places, train=False)
    warn_or_raise_about_fit_failures(output, record.error_score)
    report_nested_failures(record, plan, plan.splits, y)


def _scorers(record: Record, places: Sequence[Place]) -> list[dict[str, str]]:
    rows = set(record.numbers(places))
    return [found for (row, _), found in sorted(record.failures.items()) if row in rows]


def report_nested_failures(
    record: Record, plan: Plan, splits: Sequence[Split], y: Any = None
) -> None:
    """Warn once about fits, and once about scorers, that failed in nested folds only.

    Of the fits it is said what they trained on.

    Parameters
    ----------
    record : Record
        Fits of the plan.
    plan : Plan
        Tells which fits serve nested folds.
    splits : sequence of Split
        Splits of the search itself, to compare with.
    y : array-like of n_rows rows, optional
        Target of a classifier, for all rows of the data.
    """
    failed = {unit for unit, _ in record.errors}
    nested = {number for number in failed if plan.units[number].search_split is None}
    errors = Counter(text for (unit, _), text in record.errors.items() if unit in nested)
    if errors:
        some, classes = sorted(nested)[:_MOST_COMPARED], _classes(y)
        inside = _smallest((plan.units[number].train for number in some), classes)
        own = _smallest((split.train for split in splits), classes)
        details = "\n".join(f"{count} fits failed with:\n{text}" for text, count in errors.items())
        warnings.warn(
            f"Nested folds: {errors.total()} fits inside outer folds failed. These models train on "
            f"fewer rows than those of the search itself, where they may have fitted: {inside}; "
            f"the search itself: {own}. Their scores are set to {_score_of(record)}. Use more "
            f"folds, which leave more rows, or settings that need fewer.\n{details}",
            FitFailedWarning,
            stacklevel=2,
        )
    _report_nested_scorers(record, plan)


def _report_nested_scorers(record: Record, plan: Plan) -> None:
    own = [Place("search", -1, number) for number in range(len(plan.splits))]
    told = {text for found in _scorers(record, own) for text in found.values()}
    rows = set(record.numbers(own))
    failures = [found for (row, _), found in record.failures.items() if row not in rows]
    errors = Counter(text for found in failures for text in found.values() if text not in told)
    if errors:
        details = "\n".join(
            f"{count} scores failed with:\n{text}" for text, count in errors.items()
        )
        warnings.warn(
            f"Nested folds: {errors.total()} scores inside outer folds failed. They are set to "
            f"{_score_of(record)}.\n{details}",
            UserWarning,
            stacklevel=2,
        )


def _score_of(record: Record) -> float:
    """Give the score of a failed nested fit; where errors are raised, only some of them are."""
    return np.nan if isinstance(record.error_score, str) else record.error_score


def _classes(y: Any) -> NDArray[Any] | None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # scikit-learn has warned of many classes
        known = y is not None and type_of_target(y) in {"binary", "multiclass"}
    try:
        return np.asarray(y) if known else None
    except (RuntimeError, TypeError):  # on another device
        return None


def _smallest(trains: Iterable[NDArray[np.intp]], classes: NDArray[Any] | None) -> str:
    """Describe the training rows with the fewest members of some class, or the fewest at all."""

    def rarest(rows: NDArray[np.intp]) -> tuple[int, int]:
        if classes is None:
            return len(rows), 0
        return int(np.unique(classes[rows], return_counts=True)[1].min()), len(rows)

    rows = min(trains, key=rarest)
    return describe_rows(len(rows), None if classes is None else classes[rows])
