"""Reports against the truth by the design of the splits: folds, repeats, shuffles, groups, time.

    python -m benchmarks.accuracy.designs [--draws 100] [--markdown out.md]     # some minutes

The candidates are 25 fixed rules, right on a share of all rows that is known, and judged on 100
rows: nothing is trained, so what a report says of the winner can be held against the truth itself.
Without signal all are right on 75% of the rows; with signal their shares spread with a standard
deviation of 5 points. In the designs with groups the 100 rows are 20 groups of five, and a
candidate is right on all rows of a group or on none. Errors are mean errors in points, printed and
honest; "covers" is how often the 95% interval holds the truth, first from the scores of the splits
and their design, then with the results of single rows.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.model_selection import (
    GroupKFold,
    GroupShuffleSplit,
    KFold,
    LeaveOneOut,
    RepeatedKFold,
    ShuffleSplit,
    TimeSeriesSplit,
)

from skmaxev import SelectionReport, correct

N_ROWS, N_CANDIDATES, N_GROUPS = 100, 25, 20
GROUPS = np.repeat(np.arange(N_GROUPS), N_ROWS // N_GROUPS)
SPLITTERS: dict[str, Any] = {
    "5 folds": lambda seed: KFold(5, shuffle=True, random_state=seed),
    "5 folds, 4 times": lambda seed: RepeatedKFold(n_splits=5, n_repeats=4, random_state=seed),
    "10 folds, 10 times": lambda seed: RepeatedKFold(n_splits=10, n_repeats=10, random_state=seed),
    "100 shuffled splits": lambda seed: ShuffleSplit(100, test_size=0.2, random_state=seed),
    "leave one out": lambda _: LeaveOneOut(),
    "time series, 5 splits": lambda _: TimeSeriesSplit(5),
    "5 folds of groups": lambda seed: GroupKFold(5, shuffle=True, random_state=seed),
    "50 shuffled splits of groups": lambda seed: GroupShuffleSplit(
        50, test_size=0.2, random_state=seed
    ),
}


def draw(name: str, spread: float, seed: int) -> Iterator[tuple[SelectionReport, float]]:
    """Report on one search twice, without and with the results of rows; give the truth too."""
    rng, grouped = np.random.default_rng(seed), name.endswith("groups")
    truth = np.clip(rng.normal(0.75, spread, N_CANDIDATES), 0.0, 1.0)
    right = rng.random((N_GROUPS if grouped else N_ROWS, N_CANDIDATES)) < truth
    right = right[GROUPS] if grouped else right
    splits = list(SPLITTERS[name](seed).split(right, groups=GROUPS if grouped else None))
    scores = np.array([right[test].mean(axis=0) for _, test in splits])
    n_repeats = {"5 folds, 4 times": 4, "10 folds, 10 times": 10}.get(name, 1)
    n_repeats = len(splits) if "shuffled" in name else n_repeats
    fold = np.full((n_repeats, N_ROWS), -1)
    for number, (_, test) in enumerate(splits):
        fold[number * n_repeats // len(splits), test] = number
    y = np.arange(N_ROWS) % 2
    answers = np.where(right.T, y, 1 - y)[:, np.newaxis]
    clusters = {"clusters": GROUPS} if grouped else {}
    told = {"n_repeats": n_repeats, "test_share": len(splits[0][1]) / N_ROWS, **clusters}
    rows = {"y_true": y, "test_fold": fold, "responses": np.tile(answers, (1, n_repeats, 1))}
    for report in (
        correct(scores, metric="accuracy", **told),
        correct(metric="accuracy", **rows, **clusters),
    ):
        yield report, truth[report.best_index]


def measure(name: str, spread: float, n_draws: int) -> list[float]:
    """Give printed error, then honest error and coverage from scores and with rows."""
    found = np.empty((n_draws, 2, 3))
    for seed in range(n_draws):
        for place, (report, true) in enumerate(draw(name, spread, seed)):
            low, high = report.interval
            found[seed, place] = report.naive - true, report.estimate - true, low <= true <= high
    (printed, *alone), (_, *with_rows) = 100 * found.mean(axis=0)
    return [printed, *alone, *with_rows]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--draws", type=int, default=100)
    parser.add_argument("--markdown", type=Path)
    options = parser.parse_args()
    lines = [
        f"{options.draws} draws each.",
        "",
        "| splits | signal | printed error | honest, scores | covers | honest, rows | covers |",
        "|:--|:--|--:|--:|--:|--:|--:|",
    ]
    for name in SPLITTERS:
        for spread in (0.0, 0.05):
            p, e, c, re, rc = measure(name, spread, options.draws)
            signal = "yes" if spread else "no"
            lines.append(
                f"| {name} | {signal} | {p:+.1f} | {e:+.1f} | {c:.1f}% | {re:+.1f} | {rc:.1f}% |"
            )
            print(lines[-1], flush=True)
    if options.markdown:
        options.markdown.write_text("\n".join([*lines, ""]))


if __name__ == "__main__":
    main()
