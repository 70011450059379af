"""Sizes, powers and coverages of all tests and intervals, of claims too, in two minutes.

    python -m benchmarks.comparison

A size is the share of draws with a p-value of at most 5% when nothing differs, which should be 5%
or less; power the share when something does. The standard error of a size is about 1%.
"""

from __future__ import annotations

import time

import numpy as np
from scipy import stats

from skmaxev import cherrypicking
from skmaxev import comparison as c
from skmaxev.estimators.differences import paired_differences
from skmaxev.table import Design

N_DRAWS = 400


def folds(rng, shift):
    """Ten folds whose differences share a tenth of their variance, as Nadeau and Bengio assume."""
    share = 0.1
    gap = np.sqrt(share) * rng.standard_normal() + np.sqrt(1 - share) * rng.standard_normal(10)
    return shift + 0.02 * gap + 0.8, np.full(10, 0.8) + 1e-4 * rng.standard_normal(10)


def halves(rng, shift):
    return 0.8 + shift + 0.02 * rng.standard_normal((5, 2)), 0.8 + 0.02 * rng.standard_normal(
        (5, 2)
    )


def rights(rng, shift, n_models=2):
    """Rights and wrongs of models that find the same rows hard, 80% right."""
    latent = 0.8 * rng.standard_normal((200, 1)) + 0.6 * rng.standard_normal((200, n_models))
    right = latent < stats.norm.ppf(0.8) + shift * (np.arange(n_models) == 0)
    return tuple(right.T.astype(float))


def areas(rng, shift):
    y = rng.integers(0, 2, 150)
    common = y + 0.7 * rng.standard_normal(150)
    return y, common + shift * y + 0.7 * rng.standard_normal(150), common + rng.normal(0, 0.7, 150)


def datasets(rng, shift, n_models=2):
    """One score on each of 15 data sets, with tails that are longer than normal ones."""
    noise = 0.02 * rng.standard_t(4, (15, n_models))
    return tuple((0.8 + rng.normal(0, 0.1, (15, 1)) + noise + shift * np.eye(n_models)[0]).T)


def accuracy(y, predictions):
    return np.mean(y == predictions)


PVALUES = {  # name: draw, p-value, shift for the power, draws
    "corrected_resampled_t": (
        folds, lambda a, b: c.corrected_resampled_t(a, b, n_train=90, n_test=10), 0.03
    ),
    "five_by_two_t": (halves, c.five_by_two_t, 0.04),
    "five_by_two_f": (halves, c.five_by_two_f, 0.04),
    "mcnemar": (rights, c.mcnemar, 0.35),
    "cochran_q, 4 models": (
        lambda rng, shift: (np.transpose(rights(rng, shift, 4)),),
        c.cochran_q,
        0.35,
    ),
    "delong": (areas, c.delong, 0.7),
    "resampled_rows": (
        lambda rng, shift: (np.ones(200), *rights(rng, shift)),
        lambda y, a, b: c.resampled_rows(accuracy, y, a, b, n_resamples=199, rng=0),
        0.35,
    ),
    "signed_rank": (datasets, c.signed_rank, 0.03),
    "sign_test": (datasets, c.sign_test, 0.03),
}  # fmt: skip


def share(name, test, draw, shift, n_draws=N_DRAWS):
    rng = np.random.default_rng([len(name), n_draws])
    return np.mean([test(*draw(rng, shift)) for _ in range(n_draws)])


def tests():
    print("| test | size | power |\n|:--|--:|--:|")
    for name, (draw, test, shift) in PVALUES.items():
        n_draws = 150 if name == "resampled_rows" else N_DRAWS
        found = [
            share(name, lambda *args, f=test: f(*args).pvalue <= 0.05, draw, by, n_draws)
            for by in (0.0, shift)
        ]
        print(f"| {name} | {100 * found[0]:.1f}% | {100 * found[1]:.0f}% |")
    many = lambda rng, shift: (np.transpose(datasets(rng, shift, 5)),)  # noqa: E731
    families = {
        "compare_pairs, 5 models, any pair": lambda table: (
            min(one.pvalue for one in c.compare_pairs(table).comparisons) <= 0.05
        ),
        "compare_pairs, 5 models, a control": lambda table: (
            min(one.pvalue for one in c.compare_pairs(table, control=0).comparisons) <= 0.05
        ),
        "friedman_nemenyi, 5 models, F": lambda table: c.friedman_nemenyi(table).f_pvalue <= 0.05,
        "friedman_nemenyi, 5 models, any pair": lambda table: (
            c.friedman_nemenyi(table).pairwise_pvalues.min() <= 0.05
        ),
    }
    for name, test in families.items():
        found = [share(name, test, many, shift) for shift in (0.0, 0.04)]
        print(f"| {name} | {100 * found[0]:.1f}% | {100 * found[1]:.0f}% |")
    equal = lambda a, b: c.equivalence_test(a, b, rope=0.03, n_train=90, n_test=10).pvalue <= 0.05  # noqa: E731
    found = [share("equivalence", equal, folds, shift) for shift in (0.03, 0.0)]
    print(f"| equivalence_test, region 0.03 | {100 * found[0]:.1f}% | {100 * found[1]:.0f}% |")
    sure = {
        "bayesian_correlated_t, a better at 95%": (
            folds,
            lambda a, b: c.bayesian_correlated_t(a, b, n_train=90, n_test=10, rope=0).p_a_better,
        ),
        "bayesian_signed_rank, a better at 95%": (
            datasets,
            lambda a, b: c.bayesian_signed_rank(a, b, rope=0.001, n_draws=500, rng=0).p_a_better,
        ),
    }
    for name, (draw, chance) in sure.items():
        found = [
            share(name, lambda *args, f=chance: f(*args) >= 0.95, draw, shift)
            for shift in (0.0, 0.03)
        ]
        print(f"| {name} | {100 * found[0]:.1f}% | {100 * found[1]:.0f}% |")


