"""Results of single rows, kept from the predictions that the scorers make anyway."""

import numpy as np
import pytest
from sklearn.datasets import make_classification, make_regression
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import log_loss, roc_auc_score
from sklearn.model_selection import RepeatedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from skmaxev import ShrunkSearchCV, correct
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
