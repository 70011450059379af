"""Reports of skore's."""

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.model_selection import KFold, ShuffleSplit, cross_validate
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from skmaxev import correct

skore = pytest.importorskip("skore")
pytestmark = pytest.mark.filterwarnings("ignore")  # of skore's own making

X, Y = load_iris(return_X_y=True)
MODELS = {
    "tree": DecisionTreeClassifier(random_state=0),
    "near": KNeighborsClassifier(),
    "nearest": KNeighborsClassifier(1),
}


def compared(cv):
    return skore.ComparisonReport(
        {
            name: skore.CrossValidationReport(model, X, Y, splitter=cv)
            for name, model in MODELS.items()
        }
    )


@pytest.mark.parametrize(
    ("metric", "scorer"),
    [(None, "accuracy"), ("accuracy", "accuracy"), ("log_loss", "neg_log_loss")],
)
def test_a_comparison_of_cross_validated_models_is_a_search(metric, scorer):
    cv = KFold(4, shuffle=True, random_state=0)
    runs = [cross_validate(model, X, Y, cv=cv, scoring=scorer) for model in MODELS.values()]
    scores = np.column_stack([run["test_score"] for run in runs])
    loss = metric == "log_loss"
    report = correct(compared(cv), metric=metric, greater_is_better=not loss)
    expected = correct(np.abs(scores), metric=metric or "accuracy", greater_is_better=not loss)
    assert report.naive == pytest.approx(expected.naive)
    assert report.estimate == pytest.approx(expected.estimate)
    assert report.interval == pytest.approx(expected.interval)
    assert report.best_params == {"model": list(MODELS)[expected.best_index]}
    assert report.metric == (metric or "accuracy")
    assert report.table.design.source == "indices"


def test_shuffled_splits_are_told_from_folds():
    cv = ShuffleSplit(6, test_size=0.25, random_state=0)
    design = correct(compared(cv)).table.design
    assert (design.n_repeats, round(design.test_share, 2)) == (6, 0.25)


def test_what_has_no_common_splits_is_refused():
    first = skore.CrossValidationReport(MODELS["tree"], X, Y, splitter=4)
    other = skore.CrossValidationReport(MODELS["near"], X, Y, splitter=KFold(4, shuffle=True))
    with pytest.raises(ValueError, match="on the same splits"):
        correct(skore.ComparisonReport({"a": first, "b": other}))
    with pytest.raises(ValueError, match="metric must be one of"):
        correct(compared(3), metric="nonsense")
