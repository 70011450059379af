"""Metrics on rows: scikit-learn's values, and influences that are the slopes of these."""

import numpy as np
import pytest
from sklearn import metrics as sk
from sklearn.cluster import KMeans
from sklearn.linear_model import LogisticRegression, LogisticRegressionCV, Ridge
from sklearn.metrics import get_scorer_names
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from skmaxev.metrics import (
    METRICS,
    direction_doubt,
    direction_of,
    is_metric,
    metric_name,
    noise_range,
    rows_from_responses,
    scores_from_responses,
    support_of,
)

RNG = np.random.default_rng(0)
N = 48
FOLD = np.arange(N) % 3
TWO, MANY = RNG.integers(0, 2, N), RNG.integers(0, 3, N)
NUMBER = RNG.gamma(3.0, size=N)
CHANCE = np.round(np.clip(0.5 * TWO + 0.7 * RNG.random((4, N)), 0.05, 0.95), 1)  # with ties
CHANCES = RNG.dirichlet(np.ones(3), size=(4, N))
SAID = NUMBER * RNG.uniform(0.5, 1.5, size=(4, N))


def _labels(score, **options):
    return lambda y, p, w: score(y, p > 0.5, sample_weight=w, **options)


def _classes(score, **options):
    return lambda y, p, w: score(y, p.argmax(-1), sample_weight=w, **options)


def _plain(score, sign=1.0):
    return lambda y, p, w: sign * score(y, p, sample_weight=w)


BINARY = {
    "accuracy": _labels(sk.accuracy_score),
    "balanced_accuracy": _labels(sk.balanced_accuracy_score),
    "f1": _labels(sk.f1_score),
    "precision": _labels(sk.precision_score),
    "recall": _labels(sk.recall_score),
    "jaccard": _labels(sk.jaccard_score),
    "f1_macro": _labels(sk.f1_score, average="macro"),
    "matthews_corrcoef": _labels(sk.matthews_corrcoef),
    "roc_auc": _plain(sk.roc_auc_score),
    "average_precision": _plain(sk.average_precision_score),
    "neg_log_loss": _plain(sk.log_loss, -1.0),
    "neg_brier_score": _plain(sk.brier_score_loss, -1.0),
}
SEVERAL = {
    "accuracy": _classes(sk.accuracy_score),
    "balanced_accuracy": _classes(sk.balanced_accuracy_score),
    "f1_macro": _classes(sk.f1_score, average="macro"),
    "f1_weighted": _classes(sk.f1_score, average="weighted"),
    "f1_micro": _classes(sk.f1_score, average="micro"),
    "precision_macro": _classes(sk.precision_score, average="macro"),
    "recall_weighted": _classes(sk.recall_score, average="weighted"),
    "jaccard_macro": _classes(sk.jaccard_score, average="macro"),
    "jaccard_micro": _classes(sk.jaccard_score, average="micro"),
    "matthews_corrcoef": _classes(sk.matthews_corrcoef),
    "neg_log_loss": lambda y, p, w: -sk.log_loss(y, p, sample_weight=w, labels=[0, 1, 2]),
}
NUMBERS = {
    "r2": _plain(sk.r2_score),
    "explained_variance": _plain(sk.explained_variance_score),
    "d2_absolute_error_score": _plain(sk.d2_absolute_error_score),
    "neg_mean_squared_error": _plain(sk.mean_squared_error, -1.0),
    "neg_mean_absolute_error": _plain(sk.mean_absolute_error, -1.0),
    "neg_mean_absolute_percentage_error": _plain(sk.mean_absolute_percentage_error, -1.0),
    "neg_mean_squared_log_error": _plain(sk.mean_squared_log_error, -1.0),
    "neg_mean_poisson_deviance": _plain(sk.mean_poisson_deviance, -1.0),
    "neg_mean_gamma_deviance": _plain(sk.mean_gamma_deviance, -1.0),
    "neg_root_mean_squared_error": _plain(sk.root_mean_squared_error, -1.0),
    "neg_root_mean_squared_log_error": _plain(sk.root_mean_squared_log_error, -1.0),
}
CASES = [
    *[(name, score, TWO, CHANCE) for name, score in BINARY.items()],
    *[(name, score, MANY, CHANCES) for name, score in SEVERAL.items()],
    *[(name, score, NUMBER, SAID) for name, score in NUMBERS.items()],
]
IDS = [f"{name}-{len(np.unique(y))}" for name, _, y, _ in CASES]


