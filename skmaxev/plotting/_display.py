"""What all pictures share: where the numbers come from, colours, sizes, and loading matplotlib."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from skmaxev.report.numbers import as_loss, name_params

if TYPE_CHECKING:
    from skmaxev.report import SelectionReport
    from skmaxev.table import ScoreTable

__all__ = [
    "BLUE",
    "GREEN",
    "GREY",
    "ORANGE",
    "PURPLE",
    "Display",
    "ReportDisplay",
    "cut",
    "finish",
    "focus",
    "legend_above",
    "load",
    "settings_in_words",
    "signed",
    "table_of",
]

# Okabe and Ito's colours, told apart with every kind of colour blindness.
BLUE, GREEN, ORANGE, PURPLE = "#0072B2", "#009E73", "#D55E00", "#CC79A7"
GREY = "#8C8C8C"  # readable on white and on black

_COLUMN = 3.4  # inches, the column of a journal
_SMALL = 7.0  # points, the smallest text that prints well
_ROOM = 1.5  # what lies further off than this many ranges of the results would squash them
_LONGEST = 30  # signs of a label beside the axes


def load() -> Any:
    """Return matplotlib, with its pyplot and figure."""
    try:
        import matplotlib.figure  # noqa: PLC0415 - only who draws needs it
        import matplotlib.pyplot  # noqa: PLC0415
    except ImportError as error:
        raise ImportError(
            'drawing needs matplotlib, which is not installed: pip install "skmaxev[plot]".'
        ) from error
    return matplotlib


class Display(ABC):
    """A picture as a value: made from arrays, drawn when asked for."""

    _width: ClassVar[float] = _COLUMN

    @property
    @abstractmethod
    def _height(self) -> float:
        """Inches that a figure of its own should have."""

    @abstractmethod
    def _draw(self, ax: Any) -> None:
        """Draw on axes that are there."""

    def plot(self, ax: Any = None) -> Self:
        """Draw on ``ax``, or on a new figure.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure if omitted.

        Returns
        -------
        display
            Itself, with ``ax_`` and ``figure_``.
        """
        if ax is None:
            size = (self._width, self._height)
            ax = load().pyplot.subplots(figsize=size, layout="constrained")[1]
        self._draw(ax)
        self.ax_, self.figure_ = ax, ax.figure
        return self


@dataclass(eq=False, repr=False)
class ReportDisplay(Display):
    """A display whose numbers are those of a report; losses are drawn positive."""

    metric: str = field(default="score", kw_only=True)
    greater_is_better: bool = field(default=True, kw_only=True)

    _arrays: ClassVar[tuple[str, ...]] = ()
    """Names of the fields that are arrays of numbers."""

    def __post_init__(self) -> None:
        for name in self._arrays:
            setattr(self, name, np.asarray(getattr(self, name), dtype=np.float64))

    @classmethod
    def from_report(cls, report: SelectionReport) -> Self:
        """Take the numbers from a report.

        Parameters
        ----------
        report : SelectionReport
            Of `skmaxev.correct` or of a fitted search, with its score table.
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
        own = getattr(search, "report_", None)
        reports = getattr(search, "reports_", None) or {}
        if own is None and not reports:
            raise TypeError(
                f"search must be a fitted search with report_; this {type(search).__name__} has "
                "none. Fit it first, or use from_report(correct(search)) for a search of another "
                "kind."
            )
        reports = reports if own is None else {own.metric: own} | reports
        report = own if metric is None else reports.get(metric)
        if report is None:
            raise ValueError(f"metric must be one of {sorted(reports)}; got {metric!r}.")
        return cls.from_report(report)

    @property
    def _score_label(self) -> str:
        """Name of the score axis; Matplotlib would set dollars as mathematics."""
        name = self.metric.replace("_", " ").replace("$", r"\$")
        return name + ("" if self.greater_is_better else " (lower is better)")


def table_of(report: SelectionReport) -> ScoreTable:
    """Return the scores behind a report."""
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
        name_params({name.rpartition("__")[2]: params[name] for name in names if name in params})
        for params in some
    ]


def cut(text: str) -> str:
    """Cut a label that would leave no room for the axes."""
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


def focus(ax: Any, values: Any, results: Sequence[float], *, noise: float = 0.0) -> Any:
    """Leave hopeless values off the score axis, so that they do not squash the results.

    Returns which of ``values`` are off it; ``noise`` is half the length of the bars on them.
    """
    low, high = min(results), max(results)
    room = _ROOM * (high - low)
    off = (values < low - room) | (values > high + room)
    if off.any():
        shown = np.append(values[~off], [low, high])
        margin = 0.06 * np.ptp(shown) + noise
        ax.set_ylim(shown.min() - margin, shown.max() + margin)
    return off


def finish(ax: Any, *, xlabel: str, ylabel: str = "") -> None:
    """Label the axes, in text small enough for one column, and drop what carries no data."""
    ax.set_xlabel(xlabel, fontsize=_SMALL + 1)
    ax.set_ylabel(ylabel, fontsize=_SMALL + 1)
    ax.tick_params(labelsize=_SMALL)
    ax.spines[["top", "right"]].set_visible(False)


def legend_above(ax: Any, *, columns: int = 2, side: str = "left", title: str = "") -> None:
    """Put the legend over the axes, where it covers no data; ``side`` is where it is flush."""
    ax.legend(
        loc=f"lower {side}",
        bbox_to_anchor=(0 if side == "left" else 1, 1.01),
        ncols=columns,
        title=title or None,
        title_fontsize=_SMALL + 1,
        alignment=side,
        fontsize=_SMALL,
        frameon=False,
        borderaxespad=0,
        handlelength=1.4,
        columnspacing=1.2,
        labelspacing=0.3,
    )
