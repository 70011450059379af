"""The report as text, HTML, JSON, Markdown, LaTeX and a frame, read as a stranger would."""

import copy
import dataclasses
import json
import re
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from skmaxev.correction import correct
from skmaxev.kaggle import correct_leaderboard
from skmaxev.plotting.page import to_page
from skmaxev.readers.arrays import from_array
from skmaxev.report import METHODS
from skmaxev.report.numbers import Format
from skmaxev.table import Design

NOISE = np.random.default_rng(0).normal(0.8, 0.03, size=(5, 40))


def clear_winner():
    return np.random.default_rng(0).normal([0.9, 0.8, 0.8, 0.8], 0.001, size=(5, 4))


def with_params(scores=NOISE, **more):
    params = [{"model__C": 10.0**i, "kernel": "rbf"} for i in range(scores.shape[1])]
    return {f"split{k}_test_score": row for k, row in enumerate(scores)} | {"params": params} | more


REPORTS = {
    "noise": correct(NOISE),
    "clear winner": correct(clear_winner()),
    "one candidate": correct(NOISE[:, :1]),
    "no effect": correct(np.repeat(NOISE[:, :1], 3, axis=1)),
    "one of each": correct([[0.7]]),
    "losses": correct(1000 * NOISE, greater_is_better=False, metric="squared error"),
    "settings": correct(with_params()),
    "left out": correct(np.where(np.arange(40) % 3, NOISE, np.nan)),
    "hostile": correct(with_params(params=[{"<b>": "</style><script>alert(1)</script>|"}] * 40)),
    "tiny": correct(1e-9 * NOISE),
    "huge": correct(1e9 * NOISE),
}
all_reports = pytest.mark.parametrize("report", REPORTS.values(), ids=REPORTS)


@all_reports
def test_the_text_is_one_screen(report):
    lines = str(report).splitlines()
    assert len(lines) <= 32
    assert max(map(len, lines)) <= 96
    assert all(line == line.rstrip() for line in lines)


@all_reports
def test_nothing_is_called_certain(report):
    shown = " ".join([str(report), *report.advice, report.to_markdown(), report._repr_html_()])
    for word in ("significant", "proves", "guarantee", "certainly", "definitely", "true score is"):
        assert word not in shown.lower()
    assert "nan" not in re.findall(r"[a-z]+", str(report).lower())


@all_reports
def test_two_or_three_sentences_say_it(report):
    assert 2 <= len(report.advice) <= 3
    assert all(sentence.endswith(".") for sentence in report.advice)
    assert report.advice[0].startswith("On new rows, expect about ")


def test_the_text_says_the_numbers_and_what_they_are():
    report = REPORTS["noise"]
    text = str(report)
    assert text.startswith("Best of 40 candidates on 5 splits: score\n")
    write = Format(report)
    assert re.search(rf"Honest score +{re.escape(write.score(report.estimate))} ", text)
    assert re.search(rf"Printed score +{re.escape(write.score(report.naive))} ", text)
    assert f"95% interval {write.interval(report.interval)}" in text
    details = report.details()
    for key, found in report.estimates.items():
        assert f"{key} " not in text
        line = next(line for line in details.splitlines() if line[2:].startswith(f"{key} "))
        assert write.score(found.value) in line
        assert found.target in line
        assert line.endswith(found.errs)
    assert "too good: the splits that judged" in text
    assert "All 39 others may be as good" in " ".join(text.split())
    assert "* CONSENSUS" in details
    assert report.estimates["BAYES"].value > report.naive
    assert "BAYES          stands above the printed score" in details


def test_estimators_stand_in_columns():
    table = REPORTS["noise"].details().split("Method")[1].splitlines()[1:9]
    assert len({line.index("true score") for line in table if "winner" in line}) == 1
    assert len({line.index(".") for line in table}) == 1


def test_a_winner_far_ahead_is_called_one():
    report = REPORTS["clear winner"]
    assert report.indistinguishable == ()
    assert "All other candidates are told apart" in report.advice[2]
    assert "next to nothing" in report.advice[1]


def test_losses_are_said_to_be_losses():
    assert "squared error (lower is better)" in str(REPORTS["losses"])
    assert re.search(r"ME .* downwards", REPORTS["losses"].details())


