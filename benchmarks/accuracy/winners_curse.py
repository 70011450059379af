"""Measure by how much the best of many validation scores is too good, and what shrinkage leaves.

Candidates with normal true accuracies are scored on cases of their own; the best score wins. Every
figure stands beside the reference figure of the article "The Winner's Curse in Model Selection".

    python -m benchmarks.accuracy.winners_curse           # about half a minute
    python -m benchmarks.accuracy.winners_curse --quick   # some seconds, rougher
"""

from __future__ import annotations

import argparse

import numpy as np

from skmaxev.estimators import (
    efron_shrinkage,
    expected_maximum_of_normals,
    maximum,
    optimism_of_equal_candidates,
)

BASE, SPREAD = 0.80, 0.01
CASES = (200, 1000, 5000)

# Optimism in points by number of candidates, for 200, 1000 and 5000 cases.
OPTIMISM = {
    2: (1.49, 0.57, 0.16),
    5: (3.07, 1.15, 0.31),
    20: (4.82, 1.80, 0.49),
    100: (6.34, 2.37, 0.65),
    500: (7.51, 2.83, 0.77),
}
SPREADS = (0.0, 0.01, 0.03, 0.05)
OPTIMISM_BY_SPREAD = {100: (3.12, 2.38, 0.93, 0.42), 20: (2.34, 1.81, 0.77, 0.42)}
EXPECTED_MAXIMA = {5: 1.163, 20: 1.867, 100: 2.508}


def draw(k, n, spread, n_searches, rng):
    """Return true accuracies and scores, each (n_searches, k)."""
    truths = np.clip(rng.normal(BASE, spread, size=(n_searches, k)), 0.5, 0.99)
    return truths, rng.binomial(n, truths) / n


def true_score_of_winner(truths, scores):
    winner = scores.argmax(axis=1)[:, np.newaxis]
    return np.take_along_axis(truths, winner, axis=1)[:, 0]


def optimism(k, n, spread, n_searches, rng):
    """Return the mean optimism in percentage points."""
    truths, scores = draw(k, n, spread, n_searches, rng)
    return 100 * (maximum(scores[:, np.newaxis]) - true_score_of_winner(truths, scores)).mean()


def run_optimism(n_searches, rng):
    print("\noptimism in points (reference)\n    k" + "".join(f"{f'n={n}':>17}" for n in CASES))
    for k, references in OPTIMISM.items():
        cells = [
            f"{optimism(k, n, SPREAD, n_searches, rng):9.2f} ({reference:.2f}) "
            for n, reference in zip(CASES, references, strict=True)
        ]
        print(f"{k:5}" + "".join(cells), flush=True)


def run_spreads(n_searches, rng):
    print("\noptimism in points by the spread of the true accuracies, n=1000 (reference)")
    print("    k" + "".join(f"{spread:>16.2f} " for spread in SPREADS) + "  closed form at 0")
    for k, references in OPTIMISM_BY_SPREAD.items():
        cells = [
            f"{optimism(k, 1000, spread, n_searches, rng):9.2f} ({reference:.2f}) "
            for spread, reference in zip(SPREADS, references, strict=True)
        ]
        closed = 100 * optimism_of_equal_candidates(k, 1000, BASE)
        print(f"{k:5}" + "".join(cells) + f"{closed:9.2f}", flush=True)


def run_winner_and_shrinkage(n_searches, rng):
    truths, scores = draw(100, 1000, SPREAD, n_searches, rng)
    won = true_score_of_winner(truths, scores)
    best = truths.max(axis=1)
    print("\nk=100, n=1000, spread 0.01 (reference)")
    print(f"winner is the best      {100 * (won == best).mean():6.0f} %      (17 %)")
    print(f"shortfall of the winner {100 * (best - won).mean():6.2f} points (0.93)")
    grand = scores.mean(axis=1)
    estimates = np.array(
        [
            efron_shrinkage(row[np.newaxis], noise=centre * (1 - centre) / 1000)
            for row, centre in zip(scores, grand, strict=True)
        ]
    )
    kept = (estimates - grand).mean() / (scores.max(axis=1) - grand).mean()
    print(f"excess kept by Efron    {kept:6.2f}        (0.39)")
    print(f"bias left by Efron      {100 * (estimates - won).mean():+6.2f} points (about -0.1)")


def run_closed_forms():
    print("expected maximum of k standard normals (reference)")
    for k, reference in EXPECTED_MAXIMA.items():
        print(f"{k:5} {expected_maximum_of_normals(k):.4f} ({reference:.3f})")
    sigma = 100 * np.sqrt(BASE * (1 - BASE) / 1000)
    print(f"noise of one score, n=1000: {sigma:.2f} points (1.26)")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="a tenth of the searches")
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    rng = np.random.default_rng(args.seed)
    n_searches = 2_000 if args.quick else 20_000
    run_closed_forms()
    run_optimism(n_searches, rng)
    run_spreads(n_searches, rng)
    run_winner_and_shrinkage(n_searches, rng)


if __name__ == "__main__":
    main()
