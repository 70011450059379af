"""Honest scores against the truth, over many data sets."""

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

SEARCHES = [NestedCVSearch, LowVarianceCVSearch, ShrunkSearchCV]


def honest_and_printed(model, grid, n_rows, seeds, draw, **options):
    """Give a row a data set: honest scores, each search's and the consensus, printed, true."""
    rows = []
    for seed in seeds:
        data, y = draw(seed)
        train, fresh = slice(n_rows), slice(n_rows, None)
        searches = [S(model, grid, **options).fit(data[train], y[train]) for S in SEARCHES]
        true = searches[0].score(data[fresh], y[fresh])
        honest = [search.best_score_ for search in searches]
        rows.append([*honest, searches[0].report_.estimates["CONSENSUS"].value])
        rows[-1] += [searches[0].naive_best_score_, true]
    return np.array(rows)


@pytest.mark.slow
def test_noise_is_worth_nothing_however_wide_the_search():
    def draw(seed):
        rng = np.random.default_rng(seed)
        return rng.normal(size=(260, 40)), rng.permutation(np.arange(260) % 2)

    model = make_pipeline(SelectKBest(), KNeighborsClassifier())
    grid = {"selectkbest__k": [1, 3, 8, 20, 40], "kneighborsclassifier__n_neighbors": [1, 5, 15]}
    found = honest_and_printed(model, grid, 60, range(30), draw)
    nested, low_variance, shrunk, consensus, printed, _ = found.mean(axis=0) - 0.5
    error = found.std(axis=0).max() / np.sqrt(len(found))
    assert printed > 0.05
    assert max(abs(nested), abs(low_variance), abs(consensus)) < 3 * error
    assert -3 * error < shrunk < 0.7 * printed


@pytest.mark.slow
def test_the_honest_score_is_nearer_to_the_truth_than_the_printed_one():
    def draw(seed):
        return make_classification(
            3080, 30, n_informative=5, n_redundant=0, flip_y=0.15, random_state=seed
        )

    model = make_pipeline(StandardScaler(), SVC())
    grid = {"svc__C": np.logspace(-2, 3, 6), "svc__gamma": np.logspace(-4, 0, 5)}
    found = honest_and_printed(model, grid, 80, range(7, 27), draw)
    bias = (found[:, :-1] - found[:, -1:]).mean(axis=0)
    assert bias[-1] > 0.01
    assert np.all(np.abs(bias[1:-1]) < bias[-1])


@pytest.mark.slow
def test_a_seed_as_parameter_keeps_the_part_of_its_lead_that_is_real():
    def draw(seed):
        return make_classification(2120, 15, n_informative=4, flip_y=0.2, random_state=seed)

    model, grid = ExtraTreeClassifier(max_depth=4), {"random_state": list(range(20))}
    rows = []
    for seed in range(1, 21):
        data, y = draw(seed)
        search = ShrunkSearchCV(model, grid).fit(data[:120], y[:120])
        means = search.cv_results_["mean_test_score"]
        true = search.score(data[120:], y[120:])
        rows.append([search.naive_best_score_, search.best_score_, true, means.mean()])
    printed, honest, true, mean = np.mean(rows, axis=0)
    assert mean < honest < printed
    assert abs(honest - true) < printed - true
