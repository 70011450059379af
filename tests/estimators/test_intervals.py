import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from strategies import score_tables

from skmaxev.estimators import maximum, nadeau_bengio_interval, selection_interval
from skmaxev.estimators.consensus import consensus
from skmaxev.estimators.intervals import _measure, _rows_of_a_share
from skmaxev.table import Design

UNIT = (0.0, 1.0)
LEVELS = st.floats(0.5, 0.99)


def loop_dispersion(scores, variance_of):
    """Both parts of the noise by loops: between the splits, and what candidates do not share."""
    n_splits, n_candidates = scores.shape
    scale = np.mean([variance_of(scores[:, i].mean()) for i in range(n_candidates)])
    pooled = own = 0.0
    for k in range(n_splits):
        for i in range(n_candidates):
            deviation = scores[k, i] - scores[:, i].mean()
            residual = deviation - scores[k].mean() + scores.mean()
            pooled += deviation**2 / n_candidates
            own += residual**2 / max(n_candidates - 1, 1)
    # The mean of K splits, with 1 / (1 - rho) = K / (K - 1) for their overlap.
    unit = 1 / (n_splits - 1) / n_splits * n_splits / (n_splits - 1) / scale
    return pooled * unit, own * unit


def folds_of(n_splits, n_test):
    sizes = np.broadcast_to(n_test, n_splits)
    return Design(n_splits=n_splits, test_share=1 / n_splits, n_test=sizes)


def repeated(n_folds, n_repeats):
    return Design(n_splits=n_folds * n_repeats, n_repeats=n_repeats, test_share=1 / n_folds)


def shares(rng, n_splits, n_candidates, n_test, chance=0.8):
    return rng.binomial(n_test, chance, (n_splits, n_candidates)) / n_test


@given(score_tables(min_candidates=2))
def test_noise_matches_the_definition(scores):
    scores = (scores - scores.min() + 0.123456789) / (np.ptp(scores) + 1.123456789)
    pooled, own = loop_dispersion(scores, lambda mu: mu * (1 - mu))
    noise = _measure(scores, support=UNIT, winner=0, design=Design.assumed(len(scores)))
    if noise is not None and _rows_of_a_share(scores, Design.assumed(len(scores))) is None:
        assert noise.dispersion == pytest.approx(pooled + own)
        free = len(scores) - 1
        spent = pooled**2 / free + own**2 / (free * min(free, scores.shape[1] - 1))
        assert noise.df == pytest.approx((pooled + own) ** 2 / spent)


def test_the_interval_of_a_share_of_rows_is_jeffreys():
    scores = np.repeat([[0.7], [0.9], [0.7], [0.9], [0.9]], 2, axis=1)
    found = selection_interval(scores, estimate=0.82, support=UNIT, design=folds_of(5, 10))
    expected = stats.beta.ppf([0.025, 0.975], 50 * 0.82 + 0.5, 50 * 0.18 + 0.5)
    assert found == pytest.approx(tuple(expected))
    # The rows are found from the scores too, and by them the range of the metric.
    for support in (UNIT, (-np.inf, 1.0), (-np.inf, np.inf)):
        assert selection_interval(scores, estimate=0.82, support=support) == pytest.approx(found)


def test_shares_are_told_by_the_scores_where_all_or_none_are_right():
    scores = np.array([[0.7, 1.0], [0.9, 0.9], [0.7, 0.8], [0.9, 0.9], [0.9, 0.7]])
    for table in (scores, 1.0 - scores):
        known = selection_interval(table, estimate=table.mean(), support=UNIT)
        found = selection_interval(table, estimate=table.mean(), support=(-np.inf, np.inf))
        assert found == known


def test_rows_and_splits_are_pooled_by_their_freedom():
    scores = np.tile([[-1.0], [-1.2], [-0.9], [-1.1], [-1.0]], 2)  # twins: nothing is their own
    rows = -1.04 + 0.5 * stats.norm.ppf((np.arange(100) + 0.5) / 100)
    of_splits, of_rows = scores[:, 0].var(ddof=1) / 4, rows.var(ddof=1) / 100
    free = 200 / (stats.kurtosis(rows) + 2)
    pooled = (4 * of_splits + free * of_rows) / (4 + free)
    reach = np.sqrt(pooled) * stats.t.ppf(0.975, 4 + free)
    found = selection_interval(scores, estimate=-1.0, row_values=rows)
    assert found == pytest.approx((-1 - reach, -1 + reach))
    table = np.column_stack([rows, np.zeros(100)])
    assert selection_interval(scores, estimate=-1.0, best_index=0, row_values=table) == found
    factor = np.exp(reach / 1.04)
    losses = selection_interval(scores, estimate=-1.0, row_values=rows, support=(-np.inf, 0.0))
    assert losses == pytest.approx((-factor, -1 / factor))
    gains = selection_interval(-scores, estimate=1.0, row_values=-rows, support=(0.0, np.inf))
    assert gains == pytest.approx((1 / factor, factor))


