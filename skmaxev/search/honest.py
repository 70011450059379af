"""Searches whose best score is corrected on the score table: any method but nested."""

from __future__ import annotations

import numbers
from dataclasses import dataclass
from typing import Any, ClassVar

from skmaxev._compat import Interval, StrOptions
from skmaxev.engine.plan import make_plan
from skmaxev.engine.types import Nesting
from skmaxev.report import METHODS
from skmaxev.search._base import BaseMaxSearch
from skmaxev.search._fits import Fits
from skmaxev.search._outcome import Outcome, choose_winner, outcome_of
from skmaxev.search._request import Request
from skmaxev.search.judge_again import check_fresh, judge_before_refit
from skmaxev.search.nested import folds_within, search_nested, with_full_form

__all__ = ["HonestSearchCV", "LowVarianceCVSearch", "ShrunkSearchCV"]


@dataclass(eq=False, repr=False, kw_only=True)
class HonestSearchCV(BaseMaxSearch):
    """Search with a best score corrected for having been chosen; makes no further fit by default.

    A grid, a random search or any search object, see ``param_grid``.

    Parameters
    ----------
    estimator : estimator or search object
        What is searched; without ``param_grid`` a search object, which runs as it is:
        RandomizedSearchCV, a halving search, BayesSearchCV, OptunaSearchCV, LassoCV, ...
    param_grid : dict or list of dicts, optional
        Values of each parameter: a grid, as for GridSearchCV. With ``n_iter``, or if a value has a
        method ``rvs``, candidates are drawn, as by RandomizedSearchCV.
    n_iter : int, optional
        Candidates to draw; 10 if omitted where they are drawn.
    random_state : int, RandomState or None, default=None
        For drawing candidates, which happens once; a whole number gives those of
        RandomizedSearchCV. Deals the rows anew for ``n_judge_again`` as well.
    scoring, n_jobs, refit, cv, verbose, pre_dispatch, error_score, return_train_score
        As for `sklearn.model_selection.GridSearchCV`; a search object has its own.
    method : str, default="CONSENSUS"
        Estimator behind ``best_score_``: a key of ``report_.estimates``.
    n_judge_again : int, default=0
        Fresh partitions of the rows on which, before the refit, the winner and those next to it are
        judged again, as by `judge_again`: three candidates on the first, two on the second, one on
        each that follows. The best of them then is the winner, unless a callable ``refit`` chose
        it. Needs ``param_grid`` and ``method="CONSENSUS"``.
    level : float, default=0.95
        Confidence level of the interval in the report.
    keep_predictions : bool or {"auto"}, default="auto"
        Whether the out-of-fold predictions of all candidates are kept for the report; "auto": where
        256 MB hold them. They give the results of single rows, on which R2, F1, average precision
        and their like are judged together. True keeps them without a bound, and in a pickle too.
    checkpoint : path-like, optional
        File that keeps every finished fit; the same search started again repeats none of them.
    share_steps : bool, default=True
        Whether candidates whose pipelines begin with the same steps fit these steps once.
    share_submodels : bool, default=True
        Whether candidates that one fit holds in full, such as forests that differ in
        ``n_estimators`` alone, are cut out of it: the numbers of separate fits to the last bit.
        Their ``fit_time`` is what their part of that fit took.
    prefit : bool, default=False
        Whether ``estimator`` is a search that is fitted already; ``fit`` then only corrects it.

    Attributes
    ----------
    best_score_ : float
        The honest score of the winner. With the default method it errs little either way on
        average. Higher is better, as for every ``best_score_`` of scikit-learn: a loss, as of
        LassoCV, is turned round. NaN, after a warning, where no honest number is to be had.
    naive_best_score_ : float
        The winner's mean score in ``cv_results_``: what GridSearchCV would have printed.
    report_ : SelectionReport or None
        Every estimator side by side, with an interval, for the metric that chose the winner.
        None, after a warning, where no honest number is to be had.
    reports_ : dict of str to SelectionReport
        One for each metric, each with that metric's own winner.
    search_ : search object
        The fitted search, where one was given.
    n_fits_ : int or None
        Model fits made, where that is known.
    n_restored_, n_steps_reused_ : int
        Of them, those found in the checkpoint, and those that found their first steps fitted.
    best_estimator_, best_params_, best_index_, cv_results_, scorer_, n_splits_, ...
        As in GridSearchCV, or as the search has them, with the same values.

    See Also
    --------
    correct, judge_again : The same for a search that is over.
    ShrunkSearchCV, LowVarianceCVSearch, NestedCVSearch : Searches with one fixed estimator.

    Examples
    --------
    >>> from scipy.stats import loguniform
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.svm import SVC
    >>> X, y = load_iris(return_X_y=True)
    >>> search = HonestSearchCV(SVC(), {"C": [0.01, 0.1, 1, 10]}, cv=5).fit(X, y)
    >>> bool(search.best_score_ <= search.naive_best_score_)
    True
    >>> drawn = HonestSearchCV(SVC(), {"C": loguniform(0.01, 10)}, n_iter=4, random_state=0)
    >>> drawn.fit(X, y).n_fits_
    21
    >>> again = HonestSearchCV(SVC(), {"C": [0.1, 1, 10]}, n_judge_again=1, random_state=0)
    >>> again.fit(X, y).n_fits_  # 16 of the search, and 3 candidates on 5 folds
    31
    """

    _parameter_constraints: ClassVar = {
        **BaseMaxSearch._parameter_constraints,  # noqa: SLF001  # inherited
        "method": [StrOptions(set(METHODS))],
        "n_judge_again": [Interval(numbers.Integral, 0, None, closed="left")],
    }

    method: str = "CONSENSUS"
    n_judge_again: int = 0

    def _search(self, request: Request, fits: Fits) -> Outcome:
        if self.n_judge_again:
            check_fresh(request)
        if self.method == "NESTED":
            return search_nested(request, fits)
        outcome = search_plainly(request, fits)
        return judge_before_refit(request, outcome, fits) if self.n_judge_again else outcome


