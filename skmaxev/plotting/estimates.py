"""The estimates of a search: those of every method, and how the honest one grew."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from textwrap import fill
from typing import TYPE_CHECKING, Any

import numpy as np

from skmaxev.estimators.consensus import consensus
from skmaxev.metrics import noise_range
from skmaxev.plotting._display import (
    BLUE,
    GREEN,
    GREY,
    ORANGE,
    PURPLE,
    ReportDisplay,
    finish,
    focus,
    legend_above,
    signed,
    table_of,
)
from skmaxev.report.numbers import percent
from skmaxev.table import mean_scores

if TYPE_CHECKING:
    from collections.abc import Mapping

    from skmaxev.report import Estimate, SelectionReport

__all__ = ["EstimatorsDisplay", "OptimismCurveDisplay"]

_LOOKS = (("o", BLUE), ("D", GREEN), ("s", PURPLE))
_MOST_POINTS = 80


@dataclass(eq=False, repr=False)
class EstimatorsDisplay(ReportDisplay):
    """Estimates of every method, told apart by what they estimate.

    Parameters
    ----------
    estimates : mapping of str to Estimate
        As in ``report.estimates``.
    method : str
        Key of the method behind the honest score.
    naive : float
        The winner's mean score.
    interval : tuple of two floats, optional
        Interval for the winner's true score, drawn in the row of ``method``.
    level : float
        Confidence level of the interval.
    metric, greater_is_better : str, bool
        Name of the score; False for a loss.

    Examples
    --------
    >>> import numpy as np
    >>> from skmaxev.correction import correct
    >>> from skmaxev.plotting import EstimatorsDisplay
    >>> report = correct(np.random.default_rng(0).normal(0.8, 0.03, size=(5, 40)))
    >>> list(EstimatorsDisplay.from_report(report).estimates)[:3]
    ['ME', 'LVCV', 'LBCV']
    """

    estimates: Mapping[str, Estimate]
    _: KW_ONLY
    method: str
    naive: float
    interval: tuple[float, float] | None = None
    level: float = 0.95

    def __post_init__(self) -> None:
        if self.method not in self.estimates:
            raise ValueError(f"method must be one of {list(self.estimates)}; got {self.method!r}.")

    @classmethod
    def _read(cls, report: SelectionReport) -> dict[str, Any]:
        names = ("estimates", "method", "naive", "interval", "level")
        return {name: getattr(report, name) for name in names}

    @property
    def _height(self) -> float:
        return 1.5 + 0.25 * len(self.estimates)

    def _draw(self, ax: Any) -> None:
        """Draw one row a method, grouped by what they estimate."""
        targets = list(dict.fromkeys(found.target for found in self.estimates.values()))
        rows = sorted(self.estimates.values(), key=lambda found: targets.index(found.target))
        honest = [found.key for found in rows].index(self.method)
        ax.axvline(self.naive, color=ORANGE, lw=1.2, ls=(0, (4, 2)), label="printed score")
        for (marker, colour), target in zip(_LOOKS, targets, strict=False):
            where = [row for row, found in enumerate(rows) if found.target == target]
            values = [rows[row].value for row in where]
            ax.plot(values, where, marker, color=colour, ms=5, label=target)
            if self.interval is not None and honest in where:
                label = f"{percent(self.level)} interval of the winner's score"
                ax.plot(self.interval, [honest] * 2, "-|", color=colour, lw=1.4, ms=7, label=label)
        labels = [fill(f"{found.key}: {found.name}".rstrip(": "), 26) for found in rows]
        ax.set_yticks(np.arange(len(rows)), labels)
        ax.get_yticklabels()[honest].set_fontweight("bold")
        ax.invert_yaxis()
        ax.locator_params(axis="x", nbins=4)
        finish(ax, xlabel=self._score_label)
        legend_above(ax, columns=1, side="right")  # the names of the methods take the left


@dataclass(eq=False, repr=False)
class OptimismCurveDisplay(ReportDisplay):
    """Best printed score and honest score against the number of candidates tried.

    Where the honest score has stopped rising while the printed one still does, searching on has
    stopped to pay. From a report, the honest score is the consensus on the score table alone,
    whatever the report's own method is, at no more than 80 points.

    Parameters
    ----------
    n_tried : array-like of shape (n_points,)
        Candidates tried so far, in the search's own order.
    naive : array-like of shape (n_points,)
        Best mean score among them, in the sign of the metric.
    estimate : array-like of shape (n_points,)
        Honest score of the best among them.
    metric, greater_is_better : str, bool
        Name of the score; False for a loss.

    Examples
    --------
    >>> import numpy as np
    >>> from skmaxev.correction import correct
    >>> from skmaxev.plotting import OptimismCurveDisplay
    >>> report = correct(np.random.default_rng(0).normal(0.8, 0.03, size=(5, 40)))
    >>> OptimismCurveDisplay.from_report(report).stopped_paying_
    9
    """

    n_tried: Any
    _: KW_ONLY
    naive: Any
    estimate: Any

    _arrays = ("naive", "estimate")
    _height = 2.5

    def __post_init__(self) -> None:
        super().__post_init__()
        self.n_tried = np.asarray(self.n_tried, dtype=np.intp)

    @property
    def stopped_paying_(self) -> int:
        """Number of candidates with the best honest score, which is as noisy as that score."""
        best = np.argmax(self.estimate) if self.greater_is_better else np.argmin(self.estimate)
        return int(self.n_tried[best])

    @classmethod
    def _read(cls, report: SelectionReport) -> dict[str, Any]:
        """Correct the search as it stood after each of its candidates, by the consensus."""
        table = table_of(report)
        scores = table.used_scores
        size = scores.shape[1]
        n_tried = np.unique(np.linspace(1, size, min(size, _MOST_POINTS)).round().astype(np.intp))
        support = noise_range(table.metric, table.support, scores)
        honest = np.array([consensus(scores[:, :tried], support=support) for tried in n_tried])
        best = np.maximum.accumulate(mean_scores(scores))[n_tried - 1]
        return {
            "n_tried": n_tried,
            "naive": signed(report, best),
            "estimate": signed(report, honest),
        }

    def _draw(self, ax: Any) -> None:
        """Draw both scores, with the optimism as the gap between them."""
        style = {"drawstyle": "steps-post", "lw": 1.4}
        ax.plot(self.n_tried, self.naive, color=ORANGE, ls=(0, (4, 2)), label="printed", **style)
        ax.plot(self.n_tried, self.estimate, color=GREEN, label="honest", **style)
        gap = {"step": "post", "color": ORANGE, "alpha": 0.12, "lw": 0, "label": "optimism"}
        ax.fill_between(self.n_tried, self.estimate, self.naive, **gap)
        ends = [self.naive[-1], self.estimate[-1]]
        focus(ax, self.estimate, [*ends, ends[0] + 4 * (ends[1] - ends[0])])
        best = f"best honest: {self.stopped_paying_:,} tried"
        ax.axvline(self.stopped_paying_, color=GREY, lw=0.9, ls=":", label=best)
        finish(ax, xlabel="candidates tried, in the search's order", ylabel=self._score_label)
        ax.xaxis.get_major_locator().set_params(integer=True)
        legend_above(ax)
