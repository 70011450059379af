"""The command line, as one types it."""

import io
import json
import os
import subprocess
import sys

import numpy as np
import pytest

from skmaxev import __version__, cli
from skmaxev.correction import correct
from skmaxev.demo import run_demo, search_and_judge
from skmaxev.planning import (
    PLAUSIBLE_CORRELATIONS,
    expected_optimism,
    validation_size,
    winner_regret,
)

SCORES = np.random.default_rng(0).normal(0.8, 0.03, size=(5, 12))
HEADER = ",".join(f"split{k}_test_score" for k in range(5))
TEXT = "\n".join([HEADER, *(",".join(map(repr, row)) for row in SCORES.T.tolist())])


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "scores.csv"
    path.write_text(TEXT)
    return str(path)


def test_a_file_is_corrected(file, capsys):
    assert cli.main(["correct", file]) == 0
    assert capsys.readouterr().out == f"{correct(SCORES)}\n"


def test_several_files_are_one_search(file, tmp_path, capsys):
    other = tmp_path / "more.csv"
    other.write_text(TEXT)
    assert cli.main(["correct", file, str(other), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["n_candidates"] == 24
    assert found["best_params"]["search"] == file


def test_options_reach_the_correction(file, capsys):
    arguments = ["--losses", "--metric", "error", "--method", "LVCV", "--level", "0.9", "--json"]
    assert cli.main(["correct", file, *arguments]) == 0
    read = json.loads(capsys.readouterr().out)
    report = correct(SCORES, greater_is_better=False, metric="error", method="LVCV", level=0.9)
    assert read["estimate"] == report.estimate
    assert read["interval"] == list(report.interval)
    assert (read["metric"], read["method"], read["level"]) == ("error", "LVCV", 0.9)


def test_standard_input_is_read(monkeypatch, capsys):
    monkeypatch.setattr(sys, "stdin", io.StringIO(TEXT))
    assert cli.main(["correct", "-"]) == 0
    assert capsys.readouterr().out == f"{correct(SCORES)}\n"


def test_a_long_table_is_read(tmp_path, capsys):
    path = tmp_path / "long.csv"
    rows = [f"{i};{k};{SCORES[k, i]}".replace(".", ",") for k in range(5) for i in range(12)]
    path.write_text("\n".join(["m;f;s", *rows]))
    options = ["--candidate", "m", "--fold", "f", "--score", "s", "--sep", ";", "--decimal", ","]
    assert cli.main(["correct", str(path), "--json", *options]) == 0
    assert json.loads(capsys.readouterr().out)["estimate"] == correct(SCORES).estimate


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (None, "there is no file"),
        ("", "with a line of column names"),
        ("model,test_score\na,0.5\n", "found only model, test_score"),
        ("fold0,fold1\n0.5,x\n", "column 'fold1' must be numbers"),
        ("fold0\n0.5\n0.6\n", "at least two splits"),
    ],
)
def test_errors_are_one_line_without_a_traceback(tmp_path, capsys, text, words):
    path = tmp_path / "bad.csv"
    if text is not None:
        path.write_text(text)
    assert cli.main(["correct", str(path)]) == 1
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith("skmaxev: ")
    assert words in printed.err
    assert printed.err.count("\n") == 1


@pytest.mark.parametrize("words", ["correct", "wrong", "correct x --method BEST"])
def test_wrong_usage_is_code_2(words, capsys):
    with pytest.raises(SystemExit) as error:
        cli.main(words.split())
    assert error.value.code == 2
    assert "usage: skmaxev" in capsys.readouterr().err


@pytest.mark.parametrize("arguments", [["--help"], ["correct", "--help"]])
def test_help_has_examples(arguments, capsys):
    with pytest.raises(SystemExit) as error:
        cli.main(arguments)
    assert error.value.code == 0
    assert "skmaxev correct cv_results.csv" in capsys.readouterr().out


def test_the_version_is_told(capsys):
    with pytest.raises(SystemExit):
        cli.main(["--version"])
    assert capsys.readouterr().out == f"skmaxev {__version__}\n"


