"""The main job on real data: a search's printed and honest score against fresh rows."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, TextIO

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from skmaxev.report import SelectionReport
from skmaxev.search import HonestSearchCV, NestedCVSearch

__all__ = ["Comparison", "compare", "run_demo"]

_GRID = {"svc__C": np.logspace(-1, 3, 6), "svc__gamma": np.logspace(-4, 0, 6)}
_N_SPLITS = 5
_N_ROWS = 50
_MOST_JOBS = 4
_WIDTH = 30


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """Scores of repeated searches, one entry a search, each on rows of its own draw.

    Parameters
    ----------
    printed : ndarray of shape (n_searches,)
        Best score as GridSearchCV prints it.
    honest : ndarray of shape (n_searches,)
        The same, corrected.
    truth : ndarray of shape (n_searches,)
        Accuracy of the winner, refitted, on all rows that its search never saw.
    nested : ndarray of shape (n_searches,), optional
        Nested cross-validation.
    report : SelectionReport
        Of the first search.
    """

    printed: NDArray[np.float64]
    honest: NDArray[np.float64]
    truth: NDArray[np.float64]
    nested: NDArray[np.float64] | None
    report: SelectionReport


def run_demo(
    *, n_searches: int = 60, seconds: float = 45.0, nested: bool = False, out: TextIO | None = None
) -> None:
    """Tune a pipeline on small draws of real rows and print what its best score was worth.

    Parameters
    ----------
    n_searches : int
        Searches to make, each on 50 rows drawn anew.
    seconds : float
        Time after which no further search begins.
    nested : bool
        Make nested cross-validation too, at three times the fits.
    out : text file, optional
        Where to print; standard output if omitted.
    """
    stream = sys.stdout if out is None else out
    print(_introduction(), file=stream, flush=True)
    found = compare(
        n_searches=n_searches, seconds=seconds, nested=nested, progress=_progress(stream)
    )
    print(_conclusion(found), file=stream)


def compare(
    *,
    n_searches: int,
    seconds: float = np.inf,
    nested: bool = False,
    n_jobs: int | None = None,
    progress: Callable[[int, int], None] = lambda done, total: None,  # noqa: ARG005
) -> Comparison:
    """Search on draws of 50 rows of the breast cancer data, and judge on the rows left over.

    Parameters
    ----------
    n_searches : int
        Searches to make; seeds 0, 1, ...
    seconds : float
        Time after which no further search begins.
    nested : bool
        Make nested cross-validation too.
    n_jobs : int, optional
        Processes; the cores there are, four at most, if omitted.
    progress : callable
        Told how many searches of how many are done.
    """
    jobs = n_jobs or min(os.cpu_count() or 1, _MOST_JOBS)
    begin = time.monotonic()
    rows: list[tuple[float, ...]] = []
    progress(0, n_searches)
    with Parallel(n_jobs=jobs) as pool:
        for seeds in _batches(n_searches, 2 * jobs):
            rows += pool(delayed(_search)(seed, nested=nested) for seed in seeds)
            progress(len(rows), n_searches)
            if time.monotonic() - begin > seconds:
                break
    columns = np.array(rows).T
    return Comparison(
        printed=columns[0],
        honest=columns[1],
        truth=columns[2],
        nested=columns[3] if nested else None,
        report=_report(0)[0],
    )


def _batches(total: int, size: int) -> Iterator[range]:
    for start in range(0, total, size):
        yield range(start, min(start + size, total))


def _draw(seed: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Draw the rows that a search sees; the others are fresh."""
    n_rows = len(load_breast_cancer().target)
    order = np.random.default_rng(seed).permutation(n_rows)
    return order[:_N_ROWS], order[_N_ROWS:]


def _report(seed: int) -> tuple[SelectionReport, float]:
    X, y = load_breast_cancer(return_X_y=True)
    seen, fresh = _draw(seed)
    search = HonestSearchCV(_pipeline(), _GRID, cv=_folds(seed)).fit(X[seen], y[seen])
    return search.report_, float(search.score(X[fresh], y[fresh]))


def _search(seed: int, *, nested: bool) -> tuple[float, ...]:
    report, truth = _report(seed)
    row = (report.naive, report.estimate, truth)
    if not nested:
        return row
    X, y = load_breast_cancer(return_X_y=True)
    seen, _ = _draw(seed)
    search = NestedCVSearch(_pipeline(), _GRID, cv=_folds(seed), refit=False)
    return (*row, float(search.fit(X[seen], y[seen]).best_score_))


def _pipeline() -> Any:
    return make_pipeline(StandardScaler(), SVC())


def _folds(seed: int) -> StratifiedKFold:
    return StratifiedKFold(_N_SPLITS, shuffle=True, random_state=seed)


def _introduction() -> str:
    candidates = int(np.prod([len(values) for values in _GRID.values()]))
    return (
        "Is the best score of a search true?\n\nBreast cancer data, 569 rows. A search sees "
        f"{_N_ROWS} of them and tunes a pipeline (scaling,\nsupport vector machine) over "
        f"{candidates} candidates by {_N_SPLITS}-fold cross-validation. The rows it never\nsaw "
        "then tell how good its winner really is. Repeated for draw after draw:\n"
    )


def _conclusion(found: Comparison) -> str:
    lines = [
        "\nThe first of these searches:\n",
        *("  " + line for line in str(found.report).splitlines()),
        f"\nAccuracy over {len(found.truth)} searches:\n",
        f"  {'':<{_WIDTH}}{'mean':>7}{'off by':>10}   (standard error)",
        _line("Printed by GridSearchCV", found.printed, found.truth),
        _line("Honest score, no extra fits", found.honest, found.truth),
    ]
    if found.nested is not None:
        lines.append(_line("Nested CV, 3 times the fits", found.nested, found.truth))
    lines.append(f"  {'True, on the fresh rows':<{_WIDTH}}{found.truth.mean():>7.3f}")
    lines.append(
        "\nYour own search:  HonestSearchCV(model, grid)  in place of  GridSearchCV(model, grid),"
    )
    lines.append(
        "or of one that is over:  skmaxev.correct(search)  or  skmaxev correct cv_results.csv"
    )
    return "\n".join(line.rstrip() for line in lines)


def _line(name: str, scores: NDArray[np.float64], truth: NDArray[np.float64]) -> str:
    off = scores - truth
    error = off.std(ddof=1) / np.sqrt(len(off)) if len(off) > 1 else np.nan
    return f"  {name:<{_WIDTH}}{scores.mean():>7.3f}{off.mean():>+10.3f}   ({error:.3f})"


def _progress(stream: TextIO) -> Callable[[int, int], None]:
    """Show a bar with the time left on a terminal, and a line now and then elsewhere."""
    begin = time.monotonic()
    shown = 0

    def show(done: int, total: int) -> None:
        nonlocal shown
        left = (time.monotonic() - begin) / max(done, 1) * (total - done)
        rest = f", {left:.0f} s left" if done else ""
        if stream.isatty():
            bar = "#" * (_WIDTH * done // total)
            text = f"\r  [{bar:<{_WIDTH}}] {done} of {total} searches{rest:<12}"
            print(text, end="\n" if done == total else "", file=stream, flush=True)
        elif done in {0, total} or done - shown >= total / 4:
            shown = done
            print(f"  {done} of {total} searches{rest}", file=stream, flush=True)

    return show
