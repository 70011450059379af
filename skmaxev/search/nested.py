"""Search that reports its nested cross-validation score, and the folds inside folds."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import check_cv

from skmaxev._compat import select_best_index
from skmaxev.engine.plan import Plan, make_plan, plan_later_fits, share_folds
from skmaxev.engine.record import Record, report_nested_failures
from skmaxev.engine.splits import SplitError, as_splits, fresh_copy, nest, split_rows
from skmaxev.engine.types import Nesting, Place
from skmaxev.search._base import BaseMaxSearch
from skmaxev.search._fits import Fits
from skmaxev.search._outcome import (
    NOBODY,
    Outcome,
    choose,
    choose_winner,
    complete_scores,
    honest_or_warn,
    outcome_of,
    search_results,
)
from skmaxev.search._request import Request
from skmaxev.table import OuterFolds, ScoreTable, UncorrectableError

__all__ = ["NestedCVSearch", "folds_within", "nested_folds", "search_nested", "with_full_form"]

FloatArray = NDArray[np.float64]
_CURE = "Give cv as three or more folds that judge each row once, or outer folds as outer_cv."
_CURE_WITHIN = "Use fewer folds inside, folds of cv that judge more rows, or inner_cv=None."


@dataclass(eq=False, repr=False, kw_only=True)
class NestedCVSearch(BaseMaxSearch):
    """Search that reports its nested cross-validation score.

    The winner of every outer fold is chosen without the fold and judged on it. By default the outer
    folds are those of the search, and inside fold k the other folds choose: the model trained
    without folds i and j then serves both, which leaves ``M (K + K (K - 1) / 2) + 1`` fits for
    M candidates and K folds. The numbers are those of scikit-learn's own recipe to the last bit.

    Parameters
    ----------
    estimator, param_grid, n_iter, random_state, scoring, n_jobs, refit, cv, verbose, \
