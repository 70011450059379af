"""A display as an SVG element that takes its colours from the page around it."""

from __future__ import annotations

import io
import re

from skmaxev.plotting._draw import COLUMN, Display, load

__all__ = ["as_svg"]

_INK = "#010203"  # stands for the colour of the page's text


def as_svg(display: Display, *, prefix: str) -> str:
    """Draw a display as an SVG element for a page, in the colour of the page's text.

    Parameters
    ----------
    display : Display
        Drawn as wide as one column and as high as it asks for.
    prefix : str
        Makes the picture's ids its own among others on the page.
    """
    colours = dict.fromkeys(
        ("text.color", "axes.edgecolor", "axes.labelcolor", "xtick.color", "ytick.color"), _INK
    )
    style = {**colours, "axes.facecolor": "none", "svg.fonttype": "path", "svg.hashsalt": prefix}
    buffer = io.StringIO()
    with load("mpl").rc_context(style):
        figure = load("Figure")(
            figsize=(COLUMN, display.height), layout="constrained", facecolor="none"
        )
        display.plot(ax=figure.subplots())
        figure.savefig(
            buffer, format="svg", metadata=dict.fromkeys(("Creator", "Date", "Format", "Type"))
        )
    element = buffer.getvalue()
    element = re.sub(
        r"<metadata>.*?</metadata>", "", element[element.index("<svg") :], flags=re.DOTALL
    )
    element = re.sub(r' xmlns(:xlink)?="[^"]*"', "", element)
    element = re.sub(r'( id="|url\(#|href="#)', rf"\g<1>{prefix}-", element)
    return element.replace(_INK, "currentColor").strip()
