"""Consensus and interval against slow versions of the formulas in docs/theory.md.

Nothing is taken from the package, its grids included: what it sums over a few values is integrated
here, so the two agree up to what those few values are worth.
"""

import numpy as np
import pytest
from scipy import stats

from skmaxev.estimators import consensus, judged_again, selection_interval
from skmaxev.estimators.consensus import own_noise
from skmaxev.table import Design

U = (np.arange(120) + 0.5) / 120
LAMBDAS = np.sin(np.pi * U / 2) ** 2  # the arc sine law
NODES, WEIGHTS = np.polynomial.legendre.leggauss(16)
SHARES = (NODES + 1) / 2  # uniform


def centred(values):
    """Take away the means of splits and of candidates."""
    return values - values.mean(axis=-1, keepdims=True) - values.mean(axis=-2, keepdims=True) + (
        values.mean(axis=(-1, -2), keepdims=True)
    )  # fmt: skip


def noise_of(parts, test_share):
    """Own noise of the mean over R partitions of K folds, and the independent candidates."""
    n_repeats, k, m = parts.shape
    rest = centred(parts)
    v = (rest**2).sum(axis=(1, 2)).mean() / ((k - 1) * (m - 1)) / k
    own = (rest**2).sum() / (n_repeats * (k - 1) * (m - 1))
    lift = parts.mean(axis=2) - parts.mean(axis=(1, 2))[:, None]
    splits = m * (lift**2).sum() / (n_repeats * (k - 1))
    correlation = test_share * max(0.0, 1 - own / splits) / 2
    inflation = (1 + (k - 1) * correlation) / (1 - correlation)
    renewed = 0.0
    if n_repeats > 1:
        dealt = centred(parts.mean(axis=1))
        renewed = min((dealt**2).sum() / ((n_repeats - 1) * (m - 1)), v)
    f, square, total = k - 1, 0.0, 0.0
    for part in rest:
        covariance = part.T @ part / f
        of_two, of_one = np.trace(covariance @ covariance), np.trace(covariance) ** 2
        # Solved for tr(C^2): E of_two = tr(C^2)(1 + 1/f) + tr(C)^2 / f, E of_one = tr(C)^2 + ...
        square += (of_two - of_one / f) / (1 + 1 / f - 2 / f**2) if f > 1 else 0.0
        total += of_one
    effective = total / square if square > 0 else m - 1
    return inflation * v - (1 - 1 / n_repeats) * renewed, min(max(effective, 1), m - 1)


def noise_of_rows(rows, inflation):
    """Measure the same on rows (K, n_rows_of_a_split, M), of which there are more."""
    k, size, m = rows.shape
    rest = rows - rows.mean(axis=1, keepdims=True)
    rest = (rest - rest.mean(axis=2, keepdims=True)).reshape(-1, m)
    f = k * (size - 1)
    covariance = rest.T @ rest / f
    of_two, of_one = np.trace(covariance @ covariance), np.trace(covariance) ** 2
    square = (of_two - of_one / f) / (1 + 1 / f - 2 / f**2)
    return inflation * np.trace(covariance) / (m - 1) / (k * size), min(of_one / square, m - 1)