def test_rows_of_losses_are_those_of_the_better_half():
    means = np.array([-1.0, -1.5, -4.0, -5.0])
    scores = np.tile(means, (5, 1)) + np.array([[-0.1], [0.1], [-0.2], [0.2], [0.0]])
    noise = np.random.default_rng(1).gamma(1.0, size=(80, 4)) * [0.2, 0.9, 5.0, 50.0]
    rows = scores.mean(axis=0) - noise
    shown = np.array([rows[:, i].var(ddof=1) / 80 / means[i] ** 2 for i in (0, 1)]).mean()
    free = 160 / (np.mean([stats.kurtosis(rows[:, i]) for i in (0, 1)]) + 2)
    of_splits = scores[:, 0].var(ddof=1) / 4 / np.mean(means[:2] ** 2)
    pooled = (4 * of_splits + free * shown) / (4 + free)
    factor = np.exp(np.sqrt(pooled) * stats.t.ppf(0.975, 4 + free))
    found = selection_interval(scores, estimate=-1.0, row_values=rows, support=(-np.inf, 0.0))
    assert found == pytest.approx((-factor, -1 / factor))
    # Between two bounds the winner's own rows count.
    inside = np.clip(-rows / 100, 0.0, 1.0)[:, ::-1]
    table = -scores[:, ::-1] / 100 + 0.001234567
    best = table.mean(axis=0).argmax()
    alone = selection_interval(table, estimate=0.05, row_values=inside[:, best], support=(0.0, 1.0))
    assert selection_interval(table, estimate=0.05, row_values=inside, support=(0.0, 1.0)) == alone


def test_rows_far_calmer_than_the_splits_are_not_believed():
    scores = np.random.default_rng(0).normal(size=(5, 4))
    rows = np.tile([1e-3, -1e-3], 50)
    doubted = selection_interval(scores, estimate=0.0, row_values=rows)
    assert doubted == pytest.approx(selection_interval(scores, estimate=0.0))


def test_grouped_rows_are_told_from_a_share_of_independent_ones():
    scores = np.repeat([[0.2], [0.9], [0.5], [0.8], [0.4]], 3, axis=1)
    low, high = selection_interval(scores, estimate=0.56, support=UNIT, design=folds_of(5, 1000))
    assert high - low > 0.4


@pytest.mark.parametrize("support", [UNIT, (-np.inf, 1.0), (-np.inf, np.inf)])
def test_one_partition_repeated_counts_once(support):
    once = np.random.default_rng(0).uniform(0.2, 0.9, size=(5, 7))
    asked = {"estimate": 0.6, "support": support}
    often = selection_interval(np.tile(once, (4, 1)), design=repeated(5, 4), **asked)
    assert often == pytest.approx(selection_interval(once, **asked))


@given(score_tables(), LEVELS, st.sampled_from([UNIT, (-np.inf, 1.0), (0.0, np.inf), (-1.0, 3.0)]))
def test_the_interval_holds_the_estimate_and_stays_in_range(scores, level, support):
    scores = (scores - scores.min()) / max(np.ptp(scores), 1e-6)
    estimate = float(scores.mean(axis=0).max())
    found = selection_interval(scores, estimate=estimate, level=level, support=support)
    if found is not None:
        low, high = found
        assert support[0] <= low <= estimate <= high <= support[1]


@given(score_tables(min_splits=3), LEVELS, st.floats(-50, 50), st.floats(0.1, 10))
def test_shift_and_scale_carry_over_without_bounds(scores, level, shift, scale):
    scores = np.pi * scores + 2.0  # no shares of rows
    estimate = float(scores.mean())
    plain = selection_interval(scores, estimate=estimate, level=level)
    moved = selection_interval(
        shift + scale * scores, estimate=shift + scale * estimate, level=level
    )
    if plain is not None and np.diff(plain) > 1e-6:
        assert moved == pytest.approx(tuple(shift + scale * np.array(plain)), abs=1e-5)


