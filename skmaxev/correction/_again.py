"""The report of a search whose better candidates were judged again."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from skmaxev.correction._certain import certain_rows
from skmaxev.correction._estimates import interval_of
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


def report_again(report: SelectionReport, table: ScoreTable) -> SelectionReport:
    """Replace the estimate of a report by what fresh partitions make of it.

    Parameters
    ----------
    report : SelectionReport
        By the consensus, on the splits of the search alone.
    table : ScoreTable
        Of the report, with fresh scores; its winner is the candidate that they find the best.
    """
    if table.fresh is None:
        return report
    rows = usable_rows(table)
    pooled = table if rows is None else pooled_table(table, rows)
    estimate = float(true_scores(table, table.fresh)[table.best_index])
    interval = interval_of(pooled, rows, estimate=estimate, level=report.level)
    certain = certain_rows(pooled, rows, report.level)
    if certain is not None:
        estimate -= certain.fall
        if interval is not None:
            interval = interval[0] - certain.fall_of_lower_end, interval[1]
    sign = 1.0 if table.greater_is_better else -1.0
    ends = None if interval is None else sorted(sign * end for end in interval)
    comparable = float(mean_scores(pooled.used_scores)[table.used_best_index])
    return replace(
        report,
        estimate=sign * estimate + 0.0,
        interval=None if ends is None else (ends[0], ends[1]),
        optimism=comparable - estimate,
        estimates={"CONSENSUS": replace(report.estimates["CONSENSUS"], value=sign * estimate)},
        n_fresh=len(table.fresh),
    )
