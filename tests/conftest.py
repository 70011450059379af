"""One BLAS thread, fixed Hypothesis profiles."""

import os

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(name, "1")  # before NumPy loads: threads only cost on tiny data

import sklearn
from hypothesis import HealthCheck, settings

settings.register_profile(
    "default", deadline=None, max_examples=50, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("default")


def pytest_configure(config):
    if sklearn.__version__.startswith("1.6."):  # older than the SciPy and pytest beside it
        for message in ("scipy.optimize. The `disp`", "Passing a non-Collection iterable"):
            config.addinivalue_line("filterwarnings", f"ignore:{message}")
