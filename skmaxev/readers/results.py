"""Readers of ``cv_results_``: a dict, or a pandas or polars frame of it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skmaxev.metrics import is_metric
from skmaxev.readers.arrays import as_floats, is_missing, numbers
from skmaxev.readers.build import build_table
from skmaxev.readers.columns import STATES, check_rows, split_columns, split_in, with_lists_unpacked
from skmaxev.table import ScoreTable, UncorrectableError, mean_scores

__all__ = ["choose_metric", "from_cv_results"]

_MOST_NAMED = 6
_MEAN_TOLERANCE = 1e-6  # stored means are often rounded
_FOLD = re.compile(r"(cv[\s_]?)?(fold|split|resample|id2)([\s_]?(id|nr|number|index))?", re.I)
_SETTINGS = re.compile(r"param_|params_|params\.|config/")  # also of Optuna, MLflow, ray
_NO_SETTING = re.compile(  # means, ranks and times, indices that were written too, and W&B's own
    r"^(mean|std|rank|avg|split\d*|test|train|val|valid)_|^(mean|average|avg|std|sd|min|max|iter|"
    r"n_resources|number|value|state|status|params?)$|time|duration|^_|^Unnamed|^(user|system)_attrs|^metrics\.",
    re.IGNORECASE,
)


def from_cv_results(
    results: Mapping[str, Any],
    *,
    metric: str | None = None,
    greater_is_better: bool | None = None,
    name: str | None = None,
    source: str = "cv_results_",
    **options: Any,
) -> ScoreTable:
    """Read the columns ``split0_test_score``, ... of a search or of a table like it.

    Columns named ``fold0``, ``split 1`` or ``fold_1_auc`` do as well, and a column ``fold_scores``,
    ``scores`` or ``test_score`` of lists. Splits are taken in the order of their numbers. ``name``
    is that of the metric where it has another one in the columns; ``options`` are those of
    `build_table`.
    """
    results, parents = _without_parents(results)
    results = with_lists_unpacked(results, metric)
    found = split_columns(results)
    splits = {column for columns in found.values() for column in columns}
    others = {
        name: list(cells)
        for name, cells in results.items()
        if name not in splits and np.iterable(cells)
    }
    _check_candidates(others)
    column, columns = choose_metric(found, metric, list(results))
    scores = _stacked({column: results[column] for column in columns})
    if greater_is_better is None and f"_test_{column}" in str(columns[0]):
        greater_is_better = True  # in scikit-learn's results, under any name
    rounds, halving = _earlier_rounds(results)
    trials, unfinished = _unfinished(results, greater_is_better=greater_is_better)
    # A search with one metric calls its columns 'score', whatever the metric is.
    known_as = metric if metric is not None and column == "score" else column
    return build_table(
        scores,
        metric=name or known_as,
        greater_is_better=greater_is_better,
        left_out=rounds | trials,
        params=_params(others, scores.shape[1]),
        source=source,
        notes=(
            *(*parents, *halving, *unfinished, *_gaps(columns)),
            *_other_means(results, column, scores),
        ),
        **options,
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
    there = {place[2] for name in columns if (place := split_in(name)) is not None}
    missing = sorted(set(range(min(there), max(there))) - there)
    if not missing:
        return ()
    more = " and others" if len(missing) > _MOST_NAMED else ""
    return (
        f"There is no column for split {', '.join(map(str, missing[:_MOST_NAMED]))}{more}; the "
        f"{len(there)} splits that are there were used.",
    )


def choose_metric(
    found: Mapping[str, list[str]], metric: str | None, names: Sequence[Any]
) -> tuple[str, list[str]]:
    """Pick one metric's columns, or say which there are."""
    if not found:
        shown = ", ".join([str(name) for name in names if str(name).strip()][:12]) or "nothing"
        raise UncorrectableError(
            "results must hold the score of every candidate on every split, as in columns "
            f"split0_test_score, split1_test_score, ...; found only {shown}. {_cure(names)}"
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


def _cure(names: Sequence[Any]) -> str:
    """Say what to pass in place of what tools are known to leave."""
    split = next((name for name in names if _FOLD.fullmatch(str(name))), None)
    if split is not None:
        return (
            f"If column {split!r} tells splits apart, this is a long table: say candidate=, "
            f"fold={split!r} and score=, each the name of a column. A frame with one column a "
            "candidate goes as an array of its scores, one row a split."
        )
    if "fit_time" in names and "score_time" in names and "params" not in names:
        return (
            "Of one model nothing was chosen: pass the results of cross_validate of all models by "
            "name, as in {'svm': ..., 'forest': ...}."
        )
    if "cv_results" in names or any(str(name).endswith("-mean") for name in names):
        return (
            "The rows of lightgbm.cv, xgboost.cv, catboost.cv and CatBoost's grid_search are "
            "rounds of one candidate, and their standard deviation does not tell which folds were "
            "hard for all: keep the models of the folds (return_cvbooster, return_models, a "
            "callback) and score each on its fold, or search with GridSearchCV."
        )
    mlflow = "tags.mlflow.parentRunId" in names
    return (
        "Mean scores alone show no noise, so there is nothing to correct from: save the whole "
        "cv_results_, or name the columns of a long table with candidate=, fold= and score=. A "
        "frame of plain scores goes as an array, frame.to_numpy(), one row a split."
        f"{' Of a search that MLflow logged, pass its artifact cv_results.csv.' if mlflow else ''}"
    )


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


def _other_means(
    results: Mapping[str, Any], metric: str, scores: NDArray[np.float64]
) -> tuple[str, ...]:
    """Say so if the stored means are not the plain means of the splits."""
    column = f"mean_test_{metric}"
    if column not in results:
        return ()
    plain = mean_scores(scores)
    with np.errstate(invalid="ignore"):  # infinite scores
        gap = np.abs(as_floats(results[column], column) - plain)
        off = gap > _MEAN_TOLERANCE * np.maximum(1.0, np.abs(plain))  # never where either is NaN
    if not off.any():
        return ()
    return (
        f"{column} is not the plain mean of the splits for {int(off.sum())} candidate(s), by up to "
        f"{gap[off].max():.2g}; the plain mean is used throughout.",
    )


def _params(others: Mapping[str, list[Any]], size: int) -> list[Mapping[str, Any]] | None:
    """Read each candidate's settings; text stays text, nothing is evaluated.

    Where no column is one of settings, all that is no score and not constant describes a candidate.
    """
    params = others.get("params")
    if params is not None and all(isinstance(found, Mapping) for found in params):
        return params
    settings = {
        _SETTINGS.sub("", str(name), count=1): cells
        for name, cells in others.items()
        if _SETTINGS.match(str(name))
    }
    if not settings and params is not None:
        return [{"params": found} for found in params]
    settings = settings or {
        str(name): cells
        for name, cells in others.items()
        if str(name).strip() and not _NO_SETTING.search(str(name)) and len(set(map(str, cells))) > 1
    }
    if not settings:
        return None
    return [
        {name: cells[index] for name, cells in settings.items() if _is_set(cells[index])}
        for index in range(size)
    ]


def _is_set(value: Any) -> bool:
    """Tell whether a candidate has this setting: files leave the cell empty, frames put NaN."""
    return not is_missing(value) and not (isinstance(value, str) and value == "")


def _check_candidates(others: Mapping[str, list[Any]]) -> None:
    """Refuse rows that are metrics of one model, such as Accuracy, or describe the others."""
    for name, cells in others.items():
        labels = [cell for cell in cells if isinstance(cell, str)]
        if len(set(labels)) < len(labels) or _SETTINGS.match(str(name)):
            continue
        check_rows(labels)
        metrics = [label for label in labels if is_metric(label)]
        if len(metrics) > max(1, len(labels) // 2):
            raise ValueError(
                f"every row must be a candidate; the rows here are metrics, such as {metrics[0]!r} "
                f"and {metrics[1]!r}, of one model, of which nothing was chosen. Pass one metric "
                "of all models: an array, one row a split and one column a model."
            )