@pytest.mark.parametrize(("name", "score", "y", "said"), CASES, ids=IDS)
def test_values_average_to_what_scikit_learn_computes(name, score, y, said):
    rows = rows_from_responses(name, y, said, FOLD)
    by_fold = scores_from_responses(name, y, said, FOLD)
    for candidate in range(4):
        expected = [score(y[k == FOLD], said[candidate, k == FOLD], None) for k in range(3)]
        assert by_fold[:, candidate] == pytest.approx(expected, abs=1e-12)
        if METRICS[name].pooled:
            whole = score(y, said[candidate], None)
            assert rows.pooled[candidate] == pytest.approx(whole, abs=1e-12)
            assert rows.values[candidate].mean() == pytest.approx(whole, abs=1e-9)
        elif name != "roc_auc":
            found = rows.means_over_splits(3)[:, candidate]
            assert found == pytest.approx(expected, abs=1e-12)
    assert (rows.pooled is not None) == METRICS[name].pooled


@pytest.mark.parametrize("weights", [None, RNG.integers(1, 4, N)], ids=["plain", "weighted"])
@pytest.mark.parametrize(("name", "score", "y", "said"), CASES, ids=IDS)
def test_influences_are_the_slopes_of_the_metric_in_the_weights(name, score, y, said, weights):
    fold = np.zeros(N, dtype=int)
    rows = rows_from_responses(name, y, said, fold, sample_weight=weights)
    given = np.ones(N) if weights is None else weights / weights.mean()
    within = 0.03 if name == "d2_absolute_error_score" else 2e-3  # a median moves in steps
    for candidate in range(2):
        whole = score(y, said[candidate], given)
        assert rows.values[candidate].mean() == pytest.approx(whole, abs=1e-6)
        for row in range(0, N, 11):
            step = 1e-5 * np.eye(N)[row]
            up, down = (score(y, said[candidate], given + sign * step) for sign in (1, -1))
            slope = N * given[row] * (up - down) / 2e-5
            # The metric at hand, and what a heavier row adds to it.
            assert rows.values[candidate, 0, row] == pytest.approx(whole + slope, abs=within)


@pytest.mark.parametrize(("name", "score", "y", "said"), CASES, ids=IDS)
def test_whole_weights_repeat_rows(name, score, y, said):
    weights = RNG.integers(1, 4, N)
    longer = np.repeat(np.arange(N), weights)
    rows = rows_from_responses(name, y, said, FOLD, sample_weight=weights)
    repeated = scores_from_responses(name, y[longer], said[:, longer], FOLD[longer])
    if METRICS[name].pooled:
        whole = [score(y[longer], said[c, longer], None) for c in range(4)]
        assert rows.pooled == pytest.approx(whole, abs=1e-6)
    else:
        assert rows.means_over_splits(3) == pytest.approx(repeated, abs=1e-9)


@pytest.mark.parametrize("name", ["r2", "f1", "average_precision", "accuracy", "roc_auc"])
def test_a_partition_that_is_repeated_says_the_same_as_once(name):
    y, said = (NUMBER, SAID) if name == "r2" else (TWO, CHANCE)
    once = rows_from_responses(name, y, said, FOLD)
    twice = rows_from_responses(name, y, np.stack([said, said], axis=1), np.stack([FOLD, FOLD + 3]))
    np.testing.assert_allclose(twice.means_over_repeats(), once.means_over_repeats(), atol=1e-12)
    if once.pooled is not None:
        np.testing.assert_allclose(twice.pooled, once.pooled, atol=1e-12)


def test_labels_probabilities_and_decisions_are_one_answer():
    names = np.array(["ill", "well"])
    labels = names[(CHANCE > 0.5).astype(int)]
    expected = rows_from_responses("f1", TWO, CHANCE, FOLD)
    for said in (labels, CHANCE, CHANCE - 0.5, np.stack([1 - CHANCE, CHANCE], axis=-1)):
        rows = rows_from_responses("f1", names[TWO], said, FOLD)
        np.testing.assert_allclose(rows.values, expected.values)
    turned = rows_from_responses("f1", names[TWO], labels, FOLD, pos_label="ill")
    assert turned.pooled[0] == pytest.approx(
        sk.f1_score(names[TWO], labels[0], pos_label="ill"), abs=1e-12
    )
    other = rows_from_responses("average_precision", TWO, CHANCE, FOLD, pos_label=0)
    assert other.pooled[0] == pytest.approx(sk.average_precision_score(1 - TWO, 1 - CHANCE[0]))


def test_a_candidate_without_predictions_has_no_values_and_moves_no_other():
    said = CHANCE.copy()
    said[2, 5] = np.nan
    rows, whole = (rows_from_responses("f1", TWO, one, FOLD) for one in (said, CHANCE))
    assert rows.complete.tolist() == [True, True, False, True]
    np.testing.assert_array_equal(rows.values[[0, 1, 3]], whole.values[[0, 1, 3]])


