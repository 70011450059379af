"""Numbers and names as text: as many digits as the noise leaves meaning to."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from skmaxev.metrics import is_known

if TYPE_CHECKING:
    from skmaxev.report.report import SelectionReport

__all__ = [
    "SEARCH",
    "Format",
    "as_loss",
    "name_candidates",
    "name_params",
    "name_plainly",
    "percent",
]

SEARCH = "search"
"""Key of a candidate's settings that names its search, where several are one."""
_MOST_DECIMALS = 8
_MOST_NAMED = 8
_LONGEST_VALUE = 40
_SMALL = 1e-6
_LARGE = 1e15  # whole numbers beyond are not exact
_TURNED = {"upwards": "downwards", "downwards": "upwards"}


class Format:
    """Writes scores and their differences with the same number of decimals throughout one report.

    Parameters
    ----------
    report : SelectionReport
        The width of its interval sets the digits, with one more if only that shows the optimism.
    """

    def __init__(self, report: SelectionReport) -> None:
        low, high = report.interval or (report.naive, report.naive)
        # Two digits of the half width: finer ones would only look exact.
        scale = ((high - low) / 2 or report.noise) / 10
        if not math.isfinite(scale) or scale <= 0:
            scale = abs(report.naive) / 100 or 0.001
        wanted = max(-math.floor(math.log10(scale)), 0)
        # Of small units, such as squared errors in metres, the leading digits are wanted.
        self.tiny = wanted > _MOST_DECIMALS and abs(report.naive) < _SMALL
        self.decimals = wanted if self.tiny else min(wanted, _MOST_DECIMALS)
        same = self.score(report.naive) == self.score(report.estimate)
        hidden = same and not self.is_zero(report.optimism)
        self.decimals += hidden and self.decimals < _MOST_DECIMALS

    def score(self, value: float) -> str:
        """Write a score, a difference of scores, or a spread."""
        if not math.isfinite(value):
            return str(value)
        if abs(value) >= _LARGE or self.tiny:
            return f"{value:.6g}"
        rounded = round(value, self.decimals) + 0.0  # no minus before a zero
        return f"{rounded:,.{self.decimals}f}"

    def is_zero(self, value: float) -> bool:
        """Tell whether a difference vanishes at this number of decimals."""
        return round(value, self.decimals) == 0.0

    def interval(self, ends: Sequence[float]) -> str:
        """Write an interval in words."""
        return " to ".join(map(self.score, ends))


def as_loss(report: SelectionReport) -> SelectionReport:
    """Return a report on losses with a minus, as of ``neg_`` scorers, as one on losses.

    Any other comes back as it is. Reports are read in this form.
    """
    turned = report.greater_is_better and report.metric.startswith("neg_")
    if not (turned and is_known(report.metric)):
        return report
    pooled, interval = report.naive_pooled, report.interval
    estimates = {
        key: replace(
            found,
            value=-found.value,
            errs=" ".join(_TURNED.get(word, word) for word in found.errs.split()),
        )
        for key, found in report.estimates.items()
    }
    return replace(
        report,
        metric=report.metric.removeprefix("neg_"),
        greater_is_better=False,
        estimate=-report.estimate,
        naive=-report.naive,
        naive_pooled=None if pooled is None else -pooled,
        interval=None if interval is None else (-interval[1], -interval[0]),
        estimates=estimates,
    )


def percent(level: float) -> str:
    """Write a confidence level, such as 95% or 99.5%."""
    return f"{round(100 * level, 6):g}%"


def name_candidates(indices: Sequence[int], noun: str) -> str:
    """Write 'candidate 3' or 'candidates 3, 4', cut to the first few."""
    noun += "s" * (len(indices) > 1)
    hidden = len(indices) - _MOST_NAMED
    named = ", ".join(map(str, indices[:_MOST_NAMED]))
    return f"{noun} {named}" + (f" and {hidden:,} more" if hidden > 0 else "")


def name_params(params: Mapping[str, Any]) -> str:
    """Write a candidate's settings on one line, long values cut."""
    text = ", ".join(
        f"{name_plainly(str(name))}={_short(value)}"
        for name, value in params.items()
        if name != SEARCH
    )
    return f"{_short(params[SEARCH])}: {text}" if SEARCH in params else text


def name_plainly(text: str) -> str:
    """Write a text on one line, without signs that would steer a terminal."""
    line = " ".join(text.split())
    return line if line.isprintable() else repr(line)[1:-1]


def _short(value: Any) -> str:
    # NumPy 2 writes np.float64(0.1) for a scalar's repr; a reader wants 0.1.
    value = value.item() if getattr(value, "shape", None) == () else value
    value = f"{value:.6g}" if isinstance(value, float) else value
    text = name_plainly(value if isinstance(value, str) else repr(value))
    return text if len(text) <= _LONGEST_VALUE else text[: _LONGEST_VALUE - 3] + "..."
