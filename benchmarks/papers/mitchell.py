"""Mitchell's intervals for an error rate, and how often they really hold it."""

from __future__ import annotations

import numpy as np
from scipy import stats

from benchmarks.papers._report import Report, Table
from skmaxev.comparison import proportion_interval

METHODS = ("normal", "wilson", "exact")
SIZES = (10, 20, 40, 100, 400)


def run(*, quick: bool, rng: np.random.Generator) -> Report:  # noqa: ARG001  # exact: no chance
    sizes = SIZES[:3] if quick else SIZES
    covered = {(n, method): coverage(n, method) for n in sizes for method in METHODS}
    return Report(
        name="mitchell",
        title="Intervals for an error rate",
        source="T. Mitchell (1997), Machine Learning, chapter 5.",
        tables=[example(), table(covered, sizes), rule(sizes)],
        notes=["Coverage is exact: summed over all numbers of errors, true rates 0.005 to 0.995."],
        draw=lambda: draw(covered),
    )


def rates():
    return np.linspace(0.005, 0.995, 199)


def coverage(n, method):
    """Exact probability that the 95% interval holds each true rate."""
    bounds = np.array([proportion_interval(r, n, method=method) for r in range(n + 1)])
    inside = (bounds[:, :1] <= rates()) & (rates() <= bounds[:, 1:])
    return (stats.binom.pmf(np.arange(n + 1)[:, None], n, rates()) * inside).sum(axis=0)


def example():
    rows = []
    for level, half in ((0.95, 0.14), (0.68, 0.07)):
        low, high = proportion_interval(12, 40, level=level, method="normal")
        rows.append([f"{level:.0%}", (low + high) / 2, (high - low) / 2, 0.30, half])
    columns = ["level", "middle", "half width", "middle in the book", "half width in the book"]
    return Table("Twelve errors in forty rows", columns, rows)


def table(covered, sizes):
    rows = [
        [n, method, 100 * covered[n, method].mean(), 100 * covered[n, method].min(),
         100 * mean_width(n, method)]
        for n in sizes
        for method in METHODS
    ]  # fmt: skip
    columns = ["rows", "interval", "mean coverage (%)", "least coverage (%)", "mean width (points)"]
    return Table("Real coverage of 95% intervals", columns, rows)


def mean_width(n, method):
    return np.mean([np.diff(proportion_interval(r, n, method=method))[0] for r in range(n + 1)])


def rule(sizes):
    """Coverage of the normal interval given that the rule of thumb allows it."""
    rows = []
    for n in sizes:
        errors = np.arange(n + 1)
        holds = errors * (1 - errors / n) >= 5
        bounds = np.array([proportion_interval(r, n, method="normal") for r in range(n + 1)])
        inside = (bounds[:, :1] <= rates()) & (rates() <= bounds[:, 1:])
        chance = stats.binom.pmf(np.arange(n + 1)[:, None], n, rates())
        allowed = (chance * holds[:, None]).sum()
        right = (chance * (inside & holds[:, None])).sum()
        rows.append([n, 100 * holds.mean(), 100 * right / allowed if allowed else None])
    columns = ["rows", "outcomes that pass the rule (%)", "coverage where it passes (%)"]
    return Table("The rule n e (1 - e) >= 5", columns, rows)


def draw(covered):
    import matplotlib.pyplot as plt

    figure, ax = plt.subplots(figsize=(7, 3.6), layout="constrained")
    for method in METHODS:
        ax.plot(rates(), 100 * covered[40, method], label=method)
    ax.axhline(95, color="black", lw=1)
    ax.set(xlabel="true error rate", ylabel="coverage (%)", ylim=(60, 101), title="forty rows")
    ax.legend()
    return figure
