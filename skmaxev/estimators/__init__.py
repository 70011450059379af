"""Estimators of the best score: numbers in, numbers out.

Tables have shape (..., n_splits, n_candidates), higher is better; the result is a float for one
table and an array over the leading axes for many.
"""

from skmaxev.estimators.bounds import expected_maximum_of_normals
from skmaxev.estimators.cross_validation import fold_means, low_bias_cv, low_variance_cv
from skmaxev.estimators.maximum import maximum
from skmaxev.estimators.shrinkage import efron_shrinkage, residual_noise, tibshirani

__all__ = [
    "efron_shrinkage",
    "expected_maximum_of_normals",
    "fold_means",
    "low_bias_cv",
    "low_variance_cv",
    "maximum",
    "residual_noise",
    "tibshirani",
]
