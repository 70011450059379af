"""Estimators of the best score: numbers in, numbers out.

Tables have shape (..., n_splits, n_candidates), higher is better; the result is a float for one
table and an array over the leading axes for many.
"""

from skmaxev.estimators.again import JudgedAgain, judged_again
from skmaxev.estimators.bayesian import (
    bayesian_maximum,
    bayesian_maximum_beta,
    weighted_maximum,
)
from skmaxev.estimators.bounds import (
    aven_bound,
    cv_bias_bound,
    expected_maximum_of_normals,
    optimism_of_equal_candidates,
)
from skmaxev.estimators.consensus import consensus
from skmaxev.estimators.corrections import (
    Resampled,
    bbc,
    bbc_folds,
    efron_shrinkage,
    residual_noise,
    tibshirani,
)
from skmaxev.estimators.cross_validation import (
    fold_means,
    low_bias_cv,
    low_variance_cv,
    maximum,
)
from skmaxev.estimators.intervals import nadeau_bengio_interval, selection_interval
from skmaxev.metrics.influence import auc_influences

__all__ = [
    "JudgedAgain",
    "Resampled",
    "auc_influences",
    "aven_bound",
    "bayesian_maximum",
    "bayesian_maximum_beta",
    "bbc",
    "bbc_folds",
    "consensus",
    "cv_bias_bound",
    "efron_shrinkage",
    "expected_maximum_of_normals",
    "fold_means",
    "judged_again",
    "low_bias_cv",
    "low_variance_cv",
    "maximum",
    "nadeau_bengio_interval",
    "optimism_of_equal_candidates",
    "residual_noise",
    "selection_interval",
    "tibshirani",
    "weighted_maximum",
]
