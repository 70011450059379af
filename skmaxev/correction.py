"""Correct the best score of a finished search for having been chosen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from skmaxev.estimators._validation import check_level
from skmaxev.estimators.bayesian import bayesian_maximum
from skmaxev.estimators.consensus import consensus
from skmaxev.estimators.cross_validation import low_bias_cv, low_variance_cv
from skmaxev.estimators.intervals import nadeau_bengio_interval, selection_interval
from skmaxev.estimators.resampling import bbc, bbc_auc, bbc_folds
from skmaxev.estimators.shrinkage import efron_shrinkage, residual_noise, tibshirani
from skmaxev.report import METHODS, Estimate, SelectionReport
from skmaxev.scores import RowScores, ScoreTable, read_scores
from skmaxev.scores.build import mean_scores
from skmaxev.scores.metrics import is_known

__all__ = ["correct"]

FloatArray = NDArray[np.float64]

_ROUNDING = 1e-12  # scores that differ by less are the same score
_ROW_SPLITS = 10
_FEWEST_RESAMPLES, _MOST_RESAMPLES = 100, 1000
_MOST_DRAWN = 100_000_000  # scores times resamples


def correct(
    results: Any,
    *,
    metric: str | None = None,
    method: str = "CONSENSUS",
    level: float = 0.95,
    greater_is_better: bool = True,
    random_state: int | np.random.RandomState | None = None,
    sep: str | None = None,
    decimal: str = ".",
    candidate: str | None = None,
    fold: str | None = None,
    score: str | None = None,
) -> SelectionReport:
    """Say what the winner of a finished search is worth; needs no data and no further fit.

    Parameters
    ----------
    results : object
        Any of

        - a fitted search: GridSearchCV, RandomizedSearchCV, the halving searches (their last
          round), BayesSearchCV, OptunaSearchCV;
        - its ``cv_results_`` as a dict, a pandas or polars frame, or the path of a CSV file;
        - an array of shape (n_splits, n_candidates), or (n_rows, n_candidates) of 1.0 and 0.0 for
          right and wrong;
        - an Optuna study whose trials keep the scores of their splits (see
          `skmaxev.scores.from_study`);
        - the path of a checkpoint in which a search was finished;
        - an object with ``scores``, or a ScoreTable.
    metric : str, optional
        Which metric, where there are several (that of ``refit`` if omitted); otherwise its name.
        A name of scikit-learn's keeps the interval within the range of the metric.
    method : str
        Estimator behind ``report.estimate``, a key of ``report.estimates``.
    level : float
        Confidence level of the interval.
    greater_is_better : bool
        False if an array, frame or file holds losses. They stay losses in the report.
    random_state : int, RandomState or None
        For estimators that resample. None gives the same numbers at every call.
    sep, decimal : str
        Separator and decimal sign of a CSV file; the separator is found if omitted.
    candidate, fold, score : str, optional
        Columns of a long table with one row a candidate and split.

    Returns
    -------
    SelectionReport
        The default, the consensus, errs little either way on average. Where nothing was chosen
        (one candidate, or the same scores for all) the estimate is the naive score exactly.

    Raises
    ------
    ValueError
        If there are no scores of single splits, fewer than two splits, no candidate without a
        failed split, or ``method`` is not to be had from these scores.
    TypeError
        If ``results`` is of no known kind.

    Examples
    --------
    >>> import numpy as np
    >>> scores = np.random.default_rng(0).normal(0.8, 0.03, size=(5, 40))
    >>> report = correct(scores)
    >>> round(report.naive, 3), round(report.estimate, 3)
    (0.818, 0.799)
    """
    check_level(level)
    if method not in METHODS:
        raise ValueError(f"method must be one of {list(METHODS)}; got {method!r}.")
    table = read_scores(
        results,
        metric=metric,
        greater_is_better=greater_is_better,
        sep=sep,
        decimal=decimal,
        candidate=candidate,
        fold=fold,
        score=score,
    )
    table = _with_splits(table)
    values = _estimates(table, _seed(random_state))
    return _report(table, values, method, level)


def _seed(random_state: Any) -> int:
    if random_state is None:
        return 0
    if isinstance(random_state, int | np.integer):
        return int(random_state)
    return int(check_random_state(random_state).randint(np.iinfo(np.int32).max))


def _with_splits(table: ScoreTable) -> ScoreTable:
    """Return the table if its splits show noise; else one with splits made from its rows."""
    if table.n_splits > 1 or table.used.size == 1:
        return table
    rows = _all_rows(table)
    if rows is None or len(rows) < 2:
        raise ValueError(
            "scores must be of at least two splits, or come with the scores of single rows; got "
            "1 split. One split shows no noise: search with cv >= 2."
        )
    parts = np.array_split(rows, min(_ROW_SPLITS, len(rows)))
    scores = np.full((len(parts), table.n_candidates), np.nan)
    scores[:, table.used] = [part.mean(axis=0) for part in parts]
    note = f"The search had one split; its {len(rows):,} rows were dealt into {len(parts)} parts."
    return replace(table, scores=scores, n_test=None, n_train=None, notes=(*table.notes, note))


def _estimates(table: ScoreTable, seed: int) -> dict[str, float]:
    """Compute every estimator that the table allows; higher is better."""
    scores, means = table.used_scores, mean_scores(table.used_scores)
    naive = float(means[table.used_best_index])
    if _nothing_chosen(table):
        values = dict.fromkeys(_from_table(), naive)
    else:
        given = _given(table)
        noise = float(np.sqrt(residual_noise(scores)))
        values = {
            "ME": float(means.max()),
            "LVCV": float(low_variance_cv(scores)),
            "LBCV": float(low_bias_cv(scores)),
            "BAYES": float(bayesian_maximum(means, np.full(means.shape, noise))),
            "EB": float(efron_shrinkage(scores, best_index=given)),
            "TT": float(tibshirani(scores, best_index=given)),
            "BBC-F": bbc_folds(scores, n_resamples=_resamples(scores), rng=seed).estimate,
            **_from_rows(table, seed),
            "CONSENSUS": float(consensus(scores, best_index=given, **_row_arguments(table))),
        }
        values = {
            key: float(np.clip(value, scores.min(), scores.max())) for key, value in values.items()
        }
    if table.outer is not None and np.isfinite(table.outer.scores).all():
        values["NESTED"] = float(table.outer.scores.mean())
    return {key: values[key] for key in METHODS if key in values}


def _resamples(scores: FloatArray) -> int:
    """Choose the number of bootstrap draws: fewer for tables so large that each takes long."""
    return int(np.clip(_MOST_DRAWN // scores.size, _FEWEST_RESAMPLES, _MOST_RESAMPLES))


def _from_table() -> list[str]:
    return [key for key in METHODS if key not in {"BBC", "NESTED"}]


def _nothing_chosen(table: ScoreTable) -> bool:
    scores = table.used_scores
    tolerance = _ROUNDING * max(1.0, float(np.abs(scores).max()))
    return bool(np.ptp(scores, axis=1).max() <= tolerance)


def _given(table: ScoreTable) -> int | None:
    """Return the winner's column if the search chose another than the best mean score."""
    means = mean_scores(table.used_scores)
    best = table.used_best_index
    tolerance = _ROUNDING * max(1.0, float(np.abs(means).max()))
    return best if means[best] < means.max() - tolerance else None


