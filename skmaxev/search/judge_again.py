"""Judge the better candidates of a finished search again, on fresh partitions of the rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from copy import copy
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone, is_classifier
from sklearn.model_selection import (
    BaseShuffleSplit,
    RepeatedKFold,
    RepeatedStratifiedKFold,
    TimeSeriesSplit,
    check_cv,
    cross_validate,
)
from sklearn.utils import check_random_state

from skmaxev._compat import num_samples
from skmaxev.correction import correct
from skmaxev.correction._again import report_again, true_scores
from skmaxev.report import SelectionReport

__all__ = ["deal_anew", "fresh_splitter", "judge_again", "judge_on_fresh", "n_judged"]

FloatArray = NDArray[np.float64]

_CONTENDERS = (3, 2, 1)
"""Candidates judged on the first fresh partition, on the second, and on each that follows."""

Score = Callable[[int, Sequence[int], Any], Sequence[float]]
"""Takes the number of a partition, candidates and splits; gives mean scores, NaN if one fails."""


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
    settings = table.params
    judged = 0 if table.design is None else table.design.n_rows or 0
    if judged > num_samples(X):
        raise ValueError(
            f"X and y must be the data of the search, which judged {judged:,} rows; got "
            f"{num_samples(X):,}."
        )
    cv, note = fresh_splitter(search.cv, y, classifier=is_classifier(search.estimator))
    scorer = search.scorer_
    scorer = scorer[search.refit] if isinstance(scorer, dict) else scorer
    options = {"scoring": scorer, "n_jobs": n_jobs, "params": params}

    def score(_: int, candidates: Sequence[int], splits: Any) -> list[float]:
        models = [
            clone(search.estimator).set_params(**clone(dict(settings[one]), safe=False))
            for one in candidates
        ]
        found = [cross_validate(model, X, y, cv=splits, **options) for model in models]
        return [float(one["test_score"].mean()) for one in found]

    told = {} if groups is None else {"groups": groups}
    partitions = deal_anew(cv, n_repeats, random_state, X, y, **told)
    report = judge_on_fresh(report, partitions, score, own_rule=callable(search.refit))
    return replace(report, notes=(*report.notes, *note))


def fresh_splitter(cv: Any, y: Any, *, classifier: bool) -> tuple[Any, tuple[str, ...]]:
    """Find what deals the rows anew; say if that shuffles what was in order.

    Raises
    ------
    ValueError
        If the splits cannot be drawn anew.
    """
    cv = check_cv(cv, y, classifier=classifier)
    if isinstance(cv, RepeatedKFold | RepeatedStratifiedKFold):
        fresh = copy(cv)
        fresh.n_repeats = 1
    elif isinstance(cv, BaseShuffleSplit):
        fresh = copy(cv)
        fresh.n_splits = min(cv.n_splits, 10)  # about what one partition judges
    elif hasattr(cv, "shuffle") and not isinstance(cv, TimeSeriesSplit):
        fresh = copy(cv)
        fresh.shuffle = True
        if not cv.shuffle:
            return fresh, ("The rows were shuffled for it; the folds of the search were not.",)
    else:
        raise ValueError(
            f"the splits must be such as can be drawn anew; {type(cv).__name__} gives the same "
            "ones each time. Search with KFold, StratifiedKFold, their repeated forms or shuffled "
            "splits."
        )
    return fresh, ()


def deal_anew(
    fresh: Any, n_repeats: int, random_state: Any, X: Any, y: Any, **params: Any
) -> Iterator[list[Any]]:
    """Give the splits of one fresh partition after the other."""
    rng = check_random_state(random_state)
    for _ in range(n_repeats):
        fresh.random_state = int(rng.randint(np.iinfo(np.int32).max))
        yield list(fresh.split(X, y, **params))


def judge_on_fresh(
    report: SelectionReport, partitions: Iterable[list[Any]], score: Score, *, own_rule: bool
) -> SelectionReport:
    """Judge three candidates, then two, then one; those of a rule of the user's own alone.

    Parameters
    ----------
    report : SelectionReport
        Of the search, with its table.
    partitions : iterable of list
        Splits of each fresh partition.
    score : callable
        See `Score`.
    own_rule : bool
        Whether the winner stays, since another rule than the mean score chose it.
    """
    table = report.table
    if table is None:
        raise TypeError("report must hold the table of its search.")
    fresh: list[FloatArray] = []
    estimates, n_fits = table.scores.mean(axis=0), 0
    estimates[report.best_index] = np.inf  # the winner is judged first, whatever rule chose it
    for number, splits in enumerate(partitions):
        some = _best(estimates, 1 if own_rule else n_judged(number))
        fresh.append(np.full(table.n_candidates, np.nan))
        fresh[number][some] = score(number, some, splits)
        n_fits += len(some) * len(splits)
        if np.isnan(fresh).all():
            note = "Fits on a fresh partition failed, so that nothing could be judged again."
            return replace(report, notes=(*report.notes, note))
        estimates = true_scores(table, np.array(fresh))
    return report_again(report, np.array(fresh), n_fits=n_fits)


def n_judged(number: int) -> int:
    """Say how many candidates are judged on a fresh partition, numbered from 0."""
    return _CONTENDERS[min(number, len(_CONTENDERS) - 1)]


def _best(estimates: FloatArray, wanted: int) -> list[int]:
    order = np.argsort(-estimates, kind="stable")  # NaN last
    return [int(one) for one in order if not np.isnan(estimates[one])][:wanted]
