"""Every estimator that a score table allows."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skmaxev.correction._rows import JudgedRows
from skmaxev.estimators.bayesian import bayesian_maximum
from skmaxev.estimators.consensus import consensus
from skmaxev.estimators.cross_validation import low_bias_cv, low_variance_cv
from skmaxev.estimators.intervals import selection_interval
from skmaxev.estimators.resampling import bbc, bbc_auc, bbc_folds
from skmaxev.estimators.shrinkage import efron_shrinkage, residual_noise, tibshirani
from skmaxev.metrics import noise_range
from skmaxev.report import METHODS
from skmaxev.table import Design, ScoreTable, mean_scores

__all__ = ["estimate_all", "given_winner", "interval_of", "nothing_chosen"]

FloatArray = NDArray[np.float64]

_ROUNDING = 1e-12  # scores that differ by less, relative to their size, are the same score
_FEWEST_RESAMPLES, _MOST_RESAMPLES = 100, 1000
_MOST_DRAWN = 100_000_000  # scores times resamples
_MOST_ROWS = 3_000_000  # rows times resamples: a fraction of a second, where fits take longer


def estimate_all(table: ScoreTable, rows: JudgedRows | None, seed: int) -> dict[str, float]:
    """Compute every estimator that the table allows; higher is better.

    Parameters
    ----------
    table : ScoreTable
        At least two splits, or one candidate.
    rows : JudgedRows, optional
        Its rows.
    seed : int
        For estimators that resample.

    Returns
    -------
    dict of str to float
        In the order of METHODS. All are the naive score exactly where nothing was chosen, but for
        nested cross-validation, which stays as it is.
    """
    if nothing_chosen(table):
        naive = float(mean_scores(table.used_scores)[table.used_best_index])
        values = dict.fromkeys((key for key in METHODS if key not in {"BBC", "NESTED"}), naive)
    else:
        values = _from_scores(table, rows, seed)
    if table.outer is not None and np.isfinite(table.outer.scores).all():
        values["NESTED"] = float(table.outer.scores.mean())
    return {key: values[key] for key in METHODS if key in values}


def nothing_chosen(table: ScoreTable) -> bool:
    """Tell whether there is one candidate, or one score for all of them on every split."""
    scores = table.used_scores
    return bool(np.ptp(scores, axis=1).max() <= _ROUNDING * float(np.abs(scores).max()))


def given_winner(table: ScoreTable) -> int | None:
    """Return the winner's column if the search chose another than the best mean score."""
    means = mean_scores(table.used_scores)
    best = table.used_best_index
    rounding = _ROUNDING * max(abs(float(means[best])), abs(float(means.max())))
    return best if means[best] < means.max() - rounding else None


def _from_scores(table: ScoreTable, rows: JudgedRows | None, seed: int) -> dict[str, float]:
    scores, given = table.used_scores, given_winner(table)
    means = mean_scores(scores)
    design = table.design
    noise = np.full(means.shape, np.sqrt(residual_noise(scores, design=design)))
    values = {
        "ME": means.max(),
        "LVCV": low_variance_cv(scores, design=design),
        "LBCV": low_bias_cv(scores, design=design),
        "BAYES": bayesian_maximum(means, noise),
        "EB": efron_shrinkage(scores, best_index=given, design=design),
        "TT": tibshirani(scores, best_index=given),
        "CONSENSUS": consensus(
            scores,
            design=design,
            best_index=given,
            support=noise_range(table.metric, table.support, table.used_scores),
            **_row_arguments(table, rows),
        ),
    }
    if design is None or design.n_folds > 1:  # shuffled splits leave no fresh rows out
        size = _resamples(scores)
        values["BBC-F"] = bbc_folds(scores, design=design, n_resamples=size, rng=seed).estimate
    if rows is not None:
        values["BBC"] = _bootstrap_rows(rows, seed)
    low, high = scores.min(), scores.max()
    return {key: float(np.clip(value, low, high)) for key, value in values.items()}


def _resamples(scores: FloatArray) -> int:
    """Choose the number of bootstrap draws: fewer for tables so large that each takes long."""
    affordable = min(_MOST_DRAWN // scores.size, _MOST_ROWS // len(scores))
    return int(np.clip(affordable, _FEWEST_RESAMPLES, _MOST_RESAMPLES))


def _row_arguments(table: ScoreTable, rows: JudgedRows | None) -> dict[str, Any]:
    """Return the rows for the consensus, if they are those of all candidates and splits."""
    if rows is None or not rows.complete or len(np.unique(rows.splits)) != table.n_splits:
        return {}
    if len(rows.splits) == table.n_splits:  # single rows, which show no noise within their split
        return {}
    return {
        "row_values": rows.contributions,
        "row_excess": rows.excess,
        "row_splits": rows.splits,
    }


def _bootstrap_rows(rows: JudgedRows, seed: int) -> float:
    if rows.values is not None:
        return bbc(rows.values, n_resamples=_resamples(rows.values), rng=seed).estimate
    if rows.responses is None or rows.positive is None:
        raise TypeError("rows must hold values, or responses with their classes.")
    size = _resamples(rows.responses)
    return bbc_auc(
        rows.positive, rows.responses, fold=rows.splits, n_resamples=size, rng=seed
    ).estimate


def interval_of(
    table: ScoreTable, rows: JudgedRows | None, *, estimate: float, level: float
) -> tuple[float, float] | None:
    """Bound the true score of the winner, within the range of the metric.

    Parameters
    ----------
    table : ScoreTable
        The scores.
    rows : JudgedRows, optional
        Its rows.
    estimate : float
        What the interval is around; higher is better.
    level : float
        Confidence level.

    Returns
    -------
    tuple of two floats, or None
        None where nothing shows the noise.
    """
    # Around a nested score too: the splits and rows of the search show its noise with far more
    # freedom than a handful of outer scores do.
    found = selection_interval(
        table.used_scores,
        estimate=estimate,
        best_index=table.used_best_index,
        level=level,
        support=table.support,
        design=table.design or _design_of_rows(table),
        row_values=_rows_for_noise(table, rows),
    )
    if found is None:
        return None
    return max(found[0], table.support[0]), min(found[1], table.support[1])


def _design_of_rows(table: ScoreTable) -> Design | None:
    """Return the folds of one partition, with the numbers of rows that are known."""
    if table.n_test is None:
        return None
    assumed = Design.assumed(table.n_splits)
    share = assumed.test_share
    if table.n_train is not None:
        share = float(np.mean(table.n_test) / (np.mean(table.n_test) + np.mean(table.n_train)))
    return replace(assumed, n_test=table.n_test, test_share=share)


def _rows_for_noise(table: ScoreTable, rows: JudgedRows | None) -> FloatArray | None:
    """Return the rows of all candidates, or of the winner where those of others are missing."""
    if rows is None or rows.contributions is None:
        return None
    if rows.complete:
        return rows.contributions
    return rows.contributions[:, np.searchsorted(rows.columns, table.used_best_index)]
