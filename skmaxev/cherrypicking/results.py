"""What a test of a claim returns: numbers, and what they mean in one sentence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["ClaimResult", "InspectionResult"]


def _share(probability: float) -> str:
    """Write a probability for reading: 0.26%, and no zero that is not one."""
    least = 1e-4
    return f"{float(f'{100 * probability:.2g}'):g}%" if probability >= least else "less than 0.01%"


def _many(pvalue: NDArray[np.float64]) -> str:
    return f"{pvalue.size} tests; p-values from {pvalue.min():.3g} to {pvalue.max():.3g}."


@dataclass(frozen=True)
class ClaimResult:
    """Test of a reported improvement.

    Attributes
    ----------
    statistic : float or ndarray of shape (...)
        Reported mean above the null, in standard errors.
    pvalue : float or ndarray of shape (...)
        Probability of a statistic this large without the improvement.
    n_reported : int
        Data sets shown.
    n_available : int
        Data sets the reporter could choose from; ``n_reported`` if nothing was chosen.
    min_improvement : float
        The mean that the null hypothesis grants.
    """

    statistic: float | NDArray[np.float64]
    pvalue: float | NDArray[np.float64]
    n_reported: int
    n_available: int
    min_improvement: float

    @property
    def sentence(self) -> str:
        """The result in plain words."""
        if np.ndim(self.pvalue):
            return _many(np.asarray(self.pvalue))
        chosen = (
            f"the best {self.n_reported} of {self.n_available} data sets"
            if self.n_available > self.n_reported
            else f"{self.n_reported} data sets that nobody chose"
        )
        return (
            f"Were the true mean improvement only {self.min_improvement:g}, {chosen} would look at "
            f"least this good in {_share(float(self.pvalue))} of reports."
        )

    def __str__(self) -> str:
        return self.sentence


@dataclass(frozen=True)
class InspectionResult:
    """Test of reported improvements against fresh ones.

    Attributes
    ----------
    statistic : float or ndarray of shape (...)
        Reported mean minus inspected mean, in standard errors.
    pvalue : float or ndarray of shape (...)
        Probability of a gap this large if the reporter did not choose.
    n_reported, n_inspected : int
        Data sets on either side.
    """

    statistic: float | NDArray[np.float64]
    pvalue: float | NDArray[np.float64]
    n_reported: int
    n_inspected: int

    @property
    def sentence(self) -> str:
        """The result in plain words."""
        if np.ndim(self.pvalue):
            return _many(np.asarray(self.pvalue))
        return (
            f"Had nobody chosen, the {self.n_reported} reported data sets would beat "
            f"{self.n_inspected} fresh ones by this much in {_share(float(self.pvalue))} of "
            "inspections."
        )

    def __str__(self) -> str:
        return self.sentence
