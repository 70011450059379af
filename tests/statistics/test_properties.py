"""What must hold of a corrected score whatever the table, from the scores to the report."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import score_tables

from skmaxev import correct
from skmaxev.comparison import confidence_set_of_the_best, winner_against_runners_up
from skmaxev.estimators import judged_again
from skmaxev.readers.build import build_table
from skmaxev.table import Design

SEEDS = st.integers(0, 9999)
EVERY = ("ME", "LBCV", "LVCV", "EB", "CONSENSUS")


def report_of(scores, *, n_repeats=1, test_share=0.2, method="CONSENSUS", **options):
    design = Design(n_splits=len(scores), n_repeats=n_repeats, test_share=test_share)
    named = {"metric": "a metric without range", **options}
    table = build_table(np.asarray(scores), design=design, source="test", **named)
    return correct(table, method=method)


def numbers(report):
    values = [report.estimates[name].value for name in EVERY]
    return np.array([report.estimate, report.naive, *report.interval, *values])


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


@given(SEEDS, st.sampled_from([0.5, 1e3]), st.sampled_from([1, 2]))
def test_a_metric_from_another_zero_gives_the_same_report_from_there(seed, zero, n_repeats):
    scores = draw(seed)
    plain = report_of(scores, n_repeats=n_repeats)
    moved = report_of(zero + scores, n_repeats=n_repeats)
    np.testing.assert_allclose(numbers(moved), zero + numbers(plain), atol=1e-6)
    assert moved.noise == pytest.approx(plain.noise)


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
    if report.interval is not None:  # as on the bound of a metric
        assert report.interval[0] - slack <= report.estimate <= report.interval[1] + slack
    assert scores.min() - slack <= report.estimate <= report.naive + slack


def predictions(seed, metric, n_rows=40, n_candidates=6):
    """Predictions so coarse that candidates tie, of one target; the last candidate is a copy."""
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(n_rows) % 2)
    said = np.round(
        np.clip(0.5 + (y - 0.5) * 0.4 + rng.normal(0, 0.4, (n_candidates, n_rows)), 0, 1), 1
    )
    said[-1] = said[0]
    if metric in {"accuracy", "f1"}:
        said = (said > 0.5).astype(int)
    fold = np.empty(n_rows, dtype=int)
    fold[np.argsort(y, kind="stable")] = np.arange(n_rows) % 5  # both classes in every split
    return {"metric": metric, "y_true": y, "test_fold": fold}, said


@given(SEEDS, st.sampled_from(["accuracy", "f1", "roc_auc", "neg_brier_score", "r2"]))
def test_the_order_of_the_candidates_is_in_no_number_where_rows_are_kept(seed, metric):
    told, said = predictions(seed, metric)
    order = np.random.default_rng(seed).permutation(len(said))
    plain, moved = correct(responses=said, **told), correct(responses=said[order], **told)
    for key, estimate in plain.estimates.items():
        assert moved.estimates[key].value == pytest.approx(estimate.value, abs=1e-9), key
    assert (moved.estimate, moved.naive) == pytest.approx((plain.estimate, plain.naive), abs=1e-9)
    assert moved.interval == pytest.approx(plain.interval, abs=1e-9)


@given(SEEDS, st.sampled_from(["accuracy", "f1", "roc_auc", "neg_brier_score", "r2"]))
def test_rows_of_a_candidate_copied_a_hundred_times_stay_within_the_scores(seed, metric):
    told, said = predictions(seed, metric)
    crowd = np.concatenate([said, np.repeat(said[[seed % 6]], 100, axis=0)])
    plain, report = correct(responses=said, **told), correct(responses=crowd, **told)
    # The winner by the mean of the splits need not be the one with the best pooled score.
    alone = [correct(responses=one[np.newaxis], **told).estimate for one in said]
    assert report.naive == pytest.approx(plain.naive)
    assert min(alone) - 1e-9 <= report.estimate <= max(alone) + 1e-9
    assert report.interval[0] <= report.estimate <= report.interval[1]


@given(SEEDS, st.sampled_from([1e-14, 1e14]))
def test_losses_in_another_unit_give_the_same_report_in_that_unit(seed, unit):
    losses = np.exp(draw(seed))
    options = {"metric": "rmse", "greater_is_better": False}
    plain, moved = report_of(losses, **options), report_of(unit * losses, **options)
    np.testing.assert_allclose(numbers(moved) / unit, numbers(plain), rtol=1e-6)


@given(SEEDS, st.sampled_from([1e-14, 1e14]))
def test_errors_of_rows_in_another_unit_give_the_same_report_in_that_unit(seed, unit):
    rng = np.random.default_rng(seed)
    y = rng.normal(size=50)
    said = y + rng.normal(size=(6, 50))
    told = {"metric": "neg_mean_absolute_error", "test_fold": np.arange(50) % 5}
    plain = correct(responses=said, y_true=y, **told)
    moved = correct(responses=unit * said, y_true=unit * y, **told)
    assert (moved.estimate / unit, moved.interval[0] / unit, moved.interval[1] / unit) == (
        pytest.approx((plain.estimate, *plain.interval), rel=1e-6)
    )
    for key, estimate in plain.estimates.items():
        assert moved.estimates[key].value / unit == pytest.approx(estimate.value, rel=1e-6), key


@given(SEEDS, st.sampled_from([1e-14, 1e14]))
def test_decisions_do_not_depend_on_the_unit(seed, unit):
    scores = draw(seed)
    plain, moved = winner_against_runners_up(scores), winner_against_runners_up(unit * scores)
    assert confidence_set_of_the_best(unit * scores).indices == plain.indices
    for near, far in zip(plain.candidates, moved.candidates, strict=True):
        assert far.candidate == near.candidate
        assert (far.difference / unit, far.low / unit, far.high / unit, far.p_better) == (
            pytest.approx((near.difference, near.low, near.high, near.p_better), rel=1e-6)
        )
    fresh = draw(seed + 1, n_splits=2)
    once, again = judged_again(scores, fresh), judged_again(unit * scores, unit * fresh)
    assert again.best_index == once.best_index
    assert again.estimate / unit == pytest.approx(once.estimate, rel=1e-6)


@given(SEEDS, st.sampled_from([1, 2]))
def test_the_interval_is_that_of_the_winner_where_a_method_aims_at_the_best(seed, n_repeats):
    scores = draw(seed)
    of_winner = report_of(scores, n_repeats=n_repeats).interval
    for method in ("ME", "BAYES", "LVCV", "LBCV"):
        assert report_of(scores, n_repeats=n_repeats, method=method).interval == of_winner


@pytest.mark.parametrize(("metric", "bound"), [("neg_mean_squared_error", 0.0), ("r2", 1.0)])
def test_a_score_on_the_only_bound_has_no_interval_and_the_report_says_why(metric, bound):
    others = np.random.default_rng(0).random((5, 3))
    report = correct(bound - np.column_stack([np.zeros(5), others]), metric=metric)
    assert (report.estimate, report.interval) == (bound, None)
    assert any("on the bound of the metric" in note for note in report.notes)
    shares = correct(1.0 - np.column_stack([np.zeros(5), others]), metric="accuracy")
    assert shares.interval[0] < shares.interval[1] == 1.0  # a share has a lower end all the same
