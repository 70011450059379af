"""Grid search that reports its best score after empirical-Bayes shrinkage."""

from __future__ import annotations

from skmaxev.search._base import BaseMaxSearch

__all__ = ["ShrunkSearchCV"]


class ShrunkSearchCV(BaseMaxSearch):
    """Grid search that reports its best score after empirical-Bayes shrinkage.

    The winner's mean score is pulled towards the mean of all candidates, by the share of the spread
    between them that is noise: the noise that is left after removing what all candidates share
    on a split, since only that can favour one of them. Makes no further fit.

    Parameters
    ----------
    estimator, param_grid, scoring, n_jobs, refit, cv, verbose, pre_dispatch, error_score, \
return_train_score
        As for `sklearn.model_selection.GridSearchCV`. ``n_jobs=None`` never starts a pool of
        processes unless `joblib.parallel_config` asks for one.
    level : float, default=0.95
        Confidence level of the interval in the report.
    keep_predictions : {"auto"}, bool or float, default="auto"
        Whether the out-of-fold results of single rows are kept, for estimates that resample rows:
        with "auto" as far as 256 MB hold them, with a number as far as so many MB do. Where not all
        candidates find room, those with the best mean scores are kept; True keeps all.
        Kept for accuracy, ROC AUC, log loss, mean squared or absolute error, and the Brier score of
        two classes, without weights, where no row is judged by several splits, as by shuffled
        splits or repeated folds. The report says what was kept and, unless "auto", why nothing was.
    checkpoint : path-like, optional
        File that keeps every finished fit; the same search started again repeats none of them.
    share_steps : bool, default=True
        Whether candidates whose pipelines begin with the same steps fit these steps once.

    Attributes
    ----------
    best_score_ : float
        Shrunken score: the winner's true score. Errs slightly upwards on average, by more if some
        candidates are hopeless, since they make differences look large. NaN where there is no
        honest number, such as after a single split.
    naive_best_score_ : float
        What GridSearchCV would have printed: the winner's mean score.
    report_ : SelectionReport or None
        Every estimator side by side, with an interval, for the metric that chose the winner.
        None, after a warning, where no honest number is to be had.
    reports_ : dict of str to SelectionReport
        One for each metric, each with that metric's own winner.
    n_fits_ : int
        Model fits made.
    best_estimator_, best_params_, best_index_, cv_results_, scorer_, n_splits_, ...
        As in GridSearchCV, with the same values.

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

    _method = "EB"
