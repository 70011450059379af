"""What users rightly expect: kinds of use that other tools were reported to break on."""

import pickle
import tracemalloc
from typing import ClassVar

import numpy as np
import pandas as pd
import pytest
from joblib import parallel_config
from sklearn import config_context
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.compose import TransformedTargetRegressor, make_column_transformer
from sklearn.datasets import (
    load_diabetes,
    load_iris,
    make_classification,
    make_multilabel_classification,
)
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import FitFailedWarning
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge
from sklearn.metrics import accuracy_score, brier_score_loss, make_scorer
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    KFold,
    LeaveOneOut,
    PredefinedSplit,
    StratifiedKFold,
    TimeSeriesSplit,
    cross_val_score,
    cross_validate,
)
from sklearn.neighbors import KernelDensity, KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, SplineTransformer
from sklearn.svm import SVC

from skmaxev import HonestSearchCV, LowVarianceCVSearch, NestedCVSearch, ShrunkSearchCV, correct

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


# 02, 36, 37, 68: impossible inside an outer fold


@pytest.mark.parametrize(
    ("search", "n_rows", "groups", "message"),
    [
        ({"cv": GroupKFold(3), "outer_cv": GroupKFold(3)}, 60, 3, "2 groups"),
        ({"cv": StratifiedKFold(4), "outer_cv": StratifiedKFold(4)}, 8, None, "3 to 3 in a class"),
        ({"cv": KFold(60), "outer_cv": KFold(6)}, 60, None, "50 rows"),
        ({"cv": PredefinedSplit(np.arange(60) % 3), "outer_cv": 3}, 60, None, "other rows"),
        ({"cv": list(KFold(3).split(np.zeros(60))), "outer_cv": 3}, 60, None, "list of splits"),
    ],
    ids=["groups", "members of a class", "rows", "predefined", "list"],
)
def test_what_cannot_be_split_inside_is_found_before_the_first_fit(search, n_rows, groups, message):
    Recorder.rows = []
    data = np.c_[np.arange(n_rows), np.arange(n_rows) % 7]
    params = {} if groups is None else {"groups": np.arange(n_rows) % groups}
    with pytest.raises(ValueError, match="outer fold") as error:
        NestedCVSearch(Recorder(), {"flip": [True, False]}, **search).fit(
            data, np.arange(n_rows) % 2, **params
        )
    assert message in str(error.value)
    assert "outer_cv=None" in str(error.value)
    assert Recorder.rows == []


def test_one_split_is_judged_by_its_rows_or_not_at_all():
    fold = np.full(80, -1)
    fold[60:] = 0
    options = {"cv": PredefinedSplit(fold)}
    search = ShrunkSearchCV(*LOGISTIC, **options).fit(X, Y)
    assert any("one split" in note for note in search.report_.notes)
    assert search.n_splits_ == 1
    with pytest.warns(UserWarning, match="honest score is NaN.*1 split"):
        search = ShrunkSearchCV(*LOGISTIC, keep_predictions=False, **options).fit(X, Y)
    assert np.isnan(search.best_score_)
    assert search.predict(X).shape == (80,)
    with pytest.warns(UserWarning, match="No nested cross-validation"):
        search = NestedCVSearch(*LOGISTIC, **options).fit(X, Y)
    assert np.isnan(search.best_score_)


def test_a_list_of_splits_is_shared_by_the_nested_search():
    folds = list(StratifiedKFold(5, shuffle=True, random_state=0).split(X, Y))
    by_list = NestedCVSearch(*LOGISTIC, cv=folds).fit(X, Y)
    by_splitter = NestedCVSearch(
        *LOGISTIC, cv=StratifiedKFold(5, shuffle=True, random_state=0)
    ).fit(X, Y)
    np.testing.assert_array_equal(by_list.outer_scores_, by_splitter.outer_scores_)


# 03, 05, 06: metadata


def test_groups_beside_a_whole_number_of_folds_are_ignored_aloud():
    with pytest.warns(UserWarning, match="groups parameter is ignored"):
        search = NestedCVSearch(*LOGISTIC, cv=3).fit(X, Y, groups=np.arange(80) % 8)
    assert search.naive_best_score_ == GridSearchCV(*LOGISTIC, cv=3).fit(X, Y).best_score_


