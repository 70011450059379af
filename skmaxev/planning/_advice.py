"""What the numbers of a plan mean, in plain words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from skmaxev.planning.optimism import PLAUSIBLE_CORRELATIONS

__all__ = ["advise", "describe"]

_LONG = 3600.0  # seconds worth a checkpoint
_FEW_ROWS = 30  # in a test fold


def advise(facts: Mapping[str, Any], *, n_test: int) -> tuple[str, ...]:
    """Turn the facts of a plan into advice."""
    n_candidates = facts["n_candidates"]
    if n_candidates == 1:
        return ("Nothing is chosen: the score needs no correction.",)
    advice = [_about_optimism(facts)]
    fewest = n_candidates * facts["n_splits"] + 1
    if facts["n_fits"] > fewest:
        advice.append(
            f"Without further folds, HonestSearchCV corrects the best score with {fewest} fits in "
            f"place of {facts['n_fits']}."
        )
    if n_test < _FEW_ROWS:
        advice.append(f"A fold is judged on {n_test} rows: use fewer, larger folds or repeat them.")
    if facts["seconds"] > _LONG:
        advice.append("Keep finished fits with checkpoint=..., so that a stop loses nothing.")
    return tuple(advice)


def _about_optimism(facts: Mapping[str, Any]) -> str:
    """Say what differences cannot be told from luck, and what would halve them."""
    if not np.isfinite(facts["noise"]):
        return (
            "The noise of the score cannot be seen in one fold: report the corrected score, and "
            "its interval."
        )
    return (
        f"Improvements below {facts['optimism']:.2g} may be nothing but luck in choosing: report "
        f"the corrected score. {4 * facts['n_rows']:,} rows would halve it. More candidates find a "
        "better best score as long as they differ; the corrected score pays for their luck."
    )


def describe(facts: Mapping[str, Any]) -> str:
    """Lay a plan out as text."""
    n_candidates, noise, bound = facts["n_candidates"], facts["noise"], facts["optimism"]
    lines = [
        f"{n_candidates:,} candidates x {facts['n_splits']} splits on {facts['n_rows']:,} rows: "
        f"{facts['n_fits']:,} fits, about {_duration(facts['seconds'])} "
        f"({_duration(facts['seconds_per_fit'])} for the one timed)."
    ]
    if np.isfinite(noise):
        low, high = PLAUSIBLE_CORRELATIONS
        least, most = (bound * np.sqrt(1 - shared) for shared in (high, low))
        lines.append(
            f"One candidate's mean score is known to about +-{noise:.2g}; the best of "
            f"{n_candidates:,} equally good ones will look {least:.1g} to {most:.1g} too good on "
            f"average, as they share {low:g} to {high:g} of their luck in nine grids of ten; "
            f"{bound:.2g} if they shared none."
        )
    return "\n".join(lines + [f"- {line}" for line in facts["advice"]])


def _duration(seconds: float) -> str:
    """Write a time for reading."""
    for size, unit in ((86400, "days"), (3600, "hours"), (60, "minutes")):
        if seconds >= 2 * size:
            return f"{seconds / size:.0f} {unit}"
    return f"{seconds:.0f} seconds" if seconds >= 10 else f"{seconds:.2g} seconds"
