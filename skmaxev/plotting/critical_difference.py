"""The critical-difference picture: average ranks, and bars over models not told apart."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from skmaxev.plotting._display import BLUE, Display

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike

    from skmaxev.comparison import RankComparison

__all__ = ["CriticalDifferenceDisplay"]


class CriticalDifferenceDisplay(Display):
    """Average ranks of many models, with bars over those that cannot be told apart.

    Parameters
    ----------
    average_ranks : array-like of shape (n_models,)
        1 is best, as from `skmaxev.comparison.friedman_nemenyi`.
    critical_difference : float
        Ranks further apart than this are told apart.
    names : sequence of str, optional
        Of the models; their positions if omitted.

    Attributes
    ----------
    groups_ : list of tuple of two floats
        First and last rank of every bar.

    References
    ----------
    .. [1] J. Demsar (2006), Statistical Comparisons of Classifiers over Multiple Data Sets, Fig. 1.

    Examples
    --------
    >>> from skmaxev.plotting.critical_difference import CriticalDifferenceDisplay
    >>> display = CriticalDifferenceDisplay([1.0, 2.125, 2.875], 1.657, names=["A", "B", "C"])
    >>> display.groups_
    [(1.0, 2.125), (2.125, 2.875)]
    """

    _width = 5.5  # names stand on both sides

    def __init__(
        self,
        average_ranks: ArrayLike,
        critical_difference: float,
        *,
        names: Sequence[str] | None = None,
    ) -> None:
        self.average_ranks = np.asarray(average_ranks, dtype=np.float64)
        self.critical_difference = float(critical_difference)
        size = self.average_ranks.size
        self.names = [str(index) for index in range(size)] if names is None else list(names)
        if len(self.names) != size:
            raise ValueError(f"names must name {size} models; got {len(self.names)}.")
        self.groups_ = _groups(np.sort(self.average_ranks), self.critical_difference)

    @classmethod
    def from_comparison(cls, comparison: RankComparison) -> Self:
        """Take ranks and names from `skmaxev.comparison.friedman_nemenyi`."""
        ranks, difference = comparison.average_ranks, comparison.critical_difference
        return cls(ranks, difference, names=comparison.names)

    @property
    def _height(self) -> float:
        return 1.3 + 0.17 * self.average_ranks.size

    def _draw(self, ax: Any) -> None:
        """Draw the scale, the models below it and bars over those that are not told apart."""
        order = np.argsort(self.average_ranks, kind="stable")
        for place, model in enumerate(order):
            self._draw_model(ax, place, int(model))
        for level, (first, last) in enumerate(self.groups_):
            ax.plot([first - 0.03, last + 0.03], [0.35 + 0.25 * level] * 2, color="black", lw=4)
        self._draw_axis(ax, self.average_ranks.size)

    def _draw_model(self, ax: Any, place: int, model: int) -> None:
        """Draw one line from the rank down to the name, on the nearer side."""
        size = self.average_ranks.size
        rank = self.average_ranks[model]
        left = place < (size + 1) // 2
        depth = 1 + 0.25 * len(self.groups_) + 0.5 * (place if left else size - 1 - place)
        side = 0.8 if left else size + 0.2
        ax.plot([rank, rank, side], [0, depth, depth], color=BLUE, lw=1)
        ax.text(
            side + (-0.05 if left else 0.05),
            depth,
            f"{self.names[model]} ({rank:.2f})",
            ha="right" if left else "left",
            va="center",
        )

    def _draw_axis(self, ax: Any, size: int) -> None:
        """Draw the scale of ranks, and above it the critical difference to the same scale."""
        ax.plot([1, size], [0, 0], color="black", lw=1)
        for rank in range(1, size + 1):
            ax.plot([rank, rank], [0, -0.15], color="black", lw=1)
            ax.text(rank, -0.25, str(rank), ha="center", va="bottom")
        end = 1 + self.critical_difference
        ax.plot([1, 1, end, end], [-1.4, -1.55, -1.55, -1.4], color="black", lw=1)
        ax.text(1, -1.7, f"critical difference {self.critical_difference:.2f}", va="bottom")
        ax.text(size + 0.25, 0, "average rank,\n1 is best", va="center", fontsize="small")
        ax.set(xlim=(min(-0.6, 1 - 0.6 * size), max(size + 1.6, 1.6 * size)))
        ax.invert_yaxis()
        ax.set_axis_off()


def _groups(ranks: Any, critical_difference: float) -> list[tuple[float, float]]:
    """First and last of every longest run of sorted ranks within the critical difference."""
    groups: list[tuple[float, float]] = []
    reach = -1
    for start in range(len(ranks)):
        last = int(np.searchsorted(ranks, ranks[start] + critical_difference, side="right")) - 1
        if last > max(start, reach):
            groups.append((float(ranks[start]), float(ranks[last])))
        reach = max(reach, last)
    return groups
