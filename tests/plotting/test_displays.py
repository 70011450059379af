"""Displays carry the report's numbers, and the artists show them."""

import builtins
from types import SimpleNamespace

import matplotlib as mpl
import numpy as np
import pytest

mpl.use("agg")

from matplotlib import pyplot as plt
from matplotlib.colors import to_hex

from skmaxev.correction import correct
from skmaxev.plotting import (
    EstimatorsDisplay,
    OptimismCurveDisplay,
    OuterFoldsDisplay,
    RunnersUpDisplay,
    SelectionBiasDisplay,
)
from skmaxev.plotting._display import GREEN
from skmaxev.plotting.page import _as_svg
from skmaxev.readers.build import build_table
from skmaxev.table import OuterFolds

DISPLAYS = [SelectionBiasDisplay, EstimatorsDisplay, OptimismCurveDisplay, RunnersUpDisplay]


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    plt.close("all")


def scores(n_splits=5, n_candidates=12):
    rng = np.random.default_rng(3)
    splits = rng.normal(0, 0.04, size=(n_splits, 1))
    return rng.normal(0.8, 0.02, size=(n_splits, n_candidates)) + splits


@pytest.fixture(params=[True, False], ids=["scores", "losses"])
def report(request):
    table = scores()
    table[1, 4] = np.nan  # one candidate takes no part
    return correct(
        table if request.param else 1 - table,
        greater_is_better=request.param,
        metric="accuracy" if request.param else "error_rate",
    )


@pytest.fixture
def nested_report():
    outer = OuterFolds(
        scores=np.array([0.7, 0.9, 0.8]),
        best_index=np.array([2, 0, 2]),
        n_train=np.array([80, 80, 80]),
        n_test=np.array([40, 40, 40]),
        inner=np.full((3, 2, 4), 0.85) + np.arange(4) / 100,
    )
    table = build_table(
        np.array([[0.8, 0.7, 0.9, 0.6]] * 3) + np.arange(3)[:, np.newaxis] / 100,
        metric="accuracy",
        params=[{"svc__C": 10.0**k, "svc__kernel": "rbf"} for k in range(4)],
        outer=outer,
        source="NestedCVSearch",
    )
    return correct(table, method="NESTED")


def horizontal_lines(ax):
    return {
        line.get_label(): line.get_ydata()[0]
        for line in ax.lines
        if len(set(line.get_ydata())) == 1
    }


def test_selection_bias_shows_every_candidate_that_took_part(report):
    display = SelectionBiasDisplay.from_report(report).plot()
    sign = 1 if report.greater_is_better else -1
    expected = sign * np.delete(report.table.scores, 4, axis=1).mean(axis=0)
    drawn = np.concatenate([bars.lines[0].get_ydata() for bars in display.ax_.containers])
    assert np.sort(drawn) == pytest.approx(np.sort(expected))
    best_first = display.scores[display.order_]
    assert (np.diff(best_first) * sign <= 0).all()


def test_selection_bias_lines_are_the_printed_and_the_honest_score(report):
    display = SelectionBiasDisplay.from_report(report).plot()
    lines = horizontal_lines(display.ax_)
    assert lines["printed score"] == report.naive
    assert lines["honest score"] == report.estimate
    band = next(patch for patch in display.ax_.patches if patch.get_label() == "95% interval")
    assert (band.get_y(), band.get_y() + band.get_height()) == pytest.approx(report.interval)


def test_selection_bias_error_bars_are_the_noise_of_the_report(report):
    display = SelectionBiasDisplay.from_report(report).plot()
    bars = display.ax_.containers[0].lines[2][0].get_segments()
    assert [np.ptp(segment[:, 1]) for segment in bars] == (
        pytest.approx([2 * report.noise] * len(bars))
    )


def test_selection_bias_marks_winner_and_those_close_to_it(report):
    display = SelectionBiasDisplay.from_report(report).plot()
    drawn = {bars.get_label(): bars.lines[0] for bars in display.ax_.containers}
    assert drawn["winner"].get_ydata() == pytest.approx([report.naive])
    assert drawn["winner"].get_xdata().tolist() == [1]
    assert len(drawn["close to winner"].get_ydata()) == len(report.indistinguishable)
    kept = np.delete(np.arange(12), 4)
    assert kept[list(display.indistinguishable)].tolist() == list(report.indistinguishable)
    assert kept[display.best_index] == report.best_index


def test_hopeless_candidates_are_marked_at_the_edge_and_do_not_squash_the_rest():
    table = scores()
    table[:, 5] -= 50
    display = SelectionBiasDisplay.from_report(correct(table)).plot()
    assert display.ax_.get_ylim()[0] > 0
    (edge,) = [line for line in display.ax_.lines if "off the axis" in str(line.get_label())]
    assert edge.get_label() == "1 off the axis"
    assert edge.get_xdata().tolist() == [12]


