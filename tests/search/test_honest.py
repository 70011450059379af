"""HonestSearchCV around any search, and the count of fits beforehand."""

import warnings

import numpy as np
import pytest
from scipy.stats import randint
from sklearn.base import clone, is_classifier
from sklearn.datasets import make_classification, make_regression
from sklearn.exceptions import NotFittedError
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.linear_model import LassoCV
from sklearn.model_selection import (
    GridSearchCV,
    HalvingGridSearchCV,
    KFold,
    RandomizedSearchCV,
    RepeatedKFold,
    ShuffleSplit,
    cross_val_score,
)
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from skmaxev import (
    HonestSearchCV,
    LowVarianceCVSearch,
    NestedCVSearch,
    ShrunkSearchCV,
    correct,
    planned_fits,
)

X, Y = make_classification(90, 6, flip_y=0.2, random_state=0)
TREE = DecisionTreeClassifier(random_state=0)
GRID = {"max_depth": [1, 2, 3, 5], "min_samples_leaf": [1, 5]}
SHUFFLED = KFold(4, shuffle=True, random_state=0)
SEARCHES = {
    "grid": GridSearchCV(TREE, GRID),
    "random": RandomizedSearchCV(TREE, GRID, n_iter=5, random_state=0),
    "halving": HalvingGridSearchCV(TREE, GRID, cv=3, random_state=0, aggressive_elimination=True),
}


@pytest.mark.parametrize("kind", SEARCHES)
def test_gives_what_correct_gives_and_all_that_the_search_has(kind):
    honest = HonestSearchCV(SEARCHES[kind]).fit(X, Y)
    plain = clone(SEARCHES[kind]).fit(X, Y)
    assert honest.best_score_ == correct(plain).estimate
    assert honest.naive_best_score_ == pytest.approx(plain.best_score_)
    assert honest.best_params_ == plain.best_params_
    np.testing.assert_array_equal(honest.predict_proba(X), plain.predict_proba(X))
    assert honest.score(X, Y) == plain.score(X, Y)
    assert list(honest.classes_) == [0, 1]
    assert honest.n_features_in_ == 6
    assert is_classifier(honest)


def test_a_fitted_search_is_corrected_and_not_touched():
    plain = GridSearchCV(TREE, GRID).fit(X, Y)
    before = dict(vars(plain))
    honest = HonestSearchCV(plain, prefit=True).fit()
    assert honest.best_score_ == correct(plain).estimate
    assert honest.search_ is plain
    assert vars(plain) == before


def test_the_search_given_is_never_fitted():
    plain = GridSearchCV(TREE, GRID)
    HonestSearchCV(plain).fit(X, Y)
    assert not hasattr(plain, "best_score_")


def test_several_metrics_have_several_reports():
    scoring = ["accuracy", "roc_auc"]
    honest = HonestSearchCV(GridSearchCV(TREE, GRID, scoring=scoring, refit="roc_auc")).fit(X, Y)
    assert set(honest.reports_) == set(scoring)
    assert honest.best_score_ == honest.reports_["roc_auc"].estimate
    none = HonestSearchCV(GridSearchCV(TREE, GRID, scoring=scoring, refit=False)).fit(X, Y)
    assert set(none.reports_) == set(scoring)
    assert not hasattr(none, "best_score_")


def test_what_the_search_cannot_do_it_cannot_do_either():
    honest = HonestSearchCV(GridSearchCV(TREE, GRID))
    assert not hasattr(honest, "decision_function")
    with pytest.raises(NotFittedError):
        honest.predict(X)
    with pytest.raises(ValueError, match="method"):
        HonestSearchCV(GridSearchCV(TREE, GRID), method="BEST").fit(X, Y)


def test_works_inside_an_outer_loop():
    plain = cross_val_score(GridSearchCV(TREE, GRID, cv=3), X, Y, cv=3)
    honest = cross_val_score(HonestSearchCV(GridSearchCV(TREE, GRID, cv=3)), X, Y, cv=3)
    np.testing.assert_array_equal(plain, honest)


