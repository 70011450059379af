"""cv_results_ as a dict or a frame, arrays, and objects that carry scores."""

import tracemalloc

import numpy as np
import pandas as pd
import polars as pl
import pytest

from skmaxev.correction import correct
from skmaxev.readers import read_scores
from skmaxev.readers.arrays import from_array
from skmaxev.readers.results import from_cv_results
from skmaxev.table import ScoreTable


def results(n_splits=12, n_candidates=6, seed=0):
    scores = 0.7 + 0.05 * np.random.default_rng(seed).normal(size=(n_splits, n_candidates))
    found = {f"split{k}_test_score": scores[k] for k in range(n_splits)}
    found["mean_test_score"] = scores.mean(axis=0)
    found["params"] = [{"C": c} for c in range(n_candidates)]
    return found, scores


@pytest.mark.parametrize("make", [dict, pd.DataFrame, pl.DataFrame])
def test_dict_and_frames_give_the_report_of_the_array(make):
    found, scores = results()
    report, plain = correct(make(found)), correct(scores)
    assert report.estimate == plain.estimate
    assert report.interval == plain.interval
    assert report.indistinguishable == plain.indistinguishable
    assert {key: e.value for key, e in report.estimates.items()} == {
        key: e.value for key, e in plain.estimates.items()
    }
    assert report.best_params == {"C": plain.best_index}


def test_splits_are_taken_in_the_order_of_their_numbers():
    found, scores = results()
    shuffled = {name: found[name] for name in sorted(found)}
    assert list(shuffled)[2:5] != ["split0_test_score", "split1_test_score", "split2_test_score"]
    np.testing.assert_array_equal(from_cv_results(shuffled).scores, scores)


@pytest.mark.parametrize("name", ["fold{}", "Fold {}", "split_{}", "cv{}", "rep-{}_score", "run{}"])
def test_other_names_of_split_columns_do(name):
    _, scores = results(3)
    found = {"model": list("abcdef")} | {name.format(k + 1): scores[k] for k in range(3)}
    np.testing.assert_array_equal(from_cv_results(found).scores, scores)


def test_a_stored_mean_that_is_not_the_plain_mean_gives_a_note():
    found, scores = results()
    plain = correct(found)
    assert not plain.notes[:-1]
    weights = np.arange(1, 13) / 78
    weighted = correct(found | {"mean_test_score": weights @ scores})
    assert weighted.estimate == plain.estimate
    assert "not the plain mean of the splits for 6 candidate(s)" in weighted.notes[0]


def test_param_columns_give_the_settings():
    found, _ = results()
    del found["params"]
    found["param_C"] = np.ma.masked_array([1, 2, 3, 4, 5, 6], mask=[0, 1, 0, 0, 0, 0])
    found["param_knots"] = [np.arange(i) for i in range(6)]
    found["param_depth"] = ["", None, np.nan, 0, False, "x"]
    params = from_cv_results(found).params
    assert [set(setting) - {"knots"} for setting in params] == [
        {"C"}, set(), {"C"}, {"C", "depth"}, {"C", "depth"}, {"C", "depth"}
    ]  # fmt: skip
    np.testing.assert_array_equal(params[3]["knots"], [0, 1, 2])


def test_frames_with_missing_values_of_their_own_kind_are_read():
    scores = results(5)[1]
    scores[1, 2] = np.nan
    plain = correct(scores)
    columns = {f"split{k}_test_score": list(scores[k]) for k in range(5)}
    nullable = pd.DataFrame(columns).astype("Float64")
    nulls = pl.DataFrame(
        {name: [None if np.isnan(x) else x for x in c] for name, c in columns.items()}
    )
    objects = pd.DataFrame(columns).astype(object)
    for frame in (nullable, nulls, objects, pd.DataFrame(columns).astype(str)):
        assert correct(frame).estimate == plain.estimate
        assert correct(frame).left_out == {2: "no score on split 1"}


def test_means_alone_are_not_enough():
    with pytest.raises(ValueError, match=r"found only mean_test_score.*show no noise"):
        correct({"mean_test_score": [0.5, 0.6]})
    with pytest.raises(ValueError, match=r"got 42 single numbers.*right or wrong"):
        correct(np.linspace(0.7, 0.8, 42))


