"""scikit-learn's own checks, with no exception that GridSearchCV does not need itself."""

import pytest
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from skmaxev import HonestSearchCV, LowVarianceCVSearch, NestedCVSearch, ShrunkSearchCV

SEARCHES = (HonestSearchCV, NestedCVSearch, LowVarianceCVSearch, ShrunkSearchCV)
CLASSIFIER = (LogisticRegression(), {"C": [0.1, 1.0]})
REGRESSOR = (Ridge(), {"alpha": [0.1, 1.0]})
PIPELINE = (make_pipeline(StandardScaler(), Ridge()), {"ridge__alpha": [0.1, 1.0]})

# GridSearchCV(Ridge()) fails this one too.
EXPECTED = {"check_supervised_y_2d": "GridSearchCV does not warn about a column y either"}


def searches(estimator, grid, n_jobs=None):
    options = {"cv": 3, "error_score": "raise", "n_jobs": n_jobs}
    yield from (search(estimator, grid, **options) for search in SEARCHES)
    yield HonestSearchCV(GridSearchCV(estimator, grid, **options))


def expected(estimator):
    inner = getattr(estimator.estimator, "estimator", estimator.estimator)
    return {} if isinstance(inner, LogisticRegression) else EXPECTED


# One check gives an infinite target to `type_of_target`, where NumPy warns, GridSearchCV or not.
numpy_may_warn = pytest.mark.filterwarnings("ignore:invalid value encountered in cast")


@numpy_may_warn
@parametrize_with_checks(
    [NestedCVSearch(*CLASSIFIER, cv=3, error_score="raise")], expected_failed_checks=expected
)
def test_is_an_estimator_as_scikit_learn_wants_it(estimator, check):
    check(estimator)


@pytest.mark.slow
@numpy_may_warn
@parametrize_with_checks(
    [
        *searches(*CLASSIFIER),
        *searches(*REGRESSOR),
        *searches(*PIPELINE),
        *searches(*PIPELINE, n_jobs=2),
    ],
    expected_failed_checks=expected,
)
def test_every_search_is_an_estimator_with_any_model(estimator, check):
    check(estimator)
