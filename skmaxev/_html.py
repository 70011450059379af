"""HTML for notebooks: no script, nothing from the network, dark or light."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape

__all__ = ["as_table", "as_text", "block"]

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
.skmaxev td.skmaxev-number,.skmaxev th.skmaxev-number{text-align:right}
.skmaxev td,.skmaxev b{font-variant-numeric:tabular-nums}
.skmaxev tr.skmaxev-used td{font-weight:600}
.skmaxev dl{display:grid;grid-template-columns:max-content minmax(0,1fr);align-items:start;
 gap:.1em 1em;margin:0}
.skmaxev dt,.skmaxev dd{display:block;float:none;width:auto;margin:0;padding:0;font-weight:inherit;
 text-align:left}
@media(max-width:36rem){.skmaxev th,.skmaxev td{white-space:normal;overflow-wrap:normal;
 padding-right:.6em}}
""".replace(".skmaxev ", ".skmaxev.skmaxev.skmaxev ")

_NUMBER = re.compile(r"(< )?[-+]?\d[\d,.]*(e[-+]?\d+)?%?")


def block(heading: str, *parts: str) -> str:
    """Put parts under a heading, with styles that hold in notebooks and documentation."""
    head = f'<div class="skmaxev"><style>{_STYLE}</style><h4>{escape(heading)}</h4>'
    return head + "".join(parts) + "</div>"


def as_text(lines: Sequence[str]) -> str:
    """Write one paragraph a line."""
    return "".join(f"<p>{escape(line)}</p>" for line in lines)


def as_table(head: Sequence[str], rows: Sequence[Sequence[str]], *, used: str = "") -> str:
    """Write a table, numbers to the right; the row that starts with ``used`` stands out."""
    numeric = [
        all(_NUMBER.fullmatch(cell) for cell in column if cell)
        for column in zip(*rows, strict=True)
    ]
    marks = [' class="skmaxev-number"' if number else "" for number in numeric]

    def line(cells: Sequence[str], tag: str) -> str:
        pairs = zip(cells, marks, strict=True)
        return "".join(f"<{tag}{mark}>{escape(cell)}</{tag}>" for cell, mark in pairs)

    body = ""
    for row in rows:
        mark = ' class="skmaxev-used"' if row[0] == used else ""
        body += f"<tr{mark}>{line(row, 'td')}</tr>"
    table = f"<table><thead><tr>{line(head, 'th')}</tr></thead><tbody>{body}</tbody></table>"
    return f'<div class="skmaxev-wide">{table}</div>'