def test_routed_metadata_reach_both_levels():
    groups, weight = np.arange(80) % 8, 1.0 + np.arange(80) % 3
    params = {"groups": groups, "sample_weight": weight}
    with config_context(enable_metadata_routing=True):
        model = LogisticRegression().set_fit_request(sample_weight=True)
        scorer = make_scorer(accuracy_score).set_score_request(sample_weight=True)
        options = {"cv": GroupKFold(3), "scoring": scorer}
        grid = LOGISTIC[1]
        plain = GridSearchCV(model, grid, **options)
        expected = cross_validate(plain, X, Y, cv=GroupKFold(4), params=params, scoring=scorer)
        search = NestedCVSearch(model, grid, outer_cv=GroupKFold(4), **options).fit(X, Y, **params)
        np.testing.assert_array_equal(search.outer_scores_, expected["test_score"])
        inside = cross_validate(
            ShrunkSearchCV(model, grid, **options),
            X,
            Y,
            cv=GroupKFold(4),
            params=params,
            scoring=scorer,
        )
        np.testing.assert_array_equal(inside["test_score"], expected["test_score"])
        wrapped = HonestSearchCV(plain).fit(X, Y, **params)
        assert wrapped.naive_best_score_ == pytest.approx(plain.fit(X, Y, **params).best_score_)


@pytest.mark.parametrize("outer_cv", [None, 4])
def test_parameters_with_a_value_for_each_row_are_cut_and_others_are_not(outer_cv):
    data = np.c_[np.arange(50), np.random.default_rng(0).normal(size=50)]
    search = NestedCVSearch(
        Recorder(), {"flip": [True, False]}, outer_cv=outer_cv, error_score="raise"
    )
    search.fit(
        data, (data[:, 1] > 0.2).astype(int), row_id=np.arange(50), palette=["red", "green", "blue"]
    )
    assert search.best_params_ == {"flip": False}


# 08, 13, 14, 63, 65, 66: data


def test_frames_keep_names_and_positions_whatever_their_index():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"age": rng.normal(40, 9, 60), "city": rng.choice(["rome", "oslo"], 60)})
    y = pd.Series(np.where(frame["age"] + rng.normal(0, 8, 60) > 40, "yes", "no"))
    frame.loc[::7, "age"] = np.nan
    frame.index = y.index = ["dup"] * 30 + list(range(100, 130))
    columns = make_column_transformer((SimpleImputer(), ["age"]), (OneHotEncoder(), ["city"]))
    model = make_pipeline(columns, LogisticRegression())
    grid = {"columntransformer__simpleimputer__strategy": ["mean", "median"]}
    search = NestedCVSearch(model, grid, cv=3, outer_cv=StratifiedKFold(4)).fit(frame, y)
    expected = cross_val_score(GridSearchCV(model, grid, cv=3), frame, y, cv=StratifiedKFold(4))
    np.testing.assert_array_equal(search.outer_scores_, expected)
    assert list(search.feature_names_in_) == ["age", "city"]


@pytest.mark.filterwarnings("ignore:A column-vector y was passed")
def test_a_column_of_targets_scores_as_a_vector():
    column = NestedCVSearch(*LOGISTIC, cv=3).fit(X, Y.reshape(-1, 1))
    vector = NestedCVSearch(*LOGISTIC, cv=3).fit(X, Y)
    np.testing.assert_array_equal(column.outer_scores_, vector.outer_scores_)


def test_many_labels_a_row_are_split_without_strata_at_both_levels():
    data, labels = make_multilabel_classification(60, n_classes=3, random_state=0)
    knn, grid = KNeighborsClassifier(), {"n_neighbors": [1, 5]}
    options = {"cv": 3, "scoring": "f1_micro"}
    search = NestedCVSearch(knn, grid, outer_cv=4, **options).fit(data, labels)
    expected = cross_val_score(
        GridSearchCV(knn, grid, **options), data, labels, cv=KFold(4), scoring="f1_micro"
    )
    np.testing.assert_array_equal(search.outer_scores_, expected)


