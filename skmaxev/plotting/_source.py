"""Where displays take their numbers from: the report of a search."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

from skmaxev.plotting._draw import Display
from skmaxev.report.numbers import as_loss

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from skmaxev.report import SelectionReport
    from skmaxev.table import ScoreTable

__all__ = ["ReportDisplay", "cut", "report_of", "settings_in_words", "signed", "table_of"]

_LONGEST = 30  # signs of a label beside the axes


@dataclass(eq=False, repr=False)
class ReportDisplay(Display):
    """A display whose numbers are those of a report; losses are drawn positive."""

    metric: str = field(default="score", kw_only=True)
    greater_is_better: bool = field(default=True, kw_only=True)

    @classmethod
    def from_report(cls, report: SelectionReport) -> Self:
        """Take the numbers from a report.

        Parameters
        ----------
        report : SelectionReport
            Of `correct` or of a fitted search, with its score table.
        """
        report = as_loss(report)
        return cls(
            **cls._read(report), metric=report.metric, greater_is_better=report.greater_is_better
        )

    @classmethod
    @abstractmethod
    def _read(cls, report: SelectionReport) -> dict[str, Any]:
        """Take the parameters of the display from a report whose losses are positive."""

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

    @property
    def _score_label(self) -> str:
        """Name of the score axis; Matplotlib would set dollars as mathematics."""
        name = self.metric.replace("_", " ").replace("$", r"\$")
        return name + ("" if self.greater_is_better else " (lower is better)")


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
    """Give scores of the table the sign in which the report is read."""
    return scores if report.greater_is_better else -scores


def settings_in_words(
    candidates: Sequence[Mapping[str, Any]], some: Sequence[Mapping[str, Any]]
) -> list[str]:
    """Write the settings of some, only those that differ among the candidates."""
    all_names = dict.fromkeys(name for params in candidates for name in params)
    names = [name for name in all_names if len({repr(p.get(name)) for p in candidates}) > 1]
    return [
        ", ".join(
            f"{name.rpartition('__')[2]}={_short(params[name])}" for name in names if name in params
        )
        for params in some
    ]


def _short(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def cut(text: str) -> str:
    """Cut a label that would leave no room for the axes."""
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
