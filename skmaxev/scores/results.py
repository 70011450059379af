"""Readers of ``cv_results_``: a dict, or a pandas or polars frame of it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skmaxev.scores.build import as_floats, build_table, is_missing, mean_scores, numbers
from skmaxev.scores.table import OuterFolds, RowScores, ScoreTable

__all__ = ["choose_metric", "from_cv_results", "split_columns"]

_SKLEARN = re.compile(r"split(\d+)_test_(.+)")
_OTHER = re.compile(
    r"(cv|fold|split|rep|repeat|repetition|run)[\s_-]*(\d+)(?:[\s_-]*(?:test[\s_-]*)?score)?",
    re.IGNORECASE,
)
_MOST_NAMED = 6
_MEAN_TOLERANCE = 1e-6  # stored means are often rounded


def from_cv_results(
    results: Mapping[str, Any],
    *,
    metric: str | None = None,
    greater_is_better: bool = True,
    best_index: int | None = None,
    error_score: float | None = None,
    n_fits: int | None = None,
    rows: RowScores | None = None,
    outer: OuterFolds | None = None,
    source: str = "cv_results_",
) -> ScoreTable:
    """Read the columns ``split0_test_score``, ``split1_test_score``, ... of a finished search.

    Parameters
    ----------
    results : mapping of str to sequence of length n_candidates
        ``search.cv_results_``, or a frame of it. Splits are taken in the order of their numbers.
        Columns named ``fold0`` or ``split 1`` do as well.
    metric : str, optional
        Which metric, where there are several; where there is one, its name for the report.
    greater_is_better : bool
        False if the columns hold losses.
    best_index, error_score, n_fits, rows, outer, source
        As in ``build_table``.

    Raises
    ------
    ValueError
        If there are no scores of single splits, or several metrics and no choice.
    """
    name, columns = choose_metric(split_columns(results), metric, list(results))
    scores = _stacked([results[column] for column in columns])
    left_out, notes = _earlier_rounds(results)
    return build_table(
        scores,
        metric=_name(name, metric),
        greater_is_better=greater_is_better,
        best_index=best_index,
        error_score=error_score,
        left_out=left_out,
        params=_params(results, scores.shape[1]),
        rows=rows,
        outer=outer,
        n_fits=n_fits,
        source=source,
        notes=(*notes, *_gaps(columns), *_other_means(results, name, scores)),
    )


def _stacked(columns: Sequence[Any]) -> NDArray[np.float64]:
    """Put the columns of the splits on top of each other, each with its own kind of missing."""
    rows = [as_floats(column, "scores of the splits") for column in columns]
    sizes = {row.size for row in rows}
    if len(sizes) > 1:
        raise ValueError(
            "every split must have a score of every candidate; got columns of "
            f"{min(sizes)} to {max(sizes)} scores. Put NaN where a fit failed."
        )
    return numbers(rows, "scores of the splits")


def split_columns(names: Iterable[Any]) -> dict[str, list[str]]:
    """Find the columns of single splits: metric to columns, in the order of the splits' numbers."""
    found: dict[str, list[tuple[int, str]]] = {}
    others: dict[str, list[tuple[int, str]]] = {}
    for name in names:
        text = str(name).strip()
        if match := _SKLEARN.fullmatch(text):
            found.setdefault(match[2], []).append((int(match[1]), name))
        elif match := _OTHER.fullmatch(text):
            others.setdefault(match[1].lower(), []).append((int(match[2]), name))
    if not found and others:
        found["score"] = _only_kind(others)
    return {metric: _in_order(columns) for metric, columns in found.items()}


def _only_kind(kinds: Mapping[str, list[tuple[int, str]]]) -> list[tuple[int, str]]:
    if len(kinds) > 1:
        shown = ", ".join(repr(columns[0][1]) for columns in kinds.values())
        raise ValueError(
            f"the columns of the splits must have names of one kind; got {shown}. Leave out or "
            "rename those that hold no scores."
        )
    return next(iter(kinds.values()))


def _in_order(columns: Sequence[tuple[int, str]]) -> list[str]:
    most, count = Counter(number for number, _ in columns).most_common(1)[0]
    if count > 1:
        raise ValueError(
            f"every split must have one column; got {count} for split {most}. Rename or leave out "
            "those that hold other scores."
        )
    return [name for _, name in sorted(columns)]