def test_losses_that_scikit_learn_turned_round_read_as_those_that_were_never_turned():
    loss = correct(1000 * NOISE, greater_is_better=False, metric="mean_squared_error")
    turned = correct(-1000 * NOISE, metric="neg_mean_squared_error")
    for show in (str, lambda report: report.details(), lambda report: report.to_latex()):
        assert show(turned) == show(loss)
    assert turned.naive == -loss.naive


def test_those_close_to_the_winner_are_named_by_settings_best_first():
    report = REPORTS["settings"]
    means = NOISE.mean(axis=0)
    best = sorted(report.indistinguishable, key=lambda index: -means[index])[:3]
    lines = [line for line in str(report).splitlines() if line.startswith("  Close to it")]
    assert len(lines) == 4
    for line, index in zip(lines, best, strict=False):
        assert re.search(r"\d% likely better\)$", line)
        assert f"candidate {index}: model__C=" in line
        assert f" ({Format(report).score(means[index])}, " in line


@pytest.mark.parametrize(("winner", "word"), [(0, "smallest"), (2, None), (4, "largest")])
def test_a_winner_at_the_edge_of_a_grid_is_said(winner, word):
    scores = NOISE[:, :5] + 0.5 * (np.arange(5) == winner)
    text = str(correct(with_params(scores)))
    assert ("Edge of grid" in text) == (word is not None)
    assert word is None or f"model__C={10**winner} is the {word} value tried" in text


def test_draws_have_no_edge():
    params = [{"a": float(k), "b": float(k % 3)} for k in range(5)]
    scores = NOISE[:, :5] + 0.5 * (np.arange(5) == 4)
    assert "Edge of grid" not in str(correct(with_params(scores, params=params)))


def test_one_candidate_that_is_left_of_many_is_not_called_the_only_one():
    scores = np.where(np.arange(40) == 3, NOISE, np.nan)
    text = " ".join(str(correct(scores)).split())
    assert text.startswith("1 candidate of 40 on 5 splits")
    assert "One candidate of 40 is left" in text
    assert "There was one candidate" not in text


def test_a_choice_by_another_rule_is_not_called_the_best():
    table = dataclasses.replace(from_array(NOISE), best_index=int(NOISE.mean(0).argmin()))
    assert str(correct(table)).startswith("One of 40 candidates on 5 splits")


def test_where_nothing_was_chosen_there_is_no_table():
    for name in ("one candidate", "no effect", "one of each"):
        report = REPORTS[name]
        for shown in (str(report), report.to_markdown(), report._repr_html_()):
            assert "nothing was chosen" in shown
            assert "What it estimates" not in shown


def test_the_level_is_written_as_it_is():
    assert "99.5% interval" in str(correct(NOISE, level=0.995))
    assert "90% interval" in correct(NOISE, level=0.9).advice[0]


def test_settings_are_shown_short_and_in_full_below():
    report = REPORTS["settings"]
    assert f"candidate {report.best_index}: model__C=" in str(report)
    assert report.to_dict()["best_params"] == dict(report.best_params)


def test_reasons_for_leaving_out_are_grouped():
    text = " ".join(str(REPORTS["left out"]).split())
    assert "0, 3, 6, 9, 12, 15, 18, 21 and 6 more: no score on every split" in text


def test_many_reasons_do_not_fill_the_screen():
    scores = np.vstack([NOISE, NOISE])
    for index in range(9):
        scores[index, index] = np.nan
    assert "5 more reasons in left_out" in str(correct(scores))


@given(st.floats(1e-6, 1e6), st.floats(-1e6, 1e6))
def test_decimals_follow_the_interval(scale, shift):
    report = correct(scale * NOISE + shift)
    write = Format(report)
    low, high = report.interval or (0.0, 0.0)  # none where only rounding is left of the noise
    width = high - low or 10.0**8
    assert write.decimals >= 0
    assert write.decimals <= 8 or write.tiny == (abs(report.naive) < 1e-6)
    assert 10.0**-write.decimals <= max(width, 10**-8) or write.decimals == 0