def test_settings_of_any_type_and_shape_are_kept_as_they_are():
    rng = np.random.default_rng(0)
    data = rng.uniform(0, 10, (60, 1))
    knots = ["uniform", np.linspace(0, 10, 4)[:, None], np.linspace(0, 10, 6)[:, None]]
    model = make_pipeline(SplineTransformer(extrapolation="linear"), LinearRegression())
    search = NestedCVSearch(model, {"splinetransformer__knots": knots}, cv=3)
    search.fit(data, np.sin(data[:, 0]))
    kept = [params["splinetransformer__knots"] for params in search.cv_results_["params"]]
    assert kept[0] == "uniform"
    assert kept[1].shape == (4, 1)
    assert "uniform" in str(search.report_) or "array" in str(search.report_)
    pd.DataFrame(search.outer_results_)


def test_a_search_without_target():
    data = np.random.default_rng(0).normal(size=(60, 2))
    grid = {"bandwidth": np.logspace(-1, 1, 4)}
    search = NestedCVSearch(KernelDensity(), grid, cv=3, outer_cv=4).fit(data)
    expected = cross_val_score(GridSearchCV(KernelDensity(), grid, cv=3), data, cv=4)
    np.testing.assert_array_equal(search.outer_scores_, expected)


def test_outer_folds_are_scored_by_the_metric_of_the_search():
    rng = np.random.default_rng(0)
    data = rng.normal(size=(60, 4))
    y = np.exp(1 + data[:, 0] + rng.normal(0, 0.5, 60))
    model = TransformedTargetRegressor(Ridge(), func=np.log, inverse_func=np.exp)
    grid, scoring = {"regressor__alpha": [0.1, 10.0]}, "neg_root_mean_squared_error"
    search = NestedCVSearch(model, grid, cv=3, outer_cv=4, scoring=scoring).fit(data, y)
    plain = GridSearchCV(model, grid, cv=3, scoring=scoring)
    expected = cross_val_score(plain, data, y, cv=4, scoring=scoring)
    np.testing.assert_array_equal(search.outer_scores_, expected)
    assert search.best_score_ < 0


# 16, 17, 19, 21: scoring and refit


@every_search
def test_each_metric_has_a_report_of_its_own_winner(Search):
    scoring = {"acc": "accuracy", "nll": "neg_log_loss"}
    search = Search(*LOGISTIC, cv=3, scoring=scoring, refit="nll").fit(X, Y)
    for name, scorer in scoring.items():
        alone = Search(*LOGISTIC, cv=3, scoring=scorer).fit(X, Y)
        assert search.reports_[name].best_index == alone.best_index_
        assert search.reports_[name].estimate == pytest.approx(alone.best_score_, abs=1e-12)
    assert search.report_ is search.reports_["nll"]
    assert search.best_score_ == search.report_.estimate


def one_standard_error(results):
    means = results["mean_test_score"]
    splits = sum(key.startswith("split") for key in results)
    best = means.argmax()
    enough = means >= means[best] - results["std_test_score"][best] / np.sqrt(splits)
    return int(np.flatnonzero(enough).max())


@every_search
def test_a_callable_refit_is_judged_by_what_it_chose(Search):
    data, y = load_diabetes(return_X_y=True)
    grid = {"alpha": np.logspace(-3, 2, 11)}
    search = Search(Ridge(), grid, refit=one_standard_error).fit(data[:150], y[:150])
    plain = GridSearchCV(Ridge(), grid).fit(data[:150], y[:150])
    chosen = one_standard_error(plain.cv_results_)
    assert search.best_index_ == chosen != plain.best_index_
    assert search.report_.naive == pytest.approx(plain.cv_results_["mean_test_score"][chosen])
    assert search.best_score_ <= search.naive_best_score_ + 1e-12


def test_a_callable_refit_chooses_inside_every_outer_fold():
    data, y = load_diabetes(return_X_y=True)
    data, y, grid = data[:150], y[:150], {"alpha": np.logspace(-3, 2, 11)}
    options = {"cv": KFold(4), "refit": one_standard_error}
    search = NestedCVSearch(Ridge(), grid, outer_cv=KFold(3), **options).fit(data, y)
    expected = cross_val_score(GridSearchCV(Ridge(), grid, **options), data, y, cv=KFold(3))
    np.testing.assert_array_equal(search.outer_scores_, expected)


