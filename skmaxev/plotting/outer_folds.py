"""Winners and scores of the outer folds of nested cross-validation."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from skmaxev.plotting._display import (
    BLUE,
    GREEN,
    GREY,
    ORANGE,
    ReportDisplay,
    cut,
    finish,
    legend_above,
    settings_in_words,
    signed,
    table_of,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from skmaxev.report import SelectionReport

__all__ = ["OuterFoldsDisplay"]


@dataclass(eq=False, repr=False)
class OuterFoldsDisplay(ReportDisplay):
    """What each outer fold chose, what its winner promised inside and what it scored outside.

    Folds that choose different settings with much the same score say that the data do not settle
    the choice; it is the procedure that was judged, not one setting.

    Parameters
    ----------
    scores : array-like of shape (n_outer,)
        Score of each outer fold's winner on the fold, in the sign of the metric.
    best_index : array-like of shape (n_outer,)
        Candidate that won inside each outer fold; -1 for one of a fold's own.
    search_best_index : int
        Candidate that won the search on all rows.
    inner : array-like of shape (n_outer,), optional
        Best mean score inside each outer fold.
    settings : sequence of str, optional
        The settings of each fold's winner, in words.
    metric, greater_is_better : str, bool
        Name of the score; False for a loss.

    Examples
    --------
    >>> from skmaxev.plotting import OuterFoldsDisplay
    >>> display = OuterFoldsDisplay([0.8, 0.9], best_index=[3, 1], search_best_index=3)
    >>> display.agreement_
    0.5
    """

    scores: Any
    _: KW_ONLY
    best_index: Any
    search_best_index: int
    inner: Any = None
    settings: Sequence[str] | None = None

    _arrays = ("scores",)

    def __post_init__(self) -> None:
        super().__post_init__()
        self.best_index = np.asarray(self.best_index, dtype=np.intp)
        if self.scores.shape != self.best_index.shape:
            raise ValueError(
                "scores and best_index must have one entry an outer fold; got shapes "
                f"{self.scores.shape} and {self.best_index.shape}."
            )

    @property
    def agreement_(self) -> float:
        """Share of outer folds that chose the search's own winner."""
        return float((self.best_index == self.search_best_index).mean())

    @classmethod
    def _read(cls, report: SelectionReport) -> dict[str, Any]:
        table = table_of(report)
        outer = table.outer
        if outer is None:
            raise ValueError(
                "the report must be of a search with outer folds, such as NestedCVSearch; this "
                f"one is of {report.source}."
            )
        best_index, settings = outer.best_index, None
        if outer.params is not None:  # each fold drew candidates of its own
            same = [repr(params) == repr(report.best_params) for params in outer.params]
            best_index = np.where(same, report.best_index, -1)
            settings = settings_in_words(outer.params, outer.params)
        elif table.params is not None:
            settings = settings_in_words(table.params, [table.params[k] for k in best_index])
        inner = None
        if outer.inner is not None:
            means = np.nanmean(outer.inner, axis=1)  # (n_outer, n_candidates)
            inner = signed(report, means[np.arange(len(means)), outer.best_index])
        return {
            "scores": signed(report, outer.scores),
            "best_index": best_index,
            "search_best_index": report.best_index,
            "inner": inner,
            "settings": settings,
        }

    @property
    def _height(self) -> float:
        return 1.35 + 0.3 * float(self.scores.size)

    def _draw(self, ax: Any) -> None:
        """Draw one row an outer fold: promised inside, scored outside, and the settings."""
        rows = np.arange(self.scores.size)
        if self.inner is not None:
            ax.hlines(rows, self.inner, self.scores, color=GREY, lw=0.8)
            hollow = {"mfc": "none", "color": ORANGE, "ms": 5}
            ax.plot(self.inner, rows, "o", label="inner score of its choice", **hollow)
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
        finish(ax, xlabel=self._score_label)
        legend_above(ax, columns=1, side="right")  # the rows' long labels take the left

    def _labels(self) -> list[str]:
        settings = self.settings or [""] * len(self.best_index)
        return [
            f"fold {row}{f': #{index}' if index >= 0 else ''}\n{cut(text)}".rstrip()
            for row, (index, text) in enumerate(zip(self.best_index, settings, strict=True))
        ]
