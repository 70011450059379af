"""What the best of many submissions is worth beyond the public leaderboard."""

from __future__ import annotations

import re
from numbers import Real
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import norm

from skmaxev.estimators.corrections import efron_shrinkage
from skmaxev.estimators.differences import known_differences
from skmaxev.estimators.validation import check_best_index, check_level
from skmaxev.readers.arrays import as_floats
from skmaxev.readers.build import build_table, check_direction
from skmaxev.readers.files import read_csv
from skmaxev.report import Estimate, SelectionReport
from skmaxev.table import ScoreTable

__all__ = ["correct_leaderboard"]

FloatArray = NDArray[np.float64]

_USUAL = 0.8  # correlation of submissions made from the same few models, where none is given
_FAR = 3.0  # spreads below the median
_NORMAL = 1.4826  # standard deviation of a normal distribution, in median distances
_SHARE = re.compile(
    r"(public|private|test|val|validation|mean|top|\d+)*"
    r"(accuracy|acc|hit ?rate|error ?rate|error|misclassification(rate)?|zero ?one ?loss)(score)?"
)
"""Names of shares of rows, words joined: no other metric has the error of a share."""

_WITHIN = 1.05  # of the error of the public score: how wrong a correction by guess may make it
_PLAUSIBLE = (0.0, 0.2, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98, 1 - 1e-9)


