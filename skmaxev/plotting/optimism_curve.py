"""How the optimism grows while a search tries candidate after candidate."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from skmaxev.estimators.consensus import consensus
from skmaxev.metrics import noise_range
from skmaxev.plotting._draw import GREEN, GREY, ORANGE, finish, focus, legend_above
from skmaxev.plotting._source import ReportDisplay, axis_label, signed, table_of
from skmaxev.table import mean_scores

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from skmaxev.report import SelectionReport

__all__ = ["OptimismCurveDisplay"]

_MOST_POINTS = 80


class OptimismCurveDisplay(ReportDisplay):
    """Best printed score and honest score against the number of candidates tried.

    Where the honest score has stopped rising while the printed one still does, searching on has
    stopped to pay.

    Parameters
    ----------
    n_tried : array-like of shape (n_points,)
        Candidates tried so far, in the search's own order.
    naive : array-like of shape (n_points,)
        Best mean score among them, in the sign of the metric.
    estimate : array-like of shape (n_points,)
        Honest score of the best among them.
    metric : str
        Name of the score.
    greater_is_better : bool
        False for a loss.

    Attributes
    ----------
    optimism_ : ndarray of shape (n_points,)
        How much too good the printed score looks.
    stopped_paying_ : int
        Number of candidates with the best honest score; the smallest of equals. An estimate, as
        noisy as the curve.
    ax_ : matplotlib Axes
        After `plot`.
    figure_ : matplotlib Figure
        After `plot`.

    Examples
    --------
    >>> import numpy as np
    >>> from skmaxev.correction import correct
    >>> from skmaxev.plotting import OptimismCurveDisplay
    >>> report = correct(np.random.default_rng(0).normal(0.8, 0.03, size=(5, 40)))
    >>> display = OptimismCurveDisplay.from_report(report)
    >>> bool(display.naive[-1] == report.naive)
    True
    """

    def __init__(
        self,
        n_tried: ArrayLike,
        *,
        naive: ArrayLike,
        estimate: ArrayLike,
        metric: str = "score",
        greater_is_better: bool = True,
    ) -> None:
        self.n_tried = np.asarray(n_tried, dtype=np.intp)
        self.naive = np.asarray(naive, dtype=np.float64)
        self.estimate = np.asarray(estimate, dtype=np.float64)
        self.metric = metric
        self.greater_is_better = greater_is_better
        sign = 1.0 if greater_is_better else -1.0
        self.optimism_ = sign * (self.naive - self.estimate)
        self.stopped_paying_ = int(self.n_tried[np.argmax(sign * self.estimate)])

    @classmethod
    def from_report(cls, report: SelectionReport) -> Self:
        """Correct the search as it stood after each of its candidates.

        Uses the consensus on the score table alone, whatever the report's own method is; the
        winner so far is the best mean score. Draws at most 80 points.

        Parameters
        ----------
        report : SelectionReport
            Of `correct` or of a fitted search, with its score table.
        """
        table = table_of(report)
        scores = table.used_scores
        size = scores.shape[1]
        n_tried = np.unique(np.linspace(1, size, min(size, _MOST_POINTS)).round().astype(np.intp))
        best = np.maximum.accumulate(mean_scores(scores))[n_tried - 1]
        honest = np.array(
            [
                consensus(
                    scores[:, :tried],
                    support=noise_range(table.metric, table.support, table.used_scores),
                )
                for tried in n_tried
            ]
        )
        return cls(
            n_tried,
            naive=signed(report, best),
            estimate=signed(report, honest),
            metric=report.metric,
            greater_is_better=report.greater_is_better,
        )

    @property
    def height(self) -> float:
        """Inches that a figure of its own should have."""
        return 2.5

    def _draw(self, ax: Any) -> None:
        """Draw both scores, with the optimism as the gap between them."""
        style = {"drawstyle": "steps-post", "lw": 1.4}
        ax.plot(self.n_tried, self.naive, color=ORANGE, ls=(0, (4, 2)), label="printed", **style)
        ax.plot(self.n_tried, self.estimate, color=GREEN, label="honest", **style)
        ax.fill_between(
            self.n_tried, self.estimate, self.naive, step="post", color=ORANGE, alpha=0.12, lw=0,
            label="optimism",
        )  # fmt: skip
        ends = [self.naive[-1], self.estimate[-1]]
        focus(ax, self.estimate, [*ends, ends[0] + 4 * (ends[1] - ends[0])])
        best = f"best honest: {self.stopped_paying_:,} tried"
        ax.axvline(self.stopped_paying_, color=GREY, lw=0.9, ls=":", label=best)
        finish(
            ax,
            xlabel="candidates tried, in the search's order",
            ylabel=axis_label(self.metric, greater_is_better=self.greater_is_better),
        )
        ax.xaxis.get_major_locator().set_params(integer=True)
        legend_above(ax)
