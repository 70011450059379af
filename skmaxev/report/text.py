"""The report as text: one screen that needs no documentation."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from math import isclose
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from skmaxev.report.advice import nothing_chosen
from skmaxev.report.grid import about_grid
from skmaxev.report.numbers import (
    Format,
    is_turned,
    name_candidates,
    name_metric,
    name_params,
    percent,
)

if TYPE_CHECKING:
    from skmaxev.report.report import SelectionReport
    from skmaxev.report.runners_up import RunnerUp

__all__ = [
    "COLUMNS",
    "estimate_rows",
    "facts",
    "heading",
    "headline",
    "remarks",
    "to_details",
    "to_text",
]

_WIDTH = 88
_LABEL = 14
_MOST_REASONS = 4
_MOST_RUNNERS_UP = 3
_WHY_ABOVE = (
    "stands above the printed score: it takes every candidate's noise for a chance to be the best, "
    "without allowing for the luck in the scores themselves"
)

COLUMNS = ("Method", "Score", "What it estimates", "Errs")


def to_text(report: SelectionReport) -> str:
    """Write the report in lines of at most 88 characters.

    Parameters
    ----------
    report : SelectionReport
        The numbers.

    Returns
    -------
    str
        Headline, advice and facts; the table of estimators is in `to_details`.
    """
    lines = headline(report)
    blocks = [
        [heading(report)],
        [f"  {label:<{_LABEL}} {score:>10}   {remark}" for label, score, remark in lines],
        wrap(" ".join(report.advice[1:]), _WIDTH, initial_indent="  ", subsequent_indent="  "),
        _lines(facts(report)),
    ]
    return _joined(blocks)


def to_details(report: SelectionReport) -> str:
    """Write what stands behind the honest score: every estimator, and what chance alone makes."""
    return _joined([[heading(report)], _table(report), _lines(remarks(report))])


def _joined(blocks: list[list[str]]) -> str:
    return "\n\n".join("\n".join(block) for block in blocks if block)


def _lines(labelled: list[tuple[str, str]]) -> list[str]:
    return [line for label, value in labelled for line in _labelled(label, value)]


def heading(report: SelectionReport) -> str:
    """Say in one line what was searched."""
    best_mean = report.estimates.get("ME")
    mean = report.naive if report.naive_pooled is None else report.naive_pooled
    first = "Best" if best_mean is not None and isclose(mean, best_mean.value) else "One"
    best = f"{first} of {report.n_used:,} candidates"
    if report.n_used == 1:
        best = "1 candidate" + (f" of {report.n_candidates:,}" if report.n_candidates > 1 else "")
    splits = "1 split" if report.n_splits == 1 else f"{report.n_splits:,} splits"
    is_loss = is_turned(report) or not report.greater_is_better
    return f"{best} on {splits}: {name_metric(report)}{' (lower is better)' if is_loss else ''}"


def headline(report: SelectionReport) -> list[tuple[str, str, str]]:
    """Give the honest and the printed score, each with a remark."""
    write = Format(report)
    interval = (
        f"{percent(report.level)} interval {write.interval(report.interval)}"
        if report.interval
        else f"no interval{'' if report.noise else ': these scores show no noise'}"
    )
    whose = "this candidate" if report.n_fresh else "its winner"
    lines = [
        ("Honest score", write.score(report.estimate), interval),
        (
            "Printed score",
            write.score(report.naive),
            f"what the search shows for {whose}",
        ),
    ]
    if report.naive_pooled is not None:
        pooled = write.score(report.naive_pooled)
        lines.append(("Pooled score", pooled, "its score on all rows together, not corrected"))
    return lines


def estimate_rows(report: SelectionReport) -> list[tuple[str, str, str, str]]:
    """Give key, value, target and error direction of each estimator; none if all are equal."""
    write = Format(report)
    if nothing_chosen(report) and len({found.value for found in report.estimates.values()}) == 1:
        return []
    turned = {"upwards": "downwards", "downwards": "upwards"} if is_turned(report) else {}
    return [
        (
            found.key,
            write.score(found.value),
            found.target,
            " ".join(turned.get(word, word) for word in found.errs.split()),
        )
        for found in report.estimates.values()
    ]


def facts(report: SelectionReport) -> list[tuple[str, str]]:
    """Give winner, runners-up, what was left out and notes, each with its label."""
    found = [("Winner", _candidate(report.best_index, report.best_params))]
    if not nothing_chosen(report):
        found.extend(("Close to it", line) for line in _runners_up(report))
    found.extend(about_grid(report))
    found.extend(("Left out", reason) for reason in _reasons(report.left_out))
    found.extend(("Note", note) for note in report.notes)
    return found


def remarks(report: SelectionReport) -> list[tuple[str, str]]:
    """Give what explains the estimates, each with its label."""
    write, found = Format(report), []
    if not nothing_chosen(report):
        spread, noise = write.size(report.spread), write.size(report.noise)
        found.append(("Mean scores", f"spread by {spread}; chance alone makes about {noise}"))
    bayes, sign = report.estimates.get("BAYES"), 1 if report.greater_is_better else -1
    if bayes is not None and sign * (bayes.value - report.naive) > 0:
        found.append(("BAYES", _WHY_ABOVE))
    if report.n_fits is not None:
        found.append(("Model fits", f"{report.n_fits:,}"))
    return found


def _candidate(index: int, params: Mapping[str, Any] | None) -> str:
    return f"candidate {index}" + (f": {name_params(params)}" if params else "")


def _runners_up(report: SelectionReport) -> list[str]:
    """Name the nearest of those that may be as good by their settings and scores."""
    write = Format(report)
    close = [found for found in report.runners_up().candidates if found.may_be_best]
    lines = [
        f"{_candidate(found.candidate, found.params)}, printed {write.score(found.score)}"
        f"{_behind(found)}"
        for found in close[:_MOST_RUNNERS_UP]
    ]
    more = len(close) - len(lines)
    return [*lines, f"{more:,} more in report.runners_up()"] if more > 0 else lines


def _behind(found: RunnerUp) -> str:
    if found.is_same:
        return ": the same scores"
    if found.p_better is None:
        return ""
    return f"; better with probability {found.p_better:.2f}"


def _reasons(left_out: Mapping[int, str]) -> list[str]:
    by_reason: dict[str, list[int]] = defaultdict(list)
    for index, reason in left_out.items():
        by_reason[reason].append(index)
    lines = [
        f"{name_candidates(tuple(indices))}: {reason}" for reason, indices in by_reason.items()
    ]
    more = len(lines) - _MOST_REASONS
    return [*lines[:_MOST_REASONS], f"{more} more reasons in left_out"] if more > 0 else lines


def _table(report: SelectionReport) -> list[str]:
    rows = estimate_rows(report)
    if not rows:
        return []
    rows = [COLUMNS, *rows]
    widths = [max(len(row[column]) for row in rows) for column in range(3)]
    lines = []
    for key, value, target, errs in rows:
        mark = "*" if key == report.method else " "
        cells = f"{key:<{widths[0]}}  {value:>{widths[1]}}  {target:<{widths[2]}}  {errs}"
        lines.append(f"{mark} {cells}")
    return [*lines, "* gives the honest score"]


def _labelled(label: str, value: str) -> list[str]:
    lines = wrap(value, _WIDTH - _LABEL - 3) or [""]
    first = f"  {label:<{_LABEL}} {lines[0]}"
    return [first, *(" " * (_LABEL + 3) + line for line in lines[1:])]
