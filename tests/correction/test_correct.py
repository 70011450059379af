"""correct(): the right estimate of the right candidate, in the user's units."""

import dataclasses
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from strategies import score_tables

from skmaxev import estimators
from skmaxev.correction import correct
from skmaxev.estimators.consensus import consensus
from skmaxev.readers.arrays import from_array
from skmaxev.report import METHODS
from skmaxev.table import Design, OuterFolds, Rows

NOISE = np.random.default_rng(0).normal(0.8, 0.03, size=(5, 40))
ALWAYS = {"ME", "LVCV", "LBCV", "BAYES", "EB", "TT", "BBC-F", "CONSENSUS"}
tables = st.builds(
    lambda seed, k, m, spread: np.random.default_rng(seed).normal(
        np.random.default_rng(seed + 1).normal(0.5, spread, size=m), 0.05, size=(k, m)
    ),
    st.integers(0, 10_000),
    st.integers(2, 8),
    st.integers(2, 12),
    st.sampled_from([0.0, 0.02, 0.2]),
)


def nested(scores=NOISE, outer=(0.9, 0.8, 0.95, 0.85, 0.9)):
    folds = OuterFolds(
        scores=np.array(outer),
        best_index=np.zeros(len(outer), dtype=int),
        n_train=np.full(len(outer), 80),
        n_test=np.full(len(outer), 20),
    )
    return dataclasses.replace(from_array(scores), outer=folds)


@given(tables)
def test_every_estimate_is_that_of_its_estimator(scores):
    report = correct(scores)
    value = {key: found.value for key, found in report.estimates.items()}
    assert set(value) == ALWAYS
    assert value["ME"] == pytest.approx(scores.mean(0).max())
    assert value["LVCV"] == pytest.approx(estimators.low_variance_cv(scores))
    assert value["LBCV"] == pytest.approx(estimators.low_bias_cv(scores))
    assert value["EB"] == pytest.approx(estimators.efron_shrinkage(scores))
    assert value["TT"] == pytest.approx(estimators.tibshirani(scores))
    assert value["CONSENSUS"] == pytest.approx(
        consensus(scores, support=from_array(scores).support)
    )
    assert report.estimate == value["CONSENSUS"]
    assert report.naive == pytest.approx(scores.mean(0).max())
    assert report.optimism == pytest.approx(report.naive - report.estimate)


@given(tables)
def test_no_estimate_leaves_the_range_of_the_scores(scores):
    for found in correct(scores).estimates.values():
        assert scores.min() <= found.value <= scores.max()


@given(tables, st.randoms())
def test_the_order_of_candidates_and_splits_does_not_matter(scores, random):
    columns = random.sample(range(scores.shape[1]), scores.shape[1])
    rows = random.sample(range(scores.shape[0]), scores.shape[0])
    report, moved = correct(scores), correct(scores[rows][:, columns])
    assert moved.estimate == pytest.approx(report.estimate)
    assert moved.interval == pytest.approx(report.interval)
    assert columns[moved.best_index] == report.best_index
    turned = correct(scores[:, columns])
    assert sorted(columns[i] for i in turned.indistinguishable) == list(report.indistinguishable)


@given(tables)
def test_losses_are_the_mirror_image(scores):
    report, losses = correct(scores), correct(-scores, greater_is_better=False)
    assert losses.estimate == -report.estimate
    assert losses.naive == -report.naive
    assert losses.optimism == report.optimism
    assert losses.interval == (-report.interval[1], -report.interval[0])
    assert losses.indistinguishable == report.indistinguishable


def test_negated_losses_of_scikit_learn_keep_their_sign():
    report = correct({f"split{k}_test_score": -NOISE[k] for k in range(5)}, metric="neg_log_loss")
    assert report.naive == (-NOISE).mean(0).max()
    assert report.estimate < report.naive < 0
    assert report.greater_is_better


