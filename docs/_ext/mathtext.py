"""Draws formulas with matplotlib while the pages are built, as SVG in the colour of the text.

Nothing is fetched by the reader's browser, so formulas show offline too.
"""

import html
import io
import re
import zlib

from docutils import nodes
from matplotlib import rc_context
from matplotlib.mathtext import math_to_image
from sphinx.util import logging

LOGGER = logging.getLogger(__name__)
POINTS = 50.0  # large, since matplotlib rounds the picture to whole points
SCALE = 1.2  # the letters of formulas are smaller than those of the text
INK = "#010203"
# Spellings that TeX has and mathtext has not.
SAME = {
    r"\\le(?![a-z])": r"\leq",
    r"\\ge(?![a-z])": r"\geq",
    r"\\operatorname\*?(?![a-z])": r"\mathrm",
    r"\\[lr]vert(?![a-z])": "|",
    r"\^\*": "^{*}",  # without the space of a product
}


def draw(tex):
    """Return one formula as an SVG element, set on the baseline of the text."""
    readable = " ".join(tex.split())
    for pattern, known in SAME.items():
        readable = re.sub(pattern, lambda _, known=known: known, readable)
    style = {
        "mathtext.fontset": "stix",
        "svg.hashsalt": tex,
        "font.size": POINTS,
        "savefig.facecolor": "none",
    }
    buffer = io.BytesIO()
    with rc_context(style):
        depth = math_to_image(f"${readable}$", buffer, format="svg", color=INK)
    element = buffer.getvalue().decode()
    element = element[element.index("<svg") :]
    element = re.sub(r"<metadata>.*?</metadata>", "", element, flags=re.DOTALL)
    element = re.sub(r' xmlns(:xlink)?="[^"]*"', "", element)
    element = re.sub(r'( id="|url\(#|href="#)', rf"\g<1>m{zlib.crc32(tex.encode())}-", element)
    element = _sized(element, depth)
    label = html.escape(tex)
    element = element.replace("<svg", f'<svg role="math" aria-label="{label}"', 1)
    return element.replace(INK, "currentColor").strip()


def _sized(element, depth):
    """Give width, height and depth in em, so that formulas grow with the text."""
    head, rest = element.split(">", 1)
    width, height = (
        float(re.search(rf'{side}="([\d.]+)pt"', head)[1]) * SCALE / POINTS
        for side in ("width", "height")
    )
    head = re.sub(r' (width|height)="[^"]*"', "", head)
    style = (
        f"width:{width:.3f}em;height:{height:.3f}em;vertical-align:{-depth * SCALE / POINTS:.3f}em"
    )
    return f'{head} style="{style}">{rest}'


def render(self, node):
    """Write a formula, or its source if matplotlib cannot read it."""
    tex = node.astext()
    try:
        return draw(tex)
    except ValueError as error:
        LOGGER.warning("formula cannot be drawn: %s (%s)", tex, error, location=node)
        return f"<code>{self.encode(tex)}</code>"


def visit_inline(self, node):
    self.body.append(f'<span class="formula">{render(self, node)}</span>')
    raise nodes.SkipNode


def visit_display(self, node):
    self.body.append(f'<div class="math-display">{render(self, node)}</div>')
    raise nodes.SkipNode


def setup(app):
    """Register the renderer."""
    app.add_html_math_renderer("mathtext", (visit_inline, None), (visit_display, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
