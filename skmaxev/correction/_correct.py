"""Correct the best score of a finished search for having been chosen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import bartlett

from skmaxev.correction._again import report_again
from skmaxev.correction._certain import CertainRows, certain_rows
from skmaxev.correction._classes import about_classes
from skmaxev.correction._estimates import (
    differences_of,
    estimate_all,
    given_winner,
    interval_of,
    nothing_chosen,
    splits_of_rows,
)
from skmaxev.correction._joined import joined_table, searches_in
from skmaxev.correction._parts import with_parts
from skmaxev.correction._responses import table_of_items, table_of_responses
from skmaxev.correction._rows import pooled_table, usable_rows
from skmaxev.estimators.shrinkage import residual_noise
from skmaxev.estimators.validation import check_level
from skmaxev.metrics import METRICS as KNOWN
from skmaxev.metrics import is_known
from skmaxev.readers import read_scores
from skmaxev.report import METHODS, Estimate, SelectionReport
from skmaxev.report.methods import BEST
from skmaxev.table import Rows, ScoreTable, UncorrectableError, mean_scores

__all__ = ["correct"]

FloatArray = NDArray[np.float64]

_ROWS_USED = "Out-of-fold results of single rows were used"
_ERRS_BY_ITSELF = (
    "{} within a small split errs by itself, so its mean over splits is not that of all rows "
    "together, and the printed score may not be too good. Pass y_true, responses and test_fold to "
    "have the score on all rows corrected instead."
)
_ASSUMED = (
    "The {} splits were taken for the folds of one partition of the rows. If they repeat a "
    "partition, say n_repeats=; if they are shuffled splits, n_repeats={} and test_share=."
)
_ON_THE_BOUND = (
    "No interval: the score lies on the bound of the metric, and the judged rows tell nothing of "
    "how large the first error will be; of n rows without one, up to 3/n of new rows may have one."
)
_UNLIKE = (
    "The estimate {} ({}) is more than a standard error away from the consensus, and the "
    "candidates differ widely in noise, which it does not know. The consensus is given instead."
)
_OWN_SPLITS = "{} is the estimate from the search's own splits: it does not weigh fresh partitions."
_ONE_NOISE = ("LVCV", "LBCV", "EB")  # of searches: each candidate is as noisy as any other
_ONE_ERROR = 0.68  # level of an interval of one standard error to both sides
_RARE = 0.01  # chance of such different variances where the noise is the same
_MOST_FOLDS = 10  # more splits are rarely one partition


def correct(
    results: Any = None,
    *,
    metric: str | None = None,
    method: str = "CONSENSUS",
    level: float = 0.95,
    greater_is_better: bool | None = None,
    candidate: str | Sequence[str] | None = None,
    fold: str | Sequence[str] | None = None,
    score: str | None = None,
    error_score: float | None = None,
    candidates_in: str | None = None,
    n_repeats: int | None = None,
    test_share: float | None = None,
    clusters: ArrayLike | None = None,
    y_true: ArrayLike | None = None,
    responses: ArrayLike | None = None,
    test_fold: ArrayLike | None = None,
    pos_label: Any = None,
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
          CSV file, which pandas reads with its defaults; columns named ``fold_1_auc`` do too, or
          one of lists named ``fold_scores``;
        - a list of results of cross_validate, or a dict of them by name;
        - an array of shape (n_splits, n_candidates), or (n_rows, n_candidates) of 1.0 and 0.0 for
          right and wrong, as of a leaderboard or of leave-one-out: rows are dealt into ten parts;
        - an Optuna study whose trials keep the scores of their splits;
        - several searches, studies, frames, ``cv_results_``, reports or files in a dict by name, or
          a list, such as ``{"svm": search_1, "forest": search_2}``: all that was tried on the same
          data is one search;
        - the path of a checkpoint in which a search was finished;
        - an object with ``scores``, or a ScoreTable.
    metric : str, optional
        Which metric, where there are several (that of ``refit`` if omitted); otherwise its name.
        A name of scikit-learn's keeps the interval within the range of the metric.
    method : str
        Estimator behind ``report.estimate``, a key of ``report.estimates``.
    level : float
        Confidence level of the interval, which is that of the winner's true score whatever the
        method: for methods with the target mu* it lies around the consensus.
    greater_is_better : bool, optional
        False if an array, frame or file holds losses. They stay losses in the report. If omitted,
        the name of the metric has to tell a score; scores without a name are higher-is-better.
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
    y_true : array-like of shape (n_rows,), optional
        Targets, with ``responses`` and ``test_fold``.
    responses : array-like of shape (n_candidates, n_rows) or (n_candidates, n_rows, n_classes), \
optional
        Out-of-fold predictions: numbers, labels, the probability or decision value of the greater
        of two labels, or probabilities in the order of the sorted labels. NaN where a row was not
        judged. With repeats of shape (n_candidates, n_repeats, n_rows[, n_classes]); shuffled
        splits are repeats of one split. Scores are computed from them if ``results`` is omitted.
        Without ``y_true``: scores of items for which nothing was trained, such as prompts.
    test_fold : array-like of shape (n_rows,) or (n_repeats, n_rows), optional
        Number of the split that judged each row; -1 for none.
    pos_label : label, optional
        The positive one of two labels; the greater one if omitted.

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
    own = getattr(results, "report_", None)
    if isinstance(own, SelectionReport) and responses is None:
        asked = (own.metric if metric is None else metric, method, level)
        if asked == (own.metric, own.method, own.level):
            return own  # what a pickle left out may stand behind it
    read = partial(
        read_scores,
        metric=metric,
        greater_is_better=greater_is_better,
        candidate=candidate,
        fold=fold,
        score=score,
        error_score=error_score,
        candidates_in=candidates_in,
        n_repeats=n_repeats,
        test_share=test_share,
    )
    several = searches_in(results)
    if several is not None:
        table = joined_table(several, partial(read, clusters=clusters))
    elif responses is None:
        table = read(results, clusters=clusters)
    elif y_true is None and test_fold is None and results is None:
        table = table_of_items(responses, clusters, read)
    else:
        table = table_of_responses(
            results,
            read,
            metric=metric,
            y_true=y_true,
            responses=responses,
            test_fold=test_fold,
            pos_label=pos_label,
            clusters=clusters,
        )
    return _correct(table, method, level)


def _correct(table: ScoreTable, method: str, level: float) -> SelectionReport:
    dealt = with_parts(table)
    rows = usable_rows(dealt)
    pooled = dealt if rows is None else pooled_table(dealt, rows)
    values = estimate_all(pooled, rows)
    _check_method(dealt, values, method)
    unlike = not _is_borne(pooled, rows, values, method)
    asked, method = method, "CONSENSUS" if unlike else method
    # Always that of the winner's true score: what estimates mu* is no centre for it.
    centre = "CONSENSUS" if METHODS[method].target == BEST else method
    interval = interval_of(pooled, rows, estimate=values[centre], level=level)
    certain = certain_rows(pooled, rows, level)
    if certain is not None:
        values, interval = _lowered(values, interval, certain, float(pooled.used_scores.min()))
    report = _report(dealt, pooled, values, method=method, level=level, interval=interval)
    report = replace(report, differences=differences_of(pooled, rows, level))
    if method == "CONSENSUS":
        report = report_again(report, dealt)
    remarks = _remarks(table, dealt, interval)
    if method != "CONSENSUS" and dealt.fresh is not None:
        remarks.append(_OWN_SPLITS.format(method))
    if unlike:
        remarks.insert(0, _UNLIKE.format(METHODS[asked].name, asked))
    if interval is None and values[centre] in pooled.support:
        remarks.append(_ON_THE_BOUND)
    if rows is not None and table.source != "items":
        estimated = method == "BBC" or pooled is not dealt
        if method == "CONSENSUS" and not nothing_chosen(pooled):
            estimated |= splits_of_rows(pooled, rows) is not None
        remarks = [_ROWS_USED + (" too." if estimated else ", for the interval alone."), *remarks]
    if certain is not None:
        remarks.append(_about_certain(certain))
    return replace(report, notes=(*dealt.notes, *remarks))


def _lowered(
    values: Mapping[str, float],
    interval: tuple[float, float] | None,
    certain: CertainRows,
    lowest: float,
) -> tuple[dict[str, float], tuple[float, float] | None]:
    """Take off what certain rows will cost from the estimates of the winner's true score."""
    judging = {"EB", "TT", "BBC", "BBC-F", "CONSENSUS"}
    lowered = {
        key: max(value - certain.fall, min(lowest, value)) if key in judging else value
        for key, value in values.items()
    }
    if interval is not None:
        interval = interval[0] - certain.fall_of_lower_end, interval[1]
    return lowered, interval


