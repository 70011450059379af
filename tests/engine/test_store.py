"""A checkpoint survives everything but a lie: kill -9, other searches, damage, other processes."""

import os
import random
import signal
import sqlite3
import time
import warnings
from pathlib import Path

import numpy as np
import pytest
from recorders import Logged, Shift, lines, note
from sklearn.datasets import make_classification
from sklearn.exceptions import FitFailedWarning
from sklearn.model_selection import KFold, ShuffleSplit
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from sklearn.svm import SVC

from skmaxev import correct
from skmaxev._checkpoint import CheckpointError, open_checkpoint
from skmaxev.engine.fingerprint import FingerprintError
from skmaxev.scores import from_checkpoint
from skmaxev.search import NestedCVSearch, ShrunkSearchCV

X, y = make_classification(n_samples=60, n_features=4, random_state=0)
C = [0.01, 0.1, 1.0, 10.0]


def nested(path, log=None, **options):
    return NestedCVSearch(
        Logged(log=log), {"C": C}, cv=4, checkpoint=path, refit=False, **options
    ).fit(X, y)


def stored(path):
    link = sqlite3.connect(path)
    (count,) = link.execute("SELECT count(*) FROM fit").fetchone()
    link.close()
    return count


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


def test_a_second_run_repeats_no_fit_and_gives_the_same_result(tmp_path):
    path, log = tmp_path / "kept.db", str(tmp_path / "log")
    first = nested(path, log)
    made = lines(log)
    again = nested(path, log)
    assert lines(log) == made
    assert set(made.values()) == {1}
    assert (first.n_restored_, again.n_restored_) == (0, len(C) * 10)
    assert_same(first, again)
    assert_same(first, nested(None))


def test_the_checkpoint_does_not_change_a_score_or_a_file_name(tmp_path):
    nested(str(tmp_path / "kept.db"))
    assert [file.name for file in tmp_path.iterdir()] == ["kept.db"]


def test_a_search_that_broke_off_goes_on_where_it_was(tmp_path):
    path, log = tmp_path / "kept.db", str(tmp_path / "log")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Logged, "predict", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            nested(path, log, error_score="raise")
    assert stored(path) == 0  # the first score failed
    Path(log).unlink()
    with pytest.MonkeyPatch.context() as patch:

        def interrupt(file, *words):
            if len(lines(log)) == 13:
                raise KeyboardInterrupt
            note(file, *words)

        patch.setattr("recorders.note", interrupt)
        with pytest.raises(KeyboardInterrupt):
            nested(path, log)
    assert stored(path) == 13
    resumed = nested(path, log)
    assert resumed.n_restored_ == 13
    assert set(lines(log).values()) == {1}
    assert_same(resumed, nested(None))


