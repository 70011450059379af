"""Seconds, processor seconds and memory of one call. Memory and workers are read as Linux has them.

`resource.getrusage` is no measure of a child's peak: ``ru_maxrss`` begins with that of its parent.
"""

from __future__ import annotations

import os
import resource
import time
from collections.abc import Callable
from pathlib import Path

__all__ = ["Figures", "measured", "peak_megabytes", "processor_seconds"]

Figures = dict[str, float]
_TICKS = os.sysconf("SC_CLK_TCK")


def measured(side: Callable[[], object], *, memory: bool) -> tuple[Figures, object]:
    """Run one side: seconds, processor seconds of all processes, MB at the peak above the start."""
    before = 0.0
    if memory:
        Path("/proc/self/clear_refs").write_text("5")  # the peak begins anew
        before = _status("VmRSS")
    start, begun = time.perf_counter(), processor_seconds()
    outcome = side()
    figures = {
        "seconds": time.perf_counter() - start,
        "cpu_seconds": processor_seconds() - begun,
    }
    if memory:
        figures["peak_mb"] = peak_megabytes() - before
    return figures, outcome


def peak_megabytes() -> float:
    """Give the largest memory that this process has had at a time."""
    return _status("VmHWM")


def processor_seconds() -> float:
    """Add up this process, its living workers, and those that have ended."""
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    living = sum(map(_seconds_of, _descendants(os.getpid())))
    return time.process_time() + ended.ru_utime + ended.ru_stime + living


def _descendants(process: int) -> list[int]:
    try:
        lists = [file.read_text() for file in Path(f"/proc/{process}/task").glob("*/children")]
    except OSError:  # it has just ended
        return []
    children = [int(number) for text in lists for number in text.split()]
    return children + [number for child in children for number in _descendants(child)]


def _seconds_of(process: int) -> float:
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return sum(map(int, fields[11:15])) / _TICKS  # with those of its own ended children


def _status(name: str) -> float:
    lines = Path("/proc/self/status").read_text().splitlines()
    (line,) = (line for line in lines if line.startswith(f"{name}:"))
    return int(line.split()[1]) / 1024
