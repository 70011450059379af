"""The critical-difference picture: average ranks, and bars over models not told apart."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike

__all__ = ["CriticalDifferenceDisplay"]


class CriticalDifferenceDisplay:
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
    ax_ : matplotlib Axes
        After `plot`.
    figure_ : matplotlib Figure
        After `plot`.

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

    def plot(self, ax: Any = None) -> CriticalDifferenceDisplay:
        """Draw the ranks on ``ax``, or on a new figure.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw.

        Returns
        -------
        CriticalDifferenceDisplay
            Itself, with ``ax_`` and ``figure_``.
        """
        import matplotlib.pyplot as plt  # noqa: PLC0415  # only who draws needs it

        size = self.average_ranks.size
        if ax is None:
            _, ax = plt.subplots(figsize=(7, 1.6 + 0.25 * size), layout="constrained")
        order = np.argsort(self.average_ranks, kind="stable")
        for place, model in enumerate(order):
            self._draw_model(ax, place, int(model))
        for level, (first, last) in enumerate(self.groups_):
            ax.plot([first - 0.03, last + 0.03], [0.35 + 0.25 * level] * 2, color="black", lw=4)
        self._draw_axis(ax, size)
        self.ax_, self.figure_ = ax, ax.figure
        return self

    def _draw_model(self, ax: Any, place: int, model: int) -> None:
        """Draw one line from the rank down to the name, on the nearer side."""
        size = self.average_ranks.size
        rank = self.average_ranks[model]
        left = place < (size + 1) // 2
        depth = 1 + 0.25 * len(self.groups_) + 0.5 * (place if left else size - 1 - place)
        side = 0.8 if left else size + 0.2
        ax.plot([rank, rank, side], [0, depth, depth], color="tab:blue", lw=1)
        ax.text(
            side + (-0.05 if left else 0.05),
            depth,
            f"{self.names[model]} ({rank:.2f})",
            ha="right" if left else "left",
            va="center",
        )

    def _draw_axis(self, ax: Any, size: int) -> None:
        """Draw ranks along the top and the critical difference above them."""
        ax.plot([1, 1 + self.critical_difference], [-0.6, -0.6], color="black", lw=2)
        ax.text(1, -0.75, f"critical difference {self.critical_difference:.2f}", va="bottom")
        ax.axhline(0, color="black", lw=1)
        ax.set(xlim=(-0.6, size + 1.6), xticks=range(1, size + 1), yticks=[])
        ax.xaxis.tick_top()
        ax.set_xlabel("average rank (1 is best)")
        ax.invert_yaxis()
        ax.spines[:].set_visible(False)


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
