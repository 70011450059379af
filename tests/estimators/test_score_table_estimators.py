"""What holds for every estimator of a score table."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from strategies import score_tables

from skmaxev import estimators as est

ESTIMATORS = {
    "maximum": est.maximum,
    "low_bias_cv": est.low_bias_cv,
    "low_variance_cv": est.low_variance_cv,
    "efron": est.efron_shrinkage,
    "tibshirani": est.tibshirani,
}
WITH_BEST_INDEX = ["efron", "tibshirani"]
each = pytest.mark.parametrize("name", ESTIMATORS)
few = settings(max_examples=20)  # for each estimator
each_with_best_index = pytest.mark.parametrize("name", WITH_BEST_INDEX)


def near(value, scale=1.0):
    return pytest.approx(value, rel=1e-6, abs=1e-7 * scale)


@each
@few
@given(scores=score_tables(), data=st.data())
def test_the_order_of_the_candidates_does_not_matter(name, scores, data):
    order = data.draw(st.permutations(range(scores.shape[1])))
    assert ESTIMATORS[name](scores[:, order]) == near(ESTIMATORS[name](scores))


@each
@few
@given(scores=score_tables(), data=st.data())
def test_the_order_of_the_splits_does_not_matter(name, scores, data):
    order = data.draw(st.permutations(range(scores.shape[0])))
    assert ESTIMATORS[name](scores[order]) == near(ESTIMATORS[name](scores))


@each
@few
@given(scores=score_tables(), shift=st.integers(-10_000, 10_000))
def test_a_shift_of_the_scores_shifts_the_estimate(name, scores, shift):
    assert ESTIMATORS[name](scores + shift) - shift == near(ESTIMATORS[name](scores), 10)


@each
@few
@given(scores=score_tables(), scale=st.sampled_from([1e-12, 1e-3, 7.0, 1e9]))
def test_a_scale_of_the_scores_scales_the_estimate(name, scores, scale):
    assert ESTIMATORS[name](scores * scale) / scale == near(ESTIMATORS[name](scores))


@each
@few
@given(scores=score_tables())
@example(scores=np.array([[0.5, 1, 0], [0.5, 0, 1]]))
@example(scores=np.array([[0.4, 1, 0, 0], [0.4, 0, 1, 0], [0.4, 0, 0, 1]]))
def test_no_estimate_leaves_the_range_of_the_scores(name, scores):
    slack = 1e-15 * np.abs(scores).max()  # numpy's own mean of equal numbers has it
    assert scores.min() - slack <= ESTIMATORS[name](scores) <= scores.max() + slack


@each
@few
@given(scores=score_tables())
def test_no_estimate_exceeds_the_maximum_of_the_means(name, scores):
    assert ESTIMATORS[name](scores) <= est.maximum(scores)


@each
@few
@given(scores=score_tables(max_candidates=1), copies=st.integers(1, 9))
def test_identical_candidates_get_exactly_their_mean(name, scores, copies):
    repeated = np.repeat(scores, copies, axis=1)
    assert ESTIMATORS[name](repeated) == repeated.mean(axis=0)[0]


@each_with_best_index
@few
@given(scores=score_tables(max_candidates=1), copies=st.integers(1, 9))
def test_identical_candidates_get_exactly_their_mean_whichever_was_chosen(name, scores, copies):
    repeated = np.repeat(scores, copies, axis=1)
    assert ESTIMATORS[name](repeated, best_index=copies - 1) == repeated.mean(axis=0)[0]


@each_with_best_index
@few
@given(scores=score_tables())
def test_naming_the_best_candidate_changes_nothing(name, scores):
    best = int(scores.mean(axis=0).argmax())
    assert ESTIMATORS[name](scores, best_index=best) == ESTIMATORS[name](scores)


@each_with_best_index
@few
@given(scores=score_tables(), data=st.data())
def test_another_choice_stays_in_the_range_of_the_scores(name, scores, data):
    best_index = data.draw(st.integers(0, scores.shape[1] - 1))
    estimate = ESTIMATORS[name](scores, best_index=best_index)
    slack = 1e-15 * np.abs(scores).max()
    assert scores.min() - slack <= estimate <= scores.max() + slack


@each
def test_many_tables_give_an_array_over_the_leading_axes(name):
    scores = np.random.default_rng(0).normal(size=(2, 3, 5, 4))
    estimates = ESTIMATORS[name](scores)
    assert estimates.shape == (2, 3)
    for index in np.ndindex(2, 3):
        assert estimates[index] == pytest.approx(ESTIMATORS[name](scores[index]), rel=1e-12)


@each
def test_one_table_gives_a_float(name):
    assert type(ESTIMATORS[name]([[0.5, 0.25], [0.75, 1.0]])) is float


@each
def test_no_table_at_all_gives_no_estimate(name):
    assert ESTIMATORS[name](np.empty((0, 3, 4))).shape == (0,)


@each
def test_the_scores_are_left_as_they_were(name):
    scores = np.random.default_rng(0).normal(size=(5, 4))
    before = scores.copy()
    ESTIMATORS[name](scores)
    np.testing.assert_array_equal(scores, before)


@each
def test_an_offset_of_a_thousand_million_costs_no_more_than_its_rounding(name):
    scores = np.random.default_rng(1).binomial(50, 0.8, size=(5, 30)) / 50
    assert ESTIMATORS[name](scores + 1e9) - 1e9 == pytest.approx(ESTIMATORS[name](scores), abs=1e-5)


@each
def test_a_hopeless_candidate_leaves_the_estimate_finite_and_in_range(name):
    scores = np.random.default_rng(2).normal(0.8, 0.05, size=(5, 6))
    scores[2, 3] = -1e20  # the R2 of a diverged fit
    assert scores.min() <= ESTIMATORS[name](scores) <= scores.max()


@pytest.mark.parametrize("name", ["maximum", "low_bias_cv", "low_variance_cv", "tibshirani"])
def test_a_hopeless_candidate_changes_nothing_but_where_it_is_judged(name):
    scores = np.random.default_rng(2).normal(0.8, 0.05, size=(5, 6))
    scores[:, 3] = -1e20
    without = np.delete(scores, 3, axis=1)
    assert ESTIMATORS[name](scores) == pytest.approx(ESTIMATORS[name](without), rel=1e-12)


ERRORS = [
    ([[0.5, 0.5, float("nan")], [0.5, 0.5, 0.5]], ValueError, r"candidates \[2\] hold NaN"),
    ([[0.5, 0.5], [float("inf"), 0.5]], ValueError, r"candidates \[0\] hold NaN or infinity"),
    ([["good", "bad"], ["good", "bad"]], TypeError, "must be numbers"),
    ([0.5, 0.25], ValueError, "must have shape"),
    (np.empty((3, 0)), ValueError, "at least 1 candidate"),
]


@each
@pytest.mark.parametrize(("scores", "error", "message"), ERRORS)
def test_a_bad_table_is_refused_with_the_reason(name, scores, error, message):
    with pytest.raises(error, match=message):
        ESTIMATORS[name](scores)


@pytest.mark.parametrize("name", [n for n in ESTIMATORS if n not in ("maximum", "tibshirani")])
def test_one_split_is_refused_where_its_noise_cannot_be_seen(name):
    with pytest.raises(ValueError, match="One split shows no noise: search with cv >= 2"):
        ESTIMATORS[name]([[0.5, 0.25]])


@each_with_best_index
@pytest.mark.parametrize("best_index", [-1, 2])
def test_a_choice_that_is_no_column_is_refused(name, best_index):
    with pytest.raises(ValueError, match="best_index must be a column"):
        ESTIMATORS[name]([[0.5, 0.25], [0.25, 0.5]], best_index=best_index)
