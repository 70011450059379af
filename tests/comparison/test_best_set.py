"""The comparison functions are doors to the report of `correct`."""

import numpy as np
import pytest

from skmaxev import correct
from skmaxev.comparison import confidence_set_of_the_best, winner_against_runners_up

SCORES = np.random.default_rng(0).normal([0.8, 0.79, 0.5], 0.02, size=(5, 3))


def test_report_and_functions_give_one_answer():
    report = correct(SCORES, metric="accuracy")
    found = winner_against_runners_up(SCORES, metric="accuracy")
    assert found == report.runners_up()
    near = confidence_set_of_the_best(SCORES, metric="accuracy")
    assert near.indices == found.indices == report.indistinguishable
    assert [one.candidate for one in near.candidates] == list(near.indices)
    assert "1 of the 2 others may be as good (95% confidence)" in str(near)


def test_losses_lead_as_scores_do():
    found = winner_against_runners_up(SCORES)
    losses = winner_against_runners_up(-SCORES, greater_is_better=False)
    assert [one.difference for one in losses.candidates] == [
        one.difference for one in found.candidates
    ]
    assert losses.candidates[0].score == -found.candidates[0].score


def test_identical_scores_are_the_same():
    report = correct(np.c_[SCORES[:, 0], SCORES[:, 0], SCORES[:, 2]])
    first, second = report.runners_up().candidates
    assert (first.is_same, first.difference, first.p_better) == (True, 0.0, None)
    assert not second.is_same
    assert "the same scores" in str(report)


def test_one_candidate_has_no_runner_up():
    found = winner_against_runners_up(SCORES[:, :1])
    assert found.candidates == ()
    assert found.indices == ()


def test_a_frame_has_one_row_a_runner_up():
    frame = winner_against_runners_up(SCORES).to_frame()
    assert frame["candidate"].tolist() == [1, 2]
    assert frame["may_be_best"].tolist() == [True, False]


def test_a_winner_by_another_rule_may_be_behind_another():
    table = correct(SCORES).table
    chosen = correct(type(table)(scores=table.scores, best_index=1))
    first = chosen.runners_up().candidates[0]
    assert first.candidate == 0
    assert first.difference < 0
    assert first.p_better > 0.5


def test_an_unknown_level_is_refused():
    with pytest.raises(ValueError, match="level"):
        confidence_set_of_the_best(SCORES, level=2)
