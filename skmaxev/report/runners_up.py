"""The candidates beside the winner: how far behind, and which may be as good."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from skmaxev._results import Result
from skmaxev.report.numbers import name_params, percent
from skmaxev.table import mean_scores

if TYPE_CHECKING:
    from skmaxev.estimators.differences import Differences
    from skmaxev.report.report import SelectionReport

__all__ = ["RunnerUp", "RunnersUp", "gather_runners_up"]


class RunnerUp(NamedTuple):
    """One candidate beside the winner.

    Parameters
    ----------
    candidate : int
        Its number.
    params : mapping or None
        Its settings, where they are known.
    score : float
        Its mean score, as the search prints it.
    difference : float
        By how much the winner is better, positive for losses too; exactly 0 for identical scores.
    low, high : float or None
        Interval of the difference; None where nothing shows its noise.
    p_better : float or None
        Probability that this candidate is better than the winner; None for identical scores, and
        where nothing shows the noise.
    may_be_best : bool
        Whether it is in the confidence set of the best.
    """

    candidate: int
    params: Mapping[str, Any] | None
    score: float
    difference: float
    low: float | None
    high: float | None
    p_better: float | None
    may_be_best: bool

    @property
    def is_same(self) -> bool:
        """Whether its scores are those of the winner."""
        return self.low == self.high == 0.0


@dataclass(frozen=True)
class RunnersUp(Result):
    """The winner of a search against the other candidates.

    Attributes
    ----------
    best_index : int
        The winner.
    candidates : tuple of RunnerUp
        The others, the nearest first.
    n_compared : int
        Candidates that took part, the winner included.
    level : float
        Confidence level of the intervals, and of the set of those that may be the best.
    """

    best_index: int
    candidates: tuple[RunnerUp, ...]
    n_compared: int
    level: float

    @property
    def indices(self) -> tuple[int, ...]:
        """Candidates besides the winner that may be the best, in order."""
        return tuple(sorted(found.candidate for found in self.candidates if found.may_be_best))

    @property
    def sentence(self) -> str:
        """The result in plain words."""
        near = sum(found.may_be_best for found in self.candidates)
        return (
            f"Candidate {self.best_index} won; {near} of the {self.n_compared - 1} others may be "
            f"as good ({percent(self.level)} confidence)."
        )

    def to_dict(self) -> list[dict[str, Any]]:
        """Give one row a candidate, the nearest to the winner first."""
        return [
            found._asdict() | {"params": name_params(found.params) if found.params else None}
            for found in self.candidates
        ]


def gather_runners_up(report: SelectionReport) -> RunnersUp:
    """Return how far each other candidate is behind the winner, and which may be as good.

    Differences are paired, with the variance of Nadeau and Bengio, from the splits or the results
    of single rows. They err in favour of the winner, which was chosen on these scores; the set of
    those that may be the best allows for it, and for the number of candidates.
    """
    table, found = report.table, report.differences
    if table is None or found is None:
        return RunnersUp(report.best_index, (), report.n_used, report.level)
    sign = 1.0 if report.greater_is_better else -1.0
    scores = sign * mean_scores(table.used_scores) + 0.0
    candidates = [
        RunnerUp(
            candidate=int(table.used[place]),
            params=None if table.params is None else table.params[table.used[place]],
            score=float(scores[place]),
            difference=float(found.values[place]) + 0.0,
            low=_known(found.low[place]),
            high=_known(found.high[place]),
            p_better=None if _is_same(found, place) else _known(found.p_better[place]),
            may_be_best=bool(found.may_be_best[place]),
        )
        for place in np.argsort(found.values, kind="stable").tolist()
    ]
    others = tuple(found for found in candidates if found.candidate != report.best_index)
    return RunnersUp(report.best_index, others, report.n_used, report.level)


def _known(value: float) -> float | None:
    return None if np.isnan(value) else float(value)


def _is_same(found: Differences, place: int) -> bool:
    return bool(found.standard_errors[place] == found.values[place] == 0.0)
