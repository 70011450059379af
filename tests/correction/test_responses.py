"""Out-of-fold predictions that people kept, in `correct`."""

import numpy as np
import pytest
from scipy import stats
from sklearn.datasets import load_diabetes, make_classification
from sklearn.linear_model import Ridge
from sklearn.metrics import f1_score, log_loss, r2_score, roc_auc_score
from sklearn.model_selection import KFold, cross_val_predict, cross_val_score
from sklearn.neighbors import KNeighborsClassifier

from skmaxev import correct
from skmaxev.estimators import auc_influences, consensus, selection_interval

ALPHAS = np.logspace(-3, 3, 8)
NEIGHBORS = (1, 3, 5, 9)


def predictions(models, X, y, folds, **options):
    """Out-of-fold predictions (n_candidates, n_rows[, n_classes])."""
    return np.array([cross_val_predict(model, X, y, cv=folds, **options) for model in models])


def numbers_of(folds, X):
    found = np.empty(len(X), dtype=int)
    for number, (_, test) in enumerate(folds.split(X)):
        found[test] = number
    return found


@pytest.fixture(scope="module")
def regression():
    X, y = load_diabetes(return_X_y=True)
    X, y = X[:80], y[:80]
    folds = KFold(8, shuffle=True, random_state=0)
    models = [Ridge(alpha=alpha) for alpha in ALPHAS]
    scores = np.array([cross_val_score(model, X, y, cv=folds, scoring="r2") for model in models]).T
    return y, scores, predictions(models, X, y, folds), numbers_of(folds, X)


@pytest.fixture(scope="module")
def classification():
    X, y = make_classification(120, flip_y=0.3, random_state=0)
    folds = KFold(5, shuffle=True, random_state=0)
    models = [KNeighborsClassifier(k) for k in NEIGHBORS]
    chances = predictions(models, X, y, folds, method="predict_proba")[..., 1]
    return y, chances, numbers_of(folds, X)


def test_r2_is_judged_on_all_rows_together(regression):
    y, scores, said, fold = regression
    report = correct(scores, metric="r2", y_true=y, responses=said, test_fold=fold)
    best = scores.mean(axis=0).argmax()
    assert report.best_index == best
    assert report.naive == pytest.approx(scores.mean(axis=0)[best])
    assert report.naive_pooled == pytest.approx(r2_score(y, said[best]))
    assert report.optimism == pytest.approx(report.naive_pooled - report.estimate)
    assert report.interval[0] <= report.estimate <= report.interval[1] <= 1.0
    assert "Pooled score" in str(report)


def test_scores_are_computed_from_the_predictions(regression):
    y, scores, said, fold = regression
    options = {"metric": "r2", "y_true": y, "responses": said, "test_fold": fold}
    alone, given = correct(**options), correct(scores, **options)
    assert alone.estimate == pytest.approx(given.estimate)
    assert alone.naive == pytest.approx(given.naive)
    assert alone.interval == pytest.approx(given.interval)


def test_the_order_of_candidates_does_not_matter(regression):
    y, scores, said, fold = regression
    turned = correct(scores[:, ::-1], metric="r2", y_true=y, responses=said[::-1], test_fold=fold)
    plain = correct(scores, metric="r2", y_true=y, responses=said, test_fold=fold)
    assert turned.estimate == pytest.approx(plain.estimate)
    assert turned.interval == pytest.approx(plain.interval)
    for key, found in plain.estimates.items():
        assert turned.estimates[key].value == pytest.approx(found.value), key


def test_a_partition_twice_adds_no_rows(regression):
    y, _, said, fold = regression
    options = {"metric": "neg_mean_absolute_error", "y_true": y}
    once = correct(responses=said, test_fold=fold, **options)
    twice = correct(
        responses=np.stack([said, said], axis=1), test_fold=np.stack([fold, fold]), **options
    )
    assert twice.table.design.n_repeats == 2
    assert twice.naive == pytest.approx(once.naive)
    widths = [float(np.diff(report.interval)[0]) for report in (twice, once)]
    assert widths[0] == pytest.approx(widths[1], rel=0.05)


