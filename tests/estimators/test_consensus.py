import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import score_tables

from skmaxev.estimators import auc_influences, consensus, low_variance_cv
from skmaxev.estimators.consensus import choice_ratio, own_noise, plateau_posterior


def loop_own_noise(samples, n_groups):
    """Covariance of the candidates without what they share, and its two traces."""
    residuals = samples - samples.mean(axis=1, keepdims=True)
    n, m = residuals.shape
    free = n - n_groups
    covariance = np.zeros((m, m))
    for row in residuals:
        covariance += np.outer(row, row) / free
    trace, square = np.trace(covariance), np.trace(covariance @ covariance)
    noise = trace / (m - 1) / n
    if free < 2:
        return noise, m - 1
    unbiased = free**2 / ((free - 1) * (free + 2)) * (square - trace**2 / free)
    if unbiased <= trace**2 / (m - 1):
        return noise, m - 1
    return noise, max(1, trace**2 / unbiased)


def noisy(rng, truths, n_splits, scale=1.0):
    """Scores whose means have the noise variance ``scale ** 2`` beside a shared split effect."""
    own = rng.normal(size=(n_splits, len(truths)))
    return truths + np.sqrt(n_splits) * scale * (own + 2 * rng.normal(size=(n_splits, 1)))


@given(st.integers(0, 1000), st.integers(2, 8), st.integers(2, 8), st.integers(1, 2))
def test_own_noise_matches_the_definition(seed, n_samples, n_candidates, n_groups):
    samples = np.random.default_rng(seed).normal(size=(n_samples + n_groups, n_candidates))
    found = own_noise(samples[np.newaxis].copy(), n_groups)
    assert found == pytest.approx(loop_own_noise(samples, n_groups))


@given(score_tables())
def test_lies_between_the_means(scores):
    means = scores.mean(axis=0)
    assert means.min() - 1e-12 <= consensus(scores) <= means.max() + 1e-12


@given(score_tables(), st.integers(0, 6))
def test_lies_between_the_means_for_any_candidate(scores, index):
    means = scores.mean(axis=0)
    estimate = consensus(scores, best_index=index % scores.shape[1])
    assert means.min() - 1e-12 <= estimate <= means.max() + 1e-12


@given(score_tables(), st.sampled_from([0.25, 4.0]), st.sampled_from([-2.0, 0.0, 8.0]))
def test_follows_shift_and_scale(scores, scale, shift):
    moved = scale * consensus(scores) + shift
    assert consensus(scale * scores + shift) == pytest.approx(moved, abs=1e-7)


@given(score_tables(), st.randoms(use_true_random=False))
def test_does_not_depend_on_the_order_of_candidates_and_splits(scores, random):
    columns, rows = list(range(scores.shape[1])), list(range(scores.shape[0]))
    random.shuffle(columns)
    random.shuffle(rows)
    assert consensus(scores[rows][:, columns]) == pytest.approx(consensus(scores), abs=1e-7)


@given(score_tables())
def test_the_winner_itself_as_best_index_changes_nothing(scores):
    winner = int(scores.mean(axis=0).argmax())
    assert consensus(scores, best_index=winner) == consensus(scores)


@given(score_tables(max_candidates=1))
def test_one_candidate_is_not_corrected(scores):
    assert consensus(scores) == pytest.approx(scores.mean(), abs=1e-12)


@given(score_tables(max_candidates=1), st.integers(2, 6))
def test_identical_candidates_are_not_corrected(scores, n_copies):
    copies = np.repeat(scores, n_copies, axis=1)
    assert consensus(copies) == copies.mean(axis=0).max()


def test_a_winner_of_every_split_is_not_corrected():
    scores = np.array([[0.9, 0.3, 0.4], [0.7, 0.5, 0.6], [0.83, 0.8, 0.1]])
    assert consensus(scores) == scores.mean(axis=0).max()


def test_no_noise_no_correction():
    scores = np.array([0.1, 0.2, 0.4]) + np.array([[0.0], [0.25], [0.5]])
    assert consensus(scores) == scores.mean(axis=0).max()
    assert consensus(scores, best_index=0) == pytest.approx(scores[:, 0].mean())


def test_two_splits_and_two_candidates_are_enough():
    assert 0.5 <= consensus([[0.75, 0.25], [0.5, 0.75]]) < 0.625


def test_a_candidate_that_was_not_the_best_is_pulled_to_the_others():
    rng = np.random.default_rng(0)
    scores = noisy(rng, np.zeros(20), 5)
    means = scores.mean(axis=0)
    worst = int(means.argmin())
    assert means[worst] < consensus(scores, best_index=worst) < means.mean()


