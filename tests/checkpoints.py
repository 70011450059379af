"""Searches with a checkpoint, and what they leave in it, for the tests of the store."""

import sqlite3
from contextlib import closing

import numpy as np
from recorders import Logged
from sklearn.datasets import make_classification
from sklearn.svm import SVC

from skmaxev.search import NestedCVSearch, ShrunkSearchCV

X, y = make_classification(n_samples=60, n_features=4, random_state=0)
C = [0.01, 0.1, 1.0, 10.0]


def nested(path, log=None, **options):
    return NestedCVSearch(
        Logged(log=log), {"C": C}, cv=4, checkpoint=path, refit=False, **options
    ).fit(X, y)


def stored(path):
    """Count the fits in a checkpoint."""
    with closing(sqlite3.connect(path)) as link:
        return link.execute("SELECT count(*) FROM fit").fetchone()[0]


def change(path, *statements):
    """Change a checkpoint behind the back of skmaxev."""
    with closing(sqlite3.connect(path)) as link, link:
        for statement in statements:
            link.execute(statement)


def results_of(search):
    """Every number of a search that is no time."""
    names = [
        name for name in search.cv_results_ if name.startswith(("mean_t", "std_t", "split", "rank"))
    ]
    return [search.cv_results_[name] for name in names] + [
        search.outer_scores_,
        search.best_score_,
        search.naive_best_score_,
        search.report_.interval,
        search.n_fits_,
    ]


def assert_same(one, other):
    for mine, theirs in zip(results_of(one), results_of(other), strict=True):
        np.testing.assert_array_equal(mine, theirs)


def plain_search(path, X=X, y=y, estimator=None, grid=None, sample_weight=None, **options):
    params = {} if sample_weight is None else {"sample_weight": sample_weight}
    search = ShrunkSearchCV(
        SVC() if estimator is None else estimator,
        grid or {"C": C},
        checkpoint=path,
        **{"cv": 4, **options},
    )
    return search.fit(X, y, **params)
