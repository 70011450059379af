"""Run the experiments and write their tables and figures."""

from __future__ import annotations

import argparse
import importlib
import sys
import time
from pathlib import Path

import matplotlib as mpl
import numpy as np

EXPERIMENTS = (
    "figure_1",
    "theorems",
    "varma_simon",
    "winners_curse",
    "mitchell",
    "cherry_picking",
    "keel",
)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.papers", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="rougher, in some seconds")
    parser.add_argument("--out", type=Path, default=Path("build/papers"), help="folder for results")
    parser.add_argument("--only", nargs="+", choices=EXPERIMENTS, default=EXPERIMENTS)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    mpl.use("Agg")
    pages, broken = [], []
    for name in args.only:
        start = time.perf_counter()
        module = importlib.import_module(f"benchmarks.papers.{name}")
        report = module.run(quick=args.quick, rng=np.random.default_rng(args.seed))
        report.save(args.out)
        page = report.markdown()
        print(page, f"({time.perf_counter() - start:.0f} s)", sep="\n", end="\n\n", flush=True)
        pages.append(page)
        broken += report.broken
    (args.out / "README.md").write_text("\n".join(pages), encoding="utf-8")
    print(f"Tables and figures are in {args.out}.")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
