"""Methods of a report: text, Markdown, HTML, plain values and a frame, the same words in each."""

from __future__ import annotations

import json
import math
import re
from dataclasses import asdict, fields
from html import escape
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from skmaxev._results import as_frame, as_markdown, as_table, as_text, block
from skmaxev.report.numbers import Format, as_loss
from skmaxev.report.sentences import facts, heading, headline, nothing_chosen, remarks

if TYPE_CHECKING:
    import pandas as pd

    from skmaxev.report.report import SelectionReport

__all__ = ["to_details", "to_dict", "to_frame", "to_html", "to_json", "to_markdown", "to_text"]

_WIDTH = 88
_LABEL = 14
_MOST_RUNNERS_UP = 20
_COLUMNS = ("Method", "Score", "What it estimates", "Errs")
_NOT_PLAIN = {"table", "differences"}


def to_text(report: SelectionReport) -> str:
    """Write headline, advice and facts in lines of at most 88 characters."""
    report = as_loss(report)
    return _joined(
        [heading(report)],
        [
            f"  {label:<{_LABEL}} {score:>10}   {remark}"
            for label, score, remark in headline(report)
        ],
        wrap(" ".join(report.advice[1:]), _WIDTH, initial_indent="  ", subsequent_indent="  "),
        _lines(facts(report)),
    )


def to_details(report: SelectionReport) -> str:
    """Return every estimator, what it estimates and which way it errs, as text to print."""
    report = as_loss(report)
    return _joined([heading(report)], _table(report), _lines(remarks(report)))


def _joined(*blocks: list[str]) -> str:
    return "\n\n".join("\n".join(block) for block in blocks if block)


def _lines(labelled: list[tuple[str, str]]) -> list[str]:
    lines = []
    for label, value in labelled:
        first, *more = wrap(value, _WIDTH - _LABEL - 3) or [""]
        lines += [f"  {label:<{_LABEL}} {first}", *(" " * (_LABEL + 3) + line for line in more)]
    return lines


def _estimates(report: SelectionReport) -> list[tuple[str, str, str, str]]:
    """Give key, value, target and error direction of each estimator; none if all are equal."""
    write, found = Format(report), report.estimates.values()
    if nothing_chosen(report) and len({estimate.value for estimate in found}) == 1:
        return []
    return [
        (estimate.key, write.score(estimate.value), estimate.target, estimate.errs)
        for estimate in found
    ]


def _table(report: SelectionReport) -> list[str]:
    rows = _estimates(report)
    if not rows:
        return []
    keys, scores, targets = (
        max(map(len, column)) for column in list(zip(_COLUMNS, *rows, strict=True))[:3]
    )
    lines = [
        f"{'*' if key == report.method else ' '} {key:<{keys}}  {score:>{scores}}  "
        f"{target:<{targets}}  {errs}"
        for key, score, target, errs in (_COLUMNS, *rows)
    ]
    return [*lines, "* gives the honest score"]


def to_markdown(report: SelectionReport) -> str:
    """Return the report as Markdown, with a table of the estimators."""
    report = as_loss(report)
    scores = [f"- {label}: **{value}** ({remark})" for label, value, remark in headline(report)]
    rows = [
        (f"**{key}**" if key == report.method else key, *cells)
        for key, *cells in _estimates(report)
    ]
    return _joined(
        [f"**{_escaped(heading(report))}**"],
        scores,
        list(report.advice[1:]),
        [f"- {label}: {_escaped(value)}" for label, value in facts(report)],
        [as_markdown(_COLUMNS, rows)] if rows else [],
        [f"- {label}: {_escaped(value)}" for label, value in remarks(report)],
    )


def _escaped(text: str) -> str:
    """Escape what a name of a metric could format; underscores within words format nothing."""
    return re.sub(r"[\\`*<>\[\]|~$&]|(?<!\w)_|_(?!\w)", r"\\\g<0>", text)


def to_html(report: SelectionReport) -> str:
    """Write the report for a notebook: no script, nothing from the network."""
    report = as_loss(report)
    scores = "".join(
        f"<div>{escape(label)}<b>{escape(value)}</b><small>{escape(remark)}</small></div>"
        for label, value, remark in headline(report)
    )
    rows = _estimates(report)
    return block(
        heading(report),
        f'<div class="skmaxev-scores">{scores}</div>',
        as_text([" ".join(report.advice[1:])]),
        _html_list(facts(report)),
        "<details><summary>Details: every estimator</summary>",
        as_table(_COLUMNS, rows, used=report.method) if rows else "",
        f"{_html_list(remarks(report))}</details>",
    )


def _html_list(labelled: list[tuple[str, str]]) -> str:
    items = "".join(
        f"<dt>{escape(label)}</dt><dd>{escape(value)}</dd>" for label, value in labelled
    )
    return f"<dl>{items}</dl>"


def to_dict(report: SelectionReport) -> dict[str, Any]:
    """Return the report as plain Python values, ready for a log or a file."""
    plain = {of.name: getattr(report, of.name) for of in fields(report)}
    return {name: value for name, value in plain.items() if name not in _NOT_PLAIN} | {
        "target": report.target,
        "interval": list(report.interval) if report.interval else None,
        "best_params": _jsonable(report.best_params and dict(report.best_params)),
        "estimates": {key: asdict(found) for key, found in report.estimates.items()},
        "left_out": dict(report.left_out),
        "indistinguishable": list(report.indistinguishable),
        "runners_up": report.runners_up().to_dict()[:_MOST_RUNNERS_UP],
        "notes": list(report.notes),
        "advice": list(report.advice),
    }


def to_json(report: SelectionReport, *, indent: int | None = 2) -> str:
    """Return the report as strict JSON in ASCII; what JSON cannot hold is written as text."""
    return json.dumps(_jsonable(to_dict(report)), indent=indent)


def _jsonable(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _jsonable(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_jsonable(item) for item in value]
    if getattr(value, "shape", None) == ():  # a NumPy scalar
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value if isinstance(value, str | int | float | None) else repr(value)


def to_frame(report: SelectionReport) -> pd.DataFrame:
    """Return the estimators as a pandas frame, one row each; needs ``skmaxev[frame]``."""
    rows = [
        asdict(found) | {"reported": found.key == report.method}
        for found in report.estimates.values()
    ]
    return as_frame(rows).rename(columns={"key": "method", "value": "score"}).set_index("method")