def _about_certain(certain: CertainRows) -> str:
    return (
        f"The winner gave {certain.n_rows:,.0f} rows a probability of exactly 0 or 1, and "
        f"{certain.n_wrong:,.0f} of them wrongly; those still to come make the score worse by "
        f"{certain.fall:.3g}."
    )


def _is_borne(
    table: ScoreTable, rows: Rows | None, values: Mapping[str, float], method: str
) -> bool:
    """Tell whether a method that knows one noise for all candidates can be meant for these."""
    if method not in _ONE_NOISE or nothing_chosen(table) or table.n_splits < 3:
        return True
    with np.errstate(all="ignore"):  # candidates without any noise
        same_noise = bartlett(*table.used_scores.T).pvalue
    if not same_noise < _RARE:
        return True
    ends = interval_of(table, rows, estimate=values["CONSENSUS"], level=_ONE_ERROR)
    return ends is None or ends[0] <= values[method] <= ends[1]


def _check_method(table: ScoreTable, values: Mapping[str, float], method: str) -> None:
    if method not in values:
        needs = {
            "BBC": "out-of-fold results of single rows",
            "NESTED-P": "the outer folds and predictions of a NestedCVSearch, and a metric to pool",
            "NESTED": "the outer folds of a nested search, such as NestedCVSearch makes",
        }
        raise UncorrectableError(
            f"method={method!r} needs {needs[method]}, which the {table.source} does not hold. To "
            f"be had: {list(values)}."
        )
    if METHODS[method].judges_given or nothing_chosen(table) or given_winner(table) is None:
        return
    able = [key for key in values if METHODS[key].judges_given]
    raise UncorrectableError(
        f"method={method!r} estimates the candidate with the best mean score, but the search chose "
        f"candidate {table.best_index}, which is another. Use one of {able}."
    )


