"""Workers of every kind, and as many as one asks for, change no number."""

from functools import cache, partial

import joblib
import numpy as np
import pytest
from searches import X, Y
from sklearn.dummy import DummyClassifier
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from skmaxev import HonestSearchCV, LowVarianceCVSearch, NestedCVSearch, ShrunkSearchCV

GRID = {"decisiontreeclassifier__max_depth": [1, 2, 3]}
TREE = make_pipeline(StandardScaler(), DecisionTreeClassifier(random_state=0))
MAKERS = {
    "shared folds": NestedCVSearch,
    "outer folds": partial(NestedCVSearch, outer_cv=3),
    "low variance": LowVarianceCVSearch,
    "shrunk": ShrunkSearchCV,
    "honest": lambda *args, **options: HonestSearchCV(GridSearchCV(*args, **options)),
}
every_maker = pytest.mark.parametrize("kind", MAKERS)


def fitted(kind, **options):
    return MAKERS[kind](TREE, GRID, cv=3, **options).fit(X, Y)


alone = cache(fitted)


def assert_same(search, expected):
    assert (search.best_score_, search.best_index_) == (expected.best_score_, expected.best_index_)
    assert search.report_.interval == expected.report_.interval
    for name, values in expected.cv_results_.items():
        if name.endswith("test_score"):
            np.testing.assert_array_equal(search.cv_results_[name], values)
    if isinstance(search, NestedCVSearch):
        np.testing.assert_array_equal(search.outer_scores_, expected.outer_scores_)


BACKENDS = [
    ({"backend": "sequential"}, -1),
    ({"backend": "threading"}, -2),
    ({"backend": "threading"}, 20),
    ({"backend": "threading", "n_jobs": 2}, None),
    ({"prefer": "threads", "n_jobs": 2}, None),
    ({"require": "sharedmem"}, 2),
]
POOLS = [
    ({"backend": "multiprocessing"}, 2),
    ({"backend": "loky", "n_jobs": 2}, None),
    ({"backend": "loky", "max_nbytes": 10, "mmap_mode": "c"}, 2),
]


def name_of(value):
    return "-".join(map(str, value.values())) if isinstance(value, dict) else str(value)


@pytest.mark.filterwarnings("ignore:.*use of fork\\(\\) may lead to deadlocks")
@pytest.mark.parametrize(
    ("backend", "n_jobs"),
    [*BACKENDS, *(pytest.param(*pool, marks=pytest.mark.slow) for pool in POOLS)],
    ids=name_of,
)
@every_maker
def test_no_backend_and_no_number_of_workers_changes_a_number(kind, backend, n_jobs):
    with joblib.parallel_config(**backend):
        search = fitted(kind, n_jobs=n_jobs)
    assert_same(search, alone(kind))


@pytest.mark.parametrize("pre_dispatch", ["all", 1, "3*n_jobs+1"])
@every_maker
def test_tasks_handed_out_ahead_change_no_number(kind, pre_dispatch):
    with joblib.parallel_config(backend="threading"):
        search = fitted(kind, n_jobs=2, pre_dispatch=pre_dispatch)
    assert_same(search, alone(kind))


@every_maker
def test_a_search_in_a_worker_gives_the_numbers_of_grid_search(kind):
    expected = cross_val_score(GridSearchCV(TREE, GRID, cv=3), X, Y, cv=2)
    with joblib.parallel_config(backend="threading"):
        search = MAKERS[kind](TREE, GRID, cv=3, n_jobs=2)
        np.testing.assert_array_equal(cross_val_score(search, X, Y, cv=2, n_jobs=2), expected)


class Interrupted(DummyClassifier):
    """Gets an interrupt in its third setting."""

    def __init__(self, at=0):
        super().__init__()
        self.at = at

    def fit(self, X, y):
        if self.at == 2:
            raise KeyboardInterrupt
        return super().fit(X, y)


@every_maker
def test_an_interrupt_in_a_worker_leaves_the_search_unfitted(kind):
    search = MAKERS[kind](Interrupted(), {"at": [0, 1, 2]}, cv=3, n_jobs=2)
    with joblib.parallel_config(backend="threading"), pytest.raises(KeyboardInterrupt):
        search.fit(X, Y)
    assert not hasattr(search, "best_score_")
