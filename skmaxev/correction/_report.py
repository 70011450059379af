"""The report of a score table: its numbers, and what a reader has to know."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from scipy.stats import bartlett

from skmaxev.correction._estimates import (
    CertainRows,
    certain_rows,
    differences_of,
    estimate_all,
    given_winner,
    interval_of,
    nothing_chosen,
    pooled_table,
    splits_of_rows,
    true_scores,
    usable_rows,
)
from skmaxev.estimators.corrections import residual_noise
from skmaxev.metrics import METRICS as KNOWN
from skmaxev.metrics import is_known
from skmaxev.report import METHODS, Estimate, SelectionReport
from skmaxev.report.methods import BEST
from skmaxev.table import Design, Rows, ScoreTable, UncorrectableError, mean_scores

__all__ = ["report_of", "with_parts"]

FloatArray = NDArray[np.float64]

_ROWS_USED = "Out-of-fold results of single rows were used"
_ERRS_BY_ITSELF = (
    "{} within a small split errs by itself, so its mean over splits is not that of all rows "
    "together, and the printed score may not be too good. Pass y_true, responses and test_fold to "
    "have the score on all rows corrected instead."
)
_ASSUMED = (
    "The {} splits were taken for the folds of one partition of the rows. If they repeat a "
    "partition, say n_repeats=; if they are shuffled splits, n_repeats={} and test_share=."
)
_TAKEN_FOR_LOSSES = (
    "No score is above 0, so they were taken for losses turned round, of which 0 is the best. If "
    "that is not so, name the metric by metric=."
)
_ON_THE_BOUND = (
    "No interval: the score lies on the bound of the metric, and the judged rows tell nothing of "
    "how large the first error will be; of n rows without one, up to 3/n of new rows may have one."
)
_UNLIKE = (
    "The estimate {} ({}) is more than a standard error away from the consensus, and the "
    "candidates differ widely in noise, which it does not know. The consensus is given instead."
)
_OWN_SPLITS = "{} is the estimate from the search's own splits: it does not weigh fresh partitions."
_ONE_NOISE = ("LVCV", "LBCV", "EB")  # of searches: each candidate is as noisy as any other
_ONE_ERROR = 0.68  # level of an interval of one standard error to both sides
_RARE = 0.01  # chance of such different variances where the noise is the same
_MOST_FOLDS = 10  # more splits are rarely one partition
_MOST_CLASSES = 20
_FEW_ROWS = 3
_PARTS = 10
_NO_OVERLAP = float(np.finfo(float).eps)


def report_of(table: ScoreTable, method: str, level: float) -> SelectionReport:
    """Correct the winner's score, bound it, and say what was done."""
    dealt = with_parts(table)
    rows = usable_rows(dealt)
    pooled = dealt if rows is None else pooled_table(dealt, rows)
    values = estimate_all(pooled, rows)
    _check_method(dealt, values, method)
    unlike = not _assumption_holds(pooled, rows, values, method)
    asked, method = method, "CONSENSUS" if unlike else method
    if method == "CONSENSUS" and dealt.fresh is not None:
        values = {method: float(true_scores(dealt, dealt.fresh)[dealt.best_index])}
    # Always that of the winner's true score: what estimates mu* is no centre for it.
    centre = "CONSENSUS" if METHODS[method].target == BEST else method
    interval = interval_of(pooled, rows, estimate=values[centre], level=level)
    certain = certain_rows(pooled, rows, level)
    if certain is not None:
        values, interval = _lowered(values, interval, certain, float(pooled.used_scores.min()))
    report = _report(dealt, pooled, values, method=method, level=level, interval=interval)
    report = replace(report, differences=differences_of(pooled, level))
    remarks = _remarks(table, dealt, interval)
    if method != "CONSENSUS" and dealt.fresh is not None:
        remarks.append(_OWN_SPLITS.format(method))
    if unlike:
        remarks.insert(0, _UNLIKE.format(METHODS[asked].name, asked))
    if interval is None and values[centre] in pooled.support:
        remarks.append(_ON_THE_BOUND)
    if rows is not None and table.source != "items":
        estimated = method == "BBC" or pooled is not dealt
        if method == "CONSENSUS" and not nothing_chosen(pooled):
            estimated |= splits_of_rows(pooled, rows) is not None
        remarks = [_ROWS_USED + (" too." if estimated else ", for the interval alone."), *remarks]
    if certain is not None:
        remarks.append(_about_certain(certain))
    return replace(report, notes=(*dealt.notes, *remarks))


