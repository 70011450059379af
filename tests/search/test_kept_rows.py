"""Predictions, kept as the scorers ask for them, and what they say of single rows."""

from dataclasses import replace

import numpy as np
import pytest
from checkpoints import stored
from sklearn.datasets import load_diabetes, make_classification, make_regression
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import f1_score, make_scorer, r2_score, roc_auc_score
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    KFold,
    RepeatedKFold,
    ShuffleSplit,
    cross_val_predict,
)
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from skmaxev import HonestSearchCV, NestedCVSearch, ShrunkSearchCV, correct
from skmaxev.engine.run import capture, response_of

X, Y = make_classification(60, 5, flip_y=0.2, random_state=0)
MODEL = make_pipeline(StandardScaler(), LogisticRegression())
GRID = {"logisticregression__C": [0.01, 1.0, 100.0]}
ONE = 8e-6 * 60
"""Megabytes of the predictions of one candidate."""


def rows_of(model=MODEL, grid=GRID, y=Y, **options):
    search = ShrunkSearchCV(model, grid, **options).fit(X, y)
    return search.report_.table, search.report_.table.rows


@pytest.mark.parametrize(
    "scoring",
    [
        *(None, "accuracy", "balanced_accuracy", "roc_auc", "neg_log_loss", "neg_brier_score"),
        {"a": "accuracy", "b": "roc_auc"},
    ],
    ids=str,
)
@pytest.mark.parametrize("n_jobs", [None, 2])
def test_the_rows_of_a_split_average_to_its_score(scoring, n_jobs):
    refit = "a" if isinstance(scoring, dict) else True
    table, rows = rows_of(scoring=scoring, refit=refit, n_jobs=n_jobs)
    assert rows.complete.all()
    means = rows.means_over_splits(5)
    if scoring == "roc_auc":  # each class is compared with its mean over all splits
        for number, judged in enumerate(table.scores):
            rows_in = rows.test_fold[0] == number
            area = roc_auc_score(Y[rows_in], rows.responses[1, 0, rows_in])
            assert area == pytest.approx(judged[1])
    else:
        np.testing.assert_allclose(means, table.scores, rtol=1e-5)
    assert rows.pooled is None


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("scoring", ["accuracy", "neg_log_loss"])
def test_names_of_classes_do_not_matter(scoring, n_classes):
    data, codes = make_classification(
        90, 6, n_informative=4, n_classes=n_classes, flip_y=0.2, random_state=0
    )
    tree = DecisionTreeClassifier(random_state=0)  # probabilities of 0 and 1
    found = [
        ShrunkSearchCV(tree, {"max_depth": [1, 3, None]}, scoring=scoring).fit(data, y).report_
        for y in (codes, np.array(["alive", "dead", "well"])[codes])
    ]
    assert found[0] == found[1]
    table = found[0].table
    np.testing.assert_allclose(table.rows.means_over_splits(5), table.scores, rtol=1e-5)


@pytest.mark.parametrize(
    "scoring", ["neg_mean_squared_error", "neg_mean_absolute_error", "neg_root_mean_squared_error"]
)
def test_errors_are_kept_row_by_row(scoring):
    data, y = make_regression(60, 5, noise=9, random_state=0)
    search = ShrunkSearchCV(Ridge(), {"alpha": [0.1, 10.0]}, scoring=scoring).fit(data, y)
    table = search.report_.table
    np.testing.assert_allclose(table.rows.means_over_splits(5), table.scores, rtol=1e-4)


def test_r2_is_corrected_on_all_rows_together():
    data, y = load_diabetes(return_X_y=True)
    data, y = data[:90], y[:90]
    search = HonestSearchCV(Ridge(), {"alpha": [0.01, 0.1, 1.0]}, cv=9).fit(data, y)
    best = Ridge(**search.best_params_)
    pooled = r2_score(y, cross_val_predict(best, data, y, cv=9))
    assert search.report_.naive_pooled == pytest.approx(pooled, abs=1e-5)
    assert search.naive_best_score_ == search.cv_results_["mean_test_score"].max()
    assert search.best_score_ == pytest.approx(pooled - search.report_.optimism, abs=1e-5)


def test_f1_is_corrected_on_all_rows_together():
    search = HonestSearchCV(MODEL, GRID, scoring="f1", cv=5).fit(X, Y)
    best = MODEL.set_params(**search.best_params_)
    pooled = f1_score(Y, cross_val_predict(best, X, Y, cv=5))
    assert search.report_.naive_pooled == pytest.approx(pooled)


