"""Coverage and width of intervals for the winner's true score, on banked searches of known truth.

    python -m benchmarks.accuracy.intervals --bank PATH               # some minutes
    python -m benchmarks.accuracy.intervals --bank PATH --every 5     # every fifth search, rougher
    python -m benchmarks.accuracy.intervals --bank PATH --json out.json

PATH (or the environment variable SKMAXEV_BANK) is a folder with the banked searches and their
loader, `evaluate.py`. Ours is `selection_interval` around the consensus, from the table alone
("table"), with the numbers of rows ("counts") and their results ("rows"), around other estimates,
and at other levels. Beside it: the normal and the t interval, Nadeau and Bengio's, percentiles of
BBC over rows and over folds, and the peers honestboard and nestkit if they are installed. Coverage
in percent, then the share of truths below and above the interval, then the mean width, in
percentage points.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from scipy import stats

from benchmarks.accuracy.bank import load_bank, nested_scores, row_values
from skmaxev.estimators import (
    bbc,
    bbc_folds,
    efron_shrinkage,
    low_variance_cv,
    nadeau_bengio_interval,
    selection_interval,
)
from skmaxev.estimators.consensus import consensus
from skmaxev.table import Design

Interval = tuple[float, float]
Method = Callable[[Any], Interval]

UNIT = (0.0, 1.0)
LEVELS = (0.5, 0.8, 0.9, 0.99)


def counts(search: Any) -> dict[str, Design]:
    """Design with the rows that each split judges."""
    n_test = np.bincount(search.fold)
    design = Design(n_splits=len(n_test), test_share=1.0 / len(n_test), n_test=n_test)
    return {"design": design}


def sizes(search: Any) -> dict[str, float]:
    """Mean numbers of rows trained on and judged on."""
    n_test = float(np.bincount(search.fold).mean())
    return {"n_train": len(search.y) - n_test, "n_test": n_test}


def around(
    estimate: Callable[[Any], float], level: float = 0.95, *, counted: bool = True
) -> Method:
    """Our interval around some estimate."""

    def method(search: Any) -> Interval:
        return selection_interval(
            search.scores,
            estimate=float(estimate(search)),
            level=level,
            support=UNIT,
            **(counts(search) if counted else {}),
        )

    return method


def agreed(search: Any) -> float:
    """Estimate the winner's score by the default of the package."""
    return consensus(search.scores)


def from_all_rows(search: Any) -> Interval:
    """Our interval where the results of single rows are kept, as `correct` reports it."""
    rows = row_values(search)
    estimate = consensus(search.scores, row_values=rows, row_splits=search.fold)
    return selection_interval(
        search.scores, estimate=estimate, support=UNIT, row_values=rows, **counts(search)
    )


def around_mean(scores: np.ndarray, quantile: float) -> Interval:
    """Treat the scores of the splits as independent."""
    half = quantile * scores.std(ddof=1) / np.sqrt(len(scores))
    return scores.mean() - half, scores.mean() + half


def naive_normal(search: Any) -> Interval:
    winner = search.scores.mean(0).argmax()
    return around_mean(search.scores[:, winner], stats.norm.ppf(0.975))


def nested_t(search: Any) -> Interval:
    return around_mean(nested_scores(search), stats.t.ppf(0.975, len(search.scores) - 1))


def nested_nadeau_bengio(search: Any) -> Interval:
    return nadeau_bengio_interval(nested_scores(search), **sizes(search))


def bbc_rows(search: Any) -> Interval:
    return bbc(row_values(search), rng=0)[1:3]


def bbc_over_folds(search: Any) -> Interval:
    return bbc_folds(search.scores, rng=0)[1:3]


def peers(metric: str) -> dict[str, Method]:
    """Methods of the packages that are installed."""
    found: dict[str, Method] = {}
    try:
        from nestkit.comparison.statistical_tests import (
            nadeau_bengio_corrected_ttest as corrected_t,
        )

        def nestkit(search: Any) -> Interval:
            scores = nested_scores(search)
            result = corrected_t(scores, np.zeros(len(scores)), **sizes(search))
            return result["ci_lower"], result["ci_upper"]

        found["nestkit, nested"] = nestkit
    except ImportError:
        print("nestkit is left out: pip install nestkit")
    if metric != "accuracy":
        return found
    try:
        from honestboard import winner_adjusted

        def honestboard(search: Any) -> Interval:
            covariance = np.atleast_2d(np.cov(search.correct.T)) / len(search.y)
            low, high = winner_adjusted(search.correct.mean(0), covariance)["ci"]
            # It gives no interval where the winner's rows never vary: that holds nothing.
            return (low, high) if low <= high else (1.0, 1.0)

        found["honestboard"] = honestboard
    except ImportError:
        print("honestboard is left out: pip install honestboard")
    return found


