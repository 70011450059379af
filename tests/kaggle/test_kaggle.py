"""The best of many submissions, and predictions for rows that were held out."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import cross_val_predict
from sklearn.tree import DecisionTreeClassifier

from skmaxev import ShrunkSearchCV
from skmaxev.correction import correct
from skmaxev.kaggle import correct_leaderboard, out_of_fold
from skmaxev.readers.build import build_table
from skmaxev.table import Rows

ERROR = 0.02


def draw(rng, *, correlation, skill, size=42):
    """True and public scores of submissions that share part of their error."""
    true = 0.8 + skill * rng.normal(size=size)
    shared, own = rng.normal(), rng.normal(size=size)
    return true, true + ERROR * (np.sqrt(correlation) * shared + np.sqrt(1 - correlation) * own)


def simulate(n, *, correlation, skill):
    """Errors of the corrected score in points, and the share of intervals that hold the truth."""
    rng = np.random.default_rng(7)
    errors, held = [], []
    for _ in range(n):
        true, public = draw(rng, correlation=correlation, skill=skill)
        report = correct_leaderboard(public, standard_error=ERROR, correlation=correlation)
        truth = true[report.best_index]
        errors.append(100 * (report.estimate - truth))
        held.append(report.interval[0] <= truth <= report.interval[1])
    return np.array(errors), np.mean(held)


def test_all_spread_that_noise_explains_is_taken_back():
    public = np.array([0.80, 0.81, 0.79, 0.82])
    report = correct_leaderboard(public, standard_error=0.05, correlation=0.0)
    assert report.estimate == pytest.approx(public.mean())
    assert report.naive == 0.82
    assert report.optimism == pytest.approx(0.82 - public.mean())


def test_matches_the_normal_model_by_hand():
    public = np.array([0.70, 0.80, 0.90])
    report = correct_leaderboard(public, standard_error=0.05, correlation=0.36)
    own, spread = 0.05**2 * 0.64, 0.1**2
    lost = own / spread
    assert report.estimate == pytest.approx(0.9 - lost * 0.1)
    variance = own * (1 - lost * 2 / 3) + 2 * (lost * 0.1) ** 2 + 0.05**2 * 0.36
    assert report.interval[1] - report.interval[0] == pytest.approx(
        2 * 1.959964 * np.sqrt(variance)
    )


def test_rows_of_an_accuracy_give_the_binomial_error():
    public = np.array([0.75, 0.80, 0.85])
    by_rows = correct_leaderboard(public, n_test_rows=400, correlation=0.5)
    by_error = correct_leaderboard(public, standard_error=0.02, correlation=0.5)
    assert by_rows.estimate == pytest.approx(by_error.estimate)
    assert by_rows.interval == pytest.approx(by_error.interval)


@pytest.mark.parametrize("shift", [0.0, 0.05])
def test_losses_mirror_scores(shift):
    public = np.array([0.30, 0.34, 0.29, 0.33]) + shift
    losses = correct_leaderboard(
        public, standard_error=0.02, correlation=0.5, greater_is_better=False, metric="error"
    )
    scores = correct_leaderboard(1 - public, standard_error=0.02, correlation=0.5)
    assert losses.best_index == scores.best_index == 2
    assert losses.estimate == pytest.approx(1 - scores.estimate)
    assert losses.optimism == pytest.approx(scores.optimism)
    assert losses.optimism > 0
    assert losses.interval == pytest.approx((1 - scores.interval[1], 1 - scores.interval[0]))


def test_one_submission_is_not_corrected():
    report = correct_leaderboard([0.8], n_test_rows=100)
    assert report.estimate == report.naive == 0.8
    assert report.optimism == 0
    assert report.interval[0] < 0.8 < report.interval[1]


def test_a_submission_chosen_by_hand_is_the_one_corrected():
    report = correct_leaderboard(
        [0.70, 0.80, 0.90], standard_error=0.02, correlation=0.0, best_index=1
    )
    assert report.naive == 0.80
    assert report.estimate == pytest.approx(0.80)  # it stands at the mean already


def test_without_the_correlation_the_report_says_what_hangs_on_it():
    public = [0.70, 0.80, 0.90]
    report = correct_leaderboard(public, standard_error=0.05)
    (note,) = [note for note in report.notes if "No correlation was given" in note]
    for correlation in (0.0, 0.9):
        told = correct_leaderboard(public, standard_error=0.05, correlation=correlation)
        assert f"{told.estimate:.4g}" in note
        assert report.interval[0] <= told.interval[0]
        assert report.interval[1] >= told.interval[1]


def test_a_correction_by_guess_takes_back_no_more_than_its_bound():
    public = 0.8 + 0.05 * np.random.default_rng(0).normal(size=200)
    report = correct_leaderboard(public, standard_error=0.05)
    assert report.optimism == pytest.approx(np.sqrt(1.05**2 - 1) * 0.05)
    few = correct_leaderboard([0.80, 0.81], standard_error=0.05)
    usual = correct_leaderboard([0.80, 0.81], standard_error=0.05, correlation=0.8)
    assert few.estimate == usual.estimate


def test_the_correlation_is_measured_on_rows():
    rng = np.random.default_rng(0)
    rows = np.sqrt(0.7) * rng.normal(size=(20_000, 1)) + np.sqrt(0.3) * rng.normal(size=(20_000, 6))
    public = np.linspace(0.78, 0.82, 6)
    measured = correct_leaderboard(public, standard_error=0.02, correlation=rows)
    told = correct_leaderboard(public, standard_error=0.02, correlation=0.7)
    assert measured.estimate == pytest.approx(told.estimate, abs=2e-4)
    assert any("Correlation measured on rows: 0.70" in note for note in measured.notes)
    with pytest.raises(ValueError, match="hold 6 columns"):
        correct_leaderboard(public, standard_error=0.02, correlation=rows[:, :5])
    with pytest.raises(ValueError, match="NaN"):
        correct_leaderboard(public, standard_error=0.02, correlation=np.full((9, 6), np.nan))


def test_a_table_of_submissions_holds_its_public_scores(tmp_path):
    frame = pd.DataFrame({"fileName": ["a", "b"], "publicScore": [0.8, 0.7], "privateScore": 0.7})
    frame.to_csv(tmp_path / "submissions.csv", index=False)
    expected = correct_leaderboard([0.8, 0.7], n_test_rows=300)
    for given in (frame, tmp_path / "submissions.csv", str(tmp_path / "submissions.csv")):
        assert correct_leaderboard(given, n_test_rows=300) == expected
    with pytest.raises(ValueError, match="one column of public scores"):
        correct_leaderboard(frame.rename(columns={"publicScore": "score"}), n_test_rows=300)


def test_the_report_prints_and_saves(tmp_path):
    report = correct_leaderboard([0.70, 0.80, 0.90], n_test_rows=300)
    assert "Best of 3 submissions" in str(report)
    report.save(tmp_path / "report.html")
    assert "<svg" in (tmp_path / "report.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([0.8, 0.7],), "one of n_test_rows and standard_error must be given"),
        (([0.8, 0.7], 100, 0.1), "one of n_test_rows and standard_error must be given"),
        (([0.8, np.nan], 100), "must be finite numbers"),
        (([[0.8, 0.7]], 100), "one a submission"),
        (([], 100), "one a submission"),
        (([80.0, 70.0], 100), "Give standard_error for another metric"),
        (([0.8, 0.7], 0), "n_test_rows must be a number of at least 1"),
        (([0.8, 0.7], None, -0.1), "standard_error must be a positive number"),
        (([0.8, 0.7], 100, None, 1.0), "correlation must be from 0"),
        (([0.8, 0.7], 100, None, -0.1), "correlation must be from 0"),
    ],
)
def test_what_cannot_be_corrected_is_refused_with_the_cure(arguments, message):
    scores, n_test_rows, standard_error, correlation = (*arguments, None, None, None)[:4]
    with pytest.raises(ValueError, match=message):
        correct_leaderboard(
            scores,
            n_test_rows=n_test_rows,
            standard_error=standard_error,
            correlation=correlation,
        )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("correlation", "skill"), [(0.0, 0.01), (0.6, 0.01), (0.6, 0.0), (0.9, 0.02)]
)
def test_with_the_right_correlation_it_is_near_the_truth_and_covers_it(correlation, skill):
    errors, held = simulate(1500, correlation=correlation, skill=skill)
    assert abs(errors.mean()) < 0.4  # the printed score errs by 1 to 4 points
    assert 0.925 < held < 0.985


@pytest.mark.slow
@pytest.mark.parametrize("correlation", [0.0, 0.8, 0.97])
@pytest.mark.parametrize("size", [20, 200])
@pytest.mark.parametrize("skill", [0.0, 0.02])
def test_without_the_correlation_it_is_no_worse_than_the_public_score(correlation, size, skill):
    rng, errors, printed, held = np.random.default_rng(3), [], [], []
    for _ in range(400):
        true, public = draw(rng, correlation=correlation, skill=skill, size=size)
        report = correct_leaderboard(public, standard_error=ERROR)
        truth = true[report.best_index]
        errors.append(report.estimate - truth)
        printed.append(report.naive - truth)
        held.append(report.interval[0] <= truth <= report.interval[1])
    assert np.mean(np.square(errors)) <= 1.05**2 * np.mean(np.square(printed))
    assert np.mean(held) >= 0.92


@pytest.fixture
def search():
    fold = np.array([[0, 0, 1, 1, -1]])
    responses = np.arange(10.0).reshape(2, 1, 5)
    responses[:, :, 4] = np.nan
    table = build_table(
        np.array([[0.8, 0.7], [0.8, 0.6]]),
        metric="roc_auc",
        rows=Rows(values=responses, test_fold=fold, responses=responses),
        source="ShrunkSearchCV",
    )
    return SimpleNamespace(report_=correct(table))


def test_out_of_fold_gives_the_winners_response_of_every_judged_row(search):
    assert out_of_fold(search)[:4].tolist() == [0.0, 1.0, 2.0, 3.0]
    assert np.isnan(out_of_fold(search)[4])
    assert out_of_fold(search, candidate=1)[:4].tolist() == [5.0, 6.0, 7.0, 8.0]


def test_out_of_fold_names_the_cure_where_nothing_was_kept(search):
    with pytest.raises(ValueError, match="candidate must be one of 0 to 1; got 2"):
        out_of_fold(search, candidate=2)
    bare = SimpleNamespace(report_=replace(search.report_, table=None))
    with pytest.raises(ValueError, match="keep_predictions=True"):
        out_of_fold(bare)
    with pytest.raises(TypeError, match="cross_val_predict"):
        out_of_fold(object())


def test_out_of_fold_of_a_search_is_that_of_cross_val_predict():
    X, y = load_breast_cancer(return_X_y=True)
    tree, grid = DecisionTreeClassifier(random_state=0), {"max_depth": [1, 2]}
    search = ShrunkSearchCV(tree, grid, cv=3, scoring="roc_auc").fit(X, y)
    expected = cross_val_predict(search.best_estimator_, X, y, cv=3, method="predict_proba")[:, 1]
    assert out_of_fold(search) == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("share", [0.0, 1.0])
def test_a_perfect_score_on_few_rows_is_not_sure(share):
    few, many = (correct_leaderboard([share], n_test_rows=rows).interval for rows in (3, 3000))
    assert few[1] - few[0] > 0.3
    assert 0.0 < many[1] - many[0] < 0.002
    assert share in few


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"public_scores": ["a", "b"]}, TypeError),
        ({"public_scores": np.ma.masked_array([0.5, 0.6], mask=[False, True])}, ValueError),
        ({"n_test_rows": float("nan")}, ValueError),
        ({"best_index": 0.5}, ValueError),
        ({"greater_is_better": None}, TypeError),
    ],
)
def test_arguments_of_the_wrong_kind_are_refused(arguments, error):
    with pytest.raises(error, match=next(iter(arguments))):
        correct_leaderboard(**{"public_scores": [0.5, 0.6], "n_test_rows": 300} | arguments)


@pytest.mark.parametrize("score", [0.8, 0.8277441482659922])
def test_equal_scores_have_the_interval_of_one_submission(score):
    """Rounding leaves the mean of some equal numbers beside them."""
    one, many = (
        correct_leaderboard(np.full(size, score), standard_error=0.02, metric="gain")
        for size in (1, 3)
    )
    assert many.interval == pytest.approx(one.interval)


def test_a_loss_that_may_be_zero_has_no_minus():
    report = correct_leaderboard(
        [0.5, 0.6], standard_error=1.0, metric="rmse", greater_is_better=False
    )
    assert report.interval[0] == 0.0
    assert not np.signbit(report.interval[0])


def test_first_tries_far_below_the_rest_do_not_hide_the_luck():
    public = 0.8 + ERROR * np.random.default_rng(3).normal(size=40)
    clean = correct_leaderboard(public, standard_error=ERROR, correlation=0.0)
    report = correct_leaderboard([0.3, *public, 0.5], standard_error=ERROR, correlation=0.0)
    assert report.estimate == clean.estimate
    assert report.interval == clean.interval
    assert report.best_index == clean.best_index + 1
    assert report.n_used == 42
    assert report.notes[-1].startswith("Submissions far below the others (2)")
    assert not any("far below" in note for note in clean.notes)
    losses = correct_leaderboard(
        [0.7, *(1 - public), 0.5], standard_error=ERROR, correlation=0.0, greater_is_better=False
    )
    assert losses.estimate == pytest.approx(1 - clean.estimate)


def test_a_first_try_that_was_chosen_is_judged_among_all():
    public = [0.3, 0.8, 0.81, 0.79, 0.8]
    report = correct_leaderboard(public, standard_error=0.01, best_index=0)
    assert report.naive == 0.3
    assert not any("far below" in note for note in report.notes)


@pytest.mark.slow
@pytest.mark.parametrize("weak", [1, 5])
def test_the_winner_is_corrected_among_its_like(weak):
    rng, errors, held = np.random.default_rng(1), [], []
    for _ in range(300):
        true, public = draw(rng, correlation=0.0, skill=0.01)
        moved = rng.uniform(-0.3, -0.05, weak)
        true[:weak] += moved
        public[:weak] += moved
        report = correct_leaderboard(public, standard_error=ERROR, correlation=0.0)
        errors.append(100 * (report.estimate - true[report.best_index]))
        held.append(report.interval[0] <= true[report.best_index] <= report.interval[1])
    assert abs(np.mean(errors)) < 0.5  # it was 2 to 3 when all told the spread
    assert np.mean(held) > 0.9


@pytest.mark.parametrize(
    ("metric", "options"),
    [
        ("roc_auc", {}),
        ("F1", {}),
        ("log loss", {"greater_is_better": False}),
        ("balanced_accuracy", {}),
        ("AUROC", {}),
        ("rocauc", {}),
        ("auc_pr", {}),
        ("mean_absolute_error", {"greater_is_better": False}),
        ("rmsle", {"greater_is_better": False}),
    ],
)
def test_rows_do_not_tell_the_noise_of_other_metrics(metric, options):
    with pytest.raises(ValueError, match=rf"n_test_rows goes with shares.*got '{metric}'"):
        correct_leaderboard([0.7, 0.8], n_test_rows=100, metric=metric, **options)


@pytest.mark.parametrize(
    ("options", "name"),
    [
        ({"n_test_rows": 100}, "accuracy"),
        ({"n_test_rows": 100, "greater_is_better": False}, "error rate"),
        ({"standard_error": 0.1}, "score"),
    ],
)
def test_the_metric_need_not_be_named(options, name):
    assert correct_leaderboard([[0.7], [0.8]], **options).metric == name


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"n_test_rows": "300"}, "n_test_rows must be a number of at least 1; got '300'"),
        ({"standard_error": "0.1"}, "standard_error must be a positive number; got '0.1'"),
        ({"n_test_rows": 300, "correlation": "high"}, "correlation must be from 0"),
        ({"standard_error": 0.1, "metric": "rmse"}, "greater_is_better=False"),
    ],
)
def test_other_options_get_a_rule_and_a_cure(options, words):
    with pytest.raises(ValueError, match=words):
        correct_leaderboard([0.7, 0.8], **options)
