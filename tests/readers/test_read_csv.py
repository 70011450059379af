"""Fold scores from CSV files as people really store them."""

import gzip
import io

import numpy as np
import pandas as pd
import polars as pl
import pytest

from skmaxev.correction import correct
from skmaxev.readers import from_csv

SCORES = 0.7 + 0.05 * np.random.default_rng(0).normal(size=(6, 12))
SCORES[3] += 0.03
SPLITS = [f"split{k}_test_score" for k in range(12)]


def wide():
    frame = pd.DataFrame(SCORES, columns=SPLITS)
    frame.insert(0, "params", [str({"C": c}) for c in range(6)])
    return frame.assign(mean_test_score=SCORES.mean(1), std_test_score=SCORES.std(1))


def long():
    return wide().melt("params", SPLITS, "fold", "score")


def percent():
    return wide().assign(**{name: 100 * wide()[name] for name in [*SPLITS, "mean_test_score"]})


def losses():
    turned = {name: 1 - wide()[name] for name in SPLITS}
    return wide().assign(**turned).drop(columns=["mean_test_score", "std_test_score"])


EUROPEAN = wide().to_csv(index=False, sep=";", decimal=",")
LONG = {"candidate": "params", "fold": "fold", "score": "score"}
VARIANTS = {
    "plain": (wide().to_csv(index=False), {}),
    "index column": (wide().to_csv(), {}),
    "semicolon": (EUROPEAN, {"decimal": ","}),
    "named separator": (EUROPEAN, {"sep": ";", "decimal": ","}),
    "tab": (wide().to_csv(index=False, sep="\t"), {}),
    "sorted as text": (wide()[sorted(wide().columns)].to_csv(index=False), {}),
    "byte order mark": ("\ufeff" + wide().to_csv(index=False), {}),
    "blank lines": ("\n" + wide().to_csv(index=False) + "\n\n", {}),
    "UTF-16": (wide().to_csv(index=False).encode("utf-16"), {}),
    "gzip": (gzip.compress(wide().to_csv(index=False).encode()), {}),
    "Windows lines": (wide().to_csv(index=False).replace("\n", "\r\n"), {}),
    "long": (long().to_csv(index=False), LONG),
    "long shuffled": (long().sample(frac=1, random_state=0).sort_values("params").to_csv(), LONG),
}


@pytest.fixture
def write(tmp_path):
    def save(text):
        path = tmp_path / "scores.csv"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return save


@pytest.mark.parametrize("variant", VARIANTS)
def test_every_way_of_storing_gives_the_same_report(write, variant):
    text, options = VARIANTS[variant]
    plain = correct(SCORES.T)
    opened = io.BytesIO(text) if isinstance(text, bytes) else io.StringIO(text)
    for source in (write(text), str(write(text)), opened):
        report = correct(source, **options)
        assert report.estimate == plain.estimate
        assert report.interval == plain.interval
        assert report.best_index == plain.best_index
        assert report.best_params == {"params": str({"C": plain.best_index})}


def test_losses_stay_losses(write):
    plain = correct(SCORES.T)
    report = correct(write(losses().to_csv(index=False)), greater_is_better=False)
    assert report.estimate == pytest.approx(1 - plain.estimate)
    assert report.naive == pytest.approx(1 - plain.naive)
    assert report.naive < report.estimate
    assert report.optimism == pytest.approx(plain.optimism)
    assert report.interval[0] < report.estimate < report.interval[1]
    assert report.estimates["ME"].errs == "downwards"
    assert report.estimates["LVCV"].errs == "upwards"


def test_percent_is_a_matter_of_scale(write):
    plain = correct(SCORES.T)
    report = correct(write(percent().to_csv(index=False)))
    assert report.estimate == pytest.approx(100 * plain.estimate)
    signed = percent().assign(**{name: percent()[name].astype(str) + "%" for name in SPLITS})
    assert correct(write(signed.to_csv(index=False))).estimate == pytest.approx(report.estimate)


@pytest.mark.parametrize("empty", ["", "nan", "NA", "None"])
def test_a_missing_fold_is_not_zero(write, empty):
    frame = wide().astype({"split3_test_score": object})
    frame.loc[4, "split3_test_score"] = empty
    report = correct(write(frame.to_csv(index=False)))
    without = correct(np.delete(SCORES, 4, axis=0).T)
    assert report.left_out == {4: "no score on split 3"}
    assert report.estimate == without.estimate
    missing = long().drop(index=3 * 6 + 4)
    assert correct(write(missing.to_csv(index=False)), **LONG).left_out == report.left_out


def test_long_frames_are_read_alike():
    assert correct(long(), **LONG).estimate == correct(SCORES.T).estimate
    assert (
        correct(pl.DataFrame(long().to_dict("list")), **LONG).estimate == correct(SCORES.T).estimate
    )
    dicts = long().assign(params=[{"C": text} for text in long()["params"]])
    assert correct(dicts, **LONG).estimate == correct(SCORES.T).estimate