@pytest.mark.parametrize("method", ["ME", "LVCV", "LBCV", "EB", "TT", "BAYES", "BBC-F"])
def test_any_method_can_give_the_estimate(method):
    report = correct(NOISE, method=method)
    assert report.method == method
    assert report.estimate == report.estimates[method].value
    assert report.target == METHODS[method].target


def test_a_report_is_the_same_at_every_call_and_survives_pickling():
    report = correct(NOISE)
    assert correct(NOISE) == report
    assert pickle.loads(pickle.dumps(report)) == report  # noqa: S301


def test_numbers_are_plain_python():
    report = correct(NOISE)
    for name in ("estimate", "naive", "optimism", "noise", "spread", "level"):
        assert type(getattr(report, name)) is float
    assert all(type(found.value) is float for found in report.estimates.values())
    assert all(type(end) is float for end in report.interval)
    assert all(type(index) is int for index in (report.best_index, *report.indistinguishable))


def test_noise_and_spread_are_what_they_are_said_to_be():
    report = correct(NOISE)
    assert report.spread == pytest.approx(NOISE.mean(0).std(ddof=1))
    residual = NOISE - NOISE.mean(0) - NOISE.mean(1, keepdims=True) + NOISE.mean()
    assert report.noise == pytest.approx(np.sqrt((residual**2).sum() / (4 * 39) / 5))


def test_left_out_candidates_shift_no_number():
    scores = np.insert(NOISE, [0, 17], np.nan, axis=1)
    report, clean = correct(scores), correct(NOISE)
    assert report.estimate == clean.estimate
    assert report.interval == clean.interval
    moved = np.delete(np.arange(42), list(report.left_out))
    assert report.best_index == moved[clean.best_index]
    assert report.indistinguishable == tuple(moved[list(clean.indistinguishable)])


# Nothing was chosen


def test_one_candidate_is_not_corrected():
    X, y = load_iris(return_X_y=True)
    cv = StratifiedKFold(5)
    model = LogisticRegression(max_iter=1000)
    report = correct(GridSearchCV(model, {}, cv=cv).fit(X, y))
    assert report.estimate == report.naive == cross_val_score(model, X, y, cv=cv).mean()
    assert report.optimism == 0.0
    assert report.interval[0] < report.estimate < report.interval[1]
    assert "nothing was chosen" in str(report)


def test_a_parameter_without_effect_is_not_corrected():
    X, y = load_breast_cancer(return_X_y=True)
    grid = {"algorithm": ["brute", "kd_tree"], "leaf_size": [10, 20, 30]}
    search = GridSearchCV(KNeighborsClassifier(7), grid, cv=StratifiedKFold(5))
    report = correct(search.fit(X[:200], y[:200]))
    assert report.best_index == 0
    assert report.estimate == report.naive == search.best_score_
    assert (report.optimism, report.noise, report.spread) == (0.0, 0.0, 0.0)
    assert {found.value for found in report.estimates.values()} == {report.naive}
    assert report.indistinguishable == (1, 2, 3, 4, 5)


def test_one_split_of_one_candidate_has_no_interval():
    report = correct([[0.7]])
    assert (report.estimate, report.optimism, report.interval) == (0.7, 0.0, None)


def test_scores_that_never_vary_are_reported():
    report = correct(np.full((5, 3), 1.0))
    assert report.estimate == report.naive == 1.0
    assert str(report)


# Nested cross-validation and rows


def test_a_nested_score_is_reported_as_it_is_even_above_the_printed_one():
    report = correct(nested(), method="NESTED")
    assert report.estimate == pytest.approx(0.88)
    assert report.estimate > report.naive
    assert report.optimism == pytest.approx(report.naive - 0.88)
    assert report.optimism < 0
    low, high = report.interval
    assert low < 0.88 < high <= 1.0
    assert "E[mu_w]" in report.target
    assert "which can happen" in " ".join(report.advice)
    assert correct(nested()).estimate == correct(NOISE).estimate


def test_nested_folds_that_failed_are_not_averaged():
    with pytest.raises(ValueError, match="'NESTED' needs the outer folds of a nested search"):
        correct(nested(outer=(0.9, np.nan, 0.8)), method="NESTED")


