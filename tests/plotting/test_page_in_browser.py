"""The saved page in a real browser, where one is installed: nothing sticks out at any width."""

import re
import shutil
import subprocess

import numpy as np
import pytest

from skmaxev.correction import correct
from skmaxev.readers import build_table
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
    return hard_report().to_page()


@pytest.mark.parametrize("width", [320, 390, 1280])
def test_nothing_is_wider_than_the_window(page, width, tmp_path):
    (tmp_path / "page.html").write_text(page.replace("</body>", TELL + "</body>"), encoding="utf-8")
    (tmp_path / "frame.html").write_text(FRAME.format(width=width), encoding="utf-8")
    done = subprocess.run(  # noqa: S603  # a fixed command
        [BROWSER, *QUIET, f"--user-data-dir={tmp_path}/user", "--window-size=1400,1000",
         "--virtual-time-budget=3000", "--dump-dom", (tmp_path / "frame.html").as_uri()],
        capture_output=True, text=True, timeout=120, check=True,
    )  # fmt: skip
    found = re.search(r'data-seen="(\d+)/(\d+)"', done.stdout)
    assert found, done.stdout[-500:]
    needed, given = map(int, found.groups())
    assert given == width
    assert needed <= given
