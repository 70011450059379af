"""Correct the best score of a finished search for having been chosen."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from numpy.typing import ArrayLike

from skmaxev.correction._joined import joined_table, searches_in
from skmaxev.correction._report import report_of
from skmaxev.correction._tables import table_of_items, table_of_responses
from skmaxev.estimators.validation import check_level
from skmaxev.readers import read_scores
from skmaxev.report import METHODS, SelectionReport

__all__ = ["correct"]


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
    return report_of(table, method, level)
