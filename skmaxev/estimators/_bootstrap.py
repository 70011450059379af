"""Draw rows, choose among the candidates on them, judge the chosen one on the rest."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["FloatArray", "Weights", "check_length", "draw_weights", "judge_rest", "resample_rows"]

FloatArray = NDArray[np.float64]
Weights = NDArray[np.float32]

# Weights held at a time: 4 MB of float32. Much larger blocks do not fit into a processor's cache
# and take four times as long.
_BLOCK = 1 << 20
# Chance that a candidate which is dropped would have won a resample, over all of them.
_RISK = 1e-9
_TIE = 1e-6


def resample_rows(
    table: FloatArray,
    strata: ArrayLike | None,
    n_resamples: int,
    rng: np.random.Generator | int | None,
    finish: Callable[[NDArray[np.bool_], FloatArray], FloatArray] | None = None,
) -> FloatArray:
    """Score of the chosen candidate on the rows left out, for every resample."""
    generator = np.random.default_rng(rng)
    draws = draw_weights(len(table), strata, n_resamples, generator)
    # Only differences choose, and these keep their last bits in float32.
    gap = table - table[:, [table.mean(axis=0).argmax()]]
    contenders = _contenders(gap, n_resamples)
    gap = _tamed(gap[:, contenders]).astype(np.float32)
    columns = np.ascontiguousarray(table[:, contenders].T)
    slack = _TIE * float(np.abs(gap).max()) * np.sqrt(len(gap))

    def choose(weights: Weights) -> NDArray[np.intp]:
        total = weights @ gap
        draw, tied = np.nonzero(total >= total.max(axis=1, keepdims=True) - slack)
        # Candidates come in an order, so the first of a tie would not be a fair choice.
        first = np.searchsorted(draw, np.arange(len(total)))
        n_tied = np.diff(first, append=len(draw))
        return np.asarray(tied[first + generator.integers(n_tied)])

    def judge(left_out: NDArray[np.bool_], candidate: int) -> FloatArray:
        counts = left_out.sum(axis=1)
        with np.errstate(invalid="ignore"):
            mean = np.asarray((left_out @ columns[candidate]) / counts)
        return mean if finish is None else finish(left_out, mean)

    return judge_rest(draws, choose, judge)


def _tamed(gap: FloatArray) -> FloatArray:
    """Bring gaps into the range of float32 without a change to who wins.

    A row that loses more than all rows together can win back loses the resample; how much more is
    nothing to the choice, and would drown the gaps between the other candidates.
    """
    enough = len(gap) * float(gap.max())
    if enough == 0.0:  # none ever beats the best of all rows, so each row that loses decides
        return np.asarray(np.sign(gap))
    return np.asarray(np.ldexp(np.maximum(gap, -enough), -np.frexp(enough)[1]))


def _contenders(gap: FloatArray, n_resamples: int) -> NDArray[np.intp]:
    """Columns that Bernstein's bound does not exclude from beating the best of all rows."""
    short = -gap.mean(axis=0)
    reach = np.maximum(gap.max(axis=0) + short, -short - gap.min(axis=0))
    scale = gap.var(axis=0) + reach * short / 3.0
    with np.errstate(divide="ignore", invalid="ignore"):
        log_chance = np.where(short > 0, -len(gap) * short**2 / (2.0 * scale), 0.0)
    return np.flatnonzero(log_chance >= np.log(_RISK / (n_resamples * gap.shape[1])))


def draw_weights(
    n_rows: int, strata: ArrayLike | None, n_resamples: int, rng: np.random.Generator
) -> Iterator[Weights]:
    """Times that each row is drawn, (some, n_rows) at a time."""
    if n_resamples < 1:
        raise ValueError(f"n_resamples must be at least 1; got {n_resamples}. 1000 is usual.")
    labels = np.zeros(n_rows, dtype=int) if strata is None else np.asarray(strata)
    check_length(labels, n_rows, "strata")
    groups = [np.flatnonzero(labels == label) for label in np.unique(labels)]
    return _blocks(n_rows, groups, n_resamples, rng)


def _blocks(
    n_rows: int, groups: list[NDArray[np.intp]], n_resamples: int, rng: np.random.Generator
) -> Iterator[Weights]:
    block = max(1, _BLOCK // n_rows)
    for start in range(0, n_resamples, block):
        size = min(block, n_resamples - start)
        weights = np.empty((size, n_rows), dtype=np.float32)
        for rows in groups:
            length = len(rows)
            place = slice(None) if length == n_rows else rows
            for line in weights:  # one at a time stays in the cache
                line[place] = np.bincount(rng.integers(0, length, length), minlength=length)
        yield weights


def judge_rest(
    draws: Iterator[Weights],
    choose: Callable[[Weights], NDArray[np.intp]],
    judge: Callable[[NDArray[np.bool_], int], FloatArray],
) -> FloatArray:
    """Choose on each resample and judge on its rest, one chosen candidate at a time."""
    parts = []
    for weights in draws:
        chosen = choose(weights)
        scores = np.empty(len(weights))
        for candidate in np.unique(chosen):
            mine = chosen == candidate
            scores[mine] = judge(weights[mine] == 0, int(candidate))
        parts.append(scores)
    return np.concatenate(parts)


def check_length(array: NDArray[Any], length: int, name: str) -> None:
    if array.shape != (length,):
        raise ValueError(
            f"{name} must have one entry a row, shape ({length},); got shape {array.shape}."
        )
