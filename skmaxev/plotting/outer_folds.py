"""Winners and scores of the outer folds of nested cross-validation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from skmaxev.plotting._draw import BLUE, GREEN, GREY, ORANGE, finish, legend_above
from skmaxev.plotting._source import ReportDisplay, axis_label, signed, table_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import ArrayLike

    from skmaxev.report import SelectionReport
    from skmaxev.table import ScoreTable

__all__ = ["OuterFoldsDisplay"]

_LONGEST = 30


class OuterFoldsDisplay(ReportDisplay):
    """What each outer fold chose, what its winner promised inside and what it scored outside.

    Folds that choose different settings with much the same score say that the data do not settle
    the choice; it is the procedure that was judged, not one setting.

    Parameters
    ----------
    scores : array-like of shape (n_outer,)
        Score of each outer fold's winner on the fold, in the sign of the metric.
    best_index : array-like of shape (n_outer,)
        Candidate that won inside each outer fold.
    search_best_index : int
        Candidate that won the search on all rows.
    inner : array-like of shape (n_outer,), optional
        Best mean score inside each outer fold.
    settings : sequence of str, optional
        The settings of each fold's winner, in words.
    metric : str
        Name of the score.
    greater_is_better : bool
        False for a loss.

    Attributes
    ----------
    agreement_ : float
        Share of outer folds that chose the search's own winner.
    ax_ : matplotlib Axes
        After `plot`.
    figure_ : matplotlib Figure
        After `plot`.

    Examples
    --------
    >>> from skmaxev.plotting import OuterFoldsDisplay
    >>> display = OuterFoldsDisplay([0.8, 0.9], best_index=[3, 1], search_best_index=3)
    >>> display.agreement_
    0.5
    """

    def __init__(
        self,
        scores: ArrayLike,
        *,
        best_index: ArrayLike,
        search_best_index: int,
        inner: ArrayLike | None = None,
        settings: Sequence[str] | None = None,
        metric: str = "score",
        greater_is_better: bool = True,
    ) -> None:
        self.scores = np.asarray(scores, dtype=np.float64)
        self.best_index = np.asarray(best_index, dtype=np.intp)
        if self.scores.shape != self.best_index.shape:
            raise ValueError(
                "scores and best_index must have one entry an outer fold; got shapes "
                f"{self.scores.shape} and {self.best_index.shape}."
            )
        self.search_best_index = search_best_index
        self.inner = None if inner is None else np.asarray(inner, dtype=np.float64)
        self.settings = None if settings is None else list(settings)
        self.metric = metric
        self.greater_is_better = greater_is_better
        self.agreement_ = float(np.mean(self.best_index == search_best_index))

    @classmethod
    def from_report(cls, report: SelectionReport) -> Self:
        """Take the outer folds from a report.

        Parameters
        ----------
        report : SelectionReport
            Of a fitted NestedCVSearch.

        Raises
        ------
        ValueError
            If the search had no outer folds.
        """
        table = table_of(report)
        outer = table.outer
        if outer is None:
            raise ValueError(
                "the report must be of a search with outer folds, such as NestedCVSearch; this "
                f"one is of {report.source}."
            )
        inner = None
        if outer.inner is not None:
            means = np.nanmean(outer.inner, axis=1)  # (n_outer, n_candidates)
            inner = signed(report, means[np.arange(len(means)), outer.best_index])
        return cls(
            signed(report, outer.scores),
            best_index=outer.best_index,
            search_best_index=report.best_index,
            inner=inner,
            settings=_settings(table, outer.best_index),
            metric=report.metric,
            greater_is_better=report.greater_is_better,
        )

    @property
    def height(self) -> float:
        """Inches that a figure of its own should have."""
        return 1.35 + 0.3 * self.scores.size

    def _draw(self, ax: Any) -> None:
        """Draw one row an outer fold: promised inside, scored outside, and the settings."""
        rows = np.arange(self.scores.size)
        if self.inner is not None:
            ax.hlines(rows, self.inner, self.scores, color=GREY, lw=0.8)
            ax.plot(
                self.inner,
                rows,
                "o",
                mfc="none",
                color=ORANGE,
                ms=5,
                label="inner score of its choice",
            )
        same = self.best_index == self.search_best_index
        for label, where, colour, marker in (
            ("outer score: the search's winner", same, BLUE, "D"),
            ("outer score: another winner", ~same, GREY, "s"),
        ):
            if where.any():
                ax.plot(self.scores[where], rows[where], marker, color=colour, ms=5, label=label)
        mean = float(self.scores.mean())
        ax.axvline(mean, color=GREEN, lw=1.4, label="mean outer score (nested)", zorder=0)
        ax.set_yticks(rows, self._labels())
        ax.set_ylim(self.scores.size - 0.5, -0.5)
        ax.locator_params(axis="x", nbins=4)  # the labels of the rows leave little room
        finish(ax, xlabel=axis_label(self.metric, greater_is_better=self.greater_is_better))
        legend_above(ax, columns=1, side="right")  # the rows' long labels take the left

    def _labels(self) -> list[str]:
        names = [f"fold {row}: #{index}" for row, index in enumerate(self.best_index)]
        if self.settings is None:
            return names
        return [f"{name}\n{_cut(text)}" for name, text in zip(names, self.settings, strict=True)]


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


def _settings(table: ScoreTable, winners: Sequence[int] | Any) -> list[str] | None:
    """Write the winners' settings, only those that differ among the candidates."""
    if table.params is None:
        return None
    names = [name for name in table.params[0] if len({repr(p.get(name)) for p in table.params}) > 1]
    return [_write(table.params[winner], names) for winner in winners]


def _write(params: Mapping[str, Any], names: Sequence[str]) -> str:
    found = ((name.rpartition("__")[2], params[name]) for name in names if name in params)
    return ", ".join(
        f"{name}={value:.3g}" if isinstance(value, float) else f"{name}={value}"
        for name, value in found
    )