def test_an_interrupt_is_code_130(monkeypatch, file, capsys):
    def interrupt(*args, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr(cli, "correct", interrupt)
    assert cli.main(["correct", file]) == 130
    assert capsys.readouterr().err == "skmaxev: interrupted\n"


def test_no_command_is_the_demo(monkeypatch):
    asked = []
    monkeypatch.setattr(cli, "run_demo", lambda **options: asked.append(options))
    assert cli.main([]) == cli.main(["demo", "--nested"]) == 0
    assert asked == [{"nested": False}, {"nested": True}]


def test_python_m_works_and_a_closed_pipe_is_no_error(file):
    command = [sys.executable, "-m", "skmaxev", "correct", file]
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run(  # noqa: S603
        command, stdout=write, stderr=subprocess.PIPE, check=False, text=True
    )
    os.close(write)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.fixture
def small_grid(monkeypatch):
    monkeypatch.setattr("skmaxev.demo._GRID", {"svc__C": [0.1, 10.0], "svc__gamma": [0.01, 0.1]})


def test_the_demo_compares_with_fresh_rows(small_grid):
    report, scores = search_and_judge(0, nested=True)
    assert list(scores) == [
        "Printed by GridSearchCV", "Honest score, no extra fits", "True, on the fresh rows",
        "Nested CV, 3 times the fits",
    ]  # fmt: skip
    printed, honest, truth, nested = scores.values()
    assert (report.naive, report.estimate) == (printed, honest)
    assert 0.5 < min(honest, nested, truth) <= max(honest, nested) <= printed <= 1


def test_the_demo_prints_its_progress_report_and_comparison(monkeypatch, capsys):
    def quick(seed, *, nested):
        printed = 0.96 - 0.02 * (seed % 2)
        shown = {"Printed by GridSearchCV": printed, "True, on the fresh rows": printed - 0.02}
        return correct(SCORES), shown | ({"Nested CV": printed - 0.03} if nested else {})

    monkeypatch.setattr("skmaxev.demo.search_and_judge", quick)
    run_demo(n_searches=8, nested=True)
    text = capsys.readouterr().out
    assert "........\n" in text
    assert "Best of 12 candidates" in text
    assert "0.950    +0.020   0.000" in text
    assert "Nested CV                       0.920    -0.010" in text
    assert "True, on the fresh rows         0.930" in text


def test_the_demo_stops_when_its_time_is_up(small_grid, capsys):
    run_demo(seconds=0.0)
    assert "Accuracy over 1 searches" in capsys.readouterr().out


@pytest.mark.slow
def test_the_printed_score_falls_on_fresh_rows_and_the_honest_one_holds():
    found = [list(search_and_judge(seed, nested=False)[1].values()) for seed in range(60)]
    printed, honest, truth = np.array(found).T
    assert (printed - truth).mean() > 3 * (printed - truth).std(ddof=1) / np.sqrt(60)
    assert abs((honest - truth).mean()) < 0.5 * (printed - truth).mean()


def test_any_terminal_can_show_the_report(tmp_path):
    path = tmp_path / "scores.csv"
    path.write_text(
        "\n".join(
            f"{line},{'param_é' if not k else 'ü'}" for k, line in enumerate(TEXT.split("\n"))
        ),
        encoding="utf-8",
    )
    call = [sys.executable, "-W", "error", "-m", "skmaxev", "correct", str(path), "--json"]
    environment = os.environ | {"PYTHONIOENCODING": "ascii"}
    done = subprocess.run(call, env=environment, capture_output=True, check=True)  # noqa: S603
    assert json.loads(done.stdout)["best_params"] == {"é": "ü"}


def test_pipes_serve_as_files(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    code = f"open({str(pipe)!r}, 'w').write({TEXT!r})"
    with subprocess.Popen([sys.executable, "-c", code]):  # noqa: S603
        assert correct(pipe).estimate == correct(SCORES).estimate


def test_bytes_that_are_no_text_are_one_line_of_error(tmp_path, capsys):
    path = tmp_path / "noise"
    path.write_bytes(np.random.default_rng(0).bytes(3000))
    assert cli.main(["correct", str(path)]) == 1
    assert capsys.readouterr().err.count("\n") == 1


def test_a_tab_can_be_typed(tmp_path, capsys):
    path = tmp_path / "scores.tsv"
    path.write_text(TEXT.replace(",", "\t"))
    assert cli.main(["correct", str(path), "--sep", r"\t"]) == 0


def test_a_search_is_planned_by_the_planning_functions(capsys):
    arguments = ["--candidates", "100", "--rows", "1000", "--score", "0.8", "--spread", "0.01"]
    assert cli.main(["plan", *arguments]) == 0
    shown = capsys.readouterr().out
    for shared in PLAUSIBLE_CORRELATIONS:
        known = {"score": 0.8, "spread": 0.01, "correlation": shared}
        optimism = expected_optimism(100, 1000, **known)
        assert f"share {shared} of their luck" in shown
        assert f"too good by about {optimism:.4f};" in shown
        assert f"by about {winner_regret(100, 1000, **known).shortfall:.4f}." in shown
        rows = validation_size(100, resolve=optimism / 2, **known)
        assert f"about {rows:,} rows" in shown
    assert cli.main(["plan", *arguments, "--correlation", "0"]) == 0
    assert capsys.readouterr().out.count("share 0 of their luck") == 1


def test_one_candidate_has_no_optimism_to_halve(capsys):
    assert cli.main(["plan", "--candidates", "1", "--rows", "50", "--score", "0.8"]) == 0
    assert "about 0.0000;" in capsys.readouterr().out


def test_a_plan_for_an_impossible_score_says_so(capsys):
    assert cli.main(["plan", "--candidates", "5", "--rows", "50", "--score", "1.8"]) == 1
    assert "score must" in capsys.readouterr().err


def test_a_leaderboard_is_corrected(tmp_path, capsys):
    file = tmp_path / "submissions.csv"
    file.write_text("fileName,publicScore\na.csv,0.80\nb.csv,0.81\nc.csv,\n", encoding="utf-8")
    assert cli.main(["leaderboard", str(file), "--test-rows", "300"]) == 0
    assert "Best of 2 submissions" in capsys.readouterr().out
    assert cli.main(["leaderboard", str(file), "--test-rows", "300", "--metric", "AUROC"]) == 1
    assert "standard_error" in capsys.readouterr().err
