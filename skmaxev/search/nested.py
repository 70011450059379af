"""Grid search that reports its nested cross-validation score."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from os import PathLike
from typing import Any

import numpy as np
from sklearn.base import is_classifier
from sklearn.model_selection import check_cv
from sklearn.utils.metadata_routing import MethodMapping

from skmaxev.engine.inner import nest
from skmaxev.engine.plan import Nesting, Plan, as_splits, share_folds
from skmaxev.engine.record import Record
from skmaxev.report import SelectionReport
from skmaxev.scores import OuterFolds, ScoreTable
from skmaxev.search._base import BaseMaxSearch
from skmaxev.search._outer import judge_outer_folds, outer_table
from skmaxev.search._request import Request

__all__ = ["NestedCVSearch"]


class NestedCVSearch(BaseMaxSearch):
    """Docstring."""

    _method = "NESTED"
    _parameter_constraints = {  # noqa: RUF012
        **BaseMaxSearch._parameter_constraints,
        "outer_cv": ["cv_object"],
    }

    def __init__(
        self,
        estimator: Any,
        param_grid: Any,
        *,
        scoring: Any = None,
        n_jobs: int | None = None,
        refit: Any = True,
        cv: Any = None,
        verbose: int = 0,
        pre_dispatch: int | str = "2*n_jobs",
        error_score: float | str = np.nan,
        return_train_score: bool = False,
        outer_cv: Any = None,
        level: float = 0.95,
        keep_predictions: bool | str | float = "auto",
        checkpoint: str | PathLike[str] | None = None,
        share_steps: bool = True,
    ) -> None:
        super().__init__(
            estimator=estimator,
            param_grid=param_grid,
            scoring=scoring,
            n_jobs=n_jobs,
            refit=refit,
            cv=cv,
            verbose=verbose,
            pre_dispatch=pre_dispatch,
            error_score=error_score,
            return_train_score=return_train_score,
            level=level,
            keep_predictions=keep_predictions,
            checkpoint=checkpoint,
            share_steps=share_steps,
        )
        self.outer_cv = outer_cv

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

    def _nest(self, request: Request) -> Nesting | None:
        if self.outer_cv is not None:
            return self._nest_classically(request)
        shared = share_folds(request.splits)
        if shared is not None:
            return shared
        try:
            return self._nest_by_cv(request, request.splits)
        except ValueError as error:
            warnings.warn(
                f"No nested cross-validation, so best_score_ will be NaN: the {len(request.splits)} "
                f"splits of cv are no three folds that judge each row once, and {error}",
                UserWarning,
                stacklevel=2,
            )
            return None

    def _nest_classically(self, request: Request) -> Nesting:
        X, y = request.X, request.y
        outer = check_cv(self.outer_cv, y, classifier=is_classifier(self.estimator))
        splits = as_splits(outer.split(X, y, **request.outer_params), request.n_rows)
        return self._nest_by_cv(request, splits)

    def _nest_by_cv(self, request: Request, outer: Any) -> Nesting:
        return nest(
            request.cv,
            outer,
            request.X,
            request.y,
            estimator=self.estimator,
            classifier=is_classifier(self.estimator),
            params=request.split_params,
        )

    def _outer_folds(
        self, request: Request, plan: Plan, record: Record
    ) -> Mapping[str, OuterFolds]:
        if plan.nesting is None:
            return {}
        return judge_outer_folds(
            self,
            request,
            plan,
            plan.nesting,
            record,
            lambda second, pairs, found: self._run(request, second, pairs, found, {}),
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
        return "NESTED" if made else "CONSENSUS"

    def _honest_score(self, report: SelectionReport | None) -> float:
        made = report is not None and report.method == "NESTED"
        return report.estimate if made else float("nan")
