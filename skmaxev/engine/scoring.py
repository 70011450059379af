"""Scores of a fitted model on one set of rows, with scikit-learn's rules for scorers that fail."""

from __future__ import annotations

import numbers
from collections.abc import Mapping
from contextlib import suppress
from traceback import format_exc
from typing import Any

from skmaxev._compat import MultimetricScorer
from skmaxev.engine.types import Scores

__all__ = ["call_scorer", "scoring_failed"]


def call_scorer(
    scorer: Any, estimator: Any, X: Any, y: Any, params: Mapping[str, Any], error_score: Any
) -> tuple[Scores, dict[str, str]]:
    """Score a fitted model.

    Parameters
    ----------
    scorer : callable
        ``scorer(estimator, X, y)`` gives a number or a dict of numbers.
    estimator : estimator
        Fitted.
    X, y : array-like
        Rows to judge; ``y`` may be None.
    params : mapping
        Parameters for the scorer, cut to the rows.
    error_score : float or "raise"
        Score where the scorer fails.

    Returns
    -------
    scores : float or dict of float
        Higher is better.
    failures : dict of str to str
        Traceback for each metric whose scorer failed; key ``"score"`` for a single metric.

    Raises
    ------
    ValueError
        If the scorer gives something that is no real number.
    """
    arguments = (estimator, X) if y is None else (estimator, X, y)
    try:
        scores = scorer(*arguments, **params)
    except Exception:
        if error_score == "raise" or isinstance(scorer, MultimetricScorer):
            raise
        return error_score, {"score": format_exc()}
    failures = {}
    if isinstance(scorer, MultimetricScorer):  # it hands over the traceback of a failed metric
        failures = {name: value for name, value in scores.items() if isinstance(value, str)}
        scores |= dict.fromkeys(failures, error_score)
    return _numbers(scores, scorer), failures


def _numbers(scores: Any, scorer: Any) -> Scores:
    if isinstance(scores, dict):
        return {name: _number(value, name) for name, value in scores.items()}
    return _number(scores, scorer)


def _number(score: Any, scorer: Any) -> float:
    if hasattr(score, "item"):
        with suppress(ValueError):  # a memory-mapped scalar
            score = score.item()
    if isinstance(score, complex):
        raise ValueError(  # noqa: TRY004  # as for anything else that is no score
            f"scoring must return a real number, since complex ones have no order; got {score}. "
            f"Return its real part or its modulus. (scorer={scorer})"
        )
    if not isinstance(score, numbers.Number):
        msg = (
            f"scoring must return a number, got {score} ({type(score)}) instead. (scorer={scorer})"
        )
        raise ValueError(msg)  # noqa: TRY004  # scikit-learn's error
    return score  # type: ignore[return-value]


def scoring_failed(error_score: Any, details: str) -> str:
    """Word the warning about a scorer that failed, as scikit-learn does."""
    return (
        "Scoring failed. The score on this train-test partition for these parameters will be set "
        f"to {error_score}. Details: \n{details}"
    )
