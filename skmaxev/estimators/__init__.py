"""Estimators of the best score: numbers in, numbers out.

Tables have shape (..., n_splits, n_candidates), higher is better; the result is a float for one
table and an array over the leading axes for many.
"""

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
    variance_bound,
)
from skmaxev.estimators.cross_validation import fold_means, low_bias_cv, low_variance_cv
from skmaxev.estimators.maximum import maximum
from skmaxev.estimators.mixture import tweedie
from skmaxev.estimators.shrinkage import efron_shrinkage, residual_noise, tibshirani

__all__ = [
    "aven_bound",
    "bayesian_maximum",
    "bayesian_maximum_beta",
    "cv_bias_bound",
    "efron_shrinkage",
    "expected_maximum_of_normals",
    "fold_means",
    "low_bias_cv",
    "low_variance_cv",
    "maximum",
    "optimism_of_equal_candidates",
    "residual_noise",
    "tibshirani",
    "tweedie",
    "variance_bound",
    "weighted_maximum",
]
