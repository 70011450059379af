"""Correct the best score of a finished search for having been chosen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_random_state

from skmaxev.correction._estimates import (
    estimate_all,
    given_winner,
    interval_of,
    nothing_chosen,
)
from skmaxev.correction._parts import with_parts
from skmaxev.correction._rows import judged_rows
from skmaxev.estimators.shrinkage import residual_noise
from skmaxev.estimators.validation import check_level
from skmaxev.metrics import is_known
from skmaxev.readers import read_scores
from skmaxev.report import METHODS, Estimate, SelectionReport
from skmaxev.table import ScoreTable, mean_scores

__all__ = ["correct"]

FloatArray = NDArray[np.float64]

_ROWS_USED = "The out-of-fold results of single rows were used besides the scores of the splits."
_R2_ERRS = (
    "R2 within a small split errs downwards by itself, and the models of the search trained on "
    "fewer rows than the final one: with few rows in a split the printed score may not be too good."
)


def correct(
    results: Any,
    *,
    metric: str | None = None,
    method: str = "CONSENSUS",
    level: float = 0.95,
    greater_is_better: bool | None = None,
    random_state: int | np.random.RandomState | None = None,
    sep: str | None = None,
    decimal: str = ".",
    candidate: str | Sequence[str] | None = None,
    fold: str | Sequence[str] | None = None,
    score: str | None = None,
    error_score: float | None = None,
    candidates_in: str | None = None,
    n_repeats: int | None = None,
    test_share: float | None = None,
    clusters: ArrayLike | None = None,
) -> SelectionReport:
    """Say what the winner of a finished search is worth; needs no data and no further fit.

    Parameters
    ----------
    results : object
        Any of

        - a fitted search: GridSearchCV, RandomizedSearchCV, the halving searches (their last
          round), BayesSearchCV, OptunaSearchCV, or a pipeline that ends in one; LassoCV,
          ElasticNetCV, LarsCV, RidgeCV or LogisticRegressionCV, which keep scores of their own;
        - its ``cv_results_`` as a dict, a pandas or polars frame, a list of rows, or the path of a
          CSV file; columns named ``fold_1_auc`` do too, or one of lists named ``fold_scores``;
        - a list of results of cross_validate, or a dict of them by name;
        - an array of shape (n_splits, n_candidates), or (n_rows, n_candidates) of 1.0 and 0.0 for
          right and wrong, as of a leaderboard or of leave-one-out: rows are dealt into ten parts;
        - an Optuna study whose trials keep the scores of their splits (see
          `skmaxev.readers.from_study`);
        - the path of a checkpoint in which a search was finished;
        - an object with ``scores``, or a ScoreTable.
    metric : str, optional
        Which metric, where there are several (that of ``refit`` if omitted); otherwise its name.
        A name of scikit-learn's keeps the interval within the range of the metric.
    method : str
        Estimator behind ``report.estimate``, a key of ``report.estimates``.
    level : float
        Confidence level of the interval.
    greater_is_better : bool, optional
        False if an array, frame or file holds losses. They stay losses in the report. If omitted,
        the name of the metric has to tell a score; scores without a name are higher-is-better.
    random_state : int, RandomState or None
        For estimators that resample. None gives the same numbers at every call.
    sep, decimal : str
        Separator and decimal sign of a CSV file; the separator is found if omitted.
    candidate, fold, score : str, optional
        Columns of a long table with one row a candidate and split. A list of columns names a
        candidate or a split together, such as ``fold=["repeat", "fold"]``.
    error_score : float, optional
        What stands for a failed fit in an array, frame or file. Nothing but this and NaN does.
    candidates_in : {"rows", "columns"}, optional
        Where an array has its candidates; "columns" if omitted.
    n_repeats, test_share, clusters : optional
        How the splits came about, where the source does not say: partitions of the rows, the share
        of test rows, and the label of each row's cluster; see `skmaxev.table.Design`.

    Returns
    -------
    SelectionReport
        The default, the consensus, errs little either way on average. Where nothing was chosen
        (one candidate, or the same scores for all) the estimate is the naive score exactly.

    Raises
    ------
    ValueError
        If there are no scores of single splits, fewer than two splits, no candidate without a
        failed split, the metric's name tells that the scores are the other way round, or
        ``method`` is not to be had from these scores.
    TypeError
        If ``results`` is of no known kind.

    Examples
    --------
    >>> import numpy as np
    >>> scores = np.random.default_rng(0).normal(0.8, 0.03, size=(5, 40))
    >>> report = correct(scores)
    >>> round(report.naive, 2), round(report.estimate, 2)
    (0.82, 0.8)
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
        error_score=error_score,
        candidates_in=candidates_in,
        n_repeats=n_repeats,
        test_share=test_share,
        clusters=clusters,
    )
    table = with_parts(table)
    rows = judged_rows(table)
    values = estimate_all(table, rows, _seed(random_state))
    _check_method(table, values, method)
    interval = interval_of(table, rows, estimate=values[method], level=level)
    remarks = [*([] if rows is None else [_ROWS_USED]), *_remarks(table, interval)]
    report = _report(table, values, method=method, level=level, interval=interval)
    return replace(report, notes=(*table.notes, *remarks))


