"""Estimators that write down what is done with them; importable, so that workers find them."""

from __future__ import annotations

import os
import time
from collections import Counter
from pathlib import Path

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, TransformerMixin
from sklearn.linear_model import LogisticRegression


def note(log, *words):
    """Append one line to a file, in one write, so that lines of many processes stay whole."""
    if log is not None:
        handle = os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        os.write(handle, (" ".join(map(str, words)) + "\n").encode())
        os.close(handle)


def lines(log):
    """Count the different lines of a log."""
    return Counter(Path(log).read_text().splitlines()) if Path(log).exists() else Counter()


class Shift(TransformerMixin, BaseEstimator):
    """Centre and shift; notes every fit and every transform."""

    def __init__(self, by=0.0, *, log=None, random_state=0, fails=False):
        self.by = by
        self.log = log
        self.random_state = random_state
        self.fails = fails

    def fit(self, X, y=None, sample_weight=None):
        note(self.log, "fit", self.by, len(X), round(float(np.sum(X)), 6))
        if self.fails and len(X) % 2:
            raise ValueError("an odd number of rows")
        self.mean_ = np.average(X, axis=0, weights=sample_weight)
        return self

    def transform(self, X):
        note(self.log, "transform", self.by, len(X), round(float(np.sum(X)), 6))
        return X - self.mean_ + self.by


class Scribble(Shift):
    """As Shift, but writes the result into its input without saying so."""

    def transform(self, X):
        X -= self.mean_
        X += self.by
        return X


class Jitter(Shift):
    """Adds noise out of NumPy's global state, without having a parameter that says so."""

    def __init__(self, *, log=None):
        super().__init__(log=log)

    def fit(self, X, y=None):
        super().fit(X, y)
        self.mean_ = self.mean_ + np.random.normal(size=X.shape[1])  # noqa: NPY002
        return self


class Vandal(ClassifierMixin, BaseEstimator):
    """A classifier that destroys whatever it is given."""

    def __init__(self, C=1.0):
        self.C = C

    def fit(self, X, y):
        self.inner_ = LogisticRegression(C=self.C).fit(np.array(X), y)
        self.classes_ = self.inner_.classes_
        X[:] = 7
        return self

    def predict(self, X):
        found = self.inner_.predict(np.array(X))
        X[:] = 7
        return found


class Logged(LogisticRegression):
    """Logistic regression that takes its time and notes every finished fit."""

    def __init__(self, C=1.0, *, log=None, seconds=0.0):
        super().__init__(C=C)
        self.log = log
        self.seconds = seconds

    def fit(self, X, y, sample_weight=None):
        time.sleep(self.seconds)
        super().fit(X, y, sample_weight=sample_weight)
        note(self.log, "fit", self.C, len(X), round(float(np.sum(X)), 6))
        return self


def length_of_longest(estimator, X, y):
    """Score that looks at the rows and at a fitted step of the pipeline."""
    assert estimator[0].mean_.shape == (np.shape(X)[1],)
    return float(np.max(np.abs(X))) + estimator.score(X, y)


class Slow(ClassifierMixin, BaseEstimator):
    """Takes a set time to be fitted, and knows a single feature."""

    def __init__(self, seconds=0.0, shift=0.0):
        self.seconds, self.shift = seconds, shift

    def fit(self, X, y):
        time.sleep(self.seconds)
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return (X[:, 0] > self.shift).astype(int)

    def score(self, X, y):
        return float(np.mean(self.predict(X) == y))


class Located(Slow):
    """Notes the process in which it is fitted."""

    def __init__(self, seconds=0.0, shift=0.0, log=None):
        super().__init__(seconds, shift)
        self.log = log

    def fit(self, X, y):
        note(self.log, os.getpid())
        return super().fit(X, y)


def own_score(model, X, y):
    return model.score(X, y)


class Centred(TransformerMixin, BaseEstimator):
    """Takes away a weighted mean; has to be told the first column of its rows."""

    def fit(self, X, y=None, tag=None, sample_weight=None):
        np.testing.assert_array_equal(tag, X[:, 0])
        self.mean_ = np.average(X, axis=0, weights=sample_weight)
        return self

    def transform(self, X):
        return X - self.mean_


def weighted_loss(y, predicted, cost=None, sample_weight=None):
    return np.average((y != predicted) * cost, weights=sample_weight)
