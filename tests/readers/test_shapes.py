"""The same scores in every shape that people store them in, and readings that would be wrong."""

import io
import json
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.feature_selection import SelectKBest

from skmaxev.correction import correct
from skmaxev.metrics import direction_doubt

SCORES = 0.7 + 0.05 * np.random.default_rng(0).normal(size=(5, 6))  # splits x candidates
SPLITS = [f"split{k}_test_score" for k in range(5)]
WIDE = pd.DataFrame(SCORES.T, columns=SPLITS).assign(param_C=range(6))
LONG = WIDE.melt("param_C", SPLITS, "fold", "score")
PLAIN = correct(SCORES)


def named(pattern, **more):
    return WIDE.set_axis([*(pattern.format(k) for k in range(5)), "params.C"], axis=1).assign(
        **more
    )


def lists(name, cells=None):
    return pd.DataFrame({"model": list("abcdef"), name: cells or [list(row) for row in SCORES.T]})


SHAPES = {
    "decimals": [[Decimal(repr(float(value))) for value in row] for row in SCORES],
    "texts": SCORES.astype(str),
    "long double": SCORES.astype(np.longdouble),
    "structured array": WIDE.to_records(index=False),
    "rows": WIDE.to_dict("records"),
    "JSON columns": json.loads(WIDE.to_json(double_precision=15)),
    "JSON rows by index": json.loads(WIDE.to_json(orient="index", double_precision=15)),
    "transposed frame": WIDE.T,
    "transposed, names in a column": WIDE.T.reset_index(),
    "transposed polars": pl.DataFrame({"": SPLITS} | {f"m{i}": SCORES[:, i] for i in range(6)}),
    "transposed CSV": io.StringIO(WIDE.T.to_csv()),
    "two levels of names": WIDE.set_axis(
        pd.MultiIndex.from_tuples([*(("user_attrs", name) for name in SPLITS), ("params", "C")]),
        axis=1,
    ),
    "metric in the name": named("fold_{}_auc"),
    "metric before the fold": named("val_acc_fold{}"),
    "MLflow": named("metrics.fold_{}_auc", **{"metrics.fold_0_time": 1, "metrics.fold_1_time": 2}),
    "W&B": named("fold_{}/val_auc"),
    "number in the metric": named("f1_fold_{}"),
    "pivoted long table": LONG.assign(fold=LONG["fold"].str[5].astype(int)).pivot(
        index="param_C", columns="fold", values="score"
    ),
    "lists in cells": lists("fold_scores"),
    "arrays in cells": lists("scores", list(SCORES.T)),
    "texts of lists": io.StringIO(
        lists("scores", [str(row.tolist()) for row in SCORES.T]).to_csv()
    ),
    "texts of lists of NumPy's": io.StringIO(lists("scores").to_csv()),
    "results of cross_validate": [{"test_score": row, "fit_time": row} for row in SCORES.T],
    "the same by name": {name: {"test_score": SCORES.T[i]} for i, name in enumerate("abcdef")},
    "results of cross_val_score by name": {name: SCORES[:, i] for i, name in enumerate("abcdef")},
    "cells of text": WIDE.assign(**{name: WIDE[name].map(str) for name in SPLITS[:2]}).join(
        pd.DataFrame({7: range(6)})
    ),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_every_shape_gives_the_same_report(shape):
    report = correct(SHAPES[shape])
    assert report.estimate == pytest.approx(PLAIN.estimate, rel=1e-12)
    assert report.interval == pytest.approx(PLAIN.interval, rel=1e-9)
    assert (report.best_index, report.n_splits, report.n_used) == (PLAIN.best_index, 5, 6)
    assert not [note for note in report.notes if not note.startswith("f1 within")]


def test_settings_survive_the_shapes():
    best = PLAIN.best_index
    assert correct(SHAPES["rows"]).best_params == {"C": best}
    assert correct(SHAPES["transposed frame"]).best_params == {"C": best}
    assert correct(SHAPES["MLflow"]).best_params == {"C": best}
    for shape in ("the same by name", "results of cross_val_score by name"):
        assert correct(SHAPES[shape]).best_params == {"params": "abcdef"[best]}
    assert correct(SHAPES["MLflow"]).metric == "auc"


def test_long_rows_need_no_frame():
    report = correct(LONG.to_dict("records"), candidate="param_C", fold="fold", score="score")
    assert report.estimate == PLAIN.estimate


def test_several_metrics_of_cross_validate_are_asked_for_by_name():
    runs = {
        name: {"fit_time": SCORES[:, i], "test_f1": SCORES[:, i], "test_auc": 0.9 * SCORES[:, i]}
        for i, name in enumerate("abcdef")
    }
    for metric in ("f1", "test_f1"):
        assert correct(runs, metric=metric).estimate == PLAIN.estimate
    assert correct(runs, metric="auc").naive == pytest.approx(0.9 * PLAIN.naive)
    assert correct(runs, metric="auc").best_params == {"params": "abcdef"[PLAIN.best_index]}
    with pytest.raises(ValueError, match=r"metric must be one of \['f1', 'auc'\]"):
        correct(runs)


def test_a_candidate_without_its_list_failed():
    report = correct(lists("scores").assign(scores=lambda f: [None, *f["scores"][1:]]))
    assert report.left_out == {0: "no score on every split"}


@pytest.mark.parametrize(
    ("results", "words"),
    [
        (named("fold_{}_auc", **{f"fold_{k}_loss": 0.5 for k in range(5)}), r"\['auc', 'loss'\]"),
        (lists("scores", [[0.1, 0.2], *[[0.1] * 5] * 5]), "hold 2 to 5"),
        (pd.Series(list(SCORES)), "stack them to one array"),
        ([WIDE.to_numpy(), WIDE.to_numpy()], r"got \(2, 6, 6\)"),
        (
            pd.DataFrame({"fold": ["fold 1", "fold 2"], "train": [0.9, 0.8], "test": [0.7, 0.8]}),
            "found only fold, train, test",
        ),
        (pd.DataFrame({"min_split_2": [1, 2], "mean": [0.1, 0.2]}), "found only min_split_2"),
        ({"accuracy": SCORES[:, 0], "auc": SCORES[:, 1]}, "found only accuracy, auc"),
        ({"mean_test_score": SCORES[0], "rank_test_score": SCORES[1]}, "found only mean_test"),
        ("sqlite:///study.db", r"optuna\.load_study"),
        (io.BytesIO(b"\x93NUMPY\x01\x00v\x00"), r"numpy\.load"),
        (io.StringIO("# my run\n" + WIDE.to_csv()), "what stands above"),
    ],
)
def test_what_cannot_be_told_is_asked(results, words):
    with pytest.raises((TypeError, ValueError), match=words):
        correct(results)


@pytest.mark.parametrize(
    ("results", "words"),
    [
        (LONG, r"If column 'fold' tells splits apart, this is a long table: say .*fold='fold'"),
        ({"fit_time": SCORES[0], "score_time": SCORES[0], "test_score": SCORES[0]}, "Of one model"),
        (
            {"valid binary_logloss-mean": [0.5, 0.4], "valid binary_logloss-stdv": [0.1, 0.1]},
            "rounds of one candidate.*return_cvbooster",
        ),
        ({"params": {"depth": 6}, "cv_results": {"test-RMSE-mean": [0.1]}}, "CatBoost's grid_sea"),
        (
            {"scores": SCORES, "notes": ["a", "b", "c"]},
            "'scores' holds an array. Pass the array itself",
        ),
        ({"train": list(SCORES[0]), "test": list(SCORES[1])}, "found only train, test"),
        ({"x": [3], "fun": -0.8, "func_vals": SCORES[0]}, "found only x, fun, func_vals"),
        ({"svm": 0.8, "forest": 0.9}, "found only svm, forest"),
        ([("svm", SCORES[0]), ("forest", SCORES[1])], r"got pairs.*Pass the scores by the name"),
        (SelectKBest, r"Pass a fitted object\."),
        (WIDE.to_json(), r"got the text '{\"split0.*json\.loads"),
    ],
)
def test_what_holds_no_scores_of_splits_is_told_what_would(results, words):
    with pytest.raises((TypeError, ValueError), match=words):
        correct(results)


# Wrong readings


@pytest.mark.parametrize(
    ("scores", "options", "cure"),
    [
        (SCORES, {"metric": "rmse"}, "greater_is_better=False"),
        (SCORES, {"metric": "Log Loss"}, "greater_is_better=False"),
        (SCORES, {"metric": "neg_log_loss"}, "greater_is_better=False"),
        (-SCORES, {"metric": "neg_log_loss", "greater_is_better": False}, "greater_is_better=True"),
        (SCORES, {"metric": "accuracy", "greater_is_better": False}, "greater_is_better=True"),
        (-SCORES, {"metric": "roc_auc"}, "greater_is_better=False"),
        (
            LONG.rename(columns={"score": "val_loss"}),
            {"candidate": "param_C", "fold": "fold", "score": "val_loss"},
            "greater_is_better=False",
        ),
    ],
)
def test_a_name_that_contradicts_the_scores_is_an_error(scores, options, cure):
    with pytest.raises(ValueError, match=rf"right way round.*{cure}"):
        correct(scores, **options)
    turned = correct(scores, **options | {"greater_is_better": cure.endswith("True")})
    assert turned.greater_is_better is cure.endswith("True")


@pytest.mark.parametrize("name", ["MeanSquaredError", "valLoss", "RMSELoss", "MASE", "owa", "cost"])
def test_losses_under_any_name_are_never_silently_maximised(name):
    with pytest.raises(ValueError, match="greater_is_better=False"):
        correct(SCORES, metric=name)
    report = correct(SCORES, metric=name, greater_is_better=False)
    assert report.naive == pytest.approx(SCORES.mean(axis=0).min())


@pytest.mark.parametrize("name", ["MultiClass", "uplift 2", "x"])
def test_a_name_that_tells_no_direction_is_asked_about(name):
    with pytest.raises(ValueError, match=f"whether higher is better; the name {name!r}"):
        correct(SCORES, metric=name)
    assert correct(SCORES, metric=name, greater_is_better=True).naive == PLAIN.naive


@pytest.mark.parametrize(
    "name", ["valAccuracy", "AUC", "R2Score", "F1Score", "NDCG@10", "Kappa", "ROC"]
)
def test_scores_under_any_name_need_no_word(name):
    assert correct(SCORES, metric=name).naive == PLAIN.naive


@pytest.mark.parametrize(
    ("metric", "scores"),
    [
        ("d2_log_loss_score", SCORES),
        ("Brier skill score", SCORES),
        ("rmse", -SCORES),
        ("nll", SCORES - 0.7),  # of a density, of either sign
        ("accuracy", np.zeros((3, 2))),
        ("log_loss", np.zeros((3, 2))),
        ("terror", SCORES),
    ],
)
def test_other_names_and_scores_are_left_alone(metric, scores):
    assert direction_doubt(metric, scores) is None


@pytest.mark.parametrize("far", [999, 1e10, -5])
def test_a_winner_is_never_taken_for_a_failed_fit(far):
    table = np.column_stack([SCORES, np.full(5, 0.7)])
    table[[1, 3], 6] = far
    assert not correct(table).left_out
    assert correct(table).naive == pytest.approx(table.mean(axis=0).max())
    assert correct(table, error_score=far).estimate == PLAIN.estimate


@pytest.mark.parametrize("perfect", [1.0, 100.0])
def test_a_perfect_candidate_among_equals_is_none(perfect):
    table = np.column_stack([perfect / 2 + 1e-9 * SCORES, np.full(5, perfect)])
    assert not correct(table, metric="accuracy").left_out


def test_a_mean_among_the_folds_is_refused():
    means = LONG.groupby("param_C", as_index=False)["score"].mean().assign(fold="mean")
    both = pd.concat([LONG, means])
    with pytest.raises(ValueError, match="holds 'mean', which sums up the others"):
        correct(both, candidate="param_C", fold="fold", score="score")


def test_more_splits_than_candidates_may_lie_on_their_side():
    assert correct(SCORES.T).notes[0].startswith("Read as 6 splits and 5 candidates")
    assert correct(SCORES[:, :5]).notes[0].startswith("Read as 5 splits and 5 candidates")
    assert not correct(SCORES[:, :1]).notes
    turned = correct(SCORES.T, candidates_in="rows")
    assert (turned.estimate, turned.notes) == (PLAIN.estimate, ())
    assert not correct(SCORES.T, candidates_in="columns").notes
    with pytest.raises(ValueError, match="candidates_in must be 'rows' or 'columns'"):
        correct(SCORES, candidates_in="both")
    separate = [SCORES[:, i] for i in range(6)]  # as of cross_val_score, a model each
    assert (correct(separate).estimate, correct(separate).notes) == (PLAIN.estimate, ())


def test_what_only_looks_like_a_path_is_no_search():
    features = SelectKBest(k=2).fit(np.random.default_rng(0).random((30, 4)), np.arange(30) % 2)
    with pytest.raises(TypeError, match="this fitted SelectKBest keeps none"):
        correct(features)


def test_losses_that_were_turned_round_already_are_asked_about():
    turned = correct(-SCORES, greater_is_better=False)  # such as the negative of an accuracy
    assert turned.naive == pytest.approx(-PLAIN.naive)
    assert turned.notes[0].startswith("All losses are below 0.")
    assert not correct(SCORES, greater_is_better=False).notes
    assert correct(-SCORES).notes[0].startswith("No score is above 0")
    assert not correct(-SCORES, metric="neg_mean_absolute_error").notes


METRICS = ["accuracy", "auc", "err_count", "logloss", "max_per_class_error", "mcc"]


@pytest.mark.parametrize("labels", [METRICS, ["Accuracy", "AUC", "Recall", "Kappa", "F1", "Prec."]])
def test_rows_that_are_metrics_are_no_candidates(labels):
    frame = pd.DataFrame(SCORES.T, columns=[f"cv_{k}_valid" for k in range(5)])
    named = frame.assign(**{"": labels})
    for results in (named, frame.set_axis(labels), io.StringIO(named.to_csv(index=False))):
        with pytest.raises(ValueError, match=f"rows here are metrics, such as {labels[0]!r}"):
            correct(results)


@pytest.mark.parametrize(
    "label", [{"model": list("abcdef")}, {"Name": [f"run-{i}" for i in range(6)], "lr": range(6)}]
)
def test_what_the_table_says_of_the_winner_names_it(label):
    best = PLAIN.best_index
    frame = WIDE.drop(columns="param_C").assign(
        **label, mean_auc=SCORES.mean(axis=0), fit_time=range(6), same=1
    )
    expected = {name: list(values)[best] for name, values in label.items()}
    assert correct(frame).best_params == expected
    assert correct(frame.to_dict("records")).best_params == expected
    assert set(correct(io.StringIO(frame.to_csv())).best_params) == set(expected)
    by_index = WIDE[SPLITS].set_axis(list("abcdef"))
    assert correct(by_index).best_params == {"candidate": "abcdef"[best]}


def test_repeats_in_the_labels_of_long_tables_are_their_design():
    rows = [
        {"mtry": i // 2, "rule": "ab"[i % 2], "id": f"Repeat{k // 2}", "id2": f"Fold{k % 2}"}
        | {"both": f"Fold{k % 2}.Rep{k // 2}", "auc": SCORES[k, i]}
        for k in range(4)
        for i in range(6)
    ]
    frame, who = pd.DataFrame(rows), ["mtry", "rule"]
    told = correct(SCORES[:4], n_repeats=2, metric="auc")
    for fold in (["id", "id2"], "both"):
        report = correct(frame, candidate=who, fold=fold, score="auc")
        assert (report.estimate, report.interval) == (told.estimate, told.interval)
        assert report.best_params == dict(zip(who, divmod(told.best_index, 2), strict=True)) | {
            "rule": "ab"[told.best_index % 2]
        }
        assert report.table.design.n_repeats == 2
        assert report.table.design.test_share == 0.5
        assert report.table.design.source == "labels"
    with pytest.raises(ValueError, match=r"name all columns.*fold=\['id', 'id2'\]"):
        correct(frame, candidate=who, fold="id2", score="auc")


def test_what_the_caller_says_of_the_splits_is_their_design():
    design = correct(SCORES, test_share=0.25, n_repeats=5, clusters=[0, 0, 1]).table.design
    assert (design.n_repeats, design.test_share, design.source) == (5, 0.25, "told")
    np.testing.assert_array_equal(design.clusters, [0, 0, 1])
    assert correct(SCORES, n_repeats=1).table.design.test_share == pytest.approx(0.2)


def test_a_description_of_the_candidates_is_refused():
    described = WIDE.describe()
    among = pd.concat([WIDE, described]).assign(param_C=1).reset_index(names="model")
    for results in (described, io.StringIO(described.to_csv()), among, among.set_index("model")):
        with pytest.raises(ValueError, match=r"row '(25|50)%' describes the others"):
            correct(results)
