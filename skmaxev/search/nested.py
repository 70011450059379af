"""Search that reports its nested cross-validation score."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from sklearn.base import is_classifier
from sklearn.metrics import check_scoring
from sklearn.model_selection import check_cv
from sklearn.utils.metadata_routing import MethodMapping

from skmaxev.engine.inner import nest
from skmaxev.engine.plan import Nesting, Plan, as_splits, share_folds
from skmaxev.engine.record import Record
from skmaxev.report import SelectionReport
from skmaxev.search._base import BaseMaxSearch
from skmaxev.search._classical import judge_search
from skmaxev.search._outer import judge_outer_folds, outer_table
from skmaxev.search._request import Request
from skmaxev.search._state import check_forgets
from skmaxev.search._tables import search_places
from skmaxev.table import OuterFolds, ScoreTable

__all__ = ["NestedCVSearch"]

_CURE = "Give cv as three or more folds that judge each row once, or outer folds as outer_cv."


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

    _method: ClassVar[str] = "NESTED"
    _parameter_constraints: ClassVar = {
        **BaseMaxSearch._parameter_constraints,  # noqa: SLF001  # inherited
        "outer_cv": ["cv_object"],
    }

    outer_cv: Any = None

    def get_metadata_routing(self) -> Any:
        """Get the routing of metadata: estimator, scorer, ``cv``, and ``outer_cv`` if it is set.

        Returns
        -------
        sklearn.utils.metadata_routing.MetadataRouter
        """
        router = super().get_metadata_routing()
        if self.outer_cv is None:
            return router
        mapping = MethodMapping().add(caller="fit", callee="split")
        return router.add(outer_splitter=self.outer_cv, method_mapping=mapping)

    def _correct_search(self, X: Any, y: Any, params: Mapping[str, Any]) -> dict[str, Any]:
        found = super()._correct_search(X, y, params)
        table = getattr(found.get("report_"), "table", None)
        if table is None or table.outer is None:
            return found
        results = outer_table(table.outer, table.params or ())
        return found | {"outer_scores_": table.outer.scores, "outer_results_": results}

    def _outer_folds_of_search(self, X: Any, y: Any, params: Mapping[str, Any]) -> Any:
        check_forgets({"estimator": self.estimator}, params)
        folds = judge_search(
            self.estimator,
            X,
            y,
            outer_cv=self.outer_cv,
            params=params,
            n_jobs=self.n_jobs,
            verbose=self.verbose,
        )
        metric = getattr(self.estimator, "refit", None)
        return {"score": folds} | ({metric: folds} if isinstance(metric, str) else {})

    def _nest(self, request: Request) -> Nesting | None:
        if self.outer_cv is not None:
            return self._nest_classically(request)
        shared = share_folds(request.splits)
        if shared is not None:
            return shared
        try:
            return self._nest_by_cv(request, request.splits, cure=_CURE)
        except ValueError as error:
            warnings.warn(
                "No nested cross-validation, so best_score_ will be NaN: the "
                f"{len(request.splits)} splits of cv are no three folds that judge each row once, "
                f"which could be shared, and as outer folds they cannot be used either: {error}",
                UserWarning,
                stacklevel=2,
            )
            return None

    def _nest_classically(self, request: Request) -> Nesting:
        X, y = request.X, request.y
        outer = check_cv(self.outer_cv, y, classifier=is_classifier(self.estimator))
        splits = as_splits(outer.split(X, y, **request.outer_params), request.n_rows)
        return self._nest_by_cv(request, splits)

    def _nest_by_cv(self, request: Request, outer: Any, **message: str) -> Nesting:
        return nest(
            request.cv,
            outer,
            request.X,
            request.y,
            estimator=self.estimator,
            classifier=is_classifier(self.estimator),
            params=request.split_params,
            **message,
        )

    def _forgiving_scorer(self) -> Any:
        if self.outer_cv is not None or self.error_score != "raise":
            return None
        return check_scoring(self.estimator, self.scoring, raise_exc=False)

    def _outer_folds(
        self, request: Request, plan: Plan, record: Record
    ) -> Mapping[str, OuterFolds]:
        if plan.nesting is None:
            return {}
        found = judge_outer_folds(
            self,
            request,
            plan,
            plan.nesting,
            record,
            lambda second, pairs, outside: self._run(request, second, pairs, outside, {}),
        )
        if not (record.errors or record.failures):  # or it is told already
            self._tell_of_empty_folds(request, record, found)
        return found

    def _tell_of_empty_folds(
        self, request: Request, record: Record, outer: Mapping[str, OuterFolds]
    ) -> None:
        """Warn where some outer fold has no score, if scikit-learn did not warn of others."""
        primary = self._primary(record)
        if primary is None:
            return
        own = record.scores(search_places(request), primary)
        empty = np.flatnonzero(~np.isfinite(outer[primary].scores))
        if empty.size and np.isfinite(own).all():
            warnings.warn(
                f"best_score_ is NaN: outer folds {empty.tolist()} have no score. Either no "
                "candidate has a score on every split inside, or the winner has none outside.",
                UserWarning,
                stacklevel=2,
            )

    def _about_outer(
        self, request: Request, outer: Mapping[str, OuterFolds], primary: str | None
    ) -> dict[str, Any]:
        if primary is None or primary not in outer:
            return {}
        return {
            "outer_scores_": outer[primary].scores,
            "outer_results_": outer_table(outer[primary], request.candidates),
        }

    def _method_for(self, table: ScoreTable) -> str:
        made = table.outer is not None and np.isfinite(table.outer.scores).all()
        return self._method if made else "CONSENSUS"

    def _honest_score(self, report: SelectionReport | None) -> float:
        if report is None or report.method != self._method:
            return float("nan")
        return report.estimate
