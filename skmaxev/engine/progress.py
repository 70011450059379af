"""The lines that ``verbose`` prints, in GridSearchCV's form."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from joblib.logger import short_format_time

from skmaxev.engine.types import Fit, Job

__all__ = ["begin_line", "end_line"]

WIDTH = 80
"""Columns of a line, dots included."""


def begin_line(job: Job, split: int, candidate: int, params: Mapping[str, Any]) -> None:
    """Print that a fit of the search begins (``verbose`` above 9)."""
    if job.verbose > 9:
        line = f"[CV{_position(job, split, candidate)}] START {_settings(params)}"
        print(line + "." * (WIDTH - len(line)))


def end_line(job: Job, split: int, candidate: int, params: Mapping[str, Any], fit: Fit) -> None:
    """Print that a fit of the search is over, and from ``verbose`` 3 on what it scored."""
    result = _settings(params)
    result += ";" if result else ""
    if job.verbose > 2:
        result += _scores(job, fit)
    seconds = fit.seconds + sum(judgement.seconds for judgement in fit.judged)
    result += f" total time={short_format_time(seconds)}"
    head = f"[CV{_position(job, split, candidate)}] END "
    print(head + "." * (WIDTH - len(head) - len(result)) + result)


def _position(job: Job, split: int, candidate: int) -> str:
    text = f" {split + 1}/{job.n_splits}" if job.verbose > 2 else ""
    return text + (f"; {candidate + 1}/{job.n_candidates}" if job.verbose > 9 else "")


def _settings(params: Mapping[str, Any]) -> str:
    return ", ".join(f"{name}={params[name]}" for name in sorted(params))


def _scores(job: Job, fit: Fit) -> str:
    """Word the scores; a failed fit shows ``error_score``."""
    test = fit.judged[0].scores if fit.judged else job.error_score
    train = fit.train.scores if fit.train else job.error_score
    if not isinstance(test, dict):
        if job.train_scores != "none":
            return f", score=(train={train:.3f}, test={test:.3f})"
        return f", score={test:.3f}"
    text = ""
    for name in sorted(test):
        text += f" {name}: ("
        if job.train_scores != "none" and isinstance(train, dict):
            text += f"train={train[name]:.3f}, "
        text += f"test={test[name]:.3f})"
    return text
