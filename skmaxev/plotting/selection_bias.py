"""The picture of the winner's curse in one search: all candidates, the winner, what it is worth."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from skmaxev.plotting._draw import BLUE, GREEN, GREY, ORANGE, finish, focus, legend_above
from skmaxev.plotting._source import ReportDisplay, signed, table_of
from skmaxev.table import mean_scores

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from skmaxev.report import SelectionReport

__all__ = ["SelectionBiasDisplay"]

_MOST_SHOWN = 60  # more marks than these run into one another in a column
_MIDDLE = (0.05, 0.5, 0.95)


@dataclass(eq=False, repr=False)
class SelectionBiasDisplay(ReportDisplay):
    """Scores of all candidates with their noise, the printed score and the honest one.

    Parameters
    ----------
    scores : array-like of shape (n_candidates,)
        Mean score of each candidate that took part, in the sign of the metric.
    noise : float
        Standard error of a mean score that can favour one candidate over another.
    naive : float
        The winner's mean score.
    estimate : float
        The honest score.
    interval : tuple of two floats, optional
        Interval around ``estimate``.
    best_index : int
        Position of the winner in ``scores``.
    indistinguishable : sequence of int
        Positions of the candidates that cannot be told apart from the winner.
    level : float
        Confidence level of the interval.
    metric, greater_is_better : str, bool
        Name of the score; False for a loss.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
        After `plot`.

    Examples
    --------
    >>> import numpy as np
    >>> from skmaxev.correction import correct
    >>> from skmaxev.plotting import SelectionBiasDisplay
    >>> report = correct(np.random.default_rng(0).normal(0.8, 0.03, size=(5, 40)))
    >>> display = SelectionBiasDisplay.from_report(report)
    >>> display.scores.shape
    (40,)
    """

    scores: Any
    _: KW_ONLY
    noise: float
    naive: float
    estimate: float
    interval: tuple[float, float] | None
    best_index: int
    indistinguishable: Sequence[int] = ()
    level: float = 0.95

    def __post_init__(self) -> None:
        self.scores = np.asarray(self.scores, dtype=np.float64)

    @cached_property
    def order_(self) -> NDArray[np.intp]:
        """Positions of the candidates from best to worst, as drawn, (n_candidates,)."""
        return np.argsort(-self.scores if self.greater_is_better else self.scores, kind="stable")

    @classmethod
    def _read(cls, report: SelectionReport) -> dict[str, Any]:
        table = table_of(report)
        return {
            "scores": signed(report, mean_scores(table.used_scores)),
            "noise": report.noise,
            "naive": report.naive,
            "estimate": report.estimate,
            "interval": report.interval,
            "best_index": table.used_best_index,
            "indistinguishable": np.searchsorted(table.used, report.indistinguishable).tolist(),
            "level": report.level,
        }

    @property
    def height(self) -> float:
        """Inches that a figure of its own should have."""
        return 2.9

    def _draw(self, ax: Any) -> None:
        """Draw candidates from best to worst, with the printed and the honest score as lines."""
        shown = self.order_[:_MOST_SHOWN]
        if self.best_index not in shown:
            shown = np.append(shown[:-1], self.best_index)
        rest = np.setdiff1d(self.order_, shown)
        self._draw_honest_score(ax)
        results = [self.naive, self.estimate, *(self.interval or ())]
        drawn = self.scores[shown]
        if rest.size:
            drawn = np.append(drawn, np.quantile(self.scores[rest], _MIDDLE))
        off = focus(ax, drawn, results, noise=self.noise)[: shown.size]
        self._draw_candidates(ax, shown, off)
        self._draw_crowd(ax, shown.size, self.scores[rest])
        end = shown.size * (1.14 if rest.size else 1.02)
        ax.set_xlim(0.4 - 0.02 * shown.size, 0.6 + end)
        ax.xaxis.get_major_locator().set_params(integer=True)
        finish(
            ax,
            xlabel="candidates, best first" + (" (the rest as one bar)" if rest.size else ""),
            ylabel=self._score_label,
        )
        title = f"The best of {self.scores.size:,} candidates" if self.scores.size > 1 else ""
        legend_above(ax, title=title)

    def _draw_honest_score(self, ax: Any) -> None:
        if self.interval is not None:
            ax.axhspan(
                *self.interval, color=GREEN, alpha=0.15, lw=0, label=f"{self.level:.0%} interval"
            )
        ax.axhline(self.estimate, color=GREEN, lw=1.4, label="honest score")
        ax.axhline(self.naive, color=ORANGE, lw=1.2, ls=(0, (4, 2)), label="printed score")

    def _draw_candidates(self, ax: Any, shown: Any, off: Any) -> None:
        """Draw the winner, those close to it and others, each with its noise."""
        winner = shown == self.best_index
        close = np.isin(shown, self.indistinguishable)
        ranks = np.arange(1, shown.size + 1)
        size = float(np.clip(60 / np.sqrt(shown.size), 2.0, 4.5))
        for label, where, colour, marker in (
            ("others", ~(winner | close | off), GREY, "o"),
            ("close to winner", close & ~off, BLUE, "s"),
            ("winner", winner, ORANGE, "D"),
        ):
            if where.any():
                ax.errorbar(
                    ranks[where],
                    self.scores[shown[where]],
                    yerr=self.noise or None,
                    fmt=marker,
                    color=colour,
                    ms=size + (marker == "D"),
                    lw=0,
                    elinewidth=0.8,
                    label=label,
                )
        if off.any():
            edge = 0.02 if self.greater_is_better else 0.98
            ax.plot(
                ranks[off],
                np.full(off.sum(), edge),
                "v" if self.greater_is_better else "^",
                color=GREY,
                ms=size,
                transform=ax.get_xaxis_transform(),
                label=f"{off.sum():,} off the axis",
            )

    def _draw_crowd(self, ax: Any, n_shown: int, scores: Any) -> None:
        """Draw those that have no mark of their own as the bar over their middle nine tenths."""
        if not scores.size:
            return
        low, middle, high = np.quantile(scores, _MIDDLE)
        place = 1.08 * n_shown
        label = f"middle 90% of {scores.size:,} more"
        ax.plot([place] * 2, [low, high], color=GREY, lw=5, solid_capstyle="butt", label=label)
        ax.plot(place, middle, "_", color="white", ms=5)