def run_in_child(path, log, seconds):
    """Search in a child that never comes back by itself to the test."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # other tests may have left threads
        child = os.fork()
    if child == 0:
        code = 1
        try:
            resume(path, log, seconds)
            code = 0
        finally:
            os._exit(code)
    return child


def kill_after(path, log, seconds, pause):
    seen = sum(lines(log).values())
    child = run_in_child(path, log, seconds)
    while sum(lines(log).values()) == seen:
        time.sleep(0.002)
        if os.waitpid(child, os.WNOHANG) != (0, 0):
            return  # nothing was left to do
    time.sleep(pause)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)


def resume(path, log, seconds):
    slow = Logged(log=str(log), seconds=seconds)
    return NestedCVSearch(slow, {"C": C}, cv=4, checkpoint=path, refit=False).fit(X, y)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_kill_9_at_any_moment_loses_no_finished_fit(tmp_path):
    reference = nested(None)
    rng = random.Random(0)  # noqa: S311
    for attempt in range(10):
        path, log = tmp_path / f"{attempt}.db", tmp_path / f"{attempt}.log"
        kill_after(path, log, 0.001, rng.uniform(0, 0.15))
        made, kept = sum(lines(log).values()), stored(path)
        assert kept <= made <= kept + 1  # one may have been at its judging
        resumed = resume(path, log, 0.001)
        assert resumed.n_restored_ == kept
        assert sum(lines(log).values()) == made + resumed.n_fits_ - kept
        assert_same(resumed, reference)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_kill_9_again_and_again_comes_to_an_end(tmp_path):
    path, log, kept = tmp_path / "kept.db", tmp_path / "log", 0
    rng = random.Random(1)  # noqa: S311
    for _ in range(10):
        kill_after(path, log, 0.005, rng.uniform(0, 0.15))
        assert stored(path) >= kept
        kept = stored(path)
    resumed = resume(path, log, 0.005)
    assert resumed.n_restored_ == kept
    assert kept >= 3
    assert_same(resumed, nested(None))
    assert sum(lines(log).values()) <= resumed.n_fits_ + 10  # of each run at most the fit at hand


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_several_processes_may_use_one_file_at_once(tmp_path):
    path, log = tmp_path / "kept.db", tmp_path / "log"
    children = [run_in_child(path, log, 0.005) for _ in range(3)]
    for child in children:
        assert os.waitpid(child, 0)[1] == 0
    assert sum(lines(log).values()) > len(C) * 10  # they did work at the same time
    link = open_checkpoint(path, create=False)
    assert link.execute("SELECT count(*) FROM fit").fetchone() == (len(C) * 10,)
    assert link.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    link.close()
    resumed = resume(path, log, 0.005)
    assert resumed.n_restored_ == len(C) * 10
    assert_same(resumed, nested(None))


def test_a_writer_waits_for_another_one(tmp_path):
    path = tmp_path / "kept.db"
    nested(path)
    other = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    other.execute("BEGIN IMMEDIATE")
    import threading

    threading.Timer(0.3, lambda: other.execute("COMMIT")).start()
    search = ShrunkSearchCV(SVC(), {"C": C}, cv=3, checkpoint=path).fit(X, y)
    assert search.n_restored_ == 0
    assert stored(path) == len(C) * 10 + len(C) * 3
    other.close()


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


def plain_search(path, X=X, y=y, estimator=None, grid=None, sample_weight=None, **options):
    params = {} if sample_weight is None else {"sample_weight": sample_weight}
    search = ShrunkSearchCV(
        SVC() if estimator is None else estimator,
        grid or {"C": C},
        checkpoint=path,
        **{"cv": 4, **options},
    )
    return search.fit(X, y, **params)


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
    link = sqlite3.connect(path)
    link.execute("DELETE FROM fit WHERE digest < x'80'")  # about half of them
    link.commit()
    link.close()
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
    with pytest.raises(FingerprintError, match=r"estimator.*func is '.*<lambda>'"):
        plain_search(path, estimator=estimator, grid={"logged__C": C})
    with pytest.raises(FingerprintError, match=r"scoring is '.*<lambda>'"):
        plain_search(path, estimator=Logged(log=log), scoring=lambda est, X, y: 1.0)
    assert not path.exists()
    assert not lines(log)


def scribble(path, where, what):
    with path.open("r+b") as stream:
        stream.seek(where)
        stream.write(what)


def test_a_file_of_another_kind_is_left_alone(tmp_path):
    texts = tmp_path / "notes.txt"
    texts.write_text("my notes")
    with pytest.raises(CheckpointError, match=r"must be a file that skmaxev wrote; .* no SQLite"):
        plain_search(texts)
    assert texts.read_text() == "my notes"


def test_a_database_of_another_program_is_left_alone(tmp_path):
    path = tmp_path / "other.db"
    link = sqlite3.connect(path)
    link.execute("CREATE TABLE fit (mine)")
    link.commit()
    link.close()
    before = path.read_bytes()
    for use in (plain_search, correct):
        with pytest.raises(CheckpointError, match="belongs to another program"):
            use(path)
    assert path.read_bytes() == before


def test_another_format_is_told_apart(tmp_path):
    path = tmp_path / "kept.db"
    plain_search(path)
    link = sqlite3.connect(path)
    link.execute("PRAGMA user_version = 7")
    link.close()
    with pytest.raises(CheckpointError, match="format 7; this version of skmaxev reads format 1"):
        plain_search(path)


@pytest.mark.parametrize("kind", ["directory", "no directory", "read-only"])
def test_a_place_where_no_file_can_be_is_said_before_the_first_fit(tmp_path, kind):
    path = {"directory": tmp_path, "no directory": tmp_path / "none" / "kept.db"}.get(
        kind, tmp_path / "kept.db"
    )
    if kind == "read-only":
        if os.geteuid() == 0:
            pytest.skip("root may write everywhere")
        tmp_path.chmod(0o500)
    with pytest.raises(CheckpointError, match="director"):
        plain_search(path)
    tmp_path.chmod(0o700)


def test_an_empty_file_becomes_a_checkpoint(tmp_path):
    path = tmp_path / "kept.db"
    path.touch()
    assert plain_search(path).n_restored_ == 0
    assert plain_search(path).n_restored_ == len(C) * 4


def test_a_digit_that_was_changed_is_noticed(tmp_path):
    path = tmp_path / "kept.db"
    plain_search(path)
    link = sqlite3.connect(path)
    (result,) = link.execute("SELECT result FROM fit LIMIT 1").fetchone()
    link.execute(
        "UPDATE fit SET result = ? WHERE result = ?", (result.replace("0.", "1.", 1), result)
    )
    link.execute("UPDATE search SET result = replace(result, '0.9', '0.8')")
    link.commit()
    link.close()
    with pytest.raises(CheckpointError, match=r"is damaged .*none of its numbers is used"):
        plain_search(path)
    with pytest.raises(CheckpointError, match="is damaged"):
        correct(path)


def test_damage_anywhere_gives_an_error_or_the_same_numbers(tmp_path):
    sound = tmp_path / "sound.db"
    reference = plain_search(sound).cv_results_["mean_test_score"]
    whole, rng, errors = sound.read_bytes(), random.Random(0), 0  # noqa: S311
    for attempt in range(40):
        path = tmp_path / f"{attempt}.db"
        path.write_bytes(whole)
        if attempt % 4 == 0:  # torn
            path.write_bytes(whole[: rng.randrange(100, len(whole))])
        else:
            scribble(path, rng.randrange(16, len(whole) - 64), rng.randbytes(48))
        damaged = path.read_bytes()
        try:
            scores = plain_search(path).cv_results_["mean_test_score"]
            np.testing.assert_array_equal(scores, reference)
        except CheckpointError:
            errors += 1
            assert path.read_bytes() == damaged
    assert errors >= 10  # the 10 torn ones; elsewhere much of a small file is empty


def test_a_torn_log_costs_at_most_the_last_fits(tmp_path):
    path = tmp_path / "kept.db"
    link = open_checkpoint(path, create=True)  # holds the log open, so that it is not folded in
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("skmaxev.engine.store.Checkpoint.__exit__", lambda *_: None)
        reference = plain_search(path)
    wal = Path(f"{path}-wal").read_bytes()
    copy = tmp_path / "copy.db"
    copy.write_bytes(path.read_bytes())
    Path(f"{copy}-wal").write_bytes(wal[: int(len(wal) * 0.6)])
    again = plain_search(copy)
    assert 0 < again.n_restored_ < len(C) * 4
    np.testing.assert_array_equal(
        again.cv_results_["mean_test_score"], reference.cv_results_["mean_test_score"]
    )
    link.close()


def test_correct_reads_a_finished_search(tmp_path):
    path = tmp_path / "kept.db"
    search = plain_search(path, scoring=["accuracy", "roc_auc"], refit="roc_auc")
    for given in (path, str(path)):
        report = correct(given)
        assert report.metric == "roc_auc"
        assert report.estimate == search.report_.estimates["CONSENSUS"].value
        assert correct(given, method="EB").interval == search.report_.interval
        assert report.best_params == search.best_params_
    other = search.reports_["accuracy"].estimates["CONSENSUS"].value
    assert correct(path, metric="accuracy").estimate == other
    with pytest.raises(ValueError, match=r"metric must be one of \['accuracy', 'roc_auc'\]"):
        from_checkpoint(path, metric="f2")


def test_correct_reads_the_outer_folds_of_nested_cross_validation(tmp_path):
    path = tmp_path / "kept.db"
    search = nested(path)
    assert correct(path, method="NESTED").estimate == search.best_score_
    np.testing.assert_array_equal(from_checkpoint(path).outer.scores, search.outer_scores_)


def test_settings_that_are_no_plain_values_come_back_as_text(tmp_path):
    path = tmp_path / "kept.db"
    estimator = make_pipeline("passthrough", SVC())
    plain_search(path, estimator=estimator, grid={"passthrough": [StandardScaler()], "svc__C": C})
    params = from_checkpoint(path).params[2]
    assert params == {"passthrough": "StandardScaler()", "svc__C": 1.0}


def test_several_searches_have_to_be_chosen_from(tmp_path):
    path = tmp_path / "kept.db"
    first = plain_search(path)
    plain_search(path)  # the same search: no second entry
    assert correct(path).naive == first.naive_best_score_
    other = plain_search(path, cv=5)
    with pytest.raises(ValueError, match="holds 2 finished searches"):
        correct(path)
    assert correct(from_checkpoint(path, search=0)).naive == first.naive_best_score_
    assert correct(from_checkpoint(path, search=1)).naive == other.naive_best_score_


def test_an_unfinished_search_is_no_result(tmp_path):
    path = tmp_path / "kept.db"
    plain_search(path)
    link = sqlite3.connect(path)
    link.execute("DELETE FROM search")
    link.commit()
    link.close()
    with pytest.raises(CheckpointError, match="holds no finished search"):
        correct(path)
    with pytest.raises(CheckpointError, match="there is no checkpoint"):
        from_checkpoint(tmp_path / "none.db")


def test_nothing_in_the_file_is_a_pickle(tmp_path):
    path = tmp_path / "kept.db"
    nested(path)
    link = sqlite3.connect(path)
    kinds = {
        (type(value), isinstance(value, bytes) and value[:1] == b"\x80" and len(value) != 16)
        for table in ("fit", "response", "search")
        for row in link.execute(f"SELECT * FROM {table}")  # noqa: S608
        for value in row
    }
    link.close()
    assert kinds <= {(bytes, False), (str, False), (float, False), (int, False)}