@every_search
def test_without_refit_the_score_is_still_corrected(Search):
    data, y = load_iris(return_X_y=True)
    search = Search(SVC(), {"C": [0.1, 1, 10]}, refit=False).fit(data, y)
    assert np.isfinite(search.best_score_)
    assert search.best_params_["C"] in {0.1, 1, 10}
    assert not hasattr(search, "best_estimator_")
    with pytest.raises(AttributeError):
        search.predict(data)


def test_losses_by_probability_keep_their_sign_at_both_levels():
    scorer = make_scorer(brier_score_loss, greater_is_better=False, response_method="predict_proba")
    own = NestedCVSearch(*LOGISTIC, cv=3, scoring=scorer).fit(X, Y)
    named = NestedCVSearch(*LOGISTIC, cv=3, scoring="neg_brier_score").fit(X, Y)
    np.testing.assert_allclose(own.outer_scores_, named.outer_scores_, atol=1e-12)
    assert -1 <= own.best_score_ <= 0


# 22, 24, 29: no number out of NaN


@every_search
@pytest.mark.filterwarnings("ignore:One or more", "ignore:Scoring failed", "ignore:R\\^2")
@pytest.mark.filterwarnings("ignore:No nested", "ignore:y_pred values")
@pytest.mark.parametrize("case", ["class missing", "text labels", "leave one out"])
def test_a_table_of_nan_gives_no_number(Search, case):
    if case == "class missing":
        y = np.array(["a", "b"] * 19 + ["c", "c"])
        arguments = (*LOGISTIC, KFold(5), "neg_log_loss", X[:40], y)
    elif case == "text labels":
        arguments = (*LOGISTIC, 4, "f1", X, np.where(Y, "ill", "well"))
    else:
        data, y = load_diabetes(return_X_y=True)
        arguments = (Ridge(), {"alpha": [0.1, 1.0]}, LeaveOneOut(), "r2", data[:12], y[:12])
    model, grid, cv, scoring, data, y = arguments
    with pytest.warns(UserWarning, match="honest score is NaN"):
        search = Search(model, grid, cv=cv, scoring=scoring).fit(data, y)
    assert np.isnan(search.best_score_)
    assert np.isnan(search.naive_best_score_)
    assert search.best_index_ == 0


# 25, 26, 28, 57: failures


class Fails(KNeighborsClassifier):
    """Refuses to be fitted with more neighbours than 3, and is interrupted with 99."""

    def fit(self, X, y):
        if self.n_neighbors == 99:
            raise KeyboardInterrupt
        if self.n_neighbors > 3:
            raise RuntimeError("too many neighbours")
        return super().fit(X, y)


@every_search
def test_when_all_fits_fail_the_error_is_scikit_learns(Search):
    with pytest.raises(ValueError, match=r"(?s)All the 6 fits failed.*too many neighbours"):
        Search(Fails(), {"n_neighbors": [5, 7]}, cv=3).fit(X, Y)
    with pytest.raises(RuntimeError, match="too many neighbours"):
        Search(Fails(), {"n_neighbors": [1, 7]}, cv=3, error_score="raise").fit(X, Y)


@every_search
@pytest.mark.parametrize("error_score", [np.nan, -1e6, -np.inf])
@pytest.mark.filterwarnings("ignore:One or more", "ignore:invalid value encountered")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.FitFailedWarning")
def test_failed_candidates_take_no_part(Search, error_score):
    some = Search(Fails(), {"n_neighbors": [9, 1, 2, 3, 7]}, cv=4, error_score=error_score)
    some.fit(X, Y)
    clean = Search(Fails(), {"n_neighbors": [1, 2, 3]}, cv=4).fit(X, Y)
    assert some.best_params_ == clean.best_params_
    assert some.best_score_ == pytest.approx(clean.best_score_, abs=1e-12)
    assert set(some.report_.left_out) == {0, 4}


@every_search
def test_an_interrupt_passes_through_and_leaves_the_search_unfitted(Search):
    search = Search(Fails(), {"n_neighbors": [1, 99, 2]}, cv=3)
    with pytest.raises(KeyboardInterrupt):
        search.fit(X, Y)
    assert not [name for name in vars(search) if name.endswith("_")]


# 32, 34, 41: where nothing was chosen