def test_hopeless_candidates_do_not_decide_the_correction():
    # Shrinking to the mean of all finds a wide spread here, and corrects by almost nothing.
    rng = np.random.default_rng(1)
    truths = np.append(np.zeros(15), np.full(5, -40.0))
    errors, optimism = [], []
    for _ in range(100):
        scores = noisy(rng, truths, 5)
        shared = (scores - truths).mean()
        errors.append(consensus(scores) - shared)
        optimism.append(scores.mean(axis=0).max() - shared)
    assert abs(np.mean(errors)) < 0.3 * np.mean(optimism)


def test_tables_go_over_the_leading_axes():
    tables = np.random.default_rng(0).normal(size=(2, 3, 4, 5))
    estimates = consensus(tables)
    assert estimates.shape == (2, 3)
    assert estimates[1, 2] == consensus(tables[1, 2])
    assert isinstance(consensus(tables[0, 0]), float)


def test_many_candidates_are_thinned_without_a_difference():
    rng = np.random.default_rng(2)
    means = np.sort(rng.normal(size=2000))
    every_tenth, _ = plateau_posterior(means[5::10], means[-1], 0.5, 199.0)
    assert plateau_posterior(means, means[-1], 0.5, 199.0)[0] == pytest.approx(
        every_tenth, abs=0.02
    )


def test_a_hundred_thousand_candidates_take_a_moment():
    scores = np.random.default_rng(0).normal(size=(10, 100_000))
    start = time.process_time()
    estimate = consensus(scores)
    assert time.process_time() - start < 5.0  # it takes a fifth of a second
    assert abs(estimate) < 0.3


def test_rows_that_are_the_splits_give_the_same_estimate():
    scores = np.random.default_rng(0).normal(size=(6, 8))
    expected = consensus(scores)
    assert consensus(scores, row_values=scores) == pytest.approx(expected)


def test_rows_show_noise_that_the_splits_hide():
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(200, 8))
    splits = np.arange(200) % 5
    scores = np.array([rows[splits == k].mean(axis=0) for k in range(5)])
    scores += rows.mean(axis=0) - scores.mean(axis=0)
    hidden = rows.mean(axis=0) + 0.01 * (scores - scores.mean(axis=0))
    with_rows = consensus(hidden, row_values=rows, row_splits=splits)
    assert with_rows < consensus(hidden)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ({"row_splits": [0, 1]}, "row_splits goes with row_values"),
        ({"row_values": np.zeros((9, 3))}, "one column a candidate"),
        ({"row_values": np.zeros(9)}, "one column a candidate"),
        ({"row_values": np.zeros((9, 2)), "row_splits": [0, 1]}, "each of the 9 rows"),
        ({"row_values": np.full((9, 2), np.nan)}, "must be finite"),
        ({"row_values": np.zeros((2, 2)), "row_splits": [0, 1]}, "2 rows in 2 splits"),
        ({"best_index": 2}, "best_index must be a column"),
    ],
)
def test_refuses_what_does_not_fit(rows, message):
    with pytest.raises(ValueError, match=message):
        consensus([[0.5, 0.25], [0.25, 0.75]], **rows)


def test_one_split_is_refused():
    with pytest.raises(ValueError, match="at least 2 split"):
        consensus([[0.5, 0.25]])


@pytest.mark.parametrize("split", [False, True])
def test_auc_influences_have_the_area_as_mean(split):
    rng = np.random.default_rng(0)
    responses = rng.integers(0, 9, size=(60, 3)).astype(float)
    positive = np.arange(60) % 3 == 0
    splits = np.arange(60) // 30 if split else None
    areas = []
    for rows in [slice(0, 30), slice(30, 60)] if split else [slice(0, 60)]:
        won = responses[rows][positive[rows]][:, None] - responses[rows][~positive[rows]][None]
        areas.append(((won > 0) + 0.5 * (won == 0)).mean(axis=(0, 1)))
    influences = auc_influences(responses, positive, row_splits=splits)
    assert influences.mean(axis=0) == pytest.approx(np.mean(areas, axis=0))


def test_auc_influences_have_the_variance_of_the_area():
    rng = np.random.default_rng(0)
    positive = np.arange(80) < 30
    areas, variances = [], []
    for _ in range(400):
        influences = auc_influences(rng.normal(size=(80, 1)) + positive[:, None], positive)
        areas.append(influences.mean())
        variances.append(influences.var() / 80)
    assert np.mean(variances) == pytest.approx(np.var(areas), rel=0.25)


