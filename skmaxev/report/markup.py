"""The report as Markdown, LaTeX and HTML."""

from __future__ import annotations

import re
from html import escape
from typing import TYPE_CHECKING

from skmaxev.report.methods import METHODS
from skmaxev.report.numbers import Format, name_metric
from skmaxev.report.text import COLUMNS, estimate_rows, facts, heading, headline, remarks

if TYPE_CHECKING:
    from skmaxev.report.report import SelectionReport

__all__ = ["to_html", "to_latex", "to_markdown"]

# Colours come from the page, so that dark and light notebooks both stay readable. The class stands
# three times, so that these rules win over those of notebooks and documentation themes.
_STYLE = """
.skmaxev{font:14px/1.5 system-ui,sans-serif;color:inherit;max-width:54em;overflow-wrap:anywhere;
 text-align:left}
.skmaxev h4{font-size:1.05em;margin:.2em 0 .6em}
.skmaxev .skmaxev-scores{display:flex;flex-wrap:wrap;gap:.4em 2.4em;margin:0 0 .7em}
.skmaxev .skmaxev-scores b{display:block;font-size:1.7em;line-height:1.2}
.skmaxev .skmaxev-scores small,.skmaxev dt{opacity:.75}
.skmaxev p{margin:.15em 0}
.skmaxev summary{cursor:pointer;margin:.5em 0}
.skmaxev .skmaxev-wide{overflow-x:auto;margin:.7em 0}
.skmaxev table{border-collapse:collapse;table-layout:auto;margin:0;border:0;font:inherit;
 color:inherit;background:none}
.skmaxev tbody tr,.skmaxev thead{background:none;border:0}
.skmaxev th,.skmaxev td{text-align:left;vertical-align:top;padding:.2em .9em .2em 0;border:0;
 border-bottom:1px solid rgba(128,128,128,.35);color:inherit;background:none;white-space:nowrap;
 max-width:none}
.skmaxev td:nth-child(2),.skmaxev th:nth-child(2){text-align:right}
.skmaxev td:nth-child(2),.skmaxev b{font-variant-numeric:tabular-nums}
.skmaxev tr.skmaxev-used td{font-weight:600}
.skmaxev dl{display:grid;grid-template-columns:max-content minmax(0,1fr);align-items:start;
 gap:.1em 1em;margin:0}
.skmaxev dt,.skmaxev dd{display:block;float:none;width:auto;margin:0;padding:0;font-weight:inherit;
 text-align:left}
@media(max-width:36rem){.skmaxev th,.skmaxev td{white-space:normal;overflow-wrap:normal;
 padding-right:.6em}}
""".replace(".skmaxev ", ".skmaxev.skmaxev.skmaxev ")

_LATEX = str.maketrans(
    {sign: "\\" + sign for sign in "&%$#_{}"}
    | {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
    | {"<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}"}
)


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


def to_latex(report: SelectionReport) -> str:
    """Write one row of a table: metric, score, interval, method with its source."""
    write = Format(report)
    method = METHODS[report.method]
    interval = write.interval(report.interval).split(" to ") if report.interval else []
    ends = f"[{', '.join(interval)}]" if interval else "--"
    source = f"{method.key}: {method.name}, {method.citation}"
    cells = (name_metric(report), write.score(report.estimate), ends, source)
    return " & ".join(_latex(cell) for cell in cells) + r" \\"


def _latex(text: str) -> str:
    return text.translate(_LATEX)


def to_html(report: SelectionReport) -> str:
    """Write the report for a notebook: no script, nothing from the network."""
    scores = "".join(
        f"<div>{escape(label)}<b>{escape(value)}</b><small>{escape(remark)}</small></div>"
        for label, value, remark in headline(report)
    )
    advice = f"<p>{escape(' '.join(report.advice[1:]))}</p>"
    details = _html_table(report) + _html_list(remarks(report))
    return (
        f'<div class="skmaxev"><style>{_STYLE}</style><h4>{escape(heading(report))}</h4>'
        f'<div class="skmaxev-scores">{scores}</div>{advice}'
        f"{_html_list(facts(report))}<details><summary>Details: every estimator</summary>"
        f'<div class="skmaxev-wide">{details}</div></details></div>'
    )


def _html_list(labelled: list[tuple[str, str]]) -> str:
    items = "".join(
        f"<dt>{escape(label)}</dt><dd>{escape(value)}</dd>" for label, value in labelled
    )
    return f"<dl>{items}</dl>"


def _html_table(report: SelectionReport) -> str:
    rows = estimate_rows(report)
    if not rows:
        return ""
    head = "".join(f"<th>{escape(column)}</th>" for column in COLUMNS)
    body = ""
    for row in rows:
        cells = "".join(f"<td>{escape(cell)}</td>" for cell in row)
        body += (
            f'<tr class="skmaxev-used">{cells}</tr>'
            if row[0] == report.method
            else f"<tr>{cells}</tr>"
        )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
