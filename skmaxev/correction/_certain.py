"""The loss of certain rows: predictions of probability 0 or 1 that have not failed yet."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy import stats

from skmaxev.table import Rows, ScoreTable

__all__ = ["CertainRows", "certain_rows"]


class CertainRows(NamedTuple):
    """By how much certain predictions make a log loss look too good.

    Parameters
    ----------
    n_rows, n_wrong : float
        Rows that the winner was certain of, and those of them that it got wrong.
    fall : float
        What the score falls by on average.
    fall_of_lower_end : float
        What the lower end of its interval falls by.
    """

    n_rows: float
    n_wrong: float
    fall: float
    fall_of_lower_end: float


def certain_rows(table: ScoreTable, rows: Rows | None, level: float) -> CertainRows | None:
    """Expect some of the rows with a probability of exactly 0 or 1 to be wrong, as Jeffreys does.

    Neighbours and trees are certain of many rows. The one among them that costs ``-log(eps)``, 36
    in double precision, was not met yet in most searches, so their log loss errs to the good side.
    Experimental: the rule is ours, and its accuracy measured.

    Parameters
    ----------
    table : ScoreTable
        Of a log loss on two classes; others have no such rows here.
    rows : Rows, optional
        Of the candidates that take part, with responses.
    level : float
        Confidence level of the interval.
    """
    if rows is None or rows.responses is None or rows.y_true is None:
        return None
    classes, truth = np.unique(rows.y_true, return_inverse=True)
    said = rows.responses[table.used_best_index]
    if table.metric != "neg_log_loss" or len(classes) != 2 or said.dtype.kind != "f":
        return None
    said = said[..., 1] if said.ndim == 3 else said
    judged = rows.test_fold >= 0
    certain = judged & np.isin(said, (0.0, 1.0))
    wrong = certain & (said != truth)
    # Rows judged in several partitions are still the same rows.
    n_rows, n_wrong = certain.sum() / rows.n_repeats, wrong.sum() / rows.n_repeats
    if not n_rows:
        return None
    share = n_rows / (judged.sum() / rows.n_repeats)
    dtype = np.float32 if said.dtype == np.float32 else np.float64
    dearest = -float(np.log(np.finfo(dtype).eps)) * share
    expected = (n_wrong + 0.5) / (n_rows + 1.0)
    most = float(stats.beta.ppf((1.0 + level) / 2.0, n_wrong + 0.5, n_rows - n_wrong + 0.5))
    met = n_wrong / n_rows
    return CertainRows(n_rows, n_wrong, dearest * (expected - met), dearest * (most - met))