def test_auc_influences_need_both_classes():
    with pytest.raises(ValueError, match="both classes"):
        auc_influences([[0.1], [0.2]], [True, True])


@pytest.mark.parametrize("n_splits", [2, 5, 10])
@pytest.mark.parametrize("place", range(11))
def test_choice_ratio_is_that_of_simulated_searches(n_splits, place):
    share = 1.0 if place == 0 else np.sin(np.pi / 2 * (place - 0.5) / 10) ** 2
    rng = np.random.default_rng(place)
    truths = rng.normal(size=(4000, 1, 10)) * np.sqrt(1 / share - 1)
    scores = truths + np.sqrt(n_splits) * rng.normal(size=(4000, n_splits, 10))
    means = scores.mean(axis=1)
    winners = np.take_along_axis(truths[:, 0], means.argmax(axis=1)[:, None], axis=1)[:, 0]
    optimism = (means.max(axis=1) - winners).mean()
    on_one_split = (means.max(axis=1) - low_variance_cv(scores)).mean()
    ratio = choice_ratio(np.eye(11)[place], n_splits)
    assert optimism == pytest.approx(ratio * on_one_split, rel=0.1, abs=0.03)


def test_choice_ratio_lies_between_its_ends():
    assert choice_ratio(np.eye(11)[0], 5) == pytest.approx(1.0)
    assert 2 / 6 < choice_ratio(np.eye(11)[1], 5) < 0.4


@pytest.mark.slow
@pytest.mark.parametrize("n_candidates", [2, 5, 20, 200])
@pytest.mark.parametrize("n_splits", [3, 5, 10])
def test_most_of_the_optimism_of_equal_candidates_is_taken_off(n_candidates, n_splits):
    rng = np.random.default_rng(n_candidates)
    errors, optimism = [], []
    for _ in range(150):
        scores = noisy(rng, np.zeros(n_candidates), n_splits)
        errors.append(consensus(scores) - scores.mean())
        optimism.append(scores.mean(axis=0).max() - scores.mean())
    assert -0.02 < np.mean(errors) / np.mean(optimism) < 0.35


@pytest.mark.slow
@pytest.mark.parametrize("n_candidates", [5, 20])
def test_real_differences_are_left_nearly_alone(n_candidates):
    rng = np.random.default_rng(n_candidates)
    errors, naive = [], []
    for _ in range(400):
        truths = 10 * rng.normal(size=n_candidates)
        scores = noisy(rng, truths, 5)
        means = scores.mean(axis=0)
        aim = truths[means.argmax()] + (scores - truths).mean()
        errors.append(consensus(scores) - aim)
        naive.append(means.max() - aim)
    assert abs(np.mean(errors)) < 0.25
    assert np.sqrt(np.mean(np.square(errors))) < 1.15 * np.sqrt(np.mean(np.square(naive)))


def test_splits_that_share_no_noise_are_not_taken_for_overlapping():
    rng = np.random.default_rng(5)
    own = rng.normal(size=(4, 12))
    own -= own.mean(axis=1, keepdims=True)  # split means are equal: nothing is common
    noise, effective = loop_own_noise(own - own.mean(axis=0), 1)
    means = own.mean(axis=0)
    posterior, law = plateau_posterior(means, means.max(), noise, effective)
    crossed = (means.max() - low_variance_cv(own)) * choice_ratio(law, 4)
    expected = means.max() - np.sqrt(crossed * (means.max() - posterior))
    assert consensus(own) == pytest.approx(expected, abs=1e-9)
    # The same candidates on splits that lift or lower all of them are corrected by more.
    lifted = own + 100.0 * np.array([[1.0], [-1.0], [2.0], [-2.0]])
    assert consensus(lifted) < consensus(own) - 0.01


def loop_on_log_scale(scores, top):
    """Consensus of losses ``top - scores`` on their logarithm, one candidate at a time."""
    losses = top - scores.mean(axis=0)
    on_scale = np.empty_like(scores)
    for i, loss in enumerate(losses):
        for k in range(len(scores)):
            on_scale[k, i] = -np.log(loss) + ((top - loss) - scores[k, i]) / -loss
    return top - np.exp(-consensus(on_scale))


@given(st.integers(0, 1000), st.sampled_from([0.0, 1.0]))
def test_a_metric_with_one_bound_is_corrected_on_the_log_of_its_distance(seed, top):
    rng = np.random.default_rng(seed)
    scores = top - rng.gamma(3.0, np.exp(rng.normal(size=7)), size=(5, 7))
    expected = loop_on_log_scale(scores, top)
    assert consensus(scores, support=(-np.inf, top)) == pytest.approx(expected, rel=1e-9)
    # A bound below is the same turned round: optimism divides the distance.
    means = (top - scores).mean(axis=0)
    raised = consensus(top - scores, support=(0.0, np.inf))
    assert means.min() <= raised <= means.max()
    assert raised == pytest.approx(np.exp(consensus(np.log(means) + (top - scores) / means - 1)))


