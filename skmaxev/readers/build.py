"""From plain scores to a ScoreTable: which candidates take part, and which one won."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skmaxev.metrics import direction_doubt, direction_of, support_of
from skmaxev.readers.failures import failed_candidates, nothing_left
from skmaxev.table import ScoreTable, UncorrectableError, mean_scores

__all__ = ["build_table", "check_direction"]

FloatArray = NDArray[np.float64]

_OPTION = {True: " (--losses on the command line)", False: " (no --losses)"}


def build_table(
    scores: FloatArray,
    *,
    metric: str,
    greater_is_better: bool | None = True,
    best_index: int | None = None,
    error_score: float | None = None,
    told: bool = True,
    left_out: Mapping[int, str] | None = None,
    params: Sequence[Mapping[str, Any]] | None = None,
    notes: Sequence[str] = (),
    **facts: Any,
) -> ScoreTable:
    """Make a ScoreTable from scores in the source's own sign, of shape (n_splits, n_candidates).

    Losses if ``greater_is_better`` is False; if it is None the name of the metric has to tell.
    ``error_score`` is in the source's own sign too; ``told`` says whether the caller named it, as a
    search may write a score that a fit can earn. ``left_out`` are candidates that the reader leaves
    out. Without ``best_index`` the first with the best mean score wins. ``facts`` are the other
    fields of the table.
    """
    if greater_is_better is None:
        greater_is_better = _told_by_name(metric)
    check_direction(greater_is_better)
    sign = 1.0 if greater_is_better else -1.0
    signed = scores if greater_is_better else -scores
    if error_score is not None:
        error_score = sign * error_score
    failed, doubts = failed_candidates(signed, metric=metric, error_score=error_score, told=told)
    reasons = dict(sorted((failed | dict(left_out or {})).items()))
    used = np.setdiff1d(np.arange(signed.shape[1]), list(reasons))
    if not used.size:
        raise UncorrectableError(nothing_left(signed, metric, reasons))
    if best_index in reasons:
        raise UncorrectableError(
            f"the winner must have a score on every split; candidate {best_index}, which the "
            f"search chose, is left out: {reasons[best_index]}. Choose among the candidates that "
            "did not fail."
        )
    best = used[np.argmax(mean_scores(signed[:, used]))] if best_index is None else best_index
    about = _about_direction(metric, signed[:, used], bool(greater_is_better), best_index)
    return ScoreTable(
        scores=signed,
        best_index=int(best),
        metric=metric,
        greater_is_better=greater_is_better,
        params=None if params is None else tuple(params),
        support=support_of(metric, signed[:, used], greater_is_better=greater_is_better),
        left_out=reasons,
        notes=(*notes, *doubts, *about),
        **facts,
    )


def check_direction(greater_is_better: Any) -> None:
    """Refuse what is neither True nor False."""
    if not isinstance(greater_is_better, bool | np.bool_):
        raise TypeError(
            f"greater_is_better must be True, or False for losses; got {greater_is_better!r}."
        )


def _told_by_name(metric: str) -> bool:
    """Ask where no word of a name tells a score or a loss; a loss may be one turned round."""
    if direction_of(metric) is None:
        raise ValueError(
            f"it must be known whether higher is better; the name {metric!r} does not tell. Say "
            "greater_is_better=True (--higher on the command line), or greater_is_better=False "
            "for a loss (--losses)."
        )
    return True


def _about_direction(
    metric: str,
    scores: FloatArray,
    greater_is_better: bool,  # noqa: FBT001
    best_index: int | None,
) -> tuple[str, ...]:
    """Refuse scores that are the wrong way round; of a search, which has chosen, say so."""
    doubt, searched = direction_doubt(metric, scores), best_index is not None
    if doubt is not None and searched:
        return (f"The winner may be the worst candidate: {doubt}.",)
    if doubt is not None:
        raise ValueError(
            f"scores must be read the right way round; {doubt}. Say "
            f"greater_is_better={not greater_is_better}{_OPTION[greater_is_better]}, or give the "
            "metric another name. A search keeps its own direction: pass its cv_results_."
        )
    if greater_is_better or searched or scores.min() <= 0.0:
        return ()
    return (
        "All losses are below 0. If a search of scikit-learn has turned them round, leave "
        "greater_is_better=False out: the winner is the worst candidate then.",
    )
