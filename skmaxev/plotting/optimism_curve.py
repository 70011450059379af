"""How the optimism grows while a search tries candidate after candidate."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from skmaxev.estimators.consensus import consensus
from skmaxev.metrics import noise_range
from skmaxev.plotting._draw import GREEN, GREY, ORANGE, finish, focus, legend_above
from skmaxev.plotting._source import ReportDisplay, signed, table_of
from skmaxev.table import mean_scores

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from skmaxev.report import SelectionReport

__all__ = ["OptimismCurveDisplay"]

_MOST_POINTS = 80


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

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
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

    n_tried: Any
    _: KW_ONLY
    naive: Any
    estimate: Any

    def __post_init__(self) -> None:
        self.n_tried = np.asarray(self.n_tried, dtype=np.intp)
        self.naive = np.asarray(self.naive, dtype=np.float64)
        self.estimate = np.asarray(self.estimate, dtype=np.float64)

    @property
    def optimism_(self) -> NDArray[np.float64]:
        """How much too good the printed score looks, (n_points,)."""
        gap = self.naive - self.estimate
        return gap if self.greater_is_better else -gap  # type: ignore[no-any-return]

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
            ylabel=self._score_label,
        )
        ax.xaxis.get_major_locator().set_params(integer=True)
        legend_above(ax)
