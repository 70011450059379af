"""Any search object, with an honest best score."""

from __future__ import annotations

import copy
import numbers
import warnings
from collections.abc import Callable
from typing import Any

from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone
from sklearn.utils import get_tags
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from skmaxev._compat import HasMethods, Interval, StrOptions, fit_context, routing_enabled
from skmaxev.correction import correct
from skmaxev.report import METHODS, SelectionReport
from skmaxev.search._state import check_forgets

__all__ = ["HonestSearchCV"]

_PROPERTIES = ("best_params_", "best_index_", "best_estimator_", "classes_", "n_features_in_")
"""Attributes that a search may compute when asked, so that they are not in its ``__dict__``."""


def _search_has(name: str) -> Callable[[Any], bool]:
    """Offer a method if the search offers it, fitted or not."""

    def check(self: Any) -> bool:
        getattr(self.search_ if hasattr(self, "search_") else self.search, name)
        return True

    return check


class HonestSearchCV(MetaEstimatorMixin, BaseEstimator):
    """Any search object, with a best score corrected for having been chosen.

    The search runs as it is; nothing is fitted beside it. Its fitted attributes are found on this
    object under the same names, except ``best_score_``, which is the corrected score.

    Parameters
    ----------
    search : search object
        GridSearchCV, RandomizedSearchCV, a halving search, BayesSearchCV, OptunaSearchCV, or
        another with ``cv_results_`` that holds the scores of single splits.
    method : str, default="CONSENSUS"
        Estimator behind ``best_score_``: a key of ``report_.estimates``.
    level : float, default=0.95
        Confidence level of the interval in the report.
    prefit : bool, default=False
        Whether ``search`` is fitted already; ``fit`` then only corrects it, and does not touch it.
    random_state : int, RandomState or None, default=None
        For estimators that resample. None gives the same numbers at every call.

    Attributes
    ----------
    best_score_ : float
        The honest score of the winner. With the default method it errs little either way on
        average. Higher is better, as for every ``best_score_`` of scikit-learn: a loss, as of
        LassoCV, is turned round. NaN, after a warning, where no honest number is to be had.
    naive_best_score_ : float
        What the search itself prints.
    report_ : SelectionReport or None
        Every estimator side by side, for the metric that chose the winner.
    reports_ : dict of str to SelectionReport
        One for each metric.
    search_ : search object
        The fitted search.
    n_fits_ : int or None
        Model fits made, where that is known.
    best_estimator_, best_params_, best_index_, cv_results_, ...
        As the search has them.

    See Also
    --------
    correct : The same without an object around the search.
    ShrunkSearchCV, LowVarianceCVSearch, NestedCVSearch : Grid searches with one fixed estimator.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.model_selection import RandomizedSearchCV
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> tree = DecisionTreeClassifier(random_state=0)
    >>> search = RandomizedSearchCV(tree, {"max_depth": range(1, 9)}, n_iter=5, random_state=0)
    >>> honest = HonestSearchCV(search).fit(X, y)
    >>> bool(honest.best_score_ <= honest.naive_best_score_)
    True
    """

    _parameter_constraints = {  # noqa: RUF012  # as scikit-learn declares it
        "search": [HasMethods(["fit"])],
        "method": [StrOptions(set(METHODS))],
        "level": [Interval(numbers.Real, 0, 1, closed="neither")],
        "prefit": ["boolean"],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        search: Any,
        *,
        method: str = "CONSENSUS",
        level: float = 0.95,
        prefit: bool = False,
        random_state: Any = None,
    ) -> None:
        self.search = search
        self.method = method
        self.level = level
        self.prefit = prefit
        self.random_state = random_state

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        inner = get_tags(self.search)
        if inner.estimator_type is None and hasattr(self.search, "estimator"):
            inner = get_tags(self.search.estimator)  # some searches forget what they search
        tags.estimator_type = inner.estimator_type
        tags.classifier_tags = copy.deepcopy(inner.classifier_tags)
        tags.regressor_tags = copy.deepcopy(inner.regressor_tags)
        tags.input_tags.pairwise = inner.input_tags.pairwise
        tags.input_tags.sparse = inner.input_tags.sparse
        tags.array_api_support = inner.array_api_support
        return tags

    def get_metadata_routing(self) -> Any:
        """Get the routing of metadata, all of it to the search.

        Returns
        -------
        sklearn.utils.metadata_routing.MetadataRouter
        """
        mapping = (
            MethodMapping().add(caller="fit", callee="fit").add(caller="score", callee="score")
        )
        return MetadataRouter(owner=self).add(search=self.search, method_mapping=mapping)

    @fit_context(prefer_skip_nested_validation=False)
    def fit(self, X: Any = None, y: Any = None, **params: Any) -> Any:
        """Run the search, unless it is fitted already, and correct its best score.

        Parameters
        ----------
        X, y : array-like
            Data, as the search takes it; not needed if ``prefit``.
        **params : dict
            Passed on to the search.

        Returns
        -------
        self : object
            The fitted object. An error of the search leaves it as it was.
        """
        search = self.search if self.prefit else self._run(X, y, params)
        found = {name: getattr(search, name) for name in _PROPERTIES if hasattr(search, name)}
        found |= {
            name: value
            for name, value in vars(search).items()
            if name.endswith("_") and not name.startswith("_")
        }
        self.__dict__.update({**found, "search_": search, **self._judge(search)})
        return self

    def _run(self, X: Any, y: Any, params: dict[str, Any]) -> Any:
        if routing_enabled():
            params = process_routing(self, "fit", **params)["search"]["fit"]
        own = self.search.get_params(deep=False) if hasattr(self.search, "get_params") else {}
        fitted_once = {"study", "storage"}  # of the search itself
        own = {name: value for name, value in own.items() if name not in fitted_once}
        check_forgets(own, params)
        search = _copy_of(self.search)
        return search.fit(X, **params) if y is None else search.fit(X, y, **params)

    def _judge(self, search: Any) -> dict[str, Any]:
        names = _metrics(search)
        reports = {name: self._report(search, name) for name in names if len(names) > 1}
        refit = getattr(search, "refit", None)
        judged: dict[str, Any] = {"reports_": reports, "n_fits_": None}
        if reports and not (isinstance(refit, str) and refit in reports):
            return judged  # several metrics, and none that chooses
        report = reports[str(refit)] if reports else self._report(search, None)
        judged["report_"] = report
        if report is None:
            naive = getattr(search, "best_score_", float("nan"))
            return judged | {"best_score_": float("nan"), "naive_best_score_": naive}
        sign = 1.0 if report.greater_is_better else -1.0
        judged["best_score_"] = sign * report.estimate
        judged["naive_best_score_"] = sign * report.naive
        judged["n_fits_"] = report.n_fits
        return judged

    def _report(self, search: Any, metric: str | None) -> SelectionReport | None:
        try:
            return correct(
                search,
                metric=metric,
                method=self.method,
                level=self.level,
                random_state=self.random_state,
            )
        except ValueError as error:
            warnings.warn(f"The honest score is NaN: {error}", UserWarning, stacklevel=2)
            return None

    def score(self, X: Any, y: Any = None, **params: Any) -> float:
        """Score the winner on other data, by the metric of the search.

        Parameters
        ----------
        X, y : array-like
            Data that had no part in the search.
        **params : dict
            Passed on to the search.

        Returns
        -------
        float
            Higher is better.
        """
        check_is_fitted(self)
        if routing_enabled():
            params = process_routing(self, "score", **params)["search"]["score"]
        return self.search_.score(X, y, **params)  # type: ignore[no-any-return]


