"""What a test of a claim returns: numbers, and what they mean in one sentence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from skmaxev._results import Result, as_odds, as_pvalue

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["ClaimResult", "InspectionResult"]


def _many(pvalue: NDArray[np.float64]) -> str:
    return (
        f"{pvalue.size} tests; p-values from {as_pvalue(pvalue.min())} to "
        f"{as_pvalue(pvalue.max())}."
    )


def _rows(result: ClaimResult | InspectionResult) -> list[dict[str, Any]]:
    """Give one row a test, with what all of them share."""
    values = vars(result)
    shared = {key: value for key, value in values.items() if key not in {"statistic", "pvalue"}}
    pairs = zip(np.ravel(values["statistic"]), np.ravel(values["pvalue"]), strict=True)
    return [{"statistic": float(t), "pvalue": float(p)} | shared for t, p in pairs]


@dataclass(frozen=True)
class ClaimResult(Result):
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
    alternative : {"greater", "less", "two-sided"}
        On which side of it.
    """

    statistic: float | NDArray[np.float64]
    pvalue: float | NDArray[np.float64]
    n_reported: int
    n_available: int
    min_improvement: float
    alternative: str = "greater"

    @property
    def sentence(self) -> str:
        """The result in plain words."""
        if np.ndim(self.pvalue):
            return _many(np.asarray(self.pvalue))
        if self.alternative != "greater":
            return (
                f"Were the true mean improvement {self.min_improvement:g}, {self.n_reported} data "
                f"sets that nobody chose would look this far from it ({self.alternative}) in "
                f"{as_odds(float(self.pvalue))} of reports."
            )
        chosen = (
            f"the best {self.n_reported} of {self.n_available} data sets"
            if self.n_available > self.n_reported
            else f"{self.n_reported} data sets that nobody chose"
        )
        return (
            f"Were the true mean improvement only {self.min_improvement:g}, {chosen} would look at "
            f"least this good in {as_odds(float(self.pvalue))} of reports."
        )

    def to_dict(self) -> list[dict[str, Any]]:
        """Give one row a report."""
        return _rows(self)


@dataclass(frozen=True)
class InspectionResult(Result):
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
            f"{self.n_inspected} fresh ones by this much in {as_odds(float(self.pvalue))} of "
            "inspections."
        )

    def to_dict(self) -> list[dict[str, Any]]:
        """Give one row a report."""
        return _rows(self)
