from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from strategies import GRAIN, score_tables

from skmaxev.estimators import fold_means, low_bias_cv, low_variance_cv, maximum


def exact(numbers):
    return [[Fraction(x).limit_denominator(GRAIN) for x in row] for row in np.asarray(numbers)]


def mean_over(splits, candidate, scores, counts):
    samples = sum(counts[k][candidate] for k in splits)
    if samples == 0:
        return None
    return sum(counts[k][candidate] * scores[k][candidate] for k in splits) / samples


def loop_estimate(scores, counts, *, choose_on_one):
    """Copy Eqs. 9 and 10 in exact fractions; None where the estimate is not defined."""
    n_splits, n_candidates = len(scores), len(scores[0])
    judged = []
    for k in range(n_splits):
        inside, outside = [k], [j for j in range(n_splits) if j != k]
        a = [mean_over(inside, i, scores, counts) for i in range(n_candidates)]
        v = [mean_over(outside, i, scores, counts) for i in range(n_candidates)]
        if not choose_on_one:
            a, v = v, a
        usable = [i for i in range(n_candidates) if a[i] is not None and v[i] is not None]
        if usable:
            best = max(a[i] for i in usable)
            winners = [i for i in usable if a[i] == best]
            judged.append(sum(v[i] for i in winners) / len(winners))
    return float(sum(judged) / len(judged)) if judged else None


BOTH = pytest.mark.parametrize(
    ("estimator", "choose_on_one"), [(low_bias_cv, False), (low_variance_cv, True)]
)
both = pytest.mark.parametrize("estimator", [low_bias_cv, low_variance_cv])


@BOTH
@given(scores=score_tables())
def test_matches_the_definition_in_exact_fractions(estimator, choose_on_one, scores):
    ones = [[1] * scores.shape[1]] * scores.shape[0]
    expected = loop_estimate(exact(scores), ones, choose_on_one=choose_on_one)
    assert estimator(scores) == pytest.approx(expected, rel=1e-10, abs=1e-10)


@BOTH
@given(scores=score_tables(min_candidates=2), data=st.data())
def test_matches_the_definition_for_ragged_samples(estimator, choose_on_one, scores, data):
    counts = np.array(
        data.draw(
            st.lists(
                st.lists(st.integers(0, 3), min_size=scores.shape[1], max_size=scores.shape[1]),
                min_size=scores.shape[0],
                max_size=scores.shape[0],
            )
        )
    )
    counts[0] += counts.sum(axis=0) == 0
    expected = loop_estimate(exact(scores), counts.tolist(), choose_on_one=choose_on_one)
    scores = np.where(counts > 0, scores, np.nan)
    if expected is None:
        with pytest.raises(ValueError, match="samples in two splits"):
            estimator(scores, counts=counts)
    elif not (counts == counts[:, :1]).all():
        assert estimator(scores, counts=counts) == pytest.approx(expected, rel=1e-10, abs=1e-10)


@both
@given(scores=score_tables())
def test_equal_counts_change_nothing(estimator, scores):
    assert estimator(scores, counts=np.full(scores.shape, 7)) == pytest.approx(
        estimator(scores), rel=1e-12, abs=1e-12
    )


@given(scores=score_tables(max_splits=2))
def test_with_two_splits_both_are_the_same(scores):
    assert low_bias_cv(scores) == pytest.approx(low_variance_cv(scores), rel=1e-12, abs=1e-12)


@both
def test_candidates_that_tie_but_for_rounding_share_the_judgement(estimator):
    # In exact numbers both candidates tie in every split of `low_bias_cv`, as neither
    # 0.1 + 0.2 = 0.3 nor a mean of others is exact in floats.
    scores = np.array([[0.1, 0.3], [0.2, 0.2], [0.3, 0.1]])
    expected = loop_estimate(
        exact(scores), [[1, 1]] * 3, choose_on_one=estimator is low_variance_cv
    )
    for shift in (0.0, 0.1, 1 / 3, 1e3 / 7):
        assert estimator(scores + shift) - shift == pytest.approx(expected, abs=1e-12)


