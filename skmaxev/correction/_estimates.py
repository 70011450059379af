"""Every estimator and interval that a score table allows."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from skmaxev.estimators._design import checked_design, overlap, partitions
from skmaxev.estimators.again import judged_again
from skmaxev.estimators.bayesian import bayesian_maximum
from skmaxev.estimators.consensus import consensus
from skmaxev.estimators.corrections import (
    bbc,
    bbc_folds,
    efron_shrinkage,
    residual_noise,
    tibshirani,
)
from skmaxev.estimators.cross_validation import low_bias_cv, low_variance_cv
from skmaxev.estimators.differences import Differences, paired_differences
from skmaxev.estimators.intervals import selection_interval
from skmaxev.metrics import noise_range, rows_from_responses
from skmaxev.report import METHODS
from skmaxev.table import Design, Rows, ScoreTable, mean_scores

__all__ = [
    "CertainRows",
    "by_cluster",
    "certain_rows",
    "differences_of",
    "estimate_all",
    "given_winner",
    "interval_of",
    "nothing_chosen",
    "pooled_table",
    "splits_of_rows",
    "true_scores",
    "usable_rows",
]

FloatArray = NDArray[np.float64]

_NEED_MORE = {"BBC", "NESTED", "NESTED-P"}  # than scores
_SEED = 0  # of the bootstraps: the same report at every call
_ROUNDING = 1e-12  # scores that differ by less, relative to their size, are the same score
_FEWEST_RESAMPLES, _MOST_RESAMPLES = 100, 1000
_MOST_DRAWN = 100_000_000  # scores times resamples
_MOST_ROWS = 3_000_000  # rows times resamples: a fraction of a second, where fits take longer


def estimate_all(table: ScoreTable, rows: Rows | None) -> dict[str, float]:
    """Compute every estimator that the table allows, in the order of METHODS; higher is better.

    All are the naive score exactly where nothing was chosen, but for nested cross-validation,
    which stays as it is. ``rows`` are those of the candidates that take part.
    """
    if nothing_chosen(table):
        naive = float(mean_scores(table.used_scores)[table.used_best_index])
        values = dict.fromkeys((key for key in METHODS if key not in _NEED_MORE), naive)
    else:
        values = _from_scores(table, rows)
        if table.low_variance is not None:
            values["LVCV"] = table.low_variance
    if table.outer is not None and np.isfinite(table.outer.scores).all():
        values["NESTED"] = float(table.outer.scores.mean())
    pooled = nested_pooled(table)
    if pooled is not None:
        values["NESTED-P"] = pooled
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


def _from_scores(table: ScoreTable, rows: Rows | None) -> dict[str, float]:
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
            searches=None if table.searches is None else table.searches[table.used],
            support=noise_range(table.metric, table.support, table.used_scores),
            **_row_arguments(table, rows),
        ),
    }
    if design is None or design.n_folds > 1:  # shuffled splits leave no fresh rows out
        size = _resamples(scores)
        values["BBC-F"] = bbc_folds(scores, design=design, n_resamples=size, rng=_SEED).estimate
    if rows is not None:
        judged = _row_values(table, rows)
        values["BBC"] = bbc(judged, n_resamples=_resamples(judged), rng=_SEED).estimate
    low, high = scores.min(), scores.max()
    return {key: float(np.clip(value, low, high)) for key, value in values.items()}


def _resamples(scores: FloatArray) -> int:
    """Choose the number of bootstrap draws: fewer for tables so large that each takes long."""
    affordable = min(_MOST_DRAWN // scores.size, _MOST_ROWS // len(scores))
    return int(np.clip(affordable, _FEWEST_RESAMPLES, _MOST_RESAMPLES))


def splits_of_rows(table: ScoreTable, rows: Rows | None) -> NDArray[np.intp] | None:
    """Return the split of each row, or cluster of rows, for the consensus; None if it gets none.

    It gets them if each was judged once and every split has some: repeats show by themselves what
    the rows would add.
    """
    if rows is None or rows.n_repeats > 1:
        return None
    splits: NDArray[np.intp] = rows.test_fold[0, rows.judged]
    labels = _labels(table, rows)
    if labels is not None:
        splits = splits[np.unique(labels, return_index=True)[1]]
    n_splits = len(np.unique(splits))
    if n_splits != table.n_splits or len(splits) == n_splits:  # no noise within a split
        return None
    return splits


def _row_arguments(table: ScoreTable, rows: Rows | None) -> dict[str, Any]:
    splits = splits_of_rows(table, rows)
    if splits is None or rows is None:
        return {}
    return {"row_values": _row_values(table, rows), "row_splits": splits}


def _labels(table: ScoreTable, rows: Rows) -> NDArray[Any] | None:
    """Return the cluster of each judged row, where rows belong together."""
    if table.design is None or table.design.clusters is None:
        return None
    return table.design.clusters[rows.judged]


def _row_values(table: ScoreTable, rows: Rows) -> FloatArray:
    """Return one line a judged row, or a cluster of them."""
    values, labels = rows.means_over_repeats(), _labels(table, rows)
    return values if labels is None else by_cluster(values, labels)


def differences_of(table: ScoreTable, level: float) -> Differences | None:
    """Compare the winner with the other candidates; None where there are none, or one split."""
    if table.used.size == 1 or table.n_splits < 2:
        return None
    rows = usable_rows(table)
    return paired_differences(
        table.used_scores,
        best_index=table.used_best_index,
        design=table.design or _design_of_rows(table),
        row_values=None if rows is None else _row_values(table, rows),
        level=level,
    )


def interval_of(
    table: ScoreTable, rows: Rows | None, *, estimate: float, level: float
) -> tuple[float, float] | None:
    """Bound the true score of the winner, within the range of the metric; None without noise."""
    # Around a nested score too: the splits and rows of the search show its noise with far more
    # freedom than a handful of outer scores do.
    found = selection_interval(
        np.clip(table.used_scores, *table.support),  # means of influence values may leave it
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


def _rows_for_noise(table: ScoreTable, rows: Rows | None) -> FloatArray | None:
    """Return what shows the variance of the rows."""
    if rows is None:
        return None
    values = _row_values(table, rows)
    if table.metric == "roc_auc":
        return values  # compared with all splits, these hold the differences between models
    # The splits' models share training rows and vary together, which the rows cannot show.
    design = checked_design(table.design, table.n_splits)
    factor = overlap(partitions(table.used_scores, design), design)
    mean = values.mean(axis=0)
    return np.asarray(mean + np.sqrt(factor) * (values - mean))


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


def usable_rows(table: ScoreTable) -> Rows | None:
    """Return the rows of the candidates that take part, in order; None unless all have all."""
    rows = table.rows
    if rows is None or rows.judged.size < 2:
        return None
    if table.used.size < table.n_candidates:
        rows = rows.take(table.used)
    return rows if rows.complete.all() else None


def pooled_table(table: ScoreTable, rows: Rows) -> ScoreTable:
    """Return the table whose means are the metric on all rows together.

    A ratio such as R2 or F1 errs on small folds, whichever candidate is judged. The influence
    values of the rows, averaged over each fold, show how the folds differ; their mean over all
    folds is moved to the pooled score.
    """
    if rows.pooled is None:
        return table
    parts = rows.means_over_splits(table.n_splits)
    scores = table.scores.copy()
    scores[:, table.used] = parts + (rows.pooled - mean_scores(parts))
    return replace(table, scores=scores)


def nested_pooled(table: ScoreTable) -> float | None:
    """Judge the outer folds' winners on all rows together; None where that cannot be done."""
    outer, rows = table.outer, table.rows
    if outer is None or not outer.shared or rows is None or rows.pooled is None:
        return None
    if rows.responses is None or rows.y_true is None or (outer.best_index < 0).any():
        return None
    answers = [
        rows.responses[outer.best_index[fold], repeat, np.arange(len(fold))]
        for repeat, fold in enumerate(rows.test_fold)
    ]
    answered = np.array(answers)[np.newaxis]
    judged = rows_from_responses(table.metric, rows.y_true, answered, rows.test_fold)
    return None if judged is None or judged.pooled is None else float(judged.pooled[0])


def by_cluster(values: FloatArray, labels: NDArray[Any]) -> FloatArray:
    """Gather the values of rows that belong together, (n_rows, ...) to (n_clusters, ...).

    The deviations of a cluster's rows are summed, so that the variance of the result over the
    number of clusters is that of the mean; the mean stays.
    """
    clusters, codes = np.unique(labels, return_inverse=True)
    mean = values.mean(axis=0)
    sums = np.zeros((len(clusters), *values.shape[1:]))
    np.add.at(sums, codes, values - mean)
    return np.asarray(mean + sums * (len(clusters) / len(values)))