def intervals():
    print("\n| 95% interval of | holds |\n|:--|--:|")
    for name, shift in (("corrected_resampled_t", 0.03), ("mcnemar", 0.0), ("delong", 0.0)):
        draw, test, _ = PVALUES[name]

        def holds(*args, f=test, truth=shift):
            low, high = f(*args).interval
            return low <= truth <= high

        print(f"| {name} | {100 * share(name, holds, draw, shift):.1f}% |")
    counts, rate = np.arange(41), 0.1
    for method in ("wilson", "exact", "normal"):
        ends = [c.proportion_interval(count, 40, method=method) for count in counts]
        inside = [low <= rate <= high for low, high in ends]
        held = stats.binom.pmf(counts, 40, rate) @ np.array(inside)
        print(f"| proportion_interval, {method}, 10% of 40 | {100 * held:.1f}% |")


def claims():
    """Reporters without an improvement who show 5 of 20 data sets, and an inspector of five."""
    rng = np.random.default_rng(0)
    draws = np.sort(rng.standard_normal((4000, 20)), axis=1)
    runs = np.lib.stride_tricks.sliding_window_view(draws, 5, axis=1)
    by_t = (runs.mean(axis=-1) / runs.std(axis=-1, ddof=1)).argmax(axis=1)
    honest, fresh = rng.standard_normal((2, 4000, 5))
    reports = {
        "honest": honest,
        "the largest": draws[:, -5:],
        "of the largest t": runs[np.arange(4000), by_t],
    }
    head = "claim_test | conservative_claim_test | inspection_test"
    print(f"\n| shown | variance | {head} |\n|:--|:--|--:|--:|--:|")
    for name, shown in reports.items():
        for variance in (1.0, "estimate"):
            found = (
                cherrypicking.claim_test(shown, variance=variance),
                cherrypicking.conservative_claim_test(shown, 20, variance=variance, rng=1),
                cherrypicking.inspection_test(shown, fresh, variance=variance),
            )
            sizes = [f"{100 * np.mean(one.pvalue <= 0.05):.1f}%" for one in found]
            print(f"| {name} | {variance} | " + " | ".join(sizes) + " |")
    known = {"n_reported": 5, "n_inspected": 5, "variance": 1.0}
    told = 100 * cherrypicking.inspection_power(1.5, **known)
    seen = cherrypicking.inspection_test(np.full(5, 1.5), fresh, variance=1.0).pvalue <= 0.05
    found = 100 * np.mean(seen)
    print(f"\ninspection_power says {told:.1f}% of reports 1.5 too good; {found:.1f}% are found.")


KINDS = {
    "normal": lambda rng: rng.normal(0, 1, (60, 8)),
    "correlated .9": lambda rng: 3 * rng.normal(0, 1, (60, 1)) + rng.normal(0, 1, (60, 8)),
    "errors of 3%, 20 candidates": lambda rng: -(rng.random((60, 20)) < 0.03).astype(float),
    "one with rare dear losses": lambda rng: np.c_[
        -1.0 * (rng.random(60) < 0.05), rng.normal(-0.05, 0.004, (60, 7))
    ],
    "long tails": lambda rng: -rng.lognormal(0, 1.2, (60, 8)),
    "a noisy best": lambda rng: rng.normal(0, 1, (60, 8)) * np.r_[1.0, np.full(7, 0.3)],
}


def sets():
    print("\n| set of the best, 60 rows | from rows | from 10 splits |\n|:--|--:|--:|")
    for name, make in KINDS.items():
        held = []
        for with_rows in (True, False):
            rng, found = np.random.default_rng(0), []
            for _ in range(N_DRAWS // 2):
                rows = make(rng)
                part = np.arange(len(rows)) % 10
                scores = np.array([rows[part == number].mean(axis=0) for number in range(10)])
                design = Design(n_splits=10, test_share=1e-12)  # nothing was trained
                values = rows if with_rows else None
                result = paired_differences(scores, row_values=values, design=design)
                found.append(result.may_be_best[0])
            held.append(np.mean(found))
        print(f"| {name} | {100 * held[0]:.1f}% | {100 * held[1]:.1f}% |")


if __name__ == "__main__":
    start = time.perf_counter()
    tests()
    intervals()
    sets()
    claims()
    print(f"\n{time.perf_counter() - start:.0f} seconds")
