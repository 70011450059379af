"""Build of the documentation: offline, warnings are errors.

python -m sphinx -W --keep-going -q -b html docs OUT
"""

import os
import re
import sys
import warnings
from pathlib import Path

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(name, "1")  # before NumPy loads: threads only cost on tiny data

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE.parent), str(HERE / "_ext")]
os.environ["PYTHONPATH"] = os.pathsep.join(  # for worker processes of the gallery
    filter(None, [str(HERE.parent), os.environ.get("PYTHONPATH")])
)

from docutils import nodes

import skmaxev

project = "skmaxev"
author = "skmaxev developers"
copyright = f"2026, {author}"
version = release = skmaxev.__version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "myst_parser",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
    "mathtext",  # _ext/mathtext.py: formulas drawn at build time, none fetched by the reader
]
exclude_patterns = [
    "_build",
    "measured",
    "_templates",
    "examples",
    "auto_examples/*.ipynb",
    "sg_execution_times.rst",
]
templates_path = ["_templates"]
default_role = "obj"
# A docstring lists its sources without pointing at each from the text.
suppress_warnings = ["ref.footnote", "config.cache"]

myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3

autosummary_generate = True
autosummary_imported_members = True
autosummary_ignore_module_all = False
autodoc_typehints = "none"  # numpydoc says it in words
numpydoc_show_class_members = False
numpydoc_xref_param_type = False

sphinx_gallery_conf = {
    "examples_dirs": "examples",
    "gallery_dirs": "auto_examples",
    "filename_pattern": r"\.py$",
    "within_subsection_order": "FileNameSortKey",
    "abort_on_example_error": True,
    "download_all_examples": False,
    "remove_config_comments": True,
    "show_memory": False,
    "min_reported_time": 1,
    "capture_repr": ("_repr_html_",),
    "image_srcset": ["2x"],
    "write_computation_times": False,  # its page loads scripts over the network
    "plot_gallery": True,
}
warnings.filterwarnings("ignore", message=".*non-interactive.*")

html_theme = "pydata_sphinx_theme"
html_title = "skmaxev"
html_math_renderer = "mathtext"
html_static_path = ["_static"]
html_css_files = ["skmaxev.css"]
html_show_sourcelink = False
html_copy_source = False
html_theme_options = {
    "navbar_align": "left",
    "show_toc_level": 2,
    "navigation_with_keys": False,
    "show_prev_next": False,
    "header_links_before_dropdown": 7,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
}
html_sidebars = {page: [] for page in ("index", "start", "which_number", "theory")}


def close_up(_app, doctree):
    """Take away the empty line that a doctest needs before the closing fence."""
    for block in doctree.findall(nodes.literal_block):
        text = block.astext()
        if block.rawsource == text and text.endswith("\n"):
            block.rawsource = text.rstrip("\n")
            block[:] = [nodes.Text(block.rawsource)]


def link_to_scikit_learn(_app, _env, node, shown):
    """Link classes and functions of scikit-learn to its pages, without fetching its inventory."""
    name = node.get("reftarget", "")
    if not re.fullmatch(r"sklearn(\.[a-z_]+)+\.\w+", name):
        return None
    page = f"https://scikit-learn.org/stable/modules/generated/{name}.html"
    return nodes.reference("", "", shown, refuri=page, internal=False)


def link_peers(_app, _what, _name, _obj, _options, lines):
    """Link what a docstring says to be as in GridSearchCV."""
    lines[:] = [re.sub(r"([Aa]s (?:for|in) )GridSearchCV\b", rf"\1{_GRID}", line) for line in lines]


_GRID = ":class:`~sklearn.model_selection.GridSearchCV`"


def setup(app):
    """Register what is done to every page."""
    app.connect("doctree-read", close_up)
    app.connect("missing-reference", link_to_scikit_learn)
    app.connect("autodoc-process-docstring", link_peers)