@given(st.integers(0, 300))
def test_two_scores_look_different_beside_an_optimism(seed):
    report = correct(np.random.default_rng(seed).normal([0.81, 0.8, 0.8], 0.02, size=(5, 3)))
    write = Format(report)
    if not write.is_zero(report.optimism):
        assert write.score(report.naive) != write.score(report.estimate)


@all_reports
def test_json_is_strict_and_holds_every_number(report):
    def refuse(constant):
        raise AssertionError(constant)

    read = json.loads(report.to_json(), parse_constant=refuse)
    assert read["estimate"] == report.estimate
    assert read["interval"] == (list(report.interval) if report.interval else None)
    assert {key: found["value"] for key, found in read["estimates"].items()} == {
        key: found.value for key, found in report.estimates.items()
    }
    assert read["advice"] == list(report.advice)


def test_json_writes_what_it_cannot_hold_as_text():
    odd = {"array": np.arange(3), "nan": np.nan, "number": np.float64(0.5), "type": int}
    odd[3] = (1, None)
    read = json.loads(correct(with_params(params=[odd] * 40)).to_json())["best_params"]
    assert read == {
        "array": "array([0, 1, 2])",
        "nan": None,
        "number": 0.5,
        "type": "<class 'int'>",
        "3": [1, None],
    }


def test_a_dict_can_be_changed_without_changing_the_report():
    report = REPORTS["settings"]
    found = report.to_dict()
    found["estimates"]["ME"]["value"] = 0
    found["notes"].append("x")
    assert report.estimates["ME"].value == report.naive
    assert report.notes == ()


def test_a_report_cannot_be_changed():
    with pytest.raises(AttributeError):
        REPORTS["noise"].estimate = 1.0


def test_a_frame_has_one_row_an_estimator():
    report = REPORTS["noise"]
    frame = report.to_frame()
    assert list(frame.index) == list(report.estimates)
    assert frame.loc["CONSENSUS", "score"] == report.estimate
    assert list(frame.index[frame["reported"]]) == ["CONSENSUS"]
    assert frame.loc["NESTED" if "NESTED" in frame.index else "ME", "target"]


@pytest.mark.parametrize(
    ("module", "call", "extra"),
    [("pandas", "to_frame", "frame"), ("matplotlib", "plot", "plot")],
)
def test_a_missing_extra_is_named(monkeypatch, module, call, extra):
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(ImportError, match=rf'pip install "skmaxev\[{extra}\]"'):
        getattr(REPORTS["noise"], call)()


def test_markdown_is_a_table():
    lines = [line for line in REPORTS["noise"].to_markdown().splitlines() if line.startswith("|")]
    assert len(lines) == 2 + len(REPORTS["noise"].estimates)
    assert {line.count("|") for line in lines} == {5}
    assert any(line.startswith("| **CONSENSUS** |") for line in lines)


@all_reports
def test_markdown_tells_every_fact(report):
    shown = report.to_markdown()
    assert f"- Winner: candidate {report.best_index}" in shown
    assert shown.count("- Note: ") == len(report.notes)
    assert ("- Left out: " in shown) == bool(report.left_out)
    assert shown.count("\n\n\n") == 0


def test_latex_is_a_row():
    row = correct(NOISE, metric="f1_macro").to_latex()
    assert row.startswith(r"f1\_macro & 0.")
    assert row.endswith(r"posterior mean \citep{skmaxev} \\")
    assert row.count("&") == 3
    assert r"\citep{tibshirani2009}" in correct(NOISE, method="TT").to_latex()


def test_the_methods_paragraph_says_splits_target_interval_and_version():
    from skmaxev import __version__

    table = dataclasses.replace(
        from_array(NOISE, metric="f1_macro"),
        design=Design(n_splits=5, test_share=0.2, n_rows=300, source="indices"),
    )
    report = correct(table)
    write = Format(report)
    assert report.methods_text() == (
        "We compared 40 candidates by their f1 macro in 5-fold cross-validation on 300 rows. The "
        f"one that was chosen scored {write.score(report.naive)} there, which is too good on "
        f"average, as the same scores chose it. We report {write.score(report.estimate)} (95% "
        f"interval {write.interval(report.interval)}), an estimate of the winner's true score by "
        "consensus of low-variance cross-validation and a posterior mean "
        f"[@skmaxev], computed with skmaxev {__version__}."
    )
    shuffled = Design(n_splits=5, n_repeats=5, test_share=0.2, source="told")
    text = correct(dataclasses.replace(table, design=shuffled), method="LVCV").methods_text()
    assert "on 5 random splits." in text
    assert "interval for the winner's true score" in text
    assert "the best candidate's true score by low-variance" in text


