"""What all pictures share: colours, sizes, and the one place that loads matplotlib."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

__all__ = [
    "BLUE",
    "COLUMN",
    "GREEN",
    "GREY",
    "ORANGE",
    "PURPLE",
    "SMALL",
    "finish",
    "focus",
    "legend_above",
    "load",
    "new_axes",
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


def new_axes(ax: Any, *, height: float) -> Any:
    """Return ``ax``, or axes on a new figure of one column's width and this height in inches."""
    if ax is not None:
        return ax
    return load("plt").subplots(figsize=(COLUMN, height), layout="constrained")[1]


def focus(ax: Any, values: Any, results: Sequence[float]) -> Any:
    """Leave hopeless values off the score axis, so that they do not squash the results.

    Parameters
    ----------
    ax : matplotlib Axes
        Whose vertical axis shows scores.
    values : ndarray
        All that could be drawn.
    results : sequence of float
        What must be read off.

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
        margin = 0.06 * np.ptp(shown)
        ax.set_ylim(shown.min() - margin, shown.max() + margin)
    return off


def finish(ax: Any, *, xlabel: str, ylabel: str = "") -> None:
    """Label the axes, in text small enough for one column, and drop what carries no data."""
    ax.set_xlabel(xlabel, fontsize=SMALL + 1)
    ax.set_ylabel(ylabel, fontsize=SMALL + 1)
    ax.tick_params(labelsize=SMALL)
    ax.spines[["top", "right"]].set_visible(False)


def legend_above(ax: Any, *, columns: int = 2, side: str = "left") -> None:
    """Put the legend over the axes, where it covers no data; ``side`` is where it is flush."""
    ax.legend(
        loc=f"lower {side}",
        bbox_to_anchor=(0 if side == "left" else 1, 1.01),
        ncols=columns,
        fontsize=SMALL,
        frameon=False,
        borderaxespad=0,
        handlelength=1.4,
        columnspacing=1.2,
        labelspacing=0.3,
    )