def _lowered(
    values: Mapping[str, float],
    interval: tuple[float, float] | None,
    certain: CertainRows,
    lowest: float,
) -> tuple[dict[str, float], tuple[float, float] | None]:
    """Take off what certain rows will cost from the estimates of the winner's true score."""
    judging = {"EB", "TT", "BBC", "BBC-F", "CONSENSUS"}
    lowered = {
        key: max(value - certain.fall, min(lowest, value)) if key in judging else value
        for key, value in values.items()
    }
    if interval is not None:
        interval = interval[0] - certain.fall_of_lower_end, interval[1]
    return lowered, interval


def _about_certain(certain: CertainRows) -> str:
    return (
        f"The winner gave {certain.n_rows:,.0f} rows a probability of exactly 0 or 1, and "
        f"{certain.n_wrong:,.0f} of them wrongly; those still to come make the score worse by "
        f"{certain.fall:.3g}."
    )


def _assumption_holds(
    table: ScoreTable, rows: Rows | None, values: Mapping[str, float], method: str
) -> bool:
    """Tell whether a method that knows one noise for all candidates can be meant for these."""
    if method not in _ONE_NOISE or nothing_chosen(table) or table.n_splits < 3:
        return True
    with np.errstate(all="ignore"):  # candidates without any noise
        same_noise = bartlett(*table.used_scores.T).pvalue
    if not same_noise < _RARE:
        return True
    ends = interval_of(table, rows, estimate=values["CONSENSUS"], level=_ONE_ERROR)
    return ends is None or ends[0] <= values[method] <= ends[1]


def _check_method(table: ScoreTable, values: Mapping[str, float], method: str) -> None:
    if method not in values:
        needs = {
            "BBC": "out-of-fold results of single rows",
            "NESTED-P": "the outer folds and predictions of a NestedCVSearch, and a metric to pool",
            "NESTED": "the outer folds of a nested search, such as NestedCVSearch makes",
        }
        raise UncorrectableError(
            f"method={method!r} needs {needs[method]}, which the {table.source} does not hold. To "
            f"be had: {list(values)}."
        )
    if METHODS[method].judges_given or nothing_chosen(table) or given_winner(table) is None:
        return
    able = [key for key in values if METHODS[key].judges_given]
    raise UncorrectableError(
        f"method={method!r} estimates the candidate with the best mean score, but the search chose "
        f"candidate {table.best_index}, which is another. Use one of {able}."
    )


def _report(
    table: ScoreTable,
    pooled: ScoreTable,
    values: Mapping[str, float],
    *,
    method: str,
    level: float,
    interval: tuple[float, float] | None,
) -> SelectionReport:
    scores, means = pooled.used_scores, mean_scores(pooled.used_scores)
    naive = float(mean_scores(table.used_scores)[table.used_best_index])
    comparable = float(means[table.used_best_index])
    sign = 1.0 if table.greater_is_better else -1.0
    same = nothing_chosen(table)
    return SelectionReport(
        estimate=_turned(values[method], sign),
        interval=_signed(interval, sign),
        level=level,
        method=method,
        naive=_turned(naive, sign),
        naive_pooled=None if pooled is table else _turned(comparable, sign),
        optimism=comparable - values[method],
        estimates=_described(values, sign),
        n_splits=table.n_splits,
        n_candidates=table.n_candidates,
        n_used=int(table.used.size),
        left_out=dict(table.left_out),
        best_index=table.best_index,
        best_params=table.params[table.best_index] if table.params is not None else None,
        metric=table.metric,
        greater_is_better=table.greater_is_better,
        noise=0.0 if same else float(np.sqrt(residual_noise(scores, design=pooled.design))),
        spread=0.0 if same else float(means.std(ddof=1)),
        n_fits=table.n_fits,
        n_fresh=0 if table.fresh is None or method != "CONSENSUS" else len(table.fresh),
        source=table.source,
        table=table,
    )