def test_what_rows_cannot_say_is_none():
    assert rows_from_responses("neg_max_error", NUMBER, SAID, FOLD) is None
    assert rows_from_responses("my metric", NUMBER, SAID, FOLD) is None
    assert not rows_from_responses("neg_log_loss", TWO, CHANCE - 0.5, FOLD).complete.any()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((TWO, CHANCE.T, FOLD), r"responses must have shape .* Give one line a candidate"),
        ((TWO, CHANCE, FOLD[:-1]), "test_fold must name the split of each row"),
        ((TWO, CHANCE, FOLD + 0.5), "test_fold must hold numbers of splits"),
    ],
)
def test_shapes_that_do_not_fit_are_refused_with_the_cure(arguments, words):
    with pytest.raises(ValueError, match=words):
        rows_from_responses("f1", *arguments)
    with pytest.raises(ValueError, match="pos_label must be one of the classes"):
        rows_from_responses("f1", TWO, CHANCE, FOLD, pos_label="ill")


def test_every_scorer_of_scikit_learn_has_a_range_that_its_scores_do_not_change():
    newer = {"d2_pinball_score", "d2_tweedie_score"}
    assert set(get_scorer_names()) - set(METRICS) <= newer
    low = np.full((5, 3), -0.2)
    assert support_of("r2", low) == (-np.inf, 1.0)
    assert support_of("matthews_corrcoef", low) == (-1.0, 1.0)
    assert support_of("neg_log_loss", low) == (-np.inf, 0.0)
    assert support_of("roc_auc", low + 0.9) == (0.0, 1.0)
    assert support_of("my metric", low) == (-np.inf, 0.0)


def test_f1_without_any_positive_row_is_zero_as_in_scikit_learn():
    y, said = np.array([1, 0, 0, 0]), np.array([[1, 0, 0, 0], [0, 0, 0, 1]])
    fold = np.array([0, 0, 1, 1])
    found = scores_from_responses("f1", y, said, fold)
    np.testing.assert_array_equal(found, [[1.0, 0.0], [0.0, 0.0]])


@pytest.mark.parametrize("average", ["macro", "weighted", "micro"])
@pytest.mark.parametrize("family", ["precision", "recall", "f1", "jaccard"])
def test_classes_that_only_some_splits_hold_count_as_in_scikit_learn(family, average):
    # The greatest class is predicted but not there, there but not predicted, and neither.
    y = np.array([0, 1, 0, 1, 0, 2, 1, 2, 0, 1, 1, 0])
    said = np.array([[0, 2, 1, 2, 0, 0, 1, 1, 0, 1, 0, 0], [2, 1, 0, 1, 1, 0, 1, 0, 1, 1, 1, 0]])
    fold = np.repeat([0, 1, 2], 4)
    score = getattr(sk, f"{family}_score")
    expected = [
        [score(y[fold == k], one[fold == k], average=average, zero_division=0) for one in said]
        for k in range(3)
    ]
    found = scores_from_responses(f"{family}_{average}", y, said, fold)
    np.testing.assert_allclose(found, expected, atol=1e-12)


@pytest.mark.parametrize("name", ["neg_log_loss", "neg_brier_score", "accuracy"])
def test_a_metric_that_knows_no_positive_class_is_the_same_for_either(name):
    one, other = (rows_from_responses(name, TWO, CHANCE, FOLD, pos_label=k) for k in (0, 1))
    np.testing.assert_allclose(one.values, other.values, atol=1e-12)
    np.testing.assert_allclose(
        one.means_over_splits(3)[:, 0],
        [BINARY[name](TWO[k == FOLD], CHANCE[0, k == FOLD], None) for k in range(3)],
    )


@pytest.mark.parametrize(
    ("name", "higher"),
    [
        ("neg_log_loss", True),
        ("val_loss", False),
        ("valRMSELoss", False),
        ("accuracy", True),
        ("NDCG@10", True),
        ("d2_log_loss", True),
        ("score", True),
        ("speed", None),
    ],
)
def test_a_name_tells_the_direction_or_nothing(name, higher):
    assert direction_of(name) is higher


def test_scores_on_the_wrong_side_of_zero_are_doubted():
    above, below, across, none = np.array([[0.2, 0.9], [-0.9, -0.2], [-0.1, 0.3], [0.0, 0.0]])
    for loss in ("neg_log_loss", "val_loss"):
        assert "is a loss, so at most 0" in direction_doubt(loss, above)
        assert "read as 0 to 0.5" in direction_doubt(loss, np.array([0.0, 0.5]))
        assert not any(direction_doubt(loss, scores) for scores in (below, across, none))
    for share in ("accuracy", "f1_macro"):
        assert "is a share, so at least 0; read as -0.9 to -0.2" in direction_doubt(share, below)
        assert "is a share" in direction_doubt(share, np.array([-0.5, 0.0]))
        assert not any(direction_doubt(share, scores) for scores in (above, across, none))
    for free in ("r2", "d2_log_loss_score", "log_loss_skill", "my metric"):
        assert direction_doubt(free, above) is direction_doubt(free, below) is None


