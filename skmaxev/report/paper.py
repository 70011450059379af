"""What a paper says of a search: a row of a table, a paragraph of methods, and the sources."""

from __future__ import annotations

from typing import TYPE_CHECKING

from skmaxev._results import as_latex
from skmaxev._version import __version__
from skmaxev.report.advice import nothing_chosen
from skmaxev.report.methods import METHODS, PROCEDURE, WINNER, Method
from skmaxev.report.numbers import Format, name_metric, percent

if TYPE_CHECKING:
    from skmaxev.report.report import SelectionReport

__all__ = ["methods_text", "sources", "splits_in_words", "to_latex"]

# Key: kind, author, title, year, where.
_SOURCES = {
    "vanhasselt2013": (
        "misc", "van Hasselt, Hado", "Estimating the Maximum Expected Value: An Analysis of "
        "(Nested) Cross Validation and the Maximum Sample Average", 2013,
        "note = {arXiv:1302.7175}",
    ),
    "efron2011": (
        "article", "Efron, Bradley", "Tweedie's Formula and Selection Bias", 2011,
        "journal = {Journal of the American Statistical Association}, volume = {106}",
    ),
    "tibshirani2009": (
        "article", "Tibshirani, Ryan J. and Tibshirani, Robert",
        "A Bias Correction for the Minimum Error Rate in Cross-Validation", 2009,
        "journal = {The Annals of Applied Statistics}, volume = {3}",
    ),
    "tsamardinos2018": (
        "article", "Tsamardinos, Ioannis and Greasidou, Elissavet and Borboudakis, Giorgos",
        "Bootstrapping the Out-of-Sample Predictions for Efficient and Accurate Cross-Validation",
        2018, "journal = {Machine Learning}, volume = {107}",
    ),
    "paraschakis2024": (
        "misc", "Paraschakis, Konstantinos and others",
        "Confidence Interval Estimation of Predictive Performance in the Context of AutoML", 2024,
        "note = {arXiv:2406.08099}",
    ),
    "varma2006": (
        "article", "Varma, Sudhir and Simon, Richard",
        "Bias in Error Estimation When Using Cross-Validation for Model Selection", 2006,
        "journal = {BMC Bioinformatics}, volume = {7}",
    ),
    "skmaxev": (
        "software", "{skmaxev developers}", "skmaxev: honest scores for scikit-learn searches",
        2026, f"version = {{{__version__}}}",
    ),
}  # fmt: skip


def methods_text(report: SelectionReport, *, latex_: bool) -> str:
    """Write a paragraph: what was searched, by which splits, and what the number is."""
    write, method = Format(report), METHODS[report.method]
    word = as_latex if latex_ else str
    cite = r"\citep{%s}" if latex_ else "[@%s]"
    aim = (
        "the average true score of models chosen in this way"
        if method.target == PROCEDURE
        else method.target.rpartition(" (")[0]
    )
    interval = ""
    if report.interval:
        of_what = "" if method.target == WINNER else " for the winner's true score"
        ends = write.interval(report.interval)
        interval = f" ({percent(report.level)} interval{of_what} {ends})"
    luck = again = ""
    if not (report.n_fresh or nothing_chosen(report)):
        luck = ", which is too good on average, as the same scores chose it"
    if report.n_fresh:
        again = (
            f" The best were then judged again on {report.n_fresh:,} fresh partitions of the same "
            "rows, and all partitions together chose among them."
        )
    parts = [
        word(
            f"We compared {_candidates(report)} by their {name_metric(report).replace('_', ' ')} "
            f"{splits_in_words(report)}.{again} The one that was chosen scored "
            f"{write.score(report.naive)} there{luck}. We report {write.score(report.estimate)}"
            f"{interval}, an estimate of {aim} by {_in_words(method)} "
        ),
        cite % method.source,
        word(f", computed with skmaxev {__version__}"),
        "" if method.source == "skmaxev" else " " + cite % "skmaxev",
        ".",
    ]
    return "".join(parts)


def _candidates(report: SelectionReport) -> str:
    failed = f" ({len(report.left_out):,} more were left out)" if report.left_out else ""
    return f"{report.n_used:,} candidate{'s' * (report.n_used > 1)}{failed}"


def _in_words(method: Method) -> str:
    """Name a method without letters that only this package uses."""
    return method.name.replace("LVCV", METHODS["LVCV"].name)


def splits_in_words(report: SelectionReport) -> str:
    """Say how the splits came about, as far as it is known."""
    table = report.table
    design = table.design if table is not None else None
    if table is not None and table.source == "items":
        return "on items on which nothing was trained"
    if design is None or design.source == "assumed":
        return f"on {report.n_splits:,} split{'s' * (report.n_splits != 1)} of the data"
    rows = f" on {design.n_rows:,} rows" if design.n_rows else ""
    groups = ", rows that belong together kept together," if design.clusters is not None else ""
    if design.n_folds == 1:
        return f"on {design.n_splits:,} random splits{groups}"
    times = f", {design.n_repeats:,} times repeated," if design.n_repeats > 1 else ""
    return f"in {design.n_folds}-fold cross-validation{times}{groups}{rows}"


def sources(report: SelectionReport) -> str:
    """Write the BibTeX entries that `methods_text` cites."""
    entries = []
    for key in dict.fromkeys([METHODS[report.method].source, "skmaxev"]):
        kind, author, title, year, where = _SOURCES[key]
        entries.append(
            f"@{kind}{{{key},\n  author = {{{author}}},\n  title = {{{title}}},\n"
            f"  year = {{{year}}},\n  {where}\n}}"
        )
    return "\n\n".join(entries)


def to_latex(report: SelectionReport) -> str:
    """Write one row of a table: metric, score, interval, method in words."""
    write, method = Format(report), METHODS[report.method]
    interval = write.interval(report.interval).split(" to ") if report.interval else []
    ends = f"[{', '.join(interval)}]" if interval else "--"
    cells = (name_metric(report), write.score(report.estimate), ends, _in_words(method))
    return " & ".join(map(as_latex, cells)) + rf" \citep{{{method.source}}} \\"