def test_a_report_speaks_of_what_judged_the_candidates():
    right = (np.random.default_rng(1).random((40, 6)) < 0.8) * 1.0
    items = correct(responses=right.T)
    assert str(items).startswith("Best of 6 candidates on 40 items: score\n")
    assert "the items that judged the winner also picked it" in items.advice[1]
    assert "on 40 items on which nothing was trained." in items.methods_text()
    clusters = correct(responses=right.T, clusters=np.arange(40) // 2)
    assert "on 20 clusters of items" in str(clusters)
    single = correct(right)
    assert str(single).startswith("Best of 6 candidates on 40 splits of one row: score\n")
    assert "by their score on 40 splits of one row. " in single.methods_text()
    told = correct(dataclasses.replace(from_array(right), design=Design.assumed(40)))
    assert "in leave-one-out cross-validation on 40 rows." in told.methods_text()
    for report in (items, clusters, single):
        assert "10 splits" not in str(report) + report.methods_text()
    board = correct_leaderboard([0.70, 0.80, 0.90], n_test_rows=300)
    assert str(board).startswith("Best of 3 submissions on the public leaderboard: accuracy\n")
    for shown in (str(board), board.methods_text()):
        assert not re.search("split|candidate", shown)


def test_a_pooled_score_is_what_looks_too_good():
    report = dataclasses.replace(REPORTS["noise"], naive=0.5, naive_pooled=REPORTS["noise"].naive)
    write = Format(report)
    assert report.advice[1].startswith(f"The pooled {write.score(report.naive_pooled)} looks about")
    assert (
        f"scored {write.score(report.naive_pooled)} there on all rows together "
        f"({write.score(0.5)} on average over the splits), which is too good"
    ) in report.methods_text()


def test_where_nothing_was_chosen_a_paper_says_so():
    one = REPORTS["one candidate"].methods_text()
    assert one.startswith("We judged one candidate by its score on 5 splits of the data. It scored")
    assert "; nothing was chosen, so nothing was corrected. We used skmaxev" in one
    assert "All of them scored" in REPORTS["no effect"].methods_text()
    left = correct(np.where(np.arange(40) == 3, NOISE, np.nan)).methods_text()
    assert "39 others left no scores there, so that its score is not corrected" in left


def test_a_paper_names_the_searches_that_are_one():
    joined = correct({"svm": with_params(NOISE[:, :3]), "tree": with_params(NOISE[:, 3:6])})
    assert "We compared 6 candidates of 2 searches (svm, tree) by their" in joined.methods_text()


def test_judged_again_names_the_partitions_and_no_odds_of_its_own_splits():
    report = dataclasses.replace(REPORTS["settings"], n_fresh=3)
    assert str(report).startswith("Best of 40 candidates on 5 splits and 3 fresh partitions: ")
    assert "likely better" not in str(report)
    assert report.advice[2].startswith("On the search's own splits, all 39 others may be as good")


@all_reports
@pytest.mark.parametrize("latex", [True, False])
def test_every_source_that_a_paper_cites_has_an_entry(report, latex):
    text, row = report.methods_text(latex=latex), report.to_latex()
    cited = re.findall(r"\\citep\{(\w+)\}|\[@(\w+)\]", text + row)
    entries = report.bibtex()
    assert cited
    assert all(f"{{{one or other}," in entries for one, other in cited)
    assert entries.count("{") == entries.count("}")
    assert not latex or not re.search(r"(?<!\\)[%&_#]", text)
    assert ("too good" in text) == ("nothing was chosen" not in str(report))


def test_every_method_has_its_source_in_bibtex():
    for key in METHODS:
        report = dataclasses.replace(REPORTS["noise"], method=key)
        assert f"{{{METHODS[key].source}," in report.bibtex()


def test_results_of_comparisons_plans_and_claims_show_as_tables():
    from skmaxev.cherrypicking import claim_test
    from skmaxev.comparison import friedman_nemenyi

    ranks = friedman_nemenyi(NOISE[:, :3])
    page = ranks._repr_html_()
    assert page.count("<tr") == 4
    assert "<h4>Rank comparison</h4>" in page
    assert f"<p>{ranks.sentence}</p>" in page
    assert f'<td class="skmaxev-number">{ranks.average_ranks.min():.4g}</td>' in page
    assert "<script" not in page
    assert "<h4>Claim result</h4>" in claim_test(NOISE[0])._repr_html_()


@all_reports
def test_html_needs_no_network_and_runs_no_script(report):
    page = report._repr_html_()
    assert "<script" not in page
    assert "http" not in page
    assert page.count("<style>") == page.count("</style>") == 1
    assert page.count("<div") == page.count("</div>")
    assert "<h4>Best of" in page or "<h4>1 candidate" in page


def test_every_method_says_what_it_estimates_and_how_it_errs():
    for method in METHODS.values():
        assert method.errs.split()[0] in {"upwards", "downwards", "slightly", "either"}
        assert any(target in method.target for target in ("mu*", "(mu_w)", "E[mu_w]"))
        assert method.citation


def test_names_cannot_format_the_report():
    scores = np.random.default_rng(0).normal(0.8, 0.03, size=(5, 4))
    report = correct(scores, metric=r"<b>|*_x_y^~$1\t")
    assert r"\<b\>\|\*\_x_y^\~\$1\\t" in report.to_markdown()
    assert report.to_latex().startswith(
        r"\textless{}b\textgreater{}\textbar{}*\_x\_y\textasciicircum{}\textasciitilde{}\$1"
        r"\textbackslash{}t & "
    )
    assert "&lt;b&gt;" in report._repr_html_()
    to_page(report)  # Matplotlib sets no mathematics


def test_reports_of_array_settings_compare():
    found = {f"split{k}_test_score": [0.5, 0.6 + 0.1 * k] for k in range(3)}
    found["params"] = [{"knots": np.arange(size)} for size in (3, 4)]
    assert correct(found) == copy.deepcopy(correct(found))


def test_names_cannot_steer_a_terminal():
    found = {f"split{k}_test_score": [0.5, 0.6] for k in range(3)}
    found["params"] = [{"a\nb": "\x1b[31mred\x07"}] * 2
    text = str(correct(found, metric="m\x1b[2J\nn"))
    assert "a b=\\x1b[31mred\\x07" in text
    assert text.splitlines()[0].endswith(r": m\x1b[2J n")


def test_no_minus_stands_before_a_zero():
    write = Format(correct(NOISE))
    assert write.score(-1e-12) == write.score(0.0) == "0.000"


def test_large_numbers_are_written_short():
    report = correct(NOISE * 1e20)
    assert Format(report).score(report.naive) == f"{report.naive:.6g}"
    assert max(map(len, str(report).splitlines())) <= 88


def test_a_parameter_without_effect_is_said():
    params = [{"depth": depth, "jobs": jobs} for depth in (1, 2, 3) for jobs in (1, 2)]
    results = {f"split{k}_test_score": np.repeat(NOISE[k, :3], 2) for k in range(5)}
    text = str(correct({"params": params, **results}))
    assert "No effect      jobs made no difference to any score" in text
    assert "depth made no difference" not in text
    results["split0_test_score"] = results["split0_test_score"] + np.array([0, 0, 0, 0, 0, 1e-3])
    assert "No effect" not in str(correct({"params": params, **results}))


def test_a_parameter_without_effect_has_no_edge():
    params = [{"depth": depth, "jobs": jobs} for depth in (1, 2, 3) for jobs in (1, 2, 3)]
    results = {f"split{k}_test_score": np.repeat(NOISE[k, :3], 3) for k in range(5)}
    lines = str(correct({"params": params, **results})).splitlines()
    assert not any("Edge of grid" in line and "jobs" in line for line in lines)
