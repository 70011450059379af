"""The report as Markdown and HTML."""

from __future__ import annotations

import re
from html import escape
from typing import TYPE_CHECKING

from skmaxev._html import as_table, as_text, block
from skmaxev.report.text import COLUMNS, estimate_rows, facts, heading, headline, remarks

if TYPE_CHECKING:
    from skmaxev.report.report import SelectionReport

__all__ = ["to_html", "to_markdown"]


def to_markdown(report: SelectionReport) -> str:
    """Write heading, scores, estimators, advice and facts as Markdown."""
    lines = [f"**{_markdown(heading(report))}**", ""]
    lines += [f"- {label}: **{value}** ({remark})" for label, value, remark in headline(report)]
    rows = estimate_rows(report)
    lines += ["", *_markdown_row(COLUMNS), "|:--|--:|:--|:--|"] if rows else []
    for row in rows:
        lines += _markdown_row((f"**{row[0]}**" if row[0] == report.method else row[0], *row[1:]))
    known = [f"- {label}: {_markdown(value)}" for label, value in facts(report) + remarks(report)]
    return "\n".join([*lines, "", *report.advice, "", *known])


def _markdown(text: str) -> str:
    """Escape what a name of a metric could format; underscores within words format nothing."""
    return re.sub(r"[\\`*<>\[\]|~$&]|(?<!\w)_|_(?!\w)", r"\\\g<0>", text)


def _markdown_row(cells: tuple[str, ...]) -> list[str]:
    return ["| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"]


def to_html(report: SelectionReport) -> str:
    """Write the report for a notebook: no script, nothing from the network."""
    scores = "".join(
        f"<div>{escape(label)}<b>{escape(value)}</b><small>{escape(remark)}</small></div>"
        for label, value, remark in headline(report)
    )
    rows = estimate_rows(report)
    table = as_table(COLUMNS, rows, used=report.method) if rows else ""
    return block(
        heading(report),
        f'<div class="skmaxev-scores">{scores}</div>',
        as_text([" ".join(report.advice[1:])]),
        _html_list(facts(report)),
        "<details><summary>Details: every estimator</summary>",
        f"{table}{_html_list(remarks(report))}</details>",
    )


def _html_list(labelled: list[tuple[str, str]]) -> str:
    items = "".join(
        f"<dt>{escape(label)}</dt><dd>{escape(value)}</dd>" for label, value in labelled
    )
    return f"<dl>{items}</dl>"
