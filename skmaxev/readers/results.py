"""Readers of ``cv_results_``: a dict, or a pandas or polars frame of it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skmaxev.metrics import is_metric
from skmaxev.readers.build import as_floats, build_table, is_missing, numbers
from skmaxev.readers.columns import STATES, number_of_split, split_columns, with_lists_unpacked
from skmaxev.table import OuterFolds, Rows, ScoreTable, UncorrectableError, mean_scores

__all__ = ["choose_metric", "from_cv_results"]

_MOST_NAMED = 6
_MEAN_TOLERANCE = 1e-6  # stored means are often rounded
_NO_SETTING = re.compile(  # means, ranks and times, indices that were written too, and W&B's own
    r"^(mean|std|rank|avg|split\d*|test|train|val|valid)_|^(mean|std|sd|min|max|iter|n_resources|"
    r"number|value|state|status|params?)$|time|duration|^_|^Unnamed|^(user|system)_attrs|^metrics\.",
    re.IGNORECASE,
)
_ROUNDING = 1e-9
_FEWEST_SUMMED, _FEWEST_SPLITS = 3, 2  # below, a candidate may well be the mean of the others


def from_cv_results(
    results: Mapping[str, Any],
    *,
    metric: str | None = None,
    greater_is_better: bool | None = None,
    best_index: int | None = None,
    error_score: float | None = None,
    told: bool = True,
    name: str | None = None,
    n_fits: int | None = None,
    rows: Rows | None = None,
    outer: OuterFolds | None = None,
    source: str = "cv_results_",
) -> ScoreTable:
    """Read the columns ``split0_test_score``, ... of a search or of a table like it.

    Columns named ``fold0``, ``split 1`` or ``fold_1_auc`` do as well, and a column ``fold_scores``,
    ``scores`` or ``test_score`` of lists. Splits are taken in the order of their numbers.
    """
    results, parents = _without_parents(results)
    results = with_lists_unpacked(results, metric)
    check_candidates(results)
    column, columns = choose_metric(split_columns(results), metric, list(results))
    scores = _stacked({column: results[column] for column in columns})
    if greater_is_better is None and f"_test_{column}" in str(columns[0]):
        greater_is_better = True  # in scikit-learn's results, under any name
    rounds, notes = _earlier_rounds(results)
    trials, said = _unfinished(results, greater_is_better=greater_is_better)
    return build_table(
        scores,
        metric=name or _name(column, metric),
        greater_is_better=greater_is_better,
        best_index=best_index,
        error_score=error_score,
        told=told,
        left_out=rounds | trials,
        params=_params(results, scores.shape[1]),
        rows=rows,
        outer=outer,
        n_fits=n_fits,
        source=source,
        notes=(
            *(*parents, *notes, *said, *_gaps(columns)),
            *(*_other_means(results, column, scores), *_summaries(scores)),
        ),
    )


def _without_parents(results: Mapping[str, Any]) -> tuple[Mapping[str, Any], tuple[str, ...]]:
    """Drop the runs of MLflow that only hold others together; they are no candidates."""
    parents = set(results.get("tags.mlflow.parentRunId", ()))
    kept = [i for i, run in enumerate(results.get("run_id", ())) if run not in parents]
    if not parents or len(kept) == len(results["run_id"]):
        return results, ()
    note = (
        "Parent runs were left aside. If MLflow kept only the best of their runs "
        "(max_tuning_runs), the choice among all others is not corrected."
    )
    return {name: [list(cells)[i] for i in kept] for name, cells in results.items()}, (note,)


def _stacked(columns: Mapping[str, Any]) -> NDArray[np.float64]:
    """Put the columns of the splits on top of each other, each with its own kind of missing."""
    rows = [as_floats(column, f"column {name!r}") for name, column in columns.items()]
    sizes = {row.size for row in rows}
    if len(sizes) > 1:
        raise UncorrectableError(
            "every split must have a score of every candidate; got columns of "
            f"{min(sizes)} to {max(sizes)} scores. Put NaN where a fit failed."
        )
    return numbers(rows, "scores of the splits")


def _gaps(columns: Sequence[str]) -> tuple[str, ...]:
    """Say which splits between the first and the last have no column."""
    there = {number_of_split(name) for name in columns}
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
        raise UncorrectableError(
            "results must hold the score of every candidate on every split, as in columns "
            f"split0_test_score, split1_test_score, ...; found only {shown}. Mean scores alone "
            "show no noise, so there is nothing to correct from: save the whole cv_results_, or "
            "name the columns of a long table with candidate=, fold= and score=. A frame of plain "
            f"scores goes as an array, frame.to_numpy(), one row a split.{_hint(names)}"
        )
    if metric is not None and metric not in found:
        metric = metric.removeprefix("test_")
    if metric is not None and metric in found:
        return metric, found[metric]
    if len(found) == 1 and (metric is None or "score" in found):
        return next(iter(found.items()))
    raise ValueError(
        f"metric must be one of {sorted(found)}; got {metric!r}. Say metric={sorted(found)[0]!r}, "
        "for example."
    )


def _hint(names: Sequence[Any]) -> str:
    """Say what to pass in place of means that tools are known to leave."""
    if "tags.mlflow.parentRunId" in names:
        return " Of a search that MLflow logged, pass its artifact cv_results.csv."
    if any(str(name).endswith("-mean") for name in names):
        return (
            " The rows of lightgbm.cv, xgboost.cv and catboost.cv are rounds of one candidate, and "
            "their standard deviation does not tell which folds were hard for all: keep the models "
            "of the folds (return_cvbooster, return_models, a callback) and score each on its fold."
        )
    return ""


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


def _unfinished(
    results: Mapping[str, Any], *, greater_is_better: bool | None
) -> tuple[dict[int, str], tuple[str, ...]]:
    """Leave out the trials of an Optuna study's frame that did not complete."""
    if "state" not in results or "value" not in results:
        return {}, ()
    states = [str(state).rsplit(".", 1)[-1] for state in results["state"]]
    if not set(states) <= {*STATES, "COMPLETE"}:
        return {}, ()
    note = (
        f"The frame of a study does not say its direction; read as "
        f"{'lower' if greater_is_better is False else 'higher'} is better. Pass the study itself "
        "to be sure."
    )
    return {i: STATES[state] for i, state in enumerate(states) if state in STATES}, (note,)