def test_labels_and_probabilities_of_f1_are_one_answer(classification):
    y, chances, fold = classification
    options = {"metric": "f1", "y_true": y, "test_fold": fold}
    labels = (chances > 0.5).astype(int)
    report = correct(responses=labels, **options)
    assert correct(responses=chances, **options) == report
    assert report.naive_pooled == pytest.approx(f1_score(y, labels[report.best_index]))


def test_certain_rows_cost_what_jeffreys_expects(classification):
    y, chances, fold = classification
    sure = chances.copy()
    sure[:, :] = np.clip(chances, 0.05, 0.95)
    sure[:, y == 1] = np.where(chances[:, y == 1] == 1.0, 1.0, sure[:, y == 1])
    options = {"metric": "neg_log_loss", "y_true": y, "test_fold": fold}
    report = correct(responses=sure, **options)
    n_sure = int((sure[report.best_index] == 1.0).sum())
    assert n_sure > 0
    without = correct(responses=np.minimum(sure, 1.0 - 1e-15), **options)
    share, least = n_sure / len(y), np.log(np.finfo(float).eps)
    assert report.estimate == pytest.approx(
        without.estimate + least * share * 0.5 / (n_sure + 1), abs=1e-6
    )
    most = stats.beta.ppf(0.975, 0.5, n_sure + 0.5)
    assert report.interval[0] == pytest.approx(without.interval[0] + least * share * most, rel=0.02)
    assert report.naive == pytest.approx(-log_loss(y, sure[report.best_index]), rel=0.05)
    assert any("probability of exactly 0 or 1" in note for note in report.notes)


@pytest.mark.slow
def test_rows_of_a_cluster_count_as_one():
    rng = np.random.default_rng(0)
    draws = 200
    held = {True: 0, False: 0}
    labels = np.repeat(np.arange(30), 10)
    for _ in range(draws):
        shared = rng.normal(size=(30,)).repeat(10)
        y = shared + 0.5 * rng.normal(size=300)
        said = np.stack([y + shared + rng.normal(size=300) for _ in range(3)])
        fold = labels % 5
        for known in held:
            report = correct(
                metric="neg_mean_squared_error",
                y_true=y,
                responses=said,
                test_fold=fold,
                clusters=labels if known else None,
            )
            held[known] += report.interval[0] <= -2.0 <= report.interval[1]
    # 190 expected at 95%; fewer than 178 has a chance below 2 in 1,000.
    assert held[True] >= 178
    assert held[True] >= held[False]


def test_scores_of_items_need_no_folds():
    rng = np.random.default_rng(1)
    right = (rng.random((20, 300)) < 0.7).astype(float)
    report = correct(responses=right)
    assert report.naive == pytest.approx(right.mean(axis=1).max())
    assert 0.0 < report.optimism < report.naive - 0.6
    clustered = correct(responses=right.repeat(4, axis=1), clusters=np.arange(300).repeat(4))
    assert clustered.naive == pytest.approx(report.naive)
    assert clustered.estimate == pytest.approx(report.estimate, abs=1e-6)
    assert clustered.interval == pytest.approx(report.interval, rel=0.02)


