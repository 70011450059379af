"""Competitions: what the best of many submissions is worth, and predictions to blend."""

from __future__ import annotations

import re
from collections.abc import Mapping
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import norm

from skmaxev.estimators.bayesian import bayesian_maximum
from skmaxev.estimators.shrinkage import efron_shrinkage
from skmaxev.estimators.validation import check_best_index, check_level
from skmaxev.metrics import is_size_of_errors
from skmaxev.readers import as_floats, build_table
from skmaxev.report import Estimate, SelectionReport
from skmaxev.table import ScoreTable

__all__ = ["correct_leaderboard", "out_of_fold"]

FloatArray = NDArray[np.float64]

_FAR = 3.0  # spreads below the median
_NORMAL = 1.4826  # standard deviation of a normal distribution, in median distances
_NO_SHARES = frozenset(
    {"auc", "f1", "gini", "kappa", "mcc", "matthews", "map", "ndcg", "precision", "r2", "mape"}
    | {"balanced", "correlation", "spearman", "pearson", "dice", "iou", "jaccard", "loss", "rmsle"}
)
"""Words for metrics that are no share of rows, although they may lie between 0 and 1."""


def correct_leaderboard(
    public_scores: ArrayLike,
    *,
    n_test_rows: int | None = None,
    standard_error: float | None = None,
    correlation: float | None = None,
    best_index: int | None = None,
    level: float = 0.95,
    metric: str | None = None,
    greater_is_better: bool = True,
) -> SelectionReport:
    """Say what the best of your submissions is worth beyond the public leaderboard.

    For one public score a submission. Where you hold the rows themselves (1.0 where a submission
    is right on a row), ``skmaxev.correct(rows, method="BBC")`` measures what is assumed here.

    Parameters
    ----------
    public_scores : array-like of shape (n_submissions,)
        Public score of every submission, also of those that failed to improve.
    n_test_rows : int, optional
        Rows behind a public score, where it is a share of right rows, such as accuracy, or of
        wrong ones.
    standard_error : float, optional
        Sampling error of one public score, for any other metric. One of the two must be given.
    correlation : float from 0 up to 1, optional
        How much of that error all submissions share, because they meet the same rows: near 1 for
        variants of one model. Only what is not shared makes a lucky winner. If omitted, the
        correction assumes that nothing is shared and the interval that all is.
    best_index : int, optional
        Submission that you chose; the best public score if omitted.
    level : float
        Confidence level of the interval.
    metric : str, optional
        Name of the score; 'accuracy' or 'error rate' if omitted and ``n_test_rows`` is given.
    greater_is_better : bool
        False for an error or a loss.

    Returns
    -------
    SelectionReport
        Target is the winner's expected score on rows such as the public ones. The estimate errs
        little either way with the right ``correlation``, to the bad side if that is omitted.

    Raises
    ------
    TypeError, ValueError
        If the scores are not finite numbers, go against the name of the metric, or nothing tells
        how noisy they are.

    Notes
    -----
    Submissions more than three spreads below the median, such as first tries, are left aside.
    The others have normal true scores under normal noise: the estimate is `efron_shrinkage` with
    the noise that is not shared, the interval Morris's, which counts the estimated prior, with the
    shared part added.

    References
    ----------
    .. [1] B. Efron (2011), Tweedie's formula and selection bias. JASA 106, section 1.
    .. [2] C. N. Morris (1983), Parametric empirical Bayes inference. JASA 78.

    Examples
    --------
    >>> import numpy as np
    >>> from skmaxev.kaggle import correct_leaderboard
    >>> public = np.random.default_rng(0).binomial(300, 0.80, size=42) / 300  # all equally good
    >>> report = correct_leaderboard(public, n_test_rows=300, correlation=0.0)
    >>> round(report.naive, 3), round(report.estimate, 3)
    (0.847, 0.806)
    """
    level = check_level(level)
    if not isinstance(greater_is_better, bool):
        raise TypeError(
            f"greater_is_better must be True, or False for losses; got {greater_is_better!r}."
        )
    given = _check_public(public_scores)
    check_best_index(best_index, given.size)
    metric = metric or _name(n_test_rows, greater_is_better=greater_is_better)
    error = _standard_error(given, n_test_rows, standard_error, metric)
    shared, notes = _check_correlation(correlation)
    told = (f"Standard error of one public score: {error:.2g}.", *notes)
    table = _table(given, metric, greater_is_better=greater_is_better, winner=best_index, told=told)
    scores, best = table.used_scores[0], table.used_best_index
    own = error**2 * (1.0 - shared)
    peers, place = _peers(scores, best, np.sqrt(own))
    shrunk = float(efron_shrinkage(peers[np.newaxis], noise=own, best_index=place))
    values = _largest(scores, best, own) | {"EB": shrunk}
    common = error**2 * (1.0 if correlation is None else shared)
    variance = _posterior_variance(peers, place, own) + common
    low, high = _interval(shrunk, variance, level=level, support=table.support)
    sign = 1.0 if greater_is_better else -1.0
    return SelectionReport(
        estimate=sign * shrunk,
        interval=(low, high) if greater_is_better else (0.0 - high, 0.0 - low),
        level=level,
        method="EB",
        naive=sign * float(scores[best]),
        optimism=float(scores[best] - shrunk),
        estimates=_described(values, sign, known=correlation is not None),
        n_splits=1,
        n_candidates=given.size,
        n_used=scores.size,
        left_out=dict(table.left_out),
        best_index=table.best_index,
        best_params=None,
        metric=metric,
        greater_is_better=greater_is_better,
        noise=float(np.sqrt(own)),
        spread=float(scores.std(ddof=1)) if scores.size > 1 else 0.0,
        indistinguishable=tuple(table.used[_close(scores, best, np.sqrt(2 * own))].tolist()),
        source=table.source,
        notes=(*table.notes, *_left_aside(scores.size - peers.size)),
        table=table,
    )


