"""Numbers as text: as many digits as the noise leaves meaning to."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from skmaxev.metrics import is_known

if TYPE_CHECKING:
    from skmaxev.report.report import SelectionReport

__all__ = [
    "SEARCH",
    "Format",
    "as_loss",
    "is_turned",
    "name_candidates",
    "name_metric",
    "name_params",
    "name_plainly",
    "percent",
]

SEARCH = "search"
"""Key of a candidate's settings that names its search, where several are one."""
_MOST_DECIMALS = 8
_LONGEST_VALUE = 40
_SMALL = 1e-6
_LARGE = 1e15  # whole numbers beyond are not exact


class Format:
    """Writes scores with the same number of decimals throughout one report.

    Parameters
    ----------
    report : SelectionReport
        The width of its interval sets the digits, with one more if only that shows the optimism.
    """

    def __init__(self, report: SelectionReport) -> None:
        self._turned = is_turned(report)
        low, high = report.interval or (report.naive, report.naive)
        # Two digits of the half width: finer ones would only look exact.
        scale = ((high - low) / 2 or report.noise) / 10
        if not math.isfinite(scale) or scale <= 0:
            scale = abs(report.naive) / 100 or 0.001
        wanted = max(-math.floor(math.log10(scale)), 0)
        # Of small units, such as squared errors in metres, the leading digits are wanted.
        self.tiny = wanted > _MOST_DECIMALS and abs(report.naive) < _SMALL
        self.decimals = wanted if self.tiny else min(wanted, _MOST_DECIMALS)
        if self._hides(report) and self.decimals < _MOST_DECIMALS:
            self.decimals += 1

    def score(self, value: float) -> str:
        """Write a score; a loss that scikit-learn turned round is a positive loss again."""
        return self.size(-value if self._turned else value)

    def size(self, value: float) -> str:
        """Write a difference of scores, or a spread."""
        if not math.isfinite(value):
            return str(value)
        if abs(value) >= _LARGE or self.tiny:
            return f"{value:.6g}"
        rounded = round(value, self.decimals) + 0.0  # no minus before a zero
        return f"{rounded:,.{self.decimals}f}"

    def is_zero(self, value: float) -> bool:
        """Tell whether a difference vanishes at this number of decimals."""
        return round(value, self.decimals) == 0.0

    def _hides(self, report: SelectionReport) -> bool:
        """Tell whether the two scores look the same beside an optimism that does not vanish."""
        same = self.score(report.naive) == self.score(report.estimate)
        return same and not self.is_zero(report.optimism)

    def interval(self, interval: tuple[float, float]) -> str:
        """Write an interval in words."""
        low, high = map(self.score, interval[::-1] if self._turned else interval)
        return f"{low} to {high}"


def is_turned(report: SelectionReport) -> bool:
    """Tell whether the scores are losses with a minus, as of scikit-learn's ``neg_`` scorers."""
    turned = report.greater_is_better and report.metric.startswith("neg_")
    return turned and is_known(report.metric)


def as_loss(report: SelectionReport) -> SelectionReport:
    """Return a report on losses with a minus as one on losses; any other as it is."""
    if not is_turned(report):
        return report
    pooled, interval = report.naive_pooled, report.interval
    return replace(
        report,
        metric=report.metric.removeprefix("neg_"),
        greater_is_better=False,
        estimate=-report.estimate,
        naive=-report.naive,
        naive_pooled=None if pooled is None else -pooled,
        interval=None if interval is None else (-interval[1], -interval[0]),
        estimates={
            key: replace(found, value=-found.value) for key, found in report.estimates.items()
        },
    )


def name_metric(report: SelectionReport) -> str:
    """Name the metric as it is shown, on one line."""
    return name_plainly(report.metric.removeprefix("neg_") if is_turned(report) else report.metric)


def percent(level: float) -> str:
    """Write a confidence level, such as 95% or 99.5%."""
    return f"{round(100 * level, 6):g}%"


def name_candidates(indices: tuple[int, ...], most: int = 8) -> str:
    """Write 'candidate 3' or 'candidates 3, 4', cut to the first few."""
    noun = "candidate" if len(indices) == 1 else "candidates"
    more = f" and {len(indices) - most:,} more" if len(indices) > most else ""
    return f"{noun} " + ", ".join(str(index) for index in indices[:most]) + more


def name_params(params: Mapping[str, Any]) -> str:
    """Write a candidate's settings on one line, long values cut."""
    settings = {name: value for name, value in params.items() if name != SEARCH}
    text = ", ".join(
        f"{name_plainly(str(name))}={_short(value)}" for name, value in settings.items()
    )
    return f"{_short(params[SEARCH])}: {text}" if SEARCH in params else text


def name_plainly(text: str) -> str:
    """Write a text on one line, without signs that would steer a terminal."""
    line = " ".join(text.split())
    return line if line.isprintable() else repr(line)[1:-1]


def _short(value: Any) -> str:
    # NumPy 2 writes np.float64(0.1) for a scalar's repr; a reader wants 0.1.
    value = value.item() if getattr(value, "shape", None) == () else value
    value = float(f"{value:.6g}") if isinstance(value, float) else value
    text = name_plainly(value if isinstance(value, str) else repr(value))
    return text if len(text) <= _LONGEST_VALUE else text[: _LONGEST_VALUE - 3] + "..."
