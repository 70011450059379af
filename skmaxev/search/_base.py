"""The frame of all searches: GridSearchCV's contract on the fit engine, and three ways in."""

from __future__ import annotations

import numbers
import warnings
from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass, fields
from functools import partial
from os import PathLike
from typing import Any, ClassVar

import numpy as np
from sklearn.base import clone
from sklearn.metrics import check_scoring
from sklearn.model_selection import GridSearchCV
from sklearn.utils import get_tags, indexable
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing

from skmaxev._compat import (
    Interval,
    StrOptions,
    check_method_params,
    fit_context,
    has_callbacks,
    routing_enabled,
    scorers_of,
    select_best_index,
)
from skmaxev.engine.plan import make_plan
from skmaxev.engine.record import SINGLE, Record
from skmaxev.engine.splits import fresh_copy
from skmaxev.engine.submodels import count_derived
from skmaxev.engine.types import Job, Nesting
from skmaxev.integrations.mlflow import autologged
from skmaxev.report import SelectionReport
from skmaxev.search._choice import search_results
from skmaxev.search._fits import (
    check_repeatable,
    fit_plan,
    fit_winner,
    keep_tables,
    make_fits,
    open_store,
    shared_work,
)
from skmaxev.search._fresh import check_fresh, judge_before_refit, n_fresh_fits
from skmaxev.search._given import (
    check_is_plain,
    copy_of_search,
    fitted_attributes,
    judge_search,
    metrics_of_search,
    read_table,
)
from skmaxev.search._outer import attributes_of_outer_folds, judge_outer_folds, nested_folds
from skmaxev.search._progress import Progress
from skmaxev.search._reports import honest_score, report_of, with_full_form
from skmaxev.search._request import Request, candidates_of, is_random, make_splits
from skmaxev.search._state import check_forgets
from skmaxev.search._tables import (
    honest_or_warn,
    response_kind,
    responses_to_keep,
    tables_of,
    with_rows,
    without_rows,
)
from skmaxev.table import ScoreTable

__all__ = ["BaseMaxSearch"]

Reports = dict[str, SelectionReport | None]
_NO_FOLDS: Any = None