def correct_leaderboard(
    public_scores: Any,
    *,
    n_test_rows: int | None = None,
    standard_error: float | None = None,
    correlation: ArrayLike | None = None,
    best_index: int | None = None,
    level: float = 0.95,
    metric: str | None = None,
    greater_is_better: bool = True,
) -> SelectionReport:
    r"""Say what the best of your submissions is worth beyond the public leaderboard.

    For one public score a submission. Where you hold the rows themselves (1.0 where a submission
    is right on a row), ``skmaxev.correct(rows, method="BBC")`` measures what is assumed here.

    Parameters
    ----------
    public_scores : array-like of shape (n_submissions,), frame or path
        Public score of every submission, also of those that failed to improve; or the table of
        submissions, a frame or a CSV file with a column such as ``publicScore``.
    n_test_rows : int, optional
        Rows behind a public score, where it is a share of right rows, such as accuracy, or of
        wrong ones.
    standard_error : float, optional
        Sampling error of one public score, for any other metric. One of the two must be given.
    correlation : float from 0 up to 1, or array-like of shape (n_rows, n_submissions), optional
        How much of that error all submissions share, because they meet the same rows: near 1 for
        variants of one model. Only what is not shared makes a lucky winner. Measured from an array
        of what each submission scores on each of your own out-of-fold rows, such as
        ``prediction == y``. If omitted, 0.8 is taken for the correction, which then takes back no
        more than 0.32 standard errors, and the interval holds whatever it is.
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
        little either way with the right ``correlation``; if that is omitted it errs to the good
        side, and its error is at most 5% larger than that of the public score.

    Raises
    ------
    TypeError, ValueError
        If the scores are not finite numbers, go against the name of the metric, or nothing tells
        how noisy they are.

    Notes
    -----
    Submissions more than three spreads below the median, such as first tries, are left aside.
    The others have normal true scores under normal noise: the estimate is Efron's shrinkage with
    the noise that is not shared, the interval Morris's, which counts the estimated prior, with the
    shared part added. Public scores do not tell noise from skill: without the correlation, the
    interval is the union of those for correlations from 0 to 1. A correction of c standard errors
    that was not due makes the root mean squared error :math:`\sqrt{1 + c^2}` times as large, hence
    the bound :math:`c^2 = 1.05^2 - 1`.

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
    check_direction(greater_is_better)
    given = _public_scores(public_scores)
    check_best_index(best_index, given.size)
    if metric is None and n_test_rows is not None:
        metric = "accuracy" if greater_is_better else "error rate"
    metric = metric or "score"
    error = _standard_error(given, n_test_rows, standard_error, metric)
    shared = _check_correlation(correlation, given.size)
    table = build_table(
        given[np.newaxis],
        metric=metric,
        greater_is_better=greater_is_better,
        best_index=best_index,
        source="public leaderboard",
        notes=(f"Standard error of one public score: {error:.2g}.",),
    )
    sign = 1.0 if greater_is_better else -1.0
    about = _about_correlation(
        table.used_scores[0], table.used_best_index, error, correlation, shared, sign
    )
    return _report(table, error=error, shared=shared, level=level, notes=about)


def _report(
    table: ScoreTable, *, error: float, shared: float | None, level: float, notes: tuple[str, ...]
) -> SelectionReport:
    scores, best = table.used_scores[0], table.used_best_index
    own = error**2 * (1.0 - (_USUAL if shared is None else shared))
    shrunk, low, high, n_peers = _known(scores, best, error, shared, level)
    shrunk = float(np.clip(shrunk, *table.support))
    low, high = np.clip([low, high], *table.support).tolist()
    sign, better = (1.0, "upwards") if table.greater_is_better else (-1.0, "downwards")
    errs = better if shared is None else "either way, little"
    if n_peers < scores.size:
        notes += (
            f"Submissions far below the others ({scores.size - n_peers}) do not tell how far good "
            "ones lie apart; the winner was corrected among the others.",
        )
    return SelectionReport(
        estimate=sign * shrunk,
        interval=(low, high) if table.greater_is_better else (0.0 - high, 0.0 - low),
        level=level,
        method="EB",
        naive=sign * float(scores[best]),
        optimism=float(scores[best] - shrunk),
        estimates={
            "ME": Estimate.by("ME", sign * float(scores.max()), errs=better),
            "EB": Estimate.by("EB", sign * shrunk, errs=errs),
        },
        n_splits=1,
        n_candidates=table.n_candidates,
        n_used=scores.size,
        left_out=dict(table.left_out),
        best_index=table.best_index,
        best_params=None,
        metric=table.metric,
        greater_is_better=table.greater_is_better,
        noise=float(np.sqrt(own)),
        spread=float(scores.std(ddof=1)) if scores.size > 1 else 0.0,
        source=table.source,
        notes=(*table.notes, *notes),
        table=table,
        differences=known_differences(
            scores, best_index=best, standard_error=float(np.sqrt(own)), level=level
        ),
    )


def _known(
    scores: FloatArray, best: int, error: float, shared: float | None, level: float
) -> tuple[float, float, float, int]:
    """Estimate, ends of the interval and number of peers, at one correlation or at all of them."""
    if shared is not None:
        return _at(scores, best, error, shared, level)
    usual, *_, n_peers = _at(scores, best, error, _USUAL, level)
    most = np.sqrt(_WITHIN**2 - 1) * error
    estimate = scores[best] - np.clip(scores[best] - usual, -most, most)
    ends = np.array([_at(scores, best, error, value, level)[1:3] for value in _PLAUSIBLE])
    return float(estimate), float(ends[:, 0].min()), float(ends[:, 1].max()), n_peers


def _at(
    scores: FloatArray, best: int, error: float, shared: float, level: float
) -> tuple[float, float, float, int]:
    """Estimate, ends of the interval and number of peers, at this correlation."""
    own = error**2 * (1.0 - shared)
    peers, place = _peers(scores, best, np.sqrt(own))
    shrunk = float(efron_shrinkage(peers[np.newaxis], noise=own, best_index=place))
    variance = _posterior_variance(peers, place, own) + error**2 * shared
    half = float(norm.ppf((1 + level) / 2) * np.sqrt(variance))
    return shrunk, shrunk - half, shrunk + half, peers.size


def _about_correlation(
    scores: FloatArray,
    best: int,
    error: float,
    given: Any,
    shared: float | None,
    sign: float,
) -> tuple[str, ...]:
    """Say how much hangs on what the submissions share."""
    if shared is not None:
        return () if np.ndim(given) == 0 else (f"Correlation measured on rows: {shared:.2f}.",)
    none, much = (sign * _at(scores, best, error, value, 0.5)[0] for value in (0.0, 0.9))
    return (
        f"No correlation was given: {_USUAL:g} is assumed, and the public score is lowered by no "
        f"more than {np.sqrt(_WITHIN**2 - 1) * error:.2g}. The score would be {none:.4g} if "
        f"submissions err independently, {much:.4g} at a correlation of 0.9; the interval holds "
        "for all. Give correlation=, or what each submission scores on rows of your own.",
    )


def _public_scores(given: Any) -> FloatArray:
    """Return the public scores, one a submission, also of a table or a file of submissions."""
    filed = isinstance(given, str | PathLike)
    table = read_csv(given) if filed else given
    names = [str(name) for name in getattr(table, "columns", ())]
    public = [name for name in names if "public" in name.lower()]
    if len(public) == 1:  # in files, submissions that failed have no score
        table = table[public[0]].dropna() if filed else table[public[0]]
    elif filed or len(names) > 1:
        raise ValueError(
            f"the submissions must have one column of public scores; got columns {names}. "
            "Name it publicScore, or give the column itself."
        )
    scores = as_floats(table, "public_scores")
    if scores.ndim == 2 and scores.shape[1] == 1:  # a frame with one column
        scores = scores[:, 0]
    if scores.ndim != 1 or not scores.size or not np.isfinite(scores).all():
        raise ValueError(
            "public_scores must be finite numbers, one a submission; got "
            f"{scores.size} numbers of shape {scores.shape}, {int((~np.isfinite(scores)).sum())} "
            "of them not finite. For scores of single rows use skmaxev.correct."
        )
    return scores


def _standard_error(scores: FloatArray, n_test_rows: Any, given: Any, metric: str) -> float:
    if (n_test_rows is None) is (given is None):
        raise ValueError(
            "just one of n_test_rows and standard_error must be given: public scores alone do not "
            "show how noisy they are. Give the number of public test rows for accuracy; for "
            "another metric the standard error, such as the standard deviation of your out-of-fold "
            "score over resamples of that many rows."
        )
    if n_test_rows is None:
        if not (isinstance(given, Real) and 0 < float(given) < np.inf):
            raise ValueError(f"standard_error must be a positive number; got {given!r}.")
        return float(given)
    if not (isinstance(n_test_rows, Real) and 1 <= float(n_test_rows) < np.inf):
        raise ValueError(f"n_test_rows must be a number of at least 1; got {n_test_rows!r}.")
    named = _SHARE.fullmatch("".join(re.findall("[a-z0-9]+", metric.lower())))
    if not named or scores.min() < 0 or scores.max() > 1:
        raise ValueError(
            f"n_test_rows goes with shares of rows from 0 to 1, such as accuracy; got {metric!r} "
            f"from {scores.min():g} to {scores.max():g}. Give standard_error for another metric."
        )
    # A share of 0 or 1 on few rows is not sure: it is taken for half a row from there.
    n_rows = float(n_test_rows)
    bound = 0.5 / (n_rows + 1.0)
    share = float(np.clip(scores.mean(), bound, 1.0 - bound))
    return float(np.sqrt(share * (1 - share) / n_rows))


def _check_correlation(correlation: Any, n_submissions: int) -> float | None:
    """Return the correlation as given, or as measured on rows."""
    if correlation is None:
        return None
    if np.ndim(correlation) == 0:
        if not isinstance(correlation, Real) or not 0 <= float(correlation) < 1:
            raise ValueError(f"correlation must be from 0 up to, but not, 1; got {correlation!r}.")
        return float(correlation)
    rows = as_floats(correlation, "correlation")
    if rows.ndim != 2 or rows.shape[1] != n_submissions or len(rows) < 2 or n_submissions < 2:
        raise ValueError(
            f"correlation must be a number, or hold {n_submissions} columns, one a submission, "
            f"with what it scores on each row; got shape {rows.shape}."
        )
    if not np.isfinite(rows).all():
        raise ValueError("correlation must be measured on finite numbers; got NaN or infinity.")
    centred = rows - rows.mean(axis=0)
    total = float(np.mean(centred**2))
    # What is left once the luck of each row is removed is what favours one of the submissions.
    own = np.mean((centred - centred.mean(axis=1, keepdims=True)) ** 2)
    share = n_submissions / (n_submissions - 1)
    return float(np.clip(1.0 - share * own / total, 0.0, _PLAUSIBLE[-1])) if total else 0.0


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


def _posterior_variance(scores: FloatArray, best: int, own: float) -> float:
    """Variance of the winner's true score given the scores: Morris's, for a common mean."""
    size = scores.size
    spread = float(scores.var(ddof=1)) if size > 1 else 0.0
    if np.ptp(scores) == 0.0:  # rounding may leave equal scores a variance
        return own
    lost = min(1.0, own / spread)
    estimated_prior = 2 / max(size - 3, 1) * (lost * (scores[best] - scores.mean())) ** 2
    return float(own * (1 - lost * (size - 1) / size) + estimated_prior)