@given(score_tables(), st.randoms(use_true_random=False), LEVELS)
def test_the_order_of_splits_and_candidates_does_not_matter(scores, random, level):
    scores = (scores - scores.min()) / max(np.ptp(scores), 1e-6)
    means = scores.mean(axis=0).round(9)
    if len(set(means)) < len(means):
        return  # which of the tied candidates belong to the better half is a matter of order
    order = random.sample(range(scores.shape[1]), scores.shape[1])
    turned = scores[random.sample(range(len(scores)), len(scores))][:, order]
    common = {"estimate": float(scores.mean()), "level": level}
    for support in (UNIT, (-np.inf, np.inf)):
        plain = selection_interval(scores, support=support, **common)
        other = selection_interval(turned, support=support, **common)
        assert other == plain or other == pytest.approx(plain)


@given(score_tables(), LEVELS)
def test_a_higher_level_widens_the_interval(scores, level):
    estimate = float(scores.mean())
    inner = selection_interval(scores, estimate=estimate, level=level)
    outer = selection_interval(scores, estimate=estimate, level=level + 0.005)
    if inner is not None:
        assert outer[0] <= inner[0] <= inner[1] <= outer[1]


def test_nothing_that_shows_the_noise_leaves_no_interval():
    assert selection_interval([[0.123456789, 0.2]], estimate=0.2) is None
    assert selection_interval(np.full((5, 3), np.pi / 10), estimate=np.pi / 10) is None
    assert selection_interval(np.full((5, 3), np.e / 10), estimate=np.e / 10, support=UNIT) is None


def test_one_split_needs_the_rows():
    rows = np.tile([-0.2, 1.8], 5000)
    low, high = selection_interval([[0.7, 0.8]], estimate=0.8, row_values=rows)
    assert (low, high) == pytest.approx((0.8 - 0.0196, 0.8 + 0.0196), abs=1e-4)
    one = Design(n_splits=1, test_share=0.2, n_test=np.array([10]))
    low, high = selection_interval([[0.7, 0.8]], estimate=0.8, support=UNIT, design=one)
    assert 0.4 < low < 0.55
    assert selection_interval([[0.7, 0.8]], estimate=0.8, support=UNIT) is None


def test_perfect_scores_leave_room_for_doubt():
    perfect = np.ones((5, 4))
    low, high = selection_interval(perfect, estimate=1.0, support=UNIT)
    assert high == 1.0
    assert 0.5 < low < 0.8  # five splits hold five rows at least
    found = selection_interval(perfect, estimate=1.0, support=UNIT, design=folds_of(5, 20))
    assert found[0] > 0.96


def test_one_candidate_gets_the_ordinary_interval():
    scores = np.array([[0.31], [0.52], [0.43], [0.37], [0.45]]) * np.pi
    found = selection_interval(scores, estimate=float(scores.mean()))
    # As for folds of one sample, by Student's t: the variance between them hides a share of 1/K.
    half = stats.t.ppf(0.975, 4) * scores.std(ddof=1) / np.sqrt(4)
    assert found == pytest.approx((scores.mean() - half, scores.mean() + half))


@given(score_tables(min_splits=2, max_splits=2), LEVELS)
def test_two_splits_do_not_break_it(scores, level):
    found = selection_interval(scores, estimate=float(maximum(scores)), level=level)
    assert found is None or found[0] <= found[1]


def test_shares_are_told_from_other_scores():
    rng = np.random.default_rng(0)
    unknown = Design.assumed(5)
    assert _rows_of_a_share(shares(rng, 5, 20, 40), unknown) == 200
    assert _rows_of_a_share(shares(rng, 5, 20, 40) + 1e-6, unknown) is None
    assert _rows_of_a_share(rng.random((5, 20)), unknown) is None
    assert _rows_of_a_share(shares(rng, 5, 20, 30), folds_of(5, 40)) is None
    assert _rows_of_a_share(shares(rng, 5, 20, 30).round(6), folds_of(5, 30)) == 150


def test_nadeau_and_bengio_by_hand():
    scores = np.array([0.7, 0.8])
    half = stats.t.ppf(0.95, 1) * np.sqrt((1 / 2 + 10 / 30) * 0.005)
    found = nadeau_bengio_interval(scores, n_train=30, n_test=10, level=0.9)
    assert found == pytest.approx((0.75 - half, 0.75 + half))


