"""What the fits of a search gave: its winner, ``cv_results_``, and one score table a metric."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from skmaxev._compat import check_refit, format_results, scorers_of, select_best_index
from skmaxev.engine.record import SINGLE, Record, Responses
from skmaxev.engine.types import Place
from skmaxev.metrics import METRICS, rows_from_responses, scores_from_responses
from skmaxev.readers.build import build_table
from skmaxev.search._request import Request
from skmaxev.table import OuterFolds, Rows, ScoreTable, UncorrectableError

__all__ = [
    "NOBODY",
    "Outcome",
    "attributes_of_outer_folds",
    "choose",
    "choose_winner",
    "complete_scores",
    "honest_or_warn",
    "outcome_of",
    "responses_of",
    "search_results",
]

FloatArray = NDArray[np.float64]
NOBODY = -1
"""In place of a candidate, where none was chosen."""
_SAME = 1e-4
"""How far scores from predictions may be from those of the scorer, relatively."""


class Outcome(NamedTuple):
    """What a search found, before it is corrected.

    Parameters
    ----------
    record : Record
        Scores and counts of all fits.
    found : dict
        The fitted attributes of GridSearchCV.
    tables : dict of str to ScoreTable
        By metric; without those that hold nothing to correct.
    outer : mapping of str to OuterFolds
        By metric; empty where there are none.
    """

    record: Record
    found: dict[str, Any]
    tables: dict[str, ScoreTable]
    outer: Mapping[str, OuterFolds]


@contextmanager
def honest_or_warn() -> Iterator[None]:
    """Turn an error that leaves no honest number into a warning that says why."""
    try:
        yield
    except UncorrectableError as error:
        warnings.warn(f"The honest score is NaN: {error}", UserWarning, stacklevel=2)


def outcome_of(
    request: Request,
    record: Record,
    found: dict[str, Any],
    responses: Responses | None,
    outer: Mapping[str, OuterFolds] = MappingProxyType({}),
) -> Outcome:
    """Make the score table of each metric, with the winner that was ``found``.

    A failed fit or scorer leaves NaN in a table, never a filler. A metric is left out, after a
    warning, if no candidate has a score on every split, or its winner has none.
    """
    primary = request.primary(record)
    tables = {}
    for metric in record.metrics:
        scores = complete_scores(record, request.places, metric)
        own = "best_index_" in found and (callable(request.refit) or metric == primary)
        with honest_or_warn():
            table = build_table(
                np.ascontiguousarray(scores.T),
                metric=request.metric_name(metric),
                best_index=found["best_index_"] if own else choose(scores),
                params=request.candidates,
                design=request.design,
                outer=outer.get(metric),
                n_fits=record.n_fits + bool(request.refit),
                source=request.source,
            )
            table = replace(
                table,
                n_train=np.array([len(split.train) for split in request.splits]),
                n_test=np.array([len(split.test) for split in request.splits]),
            )
            own = metric == request.chosen_by
            tables[metric] = _with_rows(request, table, responses) if own else table
    return Outcome(record, found, tables, outer)


def choose_winner(request: Request, record: Record) -> dict[str, Any]:
    """Choose as GridSearchCV does; give its fitted attributes."""
    results = search_results(request, record, request.places)
    if callable(request.scoring) and record.multimetric:  # known only after the fits
        check_refit(request.refit, record.metrics)
    found = {
        "cv_results_": results,
        "n_splits_": len(request.splits),
        "multimetric_": record.multimetric,
        "scorer_": scorers_of(request.scorer),
    }
    if request.refit or not record.multimetric:
        metric = request.refit if record.multimetric else SINGLE
        best = select_best_index(request.refit, metric, results)
        found |= {"best_index_": best, "best_params_": results["params"][best]}
    return found


def search_results(request: Request, record: Record, places: Sequence[Place]) -> dict[str, Any]:
    """Make the ``cv_results_`` of a search with these splits, by scikit-learn's own hand."""
    train = request.return_train_score
    output = record.as_scikit_learn(places, train=train)
    return format_results(request.candidates, len(places), output, train=train)