@pytest.mark.slow
@pytest.mark.parametrize("spread", [0.0, 0.02, 0.05])
def test_the_best_of_forty_prompts_is_bounded(spread):
    printed, honest, held = [], [], 0
    for seed in range(300):
        rng = np.random.default_rng(seed)
        skill = np.clip(rng.normal(0.7, spread, size=(40, 1)), 0.0, 1.0)
        report = correct(responses=(rng.random((40, 200)) < skill).astype(float))
        true = skill[report.best_index, 0]
        printed.append(report.naive - true)
        honest.append(report.estimate - true)
        held += report.interval[0] <= true <= report.interval[1]
    # 285 of 300 expected at 95%; below 273 has a chance of 1 in 1,000.
    assert held >= 273
    assert abs(np.mean(honest)) < 0.3 * np.mean(printed)
    assert np.mean(np.square(honest)) < np.mean(np.square(printed))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"metric": None}, "responses need metric, y_true and test_fold"),
        ({"test_fold": None}, "responses need metric, y_true and test_fold"),
        ({"metric": "adjusted_rand_score"}, "responses say nothing of 'adjusted_rand_score'"),
        ({"clusters": [1, 2]}, "clusters must have one label a row"),
        ({"test_fold": np.zeros(3)}, "test_fold must name the split of each row"),
    ],
)
def test_what_does_not_fit_is_refused(regression, change, words):
    y, scores, said, fold = regression
    options = {"metric": "r2", "y_true": y, "responses": said, "test_fold": fold} | change
    with pytest.raises(ValueError, match=words):
        correct(scores, **options)


def test_predictions_of_other_candidates_are_refused(regression):
    y, scores, said, fold = regression
    with pytest.raises(ValueError, match=r"8 splits and 7 candidates, the scores 8 and 8"):
        correct(scores, metric="r2", y_true=y, responses=said[:7], test_fold=fold)


def test_items_must_be_finite():
    with pytest.raises(ValueError, match="scores of items: finite"):
        correct(responses=[[0.0, np.nan], [1.0, 0.0]])


@pytest.mark.parametrize(
    ("metric", "inflated"), [("r2", True), ("f1", True), ("roc_auc", False), ("accuracy", True)]
)
def test_rows_show_the_noise_but_for_what_the_models_of_a_search_share(metric, inflated):
    """Their deviations grow by the root of (1 + (K - 1) r) / (1 - r), with r as in the theory."""
    rng = np.random.default_rng(1)
    y = rng.permutation(np.arange(60) % 2)
    common = rng.normal(size=60) + np.repeat(rng.normal(size=5), 12)
    said = 1 / (1 + np.exp(-(1.5 * y - 0.75 + common + 0.3 * rng.normal(size=(4, 60)))))
    said = (said > 0.5).astype(int) if metric in {"f1", "accuracy"} else said
    fold = np.repeat(np.arange(5), 12)
    report = correct(metric=metric, y_true=y, responses=said, test_fold=fold)
    rows = report.table.rows
    values = rows.values[:, 0].T
    parts = report.table.scores
    if rows.pooled is not None:
        parts = np.array([values[fold == k].mean(axis=0) for k in range(5)])
        parts += rows.pooled - parts.mean(axis=0)
    own = parts - parts.mean(axis=0) - parts.mean(axis=1, keepdims=True) + parts.mean()
    splits = 4 * ((parts.mean(axis=1) - parts.mean()) ** 2).sum() / 4
    r = 0.2 / 2 * max(0.0, 1 - (own**2).sum() / (4 * 3) / splits)
    assert r > 0.02
    factor = (1 + 4 * r) / (1 - r) if inflated else 1.0
    expected = selection_interval(
        np.clip(parts, *report.table.support),
        estimate=report.estimate,
        best_index=report.best_index,
        support=report.table.support,
        design=report.table.design,
        row_values=values.mean(axis=0) + np.sqrt(factor) * (values - values.mean(axis=0)),
    )
    assert report.interval == pytest.approx(expected, rel=1e-6)


def test_items_that_are_losses_are_the_negated_scores():
    losses = np.random.default_rng(1).gamma(2, 1, (20, 200))
    as_loss = correct(responses=losses, greater_is_better=False)
    as_score = correct(responses=-losses)
    assert as_loss.estimate == pytest.approx(-as_score.estimate)
    assert as_loss.interval == pytest.approx([-end for end in as_score.interval[::-1]])