def _table(
    given: FloatArray,
    metric: str,
    *,
    greater_is_better: bool,
    winner: int | None,
    told: tuple[str, ...],
) -> ScoreTable:
    return build_table(
        given[np.newaxis],
        metric=metric,
        greater_is_better=greater_is_better,
        best_index=winner,
        source="public leaderboard",
        notes=told,
    )


def _name(n_test_rows: int | None, *, greater_is_better: bool) -> str:
    """Name a metric of which nothing is said but whether it is a share of rows."""
    if n_test_rows is None:
        return "score"
    return "accuracy" if greater_is_better else "error rate"


def _interval(
    estimate: float, variance: float, *, level: float, support: tuple[float, float]
) -> tuple[float, float]:
    half = norm.ppf((1 + level) / 2) * np.sqrt(variance)
    low, high = np.clip([estimate - half, estimate + half], *support)
    return float(low), float(high)


def _check_public(public_scores: ArrayLike) -> FloatArray:
    given = as_floats(public_scores, "public_scores")
    if given.ndim == 2 and given.shape[1] == 1:  # a frame with one column
        given = given[:, 0]
    if given.ndim != 1 or not given.size or not np.isfinite(given).all():
        raise ValueError(
            "public_scores must be finite numbers, one a submission; got "
            f"{given.size} numbers of shape {given.shape}, {int((~np.isfinite(given)).sum())} of "
            "them not finite. For scores of single rows use skmaxev.correct."
        )
    return given


def _standard_error(
    scores: FloatArray, n_test_rows: int | None, given: float | None, metric: str
) -> float:
    if n_test_rows is None and given is not None:
        if _number(given, "standard_error") <= 0:
            raise ValueError(f"standard_error must be a positive number; got {given!r}.")
        return float(given)
    if n_test_rows is None or given is not None:
        raise ValueError(
            "one of n_test_rows and standard_error must be given: public scores alone do not show "
            "how noisy they are. Give the number of public test rows for accuracy; for another "
            "metric the standard error, such as the standard deviation of your out-of-fold score "
            "over resamples of that many rows."
        )
    if _number(n_test_rows, "n_test_rows") < 1:
        raise ValueError(f"n_test_rows must be at least 1; got {n_test_rows!r}.")
    words = set(re.findall("[a-z0-9]+", metric.lower()))
    no_share = bool(words & _NO_SHARES) or is_size_of_errors(metric)
    if no_share or scores.min() < 0 or scores.max() > 1:
        raise ValueError(
            f"n_test_rows goes with shares of rows from 0 to 1, such as accuracy; got {metric!r} "
            f"from {scores.min():g} to {scores.max():g}. Give standard_error for another metric."
        )
    # A share of 0 or 1 on few rows is not sure: it is taken for half a row from there.
    bound = 0.5 / (n_test_rows + 1.0)
    share = float(np.clip(scores.mean(), bound, 1.0 - bound))
    return float(np.sqrt(share * (1 - share) / n_test_rows))


def _number(value: Any, name: str) -> float:
    if not isinstance(value, Real) or not np.isfinite(float(value)):
        raise ValueError(f"{name} must be a positive number; got {value!r}.")
    return float(value)


def _check_correlation(correlation: Any) -> tuple[float, tuple[str, ...]]:
    if correlation is None:
        return 0.0, (
            "No correlation was given: the correction is for submissions that err independently, "
            "the most it can be, and the interval for submissions that err alike.",
        )
    if not isinstance(correlation, Real) or not 0 <= float(correlation) < 1:
        raise ValueError(f"correlation must be from 0 up to, but not, 1; got {correlation!r}.")
    return float(correlation), ()