def test_identical_candidates_leave_the_nested_score_alone():
    report = correct(nested(np.repeat(NOISE[:, :1], 4, axis=1)))
    assert report.estimates["NESTED"].value == pytest.approx(0.88)
    assert report.estimate == report.naive


def test_rows_of_some_candidates_only_are_left_aside():
    right = (np.random.default_rng(0).random((100, 6)) < 0.7).astype(float)
    fold = np.arange(100) % 5
    scores = np.array([right[fold == k].mean(0) for k in range(5)])
    best = scores.mean(0).argmax()

    def report(kept):
        kept = np.asarray(kept)
        values = np.full(right.shape, np.nan)
        values[:, kept] = right[:, kept]
        rows = Rows.of_one_partition(fold, values=values)
        return correct(dataclasses.replace(from_array(scores), rows=rows))

    assert "BBC" in report(range(6)).estimates
    some = report(np.unique([best, 0, 3]))
    assert "BBC" not in some.estimates
    assert some == correct(scores)


def test_rows_that_no_split_judged_are_left_aside():
    right = (np.random.default_rng(0).random((100, 6)) < 0.7).astype(float)
    fold = np.arange(100) % 5
    scores = np.array([right[fold == k].mean(0) for k in range(5)])
    more = np.vstack([right, np.full((7, 6), np.nan)])
    rows = Rows.of_one_partition(fold, values=right)
    longer = Rows.of_one_partition(np.append(fold, [-1] * 7), values=more)
    table = from_array(scores)
    assert correct(dataclasses.replace(table, rows=rows)) == correct(
        dataclasses.replace(table, rows=longer)
    )


# Errors


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"method": "BEST"}, r"method must be one of \['ME'.*got 'BEST'"),
        ({"method": "BBC"}, "needs out-of-fold results of single rows, which the array"),
        ({"method": "NESTED"}, "such as NestedCVSearch makes"),
        ({"level": 95}, "level must be between 0 and 1"),
        ({"level": 1.0}, "level must be between 0 and 1"),
    ],
)
def test_bad_options_get_a_rule_and_a_cure(options, words):
    with pytest.raises(ValueError, match=words):
        correct(NOISE, **options)


def test_a_level_widens_the_interval():
    narrow, wide = correct(NOISE, level=0.5).interval, correct(NOISE, level=0.99).interval
    assert wide[0] < narrow[0] < narrow[1] < wide[1]


def test_a_bound_without_a_name_is_mentioned():
    scores = np.clip(np.random.default_rng(0).normal(0.99, 0.02, size=(5, 6)), 0, 1)
    report, named = correct(scores), correct(scores, metric="accuracy")
    assert report.interval == named.interval
    if report.interval[1] == 1.0:
        assert "taken for a bound" in report.notes[-1]
    assert not named.notes


# Does it work


@pytest.mark.slow
@pytest.mark.parametrize("spread", [0.0, 0.01, 0.03])
def test_the_honest_score_is_nearer_to_the_truth_than_the_printed_one(spread):
    rng = np.random.default_rng(0)
    printed, honest, covered = [], [], []
    for _ in range(300):
        truth = rng.normal(0.8, spread, size=30)
        right = rng.random((200, 30)) < truth
        report = correct(right.reshape(5, 40, 30).mean(1))
        printed.append(report.naive - truth[report.best_index])
        honest.append(report.estimate - truth[report.best_index])
        covered.append(report.interval[0] <= truth[report.best_index] <= report.interval[1])
    assert np.mean(printed) > 0.015
    assert abs(np.mean(honest)) < np.mean(printed)
    assert np.sqrt(np.mean(np.square(honest))) < np.sqrt(np.mean(np.square(printed)))
    assert np.mean(covered) > 0.9


