"""The frame of all searches: GridSearchCV's contract on the fit engine, and three ways in."""

from __future__ import annotations

import numbers
import sys
from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import KW_ONLY, dataclass, fields, replace
from os import PathLike
from typing import Any, ClassVar

import numpy as np
from sklearn.base import clone
from sklearn.metrics import check_scoring
from sklearn.model_selection import GridSearchCV
from sklearn.utils import get_tags
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing

from skmaxev._compat import Interval, StrOptions, fit_context, has_callbacks, routing_enabled
from skmaxev.correction import report_of
from skmaxev.engine.types import Job
from skmaxev.integrations.mlflow import autologged
from skmaxev.report import SelectionReport
from skmaxev.search._fits import Fits, Progress, fit_winner, shared_work
from skmaxev.search._objects import (
    check_is_plain,
    copy_of_search,
    fitted_attributes,
    judge_search,
    metrics_of_search,
    read_table,
)
from skmaxev.search._outcome import (
    Outcome,
    attributes_of_outer_folds,
    honest_or_warn,
    responses_of,
)
from skmaxev.search._request import Request, request_of
from skmaxev.table import OuterFolds, ScoreTable, mean_scores

__all__ = ["BaseMaxSearch"]

Reports = dict[str, SelectionReport | None]
_NO_FOLDS: Any = None


