"""Where displays take their numbers from: the report of a search."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any, Self

from skmaxev.plotting._draw import Display

if TYPE_CHECKING:
    from skmaxev.report import SelectionReport
    from skmaxev.table import ScoreTable

__all__ = ["ReportDisplay", "axis_label", "report_of", "signed", "table_of"]


class ReportDisplay(Display):
    """A display whose numbers are those of a report."""

    @classmethod
    @abstractmethod
    def from_report(cls, report: SelectionReport) -> Self:
        """Take the numbers from a report."""

    @classmethod
    def from_search(cls, search: Any, *, metric: str | None = None) -> Self:
        """Take the numbers from a fitted search of skmaxev.

        Parameters
        ----------
        search : fitted search
            With ``report_``. For any other search: ``from_report(correct(search))``.
        metric : str, optional
            Which metric, where there are several.
        """
        return cls.from_report(report_of(search, metric))


def report_of(search: Any, metric: str | None) -> SelectionReport:
    """Return the report of a fitted search, for one of its metrics.

    Raises
    ------
    TypeError
        If it has none: it is not fitted, or not a search of skmaxev.
    ValueError
        If it has no report for this metric.
    """
    report = getattr(search, "report_", None)
    reports = getattr(search, "reports_", None) or {}
    if metric is not None and (report is None or report.metric != metric):
        report = reports.get(metric)
        if report is None and reports:
            raise ValueError(f"metric must be one of {sorted(reports)}; got {metric!r}.")
    if report is None:
        raise TypeError(
            f"search must be a fitted search with report_; this {type(search).__name__} has none. "
            "Fit it first, or use from_report(correct(search)) for a search of another kind."
        )
    return report  # type: ignore[no-any-return]


def table_of(report: SelectionReport) -> ScoreTable:
    """Return the scores behind a report.

    Raises
    ------
    ValueError
        If the report was made without them.
    """
    if report.table is None:
        raise ValueError(
            "the report must carry its score table to be drawn; this one was stripped of it. Make "
            "it anew with skmaxev.correct(...)."
        )
    return report.table


def signed(report: SelectionReport, scores: Any) -> Any:
    """Give scores of the table the sign of the user's metric."""
    return scores if report.greater_is_better else -scores


def axis_label(metric: str, *, greater_is_better: bool) -> str:
    """Name the score axis."""
    name = metric.replace("_", " ").replace("$", r"\$")  # Matplotlib would set it as mathematics
    return name + ("" if greater_is_better else " (lower is better)")
