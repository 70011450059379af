"""Every estimator of a report on one axis."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from textwrap import fill
from typing import TYPE_CHECKING, Any

import numpy as np

from skmaxev.plotting._draw import (
    BLUE,
    GREEN,
    ORANGE,
    PURPLE,
    SMALL,
    finish,
    legend_above,
)
from skmaxev.plotting._source import ReportDisplay

if TYPE_CHECKING:
    from collections.abc import Sequence

    from skmaxev.report import SelectionReport

__all__ = ["EstimatorsDisplay"]

_LOOKS = (("o", BLUE), ("D", GREEN), ("s", PURPLE))


@dataclass(eq=False, repr=False)
class EstimatorsDisplay(ReportDisplay):
    """Estimates of every method, told apart by what they estimate.

    Parameters
    ----------
    values : array-like of shape (n_methods,)
        Estimate of each method.
    keys : sequence of str
        Short name of each method.
    targets : sequence of str
        What each method estimates.
    names : sequence of str, optional
        Each method in words.
    method : str
        Key of the method behind the honest score.
    naive : float
        The winner's mean score.
    interval : tuple of two floats, optional
        Interval around the estimate of ``method``.
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
    >>> from skmaxev.plotting import EstimatorsDisplay
    >>> report = correct(np.random.default_rng(0).normal(0.8, 0.03, size=(5, 40)))
    >>> EstimatorsDisplay.from_report(report).keys[:3]
    ['ME', 'LVCV', 'LBCV']
    """

    values: Any
    _: KW_ONLY
    keys: Sequence[str]
    targets: Sequence[str]
    method: str
    naive: float
    names: Sequence[str] = ()
    interval: tuple[float, float] | None = None
    level: float = 0.95

    def __post_init__(self) -> None:
        self.values = np.asarray(self.values, dtype=np.float64)
        self.names = list(self.names or [""] * len(self.keys))
        sizes = [self.values.size, *map(len, (self.keys, self.targets, self.names))]
        if len(set(sizes)) > 1:
            raise ValueError(f"values, keys, targets and names must be of one length; got {sizes}.")
        if self.method not in self.keys:
            raise ValueError(f"method must be one of {list(self.keys)}; got {self.method!r}.")

    @classmethod
    def _read(cls, report: SelectionReport) -> dict[str, Any]:
        found = report.estimates.values()
        return {
            "values": [estimate.value for estimate in found],
            "keys": [estimate.key for estimate in found],
            "targets": [estimate.target for estimate in found],
            "names": [estimate.name for estimate in found],
            "method": report.method,
            "naive": report.naive,
            "interval": report.interval,
            "level": report.level,
        }

    @property
    def height(self) -> float:
        """Inches that a figure of its own should have."""
        return 1.5 + (0.25 if any(self.names) else 0.17) * len(self.keys)

    def _draw(self, ax: Any) -> None:
        """Draw one row a method, grouped by what they estimate."""
        targets = list(dict.fromkeys(self.targets))
        order = sorted(range(len(self.keys)), key=lambda row: targets.index(self.targets[row]))
        rows = np.empty(len(order))
        rows[order] = np.arange(len(order))
        ax.axvline(self.naive, color=ORANGE, lw=1.2, ls=(0, (4, 2)), label="printed score")
        for (marker, colour), target in zip(_LOOKS, targets, strict=False):
            where = [row for row in order if self.targets[row] == target]
            ax.plot(self.values[where], rows[where], marker, color=colour, ms=5, label=target)
        self._draw_interval(ax, rows[self.keys.index(self.method)])
        labels = [fill(f"{self.keys[row]}: {self.names[row]}".rstrip(": "), 26) for row in order]
        ax.set_yticks(np.arange(len(order)), labels)
        ax.get_yticklabels()[int(rows[self.keys.index(self.method)])].set_fontweight("bold")
        ax.invert_yaxis()
        ax.locator_params(axis="x", nbins=4)
        finish(ax, xlabel=self._score_label)
        legend_above(ax, columns=1, side="right")  # the names of the methods take the left

    def _draw_interval(self, ax: Any, row: float) -> None:
        if self.interval is None:
            return
        target = list(dict.fromkeys(self.targets)).index(self.targets[self.keys.index(self.method)])
        colour = _LOOKS[target % len(_LOOKS)][1]
        label = f"{self.level:.0%} interval of {self.method}"
        ax.plot(self.interval, [row, row], "-|", color=colour, lw=1.4, ms=SMALL, label=label)
