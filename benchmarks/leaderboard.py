"""`correct_leaderboard` where nobody knows how much of their noise the submissions share.

    python -m benchmarks.leaderboard

The root mean squared error is against the winner's true score, as a share of the public score's.
Scores are 0.8 with a standard error of 0.02; unequal ones have true scores with a standard
deviation as large. Four minutes.
"""

from __future__ import annotations

import numpy as np

from skmaxev.kaggle import correct_leaderboard

ERROR, N_DRAWS = 0.02, 1000


def cell(size, spread, correlation, rng):
    """Share of intervals that hold the truth, and the error beside that of the public score."""
    held, errors, printed = [], [], []
    for _ in range(N_DRAWS):
        true = 0.8 + spread * rng.standard_normal(size)
        shared, own = rng.standard_normal(), rng.standard_normal(size)
        noise = np.sqrt(correlation) * shared + np.sqrt(1 - correlation) * own
        report = correct_leaderboard(true + ERROR * noise, standard_error=ERROR)
        truth = true[report.best_index]
        held.append(report.interval[0] <= truth <= report.interval[1])
        errors.append(report.estimate - truth)
        printed.append(report.naive - truth)
    ratio = np.sqrt(np.mean(np.square(errors)) / np.mean(np.square(printed)))
    return np.mean(held), ratio


def main():
    print("| submissions | true scores | correlation | 95% interval holds | error |")
    print("|--:|:--|--:|--:|--:|")
    for size in (20, 200):
        for name, spread in (("equal", 0.0), ("unequal", ERROR)):
            for correlation in (0.0, 0.5, 0.7, 0.9, 0.97):
                rng = np.random.default_rng([size, int(spread > 0), int(100 * correlation)])
                held, ratio = cell(size, spread, correlation, rng)
                line = f"| {size} | {name} | {correlation:g} | {100 * held:.1f}% | {ratio:.3f} |"
                print(line, flush=True)


if __name__ == "__main__":
    main()
