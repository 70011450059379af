"""The plan of a search: the fits it will really make, its noise, its advice."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import loguniform
from sklearn.datasets import make_classification, make_regression
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    KFold,
    LeaveOneOut,
    RandomizedSearchCV,
    RepeatedKFold,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from skmaxev import HonestSearchCV, LowVarianceCVSearch, NestedCVSearch, ShrunkSearchCV
from skmaxev.estimators import expected_maximum_of_normals
from skmaxev.planning import SearchPlan, plan

X, Y = make_classification(n_samples=120, n_features=5, flip_y=0.4, random_state=0)
GRID = {"C": [0.01, 0.1, 1.0, 10.0]}


@pytest.mark.parametrize("search_class", [NestedCVSearch, LowVarianceCVSearch, ShrunkSearchCV])
def test_our_searches_make_as_many_fits_as_planned(search_class):
    search = search_class(LogisticRegression(), GRID, cv=4)
    planned = plan(search, X, Y, rng=0).n_fits
    assert not hasattr(search, "best_score_")
    assert search.fit(X, Y).n_fits_ == planned


def test_other_searches_are_counted_by_their_splits():
    assert plan(GridSearchCV(LogisticRegression(), GRID, cv=4), X, Y).n_fits == 17
    search = GridSearchCV(LogisticRegression(), GRID, cv=RepeatedKFold(n_splits=3, n_repeats=2))
    assert plan(search, X, Y).n_fits == 25
    assert plan(HonestSearchCV(search.set_params(refit=False)), X, Y).n_fits == 24
    drawn = RandomizedSearchCV(LogisticRegression(), {"C": loguniform(0.1, 10)}, n_iter=7, cv=2)
    assert plan(drawn, X, Y).n_fits == 15
    assert plan(drawn.set_params(param_distributions=GRID), X, Y).n_candidates == 4


def test_the_noise_is_that_of_the_rows():
    result = plan(GridSearchCV(LogisticRegression(), GRID, cv=3), X, Y, rng=0)
    binomial = np.sqrt(result.score * (1 - result.score) / len(Y))
    assert result.noise == pytest.approx(binomial, rel=0.5)
    assert result.optimism == pytest.approx(result.noise * expected_maximum_of_normals(4))


def test_repeated_folds_do_not_count_rows_twice():
    once = plan(GridSearchCV(LogisticRegression(), GRID, cv=KFold(3)), X, Y, rng=0)
    splitter = RepeatedKFold(n_splits=3, n_repeats=5, random_state=0)
    many = plan(GridSearchCV(LogisticRegression(), GRID, cv=splitter), X, Y, rng=0)
    assert many.noise == pytest.approx(once.noise, rel=0.6)


def test_any_metric_has_its_noise():
    rows, target = make_regression(n_samples=90, n_features=3, noise=10, random_state=0)
    search = GridSearchCV(Ridge(), {"alpha": [0.1, 1.0]}, scoring="neg_mean_absolute_error", cv=3)
    result = plan(search, rows, target, rng=0)
    assert result.score < 0 < result.noise
    many = GridSearchCV(
        LogisticRegression(), GRID, scoring=["accuracy", "roc_auc"], refit="roc_auc"
    )
    assert 0 < plan(many, X, Y, rng=0).noise < 0.1
    named = many.set_params(scoring={"mine": "roc_auc"}, refit="mine")
    assert plan(named, X, Y, rng=0).score == pytest.approx(plan(many, X, Y, rng=0).score)

    def two_metrics(model, rows, target):
        return {"accuracy": model.score(rows, target), "zero": 0.0}

    called = GridSearchCV(LogisticRegression(), GRID, scoring=two_metrics, refit="accuracy")
    assert plan(called, X, Y, rng=0).noise > 0


def test_where_the_noise_cannot_be_seen_it_is_said():
    result = plan(GridSearchCV(LogisticRegression(), GRID, cv=LeaveOneOut()), X[:20], Y[:20])
    assert np.isnan(result.noise)
    assert "cannot be seen" in str(result)
    signs = np.sign(X[:, :1])
    solved = plan(GridSearchCV(LogisticRegression(), GRID), signs, signs[:, 0], rng=0)
    assert np.isnan(solved.noise)
    rare = np.r_[np.zeros(116, int), 1, 1, 1, 1]
    search = GridSearchCV(LogisticRegression(), GRID, scoring="roc_auc", cv=4)
    assert plan(search, X, rare, rng=0).n_fits == 17


def test_data_stay_what_they_are():
    texts = [f"word{i % 3} word{i % 5}" for i in range(60)]
    labels = [i % 2 for i in range(60)]
    search = GridSearchCV(
        make_pipeline(CountVectorizer(), LogisticRegression()),
        {"logisticregression__C": [0.1, 1.0]},
    )
    assert plan(search, texts, labels).n_rows == 60


def test_groups_go_to_the_splitter():
    groups = np.repeat(np.arange(6), 20)
    search = GridSearchCV(LogisticRegression(), GRID, cv=GroupKFold(3))
    assert plan(search, X, Y, groups=groups).n_splits == 3


def test_weights_are_cut_along_with_the_rows():
    weights = np.linspace(0.5, 2, len(Y))
    search = ShrunkSearchCV(LogisticRegression(), GRID, cv=3)
    assert plan(search, X, Y, sample_weight=weights).n_fits == 13


def test_without_a_target_the_estimator_scores_itself():
    from sklearn.mixture import GaussianMixture

    search = GridSearchCV(GaussianMixture(), {"n_components": [1, 2]}, cv=3)
    assert plan(search, X, rng=0).noise > 0


def test_one_candidate_needs_no_correction():
    result = plan(GridSearchCV(LogisticRegression(), {"C": [1.0]}), X, Y)
    assert result.optimism == 0.0
    assert result.advice == ("Nothing is chosen: the score needs no correction.",)


def test_the_text_says_fits_time_and_advice():
    search = NestedCVSearch(
        make_pipeline(StandardScaler(), LogisticRegression()),
        {"logisticregression__C": [0.01, 0.1, 1.0, 10.0]},
        cv=5,
    )
    text = str(plan(search, X, Y, rng=0))
    assert "4 candidates x 5 splits on 120 rows: 61 fits, about" in text
    assert "share 0.4 to 0.9 of their luck" in text
    assert "HonestSearchCV corrects the best score with 21 fits in place of 61." in text
    assert "A fold is judged on 24 rows" in text
    assert "480 rows would halve it" in text


def test_the_same_seed_gives_the_same_plan():
    search = GridSearchCV(LogisticRegression(), GRID, cv=3)
    assert plan(search, X, Y, rng=1).noise == plan(search, X, Y, rng=1).noise


def test_what_cannot_be_counted_is_refused():
    splits = iter(KFold(3).split(X))
    with pytest.raises(TypeError, match="read only once"):
        plan(GridSearchCV(LogisticRegression(), GRID, cv=splits), X, Y)
    assert len(list(splits)) == 3
    odd = RandomizedSearchCV(LogisticRegression(), {"C": loguniform(0.1, 1)}, n_iter="all")
    with pytest.raises(TypeError, match="cannot be counted"):
        plan(odd, X, Y)


def test_an_error_of_the_fit_is_not_hidden():
    with pytest.raises(ValueError, match="NaN"):
        plan(GridSearchCV(LogisticRegression(), GRID), np.full_like(X, np.nan), Y)


PLAN = SearchPlan(
    n_fits=51, n_candidates=10, n_splits=5, n_rows=1000, n_test=200, seconds_per_fit=0.01234,
    seconds=7200.0, score=0.8, noise=0.01, optimism=0.015,
)  # fmt: skip


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.01234, "0.012 seconds"), (42, "42 seconds"), (600, "10 minutes"), (4 * 3600, "4 hours"),
     (10 * 86400, "10 days")],
)  # fmt: skip
def test_times_are_written_for_reading(seconds, text):
    assert f"about {text} (" in str(replace(PLAN, seconds=seconds))


def test_a_long_search_is_told_to_keep_its_fits():
    assert any("checkpoint" in line for line in PLAN.advice)


def test_an_estimator_is_no_search():
    with pytest.raises(TypeError, match=r"GridSearchCV\(estimator, grid\); got LogisticRegression"):
        plan(LogisticRegression(), X, Y)