@pytest.mark.parametrize(
    ("cv", "shape"),
    [
        (RepeatedKFold(n_splits=3, n_repeats=2, random_state=0), (2, 60)),
        (ShuffleSplit(4, test_size=0.3, random_state=0), (4, 60)),
    ],
    ids=lambda value: type(value).__name__,
)
def test_repeats_are_kept_apart(cv, shape):
    table, rows = rows_of(cv=cv)
    assert rows.test_fold.shape == shape
    np.testing.assert_allclose(rows.means_over_splits(table.n_splits), table.scores)
    assert table.design.n_repeats == shape[0]


def test_groups_are_the_clusters_of_the_rows():
    groups = np.arange(60) // 3
    search = HonestSearchCV(MODEL, GRID, cv=GroupKFold(4)).fit(X, Y, groups=groups)
    np.testing.assert_array_equal(search.report_.table.design.clusters, groups)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"keep_predictions": False}, None),
        ({}, "they need 0.00144 MB"),
        ({"scoring": make_scorer(f1_score)}, None),
        ({"scoring": make_scorer(f1_score), "keep_predictions": True}, "nothing says what a row"),
    ],
    ids=str,
)
def test_all_predictions_are_kept_or_none(options, words, monkeypatch):
    monkeypatch.setattr("skmaxev.search._request.AUTO_MB", 2 * ONE)
    table, rows = rows_of(**options)
    assert rows is None
    notes = [note for note in table.notes if note.startswith("Results of single rows")]
    assert len(notes) == (words is not None)
    assert words is None or words in notes[0]


def test_predictions_that_do_not_give_the_scores_are_left_aside():
    """The metric takes 1 for the positive class; the rows would take 2."""
    table, rows = rows_of(y=Y + 1, scoring="f1", keep_predictions=True)
    assert rows is None
    assert any("do not give the scores" in note for note in table.notes)


def test_a_candidate_that_failed_takes_its_rows_with_it():
    neighbours = KNeighborsClassifier()
    with pytest.warns(Warning, match="fits failed|not finite|non-finite"):
        search = HonestSearchCV(neighbours, {"n_neighbors": [1, 5, -1]}).fit(X, Y)
    alone = HonestSearchCV(neighbours, {"n_neighbors": [1, 5]}).fit(X, Y)
    assert search.best_score_ == alone.best_score_
    assert search.report_.interval == alone.report_.interval


@pytest.mark.parametrize("kind", [ShrunkSearchCV, NestedCVSearch])
def test_what_is_kept_changes_no_score_and_no_fit(kind):
    whole, bare = (
        kind(MODEL, GRID, cv=4, keep_predictions=wish).fit(X, Y) for wish in (True, False)
    )
    for name, values in whole.cv_results_.items():
        if "time" not in name and name != "params":
            np.testing.assert_array_equal(bare.cv_results_[name], values)
    assert bare.n_fits_ == whole.n_fits_


def test_a_search_that_broke_off_ends_the_same(tmp_path):
    path = tmp_path / "kept.db"
    options = {"checkpoint": path, "scoring": "neg_log_loss"}
    alone, expected = rows_of(scoring="neg_log_loss")
    with pytest.MonkeyPatch.context() as patch:
        made = []

        def stopping(*arguments):
            made.append(1)
            if len(made) == 8:
                raise KeyboardInterrupt
            return response_of(*arguments)

        patch.setattr("skmaxev.engine.run.response_of", stopping)
        with pytest.raises(KeyboardInterrupt):
            rows_of(**options)
    for n_restored in (7, 15):
        search = ShrunkSearchCV(MODEL, GRID, **options).fit(X, Y)
        assert search.n_restored_ == n_restored
        np.testing.assert_array_equal(search.report_.table.rows.values, expected.values)
        assert search.report_.table.notes == alone.notes
        assert stored(path) == 15
    assert correct(path).estimate == correct(search).estimate
    assert correct(path, method="EB").interval == search.report_.interval


@pytest.mark.parametrize(
    ("cv", "method", "used_for"),
    [
        (5, "CONSENSUS", "were used too."),
        (5, "EB", "were used, for the interval alone."),
        (5, "BBC", "were used too."),
        (
            RepeatedKFold(n_splits=4, n_repeats=2, random_state=0),
            "CONSENSUS",
            "the interval alone.",
        ),
    ],
)
def test_a_report_says_what_the_rows_were_used_for(cv, method, used_for):
    search = HonestSearchCV(MODEL, GRID, cv=cv, keep_predictions=True).fit(X, Y)
    notes = correct(search, method=method).notes
    (note,) = [note for note in notes if "results of single rows were used" in note]
    assert note.endswith(used_for)
    report = correct(replace(search.report_.table, rows=None), method="CONSENSUS")
    same = report.estimate == search.report_.estimates["CONSENSUS"].value
    assert same == (cv != 5)  # the consensus of repeats gets no rows


