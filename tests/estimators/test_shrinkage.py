import numpy as np
import pytest
from hypothesis import given
from strategies import score_tables

from skmaxev.estimators import (
    consensus,
    efron_shrinkage,
    expected_maximum_of_normals,
    maximum,
    residual_noise,
    tibshirani,
)


def loop_residual_noise(scores):
    n_splits, n_candidates = scores.shape
    if n_candidates == 1:
        return 0.0
    total = 0.0
    for k in range(n_splits):
        for i in range(n_candidates):
            r = scores[k, i] - scores[:, i].mean() - scores[k].mean() + scores.mean()
            total += r**2
    return total / ((n_splits - 1) * (n_candidates - 1)) / n_splits


def loop_efron(scores, s2, w):
    means = [scores[:, i].mean() for i in range(scores.shape[1])]
    spread = np.var(means, ddof=1) if len(means) > 1 else 0.0
    kept = max(0.0, 1 - s2 / spread) if spread > 1e-20 else 1.0
    return np.mean(means) + kept * (means[w] - np.mean(means))


def loop_tibshirani(scores, w):
    bias = np.mean([max(row) - row[w] for row in scores])
    return max(scores[:, w].mean() - bias, scores.min())


def winner(scores):
    return int(np.argmax(scores.mean(axis=0).round(9)))


@given(score_tables())
def test_residual_noise_matches_the_definition(scores):
    assert residual_noise(scores) == pytest.approx(loop_residual_noise(scores), abs=1e-12)


@given(score_tables())
def test_efron_matches_the_definition(scores):
    expected = loop_efron(scores, loop_residual_noise(scores), winner(scores))
    assert efron_shrinkage(scores) == pytest.approx(expected, abs=1e-8)


@given(score_tables())
def test_efron_with_a_noise_of_zero_is_the_maximum(scores):
    assert efron_shrinkage(scores, noise=0.0) == maximum(scores)


@given(score_tables())
def test_efron_with_an_enormous_noise_is_the_grand_mean(scores):
    assert efron_shrinkage(scores, noise=1e9) == pytest.approx(scores.mean(), abs=1e-9)


@given(score_tables())
def test_efron_of_the_last_candidate_matches_the_definition(scores):
    last = scores.shape[1] - 1
    expected = loop_efron(scores, loop_residual_noise(scores), last)
    assert efron_shrinkage(scores, best_index=last) == pytest.approx(expected, abs=1e-8)


@given(score_tables())
def test_tibshirani_matches_the_definition(scores):
    expected = loop_tibshirani(scores, winner(scores))
    assert tibshirani(scores) == pytest.approx(expected, abs=1e-8)


@given(score_tables())
def test_tibshirani_of_the_last_candidate_matches_the_definition(scores):
    last = scores.shape[1] - 1
    expected = loop_tibshirani(scores, last)
    assert tibshirani(scores, best_index=last) == pytest.approx(expected, abs=1e-9)


def test_tibshirani_needs_no_second_split_to_see_that_nothing_was_lost():
    assert tibshirani([[0.5, 0.25]]) == 0.5


# Theory by simulation: the truth of the winner is known.


def searches(truths, sigma, n_splits, rng):
    """Noisy tables for true scores (n_tables, n_candidates), with a common split effect."""
    shape = (len(truths), n_splits, truths.shape[1])
    common = rng.normal(scale=3 * sigma, size=(len(truths), n_splits, 1))
    tables = truths[:, np.newaxis] + common + rng.normal(scale=sigma, size=shape)
    chosen = tables.mean(axis=1).argmax(axis=1)
    return tables, truths[np.arange(len(truths)), chosen], common.mean(axis=(1, 2))


def test_residual_noise_is_that_of_a_mean_without_the_common_split_effect():
    tables, _, _ = searches(np.zeros((4_000, 8)), 2.0, 5, np.random.default_rng(0))
    assert residual_noise(tables).mean() == pytest.approx(2.0**2 / 5, rel=0.02)


def test_efron_is_unbiased_for_the_winner_under_its_own_model():
    rng = np.random.default_rng(1)
    tables, truth, common = searches(rng.normal(size=(4_000, 50)), 2.0, 5, rng)
    errors = efron_shrinkage(tables) - common - truth
    naive = maximum(tables) - common - truth
    assert naive.mean() > 1.0
    assert errors.mean() == pytest.approx(0, abs=0.03)
    assert np.sqrt((errors**2).mean()) < 0.6 * np.sqrt((naive**2).mean())


def test_efron_keeps_the_share_of_the_spread_that_is_not_noise():
    # k=100 candidates, n=1000 cases, true accuracies N(0.80, 0.01^2): about 0.39 is kept.
    rng = np.random.default_rng(2)
    truths = rng.normal(0.80, 0.01, size=(2_000, 100))
    means = rng.binomial(1000, truths)[:, np.newaxis] / 1000
    grand = means.mean(axis=(-2, -1))
    excess = maximum(means) - grand
    kept = (efron_shrinkage(means, noise=0.8 * 0.2 / 1000) - grand) / excess
    assert kept.mean() == pytest.approx(0.39, abs=0.02)


def test_tibshirani_takes_the_optimism_of_one_split_for_that_of_all():
    tables, _, common = searches(np.zeros((20_000, 10)), 1.0, 2, np.random.default_rng(5))
    largest = expected_maximum_of_normals(10)
    # m_w exceeds the truth by e / sqrt(K), each split's best by e.
    expected = 2 * largest / np.sqrt(2) - largest
    assert (tibshirani(tables) - common).mean() == pytest.approx(expected, abs=0.03)


NOISES = ["binomial", -0.1, float("nan"), float("inf"), [0.1]]


@pytest.mark.parametrize("noise", NOISES)
def test_an_unknown_noise_is_refused(noise):
    with pytest.raises(ValueError, match="noise must be a variance"):
        efron_shrinkage([[0.5, 0.25], [0.25, 0.5]], noise=noise)


def test_residual_noise_refuses_one_split():
    with pytest.raises(ValueError, match="One split shows no noise"):
        residual_noise([[0.5, 0.25]])


def test_hopeless_candidates_undo_the_shrinkage_but_not_the_consensus():
    rng = np.random.default_rng(0)
    optimism = []
    for _ in range(100):
        scores = 0.8 + rng.normal(0, 0.05, (5, 40))
        scores[:, :4] -= 0.3
        found = efron_shrinkage(scores), consensus(scores), scores.mean(axis=0).max()
        optimism.append(np.subtract(found, 0.8))
    shrunken, agreed, printed = np.mean(optimism, axis=0)
    assert shrunken > 0.85 * printed
    assert agreed < 0.35 * printed
