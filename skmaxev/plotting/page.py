"""The report as one page that opens anywhere: no network, no script, dark or light, any width."""

from __future__ import annotations

import io
import re
from datetime import date
from html import escape
from importlib.metadata import version
from importlib.util import find_spec
from platform import python_version
from typing import TYPE_CHECKING

from skmaxev._results import as_table
from skmaxev._version import __version__
from skmaxev.plotting._display import ReportDisplay, load, signed
from skmaxev.plotting.candidates import RunnersUpDisplay, SelectionBiasDisplay
from skmaxev.plotting.estimates import EstimatorsDisplay, OptimismCurveDisplay
from skmaxev.plotting.outer_folds import OuterFoldsDisplay
from skmaxev.report.numbers import Format, as_loss, name_params, percent
from skmaxev.report.render import to_html
from skmaxev.report.sentences import heading, setting_of

if TYPE_CHECKING:
    from skmaxev.report import SelectionReport

__all__ = ["to_page"]

_INK = "#010203"  # stands for the colour of the page's text
_INKED = ("text.color", "axes.edgecolor", "axes.labelcolor", "xtick.color", "ytick.color")
_MOST_ROWS = 6

_STYLE = """
:root{color-scheme:light dark}
body{margin:0 auto;padding:1.2rem;max-width:62rem;font:15px/1.5 system-ui,sans-serif;
 background:Canvas;color:CanvasText}
h2{font-size:1.1rem;margin:2rem 0 .4rem}
.pictures{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,21rem),1fr));gap:1.5rem}
figure{margin:0}
figure svg{width:100%;max-width:30rem;height:auto;display:block}
figcaption{font-size:.9rem;opacity:.8;max-width:30rem}
.sources{padding-left:1.2rem;font-size:.9rem}
@media(max-width:36rem){body{padding:.8rem}
 .skmaxev.skmaxev.skmaxev.skmaxev :is(th,td){white-space:normal;overflow-wrap:normal;
  padding-right:.6em}
 .skmaxev.skmaxev.skmaxev.skmaxev table{font-size:.9em;line-height:1.3}}
.tables{display:flex;flex-wrap:wrap;gap:0 3rem} .tables>*{min-width:0;max-width:100%}
@page{size:A4;margin:9mm}
@media print{:root{color-scheme:light} body{padding:0;max-width:none;font-size:8pt;line-height:1.3}
 .skmaxev.skmaxev.skmaxev.skmaxev{font-size:7.5pt;line-height:1.25;max-width:none}
 .skmaxev.skmaxev.skmaxev.skmaxev :is(th,td){padding:.05em .7em .05em 0}
 .skmaxev.skmaxev.skmaxev.skmaxev details{display:none}
 h2{margin:.6em 0 .1em;font-size:9pt} p{margin:0} .tables{gap:0 1rem}
 .pictures{grid-template-columns:repeat(3,1fr);gap:.5rem} figure{break-inside:avoid}
 figcaption,.sources{font-size:6.5pt;line-height:1.2} .sources{columns:2;margin:0}}
"""

_CAPTIONS: dict[type[ReportDisplay], str] = {
    SelectionBiasDisplay: "Every candidate's mean score with the noise that can favour it, the "
    "printed score of the winner, and its honest score with the interval.",
    EstimatorsDisplay: "Every method's answer. Marks of different shape answer different "
    "questions, so they need not agree.",
    RunnersUpDisplay: "How far the winner is ahead of those that came next. Where the bar holds "
    "zero, these scores do not tell which is better.",
    OptimismCurveDisplay: "Best printed and best honest score after each candidate, in the order "
    "they were tried. If only the printed score still rises, searching on does not pay.",
    OuterFoldsDisplay: "What each outer fold chose, what it promised inside and scored outside.",
}


def to_page(report: SelectionReport) -> str:
    """Write a whole HTML document that holds all it shows, or says why there are no pictures."""
    report = as_loss(report)
    title = escape(heading(report))
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f"<title>{title}</title><style>{_STYLE}</style></head><body>"
        f"<main>{to_html(report)}{_search(report)}{_pictures(report)}{_sources(report)}</main></body></html>\n"
    )