@every_search
@pytest.mark.parametrize(
    "grid", [{"leaf_size": [10, 20, 30], "algorithm": ["kd_tree", "ball_tree"]}, {}], ids=str
)
def test_without_a_choice_the_correction_is_exactly_zero(Search, grid):
    search = Search(KNeighborsClassifier(7), grid).fit(X, Y)
    assert search.best_index_ == 0
    assert search.best_score_ == search.naive_best_score_
    assert search.report_.optimism == 0
    expected = cross_val_score(KNeighborsClassifier(7), X, Y).mean()
    assert search.best_score_ == pytest.approx(expected, abs=1e-15)


@every_search
def test_folds_drawn_anew_at_every_call_are_drawn_once(Search):
    search = Search(
        KNeighborsClassifier(9), {"leaf_size": [10, 20]}, cv=KFold(4, shuffle=True)
    ).fit(X, Y)
    assert search.report_.optimism == 0
    if Search is NestedCVSearch:
        splits = [search.cv_results_[f"split{k}_test_score"][0] for k in range(4)]
        np.testing.assert_array_equal(search.outer_scores_, splits)


# 39: time


def test_no_row_of_the_future_ever_trains():
    Recorder.rows = []
    data = np.c_[np.arange(60), np.random.default_rng(0).normal(size=60)]
    splitter = TimeSeriesSplit(3)
    NestedCVSearch(Recorder(), {"flip": [True, False]}, cv=splitter, refit=False).fit(
        data, (data[:, 1] > 0).astype(int)
    )
    for rows in Recorder.rows:
        np.testing.assert_array_equal(rows, np.arange(len(rows)))


# 47, 48: what is reported


def test_nested_scores_above_the_printed_one_are_reported_as_they_are():
    data, y = load_iris(return_X_y=True)
    grid = {"C": [1, 10], "gamma": [0.01, 0.1]}
    above = 0
    for seed in range(6):
        folds = KFold(4, shuffle=True, random_state=seed)
        outer = KFold(4, shuffle=True, random_state=seed + 100)
        search = NestedCVSearch(SVC(), grid, cv=folds, outer_cv=outer).fit(data, y)
        assert search.best_score_ == pytest.approx(search.outer_scores_.mean(), abs=1e-15)
        above += search.best_score_ > search.naive_best_score_
    assert above > 0


def test_the_deployed_model_comes_from_all_rows():
    search = NestedCVSearch(KNeighborsClassifier(), {"n_neighbors": [1, 3, 9, 15]}).fit(X, Y)
    plain = GridSearchCV(KNeighborsClassifier(), {"n_neighbors": [1, 3, 9, 15]}).fit(X, Y)
    assert search.best_params_ == plain.best_params_
    np.testing.assert_array_equal(search.predict(X), plain.predict(X))
    assert len(search.outer_results_["params"]) == 5


# 53, 55: objects


class Marked(KNeighborsClassifier):
    """Keeps a mark through its own protocol of cloning."""

    mark = None

    def __sklearn_clone__(self):
        new = type(self)(**self.get_params())
        new.mark = self.mark
        return new

    def fit(self, X, y):
        if self.mark != "kept":
            raise ValueError("the mark was lost")
        return super().fit(X, y)


@every_search
def test_models_are_cloned_as_they_wish_and_never_touched(Search):
    model = Marked()
    model.mark = "kept"
    search = Search(model, {"n_neighbors": [1, 3]}, error_score="raise").fit(X, Y)
    assert search.best_score_ > 0
    assert not hasattr(model, "classes_")


@every_search
def test_a_fitted_search_survives_pickle_with_all_it_knows(Search):
    search = Search(*LOGISTIC, cv=3).fit(X, Y)
    again = pickle.loads(pickle.dumps(search))  # noqa: S301
    assert again.best_score_ == search.best_score_
    assert str(again.report_) == str(search.report_)
    np.testing.assert_array_equal(again.predict(X), search.predict(X))


def test_a_scorer_defined_on_the_spot_works_with_two_workers():
    factor = 2

    def local(model, X, y):
        return float(np.mean(model.predict(X) == y)) * factor / 2

    search = ShrunkSearchCV(*LOGISTIC, scoring=local, n_jobs=2).fit(X, Y)
    assert search.naive_best_score_ == GridSearchCV(*LOGISTIC).fit(X, Y).best_score_