def binomial_search(rng, n_rows, n_splits, n_candidates, chance, spread, correlation):
    """Shares of rows that correlated candidates get right."""
    truth = np.clip(chance + spread * rng.standard_normal(n_candidates), 0.01, 0.99)
    n_test = n_rows // n_splits
    common = np.sqrt(correlation) * rng.standard_normal((n_splits, n_test, 1))
    own = np.sqrt(1 - correlation) * rng.standard_normal((n_splits, n_test, n_candidates))
    return (common + own < stats.norm.ppf(truth)).mean(axis=1), truth


@pytest.mark.slow
@pytest.mark.parametrize("level", [0.8, 0.95])
@pytest.mark.parametrize(
    "setting",
    [
        (60, 5, 20, 0.5, 0, 0.6),
        (60, 10, 20, 0.9, 0, 0.6),
        (100, 5, 30, 0.8, 0.03, 0.8),
        (100, 5, 30, 0.97, 0.01, 0.8),
        (400, 10, 100, 0.8, 0.01, 0.9),
        (1000, 5, 30, 0.8, 0.05, 0.9),
        (200, 2, 20, 0.7, 0.02, 0.7),
    ],
)
def test_the_interval_covers_the_winner_of_simulated_searches(setting, level):
    rng = np.random.default_rng(0)
    held = []
    for _ in range(400):
        scores, truth = binomial_search(rng, *setting)
        low, high = selection_interval(
            scores, estimate=float(consensus(scores)), level=level, support=UNIT
        )
        held.append(low <= truth[scores.mean(axis=0).argmax()] <= high)
    assert np.mean(held) > level - 3 * np.sqrt(level * (1 - level) / 400)


@pytest.mark.slow
@pytest.mark.parametrize("rows", [True, False])
@pytest.mark.parametrize(("n_rows", "n_splits"), [(60, 5), (100, 10), (1000, 5)])
def test_the_interval_covers_squared_errors_of_trained_models(n_rows, n_splits, rows):
    """Ridge regressions, really trained: the truth is that of the refitted winner."""
    held, widths = [], []
    for seed in range(250):
        low, high, truth = ridge_search(np.random.default_rng(seed), n_rows, n_splits, rows=rows)
        held.append(low <= truth <= high)
        widths.append(high - low)
    # On few rows squared errors, with their long tails, say less of their own variance than needed.
    least = 0.93 if n_rows <= 100 else 0.95
    assert np.mean(held) > least - 3 * np.sqrt(least * (1 - least) / 250)
    assert np.median(widths) < 20 / np.sqrt(n_rows)


def ridge_search(rng, n_rows, n_splits, *, rows):
    coefficients = rng.standard_normal(10) * 0.3
    X = rng.standard_normal((n_rows, 10))
    y = X @ coefficients + rng.standard_normal(n_rows)
    fold = np.arange(n_rows) % n_splits
    penalties = np.geomspace(0.1, 300, 15)
    losses = np.empty((n_rows, len(penalties)))

    def fit(train, penalty):
        gram = X[train].T @ X[train] + penalty * np.eye(10)
        return np.linalg.solve(gram, X[train].T @ y[train])

    for i, penalty in enumerate(penalties):
        for k in range(n_splits):
            test = fold == k
            losses[test, i] = (y[test] - X[test] @ fit(~test, penalty)) ** 2
    scores = -np.array([losses[fold == k].mean(axis=0) for k in range(n_splits)])
    winner = int(scores.mean(axis=0).argmax())
    final = fit(np.ones(n_rows, dtype=bool), penalties[winner])
    truth = -(1.0 + np.sum((final - coefficients) ** 2))
    low, high = selection_interval(
        scores,
        estimate=float(consensus(scores)),
        support=(-np.inf, 0.0),
        design=folds_of(n_splits, np.bincount(fold)),
        row_values=-losses if rows else None,
    )
    return low, high, truth


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: selection_interval([[0.1, np.nan]] * 2, estimate=0.1), "scores must be finite"),
        (lambda: selection_interval([[0.1, 0.2]] * 2, estimate=0.1, level=1.0), "level must be"),
        (
            lambda: selection_interval([[0.1, 1.2]] * 2, estimate=0.1, support=UNIT),
            "must lie in support",
        ),
        (lambda: selection_interval([[0.1, 0.2]] * 2, estimate=2.0, support=UNIT), "span 0.1 to 2"),
        (lambda: selection_interval(np.zeros((2, 2, 2)), estimate=0.0), "one table"),
        (
            lambda: selection_interval([[0.1, 0.2]] * 2, estimate=0.1, design=Design.assumed(3)),
            "it has 3 splits, the scores have 2",
        ),
        (
            lambda: selection_interval([[0.1, 0.2]] * 2, estimate=0.1, best_index=2),
            "best_index must be a column",
        ),
        (
            lambda: selection_interval([[0.1, 0.2]] * 2, estimate=0.1, row_values=[1.0]),
            "row_values must be finite",
        ),
        (lambda: nadeau_bengio_interval([0.5], n_train=2, n_test=1), "at least 2 split"),
        (lambda: nadeau_bengio_interval([0.5, 1.0], n_train=0, n_test=1), "must be positive"),
    ],
)
def test_wrong_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.parametrize("size", [1e-16, 1e-12, 1e-9, 1e-6])
@pytest.mark.parametrize("score", [np.pi / 10, np.pi / 4, 1.0 - np.pi * 1e-5])
def test_next_to_no_noise_gives_a_narrow_interval_or_none(score, size):
    scores = score + size * score * np.random.default_rng(0).normal(size=(10, 4))
    found = selection_interval(scores, estimate=scores.mean(), support=UNIT)
    free = selection_interval(scores, estimate=scores.mean())
    assert (found is None) == (free is None) == (size == 1e-16)
    if found is not None:  # far from the bounds, they do not matter
        assert np.diff(found) == pytest.approx(np.diff(free), rel=0.5)


