"""The report as one page that opens anywhere: no network, no script, dark or light, any width."""

from __future__ import annotations

from html import escape
from importlib.util import find_spec
from typing import TYPE_CHECKING

from skmaxev.plotting._source import ReportDisplay
from skmaxev.plotting.estimators import EstimatorsDisplay
from skmaxev.plotting.optimism_curve import OptimismCurveDisplay
from skmaxev.plotting.outer_folds import OuterFoldsDisplay
from skmaxev.plotting.selection_bias import SelectionBiasDisplay
from skmaxev.plotting.svg import as_svg
from skmaxev.report import METHODS
from skmaxev.report.markup import to_html
from skmaxev.report.text import heading

if TYPE_CHECKING:
    from skmaxev.report import SelectionReport

__all__ = ["to_page"]

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
@media print{figure{break-inside:avoid}}
"""

_CAPTIONS: dict[type[ReportDisplay], str] = {
    SelectionBiasDisplay: "Every candidate's mean score with the noise that can favour it, the "
    "printed score of the winner, and its honest score with the interval.",
    EstimatorsDisplay: "Every method's answer. Marks of different shape answer different "
    "questions, so they need not agree.",
    OptimismCurveDisplay: "Best printed and best honest score after each candidate, in the order "
    "they were tried. If only the printed score still rises, searching on does not pay.",
    OuterFoldsDisplay: "What each outer fold chose, what it promised inside and scored outside.",
}


def to_page(report: SelectionReport) -> str:
    """Write a whole HTML document.

    Parameters
    ----------
    report : SelectionReport
        The numbers; the pictures need its score table.

    Returns
    -------
    str
        Holds everything it shows. Where there can be no pictures, it says why.
    """
    title = escape(heading(report))
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f"<title>{title}</title><style>{_STYLE}</style></head><body>"
        f"<main>{to_html(report)}{_pictures(report)}{_sources(report)}</main></body></html>\n"
    )


def _pictures(report: SelectionReport) -> str:
    if report.table is None:
        return "<p>The report carries no score table, so there is nothing to draw.</p>"
    if find_spec("matplotlib") is None:
        return '<p>Pictures need matplotlib: pip install "skmaxev[plot]".</p>'
    kinds: list[type[ReportDisplay]] = [
        SelectionBiasDisplay,
        EstimatorsDisplay,
        OptimismCurveDisplay,
    ]
    if min(report.n_used, report.n_splits) == 1:  # no choice, or no noise to correct by
        kinds.pop()
    if report.table.outer is not None:
        kinds.append(OuterFoldsDisplay)
    figures = "".join(_figure(report, kind) for kind in kinds)
    return f'<h2>Pictures</h2><div class="pictures">{figures}</div>'


def _figure(report: SelectionReport, kind: type[ReportDisplay]) -> str:
    caption = escape(_CAPTIONS[kind])
    picture = as_svg(kind.from_report(report), prefix=kind.__name__)
    picture = picture.replace("<svg", f'<svg role="img" aria-label="{caption}"', 1)
    return f"<figure>{picture}<figcaption>{caption}</figcaption></figure>"


def _sources(report: SelectionReport) -> str:
    items = "".join(
        f"<li><b>{method.key}</b> {escape(method.name)}: {escape(method.citation)}</li>"
        for method in (METHODS[key] for key in report.estimates)
    )
    return f'<h2>Where the methods come from</h2><ul class="sources">{items}</ul>'