@pytest.mark.parametrize(
    ("scores", "error", "words"),
    [
        ([["a", "b"], ["c", "d"]], TypeError, "must be numbers"),
        ([[0.5, 0.6], [0.5]], TypeError, "must be numbers"),
        (np.zeros((0, 3)), ValueError, r"got \(0, 3\)"),
        (np.zeros((2, 2, 2)), ValueError, r"got \(2, 2, 2\)"),
        (np.full((3, 2), np.nan), ValueError, "all scores are NaN"),
        ([[0.5, np.nan], [np.nan, 0.5]], ValueError, "all 2 are left out, such as candidate 0"),
        ([[0.5, 0.6]], ValueError, r"at least two splits.*cv >= 2"),
        (3, TypeError, "got int"),
        (None, TypeError, "got NoneType"),
    ],
)
def test_bad_arrays_get_a_rule_and_a_cure(scores, error, words):
    with pytest.raises(error, match=words):
        correct(scores)


def test_a_table_is_taken_as_it_is():
    table = from_array([[0.5, 0.6], [0.7, 0.6]])
    assert read_scores(table) is table


class Banked:
    """What a bank of finished searches holds; the truth must stay unread."""

    def __init__(self, scores, **more):
        self.scores = scores
        self.__dict__.update(more)

    @property
    def truth(self):
        raise AssertionError("read the truth")

    inner = truth


def banked(seed=0, n=100, m=8, k=5):
    rng = np.random.default_rng(seed)
    right = (rng.random((n, m)) < 0.7).astype(float)
    fold, y = np.arange(n) % k, rng.integers(0, 2, n)
    scores = np.array([right[fold == j].mean(0) for j in range(k)])
    responses = np.where(right == 1, y[:, None], 1 - y[:, None]) + 0.01 * rng.normal(size=(n, m))
    return Banked(scores, correct=right, y=y, fold=fold, responses=responses, metric="accuracy")


def test_an_object_with_rows_gets_row_level_methods():
    found = banked()
    report = correct(found)
    assert report.metric == "accuracy"
    assert 0.6 < report.estimates["BBC"].value <= report.naive
    assert "BBC" not in correct(found.scores).estimates
    assert report.notes == ("Out-of-fold results of single rows were used too.",)


def test_auc_rows_come_from_the_responses():
    found = banked()
    found.metric = "roc_auc"
    assert "BBC" in correct(found).estimates
    del found.y
    assert "BBC" not in correct(found).estimates


def test_rows_of_the_wrong_shape_are_refused():
    found = banked()
    found.correct = found.correct[:, :3]
    with pytest.raises(ValueError, match=r"correct must have shape.*\(100, 8\).*got \(100, 3\)"):
        correct(found)


def test_rows_make_up_for_a_single_split():
    found = banked()
    found.scores, found.fold = found.correct.mean(0, keepdims=True), np.zeros(100, dtype=int)
    report = correct(found)
    assert report.n_splits == 10
    assert report.naive == pytest.approx(found.scores.max())
    assert "dealt into 10 parts" in report.notes[0]
    assert set(report.notes) <= set(correct(report.table).notes)


def test_a_leaderboard_with_its_rows_is_a_table_of_rows():
    right = np.random.default_rng(0).random((300, 42)) < 0.8
    report = correct(right)
    assert (
        report.notes[0] == "Each of the 300 splits is one row; the rows were dealt into 10 parts."
    )
    assert report.n_splits == 10
    assert {"BBC", "LVCV"} < set(report.estimates)
    assert correct(report.table).estimate == report.estimate
    losses = correct(1.0 - right, greater_is_better=False)
    assert losses.naive == pytest.approx(1.0 - report.naive)
    assert "pass the transposed table" in correct(right.T).notes[0]
    assert report.naive == pytest.approx(right.mean(0).max())
    assert report.optimism > 0.01


