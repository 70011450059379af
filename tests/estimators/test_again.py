"""Candidates that were judged again on fresh partitions of the rows."""

import numpy as np
import pytest

from skmaxev.estimators import consensus, judged_again
from skmaxev.table import Design


def test_the_estimate_is_that_of_the_formula():
    scores = np.random.default_rng(0).normal(0.7, 0.05, size=(5, 6))
    fresh = np.full((2, 6), np.nan)
    best = int(scores.mean(axis=0).argmax())
    fresh[:, best] = 0.69, 0.71
    found = judged_again(scores, fresh)
    optimism = scores[:, best].mean() - consensus(scores)
    # y - O - r / (R + 1 + r) (y - f - c O), R = 1, r = 2; one candidate tells nothing of c = 1/2.
    fall = scores[:, best].mean() - 0.70 - 0.5 * optimism
    assert found.estimate == pytest.approx(scores[:, best].mean() - optimism - fall / 2)
    assert (found.best_index, found.renewed) == (best, 0.5)
    assert np.isnan(np.delete(found.estimates, best)).all()


def test_the_order_of_candidates_does_not_matter():
    rng = np.random.default_rng(1)
    scores, fresh = rng.normal(size=(5, 6)), np.full((3, 6), np.nan)
    fresh[:, :3] = rng.normal(size=(3, 3))
    turned = judged_again(scores[:, ::-1], fresh[:, ::-1])
    plain = judged_again(scores, fresh)
    np.testing.assert_allclose(turned.estimates[::-1], plain.estimates)
    assert turned.best_index == 5 - plain.best_index


def test_rules_that_learn_nothing_renew_nothing():
    scores = np.random.default_rng(2).normal(size=(5, 6))
    same = np.tile(scores.mean(axis=0), (40, 1))
    assert judged_again(scores, same).renewed < 0.02


def test_repeats_and_fresh_partitions_weigh_alike():
    scores = np.random.default_rng(3).normal(0.7, 0.05, size=(6, 5))
    design = Design(n_splits=6, n_repeats=2, test_share=1 / 3)
    fresh = np.full((3, 5), np.nan)
    fresh[:, 1], fresh[0, 4] = (0.71, 0.69, 0.73), 0.66
    found = judged_again(scores, fresh, design=design)
    for index, judged in ((1, fresh[:, 1]), (4, fresh[:1, 4])):
        y, r = scores[:, index].mean(), len(judged)
        optimism = y - consensus(scores, design=design, best_index=index)
        fall = y - judged.mean() - found.renewed * optimism
        expected = y - optimism - r / (2 + 1 + r) * fall
        assert found.estimates[index] == pytest.approx(expected, abs=1e-12)


def test_what_is_renewed_is_one_half_until_fresh_partitions_tell():
    """As if four contrasts between candidates had said one half already."""
    scores = np.random.default_rng(4).normal(size=(5, 6))
    fresh = np.full((1, 6), np.nan)
    fresh[0, :3] = scores.mean(axis=0)[:3]
    shift = np.array([[1.0, -2.0, 1.0]])

    def renewed(moves):
        moved = fresh.copy()
        moved[:, :3] += moves
        return judged_again(scores, moved).renewed

    assert renewed(0.0) == pytest.approx(4 * 0.5 / (4 + 2))  # three tell by two contrasts
    assert renewed(7.0) == pytest.approx(renewed(0.0))  # what all share is no matter
    assert renewed(1e3 * shift) == pytest.approx((4 * 0.5 + 2) / (4 + 2))  # never more than all
    small = renewed(0.01 * shift) - renewed(0.0)
    assert renewed(0.02 * shift) - renewed(0.0) == pytest.approx(4 * small)  # a variance
    twice = np.vstack([fresh, fresh])
    assert judged_again(scores, twice).renewed == pytest.approx(4 * 0.5 / (4 + 4))


def test_a_new_dealing_moves_candidates_by_two_partitions_worth_of_noise():
    noise = np.random.default_rng(5).normal(size=(5, 6))
    noise -= noise.mean(axis=0)
    noise -= noise.mean(axis=1, keepdims=True)  # nothing in common, so folds are independent
    scores = noise + np.arange(6.0)
    one_partition = np.square(noise).sum() / (4 * 5) / 5
    moves = np.sqrt(one_partition) * np.array([[0.5, -0.5, 0.3, 0.1, -0.1, -0.3]])
    share = np.square(moves).sum() / 5 / (2 * one_partition)
    found = judged_again(scores, scores.mean(axis=0) + moves)
    assert found.renewed == pytest.approx((4 * 0.5 + 5 * share) / (4 + 5))


@pytest.mark.parametrize("fresh", [[0.1, 0.2], [[0.1]], [[np.nan, np.nan]]])
def test_what_does_not_fit_is_refused(fresh):
    with pytest.raises(ValueError, match=r"fresh must hold the mean of each candidate .*, 2\)"):
        judged_again([[0.1, 0.2], [0.3, 0.1]], fresh)


def test_no_estimate_leaves_the_range():
    found = judged_again([[1.0, 0.9], [1.0, 0.8]], [[1.0, 1.0]] * 9, support=(0.0, 0.95))
    assert found.estimates.max() == 0.95
