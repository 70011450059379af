"""The true score of the winner, where two ways to estimate its optimism agree."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from skmaxev.estimators._plateau import own_noise, plateau_posterior
from skmaxev.estimators._validation import as_result, check_best_index, check_scores
from skmaxev.estimators.cross_validation import low_variance_cv

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["consensus"]

# Relative to the scores: what rounding leaves of an optimism that is zero.
_ROUNDING = 1e-12


def consensus(
    scores: ArrayLike,
    *,
    best_index: int | None = None,
    row_values: ArrayLike | None = None,
    row_splits: ArrayLike | None = None,
) -> float | NDArray[np.float64]:
    """Estimate the true score of the winner that is deployed.

    The optimism that is taken off is the geometric mean of two estimates of it: by choosing on
    one split and judging on the others, and by the posterior mean of the winner's true score.

    Parameters
    ----------
    scores : array-like of shape (..., n_splits, n_candidates)
        Mean score of each candidate on each split; higher is better.
    best_index : int, optional
        Column of the chosen candidate; by default the one with the largest mean.
    row_values : array-like of shape (n_rows, n_candidates), optional
        Score of each row where the metric is a mean over rows, such as 1.0 for a right
        prediction, or its influence on another metric (see `auc_influences`). For one table.
        The noise is then measured on the rows, of which there are more than splits, and which
        also show the noise that stratified splits hide.
    row_splits : array-like of shape (n_rows,), optional
        Split that judged each row; goes with ``row_values``.

    Returns
    -------
    float or ndarray of shape (...)
        Within the range of the means. Errs little on average over many searches. Errs upwards
        where no candidate is better than another, by about a fifth of what the best score does,
        since few splits cannot tell that for sure; downwards where one candidate is better than
        all others by less than the noise of a single split. Exactly the winner's mean where
        all means are equal, where there is no noise, or where the winner wins every split.

    Raises
    ------
    TypeError, ValueError
        If ``scores`` is not a table of finite numbers with at least two splits, or the row
        arguments do not fit it.

    Notes
    -----
    **Choosing on one split** is `low_variance_cv`. Its bias is never upwards, it needs no
    model of the noise, and it is zero where the winner wins every split. But a choice on one
    split is poorer than one on all, so it takes too much off where candidates differ.

    **The posterior mean** takes true scores to be those of a plateau of similar candidates. Three
    accounts have the same prior odds: all are equal; they are spread normally, the spread being
    half-Cauchy in units of the noise; or a share of them stands apart as well (the hopeless
    settings of a grid) under a wider law. The result is averaged over all of them, over the
    height of the plateau, its spread and the share, by what the means say. Plugging in the
    likeliest spread, as `efron_shrinkage` does, finds a difference whenever noise looks like one;
    shrinking to the mean of all follows the hopeless.

    Noise that all candidates share favours none and is removed [1]_. Candidates that share noise
    with some others repeat them: the log likelihood counts as that of ``tr(C)^2 / tr(C^2)``
    independent candidates, C being the covariance of the noise. And the noise of a mean
    of K splits that share training rows is larger than their variance tells: by
    ``(1 + (K - 1) r) / (1 - r)``, where the correlation r is taken half-way between 0
    (independent) and 1 / K [2]_. Splits that are independent are therefore corrected too much.

    **The geometric mean** is zero as soon as one of the two finds that nothing was chosen.

    For a candidate that was not chosen for the largest mean there is nothing to cross-validate,
    and the result is the posterior mean, which may lie above the candidate's own.

    References
    ----------
    .. [1] B. Efron (2011), Tweedie's formula and selection bias. JASA 106, section 1.
    .. [2] C. Nadeau and Y. Bengio (2003), Inference for the generalization error. Machine Learning
       52, section 3.
    .. [3] H. van Hasselt (2013), Eq. 10. arXiv:1302.7175.

    Examples
    --------
    >>> scores = [[0.8, 0.7, 0.6], [0.7, 0.8, 0.6], [0.9, 0.7, 0.5]]
    >>> round(consensus(scores), 2)
    0.75
    >>> round(consensus(scores, best_index=1), 2)
    0.72
    """
    table = check_scores(scores, min_splits=2)
    check_best_index(best_index, table.shape[-1])
    rows = _check_rows(table, row_values, row_splits)
    estimates = np.empty(table.shape[:-2])
    for index in np.ndindex(estimates.shape):
        estimates[index] = _consensus(table[index], best_index, rows)
    return as_result(estimates)


def _consensus(
    table: NDArray[np.float64],
    best_index: int | None,
    rows: tuple[NDArray[np.float64], int] | None,
) -> float:
    means = table.mean(axis=0)
    best = float(means.max())
    chosen = best if best_index is None else float(means[best_index])
    rounding = _ROUNDING * float(np.abs(table).max())
    if np.ptp(means) <= rounding:
        return chosen
    if chosen < best - rounding:
        return _posterior(table, means, chosen, rows)
    crossed = float(low_variance_cv(table))
    if chosen - crossed <= rounding:
        return chosen
    optimism = max(chosen - _posterior(table, means, chosen, rows), 0.0)
    return float(max(chosen - np.sqrt((chosen - crossed) * optimism), means.min()))


def _posterior(
    table: NDArray[np.float64],
    means: NDArray[np.float64],
    chosen: float,
    rows: tuple[NDArray[np.float64], int] | None,
) -> float:
    noise, effective = own_noise(*(rows or (table - means, 1)))
    if noise <= (_ROUNDING * float(np.ptp(means))) ** 2:
        return chosen
    return plateau_posterior(means, chosen, noise * _overlap(len(table)), effective)


def _overlap(n_splits: int) -> float:
    """How much more the mean of correlated splits varies than that of independent ones."""
    correlation = 0.5 / n_splits
    return (1.0 + (n_splits - 1) * correlation) / (1.0 - correlation)


def _check_rows(
    table: NDArray[np.float64], row_values: ArrayLike | None, row_splits: ArrayLike | None
) -> tuple[NDArray[np.float64], int] | None:
    """Return the rows' values, centred within their splits, and the number of these."""
    if row_values is None:
        if row_splits is not None:
            raise ValueError("row_splits goes with row_values; got row_splits alone. Give both.")
        return None
    values = np.asarray(row_values, dtype=np.float64)
    if table.ndim != 2 or values.ndim != 2 or values.shape[1] != table.shape[1]:
        raise ValueError(
            "row_values must have shape (n_rows, n_candidates) and go with one table; got "
            f"{values.shape} for scores of shape {table.shape}. Give one column a candidate."
        )
    splits = np.zeros(len(values)) if row_splits is None else np.asarray(row_splits)
    if splits.shape != values.shape[:1]:
        raise ValueError(
            f"row_splits must name the split of each of the {len(values)} rows; got shape "
            f"{splits.shape}. Give one number a row."
        )
    labels = np.unique(splits)
    if not np.isfinite(values).all() or len(values) <= labels.size:
        raise ValueError(
            f"row_values must be finite and more than the splits; got {len(values)} rows in "
            f"{labels.size} splits. Leave row_values out where they are not known."
        )
    centred = np.empty_like(values)
    for label in labels:
        members = splits == label
        centred[members] = values[members] - values[members].mean(axis=0)
    return centred, int(labels.size)