@pytest.mark.slow
def test_a_large_search_takes_seconds_and_little_memory():
    scores = 0.5 + 0.05 * np.random.default_rng(0).normal(size=(10, 200_000))
    found = {f"split{k}_test_score": scores[k] for k in range(10)}
    tracemalloc.start()
    report = correct(found)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 40 * scores.nbytes
    assert abs(report.estimate - 0.5) < 0.01
    assert report.naive > 0.56
    assert len(str(report).splitlines()) < 40


def test_a_scoretable_of_someone_elses_is_taken():
    table = ScoreTable(scores=np.array([[0.5, 0.6, 0.4], [0.7, 0.5, 0.4]]), best_index=0)
    assert correct(table).naive == pytest.approx(0.6)


def masked(scores, split, candidate):
    mask = np.zeros(scores.shape, dtype=bool)
    mask[split, candidate] = True
    return np.ma.masked_array(scores, mask=mask)


@pytest.mark.parametrize(
    "make",
    [
        lambda scores: masked(scores, 1, 3),
        lambda scores: list(masked(scores, 1, 3).T),
        lambda scores: masked(scores, 1, 3).astype(object),
        lambda scores: {
            f"split{k}_test_score": column for k, column in enumerate(masked(scores, 1, 3))
        },
        lambda scores: pd.DataFrame(
            masked(scores, 1, 3).astype(object).filled(pd.NA).T,
            columns=[f"split{k}_test_score" for k in range(12)],
        ),
    ],
)
def test_what_is_masked_is_missing(make):
    _, scores = results()
    table = scores.copy()
    table[1, 3] = np.nan
    expected, report = correct(table), correct(make(scores))
    assert report.left_out == expected.left_out == {3: "no score on split 1"}
    assert report.estimate == expected.estimate


@pytest.mark.parametrize(
    "scores", [np.ones((3, 2), dtype=complex), np.zeros((3, 2), "M8[s]"), np.zeros((3, 2), "m8[s]")]
)
def test_numbers_of_another_kind_are_refused(scores):
    with pytest.raises(TypeError, match="must be numbers"):
        correct(scores)


@pytest.mark.parametrize(
    ("names", "words"),
    [
        (["fold_0", "fold_1", "repeat1"], "names of one kind; got 'fold_0', 'repeat1'"),
        (["split0_test_score", "split00_test_score", "split1_test_score"], "got 2 for split 0"),
    ],
)
def test_other_columns_with_numbers_are_not_mixed_in(names, words):
    _, scores = results(3)
    with pytest.raises(ValueError, match=words):
        correct(dict(zip(names, scores, strict=True)))


def test_frames_with_a_name_twice_are_refused():
    frame = pd.DataFrame(np.ones((4, 2)), columns=["split0_test_score"] * 2)
    with pytest.raises(ValueError, match="'split0_test_score' is there twice"):
        correct(frame)


def test_a_missing_column_of_a_split_is_mentioned():
    found, scores = results(4)
    del found["split1_test_score"], found["mean_test_score"]
    report = correct(found)
    assert report.naive == pytest.approx(scores[[0, 2, 3]].mean(0).max())
    assert report.notes[0] == (
        "There is no column for split 1; the 3 splits that are there were used."
    )


def test_columns_of_different_length_are_refused():
    with pytest.raises(ValueError, match="columns of 1 to 2 scores"):
        correct({"split0_test_score": [0.5], "split1_test_score": [0.5, 0.6]})


def test_lazy_frames_are_collected():
    found, scores = results()
    del found["params"]
    assert correct(pl.DataFrame(found).lazy()).estimate == correct(scores).estimate


def test_a_report_is_corrected_anew():
    _, scores = results()
    report = correct(scores, metric="auc")
    assert correct(report, method="LVCV").estimate == report.estimates["LVCV"].value


@pytest.mark.parametrize("options", [{"greater_is_better": "no"}, {"metric": 5}, {"level": "0.9"}])
def test_options_of_the_wrong_kind_are_refused(options):
    with pytest.raises((TypeError, ValueError), match=f"{next(iter(options))} must be"):
        correct(np.array([[0.5, 0.6], [0.7, 0.5]]), **options)
