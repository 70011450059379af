"""What other tools say of a winner, beside ours, on searches of known truth.

    python -m benchmarks.accuracy.peers --bank PATH --markdown peers.md
    python -m benchmarks.accuracy.peers --n-searches 10              # searches of our own only
    python -m benchmarks.accuracy.peers --bank PATH --old-python PYTHON

Three groups, each with our figures on the very same searches. Banked searches (PATH, or the
environment variable SKMAXEV_BANK): tools that need scores or single rows. Fixed random parts of
them: honestboard's bootstrap, and multiple-inference (once conditional-inference), which needs
scipy below 1.12 and so, as a rule, an interpreter of its own, `--old-python`. And searches made
here, the first ones of `make_bank.py`: tools that fit models again. Tools that are not installed
are named and left out. An error is the reported score minus that of the winner, refitted on all
rows, on rows that the search never saw, in points. Estimates and intervals are cut to the range
of the metrics, 0 to 1. Where a tool gives no estimate the printed best score counts, where it
gives no interval only its share of answers tells. Seconds are of CPU and, in the third group,
include the search.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterable
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np
from sklearn import config_context

from benchmarks.accuracy.bank import load_bank, nested_scores, row_values
from benchmarks.accuracy.intervals import counts
from benchmarks.accuracy.peer_fits import (
    AFTER,
    TAIL,
    Answer,
    Method,
    answer_of,
    draw,
    from_folds,
    installed,
    known,
    on_made,
    printed,
)
from skmaxev import correct
from skmaxev.metrics import rows_from_responses
from skmaxev.table import Rows, ScoreTable

LEVEL = 1 - 2 * TAIL
SHARE = 0.005  # of the error that buys a hybrid interval its limits: a tenth, as its authors advise
PART, SMALL_PART = 120, 30  # banked searches for slow tools, about 0.4 and 3 s a search
OURS = ("ours, rows", "ours, table", "printed best score, normal", "nested, t")


# Tools that need scores or rows: each takes a banked search.


def ours_rows(search: Any) -> Answer:
    """Correct a search of this package, which keeps rows and their numbers."""
    if search.metric == "accuracy":
        rows = Rows.of_one_partition(search.fold, values=search.correct, y_true=search.y)
    else:
        rows = rows_from_responses(search.metric, search.y, search.responses.T, search.fold)
    table = ScoreTable(
        scores=search.scores,
        best_index=winner(search),
        metric=search.metric,
        support=(0.0, 1.0),
        rows=rows,
        **counts(search),
    )
    return answer_of(correct(table, level=LEVEL))


def ours_table(search: Any) -> Answer:
    """Correct a bare table of scores."""
    return answer_of(correct(search.scores, metric=search.metric, level=LEVEL))


def nested(search: Any) -> Answer:
    """Average the scores of the outer folds, with the t interval."""
    return from_folds(nested_scores(search))


def winner(search: Any) -> int:
    return int(search.scores.mean(axis=0).argmax())


def nestkit_interval() -> Method:
    """Nadeau and Bengio's interval of nestkit around nested scores."""
    from nestkit.comparison.statistical_tests import nadeau_bengio_corrected_ttest as corrected

    def method(search: Any) -> Answer:
        scores = nested_scores(search)
        sizes = {name: float(np.mean(value)) for name, value in counts(search).items()}
        result = corrected(scores, np.zeros(len(scores)), **sizes)
        return result["mean_difference"], result["ci_lower"], result["ci_upper"]

    return method


def normal_means(search: Any) -> tuple[np.ndarray, np.ndarray]:
    """Estimate means and their covariance from rows: more of them than splits."""
    rows = row_values(search)
    return search.scores.mean(axis=0), np.atleast_2d(np.cov(rows.T)) / len(rows)


def rivals(search: Any) -> np.ndarray:
    """Find the winner and all that it beat: conditioning on a tie says nothing."""
    means = search.scores.mean(axis=0)
    beaten = np.flatnonzero(means < means.max() - 1e-12)
    return np.sort(np.append(beaten, winner(search)))


