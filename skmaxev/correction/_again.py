"""The report of a search whose better candidates were judged again."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from skmaxev.correction._certain import certain_rows
from skmaxev.correction._estimates import differences_of, interval_of
from skmaxev.correction._rows import pooled_table, usable_rows
from skmaxev.estimators.again import judged_again
from skmaxev.metrics import noise_range
from skmaxev.report import SelectionReport
from skmaxev.table import ScoreTable, mean_scores

__all__ = ["report_again", "true_scores"]

FloatArray = NDArray[np.float64]


def true_scores(table: ScoreTable, fresh: FloatArray) -> FloatArray:
    """Estimate the true score of every candidate that was judged again, NaN for others.

    Parameters
    ----------
    table : ScoreTable
        Of the search.
    fresh : ndarray of shape (n_fresh, n_candidates)
        Mean score on each fresh partition, higher is better. NaN where a candidate was not judged
        again.
    """
    rows = usable_rows(table)
    pooled = table if rows is None else pooled_table(table, rows)
    # Fresh partitions are judged by fold; where the search is pooled, the move between them counts.
    moved = mean_scores(pooled.used_scores) - mean_scores(table.used_scores)
    found = judged_again(
        pooled.used_scores,
        fresh[:, table.used] + moved,
        design=table.design,
        support=noise_range(table.metric, table.support, pooled.used_scores),
    )
    estimates = np.full(table.n_candidates, np.nan)
    estimates[table.used] = np.clip(found.estimates, *table.support)
    return estimates


def report_again(report: SelectionReport, fresh: FloatArray, *, n_fits: int) -> SelectionReport:
    """Report on the candidate that fresh partitions find the best.

    Parameters
    ----------
    report : SelectionReport
        Of the search, with its table.
    fresh : ndarray of shape (n_fresh, n_candidates)
        As in `true_scores`.
    n_fits : int
        Fits that the fresh partitions took.
    """
    if report.table is None:
        raise TypeError("report must hold the table of its search.")
    estimates = true_scores(report.table, fresh)
    best = int(np.nanargmax(estimates))
    table = replace(report.table, best_index=best)
    rows = usable_rows(table)
    pooled = table if rows is None else pooled_table(table, rows)
    estimate = float(estimates[best])
    interval = interval_of(pooled, rows, estimate=estimate, level=report.level)
    certain = certain_rows(pooled, rows, report.level)
    if certain is not None:
        estimate -= certain.fall
        if interval is not None:
            interval = interval[0] - certain.fall_of_lower_end, interval[1]
    sign = 1.0 if table.greater_is_better else -1.0
    naive = float(mean_scores(table.used_scores)[table.used_best_index])
    comparable = float(mean_scores(pooled.used_scores)[table.used_best_index])
    return replace(
        report,
        estimate=sign * estimate + 0.0,
        interval=None if interval is None else _ordered(interval, sign),
        method="CONSENSUS",
        naive=sign * naive + 0.0,
        naive_pooled=None if report.naive_pooled is None else sign * comparable + 0.0,
        optimism=comparable - estimate,
        estimates={"CONSENSUS": replace(report.estimates["CONSENSUS"], value=sign * estimate)},
        best_index=best,
        differences=differences_of(pooled, rows, report.level),
        best_params=None if table.params is None else table.params[best],
        n_fresh=len(fresh),
        n_fits=None if report.n_fits is None else report.n_fits + n_fits,
        notes=(*report.notes, _about(report, fresh, best, n_fits)),
        table=table,
    )


def _ordered(interval: tuple[float, float], sign: float) -> tuple[float, float]:
    low, high = sorted(sign * end for end in interval)
    return low, high


def _about(report: SelectionReport, fresh: FloatArray, best: int, n_fits: int) -> str:
    judged = np.isfinite(fresh).sum(axis=0)
    again = ", ".join(f"{number} ({judged[number]}x)" for number in np.flatnonzero(judged))
    chosen = (
        f"candidate {best} is now the better one, in place of {report.best_index}"
        if best != report.best_index
        else "the winner stays"
    )
    return (
        f"Judged again on fresh partitions, with {n_fits} more fits: candidates {again}; {chosen}."
    )