def complete_scores(record: Record, places: Sequence[Place], metric: str) -> FloatArray:
    """Gather scores, (n_candidates, n_places); a failed fit or scorer leaves NaN, no filler."""
    return np.where(record.failed(places, metric), np.nan, record.scores(places, metric))


def choose(scores: FloatArray) -> int:
    """Choose the candidate with the best mean score, in scikit-learn's way to the last bit.

    Parameters
    ----------
    scores : ndarray of shape (n_candidates, n_splits)
        Higher is better; a candidate with NaN comes last.

    Returns
    -------
    int
        The first of equals; 0 if no candidate has a mean score.
    """
    means = np.average(scores, axis=1)
    if np.isnan(means).all():
        return 0
    means = np.nan_to_num(means, nan=np.nanmin(means) - 1)
    return int(rankdata(-means, method="min").argmin())


def responses_of(request: Request) -> Responses | None:
    """Make what takes the predictions out of the fits; None where none are to be kept."""
    kind, _ = request.responses
    if not kind:
        return None
    return Responses(
        request.splits,
        n_repeats=request.design.n_repeats,
        n_rows=request.n_rows,
        n_candidates=len(request.candidates),
        classes=np.unique(np.asarray(request.y)) if kind == "label" else None,
    )


def _with_rows(request: Request, table: ScoreTable, responses: Responses | None) -> ScoreTable:
    """Add the results of single rows, or the note why there are none."""
    rows = None if responses is None else _rows_of(table, np.asarray(request.y), responses)
    _, note = request.responses
    notes = (note,) if note and rows is None else ()
    return replace(table, rows=rows, notes=(*table.notes, *notes))


def _rows_of(table: ScoreTable, y: NDArray[Any], responses: Responses) -> Rows | None:
    """Give the results of single rows, if the predictions give the scores.

    They do not for a scorer that takes another class for the positive one.
    """
    if responses.values is None:
        return None
    if METRICS[table.metric].answer == "label":
        y = np.unique(y, return_inverse=True)[1]
    given = table.metric, y, responses.values, responses.test_fold
    found = scores_from_responses(*given)
    complete = np.isfinite(table.scores).all(axis=0)
    if found is None or not complete.any():
        return None
    scores = table.scores[:, complete]
    off = _SAME * max(float(np.ptp(scores)), float(np.abs(scores).max()))
    same = np.allclose(found[:, complete], scores, rtol=_SAME, atol=off)
    return rows_from_responses(*given) if same else None


def attributes_of_outer_folds(own: OuterFolds | None, candidates: Sequence[Any]) -> dict[str, Any]:
    """Give ``outer_scores_``, and ``outer_results_``, a table of one row a fold, of one metric."""
    if own is None:
        return {}
    params = own.params or [None if k == NOBODY else candidates[k] for k in own.best_index]
    results = {
        "best_index": own.best_index,
        "params": list(params),
        "n_train": own.n_train,
        "n_test": own.n_test,
        "mean_inner_score": _winners_inner_means(own),
        "test_score": own.scores,
    }
    return {"outer_scores_": own.scores, "outer_results_": results}


def _winners_inner_means(own: OuterFolds) -> FloatArray:
    """Average the inner scores of each fold's winner, over the inner splits that the fold has."""
    if own.inner is not None and own.params is not None:
        return own.inner[:, 0, 0]
    means = np.full(len(own.scores), np.nan)
    for k, best in enumerate(own.best_index):
        if best != NOBODY and own.inner is not None:
            made = ~np.isnan(own.inner[k]).all(axis=1)  # a fold may have fewer splits than others
            means[k] = own.inner[k][made, best].mean() if made.any() else np.nan
    return means
