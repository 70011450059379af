"""How many model fits a search will make."""

from __future__ import annotations

from typing import Any, Self

from sklearn.base import clone, is_classifier
from sklearn.model_selection import (
    GridSearchCV,
    ParameterGrid,
    ParameterSampler,
    RandomizedSearchCV,
    check_cv,
)

from skmaxev._compat import check_method_params, safe_split
from skmaxev.engine.plan import make_plan
from skmaxev.engine.submodels import count_derived
from skmaxev.search._base import BaseMaxSearch
from skmaxev.search._fits import shared_work
from skmaxev.search._request import Request, request_of
from skmaxev.search.judge_again import n_fresh_fits
from skmaxev.search.nested import NestedCVSearch, folds_within, nested_folds

__all__ = ["planned_fits"]


class PlannedFits(int):
    """A number of model fits, of which ``n_submodels`` are derived from others."""

    n_submodels: int

    def __new__(cls, n_fits: int, n_submodels: int = 0) -> Self:
        planned = super().__new__(cls, n_fits)
        planned.n_submodels = n_submodels
        return planned


def planned_fits(search: Any, X: Any, y: Any = None, **fit_params: Any) -> PlannedFits:
    """Count the model fits that ``search.fit(X, y, **fit_params)`` will make, without making any.

    Parameters
    ----------
    search : search object
        One of this package, in any of its three ways, GridSearchCV or RandomizedSearchCV; it is
        left as it is.
    X, y : array-like
        The data, as for ``fit``.
    **fit_params : dict
        As for ``fit``; ``groups`` among them.

    Returns
    -------
    PlannedFits
        An int, with the winner's fit on all rows. Equal to ``n_fits_`` after the search; only where
        nested cross-validation with an ``outer_cv`` of its own scores several metrics may
        metrics choose different winners in an outer fold, each of which is one more fit. Its
        ``n_submodels`` of them are derived from others and cost next to nothing; fewer where there
        are more workers than fits to share.

    Raises
    ------
    TypeError
        If the search is of another kind, or its ``cv`` can be used only once.
    ValueError
        As ``fit``, if the data cannot be split so.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.svm import SVC
    >>> from skmaxev import NestedCVSearch
    >>> X, y = load_iris(return_X_y=True)
    >>> planned_fits(NestedCVSearch(SVC(), {"C": [0.1, 1, 10]}, cv=5), X, y)
    46
    """
    if isinstance(search, BaseMaxSearch) and search.param_grid is None:
        return _of_search_object(search, X, y, fit_params)
    try:
        search = clone(search)
    except TypeError as error:
        raise TypeError(f"search must be an estimator that can be cloned: {error}") from error
    if isinstance(search, BaseMaxSearch):
        return _of_request(request_of(search, X, y, fit_params))
    n_candidates = _n_candidates(search)
    cv = check_cv(search.cv, y, classifier=is_classifier(search.estimator))
    n_splits = cv.get_n_splits(X, y, fit_params.get("groups"))
    return PlannedFits(n_candidates * int(n_splits) + bool(search.refit))


def _of_request(request: Request) -> PlannedFits:
    nesting = nested_folds(request) if request.method == "NESTED" else None
    nesting = nesting if request.inner_cv is None else folds_within(request)
    plan = make_plan(request.splits, nesting)
    n_fits = plan.n_fits(len(request.candidates), refit=bool(request.refit))
    derived = count_derived(shared_work(request)["submodels"])
    return PlannedFits(n_fits + n_fresh_fits(request), derived * len(plan.units))


def _of_search_object(search: BaseMaxSearch, X: Any, y: Any, params: dict[str, Any]) -> PlannedFits:
    """Count the fits of the search that was given, and of its copies in outer folds."""
    given = search.estimator
    counts = [] if search.prefit else [planned_fits(given, X, y, **params)]
    if isinstance(search, NestedCVSearch):
        outer = check_cv(search.outer_cv, y, classifier=is_classifier(given))
        for train, _ in outer.split(X, y, params.get("groups")):
            own = check_method_params(X, params, indices=train)
            counts.append(planned_fits(given, *safe_split(given, X, y, train), **own))
    return PlannedFits(sum(counts), sum(count.n_submodels for count in counts))


def _n_candidates(search: Any) -> int:
    if isinstance(search, GridSearchCV):
        return len(ParameterGrid(search.param_grid))
    if isinstance(search, RandomizedSearchCV):
        return len(ParameterSampler(search.param_distributions, search.n_iter))
    raise TypeError(
        "search must be a search of this package, GridSearchCV or RandomizedSearchCV; "
        f"got {type(search).__name__}, which decides on its fits as it goes."
    )