@pytest.mark.parametrize(
    ("name", "scores", "higher", "expected"),
    [
        ("my metric", [0.0, 1.0], True, (0.0, 1.0)),
        ("my metric", [0.0, 1.5], True, (-np.inf, np.inf)),
        ("my metric", [-0.1, 1.0], True, (-np.inf, 1.0)),
        ("my metric", [-0.1, 0.0], True, (-np.inf, 0.0)),
        ("my metric", [0.0, 0.0], True, (0.0, 1.0)),
        ("my loss", [0.0, 0.0], False, (-np.inf, 0.0)),
        ("neg_my_loss", [0.0, 0.0], True, (-np.inf, 0.0)),
        ("my loss", [-2.0, 0.5], False, (-np.inf, 1.0)),
        ("accuracy", [0.0, 1.0], True, (0.0, 1.0)),
        ("accuracy", [0.5, 97.0], True, (0.0, 100.0)),
        ("accuracy", [0.0, 100.0], True, (0.0, 100.0)),
        ("accuracy", [0.5, 100.1], True, (-np.inf, np.inf)),
        ("accuracy", [-0.5, 97.0], True, (-np.inf, np.inf)),
        ("r2", [-3.0, -1.0], True, (-np.inf, 1.0)),
        ("r2", [-3.0, -1.0], False, (-np.inf, 0.0)),
        ("matthews_corrcoef", [-1.0, 1.0], True, (-1.0, 1.0)),
        ("matthews_corrcoef", [-1.1, 1.0], True, (-np.inf, 1.0)),
    ],
)
def test_the_range_is_the_metrics_or_what_its_scores_do_not_contradict(
    name, scores, higher, expected
):
    assert support_of(name, np.array(scores), greater_is_better=higher) == expected


def test_losses_that_may_be_shares_of_wrong_rows_have_no_noise_that_grows_from_zero():
    loss, free = (-np.inf, 0.0), (-np.inf, np.inf)
    assert noise_range("my loss", loss, np.array([-1.0, -0.2])) == free
    assert noise_range("my loss", loss, np.array([-1.1, -0.2])) == loss
    for name in ("neg_my_loss", "log loss", "RMSE", "Absolute"):
        assert noise_range(name, loss, np.array([-0.9, -0.2])) == loss
    assert noise_range("my score", (0.0, 1.0), np.array([0.1])) == (0.0, 1.0)
    assert noise_range("my score", (-1.0, 0.0), np.array([-0.1])) == (-1.0, 0.0)


def test_names_of_metrics_alone_are_told_from_other_words():
    assert all(map(is_metric, ["accuracy", "val_loss", "roc_auc", "mean squared error"]))
    assert not any(map(is_metric, ["mean", "fold_1_accuracy", "accuracy of forest", "forest"]))


@pytest.mark.parametrize("label", [0, 1])
def test_an_area_needs_two_rows_of_either_class(label):
    y, said = np.full(9, 1 - label), np.arange(18.0).reshape(2, 9)
    y[4] = label
    assert rows_from_responses("roc_auc", y, said, np.zeros(9, dtype=int)) is None
    y[7] = label
    rows = rows_from_responses("roc_auc", y, said, np.zeros(9, dtype=int))
    expected = [sk.roc_auc_score(y, one) for one in said]
    np.testing.assert_allclose(rows.values.mean(axis=(1, 2)), expected)


@pytest.mark.parametrize(
    ("estimator", "scoring", "name"),
    [
        (Ridge(), None, "r2"),
        (LogisticRegression(), None, "accuracy"),
        (make_pipeline(StandardScaler(), Ridge()), None, "r2"),
        (make_pipeline(StandardScaler(), make_pipeline(LogisticRegression())), None, "accuracy"),
        (LogisticRegressionCV(scoring="roc_auc"), None, "roc_auc"),
        (KMeans(), None, None),
        (Ridge(), "neg_mean_squared_error", "neg_mean_squared_error"),
        (Ridge(), {"a": "r2", "b": "r2"}, None),
        (Ridge(), sk.make_scorer(sk.r2_score), None),
    ],
)
def test_a_search_without_scoring_is_judged_by_the_score_of_its_last_step(estimator, scoring, name):
    assert metric_name(GridSearchCV(estimator, {}, scoring=scoring)) == name
    assert metric_name(object()) is None


def test_numbers_are_no_answer_where_there_are_three_classes():
    assert not rows_from_responses("accuracy", MANY, CHANCE, FOLD).complete.any()
    assert rows_from_responses("accuracy", TWO, CHANCE, FOLD).complete.all()