def honestboard_bootstrap() -> Method:
    """Iterated bootstrap, what `Board.winner_adjusted` reports first; for outcomes of rows."""
    from honestboard import Board

    def method(search: Any) -> Answer:
        names = [str(index) for index in range(search.scores.shape[1])]
        board = Board(names=names, Y=search.correct.T)
        # winner_adjusted itself refuses a winner by mean of folds that is not one by rows.
        found = board.winner_bootstrap(alpha=1 - LEVEL, iterate=True, w=winner(search))
        return found["estimate"], *found["ci"]

    return method


def honestboard_normal(name: str) -> Callable[[], Method]:
    """Methods of honestboard for means with a known covariance."""

    def build() -> Method:
        import honestboard

        def method(search: Any) -> Answer:
            means, covariance = normal_means(search)
            some = None if name == "winner_zoom" else rivals(search)
            found = getattr(honestboard, name)(
                means, covariance, w=winner(search), alpha=1 - LEVEL, candidates=some
            )
            return found["estimate"], *found["ci"]

        return method

    return build


def on_bank() -> dict[str, Method]:
    """Collect what is installed."""
    found = {
        "ours, rows": ours_rows,
        "ours, table": ours_table,
        "printed best score, normal": printed,
        "nested, t": nested,
    }
    optional = {
        "nestkit: nested, Nadeau-Bengio": ("nestkit", nestkit_interval),
        "honestboard: conditional": ("honestboard", honestboard_normal("winner_adjusted")),
        "honestboard: hybrid": ("honestboard", honestboard_normal("winner_hybrid")),
        "honestboard: zoom": ("honestboard", honestboard_normal("winner_zoom")),
    }
    return found | installed(optional)


# multiple-inference: numbers in and out of another interpreter.

LAWS = (
    "conditional, rows",
    "hybrid, rows",
    "hybrid, table",
    "normal prior, rows",
    "nonparametric prior, rows",
)
BRIDGE = Path(__file__).with_name("peer_bridge.py")


def residual_covariance(scores: np.ndarray) -> np.ndarray:
    """Covariance of the means from what is left of a table without candidates and splits."""
    rest = scores - scores.mean(axis=0) - scores.mean(axis=1, keepdims=True) + scores.mean()
    n_splits = len(scores)
    return rest.T @ rest / (n_splits - 1) / n_splits


def for_inference(search: Any, source: str) -> tuple[np.ndarray, np.ndarray, int]:
    """Means, covariance and the winner's place, of candidates that vary and are not copies."""
    seen = search.scores if source == "table" else row_values(search)
    means, covariance = search.scores.mean(axis=0), residual_covariance(search.scores)
    if source == "rows":
        means, covariance = normal_means(search)
    kept, won = rivals(search), winner(search)
    kept = kept[(np.diag(covariance)[kept] > 1e-15) | (kept == won)]
    kept = kept[np.sort(np.unique(seen[:, kept].round(12), axis=1, return_index=True)[1])]
    # No other candidate has the winner's mean, so none is its copy.
    place = int(np.flatnonzero(kept == won)[0])
    return means[kept], covariance[np.ix_(kept, kept)], place


def multiple_inference(searches: list[Any], python: str) -> dict[str, np.ndarray]:
    """Run all its methods: (n_searches, 4), answers and seconds, by name."""
    given: dict[str, Any] = {"n": len(searches), "laws": json.dumps(LAWS)}
    for number, search in enumerate(searches):
        for source in ("rows", "table"):
            parts = zip("mci", for_inference(search, source), strict=True)
            given |= {f"{part}_{source}_{number}": value for part, value in parts}
    with tempfile.TemporaryDirectory() as folder:
        into, out = Path(folder, "in.npz"), Path(folder, "out.npz")
        np.savez(into, **given)
        command = [python, str(BRIDGE), str(into), str(out), str(TAIL), str(SHARE)]
        # It plots, which no one looks at.
        run = subprocess.run(  # noqa: S603
            command,
            env=os.environ | {"MPLBACKEND": "agg"},
            text=True,
            stderr=subprocess.PIPE,
            check=False,
        )
        if run.returncode:
            print(
                f"multiple-inference is left out ({run.stderr.strip().splitlines()[-1]}): "
                "pip install multiple-inference 'scipy<1.12', and --old-python with that python"
            )
            return {}
        print(run.stderr, end="")
        found = np.load(out)["found"].reshape(len(searches), len(LAWS), 4)
    return {f"multiple-inference: {name}": found[:, index] for index, name in enumerate(LAWS)}


