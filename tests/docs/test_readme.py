"""The README shows what the package prints."""

import doctest
import re
from pathlib import Path

import skmaxev

README = Path(__file__).parents[2] / "README.md"


def test_the_report_in_the_readme_is_the_one_its_example_prints():
    text = README.read_text(encoding="utf-8")
    example = doctest.DocTestParser().get_doctest(text, {}, "README", None, None)
    runner = doctest.DocTestRunner(verbose=False)
    runner.run(example, clear_globs=False)
    shown = re.search(r"```text\n(.*?)```", text, flags=re.DOTALL)
    assert shown is not None
    assert shown.group(1).rstrip() == str(example.globs["report"])


def test_links_of_the_readme_lead_to_files_of_the_repository():
    links = re.findall(r"\]\(([^)#]+)[^)]*\)", README.read_text(encoding="utf-8"))
    inside = [link for link in links if "://" not in link]
    assert inside
    assert [link for link in inside if not (README.parent / link).exists()] == []


def test_the_citation_names_this_version():
    citation = (README.parent / "CITATION.cff").read_text(encoding="utf-8")
    assert f"\nversion: {skmaxev.__version__}\n" in citation
