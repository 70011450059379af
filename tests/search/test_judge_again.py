"""The better candidates of a search, judged again on fresh partitions."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn import config_context
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.datasets import make_classification
from sklearn.exceptions import FitFailedWarning
from sklearn.metrics import accuracy_score, make_scorer
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    KFold,
    LeaveOneOut,
    RepeatedStratifiedKFold,
    StratifiedShuffleSplit,
    TimeSeriesSplit,
    cross_val_score,
    cross_validate,
)
from sklearn.tree import DecisionTreeClassifier

from skmaxev import HonestSearchCV, correct, judge_again
from skmaxev.correction import true_scores
from skmaxev.estimators import judged_again
from skmaxev.search import planned_fits

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
    search = search_by(cv).fit(X[:20], y[:20])
    with pytest.raises(ValueError, match="splits must be such as can be drawn anew"):
        judge_again(search, X[:20], y[:20])


@pytest.mark.parametrize(
    "cv",
    [
        5,
        RepeatedStratifiedKFold(n_splits=4, n_repeats=2, random_state=0),
        StratifiedShuffleSplit(8, test_size=0.25, random_state=0),
    ],
    ids=lambda cv: type(cv).__name__,
)
def test_before_the_refit_it_gives_what_it_gives_after_the_search(cv):
    options = {"scoring": "roc_auc", "cv": cv}
    search = HonestSearchCV(TREE, GRID, n_judge_again=3, random_state=0, **options).fit(X, y)
    plain = GridSearchCV(TREE, GRID, **options).fit(X, y)
    after = judge_again(
        HonestSearchCV(TREE, GRID, **options).fit(X, y), X, y, n_repeats=3, random_state=0
    )
    assert search.best_score_ == pytest.approx(after.estimate)
    assert search.report_.interval == pytest.approx(after.interval)
    assert search.best_index_ == after.best_index
    assert search.best_params_ == plain.cv_results_["params"][after.best_index]
    assert search.best_estimator_.get_params() | search.best_params_ == (
        search.best_estimator_.get_params()
    )
    assert search.naive_best_score_ == plain.cv_results_["mean_test_score"][after.best_index]
    assert search.n_fits_ == search.report_.n_fits == planned_fits(clone(search), X, y)


def test_another_candidate_may_win_and_is_then_refitted():
    """Candidate 0 is right wherever rows are not shuffled, and nowhere else."""
    rows = np.arange(40.0)[:, np.newaxis]
    grid = {"kind": ["in order", "fair"]}
    search = HonestSearchCV(Ordered(), grid, cv=KFold(4), n_judge_again=4, random_state=0)
    search.fit(rows, np.arange(40) % 2)
    assert GridSearchCV(Ordered(), grid, cv=KFold(4)).fit(rows, np.arange(40) % 2).best_index_ == 0
    assert search.best_index_ == 1
    assert search.best_estimator_.kind == "fair"
    assert "in place of 0" in " ".join(search.report_.notes)


class Ordered(ClassifierMixin, BaseEstimator):
    """Right throughout if its training rows lack one block only; else right on every other row."""

    def __init__(self, kind="fair"):
        self.kind = kind

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        self.gaps_ = int((np.diff(X[:, 0]) > 1).sum())
        return self

    def predict(self, X):
        truth = X[:, 0].astype(int) % 2
        good = self.kind == "in order" and self.gaps_ <= 1
        right = np.arange(len(X)) % 10 < (9 if good else 1 if self.kind == "in order" else 8)
        return np.where(right, truth, 1 - truth)


def test_a_rule_of_the_user_keeps_its_winner():
    def first(results):
        return 0

    search = HonestSearchCV(TREE, GRID, refit=first, n_judge_again=2, random_state=0).fit(X, y)
    assert search.best_index_ == search.report_.best_index == 0
    assert search.n_fits_ == 12 * 5 + 1 + 2 * 5 == planned_fits(clone(search), X, y)
    after = judge_again(GridSearchCV(TREE, GRID, refit=first).fit(X, y), X, y, random_state=0)
    assert after.best_index == 0


def test_groups_and_routed_weights_reach_fresh_partitions():
    params = {"groups": np.arange(100) // 5, "sample_weight": 1.0 + np.arange(100) % 3}
    with config_context(enable_metadata_routing=True):
        model = DecisionTreeClassifier(random_state=0).set_fit_request(sample_weight=True)
        scorer = make_scorer(accuracy_score).set_score_request(sample_weight=True)
        options = {"cv": GroupKFold(5), "scoring": scorer}
        search = HonestSearchCV(model, GRID, n_judge_again=2, random_state=0, **options)
        search.fit(X, y, **params)
        cv = GroupKFold(5, shuffle=True)
        rng = np.random.RandomState(0)
        best = model.set_params(**search.best_params_)
        means = []
        for _ in range(2):
            cv.random_state = int(rng.randint(np.iinfo(np.int32).max))
            found = cross_validate(best, X, y, cv=cv, scoring=scorer, params=params)
            means.append(found["test_score"].mean())
    fresh = np.full((2, 12), np.nan)
    fresh[:, search.best_index_] = means
    noted = next(note for note in search.report_.notes if note.startswith("Judged again"))
    assert f"{search.best_index_} (2x)" in noted
    table = replace(
        search.report_.table, best_index=int(np.argmax(search.report_.table.scores.mean(0)))
    )
    alone = true_scores(table, fresh)[search.best_index_]
    # The others' moves tell of the renewed share only, which counts for a small part.
    assert search.best_score_ == pytest.approx(alone, abs=0.02)


def test_a_checkpoint_keeps_fresh_fits_too(tmp_path):
    options = {"n_judge_again": 2, "checkpoint": tmp_path / "search.ckpt"}
    search = HonestSearchCV(TREE, GRID, random_state=0, **options).fit(X, y)
    score, n_fits = search.best_score_, search.n_fits_
    search.fit(X, y)
    assert (search.best_score_, search.n_fits_) == (score, n_fits)
    assert search.n_restored_ == n_fits - 1  # all but the refit
    with pytest.raises(ValueError, match="the same fresh partitions at every call"):
        HonestSearchCV(TREE, GRID, **options).fit(X, y)


def test_correct_weighs_the_fresh_partitions_too(tmp_path):
    options = {"n_judge_again": 2, "checkpoint": tmp_path / "search.ckpt", "cv": KFold(5)}
    search = HonestSearchCV(TREE, GRID, random_state=0, **options).fit(X, y)
    kept = correct(tmp_path / "search.ckpt")
    assert (kept.estimate, kept.interval) == (search.best_score_, search.report_.interval)
    assert (kept.best_index, kept.n_fresh, kept.n_fits) == (search.best_index_, 2, search.n_fits_)
    assert kept.notes == search.report_.notes
    narrow = correct(search, level=0.5)
    assert narrow.estimate == search.best_score_
    assert np.ptp(narrow.interval) < 0.5 * np.ptp(search.report_.interval)


def test_other_methods_say_that_they_read_the_splits_of_the_search_alone():
    options = {"cv": KFold(5), "random_state": 0}
    search = HonestSearchCV(TREE, GRID, n_judge_again=2, **options).fit(X, y)
    report = correct(search, method="TT")
    assert any("does not weigh fresh partitions" in note for note in report.notes)
    assert report.n_fresh == 0


def test_searches_side_by_side_leave_fresh_partitions_out():
    search = HonestSearchCV(TREE, GRID, n_judge_again=1, random_state=0).fit(X, y)
    other = HonestSearchCV(TREE, {"max_depth": [7, 8]}).fit(X, y)
    assert correct({"again": search, "once": other}).n_fresh == 0


def test_the_search_that_was_given_is_judged_again():
    report = judge_again(HonestSearchCV(search_by(5)).fit(X, y), X, y, random_state=0)
    assert report == judge_again(search_by(5).fit(X, y), X, y, random_state=0)


def test_judging_again_resumes_from_its_checkpoint(tmp_path, monkeypatch):
    search, path = search_by(5).fit(X, y), tmp_path / "again.ckpt"
    first = judge_again(search, X, y, random_state=0, checkpoint=path)
    assert first == judge_again(search, X, y, random_state=0)

    def fit(self, X, y, sample_weight=None, check_input=True):
        pytest.fail("fitted")

    monkeypatch.setattr(DecisionTreeClassifier, "fit", fit)
    assert judge_again(search, X, y, random_state=0, checkpoint=path) == first
    with pytest.raises(ValueError, match="the same fresh partitions at every call"):
        judge_again(search, X, y, checkpoint=path)


@pytest.mark.parametrize(
    ("search", "words"),
    [
        (HonestSearchCV(TREE, GRID, cv=LeaveOneOut()), "such as can be drawn anew"),
        (HonestSearchCV(TREE, GRID, method="EB"), "needs method='CONSENSUS'"),
        (HonestSearchCV(GridSearchCV(TREE, GRID)), "needs candidates of our own"),
    ],
    ids=["leave-one-out", "method", "object"],
)
def test_what_cannot_be_judged_again_is_refused_before_the_first_fit(search, words, monkeypatch):
    def fit(self, X, y, sample_weight=None, check_input=True):
        pytest.fail("fitted")

    monkeypatch.setattr(DecisionTreeClassifier, "fit", fit)
    with pytest.raises(ValueError, match=words):
        search.set_params(n_judge_again=1).fit(X, y)


class OnlyInOrder(DecisionTreeClassifier):
    """Refuses training rows that were shuffled, by what is missing among them."""

    def fit(self, X, y, sample_weight=None, check_input=True):
        if (np.diff(X[:, 0]) > 1).sum() > 1:
            raise ValueError("shuffled")
        return super().fit(X, y)


def test_failures_on_fresh_partitions_are_told_and_leave_the_search_as_it_was():
    rows, target = np.arange(40.0)[:, np.newaxis], np.arange(40) % 2
    grid = {"max_depth": [1, 2, 3, 4]}
    plain = HonestSearchCV(OnlyInOrder(), grid, cv=KFold(4)).fit(rows, target)
    search = HonestSearchCV(OnlyInOrder(), grid, cv=KFold(4), n_judge_again=2, refit=False)
    with pytest.warns(FitFailedWarning, match="12 fits or scores on a fresh partition failed"):
        search.fit(rows, target)
    assert search.best_score_ == plain.best_score_
    assert any("nothing could be judged again" in note for note in search.report_.notes)


def test_a_search_without_a_winner_says_that_nothing_was_judged_again():
    options = {"scoring": ["accuracy", "roc_auc"], "refit": False, "n_judge_again": 1}
    with pytest.warns(UserWarning, match="Nothing was judged again"):
        search = HonestSearchCV(TREE, GRID, **options).fit(X, y)
    assert search.n_fits_ == 60


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
