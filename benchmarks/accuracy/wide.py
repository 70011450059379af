"""How the correction fares on 14 metrics, with repeats and with fits that can be bought.

    python -m benchmarks.accuracy.wide --bank PATH [--markdown out.md] [--pictures DIR]

PATH is a folder with the wide bank and its loader, `evaluate.py`, which measures and says what its
columns mean: errors are shares of the error of nested cross-validation by fold, task and metric by
task and metric. Takes about ten minutes.

Compared are the printed score, nested cross-validation, and `correct`: from the scores alone,
with the predictions, after three repeats of the whole search, and with the better candidates
judged again.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.accuracy.bank import load_bank
from skmaxev import SelectionReport, correct
from skmaxev.correction._again import report_again, true_scores

N_REPEATS, N_FRESH, CONTENDERS = 3, 3, (3, 2, 1)
NAMES = {
    "printed": "printed best score, normal interval",
    "nested": "nested cross-validation, t",
    "from scores": "`correct`, scores alone",
    "with predictions": "`correct`, with predictions",
    "three repeats": "`correct`, three repeats of the search",
    "judged again": "`judge_again`, three partitions",
}

Answer = tuple[int, float, float, float]


def from_scores(search: Any) -> SelectionReport:
    return correct(search.scores, metric=search.metric)


def with_predictions(search: Any) -> SelectionReport:
    return correct(
        search.scores,
        metric=search.metric,
        y_true=search.y,
        responses=search.responses[0],
        test_fold=search.fold[0],
    )


def answer_of(report: SelectionReport) -> Answer:
    low, high = report.interval or (np.nan, np.nan)
    return report.best_index, report.estimate, low, high


def three_repeats(search: Any) -> Answer:
    n_repeats = min(N_REPEATS, search.n_repeats + 1)
    scores = search.repeated(n_repeats)
    report = correct(
        scores,
        metric=search.metric,
        y_true=search.y,
        responses=np.swapaxes(search.responses[:n_repeats], 0, 1),
        test_fold=search.fold[:n_repeats],
    )
    return answer_of(report)


def judged_again(search: Any) -> Answer:
    """Judge three candidates again on a fresh partition, two on the next, one on the last."""
    report = with_predictions(search)
    table = report.table
    if table is None:
        raise TypeError("a report of correct holds its table")
    n_fresh = min(N_FRESH, search.n_repeats)
    fresh = np.full((n_fresh, table.n_candidates), np.nan)
    estimates = table.scores.mean(axis=0)
    estimates[report.best_index] = np.inf
    for number in range(n_fresh):
        for candidate in np.argsort(-np.nan_to_num(estimates, nan=-np.inf))[: CONTENDERS[number]]:
            fresh[number, candidate] = search.again(candidate, number + 1).mean()
        estimates = true_scores(table, fresh[: number + 1])
    return answer_of(report_again(report, fresh, n_fits=search.bought))


def methods(bank: Any) -> dict[str, Any]:
    return {
        "printed": bank.naive,
        "nested": bank.nested,
        "from scores": from_scores,
        "with predictions": with_predictions,
        "three repeats": three_repeats,
        "judged again": judged_again,
    }


def to_markdown(table: dict[str, dict[str, Any]]) -> str:
    lines = []
    for slice_name, found in table.items():
        lines += [f"**{slice_name}**", "", "| | error | bias | covers | width | fits bought |"]
        lines += ["|:--|--:|--:|--:|--:|--:|"]
        lines += [
            f"| {NAMES[name]} | {s['rmse']:.3f} ± {s['se']:.3f} | {s['bias']:+.2f} | "
            f"{100 * s['cover']:.1f}% | {s['width']:.2f} | {100 * s['bought']:.0f}% |"
            for name, s in found.items()
        ]
        lines.append("")
    return "\n".join(lines)


def draw(table: dict[str, dict[str, Any]], folder: Path) -> None:
    """Draw the error by metric, and coverage against width."""
    import matplotlib.pyplot as plt

    metrics = [name for name in table if "," in name]
    shown = [name for name in NAMES if name != "printed"]
    figure, axes = plt.subplots(figsize=(8, 5), layout="constrained")
    for place, name in enumerate(shown):
        at = np.arange(len(metrics)) + 0.16 * (place - len(shown) / 2)
        errors = [table[metric][name]["rmse"] for metric in metrics]
        spreads = [table[metric][name]["se"] for metric in metrics]
        axes.errorbar(errors, at, xerr=spreads, fmt="o", ms=4, label=NAMES[name])
    axes.set_yticks(range(len(metrics)), [name.partition(", ")[2] for name in metrics])
    axes.set_xlabel("error, as a share of that of nested cross-validation")
    axes.invert_yaxis()
    figure.legend(loc="outside lower center", ncols=2, fontsize="small")
    figure.savefig(folder / "wide_error.png", dpi=150)
    figure, axes = plt.subplots(figsize=(8, 5), layout="constrained")
    for name, label in NAMES.items():
        widths = [table[metric][name]["width"] for metric in metrics]
        covers = [100 * table[metric][name]["cover"] for metric in metrics]
        axes.scatter(widths, covers, s=25, label=label)
    axes.axhline(95, color="gray", lw=1)
    axes.set_xlabel("median width, as a share of that of nested cross-validation's t interval")
    axes.set_ylabel("95% intervals that hold the truth, %")
    figure.legend(loc="outside lower center", ncols=2, fontsize="small")
    figure.savefig(folder / "wide_coverage.png", dpi=150)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--bank", type=Path, required=True)
    parser.add_argument("--markdown", type=Path)
    parser.add_argument("--pictures", type=Path)
    args = parser.parse_args()
    bank = load_bank(args.bank)
    compared = methods(bank)
    table = bank.show(bank.evaluate(compared), list(compared))
    if args.markdown:
        args.markdown.write_text(to_markdown(table))
    if args.pictures:
        draw(table, args.pictures)


if __name__ == "__main__":
    main()
