"""Reports against closed-form truth, by the design of the splits; each asserts its power as well.

The candidates are fixed rules whose true accuracy is known, so every split judges them on rows and
nothing is trained: what a report says of the winner can be held against the truth itself.
"""

import numpy as np
import pytest
from sklearn.model_selection import GroupKFold, KFold, LeaveOneOut, RepeatedKFold, ShuffleSplit

from skmaxev import correct
from skmaxev.readers.build import build_table
from skmaxev.table import Design

pytestmark = pytest.mark.slow

N_TABLES = 120
FLOOR = 0.90
"""At a true 95% fewer than 108 of 120 hold the truth once in 100 series; at 80%, in 99 of 100."""
SPLITTERS = {
    "5x1": lambda seed: KFold(5, shuffle=True, random_state=seed),
    "5x4": lambda seed: RepeatedKFold(n_splits=5, n_repeats=4, random_state=seed),
    "10x10": lambda seed: RepeatedKFold(n_splits=10, n_repeats=10, random_state=seed),
    "100 shuffles": lambda seed: ShuffleSplit(100, test_size=0.2, random_state=seed),
    "leave one out": lambda seed: LeaveOneOut(),
}


def reports(name, spread, n_rows=100, n_candidates=25):
    """Yield reports of searches among fixed rules, and the winner's true accuracy."""
    rng = np.random.default_rng(0)
    for seed in range(N_TABLES):
        truth = np.clip(rng.normal(0.75, spread, n_candidates), 0, 1)
        right = (rng.random((n_rows, n_candidates)) < truth) * 1.0
        splits = list(SPLITTERS[name](seed).split(right))
        scores = np.array([right[test].mean(axis=0) for _, test in splits])
        design = Design.from_splits(splits)
        report = correct(build_table(scores, metric="accuracy", design=design, source="test"))
        yield report, truth[report.best_index]


@pytest.mark.parametrize("spread", [0.0, 0.05])
@pytest.mark.parametrize("name", SPLITTERS)
def test_the_interval_covers_the_winner_and_most_of_the_optimism_goes(name, spread):
    found = [
        (low <= true <= high, report.estimate - true, report.naive - true)
        for report, true in reports(name, spread)
        for low, high in [report.interval]
    ]
    held, error, printed = np.array(found, dtype=float).T
    noise = error.std(ddof=1) / np.sqrt(N_TABLES)
    assert held.mean() >= FLOOR
    assert printed.mean() > 5 * noise  # the power: what is asserted does not hold of the printed
    assert abs(error.mean()) < 0.5 * printed.mean()
    assert np.square(error).mean() < np.square(printed).mean()


@pytest.mark.parametrize("name", ["LBCV", "LVCV", "EB", "CONSENSUS"])
def test_no_method_errs_upwards_as_the_printed_score_does(name):
    rows = [
        (report.estimates[name].value - 0.75, report.naive - 0.75)
        for report, _ in reports("5x1", 0.0)
    ]
    error, printed = np.array(rows).T
    assert printed.mean() > 5 * error.std(ddof=1) / np.sqrt(N_TABLES)
    assert error.mean() < 0.5 * printed.mean()


def test_groups_that_answer_alike_do_not_make_the_interval_narrow():
    """Rows of a group are right together: 20 groups of 10 rows are hardly more than 20 rows."""
    rng, groups, held, widths = np.random.default_rng(0), np.repeat(np.arange(20), 10), [], []
    for _ in range(N_TABLES):
        right = np.repeat((rng.random((20, 25)) < 0.75) * 1.0, 10, axis=0)
        splits = list(GroupKFold(5).split(right, groups=groups))
        scores = np.array([right[test].mean(axis=0) for _, test in splits])
        design = Design.from_splits(splits, clusters=groups)
        report = correct(build_table(scores, metric="accuracy", design=design, source="test"))
        held.append(report.interval[0] <= 0.75 <= report.interval[1])
        widths.append(np.ptp(report.interval))
    assert np.mean(held) >= FLOOR
    assert np.mean(widths) > 2 * 1.96 * np.sqrt(0.75 * 0.25 / 200)  # of 200 independent rows


def test_groups_that_answer_alike_count_as_one_row_each_and_rows_alone_do_not_know_it():
    """20 groups of 10 rows that are right together: 200 rows that are hardly more than 20."""
    groups, y, errors = np.repeat(np.arange(20), 10), np.arange(200) % 2, []
    fold = np.empty(200, dtype=int)
    for number, (_, test) in enumerate(GroupKFold(5).split(y, groups=groups)):
        fold[test] = number
    for seed in range(60):
        right = np.repeat(np.random.default_rng(seed).random((20, 25)) < 0.75, 10, axis=0)
        rows = {"y_true": y, "responses": np.where(right.T, y, 1 - y), "test_fold": fold}
        known = correct(metric="accuracy", **rows, clusters=groups)
        ignored = correct(metric="accuracy", **rows)
        errors.append([report - 0.75 for report in (known.estimate, ignored.estimate, known.naive)])
    known, ignored, printed = np.mean(errors, axis=0)
    assert known < 0.25 * printed
    assert ignored > 0.5 * printed  # the power: without the groups the assertion above fails


def test_splits_of_one_row_are_known_by_the_design_and_ten_parts_judge_better_than_one_row():
    """Losses, which do not show by themselves that a split is one row, as shares of right do."""
    errors, splits = [], list(LeaveOneOut().split(np.empty(60)))
    design = Design.from_splits(splits)
    for seed in range(60):
        rng = np.random.default_rng(seed)
        losses = -np.square(0.7 * rng.normal(size=(60, 1)) + rng.normal(size=(60, 25)))
        about = {"metric": "neg_mean_squared_error", "source": "test"}
        known = correct(build_table(losses, design=design, **about))
        ignored = correct(build_table(losses, design=Design.assumed(60), **about))
        errors.append([report + 1.49 for report in (known.estimate, ignored.estimate, known.naive)])
    known, ignored, printed = np.mean(errors, axis=0)
    assert known < 0.4 * printed
    assert ignored > 0.5 * printed  # the power
