"""From a score table to the report: by the method that was asked for, where it can judge."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from skmaxev.correction import correct
from skmaxev.engine.record import Record
from skmaxev.engine.types import Nesting
from skmaxev.report import SelectionReport
from skmaxev.search._choice import complete_scores
from skmaxev.search._outer import inner_places
from skmaxev.table import ScoreTable, mean_scores

__all__ = ["full_form", "honest_score", "report_of", "with_full_form"]


def report_of(table: ScoreTable, method: str, *, refit: Any, level: float) -> SelectionReport:
    """Report by ``method``, or by the consensus where it cannot judge the winner."""
    usable = True
    if method == "NESTED":
        usable = table.outer is not None and bool(np.isfinite(table.outer.scores).all())
    elif method == "LVCV" and callable(refit):
        means = mean_scores(table.used_scores)
        usable = bool(means[table.used_best_index] >= means.max())
    return correct(table, method=method if usable else "CONSENSUS", level=level)


def honest_score(report: SelectionReport | None, method: str) -> float:
    """Give the score of the report; nothing takes the place of nested cross-validation."""
    if report is None or (method == "NESTED" and report.method != method):
        return float("nan")
    return report.estimate


def full_form(record: Record, nesting: Nesting, metric: str) -> float:
    """Choose inside each fold by cross-validation, and judge by cross-validation on the rest.

    Mean over folds; tied candidates share. Errs downwards on average. NaN if some fold has no
    candidate with all its scores.

    References
    ----------
    .. [1] H. van Hasselt (2013), Eqs. 9 and 10. arXiv:1302.7175.
    """
    values = []
    for k in range(len(nesting.outer)):
        arguments, judged = (
            complete_scores(record, inner_places(nesting, level, k), metric).mean(axis=1)
            for level in ("within", "inner")
        )
        usable = np.isfinite(arguments) & np.isfinite(judged)
        if not usable.any():
            return float("nan")
        top = arguments[usable].max()
        tied = usable & np.isclose(arguments, top, rtol=1e-12, atol=0.0)
        values.append(judged[tied].mean())
    return float(np.mean(values))


def with_full_form(
    report: SelectionReport, nesting: Nesting | None, record: Record, metric: str
) -> SelectionReport:
    """Put the full form in the place of LVCV from the score table, where its folds were made."""
    if nesting is None or not nesting.within or report.method != "LVCV":
        return report
    if report.n_used == 1 or report.spread == 0:  # nothing was chosen
        return report
    value = full_form(record, nesting, metric)
    estimate = replace(report.estimates["LVCV"], value=value)
    note = "LVCV in its full form: chosen by cross-validation inside each fold, judged on the rest."
    estimates: Mapping[str, Any] = {**report.estimates, "LVCV": estimate}
    return replace(
        report,
        estimate=value,
        interval=report.interval if np.isfinite(value) else None,
        optimism=report.naive - value,
        estimates=estimates,
        notes=(*report.notes, note),
    )
