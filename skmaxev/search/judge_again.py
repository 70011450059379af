"""Judge the better candidates of a search again, on fresh partitions of the rows."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import replace
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone, is_classifier
from sklearn.exceptions import FitFailedWarning
from sklearn.model_selection import (
    BaseShuffleSplit,
    RepeatedKFold,
    RepeatedStratifiedKFold,
    TimeSeriesSplit,
    check_cv,
)
from sklearn.utils import check_random_state

from skmaxev._compat import check_method_params, num_samples, routed_params
from skmaxev.correction import correct, true_scores, with_parts
from skmaxev.engine.plan import plan_later_fits
from skmaxev.engine.record import SINGLE, Record
from skmaxev.engine.splits import as_splits
from skmaxev.engine.types import Job, Place, Split
from skmaxev.readers import read_scores
from skmaxev.report import SelectionReport
from skmaxev.search._fits import Fits
from skmaxev.search._outcome import Outcome, complete_scores
from skmaxev.search._request import Request, check_whole
from skmaxev.table import ScoreTable, UncorrectableError

__all__ = ["check_fresh", "judge_again", "judge_before_refit", "n_fresh_fits"]

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
    checkpoint: str | PathLike[str] | None = None,
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
    checkpoint : path-like, optional
        File that keeps every finished fit; called again, none is repeated.

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
    search = getattr(search, "search_", search)  # of a search that ran one
    table = with_parts(read_scores(search))
    if table.params is None or not hasattr(search, "cv"):
        raise TypeError(
            "search must be a fitted search with cv, estimator and cv_results_, such as "
            f"GridSearchCV; got {type(search).__name__}."
        )
    judged = 0 if table.design is None else table.design.n_rows or 0
    if judged > num_samples(X):
        raise ValueError(
            f"X and y must be the data of the search, which judged {judged:,} rows; got "
            f"{num_samples(X):,}."
        )
    cv, note = _fresh_splitter(search.cv, y, classifier=is_classifier(search.estimator))
    if checkpoint is not None:
        check_whole(random_state, "fresh partitions")
    told = {} if groups is None else {"groups": groups}
    routed = routed_params(search, check_method_params(X, params=(params or {}) | told))
    scorer = search.scorer_
    job = Job(
        estimator=clone(search.estimator),
        scorer=scorer[search.refit] if isinstance(scorer, dict) else scorer,
        fit_params=routed["estimator"]["fit"],
        score_params=routed["scorer"]["score"],
        error_score=np.nan,
    )
    with Fits(job, X, y, table.params, checkpoint=checkpoint, n_jobs=n_jobs) as fits:
        partitions = _deal_anew(cv, n_repeats, random_state, X, y, routed["splitter"]["split"])
        table, _ = _judge_on_fresh(
            table, partitions, fits, metric=SINGLE, own_rule=callable(search.refit)
        )
    return correct(replace(table, notes=(*table.notes, *note)), level=level)


def check_fresh(request: Request) -> None:
    """Refuse, before the first fit, splits that cannot be drawn anew and another method."""
    _splitter(request)
    if request.method != "CONSENSUS":
        raise ValueError(
            f"n_judge_again needs method='CONSENSUS', which weighs fresh partitions; got "
            f"{request.method!r}."
        )


def n_fresh_fits(request: Request) -> int:
    """Count the fits on fresh partitions."""
    if not request.n_judge_again:
        return 0
    cv, _ = _splitter(request)
    n_splits = int(cv.get_n_splits(request.X, request.y, **request.split_params))
    wanted = [_n_judged(k, own_rule=callable(request.refit)) for k in range(request.n_judge_again)]
    return n_splits * sum(min(one, len(request.candidates)) for one in wanted)


def judge_before_refit(request: Request, outcome: Outcome, fits: Fits) -> Outcome:
    """Judge the better candidates of a search again; another one may win by it."""
    primary = request.primary(outcome.record) or ""
    try:
        table = with_parts(outcome.tables[primary])
    except (KeyError, UncorrectableError):
        warnings.warn(
            "Nothing was judged again: no metric has chosen a winner, or it has no honest score.",
            UserWarning,
            stacklevel=2,
        )
        return outcome
    n_repeats = request.n_judge_again
    if request.verbose > 0:
        print(
            f"Judging the better candidates again on {n_repeats} fresh partitions, "
            f"totalling {n_fresh_fits(request)} fits"
        )
    cv, note = _splitter(request)
    partitions = _deal_anew(
        cv, n_repeats, request.random_state, request.X, request.y, request.split_params
    )
    table, records = _judge_on_fresh(
        table, partitions, fits, metric=primary, own_rule=callable(request.refit)
    )
    for record in records:
        outcome.record.count(record)
    table = replace(table, notes=(*table.notes, *note))
    return outcome._replace(tables={**outcome.tables, primary: table})


def _splitter(request: Request) -> tuple[Any, tuple[str, ...]]:
    return _fresh_splitter(request.cv, request.y, classifier=request.classes is not None)


def _tell_failures(fresh: Record) -> None:
    scorers = (text for found in fresh.failures.values() for text in found.values())
    errors = [*fresh.errors.values(), *scorers]
    if errors:
        warnings.warn(
            f"{len(errors)} fits or scores on a fresh partition failed; their candidates count as "
            f"not judged on it. The first error:\n{errors[0]}",
            FitFailedWarning,
            stacklevel=2,
        )


def _fresh_splitter(cv: Any, y: Any, *, classifier: bool) -> tuple[Any, tuple[str, ...]]:
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


def _deal_anew(
    fresh: Any, n_repeats: int, random_state: Any, X: Any, y: Any, params: Mapping[str, Any]
) -> Iterator[tuple[Split, ...]]:
    """Give the splits of one fresh partition after the other."""
    rng = check_random_state(random_state)
    for _ in range(n_repeats):
        fresh.random_state = int(rng.randint(np.iinfo(np.int32).max))
        yield as_splits(fresh.split(X, y, **params), num_samples(X))


def _judge_on_fresh(
    table: ScoreTable,
    partitions: Iterable[Sequence[Split]],
    fits: Fits,
    *,
    metric: str,
    own_rule: bool,
) -> tuple[ScoreTable, list[Record]]:
    """Judge three candidates, then two, then one; of a rule of the user's own its winner alone.

    Gives the table with the fresh scores, and the candidate that they find the best as winner; and
    the fits of each partition.
    """
    fresh: list[FloatArray] = []
    records: list[Record] = []
    estimates = table.scores.mean(axis=0)
    estimates[table.best_index] = np.inf  # the winner is judged first, whatever rule chose it
    for number, splits in enumerate(partitions):
        some = _best(estimates, _n_judged(number, own_rule=own_rule))
        places = {Place("fresh", number, k): split for k, split in enumerate(splits)}
        pairs = [(unit, one) for unit in range(len(splits)) for one in some]
        record = fits.make(plan_later_fits(places), pairs)
        _tell_failures(record)
        records.append(record)
        fresh.append(np.full(table.n_candidates, np.nan))
        if metric in record.metrics:
            means = complete_scores(record, [*places], metric).mean(axis=1)
            fresh[number][some] = means[some]
        if np.isnan(fresh).all():
            note = "Fits on a fresh partition failed, so that nothing could be judged again."
            return replace(table, fresh=None, notes=(*table.notes, note)), records
        estimates = true_scores(table, np.array(fresh))
    best, n_fits = int(np.nanargmax(estimates)), sum(record.n_fits for record in records)
    judged = np.isfinite(fresh).sum(axis=0)
    again = ", ".join(f"{number} ({judged[number]}x)" for number in np.flatnonzero(judged))
    chosen = "the winner stays"
    if best != table.best_index:
        chosen = f"candidate {best} is now the better one, in place of {table.best_index}"
    note = (
        f"Judged again on fresh partitions, with {n_fits} more fits: candidates {again}; {chosen}."
    )
    judged_again = replace(
        table,
        fresh=np.array(fresh),
        best_index=best,
        n_fits=None if table.n_fits is None else table.n_fits + n_fits,
        notes=(*table.notes, note),
    )
    return judged_again, records


def _n_judged(number: int, *, own_rule: bool) -> int:
    """Say how many candidates are judged on a fresh partition, numbered from 0."""
    return 1 if own_rule else _CONTENDERS[min(number, len(_CONTENDERS) - 1)]


def _best(estimates: FloatArray, wanted: int) -> list[int]:
    order = np.argsort(-estimates, kind="stable")  # NaN last
    return [int(one) for one in order if not np.isnan(estimates[one])][:wanted]