def _search(report: SelectionReport) -> str:
    """Say what was searched, with what and when, and give the tables behind the winner."""
    setting = setting_of(report)
    known = (
        f"{report.n_used:,} {setting.noun}s compared {setting.design}, read from: "
        f"{report.source}. skmaxev {__version__}, scikit-learn {version('scikit-learn')}, Python "
        f"{python_version()}; page written {date.today().isoformat()}."  # local
    )
    tables = "" if report.table is None else _runners_up(report) + _by_split(report)
    return f'<h2>The search</h2><p>{escape(known)}</p><div class="tables">{tables}</div>'


def _runners_up(report: SelectionReport) -> str:
    """Give the runners-up with their settings and how far they are behind."""
    others = report.runners_up().candidates[:_MOST_ROWS]
    if not others:
        return ""
    write = Format(report)
    rows = [
        (
            str(other.candidate),
            name_params(other.params or {}),
            write.score(other.score),
            write.score(other.difference),
            ""
            if other.low is None or other.high is None
            else write.interval((other.low, other.high)),
        )
        for other in others
    ]
    head = ("Runner-up", "Settings", "Score", "Behind by", f"{percent(report.level)} interval")
    return _framed(as_table(head, rows))


def _by_split(report: SelectionReport) -> str:
    """Give the winner's score on every split, for as many as a person reads."""
    table, write = report.table, Format(report)
    if table is None or setting_of(report).judges != "splits" or table.n_splits > _MOST_ROWS * 2:
        return ""
    scores = signed(report, table.scores[:, table.best_index])
    sizes = table.n_test if table.n_test is not None else [None] * len(scores)
    rows = [
        (str(split), write.score(score), "" if size is None else f"{size:,}")
        for split, (score, size) in enumerate(zip(scores.tolist(), sizes, strict=True))
    ]
    return _framed(as_table(("Split", "Winner's score", "Rows judged"), rows))


def _framed(table: str) -> str:
    return f'<div class="skmaxev">{table}</div>'


def _pictures(report: SelectionReport) -> str:
    if report.table is None:
        return "<p>The report carries no score table, so there is nothing to draw.</p>"
    if find_spec("matplotlib") is None:
        return '<p>Pictures need matplotlib: pip install "skmaxev[plot]".</p>'
    kinds: list[type[ReportDisplay]] = [SelectionBiasDisplay, EstimatorsDisplay]
    if min(report.n_used, report.n_splits) > 1:  # a choice, and noise to correct by
        kinds.append(OptimismCurveDisplay)
    if report.runners_up().candidates:
        kinds.append(RunnersUpDisplay)
    if report.table.outer is not None:
        kinds.append(OuterFoldsDisplay)
    figures = "".join(_figure(report, kind) for kind in kinds)
    return f'<h2>Pictures</h2><div class="pictures">{figures}</div>'


def _figure(report: SelectionReport, kind: type[ReportDisplay]) -> str:
    caption = escape(_CAPTIONS[kind])
    picture = _as_svg(kind.from_report(report))
    picture = picture.replace("<svg", f'<svg role="img" aria-label="{caption}"', 1)
    return f"<figure>{picture}<figcaption>{caption}</figcaption></figure>"


def _as_svg(display: ReportDisplay) -> str:
    """Draw a display as an SVG element, in the colour of the page's text."""
    name = type(display).__name__  # makes its ids its own among others on the page
    style = dict.fromkeys(_INKED, _INK)
    style |= {"axes.facecolor": "none", "svg.fonttype": "path", "svg.hashsalt": name}
    buffer = io.StringIO()
    with load().rc_context(style):
        size = (display._width, display._height)  # noqa: SLF001 - as `plot` takes them
        figure = load().figure.Figure(figsize=size, layout="constrained", facecolor="none")
        display.plot(ax=figure.subplots())
        unsaid = dict.fromkeys(("Creator", "Date", "Format", "Type"))
        figure.savefig(buffer, format="svg", metadata=unsaid)
    element = buffer.getvalue()
    element = element[element.index("<svg") :]
    element = re.sub(r"<metadata>.*?</metadata>", "", element, flags=re.DOTALL)
    element = re.sub(r' xmlns(:xlink)?="[^"]*"', "", element)
    element = re.sub(r'( id="|url\(#|href="#)', rf"\g<1>{name}-", element)
    return element.replace(_INK, "currentColor").strip()


def _sources(report: SelectionReport) -> str:
    items = "".join(
        f"<li><b>{found.key}</b> {escape(found.name)}: {escape(found.citation)}</li>"
        for found in report.estimates.values()
    )
    return f'<h2>Where the methods come from</h2><ul class="sources">{items}</ul>'
