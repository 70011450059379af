"""What the tests of the searches share: data, a model, one that notes its rows."""

from typing import ClassVar

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import (
    make_classification,
)
from sklearn.linear_model import LogisticRegression

from skmaxev import LowVarianceCVSearch, NestedCVSearch, ShrunkSearchCV

SEARCHES = [NestedCVSearch, LowVarianceCVSearch, ShrunkSearchCV]
every_search = pytest.mark.parametrize("Search", SEARCHES)
X, Y = make_classification(80, 5, flip_y=0.2, random_state=0)
LOGISTIC = (LogisticRegression(), {"C": [0.01, 1.0, 100.0]})


class Recorder(ClassifierMixin, BaseEstimator):
    """Notes the rows of every fit; the first column is the row's number."""

    rows: ClassVar[list] = []

    def __init__(self, flip=False):
        self.flip = flip

    def fit(self, X, y, row_id=None, palette=("red", "green", "blue")):
        if row_id is not None and list(X[:, 0]) != list(row_id):
            raise ValueError("row_id was not cut with X")
        if list(palette) != ["red", "green", "blue"]:
            raise ValueError("palette was cut")
        type(self).rows.append(X[:, 0].astype(int))
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return ((X[:, 1] > 0) ^ self.flip).astype(int)