def _judged(rows: RowScores) -> NDArray[np.intp]:
    return np.flatnonzero(rows.fold >= 0)


def _kept_columns(table: ScoreTable, rows: RowScores, values: FloatArray) -> NDArray[np.intp]:
    """Find the kept candidates that take part and have every row."""
    usable = np.isin(rows.candidates, table.used) & np.isfinite(values[_judged(rows)]).all(axis=0)
    return np.flatnonzero(usable)


def _all_rows(table: ScoreTable) -> FloatArray | None:
    """Return the scores of the judged rows, (n_rows, n_used), if all candidates kept theirs."""
    rows = table.rows
    if rows is None or rows.values is None:
        return None
    kept = _kept_columns(table, rows, rows.values)
    if not np.array_equal(rows.candidates[kept], table.used):
        return None
    return rows.values[np.ix_(_judged(rows), kept)]


def _row_arguments(table: ScoreTable) -> dict[str, Any]:
    """Return the scores of single rows for the consensus, if they are those of the splits."""
    values = _all_rows(table)
    if values is None or table.rows is None:
        return {}
    splits = table.rows.fold[_judged(table.rows)]
    if len(np.unique(splits)) != table.n_splits:
        return {}
    return {"row_values": values, "row_splits": splits}


def _from_rows(table: ScoreTable, seed: int) -> dict[str, float]:
    """Bootstrap the rows, where enough of them were kept."""
    rows = table.rows
    if rows is None:
        return {}
    judged = _judged(rows)
    if rows.values is not None:
        kept = _kept_columns(table, rows, rows.values)
        if table.best_index in rows.candidates[kept]:
            values = rows.values[np.ix_(judged, kept)]
            return {"BBC": bbc(values, n_resamples=_resamples(values), rng=seed).estimate}
    if rows.responses is not None and rows.y is not None and table.metric == "roc_auc":
        kept = _kept_columns(table, rows, rows.responses)
        positive = rows.y[judged] == np.max(rows.y)
        if table.best_index in rows.candidates[kept] and 1 < positive.sum() < len(positive) - 1:
            responses = rows.responses[np.ix_(judged, kept)]
            return {"BBC": bbc_auc(positive, responses, fold=rows.fold[judged], rng=seed).estimate}
    return {}


