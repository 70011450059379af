"""What is said where the splits and the classes do not go together."""

import numpy as np
import pytest
from sklearn.datasets import load_iris, make_classification
from sklearn.linear_model import Ridge
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.tree import DecisionTreeClassifier

from skmaxev import HonestSearchCV

GRID = {"max_depth": [1, 2, 3]}
IRIS = load_iris(return_X_y=True)


def notes(cv, X, y):
    search = HonestSearchCV(DecisionTreeClassifier(random_state=0), GRID, cv=cv)
    return " ".join(search.fit(X, y).report_.notes)


def test_splits_that_are_not_shuffled_though_the_classes_are_sorted_are_said():
    assert "sorted by class and the splits not shuffled" in notes(KFold(5), *IRIS)
    for cv in (KFold(5, shuffle=True, random_state=0), StratifiedKFold(5)):
        assert "sorted by class" not in notes(cv, *IRIS)


def test_few_rows_of_a_class_in_a_split_are_said():
    X, y = make_classification(200, weights=[0.95], flip_y=0, random_state=0)
    rare = np.bincount(y[::5])[1]
    assert rare < 3
    found = notes(StratifiedKFold(5), X, y)
    assert "rows of class 1: what is said of it is mostly luck" in found
    assert "of class" not in notes(StratifiedKFold(5), *IRIS)


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_numbers_are_no_classes():
    X = np.random.default_rng(0).normal(size=(60, 2))
    y = np.arange(60) % 4
    search = HonestSearchCV(Ridge(), {"alpha": [1, 2]}, cv=KFold(5), scoring="r2").fit(X, y)
    assert "of class" not in " ".join(search.report_.notes)
