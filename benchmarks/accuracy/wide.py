"""How close the reported score comes to the winner's true one, metric by metric.

    python -m benchmarks.accuracy.make_bank --out DIR         # some minutes on two cores
    python -m benchmarks.accuracy.wide --bank DIR [--markdown out.md] [--pictures FOLDER]

DIR is what `make_bank.py` has filled, or a larger bank with a loader of its own, `evaluate.py`.
Compared are the printed score, nested cross-validation with its outer winners judged fold by fold,
and, where the metric is one to pool, on all their predictions together, and `correct`: from the
scores alone, with the predictions, after three repeats of the whole search, and with the better
candidates judged again.

Errors and biases are shares of the root mean squared error of nested cross-validation by fold, task
by task and metric by metric, so that metrics can be put together; "of the better" takes the better
of both forms of nested cross-validation instead. Widths are those of intervals of 95%, as shares of
the width of nested cross-validation's t interval, in the median. Standard errors are from 300
resamples of the searches. A bias above zero is a score that looks too good.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from scipy import special, stats

from benchmarks.accuracy.banked import Banked, load
from skmaxev import SelectionReport, correct
from skmaxev.correction import true_scores
from skmaxev.metrics import METRICS, scores_from_responses

N_REPEATS, CONTENDERS, N_RESAMPLES = 3, (3, 2, 1), 300
NAMES = {
    "printed": "printed best score, normal interval",
    "nested": "nested cross-validation, t",
    "nested, pooled": "nested, predictions of its winners pooled",
    "from scores": "`correct`, scores alone",
    "with predictions": "`correct`, with predictions",
    "three repeats": "`correct`, three repeats of the search",
    "judged again": "`judge_again`, three partitions",
}
PLAIN = {name: label.replace("`", "") for name, label in NAMES.items()}
COLORS = dict(zip(NAMES, ("C7", "C1", "C0", "C8", "C2", "C4", "C3"), strict=True))

Answer = tuple[int, float, float, float]
"""Candidate that is deployed, its estimate, and the ends of the interval."""
Errors = dict[str, np.ndarray]
"""One row of error, coverage, width, fits bought and regret a method."""


def around_mean(scores: np.ndarray, quantile: float) -> tuple[float, float, float]:
    """Treat the scores of the splits as independent."""
    half = quantile * scores.std(ddof=1) / np.sqrt(len(scores))
    return scores.mean(), scores.mean() - half, scores.mean() + half


def winner_of(search: Banked) -> int:
    return int(search.table.mean(axis=0).argmax())


def printed(search: Banked) -> Answer:
    winner = winner_of(search)
    return winner, *around_mean(search.table[:, winner], stats.norm.ppf(0.975))


def nested(search: Banked) -> Answer:
    search.bought = search.table.size * (len(search.table) - 1) // 2  # with shared folds
    outer = search.table[np.arange(len(search.table)), search.outer_winners]
    return winner_of(search), *around_mean(outer, stats.t.ppf(0.975, len(outer) - 1))


def nested_pooled(search: Banked) -> Answer:
    """Judge the predictions of the outer winners together, where the metric is one to pool."""
    known = METRICS[search.metric]
    winner, mean, *_ = nested(search)
    if not known.pooled or search.responses is None:
        return winner, mean, np.nan, np.nan
    said = search.responses[:, 0].astype(float)
    if search.task == "binary":  # decision values of some, probabilities of others
        decides = ((said < 0.0) | (said > 1.0)).any(axis=1)
        said[decides] = special.expit(said[decides])
    outer = said[search.outer_winners[search.fold[0]], np.arange(len(search.y))]
    found = scores_from_responses(search.metric, search.y, outer[np.newaxis], 0 * search.fold[0])
    return winner, float(found[0, 0]), np.nan, np.nan


def answer_of(report: SelectionReport) -> Answer:
    low, high = report.interval or (np.nan, np.nan)
    sign = 1.0 if report.greater_is_better else -1.0
    low, high = sorted((sign * low, sign * high))
    return report.best_index, sign * report.estimate, low, high


def from_scores(search: Banked) -> Answer:
    return answer_of(correct(search.table, metric=search.metric))


def corrected(search: Banked, n_repeats: int) -> SelectionReport:
    return correct(
        search.scores[:n_repeats].reshape(-1, search.table.shape[1]),
        metric=search.metric,
        y_true=search.y,
        responses=search.responses[:, :n_repeats],
        test_fold=search.fold[:n_repeats],
    )


def with_predictions(search: Banked) -> Answer:
    return answer_of(corrected(search, 1))


def three_repeats(search: Banked) -> Answer:
    n_repeats = min(N_REPEATS, len(search.scores))
    search.bought += (n_repeats - 1) * search.table.size
    return answer_of(corrected(search, n_repeats))


def judged_again(search: Banked) -> Answer:
    """Judge three candidates again on a fresh partition, two on the next, one on the last."""
    report = corrected(search, 1)
    table = report.table
    n_fresh = min(len(CONTENDERS), len(search.scores) - 1)
    fresh = np.full((n_fresh, table.n_candidates), np.nan)
    estimates = table.scores.mean(axis=0)
    estimates[report.best_index] = np.inf
    for number in range(n_fresh):
        for candidate in np.argsort(-np.nan_to_num(estimates, nan=-np.inf))[: CONTENDERS[number]]:
            fresh[number, candidate] = search.again(candidate, number + 1)
        estimates = true_scores(table, fresh[: number + 1])
    best = int(np.nanargmax(estimates))
    return answer_of(correct(replace(table, best_index=best, fresh=fresh)))


METHODS: dict[str, Callable[[Banked], Answer]] = {
    "printed": printed,
    "nested": nested,
    "nested, pooled": nested_pooled,
    "from scores": from_scores,
    "with predictions": with_predictions,
    "three repeats": three_repeats,
    "judged again": judged_again,
}


def evaluate(searches: Iterable[Banked]) -> Iterator[tuple[dict[str, Any], Errors]]:
    """Give the facts of every search, and how far off each method is."""
    for search in searches:
        first, errors = winner_of(search), {}
        for name, method in METHODS.items():
            search.bought = 0
            best, estimate, low, high = method(search)
            true = search.truth[best]
            held = np.nan if np.isnan(low) else float(low <= true <= high)
            share = search.bought / search.table.size
            errors[name] = np.array(
                [estimate - true, held, high - low, share, search.truth[first] - true]
            )
        facts = {"name": search.name, "kind": f"{search.task}, {search.metric}"}
        facts |= {"source": search.source, "family": search.family, "n": len(search.y)}
        yield facts, errors


def slices(found: list[tuple[dict[str, Any], Errors]]) -> dict[str, np.ndarray]:
    """Say which searches belong to each slice."""
    facts = [one for one, _ in found]
    n, kind = np.array([f["n"] for f in facts]), np.array([f["kind"] for f in facts])
    family = np.array([f["family"] for f in facts])
    noise = np.array([f["source"] in {"syn0", "no signal"} for f in facts])
    parts = {"all": np.ones(len(facts), dtype=bool)}
    parts |= {name: kind == name for name in sorted(set(kind))}
    parts |= {"n <= 100": n <= 100, "n >= 200": n >= 200, "no signal": noise}
    parts |= {f"family {name}": family == name for name in sorted(set(family))}
    return {name: part for name, part in parts.items() if part.any()}


def summarise(found: list[tuple[dict[str, Any], Errors]]) -> dict[str, dict[str, Any]]:
    """Summarise every method in every slice."""
    values = {name: np.array([errors[name] for _, errors in found]) for name in METHODS}
    kind = np.array([facts["kind"] for facts, _ in found])
    unit, better = np.empty(len(kind)), np.empty((len(kind), 2))  # scale, and own error on it
    for one in set(kind):
        part = kind == one
        forms = [values[name][part, 0] for name in ("nested", "nested, pooled")]
        sizes = [np.sqrt(np.square(form).mean()) for form in forms]
        unit[part] = sizes[0]
        better[part] = np.column_stack([np.full(part.sum(), min(sizes)), forms[np.argmin(sizes)]])
    names, search = np.unique([facts["name"] for facts, _ in found], return_inverse=True)
    rng = np.random.default_rng(0)
    drawn = rng.integers(len(names), size=(N_RESAMPLES, len(names)))
    weights = np.array([np.bincount(draw, minlength=len(names)) for draw in drawn])[:, search]
    table: dict[str, dict[str, Any]] = {}
    for title, part in slices(found).items():
        base = np.square(values["nested"][part, 0] / unit[part])
        best = np.square(better[part, 1] / better[part, 0])
        nested_width = np.where(values["nested"][part, 2] > 0, values["nested"][part, 2], np.nan)
        table[title] = {}
        for name, v in values.items():
            error, held, wide, bought, regret = v[part].T
            square, resampled = np.square(error / unit[part]), weights[:, part]
            to_best = np.square(error / better[part, 0])
            some = not np.isnan(held).all()  # else a method without an interval
            table[title][name] = {
                "n": int(part.sum()),
                "rmse": np.sqrt(square.mean() / base.mean()),
                "se": np.std(np.sqrt(resampled @ square / (resampled @ base))),
                "of the better": np.sqrt(to_best.mean() / best.mean()),
                "better se": np.std(np.sqrt(resampled @ to_best / (resampled @ best))),
                "bias": (error / unit[part]).mean(),
                "cover": np.nanmean(held) if some else np.nan,
                "width": np.nanmedian(wide / nested_width) if some else np.nan,
                "bought": bought.mean(),
                "regret": (regret / unit[part]).mean(),
            }
    return table


def to_markdown(table: dict[str, dict[str, Any]]) -> str:
    lines = []
    for title, found in table.items():
        lines += [f"**{title}** ({found['printed']['n']:,})", ""]
        lines += [
            "| | RMSE of nested's | of the better nested's | bias | covers | width | more fits |"
        ]
        lines += ["|:--|--:|--:|--:|--:|--:|--:|"]
        lines += [f"| {NAMES[name]} | {' | '.join(_cells(s))} |" for name, s in found.items()]
        lines.append("")
    return "\n".join(lines)


def _cells(s: Mapping[str, float]) -> list[str]:
    covers = "-" if np.isnan(s["cover"]) else f"{100 * s['cover']:.1f}%"
    width = "-" if np.isnan(s["width"]) else f"{s['width']:.2f}"
    errors = [
        f"{s['rmse']:.3f} ± {s['se']:.3f}",
        f"{s['of the better']:.3f} ± {s['better se']:.3f}",
    ]
    return [*errors, f"{s['bias']:+.2f}", covers, width, f"{100 * s['bought']:.0f}%"]


def draw_errors(table: dict[str, dict[str, Any]], path: Path) -> None:
    """Draw the error by metric."""
    import matplotlib.pyplot as plt

    kinds = [name for name in table if name == "all" or ", " in name]
    shown = [name for name in NAMES if name not in {"printed", "nested"}]
    figure, axes = plt.subplots(figsize=(8, 0.55 * len(kinds) + 1.5), layout="constrained")
    for place, name in enumerate(shown):
        at = np.arange(len(kinds)) + 0.15 * (place - (len(shown) - 1) / 2)
        errors = [table[kind][name]["rmse"] for kind in kinds]
        spreads = [table[kind][name]["se"] for kind in kinds]
        axes.errorbar(
            errors, at, xerr=spreads, fmt="o", ms=4, color=COLORS[name], label=PLAIN[name]
        )
    axes.axvline(1.0, color="gray", lw=1)
    axes.set_yticks(range(len(kinds)), [shown_name(kind) for kind in kinds])
    axes.set_xlabel("error, as a share of that of nested cross-validation by fold")
    axes.invert_yaxis()
    figure.legend(loc="outside lower center", ncols=2, fontsize="small")
    figure.savefig(path, dpi=120)


def draw_coverage(table: dict[str, dict[str, Any]], path: Path) -> None:
    """Draw coverage against width, one point a metric and a large one for all."""
    import matplotlib.pyplot as plt

    kinds = [name for name in table if ", " in name]
    figure, axes = plt.subplots(figsize=(8, 5.5), layout="constrained")
    for name, label in PLAIN.items():
        if np.isnan(table["all"][name]["cover"]):
            continue
        at = np.array([[table[k][name]["width"], 100 * table[k][name]["cover"]] for k in kinds])
        axes.scatter(*at.T, s=18, alpha=0.6, color=COLORS[name])
        mean = table["all"][name]["width"], 100 * table["all"][name]["cover"]
        axes.scatter(*mean, s=140, color=COLORS[name], marker="D", label=label)
    axes.axhline(95, color="gray", lw=1)
    axes.set_xlabel("median width, as a share of that of nested cross-validation's t interval")
    axes.set_ylabel("95% intervals that hold the truth, %")
    figure.legend(loc="outside lower center", ncols=2, fontsize="small", markerscale=0.6)
    figure.savefig(path, dpi=120)


def shown_name(kind: str) -> str:
    """Name a metric, with its task where that is not plain."""
    task, _, metric = kind.partition(", ")
    return f"{metric}, {task}" if task == "multiclass" else metric or task


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--bank", type=Path, required=True)
    parser.add_argument("--markdown", type=Path)
    parser.add_argument("--pictures", type=Path, help="folder for the pictures")
    options = parser.parse_args()
    table = summarise(list(evaluate(load(options.bank))))
    text = to_markdown(table)
    print(text)
    if options.markdown:
        options.markdown.write_text(text)
    if options.pictures:
        draw_errors(table, options.pictures / "wide_error.png")
        draw_coverage(table, options.pictures / "wide_coverage.png")


if __name__ == "__main__":
    main()
