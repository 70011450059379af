"""The better candidates of a search, judged again on fresh partitions."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import make_classification
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    LeaveOneOut,
    RepeatedStratifiedKFold,
    StratifiedShuffleSplit,
    TimeSeriesSplit,
    cross_val_score,
)
from sklearn.tree import DecisionTreeClassifier

from skmaxev import HonestSearchCV, correct, judge_again
from skmaxev.estimators import consensus, judged_again

GRID = {"max_depth": [1, 2, 3, 4, 5, 6], "min_samples_leaf": [1, 5]}
X, y = make_classification(100, flip_y=0.2, random_state=0)
TREE = DecisionTreeClassifier(random_state=0)


def search_by(cv, **options):
    return GridSearchCV(TREE, GRID, cv=cv, **options)


@pytest.mark.parametrize("kind", [GridSearchCV, HonestSearchCV])
@pytest.mark.parametrize(
    "cv",
    [
        5,
        RepeatedStratifiedKFold(n_splits=4, n_repeats=2, random_state=0),
        StratifiedShuffleSplit(8, test_size=0.25, random_state=0),
    ],
    ids=lambda cv: type(cv).__name__,
)
def test_three_two_and_one_are_judged(kind, cv):
    search = kind(TREE, GRID, cv=cv).fit(X, y)
    report = judge_again(search, X, y, n_repeats=4, random_state=0)
    n_folds = {"int": 5, "RepeatedStratifiedKFold": 4}.get(type(cv).__name__, 8)
    assert report.n_fits == correct(search).n_fits + 7 * n_folds
    assert report.best_params == search.cv_results_["params"][report.best_index]
    assert report.interval[0] <= report.estimate <= report.interval[1]
    assert "Judged again on fresh partitions" in " ".join(str(report).split())
    assert "<table" in report._repr_html_() or report.to_markdown()


def test_the_estimate_is_that_of_the_formula():
    scores = np.random.default_rng(0).normal(0.7, 0.05, size=(5, 6))
    fresh = np.full((2, 6), np.nan)
    best = int(scores.mean(axis=0).argmax())
    fresh[:, best] = 0.69, 0.71
    found = judged_again(scores, fresh)
    optimism = scores[:, best].mean() - consensus(scores)
    # y - O - r / (R + 1 + r) (y - f - c O), R = 1, r = 2; one candidate tells nothing of c = 1/2.
    fall = scores[:, best].mean() - 0.70 - 0.5 * optimism
    assert found.estimate == pytest.approx(scores[:, best].mean() - optimism - fall / 2)
    assert (found.best_index, found.renewed) == (best, 0.5)
    assert np.isnan(np.delete(found.estimates, best)).all()


def test_the_order_of_candidates_does_not_matter():
    rng = np.random.default_rng(1)
    scores, fresh = rng.normal(size=(5, 6)), np.full((3, 6), np.nan)
    fresh[:, :3] = rng.normal(size=(3, 3))
    turned = judged_again(scores[:, ::-1], fresh[:, ::-1])
    plain = judged_again(scores, fresh)
    np.testing.assert_allclose(turned.estimates[::-1], plain.estimates)
    assert turned.best_index == 5 - plain.best_index


def test_rules_that_learn_nothing_renew_nothing():
    scores = np.random.default_rng(2).normal(size=(5, 6))
    same = np.tile(scores.mean(axis=0), (40, 1))
    assert judged_again(scores, same).renewed < 0.02


def test_the_same_seed_gives_the_same_report():
    search = search_by(5).fit(X, y)
    first, second = (judge_again(search, X, y, random_state=3) for _ in range(2))
    assert first == second


def test_losses_and_one_of_several_metrics():
    options = {"scoring": ["neg_log_loss", "roc_auc"], "refit": "neg_log_loss"}
    search = search_by(5, **options).fit(X, y)
    report = judge_again(search, X, y, random_state=0)
    assert report.metric == "neg_log_loss"
    assert report.estimate < 0.0


def test_groups_stay_together():
    groups = np.arange(100) // 5
    search = search_by(GroupKFold(5)).fit(X, y, groups=groups)
    report = judge_again(search, X, y, groups=groups, random_state=0)
    assert any("shuffled for it" in note for note in report.notes)


@pytest.mark.parametrize("cv", [LeaveOneOut(), TimeSeriesSplit(3)], ids=str)
def test_splits_that_cannot_be_drawn_anew_are_refused(cv):
    search = search_by(cv).fit(X, y)
    with pytest.raises(ValueError, match="splits must be such as can be drawn anew"):
        judge_again(search, X, y)


def test_scores_alone_cannot_be_judged_again():
    with pytest.raises(TypeError, match="search must be a fitted search with cv"):
        judge_again(np.random.default_rng(0).random((5, 3)), X, y)


@pytest.mark.parametrize(
    ("fresh", "words"),
    [(np.full((2, 3), np.nan), "one number at least"), (np.zeros((2, 4)), r"shape \(n_fresh, 3\)")],
)
def test_fresh_scores_must_fit(fresh, words):
    with pytest.raises(ValueError, match=words):
        judged_again(np.eye(3), fresh)


class Guess(ClassifierMixin, BaseEstimator):
    """Guesses by a seed, whatever it is taught."""

    def __init__(self, seed=0):
        self.seed = seed

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        sums = np.asarray(X).sum(axis=1)
        return ((np.sin(sums * (self.seed + 1) * 997.0) > 0).astype(int)).reshape(-1)


@pytest.mark.slow
def test_guesses_are_not_taken_for_knowledge():
    """The truth is one half; fresh partitions of the same rows know no better."""
    printed, honest, held = [], [], []
    for seed in range(200):
        rng = np.random.default_rng(seed)
        X, y = rng.normal(size=(60, 2)), np.tile([0, 1], 30)
        search = GridSearchCV(Guess(), {"seed": range(40)}, cv=5).fit(X, y)
        report = judge_again(search, X, y, random_state=seed)
        printed.append(report.naive - 0.5)
        honest.append(report.estimate - 0.5)
        held.append(report.interval[0] <= 0.5 <= report.interval[1])
    # 190 of 200 expected at 95%; below 178 has a chance of 1 in 1,000.
    assert np.sum(held) >= 178
    assert np.mean(honest) < 0.35 * np.mean(printed)


def test_a_fresh_score_is_that_of_cross_validation():
    search = search_by(5).fit(X, y)
    report = judge_again(search, X, y, n_repeats=1, random_state=0)
    model = TREE.__class__(random_state=0, **report.best_params)
    assert abs(report.estimate - cross_val_score(model, X, y, cv=5).mean()) < 0.1