def posterior(means, chosen, noise, effective):
    """Expect a true score, and the law of lambda: heights x lambdas x shares apart."""
    m = len(means)
    heights = np.quantile(means, (np.arange(81) + 0.5) / 81)[:, None, None]
    wide = np.maximum(noise, ((means - heights) ** 2).max(axis=-1, keepdims=True) / 4)

    def account(lambdas, shares, weights):
        lam, p = lambdas[None, :, None], shares[None, None, :]
        log_l = np.zeros(np.broadcast_shapes(heights.shape, lam.shape, p.shape))
        for x in means:
            on = np.log1p(-p) + stats.norm.logpdf(x, heights, np.sqrt(noise / lam))
            with np.errstate(divide="ignore"):
                off = np.log(p) + stats.norm.logpdf(x, heights, np.sqrt(noise + wide))
            log_l = log_l + np.logaddexp(on, off)
        on = (1 - p) * stats.norm.pdf(chosen, heights, np.sqrt(noise / lam))
        off = p * stats.norm.pdf(chosen, heights, np.sqrt(noise + wide))
        plateau = heights + (1 - lam) * (chosen - heights)
        apart = heights + wide / (wide + noise) * (chosen - heights)
        expected = (on * plateau + off * apart) / (on + off)
        return log_l * effective / (m - 1), expected, np.broadcast_to(weights, log_l.shape), lam

    accounts = [
        account(np.ones(1), np.zeros(1), 1.0),
        account(LAMBDAS, np.zeros(1), 1 / len(LAMBDAS)),
        account(LAMBDAS, SHARES, WEIGHTS / 2 / len(LAMBDAS)),
    ]
    top = max(log_l.max() for log_l, *_ in accounts)
    mass = [np.exp(log_l - top) * weights for log_l, _, weights, _ in accounts]
    everything = sum(part.sum() for part in mass)
    pairs = list(zip(mass, accounts, strict=True))
    mean = sum((part * expected).sum() for part, (_, expected, *_) in pairs) / everything
    law = [(part.sum(axis=(0, 2)) / everything, lam[0, :, 0]) for part, (*_, lam) in pairs]
    return mean, np.concatenate([a for a, _ in law]), np.concatenate([b for _, b in law])


def oracle(scores, n_repeats=1, test_share=None, rows=None, *, shuffled=False, searches=None):
    parts = scores.reshape(n_repeats, -1, scores.shape[1])
    k = parts.shape[1]
    means = scores.mean(axis=0)
    winner = int(means.argmax())
    noise, effective = noise_of(parts, 1 / k if test_share is None else test_share)
    if rows is not None:
        noise, effective = noise_of_rows(rows, noise / noise_of(parts, 0.0)[0])
    if shuffled:
        noise = noise_of(parts, 0.0)[0] * (1 + k * test_share / (1 - test_share))
    alike = np.full(len(means), True) if searches is None else searches == searches[winner]
    if searches is not None:
        effective = noise_of(parts[:, :, alike], 0.0)[1]
    expected, chances, lambdas = posterior(means[alike], means[winner], noise, effective)
    crossed = []
    for part in parts:
        for split in range(k):
            chosen = part[split].argmax()
            others = np.delete(part[:, chosen], split).mean()
            if shuffled:  # they judge that share of the chosen split's rows
                others = (others - test_share * part[split, chosen]) / (1 - test_share)
            crossed.append(others)
    k = 1 / test_share if shuffled else k
    t = 1 / lambdas - 1
    on_all = (chances / np.sqrt(1 + t)).sum()
    on_one = (chances * (np.sqrt(1 + t) - t / np.sqrt(k + t))).sum()
    first = (means[winner] - np.mean(crossed)) * on_all / on_one
    second = means[winner] - expected
    optimism = np.sqrt(first * second) if min(first, second) > 0 else 0.0
    return max(means[winner] - optimism, means.min()), np.sqrt(noise)