def _turned(score: float, sign: float) -> float:
    return sign * score + 0.0  # a loss of zero has no minus


def _signed(interval: tuple[float, float] | None, sign: float) -> tuple[float, float] | None:
    if interval is None:
        return None
    low, high = sorted(_turned(end, sign) for end in interval)
    return low, high


def _described(values: Mapping[str, float], sign: float) -> dict[str, Estimate]:
    """Say of each value what it estimates; a loss that is too low looks too good."""
    turned = {"upwards": "downwards", "downwards": "upwards"} if sign < 0 else {}
    found = {}
    for key, value in values.items():
        errs = " ".join(turned.get(word, word) for word in METHODS[key].errs.split())
        found[key] = Estimate.by(key, _turned(value, sign), errs=errs)
    return found


def _remarks(
    given: ScoreTable, table: ScoreTable, interval: tuple[float, float] | None
) -> list[str]:
    """Say which winner was judged, and what was taken for granted."""
    remarks = []
    dealt = given is not table  # its splits are then not those of the user
    if not dealt and table.design is None and table.n_splits > _MOST_FOLDS:
        remarks.append(_ASSUMED.format(table.n_splits, table.n_splits))
    chosen = table.fresh is None and not nothing_chosen(table)
    if chosen and given_winner(table) is not None:
        best = table.used[mean_scores(table.used_scores).argmax()]
        remarks.append(
            f"The search chose candidate {table.best_index}, by a rule of its own; candidate "
            f"{best} has the best mean score, and methods that estimate mu* speak of the best."
        )
    remarks += [] if dealt else _about_classes(table)
    known = KNOWN.get(table.metric)
    if known is not None and known.pooled and table.rows is None and not nothing_chosen(table):
        remarks.append(_ERRS_BY_ITSELF.format(table.metric))
    sign = 1.0 if table.greater_is_better else -1.0
    bounds = set(table.support) & set(interval or ()) if not is_known(table.metric) else set()
    remarks += [
        f"The interval ends at {_turned(end, sign):g}, taken for a bound of "
        "the metric because no score is beyond it."
        for end in bounds
    ]
    guessed = table.greater_is_better and not table.metric.startswith("neg_")
    if guessed and not is_known(table.metric) and table.support == (-np.inf, 0.0):
        remarks.append(_TAKEN_FOR_LOSSES)
    return remarks


def _about_classes(table: ScoreTable) -> list[str]:
    """Say that splits were not shuffled though classes are sorted, or hold few rows of a class."""
    rows, known = table.rows, KNOWN.get(table.metric)
    if rows is None or rows.y_true is None or rows.y_true.ndim != 1:
        return []
    if known is None or known.answer in {"number", ""}:
        return []
    labels, codes = np.unique(rows.y_true, return_inverse=True)
    if len(labels) > _MOST_CLASSES:
        return []
    counts = np.zeros((table.n_splits, len(labels)), dtype=int)
    for fold in rows.test_fold:
        np.add.at(counts, (fold[fold >= 0], codes[fold >= 0]), 1)
    split, least = np.unravel_index(counts.argmin(), counts.shape)
    fewest, name = int(counts.min()), labels[least]
    if fewest >= _FEW_ROWS or counts.shape[0] == 1:
        return []
    if fewest == 0 and np.count_nonzero(np.diff(codes)) < len(labels):
        return [
            f"The rows are sorted by class and the splits not shuffled: split {split} judges no "
            f"row of class {name}. Use StratifiedKFold, or shuffle=True."
        ]
    return [
        f"Split {split} judges {fewest} row{'s' * (fewest != 1)} of class {name}: what is said of "
        "it is mostly luck. Fewer folds, or StratifiedKFold, give each split more."
    ]


