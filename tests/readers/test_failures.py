"""Scores that stand for failed fits, and the range of a metric."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from skmaxev import correct
from skmaxev.metrics import support_of
from skmaxev.readers.build import failed_candidates

CLEAN = np.random.default_rng(0).uniform(0.6, 0.9, size=(5, 6))


def with_filler(value, splits, candidate=0, scores=CLEAN):
    table = scores.copy()
    table[splits, candidate] = value
    return table


@pytest.mark.parametrize(
    ("table", "error_score"),
    [
        (with_filler(-1e6, [2]), -1e6),
        (with_filler(-1, [2]), -1),
        (with_filler(0.0, slice(None)), 0.0),
        (with_filler(np.nan, [4]), None),
        (with_filler(-np.inf, [4]), -np.inf),
    ],
)
def test_what_is_named_or_missing_failed(table, error_score):
    reasons, notes = failed_candidates(table, metric="score", error_score=error_score)
    assert list(reasons) == [0]
    assert not notes


@pytest.mark.parametrize(
    "table",
    [
        CLEAN,
        with_filler(0.0, [2]),  # a fold that a model got all wrong
        with_filler(-3.217, [2, 3]),  # a bad R2
        with_filler(-1e6, [2]),  # a worse one
        with_filler(-1, slice(None)),
        with_filler(999, [1]),
        (CLEAN > 0.75).astype(float),  # leave-one-out accuracy
        np.zeros((5, 3)),
        np.ones((5, 3)),
    ],
)
def test_poor_scores_are_not_taken_for_fillers(table):
    assert failed_candidates(table, metric="score", error_score=None) == ({}, ())


def test_leave_one_out_accuracy_survives_a_filler_of_zero():
    table = (np.random.default_rng(0).random((40, 5)) < 0.9).astype(float)
    reasons, notes = failed_candidates(table, metric="accuracy", error_score=0.0)
    assert not reasons
    assert "error_score=0 is a score that a fit can earn" in notes[0]


def test_reasons_name_the_splits():
    table = with_filler(np.nan, [0, 2])
    assert failed_candidates(table, metric="r2", error_score=None)[0] == {
        0: "no score on splits 0, 2"
    }
    many = with_filler(np.nan, np.arange(9), scores=np.ones((10, 2)))
    found = failed_candidates(many, metric="r2", error_score=None)[0][0]
    assert found == "no score on splits 0, 1, 2, 3, 4, 5 and 3 more"


@given(hnp.arrays(float, (4, 5), elements=st.floats(-1, 1)))
def test_shares_and_correlations_never_look_failed(table):
    table = table * 0.999 + 1e-4  # no whole numbers
    assert failed_candidates(table, metric="score", error_score=None) == ({}, ())


@pytest.mark.parametrize(
    ("metric", "scores", "support"),
    [
        ("accuracy", [[0.5, 0.6]], (0, 1)),
        ("score", [[0.5, 0.6]], (0, 1)),
        ("r2", [[-0.5, 0.6]], (-np.inf, 1)),
        ("neg_log_loss", [[-0.5, -3]], (-np.inf, 0)),
        ("score", [[-0.5, -3]], (-np.inf, 0)),
        ("accuracy", [[50.0, 60.0]], (0, 100)),
        ("score", [[50.0, 60.0]], (-np.inf, np.inf)),
        ("accuracy", [[-5.0, 60.0]], (-np.inf, np.inf)),
        ("positive_likelihood_ratio", [[0.5, 0.6]], (0, np.inf)),
    ],
)
def test_the_range_holds_the_scores(metric, scores, support):
    assert support_of(metric, np.array(scores)) == support


@pytest.mark.parametrize("error_score", [None, 0.0])
def test_a_split_that_all_get_wrong_is_no_failure(error_score):
    table = 0.9 + 0.01 * np.random.default_rng(0).random((5, 3))
    table[2] = 0.0  # such as F1 where a test set has no positives
    reasons, _ = failed_candidates(table, metric="f1", error_score=error_score)
    assert not reasons


def test_what_the_caller_names_failed_even_where_a_fit_may_earn_it():
    table = np.abs(with_filler(0.0, [2]))
    assert list(correct(table, metric="accuracy", error_score=0.0).left_out) == [0]
    losses = with_filler(1e6, [2])
    report = correct(losses, metric="rmse", greater_is_better=False, error_score=1e6)
    assert report.left_out == {0: "fit failed on split 2 (error_score=-1e+06)"}


@pytest.mark.parametrize("options", [{}, {"greater_is_better": False}])
def test_losses_that_are_all_zero_have_no_room_above(options):
    metric = "rmse" if options else "neg_mean_squared_error"
    report = correct(np.zeros((5, 3)), metric=metric, **options)
    assert report.table.support == (-np.inf, 0.0)
    assert report.estimate == 0.0
    assert report.interval is None
    assert support_of("accuracy", np.zeros((5, 3))) == (0.0, 1.0)
