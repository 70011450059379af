"""The synthetic experiments of Komiyama and Maehara (2018): false claims, power, the inspector."""

from __future__ import annotations

import numpy as np
from scipy import stats

from benchmarks.papers._report import Report, Table
from skmaxev.cherrypicking import (
    claim_test,
    conservative_claim_test,
    inspection_test,
)

LEVEL = 0.05
KNOWN, ESTIMATED, BY_T = "known", "estimated", "estimated, chosen by t"
VARIANCES = {KNOWN: 1.0, ESTIMATED: "estimate", BY_T: "estimate"}
SIZES = (2, 5, 10, 20, 50)
TIMES = 2  # data sets to choose from for each one shown
TIMES_FOR_POWER = 10
N_FOR_POWER = 10


def run(*, quick: bool, rng: np.random.Generator) -> Report:
    n_reports = 400 if quick else 10_000
    false = [false_claims(n, case, n_reports, rng) for case in VARIANCES for n in SIZES]
    effects = np.linspace(0, 2.5, 6 if quick else 26)
    curves = {case: power(effects, VARIANCES[case], n_reports, rng) for case in (KNOWN, ESTIMATED)}
    return Report(
        name="cherry_picking",
        title="Choosing the data sets of a report",
        source="J. Komiyama and T. Maehara (2018), arXiv:1810.04996, Figure 2.",
        tables=[
            Table(
                f"No improvement, best N_P of {TIMES} N_P data sets shown, level {LEVEL}",
                ["N_P", "variance", "plain test claims (%)", "conservative test claims (%)",
                 "inspector finds it (%)", "inspector accuses an honest report (%)"],
                false,
            ),
            power_table(curves, effects),
        ],
        notes=[
            "The paper finds: false claims grow with N_P; an estimated variance makes them easier "
            "and the inspector's work harder; a minimum improvement with an inspector keeps more "
            "power than the conservative test.",
            "Here an estimated variance does not make the inspector's work harder, given as many "
            "data sets as the reporter: choosing makes the pooled variance smaller. It leaves the "
            "conservative test hardly any power, as some run of neighbours always has a large t.",
            "The minimum improvement asked for is the least with which the inspector finds a false "
            f"claim in {1 - LEVEL:.0%} of inspections. The conservative test does not know that "
            f"the reporter was honest and allows for {TIMES_FOR_POWER} for each one shown.",
        ],
        draw=lambda: draw(false, curves, effects),
    )  # fmt: skip


def best_choice(draws, size, by_t):
    """The largest improvements, or the neighbours whose t is largest."""
    ordered = np.sort(draws, axis=1)
    if not by_t:
        return ordered[:, -size:]
    runs = np.lib.stride_tricks.sliding_window_view(ordered, size, axis=1)
    t = runs.mean(axis=-1) / runs.std(axis=-1, ddof=1)
    return np.take_along_axis(runs, t.argmax(axis=1)[:, None, None], axis=1)[:, 0]


def rate(result):
    return 100 * np.mean(result.pvalue <= LEVEL)


def false_claims(size, case, n_reports, rng):
    variance = VARIANCES[case]
    shown = best_choice(rng.standard_normal((n_reports, TIMES * size)), size, case == BY_T)
    honest, fresh = rng.standard_normal((2, n_reports, size))
    careful = conservative_claim_test(
        shown, TIMES * size, variance=variance, n_resamples=n_reports, rng=rng
    )
    return [
        size,
        case,
        rate(claim_test(shown, variance=variance)),
        rate(careful),
        rate(inspection_test(shown, fresh, variance=variance)),
        rate(inspection_test(honest, fresh, variance=variance)),
    ]


def power(effects, variance, n_reports, rng):
    """Share of honest reports whose claim passes, for each true improvement."""
    size = N_FOR_POWER
    noise, fresh = rng.standard_normal((2, n_reports, size))
    z = stats.norm.ppf(1 - LEVEL)
    # A mean that passes, gap + z / sqrt(N), is z sqrt(2 / N) + z / sqrt(N) above a truth of zero:
    # far enough for an inspector with as many data sets.
    gap = z * np.sqrt(2 / size)
    rows = []
    for effect in effects:
        shown = effect + noise
        careful = conservative_claim_test(
            shown,
            TIMES_FOR_POWER * size,
            variance=variance,
            n_resamples=min(n_reports, 4000),
            rng=0,
        )
        claimed = claim_test(shown, min_improvement=gap, variance=variance).pvalue <= LEVEL
        accused = inspection_test(shown, effect + fresh, variance=variance).pvalue <= LEVEL
        rows.append([
            rate(claim_test(shown, variance=variance)), rate(careful),
            100 * np.mean(claimed & ~accused),
        ])  # fmt: skip
    return np.array(rows)


def power_table(curves, effects):
    rows = [
        [effects[place], case, *curve[place]]
        for case, curve in curves.items()
        for place in np.linspace(0, len(effects) - 1, 6).astype(int)
    ]
    columns = ["true improvement", "variance", "plain (%)", "conservative (%)",
               "minimum improvement and inspector (%)"]  # fmt: skip
    return Table("Honest reports of ten data sets that pass", columns, rows)


def draw(false, curves, effects):
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, 4, figsize=(15, 4.6), layout="constrained")
    for place, (case, curve) in enumerate(curves.items()):
        rows = [row for row in false if row[1] == case]
        left, right = axes[2 * place], axes[2 * place + 1]
        for column, label in ((2, "plain test"), (3, "conservative test"), (4, "inspector finds")):
            left.plot([row[0] for row in rows], [row[column] for row in rows], "o-", label=label)
        left.set(title=f"no improvement, {case} variance", xlabel="data sets shown", ylabel="%")
        left.set(ylim=(-3, 103))
        for column, label in enumerate(("plain", "conservative", "minimum and inspector")):
            right.plot(effects, curve[:, column], label=label)
        right.set(title=f"power, {case} variance", xlabel="true improvement", ylim=(-3, 103))
        for ax in (left, right):
            ax.legend(loc="upper center", bbox_to_anchor=(0.5, -0.18))
    return figure
