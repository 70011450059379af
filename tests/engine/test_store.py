"""What a checkpoint keeps, and what is told apart in it."""

import warnings

import numpy as np
import pytest
from checkpoints import C, X, nested, plain_search, records, remove, y
from recorders import Logged, Shift, lines
from sklearn.datasets import make_classification
from sklearn.exceptions import FitFailedWarning
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold, ShuffleSplit
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from sklearn.svm import SVC

from skmaxev import correct
from skmaxev._checkpoint import SEARCH, CheckpointFile
from skmaxev.engine.fingerprint import FingerprintError

OTHERS = {
    "data": {"X": X + np.eye(60, 4)},
    "target": {"y": 1 - y},
    "estimator": {"estimator": SVC(kernel="linear")},
    "parameter of the estimator": {"estimator": SVC(gamma=0.5)},
    "scorer": {"scoring": "f1"},
    "splits": {"cv": KFold(4, shuffle=True, random_state=0)},
    "candidates": {"grid": {"C": [2.0, 3.0]}},
    "train scores": {"return_train_score": True},
    "weights": {"sample_weight": np.arange(60.0) + 1},
}


@pytest.mark.parametrize("name", OTHERS)
def test_other_searches_in_one_file_are_told_apart(tmp_path, name):
    path = tmp_path / "kept.db"
    plain_search(path)
    changed = plain_search(path, **OTHERS[name])
    assert changed.n_restored_ == 0
    alone = plain_search(None, **OTHERS[name])
    np.testing.assert_array_equal(
        changed.cv_results_["mean_test_score"], alone.cv_results_["mean_test_score"]
    )
    assert plain_search(path).n_restored_ == len(C) * 4


def test_another_version_of_scikit_learn_is_told_apart(tmp_path):
    path = tmp_path / "kept.db"
    plain_search(path)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sklearn.__version__", "99.0")
        assert plain_search(path).n_restored_ == 0


@pytest.mark.parametrize(
    "same",
    [
        {"n_jobs": 1},
        {"verbose": 0, "refit": False},
        {"level": 0.9, "share_steps": False},
        {"error_score": 0.0},
    ],
)
def test_what_changes_no_score_does_not_repeat_a_fit(tmp_path, same):
    plain_search(tmp_path / "kept.db")
    assert plain_search(tmp_path / "kept.db", **same).n_restored_ == len(C) * 4


def test_a_larger_grid_repeats_no_old_fit(tmp_path):
    path = tmp_path / "kept.db"
    plain_search(path)
    search = plain_search(path, grid={"C": [*C, 100.0], "gamma": ["scale"]})
    assert search.n_restored_ == 0  # gamma is now said
    search = plain_search(path, grid={"C": [100.0, *C]})
    assert search.n_restored_ == len(C) * 4
    assert search.n_fits_ == 5 * 4 + 1


def test_fits_that_failed_are_made_again(tmp_path):
    path = tmp_path / "kept.db"
    estimator = make_pipeline(Shift(), SVC())
    grid = {"shift__fails": [False, True]}
    folds = [(np.arange(41), np.arange(41, 60)), (np.arange(20, 60), np.arange(20))]
    for restored in (0, 3):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            search = plain_search(path, estimator=estimator, grid=grid, cv=folds)
        (told,) = [str(one.message) for one in caught if one.category is FitFailedWarning]
        assert "1 fits failed" in told
        assert "an odd number of rows" in told
        assert search.n_restored_ == restored
        assert np.isnan(search.cv_results_["split0_test_score"][1])


@pytest.mark.parametrize("scoring", [["accuracy", "roc_auc"], {"own": "f1"}, "neg_log_loss"])
def test_scores_of_every_kind_come_back_to_the_last_bit(tmp_path, scoring):
    options = {"scoring": scoring, "return_train_score": True, "estimator": Logged()}
    options["refit"] = {list: "roc_auc", dict: "own", str: True}[type(scoring)]
    first, again = (plain_search(tmp_path / "kept.db", **options) for _ in range(2))
    assert again.n_restored_ == len(C) * 4
    for name in first.cv_results_:
        if name.startswith(("split", "mean_t", "mean_fit", "std")):
            np.testing.assert_array_equal(first.cv_results_[name], again.cv_results_[name])


