"""Every example in a docstring, the README and the guides runs and prints what it says."""

import doctest
import importlib
import pkgutil
from pathlib import Path

import pytest

import skmaxev

OPTIONS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
ROOT = Path(__file__).parents[1]
MODULES = sorted(
    info.name
    for info in pkgutil.walk_packages(skmaxev.__path__, "skmaxev.")
    if not info.name.endswith("__main__")
)
GUIDES = [page for page in (ROOT / "docs").rglob("*.md") if "_build" not in page.parts]
PAGES = sorted([ROOT / "README.md", *GUIDES])


@pytest.mark.parametrize("name", MODULES)
def test_examples_of_a_module_run(name):
    assert doctest.testmod(importlib.import_module(name), optionflags=OPTIONS).failed == 0


@pytest.mark.parametrize("page", PAGES, ids=lambda p: str(p.relative_to(ROOT)))
def test_examples_of_a_page_run(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = doctest.testfile(str(page), module_relative=False, optionflags=OPTIONS)
    assert result.failed == 0
