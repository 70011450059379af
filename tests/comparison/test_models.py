"""Tuned models side by side."""

import numpy as np
import pytest

from skmaxev import correct
from skmaxev.comparison import compare, corrected_resampled_t

RNG = np.random.default_rng(0)
COMMON = RNG.normal(0, 0.03, (5, 1))
TABLES = {
    "svm": 0.80 + COMMON + RNG.normal(0, 0.01, (5, 6)),
    "forest": 0.79 + COMMON + RNG.normal(0, 0.01, (5, 4)),
    "dummy": 0.50 + COMMON + RNG.normal(0, 0.01, (5, 1)),
}
REPORTS = {name: correct(table, metric="accuracy") for name, table in TABLES.items()}


def test_every_model_has_its_honest_score_best_first():
    found = compare(REPORTS)
    assert [model["model"] for model in found.models] == ["svm", "forest", "dummy"]
    for model in found.models:
        report = REPORTS[model["model"]]
        assert (model["score"], model["printed"]) == (report.estimate, report.naive)
        assert (model["low"], model["high"]) == report.interval
    assert [model["may_be_best"] for model in found.models] == [True, True, False]
    assert str(found).startswith("svm has the best honest score")
    assert "forest may be as good" in str(found)


def test_the_probability_is_that_of_the_paired_difference_of_honest_scores():
    second = compare({name: REPORTS[name] for name in ("svm", "forest")}).models[1]
    columns = [
        table[:, REPORTS[name].best_index]
        - table[:, REPORTS[name].best_index].mean()
        + REPORTS[name].estimate
        for name, table in TABLES.items()
        if name != "dummy"
    ]
    pair = corrected_resampled_t(*columns, n_train=80, n_test=20, alternative="greater")
    assert second["p_better"] == pytest.approx(pair.pvalue)


def test_losses_come_lowest_first():
    losses = {
        name: correct(1 - table, greater_is_better=False, metric="error")
        for name, table in TABLES.items()
    }
    found = compare(losses, greater_is_better=False)
    assert [model["model"] for model in found.models] == ["svm", "forest", "dummy"]


def test_tables_render_everywhere():
    found = compare(REPORTS)
    assert found.to_frame()["model"].tolist() == ["svm", "forest", "dummy"]
    assert "| svm |" in found.to_markdown()
    assert ">svm</td>" in found._repr_html_()
    assert r"\toprule" in found.to_latex()


def test_one_search_is_refused():
    with pytest.raises(ValueError, match="two or more by name"):
        compare({"svm": REPORTS["svm"]})
