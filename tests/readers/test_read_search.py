"""Fitted searches, as people really run them."""

import warnings
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from sklearn.cross_decomposition import PLSRegression
from sklearn.datasets import load_diabetes, make_classification, make_regression
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.exceptions import NotFittedError
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.feature_selection import RFECV
from sklearn.linear_model import (
    LogisticRegression,
    LogisticRegressionCV,
    Ridge,
    RidgeClassifierCV,
)
from sklearn.model_selection import (
    GridSearchCV,
    HalvingGridSearchCV,
    KFold,
    LeaveOneOut,
    RandomizedSearchCV,
    TunedThresholdClassifierCV,
)
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import SplineTransformer, StandardScaler
from sklearn.svm import SVC

from skmaxev.correction import correct
from skmaxev.readers.search import from_search, metric_name
from skmaxev.search import NestedCVSearch

ALPHAS = np.logspace(-3, 2, 11)


def one_standard_error(results):
    mean = results["mean_test_score"]
    best = int(np.argmax(mean))
    error = results["std_test_score"][best] / np.sqrt(5)
    return int(np.flatnonzero(mean >= mean[best] - error).max())


def diabetes(n=150):
    X, y = load_diabetes(return_X_y=True)
    return X[:n], y[:n]


def quietly(search, X, y):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return search.fit(X, y)


def failing_search(values, **keywords):
    X, y = make_regression(80, 10, n_informative=4, noise=40, random_state=0)
    search = GridSearchCV(PLSRegression(), {"n_components": values}, cv=KFold(5), **keywords)
    return quietly(search, X, y)


def test_the_table_holds_the_scores_the_winner_and_the_settings():
    search = GridSearchCV(Ridge(), {"alpha": ALPHAS}, cv=5).fit(*diabetes())
    table = from_search(search)
    assert table.scores.shape == (5, 11)
    assert table.scores[3, 7] == search.cv_results_["split3_test_score"][7]
    assert table.best_index == search.best_index_
    assert table.params[table.best_index] == search.best_params_
    assert (table.metric, table.source, table.n_fits) == ("r2", "GridSearchCV", 56)
    assert correct(search).naive == search.best_score_


def test_the_metric_is_named_where_it_can_be_known():
    X, y = make_classification(60, random_state=0)

    def metric(estimator, **keywords):
        return from_search(GridSearchCV(estimator, {}, cv=2, **keywords).fit(X, y)).metric

    class OwnScore(SVC):
        def score(self, X, y, sample_weight=None):
            return 0.5

    assert metric(SVC()) == "accuracy"
    assert metric(make_pipeline(StandardScaler(), SVC())) == "accuracy"
    assert metric(KNeighborsClassifier()) == "accuracy"
    assert metric(Ridge()) == "r2"
    assert metric(GridSearchCV(SVC(), {}, scoring="f1")) == "f1"
    assert metric(SVC(), scoring="roc_auc") == "roc_auc"
    assert metric(OwnScore()) == "score"
    assert metric(SVC(), scoring=lambda model, X, y: model.score(X, y)) == "score"


def test_a_rule_of_the_users_keeps_its_winner_and_the_report_says_so():
    search = GridSearchCV(Ridge(), {"alpha": ALPHAS}, cv=KFold(5), refit=one_standard_error)
    search.fit(*diabetes())
    plain = GridSearchCV(Ridge(), {"alpha": ALPHAS}, cv=KFold(5)).fit(*diabetes())
    report, best = correct(search), correct(plain)
    assert search.best_index_ != plain.best_index_
    assert report.best_index == search.best_index_
    assert report.naive == search.cv_results_["mean_test_score"][search.best_index_]
    assert report.estimate <= best.naive
    assert abs(report.optimism) < max(best.optimism, 1e-3)
    assert f"candidate {plain.best_index_}" in " ".join(report.notes)
    assert report.method == "CONSENSUS"
    assert report.estimates["ME"].value == best.naive


@pytest.mark.parametrize("method", ["LVCV", "LBCV", "ME", "BAYES", "TT", "BBC-F"])
def test_methods_for_the_best_candidate_refuse_to_judge_another(method):
    search = GridSearchCV(Ridge(), {"alpha": ALPHAS}, cv=KFold(5), refit=one_standard_error)
    with pytest.raises(ValueError, match=r"Use one of \['EB', 'CONSENSUS'\]"):
        correct(search.fit(*diabetes()), method=method)


def test_failed_candidates_take_no_part():
    report = correct(failing_search([20, 1, 2, 3, 200]))
    clean = correct(failing_search([1, 2, 3]))
    assert report.estimate == clean.estimate
    assert report.interval == clean.interval
    assert report.best_index == clean.best_index + 1
    assert (report.n_candidates, report.n_used) == (5, 3)
    assert report.left_out == {0: "no score on every split", 4: "no score on every split"}


@pytest.mark.parametrize("sentinel", [-1e6, -np.inf, -999])
def test_a_filler_for_failed_fits_takes_no_part(sentinel):
    report = correct(failing_search([20, 1, 2, 3], error_score=sentinel))
    clean = correct(failing_search([1, 2, 3]))
    assert report.estimate == clean.estimate
    assert list(report.left_out) == [0]