@dataclass(eq=False, repr=False)  # the parameters of __init__, which only stores them
class BaseMaxSearch(GridSearchCV):
    """Search that fits by a plan and reports an honest best score.

    An estimator with candidates is searched here; an estimator that is itself a search runs as it
    is. Subclasses differ in ``method``, the estimate that they report, and in what it needs:
    ``inner_cv``, ``outer_cv``.
    """

    _parameter_constraints: ClassVar = {
        **GridSearchCV._parameter_constraints,  # noqa: SLF001  # inherited
        "param_grid": [dict, list, None],
        "n_iter": [Interval(numbers.Integral, 1, None, closed="left"), None],
        "random_state": ["random_state"],
        "level": [Interval(numbers.Real, 0, 1, closed="neither")],
        "keep_predictions": [
            "boolean",
            StrOptions({"auto"}),
            Interval(numbers.Real, 0, None, closed="left"),
        ],
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
    keep_predictions: bool | str | float = "auto"
    checkpoint: str | PathLike[str] | None = None
    share_steps: bool = True
    share_submodels: bool = True
    prefit: bool = False

    method = "CONSENSUS"
    inner_cv = outer_cv = _NO_FOLDS  # parameters of single subclasses
    n_judge_again = 0

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
        search = self._search_candidates if self.param_grid is not None else self._search_object
        with autologged(self):
            self.__dict__.update(search(X, y, params))
        return self

    def _search_candidates(self, X: Any, y: Any, params: Mapping[str, Any]) -> dict[str, Any]:
        """Search by a plan of our own; give the fitted attributes."""
        request = self._request(X, y, params)
        if self.n_judge_again:
            check_fresh(request)
        plan = make_plan(request.splits, nested_folds(request))
        kind, note = response_kind(request, self.keep_predictions)
        responses = responses_to_keep(request, kind)
        job = self._job(request, kind)
        with (
            open_store(self.checkpoint, job, request.X, request.y) as store,
            self._progress(request, params) as progress,
        ):
            make = partial(make_fits, request, job, store=store, responses=responses)
            make = partial(make, **self._how_to_run(request))
            record = fit_plan(request, plan, make, progress, verbose=self.verbose)
            found, primary = self._choose(request, record), request.primary(record)
            outer = judge_outer_folds(request, plan, record, make)
            tables = tables_of(
                request,
                record,
                outer,
                best_index=found.get("best_index_"),
                primary=primary,
                n_fits=record.n_fits + bool(self.refit),
            )
            tables = with_rows(request, tables, responses, note)
            reports = self._reports(tables, record, plan.nesting)
            if self.n_judge_again:
                reports |= self._judge_again(request, record, reports, make)
            found |= self._judged(request, record, reports, found)
            found |= attributes_of_outer_folds(outer.get(primary or ""), request.candidates)
            # last of all: a model may write into the data, and these are not cut for it
            if self.refit:
                found |= fit_winner(request, found["best_params_"], progress)
            keep_tables(store, tables, primary=primary, source=request.source)
        return found

    def _request(self, X: Any, y: Any, params: Mapping[str, Any]) -> Request:
        """Check what ``fit`` was given and split the data, without a single fit."""
        check_forgets({"estimator": self.estimator, "param_grid": self.param_grid}, params)
        scorer, refit_metric = self._get_scorers()
        X, y = indexable(X, y)
        params = check_method_params(X, params=params)
        routed = self._get_routed_params_for_fit(params)
        split_params = routed["splitter"]["split"]
        outer_params = {"groups": params.get("groups")}
        if routing_enabled():
            outer_params = {} if self.outer_cv is None else routed["outer_splitter"]["split"]
        cv = fresh_copy(self.cv)
        return Request(
            X=X,
            y=y,
            estimator=self.estimator,
            scoring=self.scoring,
            refit=self.refit,
            error_score=self.error_score,
            return_train_score=self.return_train_score,
            method=self.method,
            source=type(self).__name__,
            inner_cv=self.inner_cv,
            outer_cv=self.outer_cv,
            scorer=scorer,
            refit_metric=refit_metric,
            fit_params=routed["estimator"]["fit"],
            score_params=routed["scorer"]["score"],
            split_params=split_params,
            outer_params=outer_params,
            cv=cv,
            splits=make_splits(self.cv, X, y, split_params, estimator=self.estimator),
            candidates=candidates_of(self.param_grid, self.n_iter, self.random_state),
        )

    def _planned_fits(self, X: Any, y: Any, params: Mapping[str, Any]) -> tuple[int, int]:
        """Count the fits, and those of them that are derived from others."""
        request = self._request(X, y, params)
        plan = make_plan(request.splits, nested_folds(request))
        derived = count_derived(self._shared(request)["submodels"])
        n_fits = plan.n_fits(len(request.candidates), refit=bool(self.refit))
        return n_fits + n_fresh_fits(request, self.n_judge_again), derived * len(plan.units)

    def _how_to_run(self, request: Request) -> dict[str, Any]:
        pool = {"n_jobs": self.n_jobs, "pre_dispatch": self.pre_dispatch}
        return pool | self._shared(request)

    def _shared(self, request: Request) -> dict[str, Any]:
        return shared_work(request, steps=self.share_steps, submodels=self.share_submodels)

    def _job(self, request: Request, kind: str) -> Job:
        """Gather what all fits share."""
        if self.checkpoint is not None:
            splitters = {"cv": self.cv, "inner_cv": self.inner_cv, "outer_cv": self.outer_cv}
            drawn = "candidates" if is_random(self.param_grid, self.n_iter) else ""
            drawn = drawn or ("fresh partitions" if self.n_judge_again else "")
            check_repeatable(splitters, drawn=drawn, random_state=self.random_state)
        forgiving = None  # errors of folds that nobody asked for shall not end the search
        if self.method == "NESTED" and self.outer_cv is None and self.error_score == "raise":
            forgiving = check_scoring(self.estimator, self.scoring, raise_exc=False)
        train = "all" if callable(self.refit) else "search"
        return Job(
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
            keep=kind,
            caller=self if has_callbacks(self) else None,
        )

    def _progress(self, request: Request, params: Mapping[str, Any]) -> Progress:
        if has_callbacks(self):
            self.n_splits_ = len(request.splits)  # they ask for it
        weight = params.get("sample_weight")
        metadata = None if weight is None else {"sample_weight": weight}
        n_tasks = 1 + (self.refit is not False)
        return Progress(self, request.X, request.y, metadata, n_tasks=n_tasks)

    def _choose(self, request: Request, record: Record) -> dict[str, Any]:
        """Choose the winner as GridSearchCV does; give its fitted attributes."""
        results = search_results(request, record, request.places)
        if callable(self.scoring) and record.multimetric:  # known only after the fits
            self._check_refit_for_multimetric(dict.fromkeys(record.metrics))
        found = {
            "cv_results_": results,
            "n_splits_": len(request.splits),
            "multimetric_": record.multimetric,
            "scorer_": scorers_of(request.scorer),
        }
        if self.refit or not record.multimetric:
            metric = self.refit if record.multimetric else SINGLE
            best = select_best_index(self.refit, metric, results)
            found |= {"best_index_": best, "best_params_": results["params"][best]}
        return found

    def _reports(
        self, tables: Mapping[str, ScoreTable], record: Record, nesting: Nesting | None
    ) -> Reports:
        """Estimate what the winner of each metric is worth; None where that cannot be done."""
        reports: Reports = dict.fromkeys(record.metrics)
        for metric, table in tables.items():
            with honest_or_warn():
                reports[metric] = with_full_form(self._report(table), nesting, record, metric)
        return reports

    def _judge_again(
        self, request: Request, record: Record, reports: Reports, make: Callable[..., Record]
    ) -> Reports:
        """Judge the better candidates on fresh partitions; the winner may change by it."""
        primary = request.primary(record)
        report = None if primary is None else reports[primary]
        if report is None or primary is None:
            warnings.warn(
                "Nothing was judged again: no metric has chosen a winner, or it has no honest "
                "score.",
                UserWarning,
                stacklevel=2,
            )
            return {}
        if self.verbose > 0:
            n_fits = n_fresh_fits(request, self.n_judge_again)
            print(
                f"Judging the better candidates again on {self.n_judge_again} fresh partitions, "
                f"totalling {n_fits} fits"
            )
        again = {"n_repeats": self.n_judge_again, "random_state": self.random_state}
        return {primary: judge_before_refit(request, record, report, make, **again)}

    def _judged(
        self, request: Request, record: Record, reports: Reports, found: Mapping[str, Any]
    ) -> dict[str, Any]:
        """Give the fitted attributes that GridSearchCV lacks."""
        judged = {
            "n_fits_": record.n_fits + bool(self.refit),
            "n_restored_": record.n_restored,
            "n_steps_reused_": record.n_reused,
            "n_submodels_": record.n_derived,
            "reports_": reports,
        }
        primary = request.primary(record)
        if primary is None:
            return judged
        report, best = reports[primary], found["best_index_"]
        if self.n_judge_again and report is not None:
            best = report.best_index
            judged |= {"best_index_": best, "best_params_": request.candidates[best]}
        return judged | self._about(report, found["cv_results_"][f"mean_test_{primary}"][best])

    def _report(self, table: ScoreTable) -> SelectionReport:
        return report_of(table, self.method, refit=self.refit, level=self.level)

    def _about(self, report: SelectionReport | None, naive: float) -> dict[str, Any]:
        """Give the fitted attributes of the metric that chose; losses are turned round."""
        sign = 1.0 if report is None or report.greater_is_better else -1.0
        honest = sign * honest_score(report, self.method)
        return {"report_": report, "best_score_": honest, "naive_best_score_": naive}

    def _search_object(self, X: Any, y: Any, params: Mapping[str, Any]) -> dict[str, Any]:
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
        outer = {}
        if self.method == "NESTED":
            outer = judge_search(
                self.estimator,
                X,
                y,
                outer_cv=self.outer_cv,
                params=params,
                n_jobs=self.n_jobs,
                verbose=self.verbose,
            )
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