def _gaps(columns: Sequence[str]) -> tuple[str, ...]:
    """Say which splits between the first and the last have no column."""
    there = {int(number[0]) for name in columns if (number := re.search(r"\d+", str(name)))}
    missing = sorted(set(range(min(there), max(there))) - there)
    if not missing:
        return ()
    return (
        f"There is no column for split {', '.join(map(str, missing[:_MOST_NAMED]))}"
        f"{' and others' if len(missing) > _MOST_NAMED else ''}; the {len(there)} splits that are "
        "there were used.",
    )


def choose_metric(
    found: Mapping[str, list[str]], metric: str | None, names: Sequence[Any]
) -> tuple[str, list[str]]:
    """Pick one metric's columns, or say which there are."""
    if not found:
        shown = ", ".join([str(name) for name in names if str(name).strip()][:12]) or "nothing"
        raise ValueError(
            "results must hold the score of every candidate on every split, as in columns "
            f"split0_test_score, split1_test_score, ...; found only {shown}. Mean scores alone "
            "show no noise, so there is nothing to correct from: save the whole cv_results_, or "
            "name the columns of a long table with candidate=, fold= and score=. A frame of plain "
            "scores goes as an array, frame.to_numpy(), one row a split."
        )
    if metric is not None and metric in found:
        return metric, found[metric]
    if len(found) == 1 and (metric is None or "score" in found):
        return next(iter(found.items()))
    raise ValueError(
        f"metric must be one of {sorted(found)}; got {metric!r}. Say metric={sorted(found)[0]!r}, "
        "for example."
    )


def _name(found: str, asked: str | None) -> str:
    # A search with one metric calls its columns 'score', whatever the metric is.
    return asked if asked is not None and found == "score" else found


def _earlier_rounds(results: Mapping[str, Any]) -> tuple[dict[int, str], tuple[str, ...]]:
    """Leave out what successive halving scored on fewer resources than its last round."""
    if "iter" not in results or "n_resources" not in results:
        return {}, ()
    rounds = np.asarray(results["iter"], dtype=float)
    last = rounds.max()
    note = (
        "Successive halving: only the last round is corrected. Its candidates were chosen in "
        "earlier rounds on partly the same rows, which no table of scores can undo."
    )
    reason = "scored in an earlier round of successive halving, on fewer resources"
    return {int(index): reason for index in np.flatnonzero(rounds < last)}, (note,) if last else ()


def _other_means(
    results: Mapping[str, Any], metric: str, scores: NDArray[np.float64]
) -> tuple[str, ...]:
    """Say so if the stored means are not the plain means of the splits."""
    column = f"mean_test_{metric}"
    if column not in results:
        return ()
    stored, plain = numbers([results[column]], column)[0], mean_scores(scores)
    both = np.isfinite(stored) & np.isfinite(plain)
    gap = np.abs(stored[both] - plain[both])
    off = gap > _MEAN_TOLERANCE * np.maximum(1.0, np.abs(plain[both]))
    if not off.any():
        return ()
    return (
        f"{column} is not the plain mean of the splits for {int(off.sum())} candidate(s), by up to "
        f"{gap.max():.2g}; the plain mean is used throughout.",
    )


def _params(results: Mapping[str, Any], size: int) -> list[Mapping[str, Any]] | None:
    """Read each candidate's settings; text stays text, nothing is evaluated."""
    params = list(results["params"]) if "params" in results else None
    if params is not None and all(isinstance(found, Mapping) for found in params):
        return params
    settings = {
        str(name).removeprefix("param_"): list(results[name])
        for name in results
        if str(name).startswith("param_")
    }
    if not settings:
        return None if params is None else [{"params": found} for found in params]
    return [
        {name: values[index] for name, values in settings.items() if _is_set(values[index])}
        for index in range(size)
    ]


def _is_set(value: Any) -> bool:
    """Tell whether a candidate has this setting: files leave the cell empty, frames put NaN."""
    return not is_missing(value) and not (isinstance(value, str) and value == "")
