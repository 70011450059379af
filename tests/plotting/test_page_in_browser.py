"""The saved page in a real browser, where one is installed: nothing sticks out at any width."""

import json
import re
import shutil
import subprocess

import numpy as np
import pytest

from skmaxev.correction import correct
from skmaxev.plotting.page import to_page
from skmaxev.readers.build import build_table
from skmaxev.table import OuterFolds

BROWSER = shutil.which("chromium") or shutil.which("chromium-browser")
QUIET = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
]  # fmt: skip
TELL = (
    '<script>parent.postMessage(document.documentElement.scrollWidth+"/"+innerWidth,"*")</script>'
)
FRAME = """<body><iframe src="page.html" style="width:{width}px;height:900px;border:0"></iframe>
<script>onmessage = event => {{ document.body.dataset.seen = event.data }}</script></body>"""

pytestmark = pytest.mark.skipif(BROWSER is None, reason="no chromium")


def hard_report():
    """A report with long names and outer folds."""
    rng = np.random.default_rng(0)
    outer = OuterFolds(
        scores=rng.normal(-0.8, 0.1, 5),
        best_index=rng.integers(8, size=5),
        n_train=np.full(5, 80),
        n_test=np.full(5, 20),
    )
    params = [
        {f"a_long_step__with_a_long_parameter_{j}": 10.0**k for j in range(6)} for k in range(8)
    ]
    table = build_table(
        rng.normal(-0.8, 0.1, size=(5, 8)),
        metric="neg_mean_absolute_percentage_error_of_a_custom_kind",
        params=params,
        outer=outer,
        source="x",
    )
    return correct(table)


@pytest.fixture(scope="module")
def page():
    return to_page(hard_report())


def browse(page, directory):
    """Return the document as it stands after its scripts have run."""
    done = subprocess.run(  # noqa: S603  # a fixed command
        [BROWSER, *QUIET, f"--user-data-dir={directory}/user", "--window-size=1400,1000",
         "--virtual-time-budget=3000", "--dump-dom", page.as_uri()],
        capture_output=True, text=True, timeout=120, check=True,
    )  # fmt: skip
    return done.stdout


@pytest.mark.parametrize("width", [320, 390, 1280])
def test_nothing_is_wider_than_the_window(page, width, tmp_path):
    (tmp_path / "page.html").write_text(page.replace("</body>", TELL + "</body>"), encoding="utf-8")
    (tmp_path / "frame.html").write_text(FRAME.format(width=width), encoding="utf-8")
    seen = browse(tmp_path / "frame.html", tmp_path)
    found = re.search(r'data-seen="(\d+)/(\d+)"', seen)
    assert found, seen[-500:]
    needed, given = map(int, found.groups())
    assert given == width
    assert needed <= given


def notebook_page(theme):
    """Return the page that nbconvert makes of a notebook with the report, without scripts."""
    nbconvert = pytest.importorskip("nbconvert")
    nbformat = pytest.importorskip("nbformat")
    shown = nbformat.v4.new_output("display_data", {"text/html": hard_report()._repr_html_()})
    cell = nbformat.v4.new_code_cell("report", outputs=[shown])
    exporter = nbconvert.HTMLExporter(template_name="classic" if theme == "classic" else "lab")
    if theme != "classic":
        exporter.theme = theme
    page, _ = exporter.from_notebook_node(nbformat.v4.new_notebook(cells=[cell]))
    return re.sub(r"<script.*?</script>", "", page, flags=re.DOTALL)


MEASURE = """<script>
const all = name => [...document.querySelectorAll(".skmaxev " + name)];
document.querySelector(".skmaxev details").open = true;
document.body.dataset.seen = JSON.stringify({
  label: Math.min(...all("dt").map(e => e.getBoundingClientRect().width)),
  labelLines: Math.max(...all("dt").map(e => e.getBoundingClientRect().height)),
  floats: all("dt").map(e => getComputedStyle(e).float),
  align: all("td:first-child, td:nth-child(3), dd").map(e => getComputedStyle(e).textAlign),
  stripes: all("tbody tr").map(e => getComputedStyle(e).backgroundColor),
  ink: all("td")[0] && getComputedStyle(all("td")[0]).color,
  around: getComputedStyle(document.querySelector(".skmaxev").parentElement).color,
}).replaceAll('"', "'");
</script>"""


@pytest.mark.filterwarnings("ignore")  # of other people's packages
@pytest.mark.parametrize("theme", ["light", "dark", "classic"])
def test_styles_of_a_notebook_do_not_win_over_those_of_the_report(theme, tmp_path):
    page = notebook_page(theme).replace("</body>", MEASURE + "</body>")
    (tmp_path / "notebook.html").write_text(page, encoding="utf-8")
    seen = browse(tmp_path / "notebook.html", tmp_path)
    found = json.loads(re.search(r'data-seen="([^"]+)"', seen).group(1).replace("'", '"'))
    assert found["label"] >= 40
    assert found["labelLines"] < 60
    assert set(found["floats"]) == {"none"}
    assert set(found["align"]) == {"left"}
    assert set(found["stripes"]) == {"rgba(0, 0, 0, 0)"}
    assert found["ink"] == found["around"]