@dataclass(eq=False, repr=False)  # the parameters of __init__, which only stores them
class BaseMaxSearch(GridSearchCV):
    """Search that fits by a plan and reports an honest best score.

    An estimator with candidates is searched here; an estimator that is itself a search runs as it
    is. Subclasses differ in ``method``, the estimate that they report, and in ``_search``, which
    adds what it needs.
    """

    _parameter_constraints: ClassVar = {
        **GridSearchCV._parameter_constraints,  # noqa: SLF001  # inherited
        "param_grid": [dict, list, None],
        "n_iter": [Interval(numbers.Integral, 1, None, closed="left"), None],
        "random_state": ["random_state"],
        "level": [Interval(numbers.Real, 0, 1, closed="neither")],
        "keep_predictions": ["boolean", StrOptions({"auto"})],
        "checkpoint": [str, PathLike, None],
        "share_steps": ["boolean"],
        "share_submodels": ["boolean"],
        "prefit": ["boolean"],
    }

    estimator: Any
    param_grid: Any = None
    _: KW_ONLY
    n_iter: int | None = None
    random_state: Any = None
    scoring: Any = None
    n_jobs: int | None = None
    refit: Any = True
    cv: Any = None
    verbose: int = 0
    pre_dispatch: int | str = "2*n_jobs"
    error_score: float | str = np.nan
    return_train_score: bool = False
    level: float = 0.95
    keep_predictions: bool | str = "auto"
    checkpoint: str | PathLike[str] | None = None
    share_steps: bool = True
    share_submodels: bool = True
    prefit: bool = False

    method = "CONSENSUS"
    inner_cv = outer_cv = _NO_FOLDS  # parameters of single subclasses
    n_judge_again = 0

    @fit_context(prefer_skip_nested_validation=False)
    def fit(self, X: Any = None, y: Any = None, **params: Any) -> Any:
        """Search, refit the winner on all rows, and estimate what it is really worth.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features) or (n_samples, n_samples)
            Data of any kind that the estimator takes; it is never converted. Not needed if
            ``prefit``.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs), optional
            Target; None for unsupervised learning.
        **params : dict
            Parameters for the estimator's ``fit``, the scorer and the splitters, as in
            ``GridSearchCV``. Those with one entry for each row are cut along at every level.

        Returns
        -------
        self : object
            The fitted search. An error or an interrupt leaves it without a fit.
        """
        for name in [name for name in vars(self) if name.endswith("_")]:
            delattr(self, name)  # an old model must not pass for one with new parameters
        fit = self._fit_object if self.param_grid is None else self._fit_candidates
        with autologged(self) if "mlflow.sklearn" in sys.modules else nullcontext():
            self.__dict__.update(fit(X, y, params))
        return self

    def _fit_candidates(self, X: Any, y: Any, params: Mapping[str, Any]) -> dict[str, Any]:
        """Search by a plan of our own; give the fitted attributes."""
        request = request_of(self, X, y, params)
        progress = self._progress(request, params)
        with self._fits(request, progress) as fits, progress:
            outcome = self._search(request, fits)
            primary = request.primary(outcome.record)
            reports = self._reports(outcome)
            found = outcome.found | self._attributes(outcome, reports, primary)
            # last of all: a model may write into the data, and these are not cut for it
            if self.refit:
                found |= fit_winner(request, found["best_params_"], progress)
            fits.keep_tables(outcome.tables, primary=primary, source=request.source)
        return found

    def _search(self, request: Request, fits: Fits) -> Outcome:
        """Plan the fits that the estimate needs, make them, and read what they gave."""
        raise NotImplementedError

    def _fits(self, request: Request, progress: Progress) -> Fits:
        """Make what makes fits, of what all fits share."""
        forgiving = None  # errors of folds that nobody asked for shall not end the search
        if self.method == "NESTED" and self.outer_cv is None and self.error_score == "raise":
            forgiving = check_scoring(self.estimator, self.scoring, raise_exc=False)
        train = "all" if callable(self.refit) else "search"
        job = Job(
            estimator=clone(self.estimator),
            scorer=request.scorer,
            fit_params=request.fit_params,
            score_params=request.score_params,
            error_score=self.error_score,
            forgiving_scorer=forgiving,
            train_scores=train if self.return_train_score else "none",
            verbose=self.verbose,
            n_splits=len(request.splits),
            n_candidates=len(request.candidates),
            keep=request.responses[0],
            caller=self if has_callbacks(self) else None,
        )
        return Fits(
            job,
            request.X,
            request.y,
            request.candidates,
            checkpoint=self.checkpoint,
            responses=responses_of(request),
            progress=progress,
            n_jobs=self.n_jobs,
            pre_dispatch=self.pre_dispatch,
            **shared_work(request),
        )

    def _progress(self, request: Request, params: Mapping[str, Any]) -> Progress:
        if has_callbacks(self):
            self.n_splits_ = len(request.splits)  # they ask for it
        weight = params.get("sample_weight")
        metadata = None if weight is None else {"sample_weight": weight}
        n_tasks = 1 + (self.refit is not False)
        return Progress(self, request.X, request.y, metadata, n_tasks=n_tasks)

    def _reports(self, outcome: Outcome) -> Reports:
        """Estimate what the winner of each metric is worth; None where that cannot be done."""
        reports: Reports = dict.fromkeys(outcome.record.metrics)
        for metric, table in outcome.tables.items():
            with honest_or_warn():
                reports[metric] = self._report(table)
        return reports

    def _report(self, table: ScoreTable) -> SelectionReport:
        """Report by the method of the search, or by the consensus where it cannot judge."""
        usable = True
        if self.method == "NESTED":
            usable = table.outer is not None and bool(np.isfinite(table.outer.scores).all())
        elif self.method == "LVCV" and callable(self.refit):
            means = mean_scores(table.used_scores)
            usable = bool(means[table.used_best_index] >= means.max())
        method = self.method if usable else "CONSENSUS"
        return report_of(table, method, self.level)

    def _attributes(
        self, outcome: Outcome, reports: Reports, primary: str | None
    ) -> dict[str, Any]:
        """Give the fitted attributes that GridSearchCV lacks, or has of the first winner."""
        record, found, tables, outer = outcome
        own = {
            "n_fits_": record.n_fits + bool(self.refit),
            "n_restored_": record.n_restored,
            "n_steps_reused_": record.n_reused,
            "n_submodels_": record.n_derived,
            "reports_": reports,
        }
        if primary is None:
            return own
        best = found["best_index_"]
        if primary in tables:
            best = tables[primary].best_index  # another, where candidates were judged again
            own |= {"best_index_": best, "best_params_": found["cv_results_"]["params"][best]}
        own |= attributes_of_outer_folds(outer.get(primary), found["cv_results_"]["params"])
        naive = found["cv_results_"][f"mean_test_{primary}"][best]
        return own | self._about(reports[primary], naive)

    def _about(self, report: SelectionReport | None, naive: float) -> dict[str, Any]:
        """Give the fitted attributes of the metric that chose; losses are turned round.

        Nothing takes the place of a nested score that cannot be had.
        """
        honest = np.nan
        if report is not None and not (self.method == "NESTED" and report.method != self.method):
            honest = report.estimate if report.greater_is_better else -report.estimate
        return {"report_": report, "best_score_": honest, "naive_best_score_": naive}

    def _fit_object(self, X: Any, y: Any, params: Mapping[str, Any]) -> dict[str, Any]:
        """Run the search that was given; give its fitted attributes, best score corrected."""
        if self.n_judge_again:
            raise ValueError(
                "n_judge_again needs candidates of our own, since it comes before the refit; got a "
                "search object. Give param_grid, or call judge_again after the search."
            )
        defaults = {field.name: field.default for field in fields(self)}
        check_is_plain(self.get_params(deep=False), defaults, type(self.estimator).__name__)
        if routing_enabled() and params:
            params = process_routing(self, "fit", **params)["estimator"]["fit"]
        outer: dict[str, OuterFolds] = {}
        if self.method == "NESTED":
            how = {"outer_cv": self.outer_cv, "n_jobs": self.n_jobs, "verbose": self.verbose}
            outer = judge_search(self.estimator, X, y, params=params, **how)
        search = self.estimator if self.prefit else self._run_object(X, y, params)
        names, primary = metrics_of_search(search)
        reports: Reports = dict.fromkeys(names)
        for name in names:
            with honest_or_warn():
                table = read_table(search, name if len(names) > 1 else None, outer.get(name))
                reports[name] = self._report(table)
        found = fitted_attributes(search) | {"search_": search, "n_fits_": None}
        found["reports_"] = reports if len(reports) > 1 else {}
        if primary is None:
            return found
        naive, report = found.get("best_score_", np.nan), reports[primary]
        if report is not None:
            naive = report.naive if report.greater_is_better else -report.naive
            found["n_fits_"] = report.n_fits
        found |= attributes_of_outer_folds(outer.get(primary), ())
        return found | self._about(report, naive)

    def _run_object(self, X: Any, y: Any, params: Mapping[str, Any]) -> Any:
        search = copy_of_search(self.estimator, params)
        with Progress(self, X, y, n_tasks=1) as progress, progress.fit_of(search, "search"):
            search.fit(*((X,) if y is None else (X, y)), **params)
        return search  # the fit of some libraries returns None

    def score(self, X: Any, y: Any = None, **params: Any) -> float:
        """Score the winner on other data, by the metric of the search.

        Parameters
        ----------
        X, y : array-like
            Data that had no part in the search.
        **params : dict
            Parameters for the scorer, with metadata routing.

        Returns
        -------
        float
            Higher is better.
        """
        if not hasattr(self, "search_"):
            return super().score(X, y, **params)  # type: ignore[no-any-return]
        if routing_enabled():
            params = process_routing(self, "score", **params)["estimator"]["score"]
        return self.search_.score(X, y, **params)  # type: ignore[no-any-return]

    def get_metadata_routing(self) -> Any:
        """Get the routing of metadata: as of GridSearchCV, or all to a search that was given.

        Returns
        -------
        sklearn.utils.metadata_routing.MetadataRouter
            With the splitter ``outer_cv``, if it is set.
        """
        if self.param_grid is not None:
            router = super().get_metadata_routing()
        else:
            mapping = MethodMapping().add(caller="fit", callee="fit")
            mapping = mapping.add(caller="score", callee="score")
            router = MetadataRouter(owner=self).add(
                estimator=self.estimator, method_mapping=mapping
            )
        if self.outer_cv is None:
            return router
        mapping = MethodMapping().add(caller="fit", callee="split")
        return router.add(outer_splitter=self.outer_cv, method_mapping=mapping)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        if tags.estimator_type is None and hasattr(self.estimator, "estimator"):
            inner = get_tags(self.estimator.estimator)  # some searches forget what they search
            tags.estimator_type = inner.estimator_type
            tags.classifier_tags = inner.classifier_tags
            tags.regressor_tags = inner.regressor_tags
        return tags

    def __getstate__(self) -> Any:
        """Leave the results of single rows out of a pickle, unless they were asked for."""
        state = super().__getstate__()
        if self.keep_predictions is True or "reports_" not in state:
            return state
        bare = {name: without_rows(report) for name, report in state["reports_"].items()}
        state = {**state, "reports_": bare}
        return state | ({"report_": without_rows(state["report_"])} if "report_" in state else {})


def without_rows(report: SelectionReport | None) -> SelectionReport | None:
    """Return the report with its numbers as they are, and no results of single rows."""
    if report is None or report.table is None:
        return report
    return replace(report, table=replace(report.table, rows=None))