@pytest.mark.slow
def test_the_best_of_many_submissions_is_corrected_from_its_rows():
    error, printed = [], []
    for seed in range(200):
        rng = np.random.default_rng(seed)
        skill = 0.8 + 0.01 * rng.normal(size=42)
        hard = rng.uniform(size=2300)
        right = np.array(
            [
                (0.7 * hard + 0.3 * rng.uniform(size=2300))
                < np.quantile(0.7 * hard + 0.3 * rng.uniform(size=2300), q)
                for q in skill
            ]
        ).T
        report = correct(right[:300])
        private = right[300:].mean(0)[report.best_index]
        error.append(report.estimate - private)
        printed.append(report.naive - private)
    assert np.mean(printed) > 0.012
    assert abs(np.mean(error)) < 0.5 * np.mean(printed)


@given(
    score_tables(min_candidates=2),
    st.sampled_from([0.1, 3.0, 1e-14, 1e6]),
    st.sampled_from([0.0, 5.0]),
)
def test_units_carry_over(scores, scale, shift):
    scores = np.pi * scores + np.e * (2.0 - scores.min())  # neither shares nor below a bound
    plain = correct(scores)
    moved = correct(scale * (scores + shift))
    size = scale * (np.abs(scores).max() + shift)
    for key, estimate in plain.estimates.items():
        expected = scale * (estimate.value + shift)
        assert moved.estimates[key].value == pytest.approx(expected, abs=1e-7 * size)
    assert moved.best_index == plain.best_index or moved.naive == pytest.approx(
        scale * (plain.naive + shift), abs=1e-12 * size
    )


@given(score_tables(), st.sampled_from([0.5, 0.95, 0.999]))
def test_the_interval_is_finite_and_holds_the_estimate(scores, level):
    report = correct(scores, level=level)
    if report.interval is None:
        assert np.ptp(scores, axis=0).max() <= 1e-12 * np.abs(scores).max()
    else:
        low, high = report.interval
        assert np.isfinite([low, high]).all()
        assert low <= report.estimate <= high
        assert report.table.support[0] <= low
        assert high <= report.table.support[1]


def test_no_scale_is_too_small_to_be_corrected():
    plain, tiny = correct(-NOISE), correct(-1e-14 * NOISE)
    assert tiny.optimism == pytest.approx(1e-14 * plain.optimism)
    assert tiny.optimism > 0
    assert f"{tiny.estimate:.6g}" in str(tiny)


def test_scores_without_end_take_no_part():
    scores = -NOISE.copy()
    scores[1, 4], scores[2, 3] = -1.3e180, -1e200
    report = correct(scores)
    assert set(report.left_out) == {3, 4}
    assert "beyond 1e+100" in report.left_out[3]
    with pytest.raises(ValueError, match=r"beyond 1e\+100"):
        correct(-1e200 * NOISE)


def test_a_loss_of_zero_has_no_minus():
    losses = np.column_stack([np.random.default_rng(0).gamma(5.0, size=(5, 4)), np.zeros(5)])
    report = correct(losses, greater_is_better=False, metric="squared error")
    assert not np.signbit([report.naive, report.estimate]).any()
    assert not any(np.signbit(each.value) for each in report.estimates.values())
    assert "-0" not in str(report)


def test_a_diverged_candidate_leaves_the_chosen_one_given():
    """A rule of its own took the second best; a mean of -1e13 does not make the two equal."""
    scores = 0.5 + 0.1 * np.random.default_rng(0).normal(size=(5, 3))
    scores = np.column_stack([np.sort(scores, axis=1), np.full(5, -1e13 - 0.25)])
    report = correct(dataclasses.replace(from_array(scores), best_index=1))
    assert report.best_index == 1
    assert not report.left_out
    assert any("by a rule of its own" in note for note in report.notes)


def test_an_r2_comes_with_what_else_moves_it():
    scores = np.random.default_rng(0).normal(0.4, 0.1, size=(5, 6))
    assert any(
        note.startswith("r2 within a small split") for note in correct(scores, metric="r2").notes
    )
    assert not any("small" in note for note in correct(scores, metric="accuracy").notes)
    assert not any("small" in note for note in correct(scores[:, :1], metric="r2").notes)


