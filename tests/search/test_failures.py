"""Failed fits and scorers, and searches where nothing was chosen: no number out of NaN."""

import numpy as np
import pytest
from searches import LOGISTIC, X, Y, every_search
from sklearn.datasets import (
    load_diabetes,
)
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import Ridge
from sklearn.model_selection import (
    KFold,
    LeaveOneOut,
    ShuffleSplit,
    cross_val_score,
)
from sklearn.neighbors import KNeighborsClassifier

from skmaxev import NestedCVSearch


@every_search
@pytest.mark.filterwarnings("ignore:One or more", "ignore:Scoring failed", "ignore:R\\^2")
@pytest.mark.filterwarnings("ignore:No nested", "ignore:Nested folds", "ignore:y_pred values")
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


@every_search
def test_a_mistake_of_ours_is_no_reason_for_nan(Search, monkeypatch):
    def broken(*args, **options):
        raise ValueError("operands could not be broadcast together")

    monkeypatch.setattr("skmaxev.correction._report.estimate_all", broken)
    with pytest.raises(ValueError, match="could not be broadcast"):
        Search(*LOGISTIC, cv=3).fit(X, Y)


def test_a_mistake_of_ours_is_no_reason_to_do_without_nested_folds(monkeypatch):
    def broken(*args, **options):
        raise ValueError("operands could not be broadcast together")

    monkeypatch.setattr("skmaxev.engine.splits.safe_split", broken)
    with pytest.raises(ValueError, match="could not be broadcast"):
        NestedCVSearch(*LOGISTIC, cv=ShuffleSplit(3, random_state=0)).fit(X, Y)


@every_search
def test_a_fit_that_broke_off_leaves_no_model_of_other_parameters(Search):
    search = Search(Fails(), {"n_neighbors": [1, 3]}, cv=3).fit(X, Y)
    search.set_params(param_grid={"n_neighbors": [2, 99]})
    with pytest.raises(KeyboardInterrupt):
        search.fit(X, Y)
    assert not hasattr(search, "best_estimator_")
    with pytest.raises(NotFittedError):
        search.predict(X)


@every_search
def test_a_fit_without_refit_keeps_no_earlier_model(Search):
    search = Search(Fails(), {"n_neighbors": [1, 3]}, cv=3).fit(X, Y)
    search.set_params(refit=False).fit(X, Y)
    assert not hasattr(search, "best_estimator_")
