"""One BLAS thread, fixed Hypothesis profiles."""

import os

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(name, "1")  # before NumPy loads: threads only cost on tiny data

from hypothesis import HealthCheck, settings  # noqa: E402

settings.register_profile(
    "default", deadline=None, max_examples=50, suppress_health_check=[HealthCheck.too_slow]
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
