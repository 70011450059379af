"""Classical nested cross-validation of a search object: it runs anew in every outer fold."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from sklearn.base import is_classifier
from sklearn.model_selection import check_cv, cross_validate

from skmaxev._compat import num_samples, routing_enabled
from skmaxev.search._choice import NOBODY
from skmaxev.table import OuterFolds

__all__ = ["judge_search"]


def judge_search(
    search: Any,
    X: Any,
    y: Any,
    *,
    outer_cv: Any,
    params: Mapping[str, Any],
    n_jobs: int | None = None,
    verbose: int = 0,
) -> OuterFolds:
    """Run a search in every outer fold and judge its winner, as `cross_val_score` does.

    Parameters
    ----------
    search : search object
        Not fitted; it is left as it is.
    X, y : array-like of n_rows rows
        The data.
    outer_cv : int, splitter, iterable or None
        The outer folds; None for five.
    params : mapping
        Parameters of ``fit``, cut along with the rows; ``groups`` go to both levels.
    n_jobs, verbose
        As for ``cross_validate``.

    Returns
    -------
    OuterFolds
        With the winners' settings; a search in one fold may have other candidates than in another.

    Raises
    ------
    ValueError
        If there are no data, or the search keeps no scores of its candidates.
    """
    if X is None:
        raise ValueError("nested cross-validation needs data; got X=None. Call fit(X, y).")
    groups = None if routing_enabled() else params.get("groups")
    found = cross_validate(
        search,
        X,
        y,
        groups=groups,
        cv=check_cv(outer_cv, y, classifier=is_classifier(search)),
        params=dict(params) or None,
        n_jobs=n_jobs,
        verbose=verbose,
        return_estimator=True,
        return_indices=True,
        error_score="raise",
    )
    searches = found["estimator"]
    if not all(hasattr(one, "best_params_") for one in searches):
        raise ValueError(
            f"nested cross-validation needs searches that name their winner; "
            f"{type(search).__name__} has no best_params_ after fit. Give a GridSearchCV over it."
        )
    rows = found["indices"]
    return OuterFolds(
        scores=found["test_score"],
        best_index=np.full(len(searches), NOBODY),
        n_train=np.array([num_samples(train) for train in rows["train"]]),
        n_test=np.array([num_samples(test) for test in rows["test"]]),
        inner=np.array([[[getattr(one, "best_score_", np.nan)]] for one in searches], dtype=float),
        params=tuple(one.best_params_ for one in searches),
    )