def search_plainly(request: Request, fits: Fits, nesting: Nesting | None = None) -> Outcome:
    """Fit every candidate on every split, choose, and make the table of scores."""
    plan = make_plan(request.splits, nesting)
    record = fits.search(request, plan)
    found = choose_winner(request, record)
    return outcome_of(request, record, found, fits.responses)


class ShrunkSearchCV(BaseMaxSearch):
    """Search that reports its best score after empirical-Bayes shrinkage.

    The winner's mean score is pulled towards the mean of all candidates, by the share of the spread
    between them that is noise: the noise that is left after removing what all candidates share
    on a split, since only that can favour one of them. Makes no further fit.

    Parameters
    ----------
    estimator, param_grid, n_iter, random_state, scoring, n_jobs, refit, cv, verbose, \
pre_dispatch, error_score, return_train_score, level, keep_predictions, checkpoint, share_steps, \
share_submodels, prefit
        As for `HonestSearchCV`.

    Attributes
    ----------
    best_score_ : float
        Shrunken score: the winner's true score. Errs slightly upwards on average, by more if some
        candidates are hopeless, since they make differences look large. NaN where there is no
        honest number, such as after a single split.
    naive_best_score_, report_, reports_, search_, n_fits_, best_estimator_, cv_results_, ...
        As of `HonestSearchCV`.

    References
    ----------
    .. [1] B. Efron (2011). Tweedie's formula and selection bias. JASA 106, 1602-1614.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.svm import SVC
    >>> X, y = load_iris(return_X_y=True)
    >>> search = ShrunkSearchCV(SVC(), {"C": [0.1, 1, 10]}, cv=5).fit(X, y)
    >>> bool(search.best_score_ < search.naive_best_score_)
    True
    """

    method = "EB"

    def _search(self, request: Request, fits: Fits) -> Outcome:
        return search_plainly(request, fits)


@dataclass(eq=False, repr=False, kw_only=True)
class LowVarianceCVSearch(BaseMaxSearch):
    """Search that reports a low-variance estimate of its best score.

    A candidate is chosen on one split alone and judged on the others, each split in its turn, so no
    score both chooses and judges. Where a callable ``refit`` chose another candidate than the
    best mean score, which this estimate cannot judge, the consensus takes its place and the
    report says so.

    Parameters
    ----------
    estimator, param_grid, n_iter, random_state, scoring, n_jobs, refit, cv, verbose, \
pre_dispatch, error_score, return_train_score, level, keep_predictions, checkpoint, share_steps, \
share_submodels, prefit
        As for `HonestSearchCV`.
    inner_cv : int or splitter, optional
        None works on the score table, without further fits. Otherwise the full form: candidates are
        chosen by this cross-validation inside the rows that a fold judges, and judged by
        cross-validation on all other rows. Needs ``param_grid``.

    Attributes
    ----------
    best_score_ : float
        Estimate of the best candidate's true score. Errs downwards on average, with little
        variance. NaN where there is no honest number, such as after a single split.
    naive_best_score_, report_, reports_, search_, n_fits_, best_estimator_, cv_results_, ...
        As of `HonestSearchCV`.

    References
    ----------
    .. [1] H. van Hasselt (2013), Eq. 10. arXiv:1302.7175.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.svm import SVC
    >>> X, y = load_iris(return_X_y=True)
    >>> search = LowVarianceCVSearch(SVC(), {"C": [0.1, 1, 10]}, cv=5).fit(X, y)
    >>> bool(search.best_score_ < search.naive_best_score_)
    True
    """

    method = "LVCV"
    _parameter_constraints: ClassVar = {
        **BaseMaxSearch._parameter_constraints,  # noqa: SLF001  # inherited
        "inner_cv": ["cv_object"],
    }

    inner_cv: Any = None

    def _search(self, request: Request, fits: Fits) -> Outcome:
        if self.inner_cv is None:
            return search_plainly(request, fits)
        nesting = folds_within(request)
        outcome = search_plainly(request, fits, nesting)
        return outcome._replace(tables=with_full_form(outcome, nesting))