def test_a_filler_is_named_in_the_bare_results():
    search = failing_search([20, 1, 2, 3], error_score=-1e6)
    report = correct(search.cv_results_, metric="r2", error_score=-1e6)
    assert report.estimate == correct(search).estimate
    assert report.left_out == correct(search).left_out
    assert not correct(search.cv_results_, metric="r2").left_out


def test_the_parameter_scoring_of_an_estimator_does_not_name_its_score():
    model = HistGradientBoostingClassifier(max_iter=2)
    assert model.scoring == "loss"
    assert metric_name(GridSearchCV(model, {})) == "accuracy"
    assert metric_name(GridSearchCV(RidgeClassifierCV(scoring="roc_auc"), {})) == "accuracy"
    inner = LogisticRegressionCV(scoring="roc_auc")  # its ``score`` is the area
    assert metric_name(GridSearchCV(inner, {})) == "roc_auc"


def test_the_curve_of_a_selector_names_the_count_that_it_chose():
    X, y = make_classification(60, 6, n_informative=2, random_state=0)
    selector = RFECV(LogisticRegression(), cv=3).fit(X, y)
    report = correct(selector)
    assert report.best_params == {"n_features": selector.n_features_}
    assert report.naive == pytest.approx(max(selector.cv_results_["mean_test_score"]))


def test_results_kept_as_a_frame_are_read():
    search = failing_search([1, 2, 3])
    kept = SimpleNamespace(
        cv_results_=pd.DataFrame(search.cv_results_), best_index_=search.best_index_
    )
    assert correct(kept).estimate == correct(search.cv_results_).estimate


def test_a_filler_that_a_fit_can_earn_leaves_the_doubt_in_the_report():
    results = {"split0_test_score": [0.0, 0.9, 0.8], "split1_test_score": [0.9, 0.8, 0.9]}

    class Finished:
        cv_results_ = results
        error_score = 0
        scoring = "accuracy"

        def fit(self):
            raise NotImplementedError

    report = correct(Finished())
    assert report.n_used == 3
    assert "error_score=0 is a score that a fit can earn" in report.notes[0]


def test_one_row_test_sets_and_r2_name_the_cause():
    search = GridSearchCV(Ridge(), {"alpha": [0.01, 1.0]}, cv=LeaveOneOut(), scoring="r2")
    with pytest.raises(ValueError, match=r"all scores are NaN.*one row.*neg_mean_squared_error"):
        correct(quietly(search, *diabetes(30)))


def test_a_class_missing_from_a_fold_names_the_cause():
    y = np.array(["a", "b"] * 19 + ["c", "c"])
    X = np.random.default_rng(0).normal(size=(40, 3))
    search = GridSearchCV(
        LogisticRegression(), {"C": [0.1, 1]}, cv=KFold(5), scoring="neg_log_loss"
    )
    with pytest.raises(ValueError, match=r"all scores are NaN.*class is missing.*StratifiedKFold"):
        correct(quietly(search, X, y))


def test_a_positive_label_that_is_not_there_names_the_cause():
    X, y = make_classification(60, random_state=0)
    search = GridSearchCV(SVC(), {"C": [0.1, 1]}, cv=3, scoring="f1")
    with pytest.raises(ValueError, match=r"pos_label=1 is not among the labels"):
        correct(quietly(search, X, np.where(y == 1, "yes", "no")))


def test_a_split_without_any_score_is_named():
    results = {"split0_test_score": [0.5, 0.6], "split1_test_score": [np.nan, np.nan]}
    with pytest.raises(ValueError, match="split 1 has no score for any candidate"):
        correct(results)


def test_settings_of_any_kind_do_not_disturb():
    rng = np.random.default_rng(0)
    X = np.sort(rng.uniform(0, 10, (60, 1)), 0)
    knots = ["uniform", np.linspace(0, 10, 4)[:, None], np.linspace(0, 10, 9)[:, None], None]
    grid = {"splinetransformer__knots": knots[:3], "linearregression__alpha": [0.1]}
    model = make_pipeline(SplineTransformer(extrapolation="linear"), Ridge())
    grid["ridge__alpha"] = grid.pop("linearregression__alpha")
    search = GridSearchCV(model, grid, cv=3).fit(X, np.sin(X[:, 0]))
    report = correct(search)
    assert report.best_params is search.cv_results_["params"][search.best_index_]
    assert str(report)
    assert report.to_json()


def test_only_the_last_round_of_halving_is_corrected():
    X, y = make_classification(400, random_state=0)
    search = HalvingGridSearchCV(SVC(), {"C": np.logspace(-2, 3, 9)}, cv=3, random_state=0)
    report = correct(search.fit(X, y))
    rounds = np.asarray(search.cv_results_["iter"])
    assert report.n_used == (rounds == rounds.max()).sum()
    assert report.n_candidates == len(rounds)
    assert report.best_index == search.best_index_
    assert "last round" in report.notes[0]
    assert correct(search.cv_results_).estimate == report.estimate


