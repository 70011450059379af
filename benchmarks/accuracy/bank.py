"""How close every estimator comes to the winner's true score, on banked searches of known truth.

    python -m benchmarks.accuracy.bank --bank PATH                 # about a minute
    python -m benchmarks.accuracy.bank --bank PATH --json out.json --markdown out.md

PATH (or the environment variable SKMAXEV_BANK) is a folder with the banked searches and their
loader, `evaluate.py`, which also measures. Printed per slice of searches and per method, in
percentage points: the mean error; the root mean squared error and its ratio to that of nested
cross-validation, which takes 3 to 5.5 times the fits for 5 to 10 folds; and the mean and the
standard deviation of the error after removing what all candidates of a search share, with the
standard error of that mean. Where a search keeps its rows, "consensus, rows" uses them for the
noise.

"Blind choice" is no method but the zero of that mean: for each split, the candidate that is best
by models that never saw the split, its score there against its own truth. Nothing has favoured it;
what is left is that good candidates err by something else than the average candidate does.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import sys
import time
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from benchmarks.accuracy.tweedie import tweedie
from skmaxev.estimators import (
    auc_influences,
    bbc_folds,
    consensus,
    efron_shrinkage,
    low_bias_cv,
    low_variance_cv,
    tibshirani,
)

BLIND = "blind choice"
SHOWN = ("naive", "LVCV", "EB", "BBC-F", "consensus", "consensus, rows")


def load_bank(path: Path) -> ModuleType:
    """Import the loader that lies beside the banked searches."""
    if not (path / "evaluate.py").is_file():
        sys.exit(f"no evaluate.py in {path}; give the folder of the banked searches with --bank")
    spec = importlib.util.spec_from_file_location("banked_searches", path / "evaluate.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def row_values(search: Any) -> Any:
    """Contribution of every row to the metric."""
    if search.metric == "accuracy":
        return search.correct
    return auc_influences(search.responses, search.y == 1, row_splits=search.fold)


def estimates(search: Any) -> dict[str, float]:
    """Estimate the winner's score by every method of the package."""
    scores, rows = search.scores, row_values(search)
    lvcv, efron = low_variance_cv(scores), efron_shrinkage(scores)
    return {
        "LVCV": lvcv,
        "LBCV": low_bias_cv(scores),
        "EB": efron,
        "mean of LVCV and EB": (lvcv + efron) / 2,
        "Tweedie": tweedie(scores),
        "TT": tibshirani(scores),
        "BBC-F": bbc_folds(scores, n_resamples=200, rng=0).estimate,
        "consensus": consensus(scores),
        "consensus, rows": consensus(scores, row_values=rows, row_splits=search.fold),
    }


def outer_winners(search: Any) -> np.ndarray:
    """Choose for every outer fold by the models that never saw it; inner and outer are shared."""
    return search.inner.sum(axis=1).argmax(axis=1)


def nested_scores(search: Any) -> np.ndarray:
    """Judge the winner of every outer fold."""
    winners = outer_winners(search)
    return search.scores[np.arange(len(winners)), winners]


def blind_error(search: Any) -> float:
    """Mean error of candidates that are judged by a split which had no part in their choice."""
    return float((nested_scores(search) - search.truth[outer_winners(search)]).mean())


def measure(bank: ModuleType, metric: str) -> dict[str, Any]:
    """Summarise the errors of all methods in every slice."""
    rows = []
    for search in bank.load(None, metric):
        found = {"naive": bank.naive(search)[0], "nested": bank.nested(search)[0]}
        found |= estimates(search)
        means = search.scores.mean(0)
        won = search.truth[means.argmax()]
        facts = {"source": search.source, "family": search.family, "n": len(search.y)}
        facts |= {"k": len(search.scores), "shared": 100 * (means - search.truth).mean()}
        wrong = {name: value - won for name, value in found.items()}
        wrong[BLIND] = blind_error(search)
        errors = {name: (100 * error, None, None) for name, error in wrong.items()}
        rows.append(facts | errors)
    result = {}
    for title, keep in bank.SLICES.items():
        part = [row for row in rows if keep(row)]
        result[title] = bank.summarise(part, errors)
        for numbers in result[title].values():
            numbers["ratio"] = numbers["rmse"] / result[title]["nested"]["rmse"]
    return result


def show(result: dict[str, Any]) -> None:
    for title, methods in result.items():
        print(f"{title} ({methods['nested']['n']} searches)")
        for name, s in methods.items():
            print(
                f"  {name:20s} bias {s['bias']:+6.2f}  rmse {s['rmse']:5.2f} = {s['ratio']:.3f} of "
                f"nested  own bias {s['own_bias']:+6.2f} ±{s['own_se']:.2f} sd {s['own_sd']:.2f}"
            )


def as_markdown(result: dict[str, Any]) -> str:
    """Write one table of all searches and one of the slices."""
    lines = [
        "| Method | mean error | RMSE | of nested | own bias | own sd |",
        "|---|---|---|---|---|---|",
    ]
    for name, s in result["all"].items():
        lines.append(
            f"| {name} | {s['bias']:+.2f} | {s['rmse']:.2f} | {s['ratio']:.3f} | "
            f"{s['own_bias']:+.2f} ± {s['own_se']:.2f} | {s['own_sd']:.2f} |"
        )
    lines += [
        "",
        "RMSE as a share of nested cross-validation's and, in brackets, own bias:",
        "",
        "| Searches | " + " | ".join(SHOWN) + " | least RMSE |",
        "|---|" + "---|" * (len(SHOWN) + 1),
    ]
    for title, methods in result.items():
        cells = [f"{methods[k]['ratio']:.3f} ({methods[k]['own_bias']:+.2f})" for k in SHOWN]
        least = min(set(methods) - {BLIND}, key=lambda name: methods[name]["rmse"])
        count = methods["nested"]["n"]
        lines.append(f"| {title} ({count}) | " + " | ".join(cells) + f" | {least} |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--bank", default=os.environ.get("SKMAXEV_BANK"), type=Path)
    parser.add_argument("--metric", nargs="*", default=["accuracy", "roc_auc"])
    parser.add_argument("--json", type=Path)
    parser.add_argument("--markdown", type=Path)
    options = parser.parse_args()
    if options.bank is None:
        parser.error("give the folder of the banked searches: --bank PATH or SKMAXEV_BANK")
    bank, start = load_bank(options.bank), time.perf_counter()
    result = {}
    for metric in options.metric:
        result[metric] = measure(bank, metric)
        print(f"\n{metric}")
        show(result[metric])
    if options.json:
        options.json.write_text(json.dumps(result, indent=1, default=float) + "\n")
    if options.markdown:
        tables = [f"### {metric}\n\n{as_markdown(result[metric])}\n" for metric in result]
        took = f"Run time: {time.perf_counter() - start:.0f} s.\n"
        options.markdown.write_text("\n".join([took, *tables]))


if __name__ == "__main__":
    main()