# Measuring.


def timed(method: Method, given: Any) -> list[float]:
    start = time.process_time()
    answer = method(given)
    return [*answer, time.process_time() - start]


def run(methods: dict[str, Method], tasks: Iterable[Any]) -> dict[str, np.ndarray]:
    """Answers and seconds of every method: (n_tasks, 4), by name."""
    found: dict[str, list[list[float]]] = {name: [] for name in methods}
    for done, task in enumerate(tasks, start=1):
        for name, method in methods.items():
            found[name].append(timed(method, task))
        print(f"\r{done} searches", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    return {name: np.array(rows) for name, rows in found.items()}


def facts_of(searches: list[Any]) -> np.ndarray:
    """Winner's truth, printed score and the error that all candidates share: (n_searches, 3)."""
    means = [search.scores.mean(axis=0) for search in searches]
    return np.array(
        [
            (s.truth[m.argmax()], m.max(), (m - s.truth).mean())
            for s, m in zip(searches, means, strict=True)
        ]
    )


def summarise(answers: dict[str, np.ndarray], facts: np.ndarray) -> dict[str, dict[str, Any]]:
    """Columns of the table, for every method."""
    truth, best, shared = facts.T
    found = {}
    for name, (estimate, low, high, seconds) in ((k, v.T) for k, v in answers.items()):
        error = 100 * (np.clip(np.where(np.isnan(estimate), best, estimate), 0, 1) - truth)
        own = error - np.cov(error, shared)[0, 1] / shared.var(ddof=1) * shared
        given = ~(np.isnan(low) | np.isnan(high))
        ends = np.clip([low[given], high[given]], 0, 1)
        # Sums of floating numbers may miss a truth that an interval just reaches.
        holds = (ends[0] <= truth[given] + 1e-9) & (truth[given] <= ends[1] + 1e-9)
        found[name] = {
            "n": len(error),
            "bias": error.mean(),
            "bias_se": error.std(ddof=1) / np.sqrt(len(error)),
            "rmse": np.sqrt(np.square(error).mean()),
            "own_bias": own.mean(),
            "own_se": own.std(ddof=1) / np.sqrt(len(own)),
            "estimates": 100 * (1 - np.isnan(estimate).mean()),
            "intervals": 100 * given.mean(),
            "cover": 100 * holds.mean() if given.any() else None,
            "width": 100 * np.diff(ends, axis=0).mean() if given.any() else None,
            "seconds": seconds.mean(),
        }
    for numbers in found.values():
        numbers["ratio"] = numbers["rmse"] / found["nested, t"]["rmse"]
    return found


HEAD = (
    "| Tool | mean error | RMSE | of nested | own bias | holds | width | answers | seconds |\n"
    "|---|---|---|---|---|---|---|---|---|"
)


def as_markdown(methods: dict[str, dict[str, Any]]) -> str:
    lines = [HEAD]
    for name, s in methods.items():
        cover, width = "no interval", ""
        if s["cover"] is not None:
            cover, width = f"{s['cover']:.1f}%", f"{s['width']:.1f}"
        answers = f"{s['estimates']:.0f}, {s['intervals']:.0f}%"
        lines.append(
            f"| {name} | {s['bias']:+.2f} ± {s['bias_se']:.2f} | {s['rmse']:.2f} | "
            f"{s['ratio']:.3f} | {s['own_bias']:+.2f} ± {s['own_se']:.2f} | {cover} | {width} | "
            f"{answers} | {s['seconds']:.2g} |"
        )
    return "\n".join(lines)


def banked(options: argparse.Namespace, metric: str) -> dict[str, Any]:
    """All banked searches, and random parts of them for slow tools."""
    searches = list(load_bank(options.bank).load(None, metric))
    order = np.random.default_rng(0).permutation(len(searches))
    searches = [searches[index] for index in order[: options.searches]]
    facts, every = facts_of(searches), run(on_bank(), searches)
    result = {f"banked searches, {metric}": summarise(every, facts)}
    for size, tool in ((options.part, bootstrap_answers), (options.small_part, bridge_answers)):
        found = tool(searches[:size], options) if size else {}
        if found:
            same = {name: every[name][:size] for name in OURS}
            title = f"a part of the banked searches, {metric}, {next(iter(found)).split(':')[0]}"
            result[title] = summarise(same | found, facts[:size])
    return result


def bootstrap_answers(searches: list[Any], _options: Any) -> dict[str, np.ndarray]:
    """Run honestboard's bootstrap, which is for rows that are right or wrong."""
    if searches[0].metric != "accuracy":
        return {}
    tool = {"honestboard: iterated bootstrap": ("honestboard", honestboard_bootstrap)}
    methods = installed(tool)
    return run(methods, searches) if methods else {}


def bridge_answers(searches: list[Any], options: Any) -> dict[str, np.ndarray]:
    return multiple_inference(searches, options.old_python)


def refitted(options: argparse.Namespace, metric: str) -> dict[str, Any]:
    """Run the group on searches made here."""
    # Of fits this small, checking their arguments would take the larger part.
    with config_context(assume_finite=True, skip_parameter_validation=True):
        tasks = [draw(number, metric) for number in range(options.n_searches)]
        facts = facts_of([known(task) for task in tasks])
        methods = on_made(metric, options.resamples, nested=options.nested_tools)
        answers = run(methods, tasks)
    for name in set(AFTER) & set(answers):
        answers[name][:, 3] += [task.finished[1] for task in tasks]
    return {f"searches made here, {metric}": summarise(answers, facts)}


def versions() -> str:
    names = ("numpy", "scipy", "scikit-learn", "honestboard", "nestkit", "mlxtend", "nested-cv")
    found = [f"Python {sys.version.split()[0]}"]
    for name in names:
        try:
            found.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            found.append(f"{name} missing")
    return ", ".join(found)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--bank", default=os.environ.get("SKMAXEV_BANK"), type=Path)
    parser.add_argument("--metric", nargs="*", default=["accuracy", "roc_auc"])
    parser.add_argument("--searches", type=int, help="random part of the bank; all if omitted")
    parser.add_argument("--part", type=int, default=PART, help="searches for honestboard")
    parser.add_argument("--small-part", type=int, default=SMALL_PART, help="for the bridge")
    parser.add_argument("--n-searches", type=int, default=24, help="searches to be made; may be 0")
    parser.add_argument("--resamples", type=int, default=200, help="bootstrap fits of a winner")
    parser.add_argument("--nested-tools", action="store_true", help="nestkit, nested-cv: slow")
    parser.add_argument("--old-python", default=sys.executable, help="has multiple-inference")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--markdown", type=Path)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    start, tables = time.perf_counter(), [versions() + "."]
    result: dict[str, Any] = {}
    for metric in options.metric:
        found = banked(options, metric) if options.bank else {}
        found |= refitted(options, metric) if options.n_searches else {}
        for title, methods in found.items():
            tables.append(f"### {title} ({methods['nested, t']['n']})\n\n{as_markdown(methods)}")
            print(f"\n{tables[-1]}", flush=True)
        result |= found
    tables.append(f"Run time: {(time.perf_counter() - start) / 60:.0f} min.")
    print("\n" + tables[-1])
    if options.json:
        options.json.write_text(json.dumps(result, indent=1, default=float) + "\n")
    if options.markdown:
        options.markdown.write_text("\n\n".join(tables) + "\n")


if __name__ == "__main__":
    main()