def test_several_metrics_use_that_of_refit_unless_told():
    X, y = make_classification(80, flip_y=0.2, random_state=0)
    both = GridSearchCV(
        SVC(), {"C": np.logspace(-2, 3, 9)}, cv=3, scoring=["accuracy", "roc_auc"], refit="roc_auc"
    ).fit(X, y)
    alone = GridSearchCV(SVC(), {"C": np.logspace(-2, 3, 9)}, cv=3, scoring="accuracy").fit(X, y)
    assert correct(both).metric == "roc_auc"
    assert correct(both).best_index == both.best_index_
    assert correct(both, metric="accuracy").estimate == correct(alone).estimate
    assert correct(both, metric="accuracy").best_index == alone.best_index_
    assert correct(both.cv_results_, metric="roc_auc").estimate == correct(both).estimate
    with pytest.raises(ValueError, match=r"one of \['accuracy', 'roc_auc'\]; got 'f1'"):
        correct(both, metric="f1")
    both.set_params(refit=False)
    with pytest.raises(ValueError, match="got None"):
        correct(both)


def test_a_search_without_refit_will_do():
    search = GridSearchCV(Ridge(), {"alpha": ALPHAS}, cv=5, refit=False).fit(*diabetes())
    refitted = GridSearchCV(Ridge(), {"alpha": ALPHAS}, cv=5).fit(*diabetes())
    assert correct(search).estimate == correct(refitted).estimate
    assert correct(search).n_fits == 55


def test_random_search_is_read_alike():
    search = RandomizedSearchCV(Ridge(), {"alpha": ALPHAS}, n_iter=6, cv=5, random_state=0)
    report = correct(search.fit(*diabetes()))
    assert report.n_candidates == 6
    assert report.source == "RandomizedSearchCV"


def test_an_unfitted_search_is_refused():
    with pytest.raises(NotFittedError, match=r"this GridSearchCV is not\. Call fit"):
        correct(GridSearchCV(Ridge(), {"alpha": ALPHAS}))


def test_a_threshold_search_keeps_too_little():
    X, y = make_classification(100, random_state=0)
    tuned = TunedThresholdClassifierCV(LogisticRegression(), store_cv_results=True).fit(X, y)
    with pytest.raises(ValueError, match="FixedThresholdClassifier"):
        correct(tuned)


def test_a_winner_that_failed_is_refused():
    search = failing_search([1, 20], error_score=np.nan)
    search.best_index_ = 1
    with pytest.raises(ValueError, match="candidate 1, which the search chose, is left out"):
        correct(search)


def test_a_search_of_this_package_brings_its_outer_folds():
    X, y = make_classification(60, random_state=0)
    search = NestedCVSearch(SVC(), {"C": [0.1, 1, 10]}, cv=3).fit(X, y)
    assert correct(search, method="NESTED").estimate == search.best_score_
    assert correct(search).naive == correct(search.cv_results_).naive
    both = NestedCVSearch(
        SVC(), {"C": [0.1, 1, 10]}, cv=3, scoring=["accuracy", "roc_auc"], refit="roc_auc"
    ).fit(X, y)
    assert correct(both).metric == "roc_auc"
    assert correct(both, metric="accuracy", method="NESTED").metric == "accuracy"


def test_an_optuna_search_is_read_through_its_study():
    integration = pytest.importorskip("optuna_integration")
    optuna = pytest.importorskip("optuna")
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    X, y = make_classification(60, random_state=0)
    space = {"C": optuna.distributions.FloatDistribution(1e-2, 1e2, log=True)}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        search = integration.OptunaSearchCV(SVC(), space, n_trials=5, cv=3, random_state=0)
        search.fit(X, y)
    report = correct(search)
    assert (report.metric, report.source) == ("accuracy", "OptunaSearchCV")
    assert report.naive == pytest.approx(search.best_score_)
    assert report.best_params == search.best_params_
    assert report.n_splits == 3


def test_a_recursive_elimination_is_read():
    X, y = make_classification(60, n_features=6, random_state=0)
    report = correct(RFECV(LogisticRegression(), cv=3).fit(X, y))
    assert report.n_candidates == 6
    assert report.metric == "accuracy"


def test_the_name_of_another_metric_is_refused():
    search = GridSearchCV(KNeighborsClassifier(), {"n_neighbors": [1, 5]}, scoring="accuracy").fit(
        *make_classification(random_state=0)
    )
    with pytest.raises(ValueError, match="what the search scored, 'accuracy'; got 'f1'"):
        correct(search, metric="f1")


def test_choices_of_skrub_have_their_names():
    skrub = pytest.importorskip("skrub")
    X, y = diabetes()
    model = Ridge(alpha=skrub.choose_from([1e-3, 1.0, 1e3], name="strength"))
    plan = skrub.X(pd.DataFrame(X)).skb.apply(model, y=skrub.y(pd.Series(y)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        search = plan.skb.make_grid_search(fitted=True, cv=3)
    (chosen,) = search.best_params_.values()  # the number of a choice
    assert correct(search).best_params == {"strength": [1e-3, 1.0, 1e3][chosen]}
    named = [params["strength"] for params in correct(search).table.params]
    assert named == [1e-3, 1.0, 1e3]
