"""Fold scores from CSV files as people really store them."""

import builtins
import io

import numpy as np
import pandas as pd
import polars as pl
import pytest

from skmaxev.correction import correct
from skmaxev.readers import read_scores

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


LONG = {"candidate": "params", "fold": "fold", "score": "score"}
VARIANTS = {
    "plain": (wide().to_csv(index=False), {}),
    "index column": (wide().to_csv(), {}),
    "sorted as text": (wide()[sorted(wide().columns)].to_csv(index=False), {}),
    "byte order mark": ("\ufeff" + wide().to_csv(index=False), {}),
    "blank lines": ("\n" + wide().to_csv(index=False) + "\n\n", {}),
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
        assert report.estimate == pytest.approx(plain.estimate, rel=1e-14)
        assert report.interval == pytest.approx(plain.interval, rel=1e-12)
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
    assert report.estimate == pytest.approx(100 * plain.estimate)
    signed = percent().assign(**{name: percent()[name].astype(str) + "%" for name in SPLITS})
    with pytest.raises(TypeError, match=r"column 'split0_test_score' must be numbers.*percentages"):
        correct(write(signed.to_csv(index=False)))


def test_other_kinds_of_files_are_read_by_pandas(tmp_path):
    path = tmp_path / "scores.csv.gz"
    wide().to_csv(path, index=False)
    assert correct(path).estimate == correct(SCORES.T).estimate
    wide().to_csv(path := tmp_path / "scores.csv", sep=";", decimal=",", encoding="utf-16")
    with pytest.raises(ValueError, match=r"pandas says: .*pandas\.read_csv\(path, sep=';'"):
        correct(path)
    frame = pd.read_csv(path, sep=";", decimal=",", encoding="utf-16")
    assert correct(frame).estimate == correct(SCORES.T).estimate


def test_without_pandas_the_extra_is_named(write, monkeypatch):
    given = builtins.__import__

    def refuse(name, *rest, **options):
        if name == "pandas":
            raise ImportError(name)
        return given(name, *rest, **options)

    path = write(wide().to_csv())
    monkeypatch.setattr(builtins, "__import__", refuse)
    with pytest.raises(ImportError, match=r"pip install skmaxev\[frame\]"):
        correct(path)


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
        ("", {}, "pandas says: No columns"),
        ("\n", {}, "pandas says: No columns"),
        ("split0_test_score,split1_test_score\n", {}, "column names only"),
        ("model,test_score\na,0.5\nb,0.6\n", {}, "found only model, test_score"),
        ("fold0,fold1\n0.5,oops\n", {}, r"column 'fold1' must be numbers.*'oops'"),
        ("fold0;fold1\n0,5;0,6\n", {}, "commas between its columns"),
        (
            "fold0,fold1\n0.5,1,2\n1,2,3,4\n",
            {},
            "pandas says: .*Expected 3 fields in line 3, saw 4",
        ),
        (
            "m,f,s\na,0,1\na,0,2\n",
            {"candidate": "m", "fold": "f", "score": "s"},
            "'a' has 2 on split 0",
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
    with pytest.raises((TypeError, ValueError), match=words):
        correct(write(text), **options)


def test_a_missing_file_is_named():
    with pytest.raises(FileNotFoundError, match=r"there is no file 'nowhere.csv'"):
        correct("nowhere.csv")


def test_long_tables_order_splits_by_number():
    rows = [f"a,fold {k},{k}" for k in (10, 2, 1)]
    table = read_scores(
        io.StringIO("m,f,s\n" + "\n".join(rows)), candidate="m", fold="f", score="s"
    )
    np.testing.assert_array_equal(table.scores[:, 0], [1, 2, 10])
    assert table.metric == "s"


@pytest.mark.parametrize(
    "content",
    [
        wide().to_csv(index=False).encode("utf-16"),
        "split0_test_score,split1_test_score,é\n1,2,3".encode("latin-1"),
        b"\x93NUMPY\x01\x00v\x00",
        b'{"split0_test_score": [1]}',
    ],
)
def test_other_files_are_told_apart(write, content):
    with pytest.raises(ValueError, match=r"a (file of scores|CSV file) must"):
        correct(write(content))


def test_a_text_in_place_of_a_path_is_told():
    with pytest.raises(ValueError, match=r"io\.StringIO"):
        correct(wide().to_csv(index=False))


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