@pytest.mark.parametrize(
    ("search", "n_fits"),
    [
        (GridSearchCV(TREE, GRID), 41),
        (RandomizedSearchCV(TREE, GRID, n_iter=20, refit=False), 40),
        (HonestSearchCV(GridSearchCV(TREE, GRID, cv=3)), 25),
        (ShrunkSearchCV(TREE, GRID, cv=3), 25),
        (LowVarianceCVSearch(TREE, GRID, cv=3), 25),
        (LowVarianceCVSearch(TREE, GRID, cv=3, inner_cv=2), 8 * (3 + 3 + 6) + 1),
        (NestedCVSearch(TREE, GRID), 8 * (5 + 10) + 1),
        (NestedCVSearch(TREE, GRID, cv=RepeatedKFold(n_splits=3, n_repeats=2)), 8 * 2 * 6 + 1),
        (NestedCVSearch(TREE, GRID, cv=3, outer_cv=SHUFFLED), 8 * (3 + 12) + 4 + 1),
        (NestedCVSearch(TREE, GRID, cv=ShuffleSplit(2, random_state=0)), 8 * (2 + 4) + 1),
        (NestedCVSearch(TREE, GRID, cv=KFold(3), outer_cv=KFold(3)), 8 * (3 + 9) + 1),
    ],
    ids=str,
)
def test_fits_are_counted_before_they_are_made(search, n_fits):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # more iterations than candidates
        assert planned_fits(search, X, Y) == n_fits
        if not isinstance(search, GridSearchCV | RandomizedSearchCV | HonestSearchCV):
            assert search.fit(X, Y).n_fits_ == n_fits


def test_a_search_that_decides_as_it_goes_cannot_be_counted():
    with pytest.raises(TypeError, match="decides on its fits"):
        planned_fits(SEARCHES["halving"], X, Y)
    once = NestedCVSearch(TREE, GRID, cv=KFold(3).split(X))
    with pytest.raises(TypeError, match="cloned"):
        planned_fits(once, X, Y)


def test_a_path_of_losses_has_a_best_score_of_which_higher_is_better():
    X, y = make_regression(100, 6, noise=30.0, random_state=0)
    honest = HonestSearchCV(LassoCV(cv=4)).fit(X, y)
    losses = LassoCV(cv=4).fit(X, y).mse_path_.mean(axis=1)
    assert honest.naive_best_score_ == pytest.approx(-losses.min())
    assert honest.best_score_ == -honest.report_.estimate
    assert honest.best_score_ <= honest.naive_best_score_


WIDE = {"max_depth": randint(1, 9), "min_samples_leaf": [1, 5]}
FOUR = [HonestSearchCV, ShrunkSearchCV, LowVarianceCVSearch, NestedCVSearch]


@pytest.mark.parametrize("Search", FOUR)
@pytest.mark.parametrize("options", [{"n_iter": 4}, {}], ids=str)
def test_distributions_give_the_candidates_of_a_random_search(Search, options):
    ours = Search(TREE, WIDE, cv=3, random_state=5, **options).fit(X, Y)
    plain = RandomizedSearchCV(TREE, WIDE, cv=3, random_state=5, **options).fit(X, Y)
    assert ours.cv_results_["params"] == plain.cv_results_["params"]
    for split in range(3):
        key = f"split{split}_test_score"
        np.testing.assert_array_equal(ours.cv_results_[key], plain.cv_results_[key])
    assert ours.best_index_ == plain.best_index_
    assert ours.naive_best_score_ == plain.best_score_
    assert planned_fits(ours, X, Y) == ours.n_fits_


def test_a_grid_gives_what_correct_gives_of_its_table():
    ours = HonestSearchCV(TREE, GRID, cv=4, keep_predictions=False).fit(X, Y)
    plain = GridSearchCV(TREE, GRID, cv=4).fit(X, Y)
    assert ours.best_score_ == correct(plain).estimate
    assert ours.naive_best_score_ == plain.best_score_
    shrunk = HonestSearchCV(TREE, GRID, cv=4, method="EB").fit(X, Y)
    assert shrunk.best_score_ == ShrunkSearchCV(TREE, GRID, cv=4).fit(X, Y).best_score_


@pytest.mark.parametrize("kind", SEARCHES)
def test_a_search_object_is_nested_as_by_cross_val_score(kind):
    nested = NestedCVSearch(SEARCHES[kind], outer_cv=SHUFFLED).fit(X, Y)
    expected = cross_val_score(SEARCHES[kind], X, Y, cv=SHUFFLED)
    np.testing.assert_array_equal(nested.outer_scores_, expected)
    assert nested.best_score_ == pytest.approx(expected.mean())
    assert nested.best_params_ == clone(SEARCHES[kind]).fit(X, Y).best_params_
    for (train, _), params in zip(
        SHUFFLED.split(X, Y), nested.outer_results_["params"], strict=True
    ):
        assert params == clone(SEARCHES[kind]).fit(X[train], Y[train]).best_params_


