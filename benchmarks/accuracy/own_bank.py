"""Errors and intervals of every estimator on the searches that `make_bank.py` makes.

    python -m benchmarks.accuracy.make_bank --out DIR
    python -m benchmarks.accuracy.own_bank DIR --json own_bank.json --markdown own_bank.md

Everything is what `skmaxev.correct` reports for a search. An error is the reported score minus the
score, on rows that the search never saw, of its winner refitted on all its rows. All are times 100:
points of accuracy, of the area under the curve and of R2, hundredths of a nat for the log loss, and
percent of the target's variance for squared errors; scores are higher-is-better, so a positive
error is a score that looks too good. "Own" is what remains of an error after removing what the
candidates of a search share (the median of their errors, by regression over the searches): the luck
of the rows, and that models of the search train on fewer rows than the one that is deployed.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from scipy import special, stats

from skmaxev import correct
from skmaxev.metrics import rows_from_responses, support_of
from skmaxev.table import OuterFolds, Rows, ScoreTable

METRICS = ("accuracy", "roc_auc", "neg_log_loss", "neg_mean_squared_error", "r2")
NAMES = {
    "naive": "naive, normal",
    "NESTED": "nested, t",
    "LVCV": "LVCV",
    "EB": "EB",
    "CONSENSUS": "consensus",
    "rows": "consensus, rows",
}
LEVEL = 0.95
MANY = 1000  # rows behind a truth whose own noise is small beside that of a search


@dataclass(frozen=True)
class Finished:
    """A search of the bank, for one metric."""

    table: ScoreTable
    truth: np.ndarray
    facts: dict[str, Any]


def load(folder: Path, metric: str) -> Iterator[Finished]:
    """Read the searches that have a metric."""
    for path in sorted(folder.glob("*-*.npz")):
        with np.load(path) as kept:
            facts = json.loads(str(kept["facts"]))
            if metric in facts["metrics"]:
                table = table_of(kept, metric)
                yield Finished(table, kept[f"truth_{metric}"], facts | {"n": len(kept["y"])})


def table_of(kept: Any, metric: str) -> ScoreTable:
    scores, outer = kept[f"scores_{metric}"], kept[f"outer_{metric}"]
    n_train, n_test = kept["n_train"], kept["n_test"]
    return ScoreTable(
        scores=scores,
        best_index=int(scores.mean(axis=0).argmax()),
        metric=metric,
        n_train=n_train,
        n_test=n_test,
        support=support_of(metric, scores),
        rows=rows_of(kept, metric),
        outer=OuterFolds(
            scores=outer,
            best_index=np.zeros(len(outer), dtype=np.intp),
            n_train=n_train,
            n_test=n_test,
            shared=True,
        ),
    )


def rows_of(kept: Any, metric: str) -> Rows | None:
    """Single rows of a metric, from the responses that were kept for all metrics together."""
    if "rows" not in kept or metric == "r2":
        return None
    found, y, fold, decides = kept["rows"].astype(float), kept["y"], kept["fold"], kept["decides"]
    if metric == "roc_auc":
        return rows_from_responses(metric, y, found.T, fold)
    if metric == "neg_mean_squared_error":
        return Rows.of_one_partition(fold, values=found)
    positive = (y == 1)[:, None]
    if metric == "accuracy":
        right = (found > np.where(decides, 0.0, 0.5)) == positive
        return Rows.of_one_partition(fold, values=right.astype(float), y_true=y)
    chances = np.where(decides, special.expit(found), found)
    return rows_from_responses(metric, y, chances.T, fold)


def around(scores: np.ndarray, quantile: float) -> tuple[float, float]:
    half = quantile * scores.std(ddof=1) / np.sqrt(len(scores))
    return scores.mean() - half, scores.mean() + half


def judge(search: Finished) -> dict[str, tuple[float, float, float]]:
    """Estimate and interval by every method."""
    table = search.table
    bare = replace(table, rows=None)
    above = (1 + LEVEL) / 2
    found = {
        "naive": (
            table.scores.mean(axis=0).max(),
            *around(table.scores[:, table.best_index], stats.norm.ppf(above)),
        ),
        "NESTED": (
            table.outer.scores.mean(),
            *around(table.outer.scores, stats.t.ppf(above, table.n_splits - 1)),
        ),
    }
    for method in ("LVCV", "EB", "CONSENSUS"):
        report = correct(bare, method=method, level=LEVEL)
        found[method] = (report.estimate, *report.interval)
    if table.rows is not None:
        report = correct(table, level=LEVEL)
        found["rows"] = (report.estimate, *report.interval)
    return found


def measure(searches: list[Finished]) -> dict[str, np.ndarray]:
    """Error, misses on either side, width, shared error: shape (n_searches, 5), by method."""
    found: dict[str, list[tuple[float, ...]]] = {}
    for search in searches:
        truth = search.truth[search.table.best_index]
        shared = 100 * float(np.median(search.table.scores.mean(axis=0) - search.truth))
        for name, (estimate, low, high) in judge(search).items():
            off, width = 100 * (estimate - truth), 100 * (high - low)
            row = (off, truth < low, truth > high, width, shared)
            found.setdefault(name, []).append(row)
    return {name: np.array(rows, dtype=float) for name, rows in found.items()}


def summary(rows: dict[str, np.ndarray], mine: np.ndarray) -> dict[str, dict[str, float]]:
    """Summarise some of the searches."""
    nested = root_mean_square(rows["NESTED"][mine, 0])
    found = {}
    for name, every in rows.items():
        error, below, above, width, shared = every[mine].T
        own = error - np.cov(error, shared)[0, 1] / shared.var(ddof=1) * shared
        covered = 1 - below - above
        size = len(error)
        found[name] = {
            "n": size,
            "bias": error.mean(),
            "bias_se": error.std(ddof=1) / np.sqrt(size),
            "rmse": root_mean_square(error),
            "ratio": root_mean_square(error) / nested,
            "ratio_se": ratio_error(error, rows["NESTED"][mine, 0]),
            "own_bias": own.mean(),
            "own_se": own.std(ddof=1) / np.sqrt(size),
            "own_sd": own.std(ddof=1),
            "median_error": float(np.median(np.abs(error))),
            "cover": 100 * covered.mean(),
            "cover_se": 100 * np.sqrt(covered.mean() * (1 - covered.mean()) / size),
            "below": 100 * below.mean(),
            "above": 100 * above.mean(),
            "width": width.mean(),
            "median_width": float(np.median(width)),
        }
    return found


def root_mean_square(errors: np.ndarray) -> float:
    return float(np.sqrt(np.square(errors).mean()))


def ratio_error(errors: np.ndarray, others: np.ndarray) -> float:
    """Standard error of a ratio of root mean squares over the same searches, by the bootstrap."""
    draws = np.random.default_rng(0).integers(len(errors), size=(1000, len(errors)))
    squares = np.square(errors)[draws].mean(axis=1), np.square(others)[draws].mean(axis=1)
    return float(np.sqrt(squares[0] / squares[1]).std())


SLICES = {
    "all": lambda search: True,  # noqa: ARG005
    "made data": lambda search: search.facts["source"] in MADE,
    "no signal": lambda search: search.facts["source"] == "no signal",
    f"truth of {MANY} rows": lambda search: search.facts["n_truth"] >= MANY,
    "truth of fewer": lambda search: search.facts["n_truth"] < MANY,
    "60 to 99 rows": lambda search: search.facts["n"] < 100,
    "100 rows and more": lambda search: search.facts["n"] >= 100,
    **{
        kind: lambda search, kind=kind: search.facts["family"] == kind
        for kind in ("svc", "svr", "knn", "tree", "logit", "ridge", "mix")
    },
}
MADE = (
    "made, 4 of 10",
    "made, 3 of 20",
    "no signal",
    "Friedman 1",
    "Friedman 1, noisy",
    "Friedman 3",
    "linear, 5 of 20",
)
LEAST = 5  # searches that a slice must have


def evaluate(folder: Path, metric: str) -> dict[str, Any]:
    """Summaries of every slice of the searches that have a metric."""
    searches = list(load(folder, metric))
    rows = measure(searches)
    found = {}
    for title, keep in SLICES.items():
        mine = np.array([keep(search) for search in searches], dtype=bool)
        if mine.sum() >= LEAST or title == "all":
            found[title] = summary(rows, mine)
    return found


def together(result: dict[str, Any]) -> dict[str, dict[str, float]]:
    """Metrics have no unit in common: geometric mean of the ratios to nested, mean coverage."""
    found = {}
    for name in NAMES:
        parts = [m["all"][name] for m in result.values() if name in m["all"]]
        same = [m["all"]["NESTED"] for m in result.values() if name in m["all"]]
        medians = [p["median_error"] / n["median_error"] for p, n in zip(parts, same, strict=True)]
        widths = [p["median_width"] / n["median_width"] for p, n in zip(parts, same, strict=True)]
        found[name] = {
            "ratio": float(np.exp(np.mean([np.log(part["ratio"]) for part in parts]))),
            "median_ratio": float(np.exp(np.mean(np.log(medians)))),
            "cover": float(np.mean([part["cover"] for part in parts])),
            "median_width_ratio": float(np.exp(np.mean(np.log(widths)))),
        }
    return found


def as_markdown(result: dict[str, Any]) -> str:
    """Write a table over all metrics, one for every metric, and the slices of the consensus."""
    head = (
        "| Method | mean error | RMSE | of nested | own bias | own sd | median error | covers | "
        "below, above | width |\n|---|---|---|---|---|---|---|---|---|---|"
    )
    lines = [
        "| All metrics | RMSE of nested | median error of nested | covers | width of nested |",
        "|---|---|---|---|---|",
    ]
    for name, s in together(result).items():
        lines.append(
            f"| {NAMES[name]} | {s['ratio']:.3f} | {s['median_ratio']:.3f} | "
            f"{s['cover']:.1f}% | {s['median_width_ratio']:.2f} |"
        )
    for metric, slices in result.items():
        lines += ["", f"### {metric} ({slices['all']['NESTED']['n']} searches)", "", head]
        for name, s in slices["all"].items():
            lines.append(
                f"| {NAMES[name]} | {s['bias']:+.2f} ± {s['bias_se']:.2f} | {s['rmse']:.2f} | "
                f"{s['ratio']:.3f} ± {s['ratio_se']:.3f} | "
                f"{s['own_bias']:+.2f} ± {s['own_se']:.2f} | {s['own_sd']:.2f} | "
                f"{s['median_error']:.2f} | "
                f"{s['cover']:.0f} ± {s['cover_se']:.0f}% | {s['below']:.0f}, {s['above']:.0f}% | "
                f"{s['median_width']:.1f} |"
            )
    lines += ["", "### By kind of search", "", *slice_lines(result)]
    return "\n".join(lines)


def slice_lines(result: dict[str, Any]) -> list[str]:
    """RMSE of the consensus as a share of nested's, its mean error and coverage."""
    lines = ["| Searches | " + " | ".join(result) + " |", "|---|" + "---|" * len(result)]
    for title in SLICES:
        cells = []
        for slices in result.values():
            methods = slices.get(title)
            if methods is None:
                cells.append("")
                continue
            s = methods.get("rows", methods["CONSENSUS"])
            cells.append(f"{s['ratio']:.2f} ({s['bias']:+.1f}), {s['cover']:.0f}% of {s['n']}")
        lines.append(f"| {title} | " + " | ".join(cells) + " |")
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("bank", type=Path, help="folder that make_bank.py has filled")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--markdown", type=Path)
    options = parser.parse_args()
    result = {metric: evaluate(options.bank, metric) for metric in METRICS}
    tables = as_markdown(result)
    print(tables)
    if options.json:
        whole = {"together": together(result), "metrics": result}
        options.json.write_text(json.dumps(whole, indent=1, default=float) + "\n")
    if options.markdown:
        options.markdown.write_text(tables + "\n")


if __name__ == "__main__":
    main()
