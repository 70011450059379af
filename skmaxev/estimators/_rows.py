"""What the consensus works on: the scale of a metric with one bound, and the results of rows."""

from __future__ import annotations

from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["LogScale", "Rows", "check_rows"]

FloatArray = NDArray[np.float64]


class LogScale(NamedTuple):
    """Logarithm of the distance from a bound, taken at each candidate's mean.

    Parameters
    ----------
    sign : float
        1.0 for a bound above the scores, -1.0 for one below.
    bound : float
        The bound.
    distance : ndarray of shape (n_partitions, n_candidates)
        Positive distance of each candidate's mean from it.
    """

    sign: float
    bound: float
    distance: FloatArray

    @classmethod
    def of(cls, means: FloatArray, support: tuple[float, float]) -> Self | None:
        """Make the scale; None where the metric has no bound or two, or a mean lies on it."""
        low, high = support
        if np.isfinite(low) == np.isfinite(high):
            return None
        sign, bound = (1.0, high) if np.isfinite(high) else (-1.0, low)
        distance = sign * (bound - means)
        # A mean so close that rounding decides on its distance has none. Only its own size counts:
        # a hopeless candidate far away takes no digits from the others.
        clear = distance > 1e-9 * np.abs(means)
        return cls(sign, bound, distance) if clear.all() else None

    def of_values(self, values: FloatArray) -> FloatArray:
        """Put values (n_partitions, n_folds, n_candidates) on the scale; means go to means.

        The logarithm is that of the mean, and deviations from it are relative, so that a single
        value on the bound or beyond does no harm.
        """
        distance = self.distance[:, np.newaxis]
        means = self.bound - self.sign * distance
        level = -self.sign * np.log(distance)
        return np.asarray(level + (values - means) / distance)

    def lowered(self, score: float, optimism: float) -> float:
        """Lower a score by an optimism on the scale; by nothing exactly if there is none."""
        distance = self.sign * (self.bound - score)
        return score - self.sign * distance * float(np.expm1(self.sign * optimism))


class Rows(NamedTuple):
    """What the rows add to a table."""

    values: FloatArray
    excess: FloatArray | None
    splits: NDArray[Any]

    def on(self, scale: LogScale) -> Rows:
        """Return the same rows on the scale of a metric with one bound.

        Means over the rows need not be those of the table; only deviations from them count.
        """
        means = self.values.mean(axis=0)
        return self._replace(values=(self.values - means) / scale.distance.mean(axis=0))

    def centred(self, values: FloatArray) -> tuple[FloatArray, int]:
        """Return values less their mean within each split, as one partition, and the splits."""
        labels = np.unique(self.splits)
        centred = np.empty_like(values)
        for label in labels:
            members = self.splits == label
            centred[members] = values[members] - values[members].mean(axis=0)
        return centred[np.newaxis], int(labels.size)


def check_rows(
    table: FloatArray,
    row_values: ArrayLike | None,
    row_excess: ArrayLike | None,
    row_splits: ArrayLike | None,
) -> Rows | None:
    if row_values is None:
        for name, given in (("row_excess", row_excess), ("row_splits", row_splits)):
            if given is not None:
                raise ValueError(f"{name} goes with row_values; got {name} alone. Give both.")
        return None
    values = np.asarray(row_values, dtype=np.float64)
    if table.ndim != 2 or values.ndim != 2 or values.shape[1] != table.shape[1]:
        raise ValueError(
            "row_values must have shape (n_rows, n_candidates) and go with one table; got "
            f"{values.shape} for scores of shape {table.shape}. Give one column a candidate."
        )
    excess = None if row_excess is None else np.asarray(row_excess, dtype=np.float64)
    if excess is not None and (excess.shape != values.shape or not np.isfinite(excess).all()):
        raise ValueError(
            f"row_excess must be finite and of the shape of row_values, {values.shape}; got shape "
            f"{excess.shape}. Give what each of these values has beyond chance."
        )
    splits = np.zeros(len(values)) if row_splits is None else np.asarray(row_splits)
    if splits.shape != values.shape[:1]:
        raise ValueError(
            f"row_splits must name the split of each of the {len(values)} rows; got shape "
            f"{splits.shape}. Give one number a row."
        )
    n_labels = np.unique(splits).size
    if not np.isfinite(values).all() or len(values) <= n_labels:
        raise ValueError(
            f"row_values must be finite and more than the splits; got {len(values)} rows in "
            f"{n_labels} splits. Leave row_values out where they are not known."
        )
    return Rows(values, excess, splits)