def _report(
    table: ScoreTable,
    pooled: ScoreTable,
    values: Mapping[str, float],
    *,
    method: str,
    level: float,
    interval: tuple[float, float] | None,
) -> SelectionReport:
    scores, means = pooled.used_scores, mean_scores(pooled.used_scores)
    naive = float(mean_scores(table.used_scores)[table.used_best_index])
    comparable = float(means[table.used_best_index])
    sign = 1.0 if table.greater_is_better else -1.0
    same = nothing_chosen(table)
    return SelectionReport(
        estimate=_turned(values[method], sign),
        interval=_signed(interval, sign),
        level=level,
        method=method,
        naive=_turned(naive, sign),
        naive_pooled=None if pooled is table else _turned(comparable, sign),
        optimism=comparable - values[method],
        estimates=_described(values, sign),
        n_splits=table.n_splits,
        n_candidates=table.n_candidates,
        n_used=int(table.used.size),
        left_out=dict(table.left_out),
        best_index=table.best_index,
        best_params=table.params[table.best_index] if table.params is not None else None,
        metric=table.metric,
        greater_is_better=table.greater_is_better,
        noise=0.0 if same else float(np.sqrt(residual_noise(scores, design=pooled.design))),
        spread=0.0 if same else float(means.std(ddof=1)),
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


def _remarks(
    given: ScoreTable, table: ScoreTable, interval: tuple[float, float] | None
) -> list[str]:
    """Say which winner was judged, and what was taken for granted."""
    remarks = []
    dealt = given is not table  # its splits are then not those of the user
    if not dealt and table.design is None and table.n_splits > _MOST_FOLDS:
        remarks.append(_ASSUMED.format(table.n_splits, table.n_splits))
    chosen = table.fresh is None and not nothing_chosen(table)
    if chosen and given_winner(table) is not None:
        best = table.used[mean_scores(table.used_scores).argmax()]
        remarks.append(
            f"The search chose candidate {table.best_index}, by a rule of its own; candidate "
            f"{best} has the best mean score, and methods that estimate mu* speak of the best."
        )
    remarks += [] if dealt else about_classes(table)
    known = KNOWN.get(table.metric)
    if known is not None and known.pooled and table.rows is None and not nothing_chosen(table):
        remarks.append(_ERRS_BY_ITSELF.format(table.metric))
    sign = 1.0 if table.greater_is_better else -1.0
    bounds = set(table.support) & set(interval or ()) if not is_known(table.metric) else set()
    remarks += [
        f"The interval ends at {_turned(end, sign):g}, taken for a bound of "
        "the metric because no score is beyond it."
        for end in bounds
    ]
    return remarks
