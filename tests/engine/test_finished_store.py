"""A checkpoint of a finished search is read without data and estimator."""

import numpy as np
import pytest
from checkpoints import C, nested, plain_search, records, remove
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from skmaxev import correct
from skmaxev._checkpoint import SEARCH, CheckpointError
from skmaxev.readers import from_checkpoint


def test_correct_reads_a_finished_search(tmp_path):
    path = tmp_path / "kept.db"
    search = plain_search(path, scoring=["accuracy", "roc_auc"], refit="roc_auc")
    for given in (path, str(path)):
        report = correct(given)
        assert report.metric == "roc_auc"
        assert report.estimate == search.report_.estimates["CONSENSUS"].value
        assert correct(given, method="EB").interval == search.report_.interval
        assert report.best_params == search.best_params_
    other = search.reports_["accuracy"].estimates["CONSENSUS"].value
    assert correct(path, metric="accuracy").estimate == other
    with pytest.raises(ValueError, match=r"metric must be one of \['accuracy', 'roc_auc'\]"):
        from_checkpoint(path, metric="f2")


def test_correct_reads_the_outer_folds_of_nested_cross_validation(tmp_path):
    path = tmp_path / "kept.db"
    search = nested(path)
    assert correct(path, method="NESTED").estimate == search.best_score_
    np.testing.assert_array_equal(from_checkpoint(path).outer.scores, search.outer_scores_)


def test_settings_that_are_no_plain_values_come_back_as_text(tmp_path):
    path = tmp_path / "kept.db"
    estimator = make_pipeline("passthrough", SVC())
    plain_search(path, estimator=estimator, grid={"passthrough": [StandardScaler()], "svc__C": C})
    params = from_checkpoint(path).params[2]
    assert params == {"passthrough": "StandardScaler()", "svc__C": 1.0}


def test_several_searches_have_to_be_chosen_from(tmp_path):
    path = tmp_path / "kept.db"
    first = plain_search(path)
    plain_search(path)  # the same search: no second entry
    assert correct(path).naive == first.naive_best_score_
    other = plain_search(path, cv=5)
    with pytest.raises(ValueError, match="holds 2 finished searches"):
        correct(path)
    assert correct(from_checkpoint(path, search=0)).naive == first.naive_best_score_
    assert correct(from_checkpoint(path, search=1)).naive == other.naive_best_score_


def test_an_unfinished_search_is_no_result(tmp_path):
    path = tmp_path / "kept.db"
    plain_search(path)
    remove(path, records(path, SEARCH))
    with pytest.raises(CheckpointError, match="holds no finished search"):
        correct(path)
    with pytest.raises(CheckpointError, match="there is no checkpoint"):
        from_checkpoint(tmp_path / "none.db")