@given(score_tables(), st.sampled_from([0.1, 1.0, 3000.0]))
def test_losses_in_other_units_are_corrected_alike(scores, unit):
    losses = -(scores - scores.min() + 0.5)
    scaled = consensus(unit * losses, support=(-np.inf, 0.0))
    assert scaled == pytest.approx(unit * consensus(losses, support=(-np.inf, 0.0)), rel=1e-6)


def test_a_hopeless_loss_that_shines_on_one_split_changes_little():
    rng = np.random.default_rng(3)
    good = -0.4 + 0.02 * rng.normal(size=(5, 6))
    hopeless = np.array([[-0.05], [-4.0], [-6.0], [-3.0], [-5.0]])
    alone = consensus(good, support=(-np.inf, 0.0))
    together = consensus(np.hstack([good, hopeless]), support=(-np.inf, 0.0))
    assert together == pytest.approx(alone, abs=0.01)
    assert consensus(np.hstack([good, hopeless])) < alone - 0.05  # what an unknown range leads to


def test_losses_keep_what_was_not_chosen():
    scores = np.tile([[-0.3], [-0.2], [-0.7]], 4)
    assert consensus(scores, support=(-np.inf, 0.0)) == scores.mean(axis=0)[0]
    perfect = np.column_stack([np.zeros(3), [-0.1, -0.2, -0.3]])
    assert consensus(perfect, support=(-np.inf, 0.0)) == 0.0


def test_rows_of_losses_are_measured_relative_to_their_mean():
    rng = np.random.default_rng(7)
    rows = -rng.gamma(2.0, [0.2, 0.25, 0.3, 2.0], size=(60, 4))
    splits = np.arange(60) % 5
    scores = np.array([rows[splits == k].mean(axis=0) for k in range(5)])
    distance = -rows.mean(axis=0)
    on_scale = consensus(
        -np.log(distance) + (scores + distance) / distance,
        row_values=rows / distance,
        row_splits=splits,
    )
    found = consensus(scores, row_values=rows, row_splits=splits, support=(-np.inf, 0.0))
    assert found == pytest.approx(-np.exp(-on_scale))


@pytest.mark.parametrize("hopeless", [1e3, 1e6, 1e9, 1e12])
def test_a_hopeless_candidate_does_not_move_the_estimate_of_an_r2(hopeless):
    """Its size takes no digits from the distances of the others."""
    good = 0.5 + 0.1 * np.random.default_rng(0).normal(size=(5, 6))
    table = np.column_stack([good, np.full(5, -hopeless)])
    found = consensus(table, support=(-np.inf, 1.0))
    assert found == pytest.approx(0.494, abs=2e-3)


@pytest.mark.parametrize("small", [1e-6, 1e-9, 1e-12])
def test_small_losses_are_corrected_in_proportion(small):
    losses = 0.5 * np.exp(0.2 * np.random.default_rng(0).normal(size=(5, 6)))
    best = np.exp(0.5 * np.random.default_rng(1).normal(size=(5, 2)))
    of_small = consensus(-np.column_stack([losses, small * best]), support=(-np.inf, 0.0))
    of_less = consensus(-np.column_stack([losses, 1e-5 * best]), support=(-np.inf, 0.0))
    assert of_small / small == pytest.approx(of_less / 1e-5, rel=0.01)


@given(st.integers(0, 500), st.permutations(range(16)))
def test_how_hopeless_another_search_is_does_not_matter(seed, order):
    """Its candidates say nothing of the plateau of the winner's search, in whatever order."""
    table = np.random.default_rng(seed).normal(size=(5, 16))
    other = np.arange(16) >= 10
    names = np.where(other, "tree", "svm")
    near = consensus(table - 20.0 * other, searches=names)
    far = consensus((table - 500.0 * other)[:, order], searches=names[order])
    assert far == pytest.approx(near, abs=1e-9)


def test_searches_of_few_candidates_are_taken_together():
    table = noisy(np.random.default_rng(3), np.zeros(12), 5)
    assert consensus(table, searches=np.arange(12) // 3) == consensus(table)
    assert consensus(table, searches=np.arange(12) // 6) != consensus(table)
    with pytest.raises(ValueError, match="the search of each of the 12 candidates"):
        consensus(table, searches=[0, 1])