def _peers(scores: FloatArray, best: int, noise: float) -> tuple[FloatArray, int]:
    """Give the submissions that show how far good ones lie apart, and the place of the winner.

    First tries far below the rest do not. The spread is that of the better half, which they do not
    reach.
    """
    alike = np.ones(scores.size, dtype=bool)
    while True:
        middle = np.median(scores[alike])
        spread = _NORMAL * np.median(scores[alike & (scores >= middle)] - middle)
        near = alike & (scores >= middle - _FAR * max(spread, noise))
        if not near[best]:  # one of them was chosen
            return scores, best
        if near.sum() == alike.sum():
            return scores[alike], int(alike[:best].sum())
        alike = near


def _left_aside(count: int) -> tuple[str, ...]:
    if not count:
        return ()
    return (
        f"{count} submission(s) far below the others do not tell how far good ones lie apart; the "
        "winner was corrected among the others.",
    )


def _largest(scores: FloatArray, best: int, own: float) -> dict[str, float]:
    """Estimate the best true score."""
    if scores.size == 1 or np.ptp(scores) == 0:  # nothing was chosen
        return dict.fromkeys(("ME", "BAYES"), float(scores[best]))
    noise = np.full(scores.size, np.sqrt(own))
    return {"ME": float(scores.max()), "BAYES": float(bayesian_maximum(scores, noise))}


def _posterior_variance(scores: FloatArray, best: int, own: float) -> float:
    """Variance of the winner's true score given the scores: Morris's, for a common mean."""
    size = scores.size
    spread = float(scores.var(ddof=1)) if size > 1 else 0.0
    if np.ptp(scores) == 0.0:  # rounding may leave equal scores a variance
        return own
    lost = min(1.0, own / spread)
    estimated_prior = 2 / max(size - 3, 1) * (lost * (scores[best] - scores.mean())) ** 2
    return float(own * (1 - lost * (size - 1) / size) + estimated_prior)


def _close(scores: FloatArray, best: int, error: float) -> NDArray[np.intp]:
    """Find the submissions within one standard error of the difference from the winner."""
    near = np.flatnonzero(scores[best] - scores <= error)
    return np.asarray(near[near != best])


def _described(values: Mapping[str, float], sign: float, *, known: bool) -> dict[str, Estimate]:
    worse, better = ("downwards", "upwards") if sign > 0 else ("upwards", "downwards")
    errs = {"ME": better, "BAYES": better, "EB": "either way, little" if known else worse}
    return {key: Estimate.by(key, sign * value, errs=errs[key]) for key, value in values.items()}


def out_of_fold(search: Any, *, candidate: int | None = None) -> FloatArray:
    """Return the responses that a fitted search made for rows it had not trained on.

    They cost no further fit, and are what a blend or a stack is trained on. Searches keep them
    where their metric ranks rows, that is for ``scoring="roc_auc"``.

    Parameters
    ----------
    search : fitted search of skmaxev
        With ``scoring="roc_auc"``, and ``keep_predictions`` on or left at its default.
    candidate : int, optional
        Which candidate; the winner if omitted.

    Returns
    -------
    ndarray of shape (n_rows,)
        Decision value, or probability where the model has no such, in single precision and in the
        order of the rows; NaN where no split judged the row. Comes from models trained on part of
        the rows, so a model trained on all errs a little less.

    Raises
    ------
    TypeError
        If the search has no report, as before it is fitted.
    ValueError
        If it kept no responses, or none of this candidate.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from skmaxev import ShrunkSearchCV
    >>> from skmaxev.kaggle import out_of_fold
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> tree = DecisionTreeClassifier(random_state=0)
    >>> search = ShrunkSearchCV(tree, {"max_depth": [2, 3]}, scoring="roc_auc").fit(X, y)
    >>> out_of_fold(search).shape
    (569,)
    """
    report = getattr(search, "report_", None)
    if report is None:
        raise TypeError(
            f"search must be a fitted search of skmaxev; this {type(search).__name__} has no "
            "report_. Call fit first; for another search use "
            "sklearn.model_selection.cross_val_predict(search.best_estimator_, X, y, cv=...)."
        )
    rows = None if report.table is None else report.table.rows
    if rows is None or rows.responses is None:
        raise ValueError(
            "search must have kept its responses, as searches do with scoring='roc_auc'; this one "
            "did not. For another metric use "
            "sklearn.model_selection.cross_val_predict(search.best_estimator_, X, y, cv=...)."
        )
    wanted = report.best_index if candidate is None else candidate
    column = np.flatnonzero(rows.candidates == wanted)
    if not column.size:
        raise ValueError(
            f"candidate must be one whose responses were kept: {rows.candidates.tolist()}; got "
            f"{wanted}. Fit the search with keep_predictions=True to keep all."
        )
    kept = rows.responses[:, column[0]].astype(np.float64)
    return np.where(rows.fold >= 0, kept, np.nan)