def with_parts(table: ScoreTable) -> ScoreTable:
    """Return the table if its splits show noise; else one with splits made from its rows.

    A single split shows no noise. Splits of single rows, such as those of leave-one-out or the
    rows of a leaderboard, do, but one of them alone can choose no candidate and judge none.
    Every candidate keeps its mean score, and a note says what was done.
    """
    if table.used.size == 1:
        return table
    if table.n_splits == 1:
        return _of_one_split(table)
    return _of_single_rows(table) if _has_single_rows(table) else table


def _of_one_split(table: ScoreTable) -> ScoreTable:
    rows = usable_rows(table)
    if rows is None:
        raise UncorrectableError(
            "scores must be of at least two splits, or come with the scores of single rows; got 1 "
            "split. One split shows no noise: search with cv >= 2; items need two clusters or more."
        )
    scores, parts = _dealt(rows.means_over_repeats())
    fold = np.full_like(rows.test_fold, -1)
    fold[:, rows.judged] = parts
    whole = None if table.rows is None else replace(table.rows, test_fold=fold)
    groups = None if table.design is None else table.design.clusters
    # One model judges all parts, so that nothing in their training overlaps.
    design = Design(
        n_splits=len(scores),
        test_share=_NO_OVERLAP,
        n_rows=len(parts),
        clusters=groups,
        source="one split",
    )
    of = "rows of the one split"
    if table.source == "items":
        of = "items" if groups is None else "clusters of items"
    return _replaced(table, scores, whole, design, f"The {len(parts):,} {of} were")


def _has_single_rows(table: ScoreTable) -> bool:
    if table.n_splits < 2 * _PARTS:
        return False
    n_test = table.n_test
    if n_test is None and table.design is not None:
        n_test = table.design.n_test
    if n_test is not None:
        return bool((n_test == 1).all())
    # Rows of which each is right or wrong; of losses, which are read with a minus.
    return any(bool(np.isin(table.used_scores, pair).all()) for pair in ((0, 1), (-1, 0)))


def _of_single_rows(table: ScoreTable) -> ScoreTable:
    scores, parts = _dealt(table.used_scores)
    rows = table.rows
    if rows is None:
        rows = Rows.of_one_partition(parts, values=table.scores)
    else:
        rows = replace(rows, test_fold=np.where(rows.test_fold < 0, -1, parts[rows.test_fold]))
    partition = table.design is not None and table.design.n_folds == table.n_splits
    source = "leave-one-out" if partition else "single rows"
    design = replace(Design.assumed(len(scores)), n_rows=table.n_splits, source=source)
    subject = f"Each of the {table.n_splits:,} splits is one row; the rows were"
    return _replaced(table, scores, rows, design, subject)


def _replaced(
    table: ScoreTable, scores: FloatArray, rows: Rows | None, design: Design, subject: str
) -> ScoreTable:
    whole = np.full((len(scores), table.n_candidates), np.nan)
    whole[:, table.used] = scores
    note = f"{subject} dealt into {len(scores)} parts."
    return replace(
        table,
        scores=whole,
        design=design,
        n_test=None,
        n_train=None,
        rows=rows,
        notes=(*table.notes, note),
    )


def _dealt(values: FloatArray) -> tuple[FloatArray, NDArray[np.intp]]:
    """Average the rows in equal parts, (n_parts, n_candidates), and name the part of each row.

    The rows are dealt in turn, as they may be sorted by class. A row on a border belongs to both
    parts in proportion, so that the mean of the parts is that of the rows.
    """
    size = len(values)
    n_parts = min(_PARTS, size)
    order = np.argsort(np.arange(size) % n_parts, kind="stable")
    dealt = np.vstack([values[order], values[order[-1:]]])
    below = np.cumsum(dealt, axis=0) - dealt
    borders = np.arange(n_parts + 1) * (size / n_parts)
    whole = np.minimum(borders.astype(np.intp), size)
    sums = below[whole] + (borders - whole)[:, np.newaxis] * dealt[whole]
    parts = np.empty(size, dtype=np.intp)
    parts[order] = (np.arange(size) + 0.5) * n_parts // size
    means = np.diff(sums, axis=0) * (n_parts / size)
    return np.clip(means, values.min(axis=0), values.max(axis=0)), parts
