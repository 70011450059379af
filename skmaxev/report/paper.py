"""Methods of a report for a paper: a row of a table, a paragraph, and the sources."""

from __future__ import annotations

from typing import TYPE_CHECKING

from skmaxev._results import as_latex
from skmaxev._version import __version__
from skmaxev.report.methods import METHODS, PROCEDURE, WINNER, Method
from skmaxev.report.numbers import SEARCH, Format, as_loss, name_plainly, percent
from skmaxev.report.sentences import nothing_chosen, setting_of

if TYPE_CHECKING:
    from skmaxev.report.report import SelectionReport

__all__ = ["bibtex", "methods_text", "to_latex"]


# Kind, author, title, year, where.
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


def to_latex(report: SelectionReport) -> str:
    """Return a row for a paper's table: metric, score, interval and method."""
    report, method = as_loss(report), METHODS[report.method]
    write = Format(report)
    ends = f"[{', '.join(map(write.score, report.interval))}]" if report.interval else "--"
    cells = (name_plainly(report.metric), write.score(report.estimate), ends, _in_words(method))
    return " & ".join(map(as_latex, cells)) + rf" \citep{{{method.source}}} \\"


def methods_text(report: SelectionReport, *, latex: bool = False) -> str:
    r"""Return a paragraph for a paper: what was searched, by which splits, and the number.

    Parameters
    ----------
    latex : bool
        With ``\citep`` in place of Pandoc's ``[@key]``.

    Examples
    --------
    >>> from skmaxev import correct
    >>> report = correct([[0.8, 0.7], [0.9, 0.8], [0.8, 0.8]], metric="accuracy")
    >>> report.methods_text()[:53]
    'We compared 2 candidates by their accuracy on 3 split'
    """
    report = as_loss(report)
    word = as_latex if latex else str
    cite = r" \citep{%s}" if latex else " [@%s]"
    if nothing_chosen(report):
        return word(f"{_searched(report)} {_unchanged(report)} We used skmaxev {__version__}") + (
            f"{cite % 'skmaxev'}."
        )
    method = METHODS[report.method]
    aim = (
        "the average true score of models chosen in this way"
        if method.target == PROCEDURE
        else method.target.rpartition(" (")[0]
    )
    of_what = "" if method.target == WINNER else " for the winner's true score"
    again = luck = ""
    if report.n_fresh:
        again = (
            f" The best were then judged again on {report.n_fresh:,} fresh partitions of the same "
            "rows, and all partitions together chose among them."
        )
    else:
        luck = ", which is too good on average, as the same scores chose it"
    found = (
        f"{_searched(report)}{again} The one that was chosen scored {_printed(report)}{luck}. We "
        f"report {Format(report).score(report.estimate)}{_interval(report, of_what)}, an estimate "
        f"of {aim} by {_in_words(method)}"
    )
    own = "" if method.source == "skmaxev" else cite % "skmaxev"
    return (
        word(found) + cite % method.source + word(f", computed with skmaxev {__version__}") + own
    ) + "."


def _searched(report: SelectionReport) -> str:
    """Say what was compared, by what."""
    setting, metric = setting_of(report), name_plainly(report.metric).replace("_", " ")
    if report.n_used == 1:
        return f"We judged one {setting.noun} by its {metric} {setting.design}."
    left_out = len(report.left_out)
    more = f" ({left_out:,} more {'was' if left_out == 1 else 'were'} left out)" if left_out else ""
    params = None if report.table is None else report.table.params
    names = dict.fromkeys(str(of[SEARCH]) for of in params or () if SEARCH in of)
    searches = f" of {len(names)} searches ({', '.join(names)})" if names else ""
    return (
        f"We compared {report.n_used:,} {setting.noun}s{searches}{more} by their {metric} "
        f"{setting.design}."
    )


def _unchanged(report: SelectionReport) -> str:
    """Say that what was found is reported as it is, where nothing was chosen."""
    scored = "It scored" if report.n_used == 1 else "All of them scored"
    why = "nothing was chosen, so nothing was corrected."
    if report.n_used == 1 < report.n_candidates:
        why = (
            f"{report.n_candidates - 1:,} others left no scores there, so that its score is not "
            "corrected for having been chosen."
        )
    return f"{scored} {Format(report).score(report.estimate)} there{_interval(report)}; {why}"


def _printed(report: SelectionReport) -> str:
    write = Format(report)
    if report.naive_pooled is None:
        return f"{write.score(report.naive)} there"
    return (
        f"{write.score(report.naive_pooled)} there on all rows together "
        f"({write.score(report.naive)} on average over the splits)"
    )


def _interval(report: SelectionReport, of_what: str = "") -> str:
    if not report.interval:
        return ""
    ends = Format(report).interval(report.interval)
    return f" ({percent(report.level)} interval{of_what} {ends})"


def _in_words(method: Method) -> str:
    """Name a method without letters that only this package uses."""
    return method.name.replace("LVCV", METHODS["LVCV"].name)


def bibtex(report: SelectionReport) -> str:
    """Return the BibTeX entries that `methods_text` and `to_latex` cite."""
    entries = []
    for key in dict.fromkeys([METHODS[report.method].source, "skmaxev"]):
        kind, author, title, year, where = _SOURCES[key]
        entries.append(
            f"@{kind}{{{key},\n  author = {{{author}}},\n  title = {{{title}}},\n"
            f"  year = {{{year}}},\n  {where}\n}}"
        )
    return "\n\n".join(entries)
