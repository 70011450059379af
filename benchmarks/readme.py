"""Draw the README's picture from the README's own example.

python -m benchmarks.readme
"""

from __future__ import annotations

import doctest
from pathlib import Path

ROOT = Path(__file__).parents[1]


def main() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    example = doctest.DocTestParser().get_doctest(readme, {}, "README", None, None)
    doctest.DocTestRunner(verbose=False).run(example, clear_globs=False)
    display = example.globs["report"].plot()
    display.figure_.savefig(ROOT / "docs" / "_static" / "readme.png", dpi=150, bbox_inches="tight")


if __name__ == "__main__":
    main()
