"""Predictions for rows that were held out, to blend."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["out_of_fold"]

FloatArray = NDArray[np.float64]


def out_of_fold(search: Any, *, candidate: int | None = None) -> FloatArray:
    """Return the responses that a fitted search made for rows it had not trained on.

    They cost no further fit, and are what a blend or a stack is trained on: what the metric
    judges, so probabilities or decision values, numbers, or the numbers of predicted labels.

    Parameters
    ----------
    search : fitted search of skmaxev
        With ``keep_predictions`` on or left at its default, for most metrics of scikit-learn's.
    candidate : int, optional
        Which candidate; the winner if omitted.

    Returns
    -------
    ndarray of shape (n_rows,) or (n_rows, n_classes)
        In the order of the rows, averaged over the times that a row was judged; NaN where none
        did. For the area under the ROC curve the decision value, or the probability where the model
        has no such. Comes from models trained on part of the rows, so a model trained on all errs a
        little less.

    Raises
    ------
    TypeError
        If the search has no report, as before it is fitted.
    ValueError
        If it kept no predictions, or there is no such candidate.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from skmaxev import ShrunkSearchCV
    >>> from skmaxev.kaggle import out_of_fold
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> tree = DecisionTreeClassifier(random_state=0)
    >>> search = ShrunkSearchCV(tree, {"max_depth": [2, 3]}, scoring="roc_auc").fit(X, y)
    >>> out_of_fold(search).shape
    (569,)
    """
    report = getattr(search, "report_", None)
    if report is None:
        raise TypeError(
            f"search must be a fitted search of skmaxev; this {type(search).__name__} has no "
            "report_. Call fit first; for another search use "
            "sklearn.model_selection.cross_val_predict(search.best_estimator_, X, y, cv=...)."
        )
    rows = None if report.table is None else report.table.rows
    if rows is None or rows.responses is None:
        raise ValueError(
            "search must have kept its predictions; this one did not. Fit it with "
            "keep_predictions=True, or use "
            "sklearn.model_selection.cross_val_predict(search.best_estimator_, X, y, cv=...)."
        )
    wanted = report.best_index if candidate is None else candidate
    if wanted not in range(len(rows.responses)):
        raise ValueError(
            f"candidate must be one of 0 to {len(rows.responses) - 1}; got {candidate!r}."
        )
    kept = np.moveaxis(rows.responses[wanted].astype(np.float64), 0, -1)
    judged = np.isfinite(kept)
    times = judged.sum(axis=-1)
    sums = np.where(judged, kept, 0.0).sum(axis=-1)
    means: FloatArray = np.divide(sums, times, out=np.full(sums.shape, np.nan), where=times > 0)
    return means
