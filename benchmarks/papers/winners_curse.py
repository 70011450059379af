"""The tables of the article 'The Winner's Curse in Model Selection'."""

from __future__ import annotations

import numpy as np

from benchmarks.accuracy.winners_curse import (
    BASE,
    CASES,
    OPTIMISM,
    OPTIMISM_BY_SPREAD,
    SPREAD,
    SPREADS,
    optimism,
)
from benchmarks.papers._report import Report, Table
from skmaxev.planning import expected_optimism, validation_size, winner_regret


def run(*, quick: bool, rng: np.random.Generator) -> Report:
    n_searches = 500 if quick else 4000
    return Report(
        name="winners_curse",
        title="Optimism of the best validation score",
        source="The Winner's Curse in Model Selection: Why the Best Validation Score Is Too Good.",
        tables=[
            by_size(n_searches, rng),
            by_spread(n_searches, rng),
            regret(),
            sizes(),
        ],
        notes=["Percentage points of accuracy; the article simulates 4,000 searches a figure."],
        draw=draw,
    )


def by_size(n_searches, rng):
    rows = [
        [k, n, 100 * expected_optimism(k, n, score=BASE, spread=SPREAD, correlation=0),
         optimism(k, n, SPREAD, n_searches, rng), article]
        for k, figures in OPTIMISM.items()
        for n, article in zip(CASES, figures, strict=True)
    ]  # fmt: skip
    columns = ["candidates", "rows", "by quadrature", "simulated", "article"]
    return Table("Optimism, spread of one point", columns, rows)


def by_spread(n_searches, rng):
    rows = [
        [k, spread, 100 * expected_optimism(k, 1000, score=BASE, spread=spread, correlation=0),
         optimism(k, 1000, spread, n_searches, rng), article]
        for k, figures in OPTIMISM_BY_SPREAD.items()
        for spread, article in zip(SPREADS, figures, strict=True)
    ]  # fmt: skip
    columns = ["candidates", "spread", "by quadrature", "simulated", "article"]
    return Table("Optimism on 1,000 rows", columns, rows)


def regret():
    published = {(100, 1000): (0.93, 17)}
    rows = []
    for k in (2, 5, 20, 100):
        for n in (1000, 5000):
            loss = winner_regret(k, n, score=BASE, spread=SPREAD, correlation=0)
            article = published.get((k, n), (None, None))
            rows.append([k, n, 100 * loss.shortfall, article[0], 100 * loss.probability_best,
                         article[1]])  # fmt: skip
    columns = ["candidates", "rows", "shortfall", "article", "winner is the best (%)", "article"]
    return Table("What the winner falls short of the best, spread of one point", columns, rows)


def sizes():
    settings = {"score": BASE, "resolve": [0.005, 0.01, 0.02], "correlation": 0}
    rows = [[k, *validation_size(k, **settings)] for k in (2, 5, 20, 100)]
    columns = ["equal candidates", "0.5 points", "1 point", "2 points"]
    return Table("Rows that keep the optimism below an improvement", columns, rows)


def draw():
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, 2, figsize=(9.5, 3.8), layout="constrained")
    candidates = np.unique(np.geomspace(1, 500, 25).astype(int))
    for n, figures in zip(CASES, zip(*OPTIMISM.values(), strict=True), strict=True):
        values = 100 * expected_optimism(candidates, n, score=BASE, spread=SPREAD, correlation=0)
        (line,) = axes[0].plot(candidates, values, label=f"{n:,} rows")
        axes[0].plot(list(OPTIMISM), figures, "o", color=line.get_color())
    axes[0].set(xscale="log", xlabel="candidates", ylabel="optimism (points)")
    axes[0].legend(title="line: quadrature\ndots: article")
    spreads = np.linspace(0, 0.05, 26)
    for k, figures in OPTIMISM_BY_SPREAD.items():
        values = 100 * expected_optimism(k, 1000, score=BASE, spread=spreads, correlation=0)
        (line,) = axes[1].plot(100 * spreads, values, label=f"{k} candidates")
        axes[1].plot([100 * s for s in SPREADS], figures, "o", color=line.get_color())
    axes[1].set(xlabel="spread of the true accuracies (points)", title="1,000 rows")
    axes[1].legend()
    return figure