def methods(metric: str) -> dict[str, Method]:
    """Every interval of 95% for a metric, by name."""
    table = {
        "ours, table": around(agreed, counted=False),
        "ours, counts": around(agreed),
        "ours, rows": from_all_rows,
        "ours round nested": around(lambda search: nested_scores(search).mean()),
        "ours round LVCV": around(lambda search: low_variance_cv(search.scores)),
        "ours round Efron": around(lambda search: efron_shrinkage(search.scores)),
        "naive, normal": naive_normal,
        "nested, t": nested_t,
        "nested, Nadeau-Bengio": nested_nadeau_bengio,
        "BBC": bbc_rows,
        "BBC-F": bbc_over_folds,
    }
    return table | peers(metric)


def measure(searches: list[Any], method: Method) -> np.ndarray:
    """Whether the truth is below and above the interval, and its width: (n_searches, 3)."""
    rows = []
    for search in searches:
        low, high = method(search)
        truth = search.truth[search.scores.mean(0).argmax()]
        rows.append((truth < low, truth > high, high - low))
    return 100.0 * np.array(rows, dtype=float)


def summary(rows: np.ndarray) -> dict[str, float]:
    """Coverage, misses on either side and width; nothing is said of endless intervals' mean."""
    below, above, width = rows.mean(axis=0)
    return {
        "cover": 100.0 - below - above,
        "below": below,
        "above": above,
        "width": width if np.isfinite(width) else None,
        "median_width": float(np.median(rows[:, 2])),
    }


def report(searches: list[Any], slices: dict[str, Any], metric: str) -> dict[str, Any]:
    """Measure and print every method on every slice."""
    facts = [
        {"source": s.source, "family": s.family, "n": len(s.y), "k": len(s.scores)}
        for s in searches
    ]
    chosen = {name: np.array([keep(fact) for fact in facts]) for name, keep in slices.items()}
    result: dict[str, Any] = {}
    for name, method in methods(metric).items():
        start = time.perf_counter()
        rows = measure(searches, method)
        result[name] = {
            part: summary(rows[mine]) for part, mine in chosen.items() if mine.sum() > 2
        }
        print(f"\n{metric}, {name} ({time.perf_counter() - start:.1f} s)")
        for part, numbers in result[name].items():
            width = "endless" if numbers["width"] is None else f"{numbers['width']:.1f}"
            print(
                f"  {part:12s} cover {numbers['cover']:5.1f}%  "
                f"(truth below {numbers['below']:4.1f}, above {numbers['above']:4.1f})  "
                f"width {width}, median {numbers['median_width']:.1f}"
            )
    print(f"\n{metric}, ours with counts at other levels")
    for level in LEVELS:
        rows = measure(searches, around(agreed, level))
        result[f"ours, counts, {level}"] = {"all": summary(rows)}
        print(f"  {100 * level:.0f}%: covers {100 - rows[:, :2].sum() / len(rows):.1f}%")
    return result


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--bank", default=os.environ.get("SKMAXEV_BANK"), type=Path)
    parser.add_argument("--metric", nargs="*", default=["accuracy", "roc_auc"])
    parser.add_argument("--every", type=int, default=1, help="take only every N-th search")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    if options.bank is None:
        parser.error("give the folder of the banked searches: --bank PATH or SKMAXEV_BANK")
    bank = load_bank(options.bank)
    slices = bank.SLICES | {
        "5 folds": lambda fact: fact["k"] == 5,
        "10 folds": lambda fact: fact["k"] == 10,
    }
    result = {}
    for metric in options.metric:
        searches = list(bank.load(None, metric))[:: options.every]
        result[metric] = report(searches, slices, metric)
    if options.json:
        options.json.write_text(json.dumps(result, indent=1, default=float))


if __name__ == "__main__":
    main()
