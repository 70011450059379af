"""Whether a pool of worker processes pays for its start.

By the clock, ``left`` seconds of work in this process take ``start + left / n`` seconds with a pool
of n workers. So the pool pays where ``left * (1 - 1 / n)`` is more than its start. The start is
what it was measured to be, and longer on a busy machine and without compiled files. What is left is
the time of the fits so far, times the number of those to come; three things make that wrong, and
each is met here:

- the first fit of a process pays for imports and caches, so it counts only where it is alone and
  so long that the start of a pool is nothing beside it;
- fits that were made first may be the long ones, since grids are sorted: the first few are taken
  from all over the list (`scattered`);
- time that the caller takes for a finished fit is no work that a pool could share, so it is not
  counted.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import sklearn
from joblib import cpu_count

from skmaxev._compat import pool_is_there, pool_is_warm
from skmaxev.engine.fitting import Fit

__all__ = ["Meter", "scattered"]

COLD_START = 4.0
"""Seconds until two new worker processes have imported scikit-learn; 1.3 to 4 measured."""
FOREIGN_START = 1.0
"""The same for workers that are there, but have made no fits of ours: most know scikit-learn."""
UNCOMPILED = 5.0
"""Times longer where Python finds no compiled files: 9 processor seconds a worker measured."""
WARM_START = 0.1
"""Seconds to hand the first tasks to workers that are there already; 0.04 measured."""
BUSIEST = 4.0
"""Most by which a busy machine is taken to slow the start of workers."""
SHORTEST_LOOK = 0.1
"""Seconds of fits before their mean is believed."""
LONG_FIT = 2.0
"""Seconds of a first fit beside which imports and caches are nothing."""
N_SCATTERED = 16
"""Fits that are taken from all over the list."""
_GOLDEN = 0.6180339887498949
"""Multiples of it, less their whole part, fill the unit interval evenly at every stage."""


class Meter:
    """Times the fits of this process, and weighs those that are left against a pool's start.

    Parameters
    ----------
    n_fits : int
        Fits to be made.
    n_workers : int
        Workers that the pool would have.
    """

    def __init__(self, n_fits: int, n_workers: int) -> None:
        self.n_left, self._n_workers = n_fits, n_workers
        self._usable = min(n_workers, int(cpu_count()))
        self._n_done = 0
        self._first = self._later = self._processor = 0.0

    def timed(self, fits: Iterator[Fit]) -> Iterator[Fit]:
        """Hand over fits; the time that each takes to be made is counted."""
        while True:
            start, begun = time.perf_counter(), time.process_time()
            fit = next(fits, None)
            if fit is None:
                return
            self._add(time.perf_counter() - start, time.process_time() - begun)
            yield fit

    def _add(self, seconds: float, processor: float) -> None:
        if self._n_done:
            self._later += seconds
        else:
            self._first = seconds
        self._n_done += 1
        self.n_left -= 1
        self._processor += processor

    @property
    def seconds(self) -> float:
        """Mean time of a fit, without the first one where there are more."""
        return self._later / (self._n_done - 1) if self._n_done > 1 else self._first

    def pool_pays(self) -> bool:
        """Tell whether to hand the fits that are left to a pool."""
        enough = SHORTEST_LOOK if self._n_done > 1 else LONG_FIT
        if self._first + self._later < enough:
            return False
        saved = self.seconds * self.n_left * (1 - 1 / self._usable)
        return saved > self._start() * self.busy

    def _start(self) -> float:
        if pool_is_warm(self._n_workers):
            return WARM_START
        if pool_is_there(self._n_workers):
            return FOREIGN_START
        compiled = 1.0 if is_compiled() else UNCOMPILED
        return COLD_START * compiled * self._n_workers / self._usable

    @property
    def busy(self) -> float:
        """How many times longer than its processor time the work took: others work too."""
        spent = max(self._processor, 1e-9)
        return min(max((self._first + self._later) / spent, 1.0), BUSIEST)


def is_compiled() -> bool:
    """Tell whether new processes find scikit-learn compiled.

    They do not where it may not be written, or was told not to be, as in many containers: then each
    worker compiles it for itself.
    """
    spec = sklearn.__spec__
    return spec is not None and spec.cached is not None and Path(spec.cached).exists()


def scattered(n: int) -> list[int]:
    """Give a few different numbers below ``n``, evenly from all over.

    Examples
    --------
    >>> from skmaxev.engine.paying import scattered
    >>> scattered(1000)[:5]
    [0, 618, 236, 854, 472]
    """
    numbers = (int(n * (k * _GOLDEN % 1.0)) for k in range(N_SCATTERED))
    return list(dict.fromkeys(numbers))