def test_ties_are_found_in_every_table_of_equal_accuracies():
    rng = np.random.default_rng(0)
    right = rng.integers(0, 21, size=(500, 7, 1))
    # Two candidates whose splits are the same numbers in another order, and a hopeless third.
    other = rng.permuted(right, axis=1)
    scores = np.concatenate([right / 20, other / 20, np.full_like(right, -1.0)], axis=2)
    expected = [
        loop_estimate(exact(table), [[1, 1, 1]] * 7, choose_on_one=False) for table in scores
    ]
    assert low_bias_cv(scores) == pytest.approx(np.array(expected), abs=1e-12)


def test_a_diverged_fit_does_not_tie_the_others():
    scores = np.array([[0.9, 0.5, 0.1], [0.9, 0.5, -1e20], [0.9, 0.5, 0.1]])
    assert low_bias_cv(scores) == pytest.approx(0.9)
    assert low_variance_cv(scores) == pytest.approx(0.9)


@both
def test_identical_candidates_with_counts_get_the_pooled_mean(estimator):
    scores, counts = [[0.5, 0.5], [1.0, 1.0]], [[3, 3], [1, 1]]
    assert estimator(scores, counts=counts) == maximum(scores, counts=counts) == 0.625


@both
def test_the_score_of_no_samples_is_not_read(estimator):
    scores = np.array([[0.5, 0.25, 0.75], [0.75, 0.5, 0.25], [0.5, 1.0, 0.5]])
    counts = np.array([[1, 0, 2], [2, 2, 1], [1, 3, 1]])
    garbage = [
        estimator(np.where(counts > 0, scores, bad), counts=counts) for bad in (np.nan, 1e9, -1e9)
    ]
    assert garbage[0] == garbage[1] == garbage[2]
    assert maximum(np.where(counts > 0, scores, np.nan), counts=counts) == pytest.approx(0.8)


COUNT_ERRORS = [
    ([[1, 1], [1, -1]], "counts must be finite and not negative; got -1"),
    ([[1, 1], [1, float("nan")]], "counts must be finite and not negative; got nan"),
    ([[1, 0], [1, 0]], r"candidates \[1\] have none"),
    ([[1, 1, 1]], "must be numbers that fit the shape of scores"),
    ([["a", 1], [1, 1]], "must be numbers that fit the shape of scores"),
    ([[1, 0], [0, 1]], "samples in two splits"),
]


@both
@pytest.mark.parametrize(("counts", "message"), COUNT_ERRORS)
def test_bad_counts_are_refused_with_the_reason(estimator, counts, message):
    with pytest.raises(ValueError, match=message):
        estimator([[0.5, 0.25], [0.25, 0.5]], counts=counts)


# Theory: two normal candidates, `delta` apart, K splits with noise `sigma` each.
K, DELTA, SIGMA = 5, 0.5, 1.0


@pytest.fixture(scope="module")
def two_normals():
    rng = np.random.default_rng(0)
    return rng.normal([0.0, -DELTA], SIGMA, size=(100_000, K, 2))


@pytest.mark.parametrize(
    ("estimator", "samples_that_choose"), [(low_variance_cv, 1), (low_bias_cv, K - 1)]
)
def test_the_bias_is_that_of_choosing_the_worse_of_two_normals(
    two_normals, estimator, samples_that_choose
):
    wrong = stats.norm.sf(DELTA / (SIGMA * np.sqrt(2 / samples_that_choose)))
    estimates = estimator(two_normals)
    error = estimates.std() / np.sqrt(estimates.size)
    assert estimates.mean() == pytest.approx(-DELTA * wrong, abs=4 * error)


def test_the_maximum_of_two_normals_has_its_known_bias(two_normals):
    theta = SIGMA * np.sqrt(2 / K)
    expected = theta * stats.norm.pdf(DELTA / theta) - DELTA * stats.norm.sf(DELTA / theta)
    assert maximum(two_normals).mean() == pytest.approx(expected, abs=0.005)