def table(seed, n_splits, n_candidates, spread, *, common=1.0):
    rng = np.random.default_rng(seed)
    truths = spread * rng.normal(size=n_candidates)
    truths[: n_candidates // 4] -= 8.0 * (seed % 2)  # hopeless ones in every other table
    own = rng.normal(size=(n_splits, n_candidates))
    return truths + np.sqrt(n_splits) * (own + common * rng.normal(size=(n_splits, 1)))


@pytest.mark.parametrize("common", [0.0, 3.0])
@pytest.mark.parametrize("spread", [0.0, 1.0, 3.0])
@pytest.mark.parametrize(("n_splits", "n_candidates"), [(2, 5), (5, 8), (10, 12)])
def test_the_consensus_is_that_of_the_formula_page(n_splits, n_candidates, spread, common):
    off = []
    for seed in range(4):
        scores = table(seed, n_splits, n_candidates, spread, common=common)
        expected, noise = oracle(scores)
        off.append((consensus(scores) - expected) / noise)
    assert np.abs(off).max() < 0.06  # of the noise of a mean, whose optimism is 1 to 2
    assert abs(np.mean(off)) < 0.02


def test_the_consensus_of_repeats_is_that_of_the_formula_page():
    for seed in range(4):
        rng = np.random.default_rng(seed)
        rows = 0.7 * rng.normal(size=8)  # luck with the rows stays on every partition
        parts = rows + np.sqrt(5) * rng.normal(size=(3, 5, 8)) + rng.normal(size=(3, 1, 8))
        parts += 2.0 * rng.normal(size=(3, 5, 1))
        scores = parts.reshape(15, 8)
        design = Design(n_splits=15, n_repeats=3, test_share=0.2)
        expected, noise = oracle(scores, 3, 0.2)
        assert consensus(scores, design=design) == pytest.approx(expected, abs=0.06 * noise)


def test_the_consensus_of_shuffled_splits_is_that_of_the_formula_page():
    for seed in range(4):
        scores = table(seed, 8, 10, 1.0)
        design = Design(n_splits=8, n_repeats=8, test_share=0.25)
        expected, noise = oracle(scores, 1, 0.25, shuffled=True)
        assert consensus(scores, design=design) == pytest.approx(expected, abs=0.06 * noise)


def test_the_consensus_of_losses_is_that_of_the_formula_page_on_their_logarithm():
    for seed in range(4):
        rng = np.random.default_rng(seed)
        losses = rng.gamma(4.0, np.exp(0.3 * rng.normal(size=8)), size=(5, 8))
        distance = losses.mean(axis=0)
        on_scale, noise = oracle(-np.log(distance) - (losses - distance) / distance)
        found = consensus(-losses, support=(-np.inf, 0.0))
        assert np.log(-found) == pytest.approx(-on_scale, abs=0.06 * noise)


def test_the_consensus_with_rows_is_that_of_the_formula_page():
    for seed in range(4):
        rng = np.random.default_rng(seed)
        rows = rng.normal(size=(5, 12, 6)) + 2 * rng.normal(size=(5, 12, 1))
        rows[..., 3:] += rng.normal(size=(5, 12, 1))  # candidates that are alike
        scores = rows.mean(axis=1)
        expected, noise = oracle(scores, rows=rows)
        found = consensus(scores, row_values=rows.reshape(60, 6), row_splits=np.arange(60) // 12)
        assert found == pytest.approx(expected, abs=0.06 * noise)


@pytest.mark.parametrize("seed", range(6))
def test_the_consensus_of_several_searches_is_that_of_the_formula_page(seed):
    searches = np.arange(16) // 8
    scores = table(seed, 5, 16, 1.0) + 0.8 * searches
    expected, noise = oracle(scores, searches=searches)
    assert consensus(scores, searches=searches) == pytest.approx(expected, abs=0.06 * noise)


def test_independent_candidates_are_counted_without_bias_on_few_splits():
    """Twenty groups of ten candidates whose noise is one and the same."""
    rng = np.random.default_rng(0)
    inverse = []
    for _ in range(150):
        scores = np.repeat(rng.normal(size=(5, 20)), 10, axis=1)
        _, effective = own_noise((scores - scores.mean(axis=0))[np.newaxis], 1)
        inverse.append(1 / effective)
    assert 1 / np.mean(inverse) == pytest.approx(19, rel=0.05)


def ends(estimate, dispersion, df, level=0.95):
    """Jeffreys's interval for as many rows as make this standard error."""
    reach = stats.t.ppf((1 + level) / 2, df) * np.sqrt(dispersion)
    rows = (stats.norm.ppf((1 + level) / 2) / reach) ** 2
    beta = stats.beta(rows * estimate + 0.5, rows * (1 - estimate) + 0.5)
    return beta.ppf([(1 - level) / 2, (1 + level) / 2])


def satterthwaite(*parts):
    total = sum(dispersion for dispersion, _ in parts)
    return total, total**2 / sum(dispersion**2 / df for dispersion, df in parts)


@pytest.mark.parametrize("test_share", [0.1, 0.2, 0.5])
@pytest.mark.parametrize("n_rows", [None, 400])
@pytest.mark.parametrize("n_repeats", [1, 3])
def test_the_interval_is_that_of_the_formula_page(test_share, n_rows, n_repeats):
    """Of shares that are no whole numbers of rows, such as areas, with counts of rows or not."""
    k, m = 5, 4
    rng = np.random.default_rng(0)
    scores = 0.7 + rng.normal(0, 0.04, (n_repeats * k, m)) + rng.normal(0, 0.04, (n_repeats * k, 1))
    counts = None if n_rows is None else np.full(len(scores), n_rows // k)
    design = Design(n_splits=len(scores), n_repeats=n_repeats, test_share=test_share, n_test=counts)
    parts = scores.reshape(n_repeats, k, m)
    means = scores.mean(axis=0)
    size = (means * (1 - means)).mean()
    of_rows = parts.var(axis=1, ddof=1).mean() / k / (1 - test_share) / size, k - 1
    v = (centred(parts) ** 2).sum(axis=(1, 2)).mean() / ((k - 1) * (m - 1)) / k
    dealt = centred(parts.mean(axis=1)) if n_repeats > 1 else np.zeros((1, m))
    renewed = min((dealt**2).sum() / max((n_repeats - 1) * (m - 1), 1), v)
    own = (v / (1 - test_share) - (1 - 1 / n_repeats) * renewed) / size, (k - 1) * (m - 1)
    if n_rows is not None:  # the splits and the number of rows, by equal freedom
        of_rows = (of_rows[0] + 1 / n_rows) / 2, 2 * (k - 1)
    expected = ends(0.75, *satterthwaite(of_rows, own))
    found = selection_interval(scores, estimate=0.75, support=(0.0, 1.0), design=design)
    assert found == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize(("n_splits", "test_share"), [(6, 0.1), (20, 0.25)])
def test_the_interval_of_shuffled_splits_is_that_of_the_formula_page(n_splits, test_share):
    """As many degrees of freedom as folds of this size have."""
    rng = np.random.default_rng(0)
    scores = 0.7 + rng.normal(0, 0.04, (n_splits, 4)) + rng.normal(0, 0.04, (n_splits, 1))
    means = scores.mean(axis=0)
    factor = (1 / n_splits + test_share / (1 - test_share)) / (means * (1 - means)).mean()
    of_rows = factor * scores.var(axis=0, ddof=1).mean(), 1 / test_share - 1
    own = factor * (centred(scores) ** 2).sum() / ((n_splits - 1) * 3), 3 * (1 / test_share - 1)
    design = Design(n_splits=n_splits, n_repeats=n_splits, test_share=test_share)
    found = selection_interval(scores, estimate=0.75, support=(0.0, 1.0), design=design)
    assert found == pytest.approx(ends(0.75, *satterthwaite(of_rows, own)), rel=1e-6)


def test_the_interval_of_a_share_of_rows_has_the_variance_of_a_binomial():
    rng = np.random.default_rng(3)
    right = rng.random((200, 1)) < 0.8  # all candidates right on the same rows
    scores = np.repeat(right.reshape(5, 40, 1).mean(axis=1), 6, axis=1)
    design = Design(n_splits=5, test_share=0.2, n_test=np.full(5, 40))
    found = selection_interval(scores, estimate=0.8, support=(0.0, 1.0), design=design)
    assert found == pytest.approx(tuple(ends(0.8, 1 / 200, np.inf)), rel=1e-6)


def test_judging_again_weighs_partitions_alike():
    scores = table(0, 5, 6, 1.0)
    fresh = np.full((2, 6), np.nan)
    winner = int(scores.mean(axis=0).argmax())
    fresh[:, winner] = scores[:, winner].mean() - 1.0
    found = judged_again(scores, fresh)
    y, optimism = scores[:, winner].mean(), scores[:, winner].mean() - consensus(scores)
    # No other candidate moved against it, so what a new dealing renews is taken to be one half.
    assert found.estimate == pytest.approx(y - optimism - 2 / (1 + 1 + 2) * (1.0 - optimism / 2))


@pytest.mark.parametrize(("low", "high"), [(1.0, 2.0), (-1.0, 1.0), (0.0, 100.0)])
def test_a_share_of_rows_on_another_range_has_the_same_interval_there(low, high):
    rng = np.random.default_rng(0)
    shares = rng.binomial(40, 0.8, size=(5, 6)) / 40
    plain = selection_interval(shares, estimate=0.8, support=(0.0, 1.0))
    size = high - low
    found = selection_interval(low + size * shares, estimate=low + size * 0.8, support=(low, high))
    assert found == pytest.approx([low + size * end for end in plain], rel=1e-9)