def test_of_two_thousand_the_best_are_drawn_and_the_rest_is_their_middle_nine_tenths():
    table = scores(n_candidates=2000)
    display = SelectionBiasDisplay.from_report(correct(table)).plot()
    means = np.sort(table.mean(axis=0))[::-1]
    drawn = np.concatenate([bars.lines[0].get_ydata() for bars in display.ax_.containers])
    assert np.sort(drawn)[::-1] == pytest.approx(means[:60])
    (crowd,) = [line for line in display.ax_.lines if "1,940 more" in str(line.get_label())]
    assert crowd.get_ydata() == pytest.approx(np.quantile(means[60:], [0.05, 0.95]))
    assert display.ax_.get_ylim()[1] >= means[0] + display.noise  # no bar runs off the top


def test_one_candidate_is_drawn_without_noise():
    report = correct(scores(n_candidates=1))
    display = SelectionBiasDisplay.from_report(report).plot()
    assert horizontal_lines(display.ax_)["honest score"] == report.naive


def test_estimators_display_shows_every_estimate_in_its_row(report):
    display = EstimatorsDisplay.from_report(report).plot()
    names = [label.get_text() for label in display.ax_.get_yticklabels()]
    drawn = {}
    for line in display.ax_.lines:
        if line.get_linestyle() == "None":
            drawn |= {
                names[int(row)].split(":")[0]: x for x, row in zip(*line.get_data(), strict=True)
            }
    assert drawn == {key: found.value for key, found in report.estimates.items()}


def test_estimators_display_tells_targets_apart_and_draws_the_interval(report):
    display = EstimatorsDisplay.from_report(report).plot()
    labels = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert {found.target for found in report.estimates.values()} <= set(labels)
    interval = next(line for line in display.ax_.lines if "interval" in str(line.get_label()))
    assert tuple(interval.get_xdata()) == report.interval
    bold = [
        label.get_text().split(":")[0]
        for label in display.ax_.get_yticklabels()
        if label.get_fontweight() == "bold"
    ]
    assert bold == [report.method]


def test_optimism_curve_ends_at_the_report_and_never_gains_from_an_unread_candidate(report):
    display = OptimismCurveDisplay.from_report(report)
    sign = 1 if report.greater_is_better else -1
    assert display.n_tried.tolist() == list(range(1, 12))
    assert display.naive[-1] == pytest.approx(report.naive, rel=1e-14)
    assert display.estimate[-1] == pytest.approx(report.estimate, rel=1e-12)
    assert display.estimate[0] == pytest.approx(display.naive[0], abs=1e-15)
    assert (sign * np.diff(display.naive) >= 0).all()


def test_optimism_curve_is_the_report_of_the_first_candidates():
    table = scores()
    display = OptimismCurveDisplay.from_report(correct(table))
    for tried, naive, estimate in zip(
        display.n_tried[1:], display.naive[1:], display.estimate[1:], strict=True
    ):
        part = correct(table[:, :tried])
        assert (naive, estimate) == pytest.approx((part.naive, part.estimate))


def test_optimism_curve_of_a_long_search_draws_at_most_80_points():
    display = OptimismCurveDisplay.from_report(correct(scores(n_candidates=500)))
    assert len(display.n_tried) <= 80
    assert display.n_tried[-1] == 500


def test_stopped_paying_is_where_the_honest_score_is_best():
    display = OptimismCurveDisplay([1, 2, 3, 4], naive=[1, 2, 2, 3], estimate=[1.0, 1.8, 1.7, 1.8])
    assert display.stopped_paying_ == 2
    loss = OptimismCurveDisplay(
        [1, 2, 3], naive=[3, 2, 1], estimate=[3.0, 2.5, 2.6], greater_is_better=False
    )
    assert loss.stopped_paying_ == 2
    assert "best honest: 2 tried" in loss.plot().ax_.get_legend_handles_labels()[1]


def test_outer_folds_show_promise_score_and_winner(nested_report):
    display = OuterFoldsDisplay.from_report(nested_report).plot()
    drawn = {str(line.get_label()): line for line in display.ax_.lines}
    assert drawn["outer score: the search's winner"].get_xdata().tolist() == [0.7, 0.8]
    assert drawn["outer score: another winner"].get_xdata().tolist() == [0.9]
    assert drawn["inner score of its choice"].get_xdata() == pytest.approx([0.87, 0.85, 0.87])
    assert drawn["mean outer score (nested)"].get_xdata()[0] == pytest.approx(
        nested_report.estimate
    )
    assert display.agreement_ == pytest.approx(2 / 3)
    labels = [label.get_text() for label in display.ax_.get_yticklabels()]
    assert labels[0] == "fold 0: #2\nC=100"  # the kernel, the same for all, is left out


def test_outer_folds_need_a_nested_search(report):
    with pytest.raises(ValueError, match="with outer folds, such as NestedCVSearch"):
        OuterFoldsDisplay.from_report(report)


@pytest.mark.parametrize("display", DISPLAYS)
def test_a_given_axes_is_drawn_on_and_kept(display, report):
    _, ax = plt.subplots()
    drawn = display.from_report(report).plot(ax=ax)
    assert drawn.ax_ is ax
    assert drawn.figure_ is ax.figure