# What is captured


def test_a_model_is_the_same_after_it_was_listened_to():
    model = LogisticRegression().fit(X, Y)
    before = set(vars(model))
    with capture(model, "score", X) as captured:
        np.testing.assert_array_equal(model.predict(X), model.predict(X))
    assert set(vars(model)) == before
    assert "decision_function" in captured


class Elsewhere:
    """Predictions on a device that NumPy cannot read."""

    def __array__(self, *_args, **_kwargs):
        raise RuntimeError("cannot be read from here")


@pytest.mark.parametrize(
    ("answer", "kind", "shape"),
    [
        (Elsewhere(), "number", None),
        (np.zeros((6, 2)), "number", None),
        (np.zeros((6, 3)), "score", None),
        (np.zeros((6, 3)), "chance", (6, 3)),
        (np.zeros((6, 2)), "chance", (6,)),
        (np.array(["a", "b"] * 3, dtype=object), "label", (6,)),
        (np.array([1 + 1j] * 6), "label", None),
    ],
)
def test_answers_of_a_kind_are_kept_in_one_form(answer, kind, shape):
    found = response_of({"": answer}, kind)
    assert (None if found is None else found.shape) == shape


def test_certain_and_nearly_certain_are_not_the_same():
    kept = response_of({"": np.array([[0.0, 1.0], [1e-12, 1.0 - 1e-12]])}, "chance")
    assert kept.tolist() == [1.0, 1.0 - 1e-12]
    assert response_of({"": np.ones((2, 2), dtype=np.float32)}, "chance").dtype == np.float32


# What is handed on


def test_a_single_metric_has_its_rows_however_it_is_named():
    names = [("f1", True), ("f1", "f1"), (["f1"], "f1")]
    reports = [
        HonestSearchCV(MODEL, GRID, scoring=scoring, refit=refit).fit(X, Y).report_
        for scoring, refit in names
    ]
    assert all(report.table.rows is not None for report in reports)
    assert len({report.estimate for report in reports}) == 1


def test_a_pickle_holds_the_report_without_its_rows():
    import pickle

    search = HonestSearchCV(MODEL, GRID, scoring="f1").fit(X, Y)
    copy = pickle.loads(pickle.dumps(search))  # noqa: S301  # our own
    assert copy.report_ == search.report_
    assert copy.report_.table.rows is None
    assert search.report_.table.rows is not None
    assert correct(copy) == search.report_
    kept = HonestSearchCV(MODEL, GRID, scoring="f1", keep_predictions=True).fit(X, Y)
    again = pickle.loads(pickle.dumps(kept))  # noqa: S301  # our own
    assert again.report_.table.rows is not None


@pytest.mark.parametrize(("scoring", "model"), [("r2", Ridge()), ("f1", LogisticRegression())])
def test_outer_winners_are_judged_on_all_rows_together_too(scoring, model):
    y = X[:, 0] + 0.5 * np.random.default_rng(0).normal(size=len(X))
    y = y if scoring == "r2" else (y > 0.5).astype(int)
    name = "alpha" if scoring == "r2" else "C"
    grid, folds = {name: [0.01, 1.0, 100.0]}, list(KFold(4).split(X))
    said = np.empty(len(y))
    for train, test in folds:  # the winner of the other folds, refitted and asked
        inner = [(np.setdiff1d(train, other), other) for _, other in folds if other[0] != test[0]]
        places = [(np.searchsorted(train, a), np.searchsorted(train, b)) for a, b in inner]
        inside = GridSearchCV(model, grid, cv=places, scoring=scoring).fit(X[train], y[train])
        said[test] = inside.predict(X[test])
    report = NestedCVSearch(model, grid, cv=KFold(4), scoring=scoring).fit(X, y).report_
    right = (r2_score if scoring == "r2" else f1_score)(y, said)
    assert report.estimates["NESTED-P"].value == pytest.approx(right, rel=1e-12)
    assert report.method == "NESTED"


def test_outer_winners_of_repeated_folds_are_judged_on_every_partition():
    y = X[:, 0] + 0.5 * np.random.default_rng(0).normal(size=len(X))
    cv = RepeatedKFold(n_splits=3, n_repeats=2, random_state=0)
    search = NestedCVSearch(DecisionTreeRegressor(random_state=0), {"max_depth": [1, 2, 4]}, cv=cv)
    report = search.fit(X, y).report_
    rows, best = report.table.rows, report.table.outer.best_index
    values = [
        r2_score(y, rows.responses[best[fold], repeat, np.arange(len(y))])
        for repeat, fold in enumerate(rows.test_fold)
    ]
    assert values[0] != values[1]
    assert report.estimates["NESTED-P"].value == pytest.approx(np.mean(values))
