"""The one-page report: complete, self-contained, and safe against what a user writes into it."""

import importlib.util
import re
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pytest
import sklearn

import skmaxev
from skmaxev.cli import main
from skmaxev.correction import correct
from skmaxev.plotting.page import to_page
from skmaxev.readers.build import build_table
from skmaxev.report.numbers import Format
from skmaxev.table import OuterFolds

VOID = {"meta", "link", "img", "br", "hr", "input"}


class Outline(HTMLParser):
    """Collects tags and ids, and checks that every tag is closed."""

    def __init__(self, page):
        super().__init__()
        self.open, self.tags, self.ids, self.attributes, self.words = [], [], [], [], []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs
        self.ids += [value for name, value in attrs if name == "id"]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.words.append(data)


@pytest.fixture(scope="module")
def report():
    scores = np.random.default_rng(0).normal(0.8, 0.03, size=(5, 12))
    return correct(scores, metric="accuracy")


@pytest.fixture(scope="module")
def page(report):
    return to_page(report)


def test_the_page_is_a_whole_document_with_every_tag_closed(page):
    assert page.startswith("<!DOCTYPE html>")
    outline = Outline(page)
    assert outline.open == []
    assert outline.tags.count("svg") == 4
    assert ("name", "viewport") in outline.attributes
    assert ("charset", "utf-8") in outline.attributes


def test_the_page_loads_nothing_and_runs_nothing(page):
    outline = Outline(page)
    assert not {"script", "link", "iframe", "img"} & set(outline.tags)
    for name, value in outline.attributes:
        assert name not in {"src", "srcset", "onload", "onclick"}
        if name in {"href", "xlink:href"}:
            assert value.startswith("#")
    assert not re.search(r"https?://|@import|url\((?!#)", page)


def test_every_id_is_there_once_and_every_reference_is_met(page):
    outline = Outline(page)
    assert len(outline.ids) == len(set(outline.ids))
    referred = re.findall(r'(?:url\(#|href="#)([^)"]+)', page)
    assert referred
    assert set(referred) <= set(outline.ids)


def test_every_estimate_and_its_source_stand_on_the_page(page, report):
    words = " ".join(Outline(page).words)
    for found in report.estimates.values():
        assert found.key in words
        assert found.target in words
        assert found.citation in words
    for sentence in report.advice[1:]:  # the first says what the headline shows
        assert sentence in words


def test_pictures_have_words_for_those_who_do_not_see_them(page):
    labels = [value for name, value in Outline(page).attributes if name == "aria-label"]
    assert len(labels) == 4
    assert all(len(label) > 40 for label in labels)


def test_a_nested_search_adds_its_outer_folds():
    outer = OuterFolds(
        scores=np.array([0.7, 0.9]),
        best_index=np.array([0, 1]),
        n_train=np.array([50, 50]),
        n_test=np.array([50, 50]),
    )
    table = build_table(np.array([[0.8, 0.7], [0.9, 0.6]]), metric="r2", outer=outer, source="x")
    assert Outline(to_page(correct(table))).tags.count("svg") == 5


def test_the_page_says_what_was_searched_with_what_and_when(page, report):
    words = " ".join(" ".join(Outline(page).words).split())
    assert f"skmaxev {skmaxev.__version__}, scikit-learn {sklearn.__version__}" in words
    assert re.search(r"page written \d{4}-\d\d-\d\d", words)
    write = Format(report)
    for score in report.table.scores[:, report.best_index]:
        assert write.score(score) in words
    nearest = report.runners_up().candidates[0]
    interval = f"{write.score(nearest.low)} to {write.score(nearest.high)}"
    assert f"{write.score(nearest.difference)} {interval}" in words


def test_parts_into_which_items_were_dealt_are_no_splits():
    items = np.random.default_rng(0).normal(size=(4, 60))
    words = " ".join(Outline(to_page(correct(responses=items))).words)
    assert "4 candidates compared on 60 items on which nothing was trained" in words
    assert "Rows judged" not in words


def test_what_a_user_names_is_text_and_never_markup():
    table = build_table(
        np.random.default_rng(0).normal(size=(5, 3)),
        metric="<script>alert(1)</script>",
        params=[{"<b>": "<img src=http://x>"}] * 3,
        source="x",
    )
    outline = Outline(to_page(correct(table)))
    assert "script" not in outline.tags
    assert "img" not in outline.tags


def test_save_writes_the_page_in_utf8(report, page, tmp_path):
    report.save(tmp_path / "report.html")
    assert (tmp_path / "report.html").read_text(encoding="utf-8") == page


def test_without_matplotlib_the_page_says_what_to_install(report, monkeypatch):
    found = importlib.util.find_spec
    monkeypatch.setattr(
        "skmaxev.plotting.page.find_spec",
        lambda name: None if name == "matplotlib" else found(name),
    )
    page = to_page(report)
    assert "svg" not in Outline(page).tags
    assert 'pip install "skmaxev[plot]"' in page


def test_without_scores_the_page_says_that_nothing_can_be_drawn(report):
    assert "nothing to draw" in to_page(replace(report, table=None))


def test_the_command_saves_the_page_beside_what_it_prints(tmp_path, capsys):
    lines = ["split0_test_score,split1_test_score", "0.8,0.7", "0.9,0.6", "0.7,0.7"]
    (tmp_path / "results.csv").write_text("\n".join(lines))
    target = tmp_path / "report.html"
    assert main(["correct", str(tmp_path / "results.csv"), "--html", str(target)]) == 0
    assert "Honest score" in capsys.readouterr().out
    assert "<svg" in target.read_text(encoding="utf-8")


def test_the_command_names_a_place_that_cannot_be_written(tmp_path, capsys):
    (tmp_path / "results.csv").write_text("split0_test_score,split1_test_score\n0.8,0.7\n0.9,0.6")
    target = tmp_path / "no such directory" / "report.html"
    assert main(["correct", str(tmp_path / "results.csv"), "--html", str(target)]) == 1
    assert "no such directory" in capsys.readouterr().err
