"""The command: a demonstration, the correction of a finished search, the plan of one to come."""

from __future__ import annotations

import argparse
import io
import os
import sys
from collections.abc import Sequence
from typing import Any

from skmaxev import __version__
from skmaxev.correction import correct
from skmaxev.demo import run_demo
from skmaxev.kaggle import correct_leaderboard
from skmaxev.planning import (
    PLAUSIBLE_CORRELATIONS,
    expected_optimism,
    validation_size,
    winner_regret,
)
from skmaxev.readers.files import read_csv
from skmaxev.report import METHODS

__all__ = ["main"]

_EXAMPLES = """\
examples:
  skmaxev                                   the main job on real data, below a minute
  skmaxev correct cv_results.csv            columns split0_test_score, split1_test_score, ...
  skmaxev correct svm.csv forest.csv        two searches on the same splits are one
  skmaxev correct scores.csv --losses       lower is better
  skmaxev correct runs.csv --candidate model --fold fold --score auc
                                            long table: one row a candidate and fold
  cat cv_results.csv | skmaxev correct - --json
  skmaxev correct cv_results.csv --html report.html
  skmaxev plan --candidates 100 --rows 1000 --score 0.8
                                            how far to trust a best score, before the search
  skmaxev leaderboard submissions.csv --test-rows 3000
                                            the best of your submissions, for exports of Kaggle

exit codes: 0 done, 1 the scores cannot be corrected (the message says why), 2 wrong usage
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line.

    Parameters
    ----------
    arguments : sequence of str, optional
        Those of the process if omitted.

    Returns
    -------
    int
        Exit code: 0 done, 1 the input cannot be corrected, 2 wrong usage.
    """
    if isinstance(sys.stdout, io.TextIOWrapper):  # a terminal need not know every letter
        sys.stdout.reconfigure(errors="backslashreplace")
    asked = _parser().parse_args(arguments)
    try:
        asked.run(asked)
        sys.stdout.flush()
    except BrokenPipeError:  # the reader, such as `head`, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except (ValueError, TypeError, OSError) as error:
        print(f"skmaxev: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("skmaxev: interrupted", file=sys.stderr)
        return 130
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="skmaxev",
        description="Say what the best score of a search is worth, once it is corrected for having "
        "been chosen as the best.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"skmaxev {__version__}")
    parser.set_defaults(run=_demo, nested=False)
    commands = parser.add_subparsers(title="commands", metavar="")
    for name, (run, about, add_arguments) in _COMMANDS.items():
        command = commands.add_parser(
            name,
            help=about,
            description=about,
            epilog=_EXAMPLES if name == "correct" else None,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        add_arguments(command)
        command.set_defaults(run=run)
    return parser


def _add_to_demo(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--nested", action="store_true", help="with nested cross-validation: slower"
    )


def _add_to_correct(command: argparse.ArgumentParser) -> None:
    files = "CSV of split scores, a checkpoint, or - for standard input; several are one search"
    add = command.add_argument
    add("files", nargs="+", metavar="FILE", help=files)
    add("--metric", help="which metric, where there are several; its name otherwise")
    way = command.add_mutually_exclusive_group()
    losses, higher = (
        "the scores are losses: lower is better",
        "higher is better, where the name of the metric does not tell",
    )
    way.add_argument("--losses", dest="higher", action="store_false", default=None, help=losses)
    way.add_argument("--higher", action="store_true", default=None, help=higher)
    add("--method", default="CONSENSUS", choices=list(METHODS), help="default: %(default)s")
    add("--level", type=float, default=0.95, help="of the interval; default: %(default)s")
    add("--json", action="store_true", help="print JSON")
    add("--html", metavar="PATH", help="also save the report, with pictures, as a page")
    add("--sep", help="separator of the file, for pandas; default: a comma")
    add("--decimal", default=".", help="decimal sign; default: %(default)s")
    for name in ("candidate", "fold", "score"):
        add(f"--{name}", metavar="COLUMN", help=f"column with the {name}, in a long table")


def _add_to_plan(command: argparse.ArgumentParser) -> None:
    add = command.add_argument
    add("--candidates", type=int, required=True, help="candidates that will be tried")
    add("--rows", type=int, required=True, help="rows that judge each of them")
    add("--score", type=float, required=True, help="accuracy that is about to be expected")
    add("--spread", type=float, default=0.0, help="of the true accuracies; default: all equal")
    add("--correlation", type=float, help="of the candidates' errors; default: a range")


def _add_to_leaderboard(command: argparse.ArgumentParser) -> None:
    add = command.add_argument
    add("file", metavar="FILE.csv", help="submissions, with a column publicScore")
    add("--test-rows", type=int, help="rows behind a public score, where it is an accuracy")
    add("--standard-error", type=float, help="of one public score, for any other metric")
    add("--correlation", type=float, help="of the submissions' errors, if you know it")
    add("--metric", help="name of the score")
    add("--losses", action="store_true", help="the scores are losses: lower is better")
    add("--json", action="store_true", help="print JSON")


def _demo(asked: argparse.Namespace) -> None:
    run_demo(nested=asked.nested)


def _correct(asked: argparse.Namespace) -> None:
    sources = {file: _source(file, asked) for file in asked.files}
    report = correct(
        sources if len(sources) > 1 else next(iter(sources.values())),
        metric=asked.metric,
        method=asked.method,
        level=asked.level,
        greater_is_better=asked.higher,
        candidate=asked.candidate,
        fold=asked.fold,
        score=asked.score,
    )
    if asked.html:
        report.save(asked.html)
    print(report.to_json() if asked.json else report)


def _source(file: str, asked: argparse.Namespace) -> Any:
    source = getattr(sys.stdin, "buffer", sys.stdin) if file == "-" else file
    if not asked.sep and asked.decimal == ".":
        return source
    return read_csv(source, sep=(asked.sep or ",").replace(r"\t", "\t"), decimal=asked.decimal)


def _leaderboard(asked: argparse.Namespace) -> None:
    report = correct_leaderboard(
        asked.file,
        n_test_rows=asked.test_rows,
        standard_error=asked.standard_error,
        correlation=asked.correlation,
        metric=asked.metric,
        greater_is_better=not asked.losses,
    )
    print(report.to_json() if asked.json else report)


def _plan(asked: argparse.Namespace) -> None:
    given = asked.correlation
    lines = [f"Best of {asked.candidates:,} candidates, each judged on {asked.rows:,} rows."]
    for shared in PLAUSIBLE_CORRELATIONS if given is None else (given,):
        known = {"score": asked.score, "spread": asked.spread, "correlation": shared}
        optimism = expected_optimism(asked.candidates, asked.rows, **known)
        regret = winner_regret(asked.candidates, asked.rows, **known)
        lines += [
            f"Where they share {shared:g} of their luck, it will",
            f"  look too good by about {optimism:.4f};",
            f"  fall short of the truly best one by about {regret.shortfall:.4f}.",
        ]
        if optimism > 0:
            rows = validation_size(asked.candidates, resolve=optimism / 2, **known)
            lines.append(f"  Half that optimism takes about {rows:,} rows.")
    print("\n".join(lines))


_COMMANDS = {
    "demo": (
        _demo,
        "tune a pipeline on real data and compare its best score with fresh rows (the default)",
        _add_to_demo,
    ),
    "correct": (_correct, "correct the best score of a finished search", _add_to_correct),
    "plan": (_plan, "say before a search how far its best accuracy may be trusted", _add_to_plan),
    "leaderboard": (
        _leaderboard,
        "say what the best of your submissions is worth beyond the public leaderboard",
        _add_to_leaderboard,
    ),
}
