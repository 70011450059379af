"""The report as text: one screen that needs no documentation."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from textwrap import wrap
from typing import TYPE_CHECKING

from skmaxev.report.numbers import Format, name_candidates, name_params

if TYPE_CHECKING:
    from skmaxev.report.report import SelectionReport

__all__ = ["estimate_rows", "facts", "heading", "headline", "to_text"]

_WIDTH = 88
_LABEL = 14


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
    blocks = [
        [heading(report)],
        [f"  {label:<15}{value:>12}   {remark}" for label, value, remark in headline(report)],
        [line for sentence in report.advice for line in _indented(sentence, "  ")],
        _table(report),
        [line for label, value in facts(report) for line in _labelled(label, value)],
    ]
    return "\n\n".join("\n".join(block).rstrip() for block in blocks if block)


def heading(report: SelectionReport) -> str:
    """Say in one line what was searched."""
    loss = "" if report.greater_is_better else ", lower is better"
    candidates = (
        "1 candidate" if report.n_used == 1 else f"the best of {report.n_used:,} candidates"
    )
    splits = "1 split" if report.n_splits == 1 else f"{report.n_splits:,} splits"
    return f"What {candidates} is worth ({report.metric}{loss}, {splits})"


def headline(report: SelectionReport) -> list[tuple[str, str, str]]:
    """Give the honest score, the printed one and the difference, each with a remark."""
    write = Format(report)
    interval = (
        f"{report.level:.0%} interval {write.interval(report.interval)}"
        if report.interval
        else "one split shows no noise, so there is no interval"
    )
    return [
        ("Honest score", write.score(report.estimate), interval),
        ("Printed score", write.score(report.naive), "mean over the splits that chose it"),
        ("Optimism", write.change(report.optimism), "how much too good the printed score looks"),
    ]


def estimate_rows(report: SelectionReport) -> list[tuple[str, str, str, str]]:
    """Give key, value, target and error direction of each estimator."""
    write = Format(report)
    return [
        (found.key, write.score(found.value), found.target, found.errs)
        for found in report.estimates.values()
    ]


def facts(report: SelectionReport) -> list[tuple[str, str]]:
    """Give the remaining facts, each with its label."""
    write = Format(report)
    found = [("Winner", _winner(report))]
    if report.indistinguishable:
        close = name_candidates(report.indistinguishable)
        found.append(("As good", f"{close} (within one standard error)"))
    if report.noise is not None and report.spread is not None:
        found.append(
            (
                "Noise, spread",
                f"{write.score(report.noise)} of chance in a mean score, "
                f"{write.score(report.spread)} between the mean scores",
            )
        )
    found.extend(("Left out", reason) for reason in _reasons(report.left_out))
    if report.n_fits is not None:
        found.append(("Model fits", f"{report.n_fits:,}"))
    found.extend(("Note", note) for note in report.notes)
    return found


def _winner(report: SelectionReport) -> str:
    settings = f": {name_params(report.best_params)}" if report.best_params else ""
    return f"candidate {report.best_index}{settings}"


def _reasons(left_out: Mapping[int, str]) -> Iterable[str]:
    by_reason: dict[str, list[int]] = defaultdict(list)
    for index, reason in left_out.items():
        by_reason[reason].append(index)
    for reason, indices in by_reason.items():
        yield f"{len(indices):,} ({name_candidates(tuple(indices))}): {reason}"


def _table(report: SelectionReport) -> list[str]:
    rows = [("Method", "Score", "What it estimates", "Errs"), *estimate_rows(report)]
    widths = [max(len(row[column]) for row in rows) for column in range(3)]
    lines = []
    for key, value, target, errs in rows:
        mark = "*" if key == report.method else " "
        lines.append(
            f"{mark} {key:<{widths[0]}}  {value:>{widths[1]}}  {target:<{widths[2]}}  {errs}".rstrip()
        )
    return [*lines, "  (* behind the honest score)"]


def _labelled(label: str, value: str) -> list[str]:
    lines = wrap(value, _WIDTH - _LABEL - 3) or [""]
    first = f"  {label:<{_LABEL}} {lines[0]}"
    return [first, *(" " * (_LABEL + 3) + line for line in lines[1:])]


def _indented(sentence: str, by: str) -> list[str]:
    return wrap(sentence, _WIDTH, initial_indent=by, subsequent_indent=by)
