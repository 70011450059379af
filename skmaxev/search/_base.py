"""The frame of all searches: GridSearchCV's contract on the fit engine, and three ways in."""

from __future__ import annotations

import numbers
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from functools import partial
from os import PathLike
from typing import Any, ClassVar

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.utils import get_tags
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing

from skmaxev._compat import Interval, StrOptions, fit_context, routing_enabled, scorers_of
from skmaxev.correction import correct
from skmaxev.engine.failures import report_failures
from skmaxev.engine.fitting import Job
from skmaxev.engine.plan import Nesting, Plan, make_plan
from skmaxev.engine.prefixes import Prefix, common_prefixes
from skmaxev.engine.record import SINGLE, Record
from skmaxev.engine.run import all_pairs
from skmaxev.engine.submodels import count_derived, submodels_of
from skmaxev.engine.types import Submodel
from skmaxev.integrations.mlflow import autologged
from skmaxev.report import SelectionReport
from skmaxev.search._choice import search_results
from skmaxev.search._found import check_is_plain, fitted_attributes, read_tables, run_search
from skmaxev.search._keeping import keeping
from skmaxev.search._progress import Progress, SearchProgress
from skmaxev.search._request import Request, read_request
from skmaxev.search._rows import kind_to_keep, with_rows, without_rows
from skmaxev.search._tables import search_places, table_of
from skmaxev.table import OuterFolds, ScoreTable

__all__ = ["BaseMaxSearch"]