@both
def test_it_is_unbiased_for_equal_candidates(estimator):
    scores = np.random.default_rng(1).normal(size=(20_000, 5, 10))
    estimates = estimator(scores)
    assert estimates.mean() == pytest.approx(0, abs=4 * estimates.std() / np.sqrt(estimates.size))


def test_choosing_on_one_split_has_the_lower_variance():
    scores = np.random.default_rng(1).normal(size=(5_000, 10, 10))
    assert low_variance_cv(scores).std() < 0.6 * low_bias_cv(scores).std()


# Ragged samples


@given(
    samples=st.lists(
        st.lists(st.integers(-100, 100), min_size=1, max_size=12), min_size=1, max_size=5
    ),
    data=st.data(),
)
def test_the_folds_hold_every_sample_once(samples, data):
    most = max(len(column) for column in samples)
    if most < 2:
        return
    means, counts = fold_means(samples, data.draw(st.integers(2, most)), rng=0)
    assert counts.sum(axis=0).tolist() == [len(column) for column in samples]
    assert (counts.max(axis=0) - counts.min(axis=0)).max() <= 1
    assert np.isnan(means).tolist() == (counts == 0).tolist()
    totals = np.where(counts > 0, means * counts, 0).sum(axis=0)
    assert totals == pytest.approx([sum(column) for column in samples], abs=1e-9)


def test_as_many_folds_as_samples_is_leave_one_out():
    samples = np.random.default_rng(0).normal(size=(3, 50))
    means, counts = fold_means(samples, 50, rng=1)
    assert (counts == 1).all()
    np.testing.assert_array_equal(np.sort(means, axis=0), np.sort(samples.T, axis=0))


def test_leave_one_out_matches_the_definition_on_raw_samples():
    samples = np.random.default_rng(0).integers(0, 2, size=(4, 12)).astype(float)
    means, counts = fold_means(samples, 12, rng=1)
    for estimator, choose_on_one in ((low_bias_cv, False), (low_variance_cv, True)):
        expected = loop_estimate(exact(means), counts.tolist(), choose_on_one=choose_on_one)
        assert estimator(means, counts=counts) == pytest.approx(expected, abs=1e-12)


def test_odd_samples_go_to_different_folds_for_different_variables():
    _, counts = fold_means([[0.0] * 4] + [[0.0, 1.0]] * 200, 4, rng=0)
    assert counts.sum(axis=1).min() > 70  # 101 expected in each


def test_the_maximum_of_ragged_samples_is_the_largest_mean_of_samples():
    samples = [[1, 2, 3, 4, 5, 7], [9, -1], [3, 3, 3]]
    means, counts = fold_means(samples, 4, rng=0)
    assert maximum(means, counts=counts) == pytest.approx(4.0)


def test_the_same_seed_deals_the_same_folds():
    samples = np.random.default_rng(0).normal(size=(3, 11))
    first, again = fold_means(samples, 3, rng=5), fold_means(samples, 3, np.random.default_rng(5))
    np.testing.assert_array_equal(first[0], again[0])


SAMPLE_ERRORS = [
    ([[1, 2], []], 2, "variable 1 has shape"),
    ([[1, 2], [1, float("nan")]], 2, "variable 1 has shape"),
    ([[[1, 2]]], 2, "variable 0 has shape"),
    ([[1, 2, 3], [1]], 4, "n_folds must be from 2 to the largest number of samples, 3; got 4"),
    ([[1, 2, 3]], 1, "n_folds must be from 2"),
    ([], 2, "n_folds must be from 2"),
]


@pytest.mark.parametrize(("samples", "n_folds", "message"), SAMPLE_ERRORS)
def test_bad_samples_are_refused_with_the_reason(samples, n_folds, message):
    with pytest.raises(ValueError, match=message):
        fold_means(samples, n_folds, rng=0)