def test_unnamed_losses_may_be_shares_of_wrong_rows():
    right = np.random.default_rng(1).uniform(0.6, 0.9, size=(5, 6))
    plain = correct(right)
    wrong = correct(1 - right, greater_is_better=False)
    assert wrong.estimate == pytest.approx(1 - plain.estimate)
    named = correct(1 - right, metric="rmse", greater_is_better=False)
    assert named.estimate == pytest.approx(-consensus(right - 1, support=(-np.inf, 0.0)), abs=1e-12)
    assert named.estimate != pytest.approx(wrong.estimate, abs=1e-6)


@pytest.mark.parametrize("size", [1e-6, 0.5, 40.0])
def test_perfect_candidates_leave_the_noise_to_the_others(size):
    report = correct(np.array([[0.0, 0.0, 0.0], [0.0, 0.0, -size]]))
    low, high = report.interval
    assert low < report.estimate < high <= 0.0
    assert low == pytest.approx(size * correct([[0.0, 0.0, 0.0], [0.0, 0.0, -1.0]]).interval[0])


@pytest.mark.parametrize("method", ["EB", "LVCV"])
def test_a_method_that_knows_one_noise_gives_way_where_candidates_differ_widely_in_it(method):
    rng = np.random.default_rng(0)
    given, own, others = [], [], 0
    for _ in range(40):  # isotonic calibration: now and then a row has no probability left
        scores = rng.normal(-0.50, 0.05, (5, 4))
        scores[:, 2:] -= 2.0 * (rng.random((5, 1)) < 0.4)
        report = correct(scores, metric="neg_log_loss", method=method)
        given.append(report.estimate)
        own.append(report.estimates[method].value)
        if report.method != method:
            others += 1
            assert any("differ widely in noise" in note for note in report.notes)
            assert report.estimate == report.estimates["CONSENSUS"].value
    assert others > 20
    assert abs(np.mean(given) + 0.50) < 0.05
    assert abs(np.mean(own) + 0.50) > 0.10


@pytest.mark.parametrize("method", ["EB", "LVCV", "LBCV"])
def test_candidates_of_like_noise_keep_every_method(method):
    rng = np.random.default_rng(0)
    for size in [(3, 200), (5, 40), (10, 4)] * 5:
        scores = rng.normal(0.8, 0.03, size) + rng.choice([0, 0.02]) * rng.normal(size=size[1])
        assert correct(scores, method=method).method == method


def test_a_loss_that_is_too_low_looks_too_good():
    scores = np.random.default_rng(0).normal(0.7, 0.05, size=(5, 6))
    up = correct(scores).estimates
    down = correct(-scores, greater_is_better=False).estimates
    assert "upwards" in up["ME"].errs
    swapped = {"upwards": "downwards", "downwards": "upwards"}
    for key in up.keys() & down.keys():
        assert down[key].errs == " ".join(swapped.get(w, w) for w in up[key].errs.split())


def test_a_winner_that_is_not_the_best_is_said_beside_the_best():
    scores = np.random.default_rng(0).normal(0.7, 0.05, size=(5, 6))
    order = np.argsort(scores.mean(axis=0))
    notes = correct(dataclasses.replace(from_array(scores), best_index=int(order[2]))).notes
    said = f"chose candidate {order[2]}, by a rule of its own; candidate {order[-1]} has the best"
    assert any(said in note for note in notes)


@pytest.mark.parametrize("train", [None, 120])
def test_numbers_of_rows_say_what_a_design_would(train):
    right = np.random.default_rng(0).binomial(40, 0.7, size=(4, 6))
    table = dataclasses.replace(from_array(right / 40), n_test=np.full(4, 40), design=None)
    table = dataclasses.replace(table, n_train=None if train is None else np.full(4, train // 2))
    share = 0.25 if train is None else 40 / (40 + train // 2)
    told = Design(n_splits=4, n_repeats=1, test_share=share, n_test=np.full(4, 40))
    assert correct(table).interval == pytest.approx(
        correct(dataclasses.replace(table, design=told)).interval
    )