@pytest.mark.parametrize("display", DISPLAYS)
def test_from_search_reads_the_report_of_the_search(display, report):
    search = SimpleNamespace(report_=report, reports_={"other": report})

    assert vars(display.from_search(search)).keys() == vars(display.from_report(report)).keys()
    with pytest.raises(ValueError, match="metric must be one of"):
        display.from_search(search, metric="no such")
    with pytest.raises(TypeError, match=r"from_report\(correct\(search\)\)"):
        display.from_search(object())


@pytest.mark.parametrize("display", DISPLAYS)
def test_a_missing_matplotlib_is_named_with_its_cure(display, report, monkeypatch):
    real = builtins.__import__

    def without_matplotlib(name, *args, **kwargs):
        if name.startswith("matplotlib"):
            raise ImportError(name)
        return real(name, *args, **kwargs)

    made = display.from_report(report)
    monkeypatch.setattr(builtins, "__import__", without_matplotlib)
    with pytest.raises(ImportError, match=r'pip install "skmaxev\[plot\]"'):
        made.plot()


@pytest.mark.parametrize("display", DISPLAYS)
def test_no_text_is_cut_off_at_column_width(display, report):
    figure = display.from_report(report).plot().figure_
    figure.canvas.draw()
    width, height = figure.canvas.get_width_height()
    tight = figure.get_tightbbox()
    assert tight.x0 >= -0.01
    assert tight.y0 >= -0.01
    assert tight.x1 <= width / figure.dpi + 0.01
    assert tight.y1 <= height / figure.dpi + 0.01


def test_an_svg_takes_the_colour_of_the_page_and_links_to_nothing(report):
    element = _as_svg(SelectionBiasDisplay.from_report(report))
    assert element.startswith("<svg")
    assert element.endswith("</svg>")
    assert "currentColor" in element
    assert to_hex(GREEN) in element.lower()
    assert "http" not in element
    assert _as_svg(SelectionBiasDisplay.from_report(report)) == element


def test_a_report_without_its_table_is_refused_with_the_cure(report):
    from dataclasses import replace

    with pytest.raises(ValueError, match="must carry its score table"):
        SelectionBiasDisplay.from_report(replace(report, table=None))


def test_the_method_of_the_honest_score_must_be_among_the_estimators(report):
    with pytest.raises(ValueError, match="method must be one of"):
        EstimatorsDisplay(report.estimates, method="none", naive=0.5)


def test_losses_with_a_minus_are_drawn_as_losses():
    turned = correct(scores() - 2, metric="neg_mean_absolute_error")
    for display in DISPLAYS:
        drawn = display.from_report(turned)
        assert drawn._score_label == "mean absolute error (lower is better)"
        assert not hasattr(drawn, "naive") or np.max(drawn.naive) > 0
    bias = SelectionBiasDisplay.from_report(turned)
    assert bias.interval == (-turned.interval[1], -turned.interval[0])
    assert bias.scores[bias.order_[0]] == bias.naive == -turned.naive


def test_outer_folds_with_candidates_of_their_own_are_named_by_settings():
    outer = OuterFolds(
        scores=np.array([0.7, 0.9]),
        best_index=np.array([-1, -1]),
        n_train=np.array([80, 80]),
        n_test=np.array([40, 40]),
        params=({"C": 1.0}, {"C": 3.5}),
    )
    scores = np.array([[0.8, 0.9], [0.8, 0.95]])
    params = [{"C": 2.0}, {"C": 1.0}]
    table = build_table(scores, metric="accuracy", params=params, outer=outer, source="x")
    display = OuterFoldsDisplay.from_report(correct(table, method="NESTED"))
    assert display.agreement_ == 0.5
    assert display._labels() == ["fold 0: #1\nC=1", "fold 1\nC=3.5"]


def test_runners_up_of_several_families_are_named_by_the_settings_that_each_has():
    found = {f"split{k}_test_score": row[:3] for k, row in enumerate(scores())}
    params = [{"svc__C": 1.0}, {"svc__C": 20.0}, {"tree__max_depth": 3}]
    display = RunnersUpDisplay.from_report(correct(found | {"params": params}))
    assert set(display.names) < {"#0: C=1", "#1: C=20", "#2: max_depth=3"}


def test_runners_up_show_the_winners_lead_as_the_report_does(report):
    display = RunnersUpDisplay.from_report(report).plot()
    others = report.runners_up().candidates
    drawn = {
        float(row): x
        for line in display.ax_.lines
        if line.get_linestyle() == "None"
        for x, row in zip(*line.get_data(), strict=True)
    }
    assert drawn == {float(k): other.difference for k, other in enumerate(others)}
    ends = [tuple(s[:, 0]) for bars in display.ax_.collections for s in bars.get_segments()]
    expected = sorted((other.low, other.high) for other in others)
    assert np.array(sorted(ends)) == pytest.approx(np.array(expected))
    names = [label.get_text() for label in display.ax_.get_yticklabels()]
    assert names == [f"#{other.candidate}" for other in others]
