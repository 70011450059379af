"""The scale on which a metric with one bound has the same noise for good and bad candidates."""

from __future__ import annotations

from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

__all__ = ["LogScale"]

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
