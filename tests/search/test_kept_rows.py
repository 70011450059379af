"""Results of single rows, kept from the predictions that the scorers make anyway."""

import sqlite3
from contextlib import closing

import numpy as np
import pytest
from sklearn.datasets import make_classification, make_regression
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import log_loss, roc_auc_score
from sklearn.model_selection import RepeatedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from skmaxev import NestedCVSearch, ShrunkSearchCV, correct
from skmaxev.engine.responses import overhear, row_results

X, Y = make_classification(60, 5, flip_y=0.2, random_state=0)
MODEL = make_pipeline(StandardScaler(), LogisticRegression())
GRID = {"logisticregression__C": [0.01, 1.0, 100.0]}


def rows_of(model=MODEL, grid=GRID, y=Y, **options):
    search = ShrunkSearchCV(model, grid, **options).fit(X, y)
    return search.report_.table, search.report_.table.rows


@pytest.mark.parametrize("scoring", [None, "accuracy", {"a": "accuracy", "b": "roc_auc"}], ids=str)
def test_the_rows_of_a_split_average_to_its_score(scoring):
    refit = "a" if isinstance(scoring, dict) else True
    table, rows = rows_of(y=np.where(Y, "ill", "well"), scoring=scoring, refit=refit)
    assert rows.candidates.tolist() == [0, 1, 2]
    for k in range(5):
        np.testing.assert_allclose(rows.values[rows.fold == k].mean(axis=0), table.scores[k])


@pytest.mark.parametrize("scoring", ["neg_mean_squared_error", "neg_mean_absolute_error"])
def test_errors_are_kept_row_by_row(scoring):
    data, y = make_regression(60, 5, noise=9, random_state=0)
    search = ShrunkSearchCV(Ridge(), {"alpha": [0.1, 10.0]}, scoring=scoring).fit(data, y)
    table, rows = search.report_.table, search.report_.table.rows
    for k in range(5):
        mean = rows.values[rows.fold == k].mean(axis=0)
        np.testing.assert_allclose(mean, table.scores[k], rtol=1e-5)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("names", [(0, 1, 2), (-1, 1, 2), ("well", "ill", "dead")], ids=str)
@pytest.mark.parametrize("scoring", ["neg_log_loss", "neg_brier_score"])
def test_losses_of_probabilities_are_kept_row_by_row(scoring, names, n_classes):
    if scoring == "neg_brier_score" and (n_classes == 3 or "ill" in names):
        pytest.skip("scikit-learn needs to be told the positive class")
    data, y = make_classification(
        90, 6, n_informative=4, n_classes=n_classes, flip_y=0.2, random_state=0
    )
    tree = DecisionTreeClassifier(random_state=0)  # probabilities of 0 and 1 are clipped
    search = ShrunkSearchCV(tree, {"max_depth": [1, 3, None]}, scoring=scoring)
    search.fit(data, np.array(names)[y])
    table, rows = search.report_.table, search.report_.table.rows
    assert rows.candidates.tolist() == [0, 1, 2]
    for k in range(5):
        mean = rows.values[rows.fold == k].mean(axis=0, dtype=float)
        np.testing.assert_allclose(mean, table.scores[k], rtol=1e-6)
    report = correct(table)
    assert report.estimates["BBC"].value < report.naive


def test_losses_of_float32_probabilities_are_clipped_as_such():
    answer = np.array([[0, 1], [0.25, 0.75]], dtype=np.float32)
    rows = row_results({"predict_proba": answer}, "neg_log_loss", np.array([0, 1]))
    assert -rows.mean(dtype=float) == pytest.approx(log_loss([0, 1], answer), rel=1e-6)


@pytest.mark.parametrize(
    ("metric", "y", "classes"),
    [
        ("neg_log_loss", [1, 1, 1], [0, 1]),  # scikit-learn fails here
        ("neg_log_loss", [0, 1, 2], [0, 1]),
        ("neg_log_loss", [[0], [1], [1]], [0, 1]),
        ("neg_brier_score", [0, 1, 2], [0, 1, 2]),
    ],
)
def test_losses_without_meaning_for_single_rows_are_not_kept(metric, y, classes):
    answer = np.full((3, len(classes) if metric == "neg_brier_score" else 2), 0.5)
    assert row_results({"predict_proba": answer}, metric, np.array(y), classes) is None


def test_the_brier_score_of_rows_of_one_class_is_known_by_the_model():
    rows = row_results({"": np.full((2, 2), [0.2, 0.8])}, "neg_brier_score", [0, 0], [0, 1])
    np.testing.assert_allclose(rows, -0.64)


def test_responses_rank_the_rows_as_the_scorer_saw_them():
    table, rows = rows_of(scoring="roc_auc")
    for k in range(5):
        fold = rows.fold == k
        area = roc_auc_score(rows.y[fold], rows.responses[fold, 1])
        assert area == pytest.approx(table.scores[k, 1], abs=1e-12)