def test_shared_steps_and_checkpoint_go_together(tmp_path):
    options = {"estimator": make_pipeline(StandardScaler(), SVC()), "grid": {"svc__C": C}}
    path = tmp_path / "kept.db"
    first = plain_search(path, **options)
    remove(path, [record for record in records(path) if record.digest < b"\x80"])  # about half
    again = plain_search(path, **options)
    assert 0 < again.n_restored_ < len(C) * 4
    for name in ("mean_test_score", "std_test_score"):
        np.testing.assert_array_equal(first.cv_results_[name], again.cv_results_[name])


def test_unseeded_estimators_are_let_through_and_unseeded_splits_are_not(tmp_path):
    from sklearn.ensemble import RandomForestClassifier

    path = tmp_path / "kept.db"
    forest = {"estimator": RandomForestClassifier(n_estimators=3), "grid": {"max_depth": [1, 2]}}
    first, again = (plain_search(path, **forest) for _ in range(2))
    assert again.n_restored_ == 8
    np.testing.assert_array_equal(
        first.cv_results_["mean_test_score"], again.cv_results_["mean_test_score"]
    )
    for cv in (KFold(3, shuffle=True), ShuffleSplit(3)):
        with pytest.raises(ValueError, match="needs the same splits at every call; cv="):
            plain_search(path, cv=cv)
    assert plain_search(path, cv=KFold(4)).n_restored_ == 0


def test_what_cannot_be_recognised_is_said_before_the_first_fit(tmp_path):
    path, log = tmp_path / "kept.db", str(tmp_path / "log")
    estimator = make_pipeline(FunctionTransformer(lambda data: data), Logged(log=log))
    with pytest.raises(FingerprintError, match=r"estimator.*<lambda>' cannot"):
        plain_search(path, estimator=estimator, grid={"logged__C": C})
    with pytest.raises(FingerprintError, match=r"scoring.*<lambda>' cannot"):
        plain_search(path, estimator=Logged(log=log), scoring=lambda est, X, y: 1.0)
    assert not path.exists()
    assert not lines(log)


def test_nothing_is_unpickled(tmp_path):
    path = tmp_path / "kept.db"
    nested(path)
    with pytest.MonkeyPatch.context() as patch:
        for name in ("load", "loads", "Unpickler"):
            patch.setattr(f"pickle.{name}", None)
        assert correct(path).n_candidates == len(C)
    assert b"sklearn" not in path.read_bytes()  # as any pickle of an estimator says


@pytest.mark.parametrize(
    "values",
    [
        np.array([3, -1, 3], dtype=np.int16),
        np.array(["é", "b", "é"]),
        np.array([True, 1, None, "1", 1.5], dtype=object),
        np.array([[0.1, np.nan], [-0.0, np.inf]], dtype=np.float32),
        np.array([True, False]),
        np.array([b"x", b"yy"]),
        np.array([], dtype=np.int64),
    ],
)
def test_arrays_come_back_as_they_were(tmp_path, values):
    with CheckpointFile(tmp_path / "kept.db", write=True) as file:
        file.append(SEARCH, b"", None, {"it": values, "again": values})
    with CheckpointFile(tmp_path / "kept.db", write=False) as file:
        _, arrays = file.read(file.records[0])
    for array in arrays.values():
        assert (array.dtype, array.shape) == (values.dtype, values.shape)
        np.testing.assert_array_equal(array, values)
        assert list(map(type, array.ravel().tolist())) == list(map(type, values.ravel().tolist()))


@pytest.mark.parametrize(
    ("scoring", "labels", "n_bytes"),
    [
        ("accuracy", ["no", "a long name of a class"], 8),
        ("accuracy", [0, 1], 8),
        ("roc_auc", [0, 1], 16),
        ("neg_log_loss", [0, 1], 16),
    ],
)
def test_the_file_is_no_larger_than_the_guide_says(tmp_path, scoring, labels, n_bytes):
    path, bare, rows = tmp_path / "kept.db", tmp_path / "bare.db", 2000
    X, y = make_classification(rows, 4, random_state=0)
    options = {"estimator": LogisticRegression(), "X": X, "y": np.array(labels)[y]}
    for file, keep in ((path, True), (bare, False)):
        plain_search(file, scoring=scoring, keep_predictions=keep, **options)
    predictions = path.stat().st_size - bare.stat().st_size
    targets = 10 * rows + 3000  # the rows' splits and labels, and a few names
    assert 0.4 * n_bytes * rows * len(C) < predictions < n_bytes * rows * len(C) + targets
