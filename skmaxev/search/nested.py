"""Search that reports its nested cross-validation score."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from skmaxev.search._base import BaseMaxSearch

__all__ = ["NestedCVSearch"]


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
