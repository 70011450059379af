"""The guides hang together: every page is reachable, every example is one that runs."""

import re
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
BUILT = {"_build", "auto_examples", "generated"}
PAGES = sorted(page.relative_to(DOCS) for page in DOCS.rglob("*.md") if not BUILT & set(page.parts))
BLOCK = re.compile(r"^```(\S+)\n(.*?)^```", re.MULTILINE | re.DOTALL)


def read(page):
    return (DOCS / page).read_text(encoding="utf-8")


def in_toctrees(page):
    """Pages that the toctrees of a page name."""
    trees = [body for kind, body in BLOCK.findall(read(page)) if kind == "{toctree}"]
    names = [line.strip() for tree in trees for line in tree.splitlines() if line.strip()]
    names = [re.sub(r".*<(.*)>", r"\1", name) for name in names]  # a title may stand before
    return {(DOCS / page).parent / f"{name}.md" for name in names if not name.startswith(":")}


def test_every_page_is_in_a_table_of_contents():
    named = {path.resolve() for page in PAGES for path in in_toctrees(page)}
    pages = {(DOCS / page).resolve() for page in PAGES if page.parts[0] != "measured"}
    assert pages - named == {(DOCS / "index.md").resolve()}


@pytest.mark.parametrize("page", PAGES, ids=str)
def test_every_python_block_is_a_session_that_the_tests_run(page):
    for kind, body in BLOCK.findall(read(page)):
        if kind == "python":
            assert body.startswith(">>> "), f"not a session: {body[:60]!r}"
            assert body.endswith("\n\n"), f"no empty line before the closing fence: {body[-60:]!r}"


@pytest.mark.parametrize(
    ("words", "page"),
    [
        ("best_score_ too high", "questions.md"),
        ("nested cross-validation groups", "questions.md"),
        ("how many folds", "questions.md"),
        ("which model deploy", "questions.md"),
        ("how many candidates", "questions.md"),
        ("groups weights metadata", "guide/groups.md"),
        ("checkpoint resume", "guide/resume.md"),
        ("dask n_jobs", "guide/parallel.md"),
        ("refit one standard error", "guide/refit_rule.md"),
        ("leaderboard private", "which_number.md"),
        ("optuna study", "guide/correct.md"),
        ("nestkit nested-cv", "about/migration.md"),
        ("progress verbose callbacks", "guide/parallel.md"),
        ("runner-up runners-up", "guide/compare.md"),
        ("prompt checkpoint epoch", "guide/items.md"),
        ("latex bibtex paper", "guide/report.md"),
    ],
)
def test_what_readers_search_for_finds_its_page(words, page):
    text = read(page).lower()
    assert [word for word in words.lower().split() if word not in text] == []
