"""Searches with a checkpoint, and what they leave in it, for the tests of the store."""

import os
import sys
import traceback
import warnings

import numpy as np
from recorders import Logged
from sklearn.datasets import make_classification
from sklearn.svm import SVC

from skmaxev._checkpoint import FIT, CheckpointFile
from skmaxev.search import NestedCVSearch, ShrunkSearchCV

X, y = make_classification(n_samples=60, n_features=4, random_state=0)
C = [0.01, 0.1, 1.0, 10.0]


def nested(path, log=None, **options):
    return NestedCVSearch(
        Logged(log=log), {"C": C}, cv=4, checkpoint=path, refit=False, **options
    ).fit(X, y)


def resume(path, log, *, seconds=0.005, n_jobs=None):
    """Search as `nested` does, with fits that take their time."""
    slow = Logged(log=str(log), seconds=seconds)
    return NestedCVSearch(slow, {"C": C}, cv=4, checkpoint=path, refit=False, n_jobs=n_jobs).fit(
        X, y
    )


def in_child(work, *args, **options):
    """Do some work in a child that never comes back by itself to the test; give its number."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # other tests may have left threads
        child = os.fork()
    if child == 0:
        code = 1
        try:
            work(*args, **options)
            code = 0
        except BaseException:  # noqa: BLE001  # there is nobody to raise it to
            traceback.print_exc(file=sys.__stderr__)
        finally:
            os._exit(code)
    return child


def records(path, kind=FIT):
    """List the records of a checkpoint, those of fits if not said otherwise."""
    with CheckpointFile(path, write=False) as file:
        return [record for record in file.records if record.kind == kind]


def stored(path):
    """Count the fits in a checkpoint."""
    return len(records(path))


def remove(path, unwanted):
    """Take records out of a checkpoint."""
    raw = path.read_bytes()
    for record in reversed(unwanted):
        raw = raw[: record.start] + raw[record.end :]
    path.write_bytes(raw)


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
