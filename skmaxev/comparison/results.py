"""What the comparisons return: numbers, and what they mean in one sentence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from skmaxev._results import Result, as_odds

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

__all__ = ["Comparison", "RankComparison"]


@dataclass(frozen=True, kw_only=True)
class Comparison(Result):
    """Two models, a and b, compared in one way; what a way does not give is None.

    Attributes
    ----------
    method : str
        What was computed.
    difference : float
        Score of a minus score of b: the mean, or what ``method`` says.
    statistic, pvalue : float or None
        Of the test; the p-value is the probability of a difference this large if both were
        equally good.
    alternative : {"two-sided", "greater", "less"}
        Which differences count as large: any, those for a, those for b.
    interval : tuple of two floats or None
        For the difference, at ``level``.
    level : float or None
        Of the interval.
    p_a_better, p_equivalent, p_b_better : float or None
        Probabilities that the true difference is above, within and below the region of practical
        equivalence; they sum to one.
    rope : float or None
        Half width of that region, in the unit of the score.
    effect_size : float or None
        The difference without a unit; ``effect`` says which one.
    effect : str
        What ``effect_size`` is.
    assumes : str
        What must hold for the numbers to be right.
    names : tuple of two str
        Of a and b.
    """

    method: str
    difference: float
    statistic: float | None = None
    pvalue: float | None = None
    alternative: str = "two-sided"
    interval: tuple[float, float] | None = None
    level: float | None = None
    p_a_better: float | None = None
    p_equivalent: float | None = None
    p_b_better: float | None = None
    rope: float | None = None
    effect_size: float | None = None
    effect: str = ""
    assumes: str = ""
    names: tuple[str, str] = ("a", "b")

    @property
    def sentence(self) -> str:
        """The result in plain words."""
        a, b = self.names
        bounds = (
            f" ({100 * self.level:g}% interval {self.interval[0]:.4g} to {self.interval[1]:.4g})"
            if self.interval is not None and self.level is not None
            else ""
        )
        found = [f"{a} scores {self.difference:+.4g} against {b}{bounds}.", *self._chances()]
        if self.effect_size is not None:
            found.append(f"The {self.effect} is {self.effect_size:.2f}.")
        return " ".join(found)[:-1] + f" ({self.method})."

    def _chances(self) -> Iterator[str]:
        """Say what the p-value and the probabilities mean."""
        a, b = self.names
        if self.pvalue is not None and self.rope is not None:
            yield (
                f"Did they differ by more than {self.rope:g}, differences this small would come "
                f"up in at most {as_odds(self.pvalue)} of such comparisons."
            )
        elif self.pvalue is not None:
            side = {"greater": f" in favour of {a}", "less": f" in favour of {b}"}
            yield (
                f"Were they equally good, a difference this large{side.get(self.alternative, '')} "
                f"would come up in {as_odds(self.pvalue)} of such comparisons."
            )
        if self.p_equivalent is not None:
            yield (
                f"{a} is better than {b} by more than {self.rope or 0.0:g} with probability "
                f"{self.p_a_better:.2f}, worse by more than that with {self.p_b_better:.2f}; with "
                f"{self.p_equivalent:.2f} they are as good as equal."
            )

    def to_dict(self) -> list[dict[str, Any]]:
        """Give the result as one row of a table."""
        low, high = self.interval or (None, None)
        return [
            {
                "a": self.names[0],
                "b": self.names[1],
                "difference": self.difference,
                "low": low,
                "high": high,
                "statistic": self.statistic,
                "pvalue": self.pvalue,
                "p_a_better": self.p_a_better,
                "p_equivalent": self.p_equivalent,
                "p_b_better": self.p_b_better,
                self.effect or "effect_size": self.effect_size,
                "method": self.method,
            }
        ]


@dataclass(frozen=True)
class RankComparison(Result):
    """Many models on many data sets.

    Attributes
    ----------
    average_ranks : ndarray of shape (n_models,)
        1 is best; ties share.
    statistic, pvalue : float
        Friedman's test that all models are equally good, corrected for ties.
    f_statistic, f_pvalue : float
        Its sharper form by Iman and Davenport.
    critical_difference : float
        Nemenyi: ranks further apart than this are told apart, whatever the number of pairs.
    pairwise_pvalues : ndarray of shape (n_models, n_models)
        Nemenyi, adjusted for the number of pairs.
    level : float
        Of the critical difference.
    names : tuple of str
        Of the models: the columns of a frame, or their positions.
    """

    average_ranks: NDArray[np.float64]
    statistic: float
    pvalue: float
    f_statistic: float
    f_pvalue: float
    critical_difference: float
    pairwise_pvalues: NDArray[np.float64]
    level: float
    names: tuple[str, ...]

    @property
    def sentence(self) -> str:
        """The result in plain words."""
        return (
            f"Were all {self.average_ranks.size} models equally good, ranks this uneven would come "
            f"up in {as_odds(self.f_pvalue)} of such comparisons; two models are told apart where "
            f"their average ranks differ by more than {self.critical_difference:.2f}."
        )

    def to_dict(self) -> list[dict[str, Any]]:
        """Give one row a model, the best rank first."""
        best = int(self.average_ranks.argmin())
        return [
            {
                "model": self.names[index],
                "average_rank": float(self.average_ranks[index]),
                "pvalue": float(self.pairwise_pvalues[best, index]),
            }
            for index in np.argsort(self.average_ranks, kind="stable")
        ]
