"""Honest scores against the truth, over many data sets; each margin comes from a standard error.

One nested search gives every estimate of a data set, since the others make the same table. Each
test also shows that it can fail: what it asserts does not hold of the printed score, or of the mean
of all candidates, to which a correction that takes too much would go.
"""

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.feature_selection import SelectKBest
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import ExtraTreeClassifier

from skmaxev import LowVarianceCVSearch, NestedCVSearch, ShrunkSearchCV

METHODS = ("NESTED", "LVCV", "EB", "CONSENSUS")
pytestmark = pytest.mark.slow


def estimates(search):
    """Give the nested, low-variance, shrunken and consensus score, and the printed one."""
    found = search.report_.estimates
    return np.array([*(found[name].value for name in METHODS), search.naive_best_score_])


def mean_and_error(rows):
    rows = np.asarray(rows)
    return rows.mean(axis=0), rows.std(axis=0, ddof=1) / np.sqrt(len(rows))


def found_and_true(model, grid, draw, n_rows, seeds):
    """Give a row a data set: all estimates, the mean candidate, and the winner on fresh rows."""
    rows = []
    for seed in seeds:
        data, y = draw(seed)
        search = NestedCVSearch(model, grid).fit(data[:n_rows], y[:n_rows])
        mean = search.cv_results_["mean_test_score"].mean()
        rows.append([*estimates(search), mean, search.score(data[n_rows:], y[n_rows:])])
    return np.array(rows)


def test_one_nested_search_knows_what_the_others_report():
    data, y = make_classification(60, 5, flip_y=0.3, random_state=0)
    model, grid = KNeighborsClassifier(), {"n_neighbors": [1, 3, 5, 9]}
    nested, low_variance, shrunk, _, printed = estimates(NestedCVSearch(model, grid).fit(data, y))
    assert nested == NestedCVSearch(model, grid).fit(data, y).best_score_
    assert low_variance == LowVarianceCVSearch(model, grid).fit(data, y).best_score_
    assert shrunk == ShrunkSearchCV(model, grid).fit(data, y).best_score_
    assert max(nested, low_variance, shrunk) <= printed


def test_noise_is_worth_nothing_however_wide_the_search():
    model = make_pipeline(SelectKBest(), KNeighborsClassifier())
    grid = {"selectkbest__k": [1, 3, 8, 20, 40], "kneighborsclassifier__n_neighbors": [1, 5, 15]}
    rows = []
    for seed in range(16):
        rng = np.random.default_rng(seed)
        data, y = rng.normal(size=(60, 40)), rng.permutation(np.arange(60) % 2)
        rows.append(estimates(NestedCVSearch(model, grid).fit(data, y)) - 0.5)
    bias, error = mean_and_error(rows)
    nested, low_variance, shrunk, consensus, printed = bias
    assert printed > 5 * error[-1]  # what is asserted of the others does not hold of this
    assert np.all(np.abs([nested, low_variance, consensus]) < 3 * error[[0, 1, 3]])
    assert -3 * error[2] < shrunk < printed / 2


def test_the_honest_score_takes_away_what_choosing_adds_and_no_more():
    def draw(seed):
        return make_classification(
            3080, 30, n_informative=5, n_redundant=0, flip_y=0.15, random_state=seed
        )

    model = make_pipeline(StandardScaler(), SVC())
    grid = {"svc__C": np.logspace(-2, 3, 6), "svc__gamma": np.logspace(-4, 0, 5)}
    rows = found_and_true(model, grid, draw, 80, range(20))
    less, less_error = mean_and_error(rows[:, [4]] - rows[:, :4])
    bias, error = mean_and_error(rows[:, :6] - rows[:, [6]])
    assert np.all(less > 3 * less_error)
    assert np.all(np.abs(bias[:4]) < 3 * error[:4])
    assert np.all(np.abs(bias[:4]) < bias[4])  # nearer to the truth than the printed one
    assert bias[5] < -3 * error[5]  # to take all of the lead would be too much


def test_a_seed_as_parameter_keeps_the_part_of_its_lead_that_is_real():
    def draw(seed):
        return make_classification(2120, 15, n_informative=4, flip_y=0.2, random_state=seed)

    model, grid = ExtraTreeClassifier(max_depth=4), {"random_state": list(range(20))}
    rows = found_and_true(model, grid, draw, 120, range(20))
    less, less_error = mean_and_error(rows[:, [4]] - rows[:, :4])
    lead, lead_error = mean_and_error(rows[:, :5] - rows[:, [5]])
    bias, error = mean_and_error(rows[:, :6] - rows[:, [6]])
    assert np.all(less > 3 * less_error)
    assert np.all(lead > 3 * lead_error)
    assert bias[4] > 3 * error[4]
    assert bias[5] < -3 * error[5]
    assert abs(bias[2]) < min(3 * error[2], bias[4])