@every_search
def test_routing_may_be_on_with_metadata_and_without(Search):
    with config_context(enable_metadata_routing=True):
        model = LogisticRegression().set_fit_request(sample_weight=True)
        weight = 1.0 + np.arange(80) % 3
        scorer = make_scorer(accuracy_score).set_score_request(sample_weight=False)
        weighted = Search(model, LOGISTIC[1], scoring=scorer).fit(X, Y, sample_weight=weight)
        plain = Search(*LOGISTIC).fit(X, Y)
    assert weighted.best_score_ <= 1
    assert plain.best_score_ == Search(*LOGISTIC).fit(X, Y).best_score_


# 50: the interval of a nested score


@pytest.mark.parametrize("n_outer", [2, 5])
def test_the_interval_of_a_nested_score_is_wider_than_the_spread_of_its_folds_says(n_outer):
    search = NestedCVSearch(*LOGISTIC, cv=3, outer_cv=n_outer).fit(X, Y)
    low, high = search.report_.interval
    scores = search.outer_scores_
    naive = 1.96 * scores.std(ddof=1) / np.sqrt(n_outer)
    assert 0 <= low < search.best_score_ < high <= 1
    assert high - low > 2 * naive


# 51: too few members of a class inside


def test_a_class_too_small_for_the_inner_folds_is_named_with_its_number():
    room = pytest.importorskip("imblearn.over_sampling")
    pipeline = pytest.importorskip("imblearn.pipeline")
    y = np.r_[np.ones(8, dtype=int), np.zeros(112, dtype=int)]
    data = np.random.default_rng(0).normal(size=(120, 4)) + 1.5 * y[:, None]
    model = pipeline.make_pipeline(room.SMOTE(random_state=0), LogisticRegression())
    grid = {"logisticregression__C": [0.01, 1.0]}
    folds = StratifiedKFold(4)
    with pytest.warns(FitFailedWarning, match="4 to 56 in a class; .* 6 to 84 in a class"):
        search = NestedCVSearch(model, grid, cv=folds).fit(data, y)
    assert np.isnan(search.best_score_)
    assert search.naive_best_score_ == GridSearchCV(model, grid, cv=folds).fit(data, y).best_score_
    with pytest.warns(FitFailedWarning, match="in a class"):
        search = NestedCVSearch(model, grid, cv=folds, outer_cv=folds).fit(data, y)
    assert np.isnan(search.best_score_)


# 54: workers at several levels


@every_search
def test_workers_at_every_level_change_no_number(Search):
    forest, grid = RandomForestClassifier(5, random_state=0, n_jobs=2), {"max_depth": [1, 3]}
    alone = Search(clone(forest).set_params(n_jobs=None), grid, cv=3).fit(X, Y)
    with parallel_config(backend="threading"):
        threads = Search(forest, grid, cv=3, n_jobs=2).fit(X, Y)
    for search in (threads, Search(forest, grid, cv=3, n_jobs=2).fit(X, Y)):
        assert search.best_score_ == alone.best_score_
        np.testing.assert_array_equal(
            search.cv_results_["mean_test_score"], alone.cv_results_["mean_test_score"]
        )
    inside = cross_val_score(Search(forest, grid, cv=3, n_jobs=2), X, Y, cv=2, n_jobs=2)
    np.testing.assert_array_equal(
        inside, cross_val_score(GridSearchCV(forest, grid, cv=3), X, Y, cv=2)
    )


# 56: many candidates


class Cheap(ClassifierMixin, BaseEstimator):
    """Learns nothing."""

    def __init__(self, a=0.0):
        self.a = a

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return (X[:, 0] > self.a).astype(int)


def test_memory_grows_with_candidates_and_folds_only():
    scores = 0.5 + 0.05 * np.random.default_rng(0).normal(size=(10, 50_000))
    tracemalloc.start()
    report = correct(scores)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert report.n_candidates == 50_000
    assert abs(report.estimate - 0.5) < 0.05
    assert peak < 100 * scores.nbytes  # all pairs of candidates would be 20 GB


@every_search
def test_candidates_that_tie_exactly_are_no_trouble(Search):
    search = Search(Cheap(), {"a": np.linspace(-3, 3, 300)}, cv=3, refit=False).fit(X, Y)
    assert search.best_score_ <= search.naive_best_score_
