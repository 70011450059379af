"""What all pictures share: colours, sizes, and the one place that loads matplotlib."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, Self

import numpy as np

__all__ = [
    "BLUE",
    "COLUMN",
    "GREEN",
    "GREY",
    "ORANGE",
    "PURPLE",
    "SMALL",
    "Display",
    "finish",
    "focus",
    "legend_above",
    "load",
]

# Okabe and Ito's colours, told apart with every kind of colour blindness.
BLUE, GREEN, ORANGE, PURPLE = "#0072B2", "#009E73", "#D55E00", "#CC79A7"
GREY = "#8C8C8C"  # readable on white and on black

COLUMN = 3.4  # inches, the column of a journal
SMALL = 7.0  # points, the smallest text that prints well

_ROOM = 1.5  # what lies further off than this many ranges of the results would squash them


def load(name: str) -> Any:
    """Return a part of matplotlib: ``mpl``, ``plt`` or ``Figure``."""
    try:
        import matplotlib as mpl  # noqa: PLC0415  # only who draws needs it
        from matplotlib import pyplot as plt  # noqa: PLC0415
        from matplotlib.figure import Figure  # noqa: PLC0415
    except ImportError as error:
        raise ImportError(
            'drawing needs matplotlib, which is not installed: pip install "skmaxev[plot]".'
        ) from error
    return {"mpl": mpl, "plt": plt, "Figure": Figure}[name]


class Display(ABC):
    """A picture as a value: made from arrays, drawn when asked for."""

    width = COLUMN

    @property
    @abstractmethod
    def height(self) -> float:
        """Inches that a figure of its own should have."""

    @abstractmethod
    def _draw(self, ax: Any) -> None:
        """Draw on axes that are there."""

    def plot(self, ax: Any = None) -> Self:
        """Draw on ``ax``, or on a new figure.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure if omitted.

        Returns
        -------
        display
            Itself, with ``ax_`` and ``figure_``.
        """
        if ax is None:
            size = (self.width, self.height)
            ax = load("plt").subplots(figsize=size, layout="constrained")[1]
        self._draw(ax)
        self.ax_, self.figure_ = ax, ax.figure
        return self


def focus(ax: Any, values: Any, results: Sequence[float], *, noise: float = 0.0) -> Any:
    """Leave hopeless values off the score axis, so that they do not squash the results.

    Parameters
    ----------
    ax : matplotlib Axes
        Whose vertical axis shows scores.
    values : ndarray
        All that could be drawn.
    results : sequence of float
        What must be read off.
    noise : float
        Half the length of the bars on the values.

    Returns
    -------
    ndarray of bool, shaped as `values`
        Which values are off the axis.
    """
    low, high = min(results), max(results)
    room = _ROOM * (high - low)
    off = (values < low - room) | (values > high + room)
    if off.any():
        shown = np.append(values[~off], [low, high])
        margin = 0.06 * np.ptp(shown) + noise
        ax.set_ylim(shown.min() - margin, shown.max() + margin)
    return off


def finish(ax: Any, *, xlabel: str, ylabel: str = "") -> None:
    """Label the axes, in text small enough for one column, and drop what carries no data."""
    ax.set_xlabel(xlabel, fontsize=SMALL + 1)
    ax.set_ylabel(ylabel, fontsize=SMALL + 1)
    ax.tick_params(labelsize=SMALL)
    ax.spines[["top", "right"]].set_visible(False)


def legend_above(ax: Any, *, columns: int = 2, side: str = "left", title: str = "") -> None:
    """Put the legend over the axes, where it covers no data; ``side`` is where it is flush."""
    ax.legend(
        loc=f"lower {side}",
        bbox_to_anchor=(0 if side == "left" else 1, 1.01),
        ncols=columns,
        title=title or None,
        title_fontsize=SMALL + 1,
        alignment=side,
        fontsize=SMALL,
        frameon=False,
        borderaxespad=0,
        handlelength=1.4,
        columnspacing=1.2,
        labelspacing=0.3,
    )
