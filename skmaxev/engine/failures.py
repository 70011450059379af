"""Warnings and errors about fits and scorers that failed, each at its level."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Sequence

from sklearn.exceptions import FitFailedWarning

from skmaxev._compat import warn_or_raise_about_fit_failures
from skmaxev.engine.plan import Place, Plan
from skmaxev.engine.record import Record
from skmaxev.engine.scoring import scoring_failed

__all__ = ["report_failures", "report_nested_failures"]


def report_failures(record: Record, plan: Plan, places: Sequence[Place]) -> None:
    """Tell about failures: of the search itself as scikit-learn does, of nested folds once.

    Parameters
    ----------
    record : Record
        Every fit of the plan.
    plan : Plan
        Tells which fits serve the search itself.
    places : sequence of Place
        The splits of the search itself.

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
    report_nested_failures(record, plan)


def _scorers(record: Record, places: Sequence[Place]) -> list[dict[str, str]]:
    rows = set(record.numbers(places))
    return [found for (row, _), found in sorted(record.failures.items()) if row in rows]


def report_nested_failures(record: Record, plan: Plan) -> None:
    """Warn once about fits that failed in nested folds only."""
    failed = {unit for unit, _ in record.errors}
    nested = {number for number in failed if plan.units[number].search_split is None}
    errors = Counter(text for (unit, _), text in record.errors.items() if unit in nested)
    if errors:
        details = "\n".join(f"{count} fits failed with:\n{text}" for text, count in errors.items())
        warnings.warn(
            f"Nested folds: {errors.total()} fits inside outer folds failed. These models train on "
            "fewer rows than those of the search itself, where they may have fitted. Their scores "
            f"are set to {record.error_score}.\n{details}",
            FitFailedWarning,
            stacklevel=2,
        )
