"""The same list of fits on a dask cluster: the same numbers, data sent once, workers may die."""

import os
import signal
import threading
import time
from pathlib import Path

import joblib
import numpy as np
import pytest
from recorders import Logged, lines
from sklearn.datasets import make_classification
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from skmaxev.search import NestedCVSearch, ShrunkSearchCV

distributed = pytest.importorskip("distributed")

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("default")]

X, y = make_classification(n_samples=80, n_features=4, random_state=0)
C = [0.01, 0.1, 1.0, 10.0]


@pytest.fixture(scope="module")
def client():
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        room = str(Path(__file__).parents[1])
        client.run(exec, f"import sys; sys.path.insert(0, {room!r})")  # by name, not by this module
        yield client


def assert_same(one, other):
    for name in one.cv_results_:
        if name.startswith(("split", "mean_test", "std_test")):
            np.testing.assert_array_equal(one.cv_results_[name], other.cv_results_[name])
    assert one.best_score_ == other.best_score_


def test_a_cluster_gives_the_numbers_of_one_process(client, tmp_path):
    search = NestedCVSearch(Logged(), {"C": C}, cv=4, checkpoint=tmp_path / "kept.db")
    with joblib.parallel_config(backend="dask"):
        there = search.fit(X, y)
    assert there.n_restored_ == 0
    here = NestedCVSearch(Logged(), {"C": C}, cv=4).fit(X, y)
    assert_same(there, here)
    np.testing.assert_array_equal(there.outer_scores_, here.outer_scores_)
    assert search.fit(X, y).n_restored_ == 40


@pytest.mark.parametrize("kind", ["array", "texts"])
def test_data_are_sent_once_and_not_with_every_task(client, kind):
    sent = []
    scatter = client.scatter

    def counting(data, **options):
        sent.append(type(data).__name__)
        return scatter(data, **options)

    texts = [f"{'good' if label else 'bad'} thing {number % 7}" for number, label in enumerate(y)]
    estimator = make_pipeline(TfidfVectorizer(), LogisticRegression())
    grid = {"logisticregression__C": C}
    data = texts if kind == "texts" else X
    if kind == "array":
        estimator, grid = LogisticRegression(), {"C": C}
    search = ShrunkSearchCV(estimator, grid, cv=5)
    with pytest.MonkeyPatch.context() as patch, joblib.parallel_config(backend="dask"):
        patch.setattr(type(client), "scatter", lambda _, data, **options: counting(data, **options))
        there = search.fit(data, y if kind == "array" else list(y))
    assert sent == (["_Rows"] * 2 if kind == "texts" else ["ndarray"])  # 80 labels are too few
    assert_same(there, ShrunkSearchCV(estimator, grid, cv=5).fit(data, y))


def test_a_worker_that_is_killed_changes_no_number(client, tmp_path):
    log = str(tmp_path / "log")
    before = set(client.run(os.getpid).values())

    def all_hold_the_data():
        return all(any("ndarray" in str(k) for k in keys) for keys in client.has_what().values())

    def kill_one():
        # joblib gives the data to one worker, from which the others fetch them with their first fit
        while sum(lines(log).values()) < 5 or not all_hold_the_data():
            time.sleep(0.01)
        os.kill(min(before), signal.SIGKILL)

    killer = threading.Thread(target=kill_one)
    killer.start()
    search = NestedCVSearch(Logged(log=log, seconds=0.1), {"C": C}, cv=4)
    with joblib.parallel_config(backend="dask"):
        there = search.fit(X, y)
    killer.join()
    client.wait_for_workers(2)
    assert set(client.run(os.getpid).values()) != before
    assert_same(there, NestedCVSearch(Logged(), {"C": C}, cv=4).fit(X, y))