def _summaries(scores: NDArray[np.float64]) -> tuple[str, ...]:
    """Ask whether a candidate is the mean of all others, written below them."""
    table = scores[:, np.isfinite(scores).all(axis=0)]
    count = table.shape[1] - 1
    if count < _FEWEST_SUMMED or len(table) < _FEWEST_SPLITS:
        return ()
    others = (table.sum(axis=1, keepdims=True) - table) / count
    near = np.abs(table - others) <= _ROUNDING * np.abs(table).max()
    same = np.ptp(table, axis=1).max() <= _ROUNDING * np.abs(table).max()
    found = np.flatnonzero(near.all(axis=0)) if not same else ()
    return tuple(
        f"Candidate {np.flatnonzero(np.isfinite(scores).all(axis=0))[index]} is the mean of all "
        "others on every split: if it sums them up, leave it out."
        for index in found
    )


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
    params = _column(results, "params")
    if params is not None and all(isinstance(found, Mapping) for found in params):
        return params
    settings = {
        str(name).removeprefix(prefix): list(results[name])
        for name in results
        for prefix in ("param_", "params_", "params.", "config/")  # also of Optuna, MLflow, ray
        if str(name).startswith(prefix)
    }
    if not settings and params is not None:
        return [{"params": found} for found in params]
    settings = settings or _descriptions(results)
    if not settings:
        return None
    return [
        {name: values[index] for name, values in settings.items() if _is_set(values[index])}
        for index in range(size)
    ]


def _column(results: Mapping[str, Any], name: str) -> list[Any] | None:
    return list(results[name]) if name in results else None


def _descriptions(results: Mapping[str, Any]) -> dict[str, list[Any]]:
    """Find what else a table says of its candidates: all that is no score and not constant."""
    splits = {name for names in split_columns(results).values() for name in names}
    found = {
        str(name): list(column)
        for name, column in results.items()
        if name not in splits and str(name).strip() and not _NO_SETTING.search(str(name))
    }
    return {name: cells for name, cells in found.items() if len(set(map(str, cells))) > 1}


def check_candidates(results: Mapping[str, Any]) -> None:
    """Refuse a table whose rows are metrics of one model, such as Accuracy and Recall by fold."""
    splits = {name for names in split_columns(results).values() for name in names}
    for name in set(results) - splits:
        labels = [cell for cell in results[name] if isinstance(cell, str)]
        metrics = [label for label in labels if is_metric(label)]
        if len(metrics) > max(1, len(labels) // 2) and len(set(labels)) == len(labels):
            raise ValueError(
                f"every row must be a candidate; the rows here are metrics, such as {metrics[0]!r} "
                f"and {metrics[1]!r}, of one model, of which nothing was chosen. Pass one metric "
                "of all models: an array, one row a split and one column a model."
            )


def _is_set(value: Any) -> bool:
    """Tell whether a candidate has this setting: files leave the cell empty, frames put NaN."""
    return not is_missing(value) and not (isinstance(value, str) and value == "")