@pytest.mark.slow
def test_intervals_count_clusters_of_right_and_wrong_items_and_not_the_items():
    """Of 200 draws fewer than 180 hold a truth that 95% should with a chance of one in 1,500."""
    rng, held = np.random.default_rng(0), 0
    clusters = np.repeat(np.arange(6), 20)
    for _ in range(200):
        chance = np.clip(0.6 + rng.normal(0, 0.2, 6), 0, 1)[clusters]
        items = (rng.random((5, 120)) < chance).astype(float)
        low, high = correct(responses=items, clusters=clusters).interval
        held += low <= 0.6 <= high
    assert held >= 180


def test_predictions_that_do_not_give_the_scores_are_named_in_the_report():
    rng = np.random.default_rng(0)
    y, fold = rng.integers(0, 2, 60), np.arange(60) % 5
    said = np.where(rng.random((3, 60)) < [[0.9], [0.7], [0.5]], y, 1 - y)
    told = {"metric": "accuracy", "y_true": y, "test_fold": fold}
    scores = np.array([(said == y)[:, fold == k].mean(axis=1) for k in range(5)])
    found = correct(scores, responses=said, **told)
    assert found.naive == pytest.approx(scores.mean(0).max())
    assert not any("another score" in note for note in found.notes)
    off = np.abs(scores - scores[:, ::-1])
    [note] = [
        note
        for note in correct(scores, responses=said[::-1], **told).notes
        if "another score" in note
    ]
    assert f"in {(off > 1e-3).sum()} of 15 pairs" in note
    assert f"by {off.max():.2g} at most" in note


@pytest.mark.parametrize("metric", ["accuracy", "roc_auc"])
def test_the_noise_is_that_of_the_rows_of_the_predictions(metric):
    rng = np.random.default_rng(0)
    y, fold = rng.permutation(np.arange(100) % 2), np.arange(100) % 5
    said = rng.random((6, 100))
    if metric == "accuracy":
        said = np.round(said)
        values = (said == y).T * 1.0
        scores = np.array([values[fold == k].mean(axis=0) for k in range(5)])
    else:
        values = auc_influences(said.T, y == 1, row_splits=fold)
        parts = [(y[fold == k], said[:, fold == k]) for k in range(5)]
        scores = np.array([[roc_auc_score(truth, one) for one in all_] for truth, all_ in parts])
    found = correct(responses=said, metric=metric, y_true=y, test_fold=fold).estimate
    rows = {"row_values": values, "row_splits": fold, "support": (0.0, 1.0)}
    assert found == pytest.approx(consensus(scores, **rows))
    assert found != pytest.approx(consensus(scores, support=(0.0, 1.0)))


def test_a_mapping_of_items_is_refused_in_words():
    with pytest.raises(TypeError, match=r"responses must be an array \(n_candidates, n_items\)"):
        correct(responses={"a": [1, 0, 1], "b": [1, 1, 0]})


def test_the_design_is_counted_from_the_rows_that_each_split_judged():
    rng = np.random.default_rng(3)
    y = rng.integers(0, 2, 60)
    said = np.where(rng.random((3, 60)) < 0.7, y, 1 - y)
    fold = np.arange(60) % 7 - 1  # some rows are trained on only
    told = {"metric": "accuracy", "y_true": y}
    design = correct(responses=said, test_fold=fold, **told).table.design
    sizes = [int((fold == k).sum()) for k in range(6)]
    assert (design.n_splits, design.n_repeats, design.n_rows) == (6, 1, sum(sizes))
    np.testing.assert_array_equal(design.n_test, sizes)
    assert design.test_share == pytest.approx(np.mean(sizes) / 60)
    again = np.stack([np.arange(60) % 3, rng.permutation(60) % 3])
    twice = {"responses": np.stack([said, said], axis=1), **told}
    begun, numbered = (
        correct(test_fold=labels, **twice) for labels in (again, again + np.array([[0], [3]]))
    )
    assert begun.estimate == numbered.estimate
    design = begun.table.design
    assert (design.n_splits, design.n_repeats, design.n_rows) == (6, 2, 60)
    assert design.test_share == pytest.approx(1 / 3)
