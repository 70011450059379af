"""Results of single rows of the best candidates, within a bound of memory.

Each candidate takes one line of an array. When all lines are taken, the finished candidate with
the worst mean score makes room, never the best one. So the fits of one candidate after another, not
of one fold after another, have to be made (`by_candidates`): then few candidates are in work at a
time, and those that are left at the end are the best.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from skmaxev.engine.types import Fit, Judgement, Prefix, Unit

__all__ = ["BestRows", "by_candidates"]

_CHUNK = 4096
"""Rows that are put in order at a time, so that next to no memory is taken for it."""


def by_candidates(
    pairs: Sequence[tuple[int, int]],
    *,
    n_splits: int,
    n_together: int,
    prefixes: Sequence[Prefix] = (),
) -> list[tuple[int, int]]:
    """Order fits so that a few candidates are finished on all splits before the next ones begin.

    Parameters
    ----------
    pairs : sequence of (int, int)
        Unit and candidate of each fit.
    n_splits : int
        The search's own units have numbers below it; fits on others come last.
    n_together : int
        Candidates that are in work at a time.
    prefixes : sequence of tuple of int, optional
        Labels of shared pipeline steps; candidates that share them stay together.
    """
    shared = dict(enumerate(prefixes))
    candidates = sorted({number for _, number in pairs}, key=lambda c: (shared.get(c, ()), c))
    block = {number: rank // n_together for rank, number in enumerate(candidates)}

    def place(pair: tuple[int, int]) -> tuple[float, int, Prefix, int]:
        unit, number = pair
        own = block[number] if unit < n_splits else np.inf
        return own, unit, shared.get(number, ()), number

    return sorted(pairs, key=place)


class BestRows:
    """Takes the results of single rows out of finished fits, and keeps those of the best.

    Parameters
    ----------
    n_rows, n_candidates, n_splits : int
        Size of the search. No row may be judged by two splits.
    n_most : int
        Candidates that are kept at most, at any time.
    metric : str
        Name of the score that is compared, where fits have several.

    Notes
    -----
    Takes ``4 * n_rows * min(n_most, n_candidates)`` bytes.
    """

    def __init__(
        self, n_rows: int, n_candidates: int, n_splits: int, *, n_most: int, metric: str
    ) -> None:
        self.n_candidates, self.n_most, self._metric = n_candidates, n_most, metric
        self._n_rows, self._n_splits = n_rows, n_splits
        self._scores = np.full((n_candidates, n_splits), np.nan)
        self._n_left = np.full(n_candidates, n_splits)
        self._means = np.full(n_candidates, -np.inf)
        self._gone = np.zeros(n_candidates, dtype=bool)
        self._line: dict[int, int] = {}
        self._free = list(range(min(n_most, n_candidates)))[::-1]
        self._values: NDArray[np.float32] | None = None

    @property
    def is_bounded(self) -> bool:
        """Whether some candidates cannot be kept."""
        return self.n_most < self.n_candidates

    def take(self, fit: Fit, units: Sequence[Unit]) -> list[int]:
        """Take in a fit; give the candidates whose rows are kept no longer."""
        if fit.unit >= self._n_splits:  # not of the search itself, whose units come first
            return []
        gone = []
        for number, places in enumerate(units[fit.unit].places):
            splits = [place.split for place in places if place.level == "search"]
            if not splits:
                continue
            judgement = fit.judged[number] if fit.judged else None
            rows = units[fit.unit].judged[number]
            gone += self._take(fit.candidate, splits, rows, judgement)
        return gone

    def _take(
        self,
        candidate: int,
        splits: Sequence[int],
        rows: NDArray[np.intp],
        judgement: Judgement | None,
    ) -> list[int]:
        if judgement is not None:
            scores = judgement.scores
            score = scores.get(self._metric) if isinstance(scores, dict) else scores
            self._scores[candidate, splits] = np.nan if score is None else score
        self._n_left[candidate] -= len(splits)
        if not self._n_left[candidate]:
            self._means[candidate] = np.nan_to_num(np.average(self._scores[candidate]), nan=-np.inf)
        response = None if judgement is None else judgement.response
        if self._gone[candidate] or response is None or not np.isfinite(response).all():
            return self._drop(candidate)
        gone = [] if candidate in self._line else self._make_room(candidate)
        if candidate in self._line:
            self._array()[self._line[candidate], rows] = response
        return gone

    def _array(self) -> NDArray[np.float32]:
        if self._values is None:
            shape = (min(self.n_most, self.n_candidates), self._n_rows)
            self._values = np.full(shape, np.nan, dtype=np.float32)
        return self._values

    def _make_room(self, candidate: int) -> list[int]:
        """Find a line for a candidate; give who is dropped for it, or itself."""
        gone: list[int] = []
        if not self._free:
            finished = [other for other in self._line if not self._n_left[other]]
            if len(finished) < 2:  # the best one stays, and those in work may be better still
                return self._drop(candidate)
            gone = self._drop(min(finished, key=self._rank))
        self._line[candidate] = self._free.pop()
        return gone

    def _drop(self, candidate: int) -> list[int]:
        self._gone[candidate] = True
        if candidate in self._line:
            self._free.append(self._line.pop(candidate))
        return [candidate]

    def _rank(self, candidate: int) -> tuple[float, int]:
        """Order by mean score, of equals the first candidate last: it is the one that wins."""
        return self._means[candidate], -candidate

    @property
    def candidates(self) -> NDArray[np.intp]:
        """Candidates that are kept, in order; under a bound none of the others has a better mean.

        None where too many were in work at a time for the best one to be kept.
        """
        dropped = np.flatnonzero(self._gone & self.is_bounded).tolist()
        floor = max(map(self._rank, dropped), default=(-np.inf, -self.n_candidates))
        kept = (one for one in self._line if not self._n_left[one] and self._rank(one) > floor)
        return np.array(sorted(kept), dtype=np.intp)

    def values(self) -> NDArray[np.float32]:
        """Give the results, (n_rows, n_kept), a view of what is held; NaN where nobody judged."""
        kept, held = self.candidates, self._array()
        lines = np.array([self._line[one] for one in kept], dtype=np.intp)
        if not np.array_equal(lines, np.arange(len(lines))):
            for start in range(0, self._n_rows, _CHUNK):
                part = held[:, start : start + _CHUNK]
                part[: len(lines)] = part[lines]
            self._line = {int(one): line for line, one in enumerate(kept)}
        return held[: len(kept)].T
