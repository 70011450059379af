"""One BLAS thread, fixed Hypothesis profiles, and skips that need a reason on a list."""

import os
import re

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(name, "1")  # before NumPy loads: threads only cost on tiny data

import pytest  # noqa: E402
from hypothesis import HealthCheck, settings  # noqa: E402

settings.register_profile(
    "default",
    deadline=None,
    max_examples=25,
    suppress_health_check=[HealthCheck.too_slow],
    derandomize=True,  # users see the same run everywhere
)
settings.register_profile(  # pytest --hypothesis-profile=random
    "random", settings.get_profile("default"), derandomize=False, max_examples=100, print_blob=True
)
settings.load_profile("default")

OLD = [
    "scipy.optimize. The `disp`",
    "Passing a non-Collection iterable",
    "The OptunaSearchCV or classes from which it inherits use",
]
"""What a scikit-learn older than the other packages beside it is warned of."""


def pytest_configure(config):
    import sklearn

    if tuple(map(int, sklearn.__version__.split(".")[:2])) < (1, 9):
        for message in OLD:
            config.addinivalue_line("filterwarnings", f"ignore:{message}")


def pytest_addoption(parser):
    parser.addoption(
        "--only-skips", metavar="REGEX", help="fail if a test is skipped for another reason"
    )


def _unexpected_skips(config):
    allowed = config.getoption("only_skips")
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    if allowed is None or reporter is None:  # not asked for, or a worker of xdist
        return []
    reports = reporter.stats.get("skipped", [])
    reasons = {report.longrepr[2].removeprefix("Skipped: ") for report in reports}
    return sorted(reason for reason in reasons if not re.match(f"(?:{allowed})", reason))


def pytest_terminal_summary(terminalreporter, config):
    for reason in _unexpected_skips(config):
        terminalreporter.write_line(f"SKIPPED, though promised: {reason}", red=True)


def pytest_sessionfinish(session):
    if _unexpected_skips(session.config):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