def _copy_of(search: Any) -> Any:
    try:
        return clone(search)
    except TypeError as error:
        raise TypeError(
            f"search must be one that can be cloned, so that the given one is left as it is: "
            f"{error}. If its cv is an iterator, which serves once, give cv=list(...)."
        ) from error


def _metrics(search: Any) -> list[str]:
    """Name the metrics in the table of a search."""
    results = getattr(search, "cv_results_", {})
    return [key.removeprefix("split0_test_") for key in results if key.startswith("split0_test_")]


def _delegate(name: str) -> Any:
    """Make a method that calls the fitted search's method of the same name."""

    def method(self: Any, X: Any) -> Any:
        check_is_fitted(self)
        return getattr(self.search_, name)(X)

    method.__name__ = name
    method.__qualname__ = f"HonestSearchCV.{name}"
    method.__doc__ = f"""Call ``{name}`` of the best estimator found.

    Parameters
    ----------
    X : array-like
        Data, as the estimator takes it.

    Returns
    -------
    object
        As the estimator gives it.
    """
    return available_if(_search_has(name))(method)


for _name in (
    "predict",
    "predict_proba",
    "predict_log_proba",
    "decision_function",
    "score_samples",
    "transform",
    "inverse_transform",
):
    setattr(HonestSearchCV, _name, _delegate(_name))
