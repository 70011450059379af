"""The report as text: one screen that needs no documentation."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from textwrap import wrap
from typing import TYPE_CHECKING

from skmaxev.report.advice import nothing_chosen
from skmaxev.report.numbers import (
    Format,
    name_candidates,
    name_params,
    name_plainly,
    percent,
)

if TYPE_CHECKING:
    from skmaxev.report.report import SelectionReport

__all__ = ["COLUMNS", "estimate_rows", "facts", "heading", "headline", "to_text"]

_WIDTH = 88
_LABEL = 14
_MOST_REASONS = 4

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
        Headline, advice, facts and the table of estimators.
    """
    lines = headline(report)
    blocks = [
        [heading(report)],
        [f"  {label:<{_LABEL}} {score:>10}   {remark}" for label, score, remark in lines],
        wrap(" ".join(report.advice[1:]), _WIDTH, initial_indent="  ", subsequent_indent="  "),
        _table(report),
        [line for label, value in facts(report) for line in _labelled(label, value)],
    ]
    return "\n\n".join("\n".join(block) for block in blocks if block)


def heading(report: SelectionReport) -> str:
    """Say in one line what was searched."""
    first = "Best" if report.naive == report.estimates["ME"].value else "One"
    best = "1 candidate" if report.n_used == 1 else f"{first} of {report.n_used:,} candidates"
    splits = "1 split" if report.n_splits == 1 else f"{report.n_splits:,} splits"
    loss = "" if report.greater_is_better else " (lower is better)"
    return f"{best} on {splits}: {name_plainly(report.metric)}{loss}"


def headline(report: SelectionReport) -> list[tuple[str, str, str]]:
    """Give the honest and the printed score, each with a remark."""
    write = Format(report)
    interval = (
        f"{percent(report.level)} interval {write.interval(report.interval)}"
        if report.interval
        else "no interval: these scores show no noise"
    )
    lines = [
        ("Honest score", write.score(report.estimate), interval),
        ("Printed score", write.score(report.naive), "what the search shows for its winner"),
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
    return [
        (found.key, write.score(found.value), found.target, found.errs)
        for found in report.estimates.values()
    ]


def facts(report: SelectionReport) -> list[tuple[str, str]]:
    """Give the remaining facts, each with its label."""
    write = Format(report)
    found = [("Winner", _winner(report))]
    if not nothing_chosen(report):
        if report.indistinguishable:
            found.append(("Close to it", name_candidates(report.indistinguishable)))
        spread, noise = write.score(report.spread), write.score(report.noise)
        found.append(("Mean scores", f"spread by {spread}; chance alone makes about {noise}"))
    found.extend(("Left out", reason) for reason in _reasons(report.left_out))
    if report.n_fits is not None:
        found.append(("Model fits", f"{report.n_fits:,}"))
    found.extend(("Note", note) for note in report.notes)
    return found


def _winner(report: SelectionReport) -> str:
    settings = f": {name_params(report.best_params)}" if report.best_params else ""
    return f"candidate {report.best_index}{settings}"


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
