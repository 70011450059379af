"""The candidates of a search: all of them with the winner, and those that came next to it."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from functools import cached_property
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
    focus,
    legend_above,
    settings_in_words,
    signed,
    table_of,
)
from skmaxev.report.numbers import percent
from skmaxev.table import mean_scores

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from skmaxev.report import SelectionReport

__all__ = ["RunnersUpDisplay", "SelectionBiasDisplay"]

_MOST_CANDIDATES = 60  # more marks than these run into one another in a column
_MOST_RUNNERS_UP = 12
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

    _arrays = ("scores",)
    _height = 2.9

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

    def _draw(self, ax: Any) -> None:
        """Draw candidates from best to worst, with the printed and the honest score as lines."""
        shown = self.order_[:_MOST_CANDIDATES]
        if self.best_index not in shown:
            shown = np.append(shown[:-1], self.best_index)
        rest = self.scores[np.setdiff1d(self.order_, shown)]
        crowd = np.quantile(rest, _MIDDLE) if rest.size else rest
        self._draw_honest_score(ax)
        drawn = np.append(self.scores[shown], crowd)
        results = [self.naive, self.estimate, *(self.interval or ())]
        off = focus(ax, drawn, results, noise=self.noise)[: shown.size]
        self._draw_candidates(ax, shown, off)
        if rest.size:
            place = 1.08 * shown.size
            label = f"middle 90% of {rest.size:,} more"
            ends = crowd[[0, 2]]
            ax.plot([place] * 2, ends, color=GREY, lw=5, solid_capstyle="butt", label=label)
            ax.plot(place, crowd[1], "_", color="white", ms=5)
        end = shown.size * (1.14 if rest.size else 1.02)
        ax.set_xlim(0.4 - 0.02 * shown.size, 0.6 + end)
        ax.xaxis.get_major_locator().set_params(integer=True)
        xlabel = "candidates, best first" + (" (the rest as one bar)" if rest.size else "")
        finish(ax, xlabel=xlabel, ylabel=self._score_label)
        title = f"The best of {self.scores.size:,} candidates" if self.scores.size > 1 else ""
        legend_above(ax, title=title)

    def _draw_honest_score(self, ax: Any) -> None:
        if self.interval is not None:
            label = f"{percent(self.level)} interval"
            ax.axhspan(*self.interval, color=GREEN, alpha=0.15, lw=0, label=label)
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
            edge, marker = (0.02, "v") if self.greater_is_better else (0.98, "^")
            place = ax.get_xaxis_transform()
            label = f"{off.sum():,} off the axis"
            edges = np.full(off.sum(), edge)
            ax.plot(ranks[off], edges, marker, color=GREY, ms=size, transform=place, label=label)


@dataclass(eq=False, repr=False)
class RunnersUpDisplay(ReportDisplay):
    """Lead of the winner over each runner-up, with its interval.

    An interval that holds zero leaves open which of the two is better. Draws the nearest twelve.

    Parameters
    ----------
    differences : array-like of shape (n_others,)
        By how much the winner is better, positive for losses too.
    low, high : array-like of shape (n_others,)
        Interval of each difference; NaN where nothing shows its noise.
    may_be_best : array-like of shape (n_others,)
        Whether the candidate cannot be excluded as the best.
    names : sequence of str
        Of the candidates.
    level : float
        Confidence level of the intervals.
    metric, greater_is_better : str, bool
        Name of the score; False for a loss.

    Examples
    --------
    >>> import numpy as np
    >>> from skmaxev import correct
    >>> from skmaxev.plotting import RunnersUpDisplay
    >>> report = correct(np.random.default_rng(0).normal(0.8, 0.03, size=(5, 4)))
    >>> RunnersUpDisplay.from_report(report).differences.round(3).tolist()
    [0.006, 0.018, 0.032]
    """

    differences: Any
    _: KW_ONLY
    low: Any
    high: Any
    may_be_best: Any
    names: Sequence[str]
    level: float = 0.95

    _arrays = ("differences", "low", "high")

    @classmethod
    def _read(cls, report: SelectionReport) -> dict[str, Any]:
        others = report.runners_up().candidates
        names = [f"#{other.candidate}" for other in others]
        candidates = table_of(report).params
        if candidates is not None:
            settings = settings_in_words(candidates, [other.params or {} for other in others])
            names = [f"{name}: {text}" for name, text in zip(names, settings, strict=True)]
        return {
            "differences": [other.difference for other in others],
            "low": [np.nan if other.low is None else other.low for other in others],
            "high": [np.nan if other.high is None else other.high for other in others],
            "may_be_best": [other.may_be_best for other in others],
            "names": names,
            "level": report.level,
        }

    @property
    def _height(self) -> float:
        return 1.3 + 0.2 * min(len(self.names), _MOST_RUNNERS_UP)

    def _draw(self, ax: Any) -> None:
        """Draw one row a runner-up: the winner's lead over it, and zero as a line."""
        names = [cut(name) for name in self.names[:_MOST_RUNNERS_UP]]
        rows = np.arange(len(names))
        ax.axvline(0.0, color=ORANGE, lw=1.2, ls=(0, (4, 2)), label="as good as the winner")
        close = np.asarray(self.may_be_best, dtype=bool)[rows]
        looks = (("may be the best", close, BLUE, "s"), ("excluded as the best", ~close, GREY, "o"))
        for label, where, colour, marker in looks:
            if where.any():
                shown = rows[where]
                ax.hlines(shown, self.low[shown], self.high[shown], color=colour, lw=1.2)
                ax.plot(self.differences[shown], shown, marker, color=colour, ms=4.5, label=label)
        ax.set_yticks(rows, names)
        ax.set_ylim(len(names) - 0.5, -0.5)
        ax.locator_params(axis="x", nbins=4)
        finish(ax, xlabel=f"lead in {self._score_label.removesuffix(' (lower is better)')}")
        title = f"The winner's lead, with {percent(self.level)} intervals"
        legend_above(ax, columns=1, side="right", title=title)
