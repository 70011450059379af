"""From out-of-fold predictions to the results of single rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from skmaxev.metrics.influence import auc_influences
from skmaxev.metrics.registry import METRICS, Metric
from skmaxev.table import Rows

__all__ = ["rows_from_responses", "scores_from_responses"]

FloatArray = NDArray[np.float64]

_UNKNOWN = Metric((-np.inf, np.inf))


def rows_from_responses(
    metric: str,
    y_true: ArrayLike,
    responses: ArrayLike,
    test_fold: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    pos_label: Any = None,
) -> Rows | None:
    """Say what each row adds to the score of every candidate.

    Parameters
    ----------
    metric : str
        Name of one of scikit-learn's scorers.
    y_true : array-like of shape (n_rows,)
        Target of each row.
    responses : array-like of shape (n_candidates, n_repeats, n_rows[, n_classes])
        Out-of-fold predictions: numbers; labels; for two classes the probability or decision of
        the greater label; else probabilities in the order of the sorted classes. NaN where a row
        was not judged. The axis of one repeat may be dropped.
    test_fold : array-like of shape (n_repeats, n_rows)
        Split that judged the row; -1 for none. A single repeat may have shape (n_rows,).
    sample_weight : array-like of shape (n_rows,), optional
        Weights that the scores were computed with.
    pos_label : label, optional
        The positive one of two classes; the greater one if omitted.

    Returns
    -------
    Rows or None
        None where single rows say nothing of the metric.

    Raises
    ------
    ValueError
        If the shapes do not fit, or ``pos_label`` is no class.

    Examples
    --------
    >>> y, fold = [1.0, 2.0, 3.0, 4.0], [0, 0, 1, 1]
    >>> rows = rows_from_responses("r2", y, [[1.0, 2.0, 3.0, 3.0]], fold)
    >>> float(rows.pooled[0]), float(rows.values.mean().round(9))
    (0.8, 0.8)
    """
    truth, said, fold = _checked(y_true, responses, test_fold)
    known, encoded, answers = _judged(metric, truth, said, fold >= 0, pos_label)
    if answers is None:
        return None
    weights = np.ones(len(truth)) if sample_weight is None else np.asarray(sample_weight, float)
    values = np.full((len(said), *fold.shape), np.nan)
    usable = _usable(answers, fold >= 0)
    if known.pooled:
        parts = [np.nonzero(fold >= 0)]
    elif metric == "roc_auc" and sample_weight is None:
        return _areas(encoded, answers, fold, truth, said)
    else:
        parts = [np.nonzero(fold == split) for split in np.unique(fold[fold >= 0])]
    for part in parts:
        values[(np.flatnonzero(usable)[:, np.newaxis], *part)] = _influences(
            known, encoded, answers[usable], weights, part
        )
    judged = np.nonzero(fold >= 0)
    return Rows(
        values=values,
        test_fold=fold,
        pooled=values[:, judged[0], judged[1]].mean(axis=1) if known.pooled else None,
        responses=said,
        y_true=truth,
    )


def scores_from_responses(
    metric: str,
    y_true: ArrayLike,
    responses: ArrayLike,
    test_fold: ArrayLike,
    *,
    pos_label: Any = None,
) -> FloatArray | None:
    """Compute the score of every candidate on every split, (n_splits, n_candidates).

    Parameters
    ----------
    metric, y_true, responses, test_fold, pos_label
        As in `rows_from_responses`, which also says when this is None.
    """
    truth, said, fold = _checked(y_true, responses, test_fold)
    known, encoded, answers = _judged(metric, truth, said, fold >= 0, pos_label)
    if answers is None:
        return None
    scores = np.full((int(fold.max()) + 1, len(said)), np.nan)
    usable = _usable(answers, fold >= 0)
    for split in np.unique(fold[fold >= 0]):
        part, weights = np.nonzero(fold == split), np.ones(len(truth))
        found = _influences(known, encoded, answers[usable], weights, part)
        scores[split, usable] = found.mean(axis=1)
    return scores


def _influences(
    known: Metric,
    truth: NDArray[Any],
    answers: NDArray[Any],
    weights: FloatArray,
    part: tuple[NDArray[np.intp], ...],
) -> FloatArray:
    repeats, rows = part
    if known.influences is None or not len(answers):
        return np.full((len(answers), len(rows)), np.nan)
    own = weights[rows] / weights[rows].mean()
    return known.influences(truth[rows], answers[:, repeats, rows], own)


def _areas(
    truth: NDArray[Any],
    answers: NDArray[Any],
    fold: NDArray[np.intp],
    y_true: NDArray[Any],
    said: NDArray[Any],
) -> Rows | None:
    """Compare rows within their split, and each class with its mean over all splits."""
    values = np.full((len(said), *fold.shape), np.nan)
    usable = np.flatnonzero(_usable(answers, fold >= 0))
    for repeat, splits in enumerate(fold):
        rows = np.flatnonzero(splits >= 0)
        positive = truth[rows] == 1
        if not 1 < positive.sum() < len(positive) - 1:
            return None
        values[np.ix_(usable, [repeat], rows)] = auc_influences(
            answers[np.ix_(usable, [repeat], rows)][:, 0].T, positive, row_splits=splits[rows]
        ).T[:, np.newaxis]
    return Rows(values=values, test_fold=fold, responses=said, y_true=y_true)


def _usable(answers: NDArray[Any], judged: NDArray[np.bool_]) -> NDArray[np.bool_]:
    found = np.isfinite(answers)
    found = found.all(axis=-1) if found.ndim == 4 else found
    return np.asarray((found | ~judged).all(axis=(1, 2)))


def _checked(
    y_true: ArrayLike, responses: ArrayLike, test_fold: ArrayLike
) -> tuple[NDArray[Any], NDArray[Any], NDArray[np.intp]]:
    truth, said, fold = np.asarray(y_true), np.asarray(responses), np.asarray(test_fold)
    dropped = fold.ndim == 1
    if dropped:
        fold = fold[np.newaxis]
        if said.ndim >= 2 and said.shape[1:2] == truth.shape[:1]:
            said = said[:, np.newaxis]
    if fold.ndim != 2 or fold.shape[1:] != truth.shape[:1]:
        raise ValueError(
            "test_fold must name the split of each row of y_true, of shape (n_rows,) or "
            f"(n_repeats, n_rows); got {np.shape(test_fold)} for {len(truth)} rows. Give -1 for "
            "rows that no split judged."
        )
    if said.ndim not in {3, 4} or said.shape[1:3] != fold.shape:
        raise ValueError(
            "responses must have shape (n_candidates, n_repeats, n_rows), with classes last where "
            f"there are more than two; got {np.shape(responses)} for test_fold of shape "
            f"{np.shape(test_fold)}. Give one line a candidate and one number a row."
        )
    numbers = np.asarray(fold, dtype=np.intp)
    if not np.array_equal(numbers, fold) or numbers.max() < 0:
        raise ValueError("test_fold must hold numbers of splits from 0, and -1 for rows of none.")
    return truth, said, numbers


def _judged(
    metric: str,
    truth: NDArray[Any],
    said: NDArray[Any],
    judged: NDArray[np.bool_],
    pos_label: Any,
) -> tuple[Metric, NDArray[Any], NDArray[Any] | None]:
    """Give targets and what the metric judges, classes as numbers, the positive one of two as 1."""
    known = METRICS.get(metric, _UNKNOWN)
    if known.influences is None or truth.ndim != 1:
        return known, truth, None
    if known.answer == "number":
        plain = said.ndim == 3 and said.dtype.kind in "fiub" and truth.dtype.kind in "fiub"
        return (known, truth.astype(float), said.astype(float)) if plain else (known, truth, None)
    classes, codes = np.unique(truth, return_inverse=True)
    if pos_label is not None and pos_label not in classes:
        raise ValueError(f"pos_label must be one of the classes {classes}; got {pos_label!r}.")
    two = len(classes) == 2
    turned = two and pos_label is not None and bool(pos_label == classes[0])
    if said.ndim == 4 and said.shape[-1] != len(classes):
        found: NDArray[Any] | None = None
    else:
        said = said[..., 1] if said.ndim == 4 and two else said
        found = _labels(said, classes, judged)
        found = 1.0 - found if turned else found
        if known.answer != "label":
            found = _ranked(said, chances=known.answer == "chance", two=two, turned=turned)
    return known, 1 - codes if turned else codes, found


def _ranked(
    said: NDArray[Any], *, chances: bool, two: bool, turned: bool
) -> NDArray[np.floating[Any]] | None:
    """Give probabilities with the classes last, or what ranks the rows of two classes."""
    if said.dtype.kind not in "fiub" or (said.ndim == 3) != two:
        return None
    numbers = said if said.dtype == np.float32 else said.astype(np.float64)
    if not chances:
        return None if not two else -numbers if turned else numbers
    numbers = np.where((numbers < 0.0) | (numbers > 1.0), np.nan, numbers)  # no probabilities
    if two:
        numbers = np.stack([1.0 - numbers, numbers], axis=-1)
    return numbers[..., ::-1] if turned else numbers


def _labels(
    said: NDArray[Any], classes: NDArray[Any], judged: NDArray[np.bool_]
) -> NDArray[np.float64]:
    """Give the number of each predicted class; NaN where nothing is predicted."""
    if said.ndim == 4:
        missing = ~np.isfinite(said).all(axis=-1)
        return np.where(missing, np.nan, np.nan_to_num(said).argmax(axis=-1))
    found = np.full(said.shape, np.nan)
    for candidate, answers in enumerate(said):
        inside = np.isin(answers, classes)
        if inside[judged].all():
            found[candidate] = np.searchsorted(classes, np.where(inside, answers, classes[0]))
        elif said.dtype.kind == "f" and len(classes) == 2:
            shares = ((answers[judged] >= 0.0) & (answers[judged] <= 1.0)).all()
            found[candidate] = answers > (0.5 if shares else 0.0)
            found[candidate][~np.isfinite(answers)] = np.nan
    return found