@dataclass(eq=False, repr=False)  # the parameters of __init__, which only stores them
class BaseMaxSearch(GridSearchCV):
    """Search that fits by a plan and reports an honest best score.

    An estimator with candidates is searched here; an estimator that is itself a search runs as it
    is. Subclasses say which nested folds they need (`_nest`) and which estimate they report
    (`_method`); they never touch a fit.
    """

    _method: ClassVar[str]
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
        """Get the routing of metadata; all of it goes to the estimator if it is a search.

        Returns
        -------
        sklearn.utils.metadata_routing.MetadataRouter
        """
        if self.param_grid is not None:
            return super().get_metadata_routing()
        mapping = (
            MethodMapping().add(caller="fit", callee="fit").add(caller="score", callee="score")
        )
        return MetadataRouter(owner=self).add(estimator=self.estimator, method_mapping=mapping)

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

    def _nest(self, request: Request) -> Nesting | None:  # noqa: ARG002  # for subclasses
        """Say which folds the estimate needs beside those of the search."""
        return None

    def _plan(self, request: Request) -> Plan:
        return make_plan(request.splits, self._nest(request))

    def _planned_fits(self, X: Any, y: Any, params: Mapping[str, Any]) -> tuple[int, int]:
        """Count the fits, and those of them that are derived from others."""
        request = read_request(self, X, y, params)
        plan = self._plan(request)
        derived = count_derived(self._submodels(request, self._prefixes(request)))
        n_fits = plan.n_fits(len(request.candidates), refit=bool(self.refit))
        return n_fits, derived * len(plan.units)

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
            The fitted search. An error or an interrupt leaves it as it was.
        """
        run = self._correct_search if self.param_grid is None else self._search_candidates
        with autologged(self):
            self.__dict__.update(run(X, y, params))
        return self

    def _search_candidates(self, X: Any, y: Any, params: Mapping[str, Any]) -> dict[str, Any]:
        """Search by a plan of our own; give the fitted attributes."""
        request = read_request(self, X, y, params)
        with keeping(self, request, self._job(request, with_callbacks=False)) as request:
            return self._search(request)

    def _correct_search(self, X: Any, y: Any, params: Mapping[str, Any]) -> dict[str, Any]:
        """Run the search that was given; give its fitted attributes, best score corrected."""
        check_is_plain(self)
        if routing_enabled() and params:
            params = process_routing(self, "fit", **params)["estimator"]["fit"]
        outer = self._outer_folds_of_search(X, y, params)
        search = self.estimator if self.prefit else self._run_given(X, y, params)
        found = fitted_attributes(search) | {"search_": search, "n_fits_": None}
        tables, primary = read_tables(search)
        tables = {name: partial(make, outer=outer.get(name)) for name, make in tables.items()}
        reports = {name: self._report(make) for name, make in tables.items()}
        found["reports_"] = reports if len(reports) > 1 else {}
        if primary is None:
            return found
        return found | self._about_report(reports[primary], found.get("best_score_", np.nan))

    def _run_given(self, X: Any, y: Any, params: Mapping[str, Any]) -> Any:
        progress = SearchProgress(self, X, y)
        with progress:
            return run_search(self.estimator, X, y, params, around=progress.around)

    def _outer_folds_of_search(self, *_data: Any) -> Mapping[str, OuterFolds]:
        return {}

    def _about_report(self, report: SelectionReport | None, naive: float) -> dict[str, Any]:
        if report is None:
            return {"report_": None, "best_score_": np.nan, "naive_best_score_": naive}
        sign = 1.0 if report.greater_is_better else -1.0
        return {
            "report_": report,
            "best_score_": sign * self._honest_score(report),
            "naive_best_score_": sign * report.naive,
            "n_fits_": report.n_fits,
        }

    def _search(self, request: Request) -> dict[str, Any]:
        """Make every fit and give the fitted attributes."""
        plan = self._plan(request)
        progress = Progress(self, request, plan)
        record = self._fit_plan(request, plan, progress)
        found = self._select(request, record)
        found |= self._judge(request, plan, record, found)
        # last of all: a model may write into the data, and these are not cut for it
        found |= self._refit(request, found.get("best_params_"), progress)
        request.keeper.finish(self, self._primary(record))
        progress.end()
        return found

    def _fit_plan(self, request: Request, plan: Plan, progress: Progress) -> Record:
        """Make every fit of the plan, and tell about those that failed."""
        n_candidates, n_splits = len(request.candidates), len(request.splits)
        if n_candidates * n_splits < 1:
            raise ValueError(
                "No fits were performed. Was the CV iterator empty? Were there no candidates?"
            )
        if self.verbose > 0:
            print(
                f"Fitting {n_splits} folds for each of {n_candidates} candidates, "
                f"totalling {n_candidates * n_splits} fits"
            )
        record = Record(plan, n_candidates, self.error_score)
        self._run(request, plan, all_pairs(plan, n_candidates), record, progress.contexts)
        progress.end_search()
        report_failures(record, plan, search_places(request), request.classes)
        return record

    def _run(
        self,
        request: Request,
        plan: Plan,
        pairs: Sequence[tuple[int, int]],
        record: Record,
        contexts: Mapping[tuple[int, int], Sequence[Any]],
    ) -> None:
        prefixes = self._prefixes(request)
        fits = request.keeper.run(
            self._job(request, with_callbacks=bool(contexts)),
            request.X,
            request.y,
            pairs,
            units=plan.units,
            candidates=request.candidates,
            contexts=contexts,
            prefixes=prefixes,
            submodels=self._submodels(request, prefixes),
            n_jobs=self.n_jobs,
            pre_dispatch=self.pre_dispatch,
        )
        for fit in fits:
            record.add(fit)

    def _forgiving_scorer(self) -> Any:
        """Give the scorer of nested folds, if their errors shall not end the search."""
        return None

    def _prefixes(self, request: Request) -> list[Prefix]:
        return common_prefixes(self.estimator, request.candidates) if self.share_steps else []

    def _submodels(self, request: Request, prefixes: list[Prefix]) -> list[Submodel | None]:
        if not self.share_submodels:
            return []
        return submodels_of(
            self.estimator,
            request.candidates,
            prefixes=prefixes,
            fit_params=request.fit_params,
            n_rows=max(request.n_rows, *(len(split.train) for split in request.splits)),
        )

    def _job(self, request: Request, *, with_callbacks: bool) -> Job:
        train = "all" if callable(self.refit) else "search"
        return Job(
            estimator=clone(self.estimator),
            scorer=request.scorer,
            fit_params=request.fit_params,
            score_params=request.score_params,
            error_score=self.error_score,
            forgiving_scorer=self._forgiving_scorer(),
            train_scores=train if self.return_train_score else "none",
            verbose=self.verbose,
            n_splits=len(request.splits),
            n_candidates=len(request.candidates),
            keep=kind_to_keep(self, request)[0],
            caller=self if with_callbacks else None,
        )

    def _select(self, request: Request, record: Record) -> dict[str, Any]:
        """Choose the winner as GridSearchCV does; give its fitted attributes."""
        results = search_results(
            self, record, search_places(request), request.candidates, quiet=False
        )
        metric = request.refit_metric
        if callable(self.scoring) and record.multimetric:  # known only after the fits
            self._check_refit_for_multimetric(dict.fromkeys(record.metrics))
            metric = self.refit
        found = {
            "cv_results_": results,
            "n_splits_": len(request.splits),
            "multimetric_": record.multimetric,
            "scorer_": scorers_of(request.scorer),
        }
        if self.refit or not record.multimetric:
            best = self._select_best_index(self.refit, metric, results)
            found |= {"best_index_": best, "best_params_": results["params"][best]}
        return found

    def _refit(self, request: Request, params: Any, progress: Progress) -> dict[str, Any]:
        """Fit the winner on all rows."""
        if not self.refit:
            return {}
        winner = clone(clone(self.estimator)).set_params(**clone(params, safe=False))
        target = () if request.y is None else (request.y,)
        with progress.refit(winner):
            start = time.time()
            winner.fit(request.X, *target, **request.fit_params)
            seconds = time.time() - start
        found = {"best_estimator_": winner, "refit_time_": seconds}
        if hasattr(winner, "feature_names_in_"):
            found["feature_names_in_"] = winner.feature_names_in_
        return found

    def _judge(
        self, request: Request, plan: Plan, record: Record, found: Mapping[str, Any]
    ) -> dict[str, Any]:
        """Estimate what the winner is worth; give the fitted attributes that GridSearchCV lacks."""
        outer = self._outer_folds(request, plan, record)
        n_fits = record.n_fits + bool(self.refit)
        best = found.get("best_index_")
        primary = self._primary(record)
        reports = {}
        for metric in record.metrics:
            own = callable(self.refit) or metric == primary
            known = {"best_index": best if own else None, "n_fits": n_fits}
            known["outer"] = outer.get(metric)
            report = self._report(partial(self._table, request, record, metric, **known))
            if report is not None:
                report = self._finish_report(report, plan, record, metric)
            reports[metric] = report
        judged = {"n_fits_": n_fits, "reports_": reports}
        judged |= {"n_restored_": record.n_restored, "n_steps_reused_": record.n_reused}
        judged["n_submodels_"] = record.n_derived
        judged |= self._about_outer(request, outer, primary)
        if primary is not None:
            judged["report_"] = reports[primary]
            judged["best_score_"] = self._honest_score(reports[primary])
            judged["naive_best_score_"] = found["cv_results_"][f"mean_test_{primary}"][best]
        return judged

    def _table(self, request: Request, record: Record, metric: str, **known: Any) -> ScoreTable:
        table = with_rows(self, request, metric, table_of(self, request, record, metric, **known))
        request.keeper.tables[metric] = table
        return table

    def _primary(self, record: Record) -> str | None:
        """Name the metric that the winner was chosen by; None where there is none."""
        if not record.multimetric:
            return SINGLE
        return self.refit if isinstance(self.refit, str) else None

    def _report(self, make_table: Callable[[], ScoreTable]) -> SelectionReport | None:
        """Report on one metric; None, with a warning that says why, where no number is honest."""
        try:
            table = make_table()
            return correct(table, method=self._method_for(table), level=self.level)
        except ValueError as error:
            warnings.warn(f"The honest score is NaN: {error}", UserWarning, stacklevel=2)
            return None

    def _finish_report(
        self,
        report: SelectionReport,
        plan: Plan,  # noqa: ARG002  # for subclasses
        record: Record,  # noqa: ARG002  # for subclasses
        metric: str,  # noqa: ARG002  # for subclasses
    ) -> SelectionReport:
        """Add what the score table alone cannot say."""
        return report

    def _method_for(self, table: ScoreTable) -> str:  # noqa: ARG002  # for subclasses
        return self._method

    def _honest_score(self, report: SelectionReport | None) -> float:
        return float("nan") if report is None else report.estimate

    def _about_outer(
        self,
        request: Request,  # noqa: ARG002  # for subclasses
        outer: Mapping[str, OuterFolds],  # noqa: ARG002  # for subclasses
        primary: str | None,  # noqa: ARG002  # for subclasses
    ) -> dict[str, Any]:
        """Give the fitted attributes about outer folds."""
        return {}

    def _outer_folds(
        self,
        request: Request,  # noqa: ARG002  # for subclasses
        plan: Plan,  # noqa: ARG002  # for subclasses
        record: Record,  # noqa: ARG002  # for subclasses
    ) -> Mapping[str, OuterFolds]:
        """Judge outer folds, for each metric; empty where the estimate needs none."""
        return {}
