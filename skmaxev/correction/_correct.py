"""Correct the best score of a finished search for having been chosen."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from skmaxev.correction._estimates import by_cluster
from skmaxev.correction._joined import joined_table, searches_in
from skmaxev.correction._report import report_of
from skmaxev.estimators.validation import check_level
from skmaxev.metrics import rows_from_responses, scores_from_responses
from skmaxev.readers import read_scores
from skmaxev.report import METHODS, SelectionReport
from skmaxev.table import Design, Rows, ScoreTable

__all__ = ["correct"]

# How far scores may be from those of the predictions: both may come from files with few digits.
_SAME = 1e-3


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
          a list, or arrays in a dict, such as ``{"svm": search_1, "forest": search_2}``: all that
          was tried on the same data is one search;
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
        table = _table_of_items(responses, clusters, read)
    else:
        table = _table_of_responses(
            results,
            read,
            metric=metric,
            y_true=y_true,
            responses=responses,
            test_fold=test_fold,
            pos_label=pos_label,
            clusters=clusters,
        )
    return report_of(table, method, level)


def _table_of_items(
    items: ArrayLike, clusters: ArrayLike | None, read: Callable[[Any], ScoreTable]
) -> ScoreTable:
    """Read results by item (n_candidates, n_items), such as of prompts; nothing was trained.

    ``read`` makes a ScoreTable of scores. Items with one label in ``clusters`` are judged as one.
    """
    if isinstance(items, Mapping):
        raise TypeError(
            "responses must be an array (n_candidates, n_items), a line a candidate; got a "
            f"{type(items).__name__}. Stack its values, as in np.array(list(responses.values()))."
        )
    values = np.asarray(items, dtype=np.float64)
    if values.ndim != 2 or not np.isfinite(values).all():
        raise ValueError(
            "responses without y_true are scores of items: finite, of shape (n_candidates, "
            f"n_items); got shape {values.shape}. Give y_true and test_fold with predictions."
        )
    columns = values.T
    if clusters is not None:
        columns = by_cluster(columns, _labels(clusters, len(columns)))
    table = read(columns.mean(axis=0, keepdims=True))
    sign = 1.0 if table.greater_is_better else -1.0
    rows = Rows.of_one_partition(np.zeros(len(columns)), values=sign * columns)
    # That each is a whole cluster forbids to count single items behind a share.
    groups = None if clusters is None else np.arange(len(columns))
    design = Design(n_splits=1, test_share=0.5, clusters=groups, source="told")
    return replace(table, rows=rows, design=design, source="items", notes=())


def _table_of_responses(
    results: Any,
    read: Callable[[Any], ScoreTable],
    *,
    metric: str | None,
    y_true: ArrayLike | None,
    responses: ArrayLike,
    test_fold: ArrayLike | None,
    pos_label: Any,
    clusters: ArrayLike | None,
) -> ScoreTable:
    """Read scores together with the predictions behind them; parameters as of `correct`.

    ``read`` makes a ScoreTable of ``results``; without results the scores are computed.
    """
    if metric is None or y_true is None or test_fold is None:
        raise ValueError(
            "responses need metric, y_true and test_fold: what was judged, and which split judged "
            "each row. Give all of them, or leave y_true and test_fold out for scores of items."
        )
    fold = _numbered_on(test_fold)
    rows = rows_from_responses(metric, y_true, responses, fold, pos_label=pos_label)
    if rows is None:
        raise ValueError(
            f"responses say nothing of {metric!r} row by row, in this form. Give predictions as "
            "the metric's scorer takes them, the name of one of scikit-learn's scorers, or leave "
            "responses out."
        )
    scores = scores_from_responses(metric, y_true, responses, fold, pos_label=pos_label)
    if results is None:
        table = replace(read(scores), source="out-of-fold predictions")
    else:
        table = read(results)
    _check_size(table, rows)
    design = _design_of(rows.test_fold, clusters)
    notes = (*table.notes, *_about_scores(table, scores))
    return replace(table, rows=rows, design=design, n_test=design.n_test, notes=notes)


def _numbered_on(test_fold: ArrayLike) -> NDArray[Any]:
    """Number the splits of repeats one after the other, where each repeat begins anew."""
    fold = np.asarray(test_fold)
    if fold.ndim != 2 or len(fold) < 2:
        return fold
    labels = [np.unique(repeat[repeat >= 0]) for repeat in fold]
    if any(not np.array_equal(found, np.arange(len(found))) for found in labels):
        return fold
    first = np.cumsum([0, *(len(found) for found in labels[:-1])])
    return np.where(fold >= 0, fold + first[:, np.newaxis], fold)


def _check_size(table: ScoreTable, rows: Rows) -> None:
    found = (int(rows.test_fold.max()) + 1, len(rows.values))
    if found != table.scores.shape:
        raise ValueError(
            "responses must be those of the scores; test_fold and responses have "
            f"{found[0]} splits and {found[1]} candidates, the scores {table.n_splits} and "
            f"{table.n_candidates}. Give one line of responses a candidate."
        )


def _about_scores(table: ScoreTable, computed: NDArray[np.float64] | None) -> tuple[str, ...]:
    """Say where predictions do not give the scores: rounded ones, another order, another column."""
    if computed is None:
        return ()
    off = np.abs(computed - table.scores)[np.isfinite(table.scores)]
    n_off = int((off > _SAME * max(1.0, float(np.nanmax(np.abs(table.scores))))).sum())
    if not n_off:
        return ()
    return (
        f"The predictions give another score than the results in {n_off:,} of {off.size:,} pairs "
        f"of a split and a candidate, by {np.nanmax(off):.2g} at most. If that is more than "
        "rounding or ties, candidates, rows or classes are in another order.",
    )


def _design_of(test_fold: NDArray[np.intp], clusters: ArrayLike | None) -> Design:
    """Tell the design by which split judged each row; all other rows are taken for trained on."""
    n_test = np.bincount(test_fold[test_fold >= 0])
    n_rows = test_fold.shape[1]
    labels = None if clusters is None else _labels(clusters, n_rows)
    return Design(
        n_splits=len(n_test),
        n_repeats=len(test_fold) if len(n_test) % len(test_fold) == 0 else len(n_test),
        test_share=min(float(n_test.mean()) / n_rows, 0.5),
        n_rows=int((test_fold >= 0).any(axis=0).sum()),
        n_test=n_test,
        clusters=labels,
        source="indices",
    )


def _labels(clusters: ArrayLike, n_rows: int) -> NDArray[Any]:
    labels = np.asarray(clusters)
    if labels.shape != (n_rows,):
        raise ValueError(
            f"clusters must have one label a row, {n_rows} of them; got shape {labels.shape}."
        )
    return labels