def _seed(random_state: Any) -> int:
    if random_state is None:
        return 0
    if isinstance(random_state, int | np.integer):
        return int(random_state)
    return int(check_random_state(random_state).randint(np.iinfo(np.int32).max))


def _check_method(table: ScoreTable, values: Mapping[str, float], method: str) -> None:
    if method not in values:
        needs = {
            "BBC": "out-of-fold results of single rows",
            "NESTED": "the outer folds of a nested search, such as NestedCVSearch makes",
        }
        raise ValueError(
            f"method={method!r} needs {needs[method]}, which the {table.source} does not hold. To "
            f"be had: {list(values)}."
        )
    if METHODS[method].judges_given or nothing_chosen(table) or given_winner(table) is None:
        return
    able = [key for key in values if METHODS[key].judges_given]
    raise ValueError(
        f"method={method!r} estimates the candidate with the best mean score, but the search chose "
        f"candidate {table.best_index}, which is another. Use one of {able}."
    )


def _report(
    table: ScoreTable,
    values: Mapping[str, float],
    *,
    method: str,
    level: float,
    interval: tuple[float, float] | None,
) -> SelectionReport:
    scores, means = table.used_scores, mean_scores(table.used_scores)
    naive = float(means[table.used_best_index])
    sign = 1.0 if table.greater_is_better else -1.0
    same = nothing_chosen(table)
    return SelectionReport(
        estimate=_turned(values[method], sign),
        interval=_signed(interval, sign),
        level=level,
        method=method,
        naive=_turned(naive, sign),
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
        noise=0.0 if same else float(np.sqrt(residual_noise(scores, design=table.design))),
        spread=0.0 if same else float(means.std(ddof=1)),
        indistinguishable=_indistinguishable(table),
        n_fits=table.n_fits,
        source=table.source,
        table=table,
    )


def _turned(score: float, sign: float) -> float:
    return sign * score + 0.0  # a loss of zero has no minus


def _signed(interval: tuple[float, float] | None, sign: float) -> tuple[float, float] | None:
    if interval is None:
        return None
    low, high = sorted(_turned(end, sign) for end in interval)
    return low, high


def _described(values: Mapping[str, float], sign: float) -> dict[str, Estimate]:
    """Say of each value what it estimates; a loss that is too low looks too good."""
    turned = {"upwards": "downwards", "downwards": "upwards"} if sign < 0 else {}
    found = {}
    for key, value in values.items():
        errs = " ".join(turned.get(word, word) for word in METHODS[key].errs.split())
        found[key] = Estimate.by(key, _turned(value, sign), errs=errs)
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


def _remarks(table: ScoreTable, interval: tuple[float, float] | None) -> list[str]:
    """Say which winner was judged, and which bound was taken for granted."""
    remarks = []
    if not nothing_chosen(table) and given_winner(table) is not None:
        best = table.used[mean_scores(table.used_scores).argmax()]
        remarks.append(
            f"The search chose candidate {table.best_index}, by a rule of its own; candidate "
            f"{best} has the best mean score, and methods that estimate mu* speak of the best."
        )
    if table.metric == "r2" and not nothing_chosen(table):
        remarks.append(_R2_ERRS)
    sign = 1.0 if table.greater_is_better else -1.0
    bounds = set(table.support) & set(interval or ()) if not is_known(table.metric) else set()
    remarks += [
        f"The interval ends at {_turned(end, sign):g}, taken for a bound of "
        "the metric because no score is beyond it."
        for end in bounds
    ]
    return remarks
