"""Judge the better candidates of a finished search again, on fresh partitions of the rows."""

from __future__ import annotations

from copy import copy
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone, is_classifier
from sklearn.model_selection import (
    BaseShuffleSplit,
    KFold,
    RepeatedKFold,
    RepeatedStratifiedKFold,
    StratifiedKFold,
    TimeSeriesSplit,
    check_cv,
    cross_validate,
)
from sklearn.utils import check_random_state

from skmaxev.correction import correct
from skmaxev.correction._again import report_again, true_scores
from skmaxev.report import SelectionReport

__all__ = ["judge_again"]

FloatArray = NDArray[np.float64]

_CONTENDERS = (3, 2, 1)
"""Candidates judged on the first fresh partition, on the second, and on each that follows."""


def judge_again(
    search: Any,
    X: Any,
    y: Any = None,
    *,
    n_repeats: int = 4,
    groups: Any = None,
    params: dict[str, Any] | None = None,
    n_jobs: int | None = None,
    random_state: Any = None,
    level: float = 0.95,
) -> SelectionReport:
    """Spend a few fits more where they count: on the winner of a search and those next to it.

    Three candidates are judged on a fresh partition of the rows, the better two of them on a
    second, the best on those that follow. Nothing is refitted, and the search stays as it is.

    Parameters
    ----------
    search : fitted search object
        GridSearchCV, RandomizedSearchCV, one of this package, or another with ``estimator``,
        ``cv``, ``scorer_`` and ``cv_results_``.
    X, y : array-like
        The data that it was fitted on.
    n_repeats : int, default=4
        Fresh partitions; ``n_repeats + 3`` times the folds of one are fitted.
    groups : array-like of shape (n_samples,), optional
        Groups of the rows, for splitters that need them.
    params : dict, optional
        Parameters of ``fit``, as for `sklearn.model_selection.cross_validate`.
    n_jobs : int, optional
        Workers, as in scikit-learn.
    random_state : int, RandomState or None
        For dealing the rows anew. Folds that were not shuffled are shuffled for it.
    level : float
        Confidence level of the interval.

    Returns
    -------
    SelectionReport
        Its ``best_index`` may be another candidate than the search's: refit that one to deploy it.
        Errs little on average. See `skmaxev.estimators.judged_again` for the formula.

    Raises
    ------
    ValueError
        If the splits cannot be drawn anew: leave-one-out, time series, predefined splits, lists.
    TypeError
        If the search does not say what was searched.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.model_selection import GridSearchCV
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> grid = {"max_depth": [1, 2, 3, 4, 5, 6], "min_samples_leaf": [1, 5, 20]}
    >>> search = GridSearchCV(DecisionTreeClassifier(random_state=0), grid).fit(X, y)
    >>> report = judge_again(search, X, y, random_state=0)
    >>> round(report.naive, 3), round(report.estimate, 3)
    (0.93, 0.93)
    """
    if n_repeats < 1:
        raise ValueError(f"n_repeats must be at least 1; got {n_repeats}.")
    report = correct(search, level=level)
    table = report.table
    if table is None or table.params is None or not hasattr(search, "cv"):
        raise TypeError(
            "search must be a fitted search with cv, estimator and cv_results_, such as "
            f"GridSearchCV; got {type(search).__name__}."
        )
    splits, note = _fresh_partitions(search, X, y, groups, n_repeats, random_state)
    fresh = np.full((n_repeats, table.n_candidates), np.nan)
    estimates, n_fits = table.scores.mean(axis=0), 0
    estimates[report.best_index] = np.inf  # the winner is judged first, whatever rule chose it
    for number, partition in enumerate(splits):
        wanted = _CONTENDERS[min(number, len(_CONTENDERS) - 1)]
        for candidate in _best(estimates, wanted):
            fresh[number, candidate] = _mean_score(
                search, table.params[candidate], X, y, cv=partition, n_jobs=n_jobs, params=params
            )
            n_fits += len(partition)
        estimates = true_scores(table, fresh[: number + 1])
    again = report_again(report, fresh, n_fits=n_fits)
    return replace(again, notes=(*again.notes, *note))


def _fresh_partitions(
    search: Any, X: Any, y: Any, groups: Any, n_repeats: int, random_state: Any
) -> tuple[list[list[Any]], tuple[str, ...]]:
    """Deal the rows anew by the same kind of splitter; say if that shuffles what was in order."""
    cv = check_cv(search.cv, y, classifier=is_classifier(search.estimator))
    note: tuple[str, ...] = ()
    if isinstance(cv, RepeatedKFold | RepeatedStratifiedKFold):
        n_folds = cv.get_n_splits(X, y, groups) // cv.n_repeats
        kind = StratifiedKFold if isinstance(cv, RepeatedStratifiedKFold) else KFold
        fresh: Any = kind(n_folds, shuffle=True)
    elif isinstance(cv, BaseShuffleSplit):
        fresh = copy(cv)
        fresh.n_splits = min(cv.n_splits, 10)  # about what one partition judges
    elif hasattr(cv, "shuffle") and not isinstance(cv, TimeSeriesSplit):
        fresh = copy(cv)
        fresh.shuffle = True
        if not cv.shuffle:
            note = ("The rows were shuffled for it; the folds of the search were not.",)
    else:
        raise ValueError(
            f"the splits must be such as can be drawn anew; {type(cv).__name__} gives the same "
            "ones each time. Search with KFold, StratifiedKFold, their repeated forms or shuffled "
            "splits."
        )
    rng = check_random_state(random_state)
    partitions = []
    for _ in range(n_repeats):
        fresh.random_state = int(rng.randint(np.iinfo(np.int32).max))
        partitions.append(list(fresh.split(X, y, groups)))
    return partitions, note


def _best(estimates: FloatArray, wanted: int) -> list[int]:
    order = np.argsort(-estimates, kind="stable")  # NaN last
    return [int(one) for one in order if not np.isnan(estimates[one])][:wanted]


def _mean_score(search: Any, settings: Any, X: Any, y: Any, **options: Any) -> float:
    """Fit one candidate on the splits of a partition; NaN if a fit or a score fails."""
    scorer = search.scorer_
    if isinstance(scorer, dict):
        scorer = scorer[search.refit]
    estimator = clone(search.estimator).set_params(**clone(dict(settings), safe=False))
    return float(cross_validate(estimator, X, y, scoring=scorer, **options)["test_score"].mean())