pre_dispatch, error_score, return_train_score, level, keep_predictions, checkpoint, share_steps, \
share_submodels, prefit
        As for `HonestSearchCV`.
    outer_cv : int, splitter or iterable, optional
        None shares the folds of ``cv`` where they judge each row once and are three or more,
        also within each repeat of repeated folds; other splits, such as those of a time series,
        are the outer folds, and ``cv`` splits their training rows. Anything else gives
        classical nested cross-validation, equal to
        ``cross_val_score(GridSearchCV(estimator, param_grid, cv=cv), X, y, cv=outer_cv)``. A
        search object runs anew in each outer fold, of which there are five if none are given.

    Attributes
    ----------
    best_score_ : float
        Mean score of the outer folds: the average true score of a winner found this way, on
        somewhat fewer rows, so that it errs slightly downwards. It belongs to the procedure,
        not to one model. NaN where an outer fold has no score.
    outer_scores_ : ndarray of shape (n_outer,)
        Score of each outer fold's winner.
    outer_results_ : dict
        For each outer fold its winner, rows and scores, as ``pandas.DataFrame`` takes it.
    naive_best_score_, report_, reports_, search_, n_fits_, best_estimator_, cv_results_, ...
        As of `HonestSearchCV`.

    Raises
    ------
    ValueError
        By ``fit``, before the first model fit, if ``outer_cv`` is given and the training rows of
        an outer fold cannot be split: too few rows, groups or members of a class, or a ``cv``
        that is a list of splits. Without ``outer_cv`` this is a warning, and ``best_score_`` NaN.
        Before the first fit too, if the model is a search that remembers other fits, such as one
        with an Optuna study in a database.

    References
    ----------
    .. [1] H. van Hasselt (2013), Eq. 10. arXiv:1302.7175.
    .. [2] S. Varma and R. Simon (2006). Bias in error estimation when using cross-validation for
       model selection. BMC Bioinformatics 7, 91.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.svm import SVC
    >>> X, y = load_iris(return_X_y=True)
    >>> search = NestedCVSearch(SVC(), {"C": [0.1, 1, 10]}, cv=5).fit(X, y)
    >>> round(float(search.naive_best_score_), 3), round(search.best_score_, 3)
    (0.98, 0.98)
    >>> search.n_fits_
    46
    """

    method = "NESTED"
    _parameter_constraints: ClassVar = {
        **BaseMaxSearch._parameter_constraints,  # noqa: SLF001  # inherited
        "outer_cv": ["cv_object"],
    }

    outer_cv: Any = None

    def _search(self, request: Request, fits: Fits) -> Outcome:
        return search_nested(request, fits)


def search_nested(request: Request, fits: Fits) -> Outcome:
    """Fit for the search and the folds inside its folds, and judge the winner of each fold."""
    plan = make_plan(request.splits, nested_folds(request))
    record = fits.search(request, plan)
    found = choose_winner(request, record)
    outer = judge_outer_folds(request, plan, record, fits)
    return outcome_of(request, record, found, fits.responses, outer)


def nested_folds(request: Request) -> Nesting | None:
    """Make the outer folds and the splits inside them; None, after a warning, if it cannot be."""
    if request.outer_cv is not None:
        outer = check_cv(request.outer_cv, request.y, classifier=request.classes is not None)
        splits = outer.split(request.X, request.y, **request.outer_params)
        return nest(request.cv, as_splits(splits, request.n_rows), **_data(request))
    try:
        return _folds_of_the_search(request, _CURE)
    except SplitError as error:
        warnings.warn(
            "No nested cross-validation, so best_score_ will be NaN: the "
            f"{len(request.splits)} splits of cv are no three folds that judge each row once, "
            f"which could be shared, and as outer folds they cannot be used either: {error}",
            UserWarning,
            stacklevel=2,
        )
        return None


def folds_within(request: Request) -> Nesting:
    """Split the judged rows of every fold too, for the full form of the low-variance estimate."""
    nesting = _folds_of_the_search(request, _CURE_WITHIN)
    within = tuple(
        split_rows(
            fresh_copy(request.inner_cv),
            fold.test,
            name=f"inner_cv cannot split the judged rows of fold {number}",
            cure=_CURE_WITHIN,
            **_data(request),
        )
        for number, fold in enumerate(nesting.outer)
    )
    return replace(nesting, within=within)


def _folds_of_the_search(request: Request, cure: str) -> Nesting:
    shared = share_folds(request.splits)
    return shared or nest(request.cv, request.splits, cure=cure, **_data(request))


def _data(request: Request) -> dict[str, Any]:
    return {
        "X": request.X,
        "y": request.y,
        "estimator": request.estimator,
        "classifier": request.classes is not None,
        "params": request.split_params,
    }


def inner_places(nesting: Nesting, level: str, fold: int) -> list[Place]:
    """List the places of the splits inside one outer fold."""
    splits = (nesting.inner if level == "inner" else nesting.within)[fold]
    return [Place(level, fold, number) for number in range(len(splits))]


def with_full_form(outcome: Outcome, nesting: Nesting) -> dict[str, ScoreTable]:
    """Add the low-variance estimate in its full form to the tables of a search."""
    note = "LVCV in its full form: chosen by cross-validation inside each fold, judged on the rest."
    tables = {}
    for metric, table in outcome.tables.items():
        if table.used.size == 1:  # nothing was chosen
            tables[metric] = table
            continue
        with honest_or_warn():
            value = _full_form(outcome.record, nesting, metric)
            tables[metric] = replace(table, low_variance=value, notes=(*table.notes, note))
    return tables


def _full_form(record: Record, nesting: Nesting, metric: str) -> float:
    """Choose inside each fold by cross-validation, and judge by cross-validation on the rest.

    Mean over folds; tied candidates share. Errs downwards on average.

    References
    ----------
    .. [1] H. van Hasselt (2013), Eqs. 9 and 10. arXiv:1302.7175.
    """
    values = []
    for k in range(len(nesting.outer)):
        arguments, judged = (
            complete_scores(record, inner_places(nesting, level, k), metric).mean(axis=1)
            for level in ("within", "inner")
        )
        usable = np.isfinite(arguments) & np.isfinite(judged)
        if not usable.any():
            raise UncorrectableError(
                f"no candidate has all its scores inside fold {k}. Use fewer folds inside."
            )
        top = arguments[usable].max()
        tied = usable & np.isclose(arguments, top, rtol=1e-12, atol=0.0)
        values.append(judged[tied].mean())
    return float(np.mean(values))


def judge_outer_folds(
    request: Request, plan: Plan, record: Record, fits: Fits
) -> dict[str, OuterFolds]:
    """Choose in every outer fold and judge its winner, for each metric; empty without such folds.

    Fits of winners that ``record`` lacks are made, and counted there. A fold has score NaN if no
    candidate has all its scores inside the fold, although there is a choice, or if the winner's own
    fit or score failed.
    """
    nesting = plan.nesting
    if nesting is None:
        return {}
    folds = range(len(nesting.outer))
    winners = {
        metric: [
            _choose_inside(request, record, inner_places(nesting, "inner", k), metric)
            for k in folds
        ]
        for metric in record.metrics
    }
    second = plan_later_fits({Place("outer", k, 0): nesting.outer[k] for k in plan.outer_refits})
    pairs = {
        (number, chosen[k])
        for number, k in enumerate(plan.outer_refits)
        for chosen in winners.values()
        if chosen[k] != NOBODY
    }
    refits = fits.make(second, sorted(pairs))
    record.count(refits)
    report_nested_failures(refits, second, plan.splits, request.classes)
    sources = [refits if k in plan.outer_refits else record for k in folds]
    outer = {
        metric: OuterFolds(
            scores=_outer_scores(sources, nesting, record, metric, chosen),
            best_index=np.array(chosen, dtype=np.intp),
            n_train=np.array([len(split.train) for split in nesting.outer]),
            n_test=np.array([len(split.test) for split in nesting.outer]),
            inner=_inner_scores(record, nesting, metric),
            shared=nesting.shared,
        )
        for metric, chosen in winners.items()
    }
    if not (record.errors or record.failures):  # or it is told already
        _warn_of_empty_folds(request, record, outer)
    return outer


def _choose_inside(request: Request, record: Record, places: Sequence[Place], metric: str) -> int:
    """Choose a candidate by the splits inside one outer fold.

    A callable ``refit`` gets the table that a search inside the fold would have made. Where it
    fails there, nobody is chosen, after a warning.
    """
    if not callable(request.refit):
        return choose(record.scores(places, metric))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # about scores that are not finite
        results = search_results(request, record, places)
    try:
        return int(select_best_index(request.refit, metric, results))
    except Exception as error:  # a user's function may raise anything
        if request.error_score == "raise" and request.outer_cv is not None:
            raise
        warnings.warn(
            f"refit chose nobody inside outer fold {places[0].outer}, with {len(places)} inner "
            f"splits: {type(error).__name__}: {error}",
            UserWarning,
            stacklevel=2,
        )
        return NOBODY


def _outer_scores(
    sources: Sequence[Record],
    nesting: Nesting,
    record: Record,
    metric: str,
    winners: Sequence[int],
) -> FloatArray:
    scores = np.full(len(winners), np.nan)
    for k, (source, winner) in enumerate(zip(sources, winners, strict=True)):
        if winner == NOBODY or metric not in source.metrics:
            continue
        inside = complete_scores(record, inner_places(nesting, "inner", k), metric)
        if len(inside) == 1 or np.isfinite(inside).all(axis=1).any():
            scores[k] = complete_scores(source, [Place("outer", k, 0)], metric)[winner, 0]
    return scores


def _warn_of_empty_folds(request: Request, record: Record, outer: Mapping[str, OuterFolds]) -> None:
    """Warn where some outer fold has no score, if scikit-learn did not warn of others."""
    primary = request.primary(record)
    if primary is None:
        return
    empty = np.flatnonzero(~np.isfinite(outer[primary].scores))
    if empty.size and np.isfinite(record.scores(request.places, primary)).all():
        warnings.warn(
            f"best_score_ is NaN: outer folds {empty.tolist()} have no score. Either no "
            "candidate has a score on every split inside, or the winner has none outside.",
            UserWarning,
            stacklevel=2,
        )


def _inner_scores(record: Record, nesting: Nesting, metric: str) -> FloatArray:
    """Gather the inner scores, (n_outer, n_inner, n_candidates), NaN where there is none."""
    most = max(len(splits) for splits in nesting.inner)
    inner = np.full((len(nesting.inner), most, record.n_candidates), np.nan)
    for k, splits in enumerate(nesting.inner):
        inner[k, : len(splits)] = complete_scores(
            record, inner_places(nesting, "inner", k), metric
        ).T
    return inner
