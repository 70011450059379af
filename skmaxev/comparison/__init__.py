"""Compare scores after a search: intervals, pairs, the runners-up, many models on many data sets.

Everything takes plain arrays of scores or outcomes, higher is better, and refuses to compare
what was not measured on the same folds or rows.
"""

from skmaxev.comparison.datasets import (
    PairComparisons,
    bayesian_signed_rank,
    compare_pairs,
    holm,
    sign_test,
    signed_rank,
)
from skmaxev.comparison.models import (
    ModelComparison,
    compare,
    confidence_set_of_the_best,
    winner_against_runners_up,
)
from skmaxev.comparison.paired import (
    bayesian_correlated_t,
    corrected_resampled_t,
    equivalence_test,
    five_by_two_f,
    five_by_two_t,
)
from skmaxev.comparison.proportions import proportion_interval
from skmaxev.comparison.ranks import friedman_nemenyi
from skmaxev.comparison.results import Comparison, RankComparison
from skmaxev.comparison.rows import cochran_q, delong, mcnemar, resampled_rows
from skmaxev.estimators.intervals import nadeau_bengio_interval
from skmaxev.report import RunnersUp

__all__ = [
    "Comparison",
    "ModelComparison",
    "PairComparisons",
    "RankComparison",
    "RunnersUp",
    "bayesian_correlated_t",
    "bayesian_signed_rank",
    "cochran_q",
    "compare",
    "compare_pairs",
    "confidence_set_of_the_best",
    "corrected_resampled_t",
    "delong",
    "equivalence_test",
    "five_by_two_f",
    "five_by_two_t",
    "friedman_nemenyi",
    "holm",
    "mcnemar",
    "nadeau_bengio_interval",
    "proportion_interval",
    "resampled_rows",
    "sign_test",
    "signed_rank",
    "winner_against_runners_up",
]
