"""The critical-difference picture."""

import matplotlib as mpl
import pytest

mpl.use("Agg")
import matplotlib.pyplot as plt

from skmaxev.comparison import friedman_nemenyi
from skmaxev.plotting.critical_difference import CriticalDifferenceDisplay


def test_bars_join_the_longest_runs_that_are_not_told_apart():
    display = CriticalDifferenceDisplay([3.143, 2.0, 2.893, 1.964], 1.0)
    assert display.groups_ == [(1.964, 2.893), (2.893, 3.143)]


def test_a_bar_inside_another_is_not_drawn():
    display = CriticalDifferenceDisplay([1.0, 1.5, 2.0, 4.0], 1.2)
    assert display.groups_ == [(1.0, 2.0)]
    assert CriticalDifferenceDisplay([1.0, 3.0], 0.5).groups_ == []


def test_every_model_is_named_with_its_rank():
    result = friedman_nemenyi([[0.9, 0.8, 0.7], [0.9, 0.8, 0.8], [0.9, 0.8, 0.7], [0.9, 0.8, 0.7]])
    display = CriticalDifferenceDisplay(
        result.average_ranks, result.critical_difference, names=["A", "B", "C"]
    ).plot()
    texts = {text.get_text() for text in display.ax_.texts}
    assert {"A (1.00)", "B (2.12)", "C (2.88)", "critical difference 1.66"} <= texts
    _, ax = plt.subplots()
    assert display.plot(ax).ax_ is ax
    plt.close("all")


def test_too_few_names_are_refused():
    with pytest.raises(ValueError, match="names must name 2 models"):
        CriticalDifferenceDisplay([1.0, 2.0], 0.5, names=["A"])
