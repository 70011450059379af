"""Time the searches against scikit-learn's: both sides in turns in one run, medians of repeats.

The group "jobs" compares two workers with one process, and takes the best of the turns.

    python -m benchmarks.speed.search                      # everything: ten minutes, if undisturbed
    python -m benchmarks.speed.search --quick              # small data, one repeat: does it run?
    python -m benchmarks.speed.search --only nested --repeats 5
    python -m benchmarks.speed.search --only jobs --repeats 5
    python -m benchmarks.speed.search --json docs/measured/speed.json

Ratios are the other side's figure over skmaxev's: above 1, skmaxev takes less. Processor seconds,
of all processes together, stand beside the clock: on a machine that others use too they are
what can be trusted. With ``--json`` a file that is there is brought up to date case by case, and
the tables for the documentation are those of the whole file.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import sklearn
from sklearn.datasets import load_breast_cancer

import skmaxev
from benchmarks.speed.cases import GROUPS as OTHERS
from benchmarks.speed.cases import Case, Works
from benchmarks.speed.measure import Figures, measured
from benchmarks.speed.submodels import submodel_cases
from skmaxev import NestedCVSearch

OURS = "skmaxev"
GROUPS = {**OTHERS, "submodels": submodel_cases}


def compare(case: Case, repeats: int, again: list[str]) -> dict[str, Any]:
    """Measure the sides in turns; check in the first turn that they did the same."""
    sides = {OURS: case.ours, **case.others}
    rows: dict[str, list[Figures]] = {name: [] for name in sides}
    for turn in range(min(repeats, case.most_repeats)):
        outcomes = []
        for name, side in sides.items():
            if case.fresh:
                rows[name].append(in_a_fresh_process([*again, "--side", case.name, name]))
            else:
                if case.prepare:
                    case.prepare()
                if case.warm:
                    side()
                figures, outcome = measured(side, memory=False)
                rows[name].append(figures)
                outcomes.append(outcome)
            print(f"  {case.name}, {turn + 1}: {name} {rows[name][-1]}", file=sys.stderr)
        check(outcomes)
    return summary(case, rows)


def in_a_fresh_process(arguments: list[str]) -> Figures:
    command = [sys.executable, "-m", "benchmarks.speed.search", *arguments]
    found: Figures = json.loads(subprocess.check_output(command))  # noqa: S603
    return found


def check(outcomes: list[Any]) -> None:
    """Make sure that all sides of nested searches have the same outer scores, to the last bit."""
    scores = [outcome[0] for outcome in outcomes if isinstance(outcome, tuple)]
    for other in scores[1:]:
        np.testing.assert_array_equal(scores[0], other)


def summary(case: Case, rows: dict[str, list[Figures]]) -> dict[str, Any]:
    middle = np.min if case.best else np.median
    typical = {
        name: {key: float(middle([row[key] for row in turns])) for key in turns[0]}
        for name, turns in rows.items()
    }
    against = min(case.others, key=lambda name: typical[name]["seconds"])
    ours, other = typical[OURS], typical[against]
    ratios = {key: other[key] / ours[key] for key in ours}
    return {
        "case": case.name,
        "against": against,
        "other": other,
        "skmaxev": ours,
        "ratio": ratios,
        "repeats": rows,
    }


def curve(*, quick: bool) -> Iterator[dict[str, float]]:
    """Time the nested search over candidates and folds, with fits of 0.1 ms."""
    X, y = load_breast_cancer(return_X_y=True)
    for n_folds, n_candidates in product((3, 5, 10) if quick else (3, 5, 10, 20), (10, 20, 40, 80)):
        search = NestedCVSearch(Works(), {"number": range(n_candidates)}, cv=n_folds, refit=False)
        figures, _ = measured(lambda search=search: search.fit(X, y), memory=False)
        print(f"  curve: K={n_folds}, {n_candidates} candidates {figures}", file=sys.stderr)
        yield {"folds": n_folds, "candidates": n_candidates, "fits": search.n_fits_, **figures}


def table(found: dict[str, Any]) -> str:
    """Write the figures as the documentation shows them."""
    lines = [
        "| case | against | its seconds | skmaxev | ratio | its CPU seconds | skmaxev | ratio |",
        "|:--|:--|--:|--:|--:|--:|--:|--:|",
    ]
    for row in found["cases"]:
        sides, ratio = (row["other"], row["skmaxev"]), row["ratio"]
        lines.append(
            f"| {row['case']} | {row['against']} | "
            + " | ".join(
                f"{sides[0][key]:.3g} | {sides[1][key]:.3g} | {ratio[key]:.2f}"
                for key in ("seconds", "cpu_seconds")
            )
            + " |"
        )
    heavy = [row for row in found["cases"] if "peak_mb" in row["ratio"]]
    if heavy:
        lines += ["", "| case | against | its MB at the peak | skmaxev | ratio |"]
        lines += ["|:--|:--|--:|--:|--:|"]
    for row in heavy:
        other, ours = row["other"]["peak_mb"], row["skmaxev"]["peak_mb"]
        name = f"| {row['case']} | {row['against']} "
        lines.append(f"{name}| {other:.0f} | {ours:.0f} | {row['ratio']['peak_mb']:.2f} |")
    return "\n".join([*lines, *_curve_table(found["curve"])]) + "\n"


def _curve_table(rows: list[dict[str, float]]) -> list[str]:
    if not rows:
        return []
    return [
        "",
        "| folds | candidates | fits | CPU seconds | ms a fit |",
        "|--:|--:|--:|--:|--:|",
        *(
            f"| {row['folds']} | {row['candidates']} | {row['fits']:,} | {row['cpu_seconds']:.2f} "
            f"| {1e3 * row['cpu_seconds'] / row['fits']:.2f} |"
            for row in rows
        ),
    ]


def save(path: Path, found: dict[str, Any]) -> dict[str, Any]:
    """Bring a file up to date; give all that it holds."""
    old = json.loads(path.read_text()) if path.exists() else {"cases": [], "curve": []}
    cases = {row["case"]: row for row in (*old["cases"], *found["cases"])}
    found = {
        "about": about(),
        "cases": list(cases.values()),
        "curve": found["curve"] or old["curve"],
    }
    path.write_text(json.dumps(found, indent=1) + "\n")
    return found


def about() -> dict[str, Any]:
    return {
        "python": platform.python_version(),
        "processors": os.cpu_count(),
        "scikit-learn": sklearn.__version__,
        "joblib": joblib.__version__,
        "numpy": np.__version__,
        "skmaxev": skmaxev.__version__,
    }


def read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="small data, one repeat")
    parser.add_argument("--only", choices=[*GROUPS, "curve"], nargs="*", help="some groups")
    parser.add_argument("--case", default="", help="only cases with this in their name")
    parser.add_argument("--repeats", type=int, default=3, help="turns of each case")
    parser.add_argument("--json", type=Path, help="file to keep the figures in")
    parser.add_argument("--side", nargs=2, help=argparse.SUPPRESS)  # what a fresh process runs
    return parser.parse_args()


def main() -> None:
    options = read_options()
    chosen = options.only or [*GROUPS, "curve"]
    again = ["--quick"] if options.quick else []
    found: dict[str, Any] = {"cases": [], "curve": []}
    for group in (name for name in GROUPS if name in chosen):
        for case in GROUPS[group](quick=options.quick):
            if options.side and options.side[0] == case.name:
                side = {OURS: case.ours, **case.others}[options.side[1]]
                print(json.dumps(measured(side, memory=not case.best)[0]))
                return
            if not options.side and options.case in case.name:
                repeats = 1 if options.quick else options.repeats
                found["cases"].append(compare(case, repeats, [*again, "--only", group]))
    if "curve" in chosen:
        found["curve"] = list(curve(quick=options.quick))
    print(table(save(options.json, found) if options.json else found))


if __name__ == "__main__":
    main()