@pytest.mark.parametrize("Search", FOUR)
def test_what_a_search_object_would_not_see_is_refused(Search):
    with pytest.raises(ValueError, match=r"scoring, cv must be left out"):
        Search(SEARCHES["grid"], cv=3, scoring="f1").fit(X, Y)


def test_a_plain_model_without_candidates_is_no_search():
    with pytest.raises(
        TypeError,
        match=r"keep the score of every candidate.*HonestSearchCV\(estimator, param_grid\)",
    ):
        HonestSearchCV(TREE).fit(X, Y)


def test_a_checkpoint_needs_candidates_that_can_be_drawn_again(tmp_path):
    with pytest.raises(ValueError, match="same candidates"):
        HonestSearchCV(TREE, WIDE, n_iter=2, checkpoint=tmp_path / "fits.db").fit(X, Y)
    first, again = (
        HonestSearchCV(TREE, WIDE, n_iter=3, random_state=0, checkpoint=tmp_path / "fits.db").fit(
            X, Y
        )
        for _ in range(2)
    )
    assert (first.n_restored_, again.n_restored_) == (0, first.n_fits_ - 1)


class ProgressBarOfTests:
    """Counts the tasks that begin and end."""

    def __init__(self):
        self.begun = self.ended = 0
        self.max_propagation_depth = 1

    def setup(self, estimator, context):
        pass

    def teardown(self, estimator, context):
        pass

    def on_fit_task_begin(self, estimator, context, **_):
        self.begun += 1

    def on_fit_task_end(self, estimator, context, **_):
        self.ended += 1


@pytest.mark.filterwarnings("ignore:The estimator .* does not support callbacks")
@pytest.mark.parametrize(
    "search",
    [
        HonestSearchCV(TREE, GRID, cv=3),
        NestedCVSearch(TREE, GRID, cv=4),
        LowVarianceCVSearch(TREE, GRID, cv=3, inner_cv=2),
    ],
    ids=lambda search: type(search).__name__,
)
def test_callbacks_hear_of_every_fit(search):
    if not hasattr(HonestSearchCV, "set_callbacks"):
        pytest.skip("this scikit-learn has no callbacks")
    bars = ProgressBarOfTests()
    search = clone(search).set_callbacks(bars).fit(X, Y)
    assert bars.begun == bars.ended == search.n_fits_ + 2  # the call of fit, and the search


def test_callbacks_hear_of_a_search_object():
    if not hasattr(HonestSearchCV, "set_callbacks"):
        pytest.skip("this scikit-learn has no callbacks")
    bars = ProgressBarOfTests()
    HonestSearchCV(GridSearchCV(TREE, GRID, cv=3)).set_callbacks(bars).fit(X, Y)
    assert bars.begun == bars.ended > 1


@pytest.mark.parametrize("scoring", ["accuracy", "r2"])
def test_the_full_form_has_the_interval_of_the_form_on_the_table(scoring):
    """Of the winner's true score, by one model of the noise; R2 is judged on all rows together."""
    X, y = make_classification(60, random_state=0)
    search = (DecisionTreeRegressor if scoring == "r2" else DecisionTreeClassifier)(random_state=0)
    grid = {"max_depth": [1, 2, 3], "min_samples_leaf": [1, 4]}
    found = [
        LowVarianceCVSearch(search, grid, cv=5, scoring=scoring, inner_cv=inner_cv).fit(X, y)
        for inner_cv in (None, 2)
    ]
    assert found[0].report_.interval == found[1].report_.interval
    assert found[0].best_score_ != found[1].best_score_


@pytest.mark.parametrize(
    ("Search", "said"), [(HonestSearchCV, "9 fits"), (NestedCVSearch, "18 fits")]
)
def test_verbose_tells_the_fits_that_are_made_before_the_refit(Search, said, capsys):
    X, y = make_classification(60, random_state=0)
    grid = {"max_depth": [1, 2, 3]}
    search = Search(DecisionTreeClassifier(random_state=0), grid, cv=3, verbose=1).fit(X, y)
    told = capsys.readouterr().out.splitlines()[0]
    assert f"totalling {said}" in told
    assert f"{search.n_fits_ - 1} fits" in told