def test_nothing_in_a_file_is_evaluated(write, tmp_path):
    mark = tmp_path / "mark"
    text = f"__import__('pathlib').Path({str(mark)!r}).touch()"
    frame = wide().assign(params=[text] * 6)
    assert correct(write(frame.to_csv(index=False))).best_params == {"params": text}
    assert not mark.exists()


@pytest.mark.parametrize(
    ("text", "options", "words"),
    [
        ("", {}, "begin with a line of column names"),
        ("\n", {}, "begin with a line of column names"),
        ("split0_test_score,split1_test_score\n", {}, "column names only"),
        ("model,test_score\na,0.5\nb,0.6\n", {}, "found only model, test_score"),
        ("fold0,fold1\n0.5,oops\n", {}, r"column 'fold1', data line 1 holds 'oops'"),
        ("fold0;fold1\n0,5;0,6\n", {}, "decimal=','"),
        ("fold0,fold1\n0.5\n", {}, "data line 1 of scores.csv has 1, the first line 2"),
        ("fold0,fold0\n0.5,0.6\n", {}, "'fold0' twice"),
        (
            "m,f,s\na,0,1\na,0,2\n",
            {"candidate": "m", "fold": "f", "score": "s"},
            "'a' has 2 on split '0'",
        ),
        (
            "m,f,s\na,0,1\n",
            {"candidate": "m", "fold": "f"},
            r"got score=None. The columns are: m, f, s",
        ),
        ("m,f,s\na,0,1\n", {"candidate": "m", "fold": "q", "score": "s"}, "got fold='q'"),
    ],
)
def test_bad_files_get_a_rule_and_a_cure(write, text, options, words):
    with pytest.raises(ValueError, match=words):
        correct(write(text), **options)


def test_a_missing_file_is_named():
    with pytest.raises(FileNotFoundError, match=r"there is no file 'nowhere.csv'"):
        correct("nowhere.csv")


def test_bytes_that_are_no_text_are_refused(tmp_path):
    path = tmp_path / "scores.csv"
    path.write_bytes(b"fold0,fold1\n\xff\xfe\x00,1\n")
    with pytest.raises(ValueError, match="text in UTF-8"):
        from_csv(path)


def test_long_tables_order_splits_by_number():
    rows = [f"a,fold {k},{k}" for k in (10, 2, 1)]
    table = from_csv(io.StringIO("m,f,s\n" + "\n".join(rows)), candidate="m", fold="f", score="s")
    np.testing.assert_array_equal(table.scores[:, 0], [1, 2, 10])
    assert table.metric == "s"


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (wide().to_csv(index=False).encode("utf-16-le"), "must be text in UTF-8"),
        ("split0_test_score,split1_test_score,é\n1,2,3".encode("latin-1"), r"encoding=\.\.\."),
        (b"\x1f\x8b broken", "must be text"),
        (b"split0_test_score\n" + b"1" * 140_000, "table of short texts"),
        (b'{"split0_test_score": [1]}', "looks like JSON"),
        (b"split0_test_score,split1_test_score\n80%,0.8", "all be percentages or none"),
    ],
)
def test_other_files_are_told_apart(write, content, words):
    with pytest.raises(ValueError, match=words):
        correct(write(content))


def test_open_files_of_bytes_are_read():
    content = wide().to_csv(index=False).encode("utf-16")
    assert correct(io.BytesIO(content)).estimate == correct(SCORES.T).estimate


def test_a_text_in_place_of_a_path_is_told():
    with pytest.raises(ValueError, match=r"io\.StringIO"):
        correct(wide().to_csv(index=False))


@pytest.mark.parametrize("options", [{"sep": "::"}, {"sep": ""}, {"decimal": ""}])
def test_signs_of_a_file_are_single_characters(write, options):
    with pytest.raises(ValueError, match=f"{next(iter(options))} must be"):
        correct(write(wide().to_csv(index=False)), **options)


def test_long_tables_have_names_in_every_row():
    frame = long().assign(fold=long()["fold"].where(long().index > 0))
    with pytest.raises(ValueError, match="'fold' has empty cells"):
        correct(frame, **LONG)
    with pytest.raises(ValueError, match="got no row"):
        correct(long().iloc[:0], **LONG)


def test_missing_scores_of_any_kind_are_missing():
    frame = long().astype({"score": "Float64"})
    frame.loc[frame["params"] == "{'C': 2}", "score"] = pd.NA
    assert list(correct(frame, **LONG).left_out) == [2]


def test_any_label_of_a_fold_is_ordered():
    frame = pd.DataFrame({"m": [0, 0, 1, 1], "f": ["²", "a1"] * 2, "s": [0.1, 0.2, 0.3, 0.4]})
    assert correct(frame, candidate="m", fold="f", score="s").naive == pytest.approx(0.35)
