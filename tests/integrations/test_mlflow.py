"""What MLflow's autologging keeps of our searches, beside what it keeps of GridSearchCV."""

from functools import cache

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.model_selection import GridSearchCV, RandomizedSearchCV
from sklearn.tree import DecisionTreeClassifier

from skmaxev import HonestSearchCV, LowVarianceCVSearch, NestedCVSearch, ShrunkSearchCV, correct
from skmaxev.integrations import log_search

mlflow = pytest.importorskip("mlflow")
pytestmark = pytest.mark.filterwarnings("ignore")  # of MLflow's own making

X, Y = make_classification(60, 5, flip_y=0.3, random_state=0)
GRID = {"max_depth": [1, 2, 3], "min_samples_leaf": [1, 5, 9]}
TREE = DecisionTreeClassifier(random_state=0)


@pytest.fixture(scope="module")
def tracking(tmp_path_factory):
    folder = tmp_path_factory.mktemp("mlflow")
    given = mlflow.get_tracking_uri()
    mlflow.set_tracking_uri(f"sqlite:///{folder}/runs.db")
    mlflow.create_experiment("searches", artifact_location=(folder / "artifacts").as_uri())
    mlflow.set_experiment("searches")
    yield
    mlflow.set_tracking_uri(given)


@pytest.fixture
def autologging(tracking):
    import mlflow.sklearn

    mlflow.sklearn.autolog(log_models=False, log_datasets=False, silent=True)
    yield
    mlflow.sklearn.autolog(disable=True, silent=True)


def logged(search):
    """Fit; give the runs that it left, parents and children."""
    before = {run.info.run_id for run in mlflow.search_runs(output_format="list")}
    search.fit(X, Y)
    runs = mlflow.search_runs(output_format="list")
    left = [run for run in runs if run.info.run_id not in before]
    children = [run for run in left if "mlflow.parentRunId" in run.data.tags]
    return [run for run in left if run not in children], children


@cache
def metrics_of_grid_search():
    [run], _ = logged(GridSearchCV(TREE, GRID))
    return {name for name in run.data.metrics if not name.startswith("training_")}


@pytest.mark.parametrize(
    "search",
    [
        HonestSearchCV(TREE, GRID),
        NestedCVSearch(TREE, GRID, cv=3),
        LowVarianceCVSearch(TREE, GRID, n_iter=6, random_state=0),
        ShrunkSearchCV(GridSearchCV(TREE, GRID)),
        HonestSearchCV(RandomizedSearchCV(TREE, GRID, n_iter=6, random_state=0)),
    ],
    ids=repr,
)
def test_the_run_of_a_search_holds_what_that_of_grid_search_holds_and_the_honest_score(
    autologging, search
):
    [run], children = logged(search)
    assert metrics_of_grid_search() <= set(run.data.metrics)
    assert {"best_max_depth", "best_min_samples_leaf", "estimator"} <= set(run.data.params)
    assert run.data.params["best_max_depth"] == str(search.best_params_["max_depth"])
    low, high = search.report_.interval
    assert run.data.metrics == pytest.approx(
        {
            "best_cv_score": search.naive_best_score_,
            "honest_score": search.best_score_,
            "honest_low": low,
            "honest_high": high,
        }
    )
    assert len(children) == 5
    best = np.sort(search.cv_results_["mean_test_score"])[-5:]
    assert sorted(run.data.metrics["mean_test_score"] for run in children) == pytest.approx(best)


def test_a_search_inside_a_search_and_fits_without_autologging_leave_no_runs(autologging):
    [run], _ = logged(HonestSearchCV(HonestSearchCV(TREE, GRID)))
    assert run.data.tags["estimator_name"] == "HonestSearchCV"
    mlflow.sklearn.autolog(disable=True, silent=True)
    assert logged(HonestSearchCV(TREE, GRID)) == ([], [])


def test_a_failed_fit_leaves_autologging_as_it_was(autologging):
    with pytest.raises(ValueError, match="all"):
        HonestSearchCV(TREE, {"max_depth": [-1]}).fit(X, Y)
    assert len(logged(HonestSearchCV(TREE, GRID))[0]) == 1


def test_a_tracking_server_that_is_away_costs_no_search(autologging, monkeypatch):
    monkeypatch.setenv("MLFLOW_HTTP_REQUEST_MAX_RETRIES", "0")
    there = mlflow.get_tracking_uri()
    mlflow.set_tracking_uri("http://127.0.0.1:9")
    with pytest.warns(UserWarning, match="MLflow did not log the search: .*refused"):
        search = HonestSearchCV(TREE, GRID).fit(X, Y)
    mlflow.set_tracking_uri(there)
    assert search.best_score_ == search.report_.estimate


def test_a_search_is_logged_by_hand_and_its_table_corrected_from_the_artifact(tracking, tmp_path):
    search = HonestSearchCV(TREE, GRID).fit(X, Y)
    with mlflow.start_run() as run:
        assert log_search(search, max_child_runs=2) == run.info.run_id
    where = {"run_id": run.info.run_id, "dst_path": str(tmp_path)}
    path = mlflow.artifacts.download_artifacts(artifact_path="cv_results.csv", **where)
    report = correct(path)
    assert report.naive == pytest.approx(search.naive_best_score_)
    frame = mlflow.search_runs()
    with pytest.raises(ValueError, match=r"pass its artifact cv_results\.csv"):
        correct(frame)


def test_parent_runs_are_no_candidates(tracking):
    scores = np.random.default_rng(0).normal(0.8, 0.02, (4, 5))
    experiment = mlflow.create_experiment("by hand")
    with mlflow.start_run(experiment_id=experiment):
        for i in range(5):
            with mlflow.start_run(experiment_id=experiment, nested=True):
                mlflow.log_param("depth", i)
                mlflow.log_metrics({f"fold_{k}_auc": scores[k, i] for k in range(4)})
    report = correct(mlflow.search_runs([experiment]))
    assert (report.n_candidates, report.n_used) == (5, 5)
    assert report.naive == pytest.approx(scores.mean(axis=0).max())
    assert report.best_params == {"depth": str(scores.mean(axis=0).argmax())}
    assert "max_tuning_runs" in report.notes[0]
