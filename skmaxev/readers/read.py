"""One door for all sources of scores."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from skmaxev.readers.arrays import from_array, from_object
from skmaxev.readers.checkpoint import check_program, from_checkpoint, is_checkpoint
from skmaxev.readers.columns import as_columns
from skmaxev.readers.files import read_csv
from skmaxev.readers.long import from_long
from skmaxev.readers.results import from_cv_results
from skmaxev.readers.search import from_search, from_skore, is_search, is_skore
from skmaxev.readers.studies import from_study, is_study
from skmaxev.table import Design, ScoreTable

__all__ = ["read_scores"]

_STEPS = {
    "ResultGrid": "its .get_dataframe()",  # ray
    "ExperimentAnalysis": "its .results",  # ray, FLAML
    "Trials": "its .results",  # hyperopt
    "SparkTrials": "its .results",
    "Client": "its .summarize()",  # Ax
    "AxClient": "its .get_trials_data_frame()",
    "RunHistory": "a frame with a row a trial, [(k.config_id, k.instance, v.cost) for k, v in "
    "runhistory.items()], with candidate=, fold= and score=",  # SMAC
    "HyperparameterOptimizationFacade": "a frame of its .runhistory",
    "AlgorithmConfigurationFacade": "a frame of its .runhistory",
}
"""What makes the results of other tools readable; none of them is a table by itself."""


def read_scores(
    results: Any,
    *,
    metric: str | None = None,
    greater_is_better: bool | None = None,
    candidate: str | Sequence[str] | None = None,
    fold: str | Sequence[str] | None = None,
    score: str | None = None,
    error_score: float | None = None,
    candidates_in: str | None = None,
    n_repeats: int | None = None,
    test_share: float | None = None,
    clusters: ArrayLike | None = None,
) -> ScoreTable:
    """Make a ScoreTable from whatever a search left behind.

    Parameters
    ----------
    results, metric, greater_is_better, candidate, fold, score, error_score, candidates_in, \
n_repeats, test_share, clusters
        As in `skmaxev.correct`.

    Returns
    -------
    ScoreTable
        Scores of shape (n_splits, n_candidates), higher is better, and what is known of them.

    Raises
    ------
    TypeError
        If ``results`` is of no known kind, or an option of the wrong one.
    ValueError
        If its shape and names leave more than one meaning, or it holds no scores of splits.

    Examples
    --------
    >>> table = read_scores([[0.8, 0.7, 0.9], [0.6, 0.8, 0.7]])
    >>> table.n_splits, table.best_index
    (2, 2)
    """
    naming = {"metric": metric, "greater_is_better": greater_is_better, "error_score": error_score}
    long = {"candidate": candidate, "fold": fold, "score": score}
    table = _own_table(results, metric, greater_is_better)
    if table is None:
        table = _from_table(results, long, naming, candidates_in)
    return _with_design(table, n_repeats, test_share, clusters)


def _with_design(
    table: ScoreTable, n_repeats: int | None, test_share: float | None, clusters: Any
) -> ScoreTable:
    """Add what the caller says of the splits to what the source says."""
    if n_repeats is not None and test_share is None:  # the folds of one repeat share its rows
        test_share = 1.0 / max(table.n_splits // max(n_repeats, 1), 2)
    clusters = None if clusters is None else np.asarray(clusters)
    told = {"n_repeats": n_repeats, "test_share": test_share, "clusters": clusters}
    given: dict[str, Any] = {name: value for name, value in told.items() if value is not None}
    if not given:
        return table
    known = table.design or Design.assumed(table.n_splits)
    return replace(table, design=replace(known, **given, source="told"))


def _own_table(
    results: Any,
    metric: str | None,
    greater_is_better: bool | None,  # noqa: FBT001
) -> ScoreTable | None:
    """Read what says by itself which way its scores go; None for all else."""
    own = getattr(results, "table", results)
    if isinstance(own, ScoreTable):  # a report has one too
        return own
    if not isinstance(metric, str | None):
        raise TypeError(f"metric must be the name of a metric; got {metric!r}.")
    if is_checkpoint(results):
        check_program(results)
        return from_checkpoint(results, metric=metric)
    if not (is_study(results) or is_search(results)):
        return None
    table = (from_study if is_study(results) else from_search)(results, metric=metric)
    if greater_is_better is not False or not table.greater_is_better:
        return table
    note = (
        f"greater_is_better=False was not used: the {table.source} says itself that higher is "
        "better. Of a search whose scores are losses, pass its cv_results_."
    )
    return replace(table, notes=(*table.notes, note))


def _from_table(
    results: Any, long: dict[str, Any], naming: dict[str, Any], candidates_in: str | None
) -> ScoreTable:
    source: dict[str, Any] = {}
    if is_skore(results):
        return from_skore(results, **naming)
    if isinstance(results, str | os.PathLike) or hasattr(results, "read"):
        source = {"source": "CSV text" if hasattr(results, "read") else Path(results).name}
        results = read_csv(results)
    if hasattr(results, "collect_schema") and hasattr(results, "collect"):
        results = results.collect()  # a lazy frame
    columns = as_columns(results)
    if columns is not None and any(name is not None for name in long.values()):
        return from_long(columns, **long, **naming, **source)
    if columns is not None:
        return from_cv_results(columns, **naming, **source)
    if hasattr(results, "scores"):
        return from_object(results, **naming)
    if isinstance(results, list | tuple) or hasattr(results, "__array__"):
        _check_one(results)
        return from_array(results, candidates_in=candidates_in, **naming)
    kind = type(results).__name__
    step = "a fitted object" if isinstance(results, type) else _STEPS.get(kind)
    raise TypeError(
        "results must be a fitted search, cv_results_, a frame, a CSV path, an array (n_splits, "
        f"n_candidates), an Optuna study or a ScoreTable; got {kind}."
        f"{f' Pass {step}.' if step else ''}"
    )


def _check_one(results: Any) -> None:
    """Refuse the trials of a study, an unfitted search, and pairs, in a list."""
    first = results[0] if isinstance(results, list | tuple) and results else None
    if isinstance(first, list | tuple) and first and isinstance(first[0], str | Mapping):
        raise TypeError(
            f"results must be numbers; got pairs that begin with a {type(first[0]).__name__}. Pass "
            "the scores by the name of their model, {'svm': scores, 'forest': scores}."
        )
    if is_search(first) or is_study(first) or hasattr(first, "user_attrs"):
        raise TypeError(
            f"results must be one search or study; got a {type(results).__name__} of "
            f"{type(first).__name__}. Correct each by itself, and pass a study, not its trials."
        )