def _report(
    table: ScoreTable, values: Mapping[str, float], method: str, level: float
) -> SelectionReport:
    scores, means = table.used_scores, mean_scores(table.used_scores)
    given = None if _nothing_chosen(table) else _given(table)
    _check_method(table, values, method, given)
    interval, cut = _interval(table, values[method], method, level, given)
    naive = float(means[table.used_best_index])
    sign = 1.0 if table.greater_is_better else -1.0
    same = _nothing_chosen(table)
    return SelectionReport(
        estimate=sign * values[method],
        interval=_signed(interval, sign),
        level=level,
        method=method,
        naive=sign * naive,
        optimism=naive - values[method],
        estimates=_described(values, sign),
        n_splits=table.n_splits,
        n_candidates=table.n_candidates,
        n_used=int(table.used.size),
        left_out=dict(table.left_out),
        best_index=table.best_index,
        best_params=table.params[table.best_index] if table.params is not None else None,
        metric=table.metric,
        greater_is_better=table.greater_is_better,
        noise=0.0 if same else float(np.sqrt(residual_noise(scores))),
        spread=0.0 if same else float(means.std(ddof=1)),
        indistinguishable=_indistinguishable(table),
        n_fits=table.n_fits,
        source=table.source,
        notes=(*table.notes, *_remarks(table, means, given), *cut),
        table=table,
    )


def _check_method(
    table: ScoreTable, values: Mapping[str, float], method: str, given: int | None
) -> None:
    if method not in values:
        needs = {
            "BBC": "out-of-fold results of single rows",
            "NESTED": "the outer folds of a nested search, such as NestedCVSearch makes",
        }
        raise ValueError(
            f"method={method!r} needs {needs.get(method, 'more than these scores')}, which the "
            f"{table.source} does not hold. To be had: {list(values)}."
        )
    if given is not None and not METHODS[method].judges_given:
        able = [key for key in values if METHODS[key].judges_given]
        raise ValueError(
            f"method={method!r} estimates the candidate with the best mean score, but the search "
            f"chose candidate {table.best_index}, which is another. Use one of {able}."
        )


def _interval(
    table: ScoreTable, estimate: float, method: str, level: float, given: int | None
) -> tuple[tuple[float, float] | None, tuple[str, ...]]:
    """Return the interval within the metric's range, and a note if an inferred range cut it."""
    if method == "NESTED" and table.outer is not None:
        found = _nested_interval(table, level)
    else:
        found = selection_interval(
            table.used_scores,
            estimate=estimate,
            best_index=given,
            level=level,
            support=table.support,
            n_train=table.n_train,
            n_test=table.n_test,
        )
    if found is None:
        return None, ()
    (lowest, highest), named = table.support, is_known(table.metric)
    low, high = max(found[0], lowest), min(found[1], highest)
    if named or (low > lowest and high < highest):
        return (low, high), ()
    end = lowest if low == lowest else highest
    end = end if table.greater_is_better else -end
    return (low, high), (
        f"The interval ends at {end:g}, taken for a bound of the metric because no score is "
        "beyond it.",
    )


def _nested_interval(table: ScoreTable, level: float) -> tuple[float, float] | None:
    outer = table.outer
    if outer is None or outer.scores.size < 2:
        return None
    return nadeau_bengio_interval(
        outer.scores,
        n_train=float(np.mean(outer.n_train)),
        n_test=float(np.mean(outer.n_test)),
        level=level,
    )


def _signed(interval: tuple[float, float] | None, sign: float) -> tuple[float, float] | None:
    if interval is None:
        return None
    low, high = sorted(sign * end for end in interval)
    return low, high


def _described(values: Mapping[str, float], sign: float) -> Mapping[str, Estimate]:
    flip = {"upwards": "downwards", "downwards": "upwards"} if sign < 0 else {}
    found = {}
    for key, value in values.items():
        method = METHODS[key]
        words = [flip.get(word.strip(":,"), word) for word in method.errs.split(" ")]
        found[key] = Estimate(
            key=key,
            value=sign * value,
            target=method.target,
            errs=" ".join(words),
            name=method.name,
            citation=method.citation,
        )
    return found


def _indistinguishable(table: ScoreTable) -> tuple[int, ...]:
    """Find the candidates within one standard error of the paired difference from the winner."""
    scores = table.used_scores
    if table.n_splits < 2:
        return ()
    lead = scores[:, [table.used_best_index]] - scores
    error = lead.std(axis=0, ddof=1) / np.sqrt(table.n_splits)
    close = table.used[lead.mean(axis=0) <= error]
    return tuple(int(index) for index in close if index != table.best_index)


def _remarks(table: ScoreTable, means: FloatArray, given: int | None) -> tuple[str, ...]:
    if given is None:
        return ()
    best = int(table.used[means.argmax()])
    value = means.max() if table.greater_is_better else -means.max()
    return (
        f"The search chose candidate {table.best_index}; the best mean score, {value:.4g}, is "
        f"that of candidate {best}. Methods that estimate mu* speak of the best candidate, not of "
        "the chosen one.",
    )