@pytest.mark.parametrize(
    "options",
    [
        {"keep_predictions": False},
        {"keep_predictions": 1e-6},
        {"scoring": "f1"},
        {"cv": RepeatedKFold(n_splits=3, n_repeats=2, random_state=0)},
    ],
    ids=str,
)
def test_nothing_is_kept_where_it_is_unwanted_too_large_or_without_meaning(options):
    table, rows = rows_of(**options)
    assert rows is None
    assert any("MB" in note for note in table.notes) == (options.get("keep_predictions") == 1e-6)


def test_a_model_is_the_same_after_it_was_listened_to():
    model = LogisticRegression().fit(X, Y)
    before = set(vars(model))
    with overhear(model, "roc_auc", X) as heard:
        np.testing.assert_array_equal(model.predict(X), model.predict(X))
    assert set(vars(model)) == before
    assert "decision_function" in heard


class Elsewhere:
    """Predictions on a device that NumPy cannot read."""

    def __array__(self, *_args, **_kwargs):
        raise RuntimeError("cannot be read from here")


def test_predictions_that_lie_elsewhere_are_not_kept():
    assert row_results({"predict": Elsewhere()}, "accuracy", Y) is None
    assert row_results({"predict": Y}, "accuracy", Elsewhere()) is None
    assert row_results({"predict": Y}, "accuracy", Y).tolist() == [1] * 60


MANY = {"logisticregression__C": np.logspace(-4, 3, 15).tolist()}
ONE = 4e-6 * 60
"""Megabytes of the rows of one candidate."""


@pytest.mark.parametrize("scoring", ["accuracy", "neg_log_loss", {"a": "accuracy", "b": "f1"}])
@pytest.mark.parametrize("n_jobs", [None, 2])
def test_beyond_the_bound_the_rows_of_the_best_are_kept(scoring, n_jobs):
    options = {"scoring": scoring, "refit": "a" if isinstance(scoring, dict) else True}
    _, whole = rows_of(grid=MANY, keep_predictions=True, **options)
    for n_most in (8, 14):
        bounded = {"keep_predictions": n_most * ONE, "n_jobs": n_jobs}
        table, rows = rows_of(grid=MANY, **bounded, **options)
        means = table.scores.mean(axis=0)
        best = np.argsort(-means, kind="stable")
        assert 1 <= len(rows.candidates) <= n_most
        assert table.best_index in rows.candidates
        assert means[rows.candidates].min() >= np.delete(means, rows.candidates).max()
        assert best[0] in rows.candidates
        np.testing.assert_array_equal(rows.values, whole.values[:, rows.candidates])
        (note,) = (note for note in table.notes if "MB" in note)
        assert f"kept for {len(rows.candidates)} of 15 candidates" in note
        assert "BBC" not in correct(table).estimates


@pytest.mark.parametrize("kind", [ShrunkSearchCV, NestedCVSearch])
def test_a_bound_changes_no_score_and_no_fit(kind):
    whole, bounded = (
        kind(MODEL, MANY, cv=4, keep_predictions=wish).fit(X, Y) for wish in (True, 3 * ONE)
    )
    for name, values in whole.cv_results_.items():
        if "time" not in name and name != "params":
            np.testing.assert_array_equal(bounded.cv_results_[name], values)
    assert bounded.n_fits_ == whole.n_fits_
    assert bounded.report_.estimates["EB"] == whole.report_.estimates["EB"]
    assert whole.best_index_ in bounded.report_.table.rows.candidates


def test_a_bound_holds_for_the_file_too_and_a_search_that_broke_off_ends_the_same(tmp_path):
    path = tmp_path / "kept.db"
    options = {"grid": MANY, "keep_predictions": 5 * ONE, "checkpoint": path}
    alone, expected = rows_of(**{**options, "checkpoint": None})
    with pytest.MonkeyPatch.context() as patch:
        made = []

        def stopping(*arguments):
            made.append(1)
            if len(made) == 44:
                raise KeyboardInterrupt
            return row_results(*arguments)

        patch.setattr("skmaxev.engine.fitting.row_results", stopping)
        with pytest.raises(KeyboardInterrupt):
            rows_of(**options)
    for n_restored in (43, 75):
        search = ShrunkSearchCV(MODEL, MANY, checkpoint=path, keep_predictions=5 * ONE).fit(X, Y)
        rows = search.report_.table.rows
        assert search.n_restored_ == n_restored
        np.testing.assert_array_equal(rows.candidates, expected.candidates)
        np.testing.assert_array_equal(rows.values, expected.values)
        assert search.report_.table.notes == alone.notes
        with closing(sqlite3.connect(path)) as link:
            ((count,),) = link.execute("SELECT count(*) FROM response")
        assert count <= 5 * 5
    assert correct(path).estimate == correct(search).estimate
