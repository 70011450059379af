"""Fail where the searches have become slower by a factor, in processor seconds.

    python -m benchmarks.speed.guard                       # two minutes
    python -m benchmarks.speed.guard --repeats 5

The margins are wide, so that a busy machine does not fail it; docs/about/speed.md has the figures.
"""

import argparse
import sys

from benchmarks.speed.cases import nested_cases, plain_cases
from benchmarks.speed.search import compare

AT_LEAST = {
    "nested, StandardScaler + SVC, K=5": 1.3,
    "nested, StandardScaler + SVC, K=10": 1.3,
    "plain, ShrunkSearchCV": 1 / 1.2,
}
"""Processor seconds of scikit-learn's way over ours, by case."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=9, help="turns of each case")
    repeats = parser.parse_args().repeats
    cases = {case.name: case for make in (nested_cases, plain_cases) for case in make(quick=True)}
    slower = False
    for name, least in AT_LEAST.items():
        ratio = compare(cases[name], repeats, [])["ratio"]["cpu_seconds"]
        print(f"{name}: {ratio:.2f}, at least {least:.2f}")
        slower |= ratio < least
    sys.exit(slower)


if __name__ == "__main__":
    main()