def test_candidates_that_tie_count_whatever_their_order():
    scores = np.pi * np.array([[0, 0, 0], [0, 0, 0], [0.5, 0.5, 0.75], [1, 1, 0.75]])
    first = selection_interval(scores, estimate=1.0, best_index=0)
    last = selection_interval(scores[:, ::-1], estimate=1.0, best_index=2)
    assert first == pytest.approx(last)


def test_rows_of_one_loss_are_no_noise_whatever_rounding_leaves():
    """A coin's log loss is the same on all rows; its variance is that of the last digit."""
    coin = np.full(31, np.log(0.5))
    model = -np.exp(np.random.default_rng(0).normal(size=31))
    fold = np.arange(31) % 3
    rows = np.column_stack([coin, model, model[::-1], coin / 1.1])
    table = np.array([rows[fold == split].mean(axis=0) for split in range(3)])
    asked = {"estimate": -0.7, "best_index": 0, "support": (-np.inf, 0.0)}
    asked["design"] = folds_of(3, np.array([11, 10, 10]))
    kept = selection_interval(table, row_values=rows, **asked)
    swapped = selection_interval(table[:, [0, 3, 2, 1]], row_values=rows[:, [0, 3, 2, 1]], **asked)
    assert kept == pytest.approx(swapped)
    alone = selection_interval(table[:, :1], row_values=rows[:, :1], **asked)
    assert alone is None


@pytest.mark.parametrize("size", [1e-20, 1e-90])
def test_an_interval_for_scores_much_smaller_than_their_bound_holds_the_estimate(size):
    table = size * np.random.default_rng(0).normal(size=(5, 4))
    estimate = float(table.mean(axis=0).max())
    low, high = selection_interval(table, estimate=estimate, support=(-np.inf, 1.0))
    assert low <= estimate <= high <= 1.0


@pytest.mark.parametrize("hopeless", [1e9, 1e12, 1e15])
def test_a_hopeless_candidate_does_not_change_the_interval_of_an_r2(hopeless):
    """The better half of the candidates is the same, however far the worst one lies."""
    good = 0.5 + 0.1 * np.random.default_rng(0).normal(size=(5, 6))
    asked = {"estimate": 0.5, "support": (-np.inf, 1.0)}
    near = selection_interval(np.column_stack([good, np.full(5, -1e3)]), **asked)
    far = selection_interval(np.column_stack([good, np.full(5, -hopeless)]), **asked)
    assert far == pytest.approx(near)


@pytest.mark.parametrize("n_repeats", [1, 2, 6])
def test_accuracies_tell_the_rows_that_a_design_would(n_repeats):
    right = np.random.default_rng(0).binomial(40, 0.97, size=(6, 5))
    right[:, 0] = 39  # fortieths, so 40 rows a split
    share = 0.2 if n_repeats == 6 else n_repeats / 6  # six repeats of one split are shuffled
    known = {"n_splits": 6, "n_repeats": n_repeats, "test_share": share}

    def ends(**more):
        design = Design(**known, **more)
        return selection_interval(right / 40, estimate=0.95, design=design, support=UNIT)

    assert ends() == pytest.approx(ends(n_test=np.full(6, 40)))
    assert ends() != pytest.approx(ends(n_test=np.full(6, 80)), abs=1e-4)
