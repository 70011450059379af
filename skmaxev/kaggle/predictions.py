"""Predictions for rows that were held out, to blend."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["out_of_fold"]

FloatArray = NDArray[np.float64]


def out_of_fold(search: Any, *, candidate: int | None = None) -> FloatArray:
    """Return the responses that a fitted search made for rows it had not trained on.

    They cost no further fit, and are what a blend or a stack is trained on. Searches keep them
    where their metric ranks rows, that is for ``scoring="roc_auc"``.

    Parameters
    ----------
    search : fitted search of skmaxev
        With ``scoring="roc_auc"``, and ``keep_predictions`` on or left at its default.
    candidate : int, optional
        Which candidate; the winner if omitted.

    Returns
    -------
    ndarray of shape (n_rows,)
        Decision value, or probability where the model has no such, in single precision and in the
        order of the rows; NaN where no split judged the row. Comes from models trained on part of
        the rows, so a model trained on all errs a little less.

    Raises
    ------
    TypeError
        If the search has no report, as before it is fitted.
    ValueError
        If it kept no responses, or none of this candidate.

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
            "search must have kept its responses, as searches do with scoring='roc_auc'; this one "
            "did not. For another metric use "
            "sklearn.model_selection.cross_val_predict(search.best_estimator_, X, y, cv=...)."
        )
    wanted = report.best_index if candidate is None else candidate
    column = np.flatnonzero(rows.candidates == wanted)
    if not column.size:
        raise ValueError(
            f"candidate must be one whose responses were kept: {rows.candidates.tolist()}; got "
            f"{wanted}. Fit the search with keep_predictions=True to keep all."
        )
    kept = rows.responses[:, column[0]].astype(np.float64)
    return np.where(rows.fold >= 0, kept, np.nan)
