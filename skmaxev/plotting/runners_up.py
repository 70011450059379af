"""How far the winner is ahead of those that came next."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from skmaxev.plotting._draw import BLUE, GREY, ORANGE, finish, legend_above
from skmaxev.plotting._source import ReportDisplay, cut, settings_in_words, table_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from skmaxev.report import SelectionReport

__all__ = ["RunnersUpDisplay"]

_MOST_SHOWN = 12


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

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
        After `plot`.

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

    def __post_init__(self) -> None:
        for name in ("differences", "low", "high"):
            setattr(self, name, np.asarray(getattr(self, name), dtype=np.float64))
        self.may_be_best = np.asarray(self.may_be_best, dtype=bool)

    @classmethod
    def _read(cls, report: SelectionReport) -> dict[str, Any]:
        found = report.runners_up()
        others = found.candidates
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
            "level": found.level,
        }

    @property
    def _n_shown(self) -> int:
        return min(len(self.names), _MOST_SHOWN)

    @property
    def height(self) -> float:
        """Inches that a figure of its own should have."""
        return 1.3 + 0.2 * self._n_shown

    def _draw(self, ax: Any) -> None:
        """Draw one row a runner-up: the winner's lead over it, and zero as a line."""
        rows = np.arange(self._n_shown)
        ax.axvline(0.0, color=ORANGE, lw=1.2, ls=(0, (4, 2)), label="as good as the winner")
        close = self.may_be_best[rows]
        looks = (("may be the best", close, BLUE, "s"), ("excluded as the best", ~close, GREY, "o"))
        for label, where, colour, marker in looks:
            if where.any():
                shown = rows[where]
                ax.hlines(shown, self.low[shown], self.high[shown], color=colour, lw=1.2)
                ax.plot(self.differences[shown], shown, marker, color=colour, ms=4.5, label=label)
        ax.set_yticks(rows, list(map(cut, self.names[: self._n_shown])))
        ax.set_ylim(self._n_shown - 0.5, -0.5)
        ax.locator_params(axis="x", nbins=4)
        finish(ax, xlabel=f"lead in {self._score_label.removesuffix(' (lower is better)')}")
        title = f"The winner's lead, with {self.level:.0%} intervals"
        legend_above(ax, columns=1, side="right", title=title)
