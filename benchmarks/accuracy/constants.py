"""What the constants of the consensus and of its interval are worth, on tables that are drawn.

    python -m benchmarks.accuracy.constants                       # two minutes
    python -m benchmarks.accuracy.constants --draws 20 --markdown out.md

Each constant is set to other values, and the same tables are corrected again. No bank is used.
Tables of the consensus have normal noise, half of it shared by all candidates, for true scores of
seven shapes, 5, 20 or 100 candidates that share noise with their neighbours or do not, and 5 or 10
splits. The error is that against the winner's true score, net of what all candidates share; shown
is its root mean square as a share of that with the constant as it is, over all tables and in the
shape where it is best and worst. Tables of the interval are shares of 100 rows, whose rows come
one by one or in pairs that are alike, and gamma losses with hopeless candidates.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from importlib import import_module
from pathlib import Path
from unittest.mock import patch

import numpy as np

from skmaxev.estimators import _design, consensus, intervals, selection_interval

PLATEAU = import_module("skmaxev.estimators.consensus")  # the function has its name

SHAPES: dict[str, Callable[[np.random.Generator, int], np.ndarray]] = {
    "all equal": lambda _, m: np.zeros(m),
    "spread of half the noise": lambda rng, m: 0.5 * rng.normal(size=m),
    "spread of the noise": lambda rng, m: rng.normal(size=m),
    "spread of three times the noise": lambda rng, m: 3.0 * rng.normal(size=m),
    "long tails": lambda rng, m: rng.standard_t(2, size=m),
    "a third hopeless": lambda rng, m: 0.5 * rng.normal(size=m) - 10.0 * (np.arange(m) % 3 == 0),
    "few good": lambda rng, m: 3.0 * (np.arange(m) % 10 == 0) + 0.5 * rng.normal(size=m),
}


def shares(values: list[float]) -> dict[str, object]:
    """Other shares of candidates apart from the plateau, with the prior that goes with them."""
    with patch.object(PLATEAU, "_SHARES", np.array(values)):
        return {"_SHARES": np.array(values), "_LOG_PRIOR": PLATEAU._log_prior()}  # noqa: SLF001


def odds(equal: float, spread: float, apart: float) -> dict[str, object]:
    """Other prior odds of the three accounts."""
    prior = np.exp(PLATEAU._LOG_PRIOR)  # noqa: SLF001  # what is varied
    prior[0, 0] *= equal
    prior[0, 1:] *= spread
    prior[1:] *= apart
    with np.errstate(divide="ignore"):
        return {"_LOG_PRIOR": np.log(prior / prior.sum())}


OF_THE_CONSENSUS = {
    "shares apart: one half alone": (PLATEAU, shares([0.0, 0.5])),
    "shares apart: uniform, nine values": (PLATEAU, shares([0.0, *np.arange(0.1, 0.95, 0.1)])),
    "nobody apart": (PLATEAU, odds(1, 1, 1e-12)),
    "farthest at 1.5 deviations": (PLATEAU, {"_DEVIATIONS": 1.5}),
    "farthest at 3 deviations": (PLATEAU, {"_DEVIATIONS": 3.0}),
    "odds of 'all equal' halved": (PLATEAU, odds(0.5, 1, 1)),
    "odds of 'all equal' doubled": (PLATEAU, odds(2, 1, 1)),
    "never 'all equal'": (PLATEAU, odds(1e-12, 1, 1)),
    "none of Nadeau and Bengio's correlation": (_design, {"_OF_NADEAU_BENGIO": 0.0}),
    "all of it": (_design, {"_OF_NADEAU_BENGIO": 1.0}),
    "8 heights": (PLATEAU, {"_N_CENTRES": 8}),
    "32 heights": (PLATEAU, {"_N_CENTRES": 32}),
}


def all_of(means: np.ndarray) -> np.ndarray:
    return np.ones(len(means), dtype=bool)


def best_quarter(means: np.ndarray) -> np.ndarray:
    return means >= np.quantile(means, 0.75)


OF_THE_INTERVAL = {
    "as it is": (intervals, {}),
    "distrust of 0.1%": (intervals, {"_DISTRUST": 0.001}),
    "distrust of 5%": (intervals, {"_DISTRUST": 0.05}),
    "all candidates in place of the better half": (intervals, {"_better_half": all_of}),
    "best quarter in place of the better half": (intervals, {"_better_half": best_quarter}),
}


def tables(n_draws: int) -> Iterator[tuple[str, np.ndarray, np.ndarray, float]]:
    """Yield the shape, a table, the true scores, and what all candidates share."""
    rng = np.random.default_rng(0)
    for name, shape in SHAPES.items():
        for m in (5, 20, 100):
            for k in (5, 10):
                for draw in range(n_draws):
                    truths = shape(rng, m)
                    own = rng.normal(size=(k, m))
                    if draw % 2:  # neighbours are alike
                        for i in range(1, m):
                            own[:, i] = 0.8 * own[:, i - 1] + 0.6 * own[:, i]
                    common = rng.normal(size=(k, 1))
                    yield (
                        name,
                        truths + np.sqrt(k) * (own + common),
                        truths,
                        np.sqrt(k) * common.mean(),
                    )


def errors(drawn: list[tuple[str, np.ndarray, np.ndarray, float]]) -> np.ndarray:
    return np.array(
        [
            consensus(scores) - truths[scores.mean(axis=0).argmax()] - shared
            for _, scores, truths, shared in drawn
        ]
    )


def of_the_consensus(n_draws: int) -> list[str]:
    drawn = list(tables(n_draws))
    shape = np.array([name for name, *_ in drawn])
    plain = np.square(errors(drawn))
    lines = [
        "| constant of the consensus | error | best shape | worst shape |",
        "|:--|--:|:--|:--|",
    ]
    for name, (module, constants) in OF_THE_CONSENSUS.items():
        with ExitStack() as patched:
            for constant, value in constants.items():
                patched.enter_context(patch.object(module, constant, value))
            other = np.square(errors(drawn))
        ratio = np.sqrt(other.mean() / plain.mean())
        # To first order the ratio of roots moves by half of the relative difference of squares.
        spread = (other - ratio**2 * plain).std() / np.sqrt(len(plain)) / plain.mean() / 2 / ratio
        of = {s: np.sqrt(other[shape == s].mean() / plain[shape == s].mean()) for s in SHAPES}
        low, high = min(of, key=of.get), max(of, key=of.get)
        lines.append(
            f"| {name} | {ratio:.3f} ± {spread:.3f} | {of[low]:.3f} ({low}) | "
            f"{of[high]:.3f} ({high}) |"
        )
        print(lines[-1], flush=True)
    return lines


def searches(rng: np.random.Generator, kind: str) -> tuple[np.ndarray, float, tuple[float, float]]:
    """Draw a table of five splits, the winner's true score, and the range of the metric."""
    if kind == "losses":
        sizes = np.append(np.full(12, 0.5), [2.0, 4.0, 8.0, 16.0])
        rows = -sizes * (rng.gamma(1.0, size=(100, 1)) + rng.gamma(1.0, size=(100, 16))) / 2
        truths, support = -sizes, (-np.inf, 0.0)
    else:
        size = 2 if kind == "pairs" else 1
        common = np.repeat(rng.normal(size=(100 // size, 1)), size, axis=0)
        own = np.repeat(rng.normal(size=(100 // size, 16)), size, axis=0)
        rows, truths, support = (common + own < 1.0) * 1.0, np.full(16, 0.760), (0.0, 1.0)
    scores = rows.reshape(5, 20, -1).mean(axis=1)
    return scores, float(truths[scores.mean(axis=0).argmax()]), support


def of_the_interval(n_draws: int) -> list[str]:
    kinds = ("single rows", "pairs", "losses")
    lines = [
        "| constant of the interval | "
        + " | ".join(f"{kind}: holds, width" for kind in kinds)
        + " |"
    ]
    lines.append("|:--|" + "--:|" * len(kinds))
    for name, (module, constants) in OF_THE_INTERVAL.items():
        cells = []
        with ExitStack() as patched:
            for constant, value in constants.items():
                patched.enter_context(patch.object(module, constant, value))
            for kind in kinds:
                rng, held, widths = np.random.default_rng(1), [], []
                for _ in range(10 * n_draws):
                    scores, truth, support = searches(rng, kind)
                    estimate = consensus(scores, support=support)
                    low, high = selection_interval(scores, estimate=estimate, support=support)
                    held.append(low <= truth <= high)
                    widths.append(high - low)
                cells.append(f"{100 * np.mean(held):.1f}%, {np.median(widths):.3f}")
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
        print(lines[-1], flush=True)
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--draws", type=int, default=60)
    parser.add_argument("--markdown", type=Path)
    options = parser.parse_args()
    lines = [*of_the_consensus(options.draws), "", *of_the_interval(options.draws)]
    if options.markdown:
        options.markdown.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
