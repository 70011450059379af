"""The range of a metric, by its name where that is known, else inferred from its scores."""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import get_scorer_names

from skmaxev.metrics.registry import METRICS

__all__ = [
    "direction_doubt",
    "direction_of",
    "is_known",
    "is_metric",
    "is_share",
    "is_size_of_errors",
    "noise_range",
    "support_of",
]

_SHARES = ("accuracy", "balanced_accuracy", "roc_auc", "f1", "precision", "recall", "jaccard")
_LOSSES = ("neg_", "log", "mse", "mae", "squared", "absolute", "deviance", "brier")
_LOSS_WORDS = frozenset(
    {"loss", "losses", "logloss", "rmse", "mse", "mae", "mape", "smape", "wape", "rmsle", "msle"}
    | {"rmspe", "medae", "error", "err", "deviance", "brier", "perplexity", "nll", "crps", "neg"}
    | {"pinball", "crossentropy", "entropy", "wmape", "mase", "rmsse", "owa", "cost", "hinge"}
    | {"huber", "quantile", "regret", "errors", "hamming", "ce", "rmsse"}
)
_SCORE_WORDS = frozenset(
    {"accuracy", "acc", "auc", "auroc", "auprc", "aucpr", "prauc", "ap", "f1", "f2", "fbeta"}
    | {"precision", "recall", "sensitivity", "specificity", "tpr", "tnr", "ppv", "npv", "kappa"}
    | {"mcc", "ndcg", "mrr", "r2", "rsq", "jaccard", "iou", "dice", "gini", "skill", "correlation"}
    | {"pearson", "spearman", "cindex", "concordance", "likelihood", "lift", "gain", "reward"}
    | {"return", "profit", "silhouette", "map", "elbo", "qwk", "hits", "bleu", "rouge", "prec"}
    | {"roc", "prauc", "sens", "spec", "rsquared"}
)
_ATTRIBUTES = frozenset({"balanced", "mean", "macro", "micro", "weighted", "roc", "pr", "log"}) | {
    *("top", "group", "max", "per", "class", "absolute", "squared", "root", "count", "average"),
    *("score", "percentage", "val", "test", "valid", "train", "training", "binary", "multi"),
}
_UNNAMED = frozenset({"score", "scores", "value", "values", "estimate", "result", "metric", "s"})
_TURNED_WORDS = frozenset({"skill", "d2", "r2", "1", "one", "reduction"})  # such as 'd2_log_loss'


def is_known(metric: str) -> bool:
    """Tell whether scikit-learn has a scorer of this name."""
    return metric in get_scorer_names()


def is_metric(name: str) -> bool:
    """Tell whether a name is that of a metric alone, a score's or a loss's."""
    words = _words(name)
    return bool(words & (_LOSS_WORDS | _SCORE_WORDS)) and words <= (
        _LOSS_WORDS | _SCORE_WORDS | _ATTRIBUTES
    )


def direction_of(metric: str) -> bool | None:
    """Tell by its name whether higher is better; None where no word of it says so."""
    words = _words(metric)
    if is_known(metric) or words & _TURNED_WORDS:
        return True
    if words & _LOSS_WORDS:
        return False
    return True if words & (_SCORE_WORDS | _UNNAMED) else None


def _words(name: str) -> set[str]:
    """Take a name apart, in lower case: ``valLoss``, ``RMSELoss`` and ``NDCG@10`` as well."""
    parts = re.findall(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+\d*|[A-Z]+\d*|\d+", name)
    return {part.lower() for part in parts}


def is_share(metric: str) -> bool:
    """Tell whether a metric of this name is a share, which is never negative."""
    return metric.startswith(_SHARES)


def is_size_of_errors(metric: str) -> bool:
    """Tell whether a name says how large errors are, so that the loss is no share of wrong rows."""
    return any(word in metric.lower() for word in _LOSSES)


def direction_doubt(metric: str, scores: NDArray[np.float64]) -> str | None:
    """Say so if all scores lie on the side of zero where a metric of this name has none.

    Parameters
    ----------
    metric : str
        Name of the metric.
    scores : ndarray of shape (n_splits, n_candidates)
        Scores as they were read, higher is better.

    Returns
    -------
    str or None
        What does not fit, for a name that tells a loss or a share; None where all is well.
    """
    low, high = float(scores.min()), float(scores.max())
    if low >= 0.0 < high and _is_loss(metric):
        return (
            f"{metric!r} is a loss, so at most 0 where higher is better; read as {low:.6g} to "
            f"{high:.6g}"
        )
    if low < 0.0 >= high and is_share(metric):
        return f"{metric!r} is a share, so at least 0; read as {low:.6g} to {high:.6g}"
    return None


def _is_loss(metric: str) -> bool:
    if is_known(metric):
        return metric.startswith("neg_")
    words = _words(metric)
    return bool(words & _LOSS_WORDS) and not words & _TURNED_WORDS


def support_of(
    metric: str, scores: NDArray[np.float64], *, greater_is_better: bool = True
) -> tuple[float, float]:
    """Return the range that an interval for scores of this metric may not leave.

    The same scores give the same range wherever they were read from, with or without a name.

    Parameters
    ----------
    metric : str
        Name of the metric.
    scores : ndarray of shape (n_splits, n_candidates)
        Scores, higher is better.
    greater_is_better : bool
        False for a loss that was turned round.

    Returns
    -------
    tuple of two floats
        That of the metric where it is known. Shares lie in [0, 1], or [0, 100] where a name such as
        'accuracy' says that they are shares.
        Scores of which none exceeds 1, or none 0, end there: R2 at 1, a loss turned round at 0.
    """
    low, high = float(scores.min()), float(scores.max())
    known = METRICS.get(metric)
    if known and greater_is_better and known.support[0] <= low and high <= known.support[1]:
        return known.support  # never read off the scores: R2 may be below 0 throughout
    if metric.startswith(_SHARES) and low >= 0.0 and 1.0 < high <= 100.0:
        return 0.0, 100.0
    if high <= 0.0 and (metric.startswith("neg_") or not greater_is_better):
        return -np.inf, 0.0  # losses that are all zero look like shares
    if high > 1.0:
        return -np.inf, np.inf
    if low >= 0.0:
        return 0.0, 1.0
    return -np.inf, 0.0 if high <= 0.0 else 1.0


def noise_range(
    metric: str, support: tuple[float, float], scores: NDArray[np.float64]
) -> tuple[float, float]:
    """Return the range of the metric whose only end the noise is known to grow from, if any.

    Losses up to 1 may as well be shares of wrong rows, and then have the noise of shares of right
    ones; a name that scikit-learn gives to a loss, or a word for one, tells that they are not.
    """
    low, high = support
    shares = high == 0.0 and not np.isfinite(low) and float(scores.min()) >= -1.0
    if shares and not is_size_of_errors(metric):
        return -np.inf, np.inf
    return low, high
