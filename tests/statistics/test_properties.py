"""What must hold of a corrected score whatever the table, from the scores to the report."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import score_tables

from skmaxev import correct
from skmaxev.readers.build import build_table
from skmaxev.table import Design

SEEDS = st.integers(0, 9999)
EVERY = ("ME", "LBCV", "LVCV", "EB", "CONSENSUS")


def report_of(scores, *, n_repeats=1, test_share=0.2, **options):
    design = Design(n_splits=len(scores), n_repeats=n_repeats, test_share=test_share)
    named = {"metric": "a metric without range", **options}
    return correct(build_table(np.asarray(scores), design=design, source="test", **named))


def numbers(report):
    values = [report.estimates[name].value for name in EVERY]
    return np.array([report.estimate, report.naive, report.noise, *report.interval, *values])


def draw(seed, n_splits=10, n_candidates=8):
    rng = np.random.default_rng(seed)
    skill = rng.normal(0, 0.5, n_candidates)
    return rng.normal(0, 1, (n_splits, 1)) + skill + rng.normal(0, 1, (n_splits, n_candidates))


@given(SEEDS, st.sampled_from([1, 2]))
def test_the_order_of_the_candidates_is_in_no_number(seed, n_repeats):
    scores = draw(seed)
    order = np.random.default_rng(seed).permutation(8)
    moved = report_of(scores[:, order], n_repeats=n_repeats)
    plain = report_of(scores, n_repeats=n_repeats)
    np.testing.assert_allclose(numbers(moved), numbers(plain), rtol=1e-9, atol=1e-12)
    assert order[moved.best_index] == plain.best_index


@given(SEEDS, st.sampled_from([1e-14, 1e14]), st.sampled_from([1, 2]))
def test_a_metric_in_another_unit_gives_the_same_report_in_that_unit(seed, unit, n_repeats):
    scores = draw(seed)
    plain = numbers(report_of(scores, n_repeats=n_repeats))
    moved = numbers(report_of(unit * scores, n_repeats=n_repeats))
    np.testing.assert_allclose(moved / unit, plain, rtol=1e-6)


@given(SEEDS, st.integers(2, 5))
def test_the_same_partition_reported_again_adds_nothing(seed, n_repeats):
    scores = draw(seed, n_splits=5)
    often = report_of(np.tile(scores, (n_repeats, 1)), n_repeats=n_repeats)
    once = report_of(scores)
    assert often.estimate == pytest.approx(once.estimate)
    width = np.subtract(*often.interval) / np.subtract(*once.interval)
    assert width > 1 - 1e-6


@given(score_tables(min_candidates=1, max_candidates=1), st.sampled_from([1, 100]))
def test_where_nothing_was_chosen_nothing_is_taken_off(scores, copies):
    report = report_of(np.repeat(scores, copies, axis=1))
    assert report.estimate == report.naive
    assert report.optimism == 0.0


@given(SEEDS, st.integers(0, 7))
def test_one_candidate_copied_a_hundred_times_stays_within_the_scores(seed, copied):
    scores = draw(seed)
    crowd = np.hstack([scores, np.repeat(scores[:, [copied]], 100, axis=1)])
    report = report_of(crowd)
    values = numbers(report)
    assert np.isfinite(values).all()
    assert report.naive == pytest.approx(report_of(scores).naive)
    assert scores.mean(axis=0).min() <= report.estimate <= report.naive + 1e-12


@given(SEEDS)
def test_integers_are_scores_like_any_other(seed):
    scores = np.random.default_rng(seed).integers(-50, 50, size=(5, 6))
    whole, real = report_of(scores), report_of(scores.astype(float))
    np.testing.assert_array_equal(numbers(whole), numbers(real))


@given(SEEDS)
def test_a_loss_is_its_negated_score(seed):
    scores = draw(seed) - 10
    as_score = report_of(scores)
    as_loss = report_of(-scores, greater_is_better=False)
    np.testing.assert_allclose(as_loss.estimate, -as_score.estimate)
    np.testing.assert_allclose(as_loss.interval, [-end for end in as_score.interval[::-1]])
    assert as_loss.optimism == pytest.approx(as_score.optimism)


@given(score_tables(min_candidates=2))
def test_the_interval_holds_the_estimate_and_the_estimate_is_among_the_scores(scores):
    report = report_of(scores)
    slack = 1e-9 * (1 + np.abs(scores).max())
    assert report.interval[0] - slack <= report.estimate <= report.interval[1] + slack
    assert scores.min() - slack <= report.estimate <= report.naive + slack
