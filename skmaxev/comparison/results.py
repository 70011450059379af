"""What the comparisons return: numbers, and what they mean in one sentence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["BayesianComparison", "BestSet", "Comparison", "RankComparison", "RunnersUp"]


def _percent(probability: float) -> str:
    return f"{float(f'{100 * probability:.2g}'):g}%" if probability >= 1e-4 else "less than 0.01%"


@dataclass(frozen=True)
class Comparison:
    """Two models on the same folds or rows.

    Attributes
    ----------
    difference : float
        Mean score of a minus mean score of b.
    statistic : float
        Of the test named in ``method``.
    pvalue : float
        Two-sided: probability of a difference this large if both were equally good.
    interval : tuple of two floats or None
        For the difference, at ``level``; None where the method has none.
    level : float or None
        Of the interval.
    method : str
        What was computed.
    """

    difference: float
    statistic: float
    pvalue: float
    interval: tuple[float, float] | None
    level: float | None
    method: str

    @property
    def sentence(self) -> str:
        """The result in plain words."""
        bounds = (
            f" ({100 * self.level:g}% interval {self.interval[0]:.4g} to {self.interval[1]:.4g})"
            if self.interval is not None and self.level is not None
            else ""
        )
        return (
            f"a scores {self.difference:+.4g} against b{bounds}. Were both equally good, a "
            f"difference this large would come up in {_percent(self.pvalue)} of such comparisons "
            f"({self.method})."
        )

    def __str__(self) -> str:
        return self.sentence


@dataclass(frozen=True)
class BayesianComparison:
    """Two models on the same folds, as probabilities.

    Attributes
    ----------
    difference : float
        Mean score of a minus mean score of b.
    p_a_better, p_equivalent, p_b_better : float
        Probabilities that the true difference is above, within and below the region of practical
        equivalence; they sum to one.
    rope : float
        Half width of that region, in the unit of the score.
    """

    difference: float
    p_a_better: float
    p_equivalent: float
    p_b_better: float
    rope: float

    @property
    def sentence(self) -> str:
        """The result in plain words."""
        return (
            f"a is better than b by more than {self.rope:g} with probability "
            f"{self.p_a_better:.2f}, worse by more than that with {self.p_b_better:.2f}; with "
            f"{self.p_equivalent:.2f} they are as good as equal."
        )

    def __str__(self) -> str:
        return self.sentence


@dataclass(frozen=True)
class RankComparison:
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
    """

    average_ranks: NDArray[np.float64]
    statistic: float
    pvalue: float
    f_statistic: float
    f_pvalue: float
    critical_difference: float
    pairwise_pvalues: NDArray[np.float64]
    level: float

    @property
    def sentence(self) -> str:
        """The result in plain words."""
        return (
            f"Were all {self.average_ranks.size} models equally good, ranks this uneven would come "
            f"up in {_percent(self.f_pvalue)} of such comparisons; two models are told apart where "
            f"their average ranks differ by more than {self.critical_difference:.2f}."
        )

    def __str__(self) -> str:
        return self.sentence


@dataclass(frozen=True)
class RunnersUp:
    """The winner of a search against the other candidates.

    Attributes
    ----------
    best_index : int
        The winner.
    differences : ndarray of shape (n_candidates,)
        Mean score of the winner minus that of each candidate.
    standard_errors : ndarray of shape (n_candidates,)
        Of the differences, corrected for overlapping training sets.
    pvalues : ndarray of shape (n_candidates,)
        Corrected resampled t, adjusted for the number of comparisons; 1 for the winner itself.
    within_one_standard_error : ndarray of int
        Candidates, without the winner, whose difference is at most its standard error.
    """

    best_index: int
    differences: NDArray[np.float64]
    standard_errors: NDArray[np.float64]
    pvalues: NDArray[np.float64]
    within_one_standard_error: NDArray[np.int_]

    @property
    def sentence(self) -> str:
        """The result in plain words."""
        near, others = self.within_one_standard_error.size, self.differences.size - 1
        return (
            f"Candidate {self.best_index} won; {near} of the {others} others are within one "
            "standard error of it."
        )

    def __str__(self) -> str:
        return self.sentence


@dataclass(frozen=True)
class BestSet:
    """Candidates that cannot be excluded as the best.

    Attributes
    ----------
    indices : ndarray of int
        The candidates in the set, in their order.
    pvalues : ndarray of shape (n_candidates,)
        Of 'no candidate is better than this one'.
    level : float
        Probability that the set holds the best candidate.
    smallest_pvalue : float
        The least that this number of folds or rows can show. If it is above ``1 - level`` nothing
        can be excluded.
    """

    indices: NDArray[np.int_]
    pvalues: NDArray[np.float64]
    level: float
    smallest_pvalue: float

    @property
    def sentence(self) -> str:
        """The result in plain words."""
        text = (
            f"{self.indices.size} of {self.pvalues.size} candidates may be the best "
            f"({100 * self.level:g}% confidence)."
        )
        if self.smallest_pvalue > 1 - self.level:
            text += " So few folds cannot exclude any candidate at this level."
        return text

    def __str__(self) -> str:
        return self.sentence
