"""One registry of metrics: direction and range by name, and what each row adds to a score."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special
from sklearn.base import is_classifier, is_regressor
from sklearn.feature_selection import RFECV
from sklearn.linear_model import LogisticRegressionCV
from sklearn.metrics import get_scorer_names, matthews_corrcoef

from skmaxev._compat import BaseSearchCV
from skmaxev.metrics import influence

__all__ = [
    "METRICS",
    "Metric",
    "direction_doubt",
    "direction_of",
    "is_known",
    "is_metric",
    "metric_name",
    "noise_range",
    "support_of",
]

FloatArray = NDArray[np.float64]
Influences = Callable[[Any, Any, FloatArray], FloatArray]


@dataclass(frozen=True)
class Metric:
    """What is known of one of scikit-learn's scorers.

    Parameters
    ----------
    support : tuple of two floats
        Range of the scores, higher is better.
    answer : {"label", "score", "chance", "number", ""}
        What is judged: predicted classes, what ranks the rows of two classes, probabilities, or
        numbers. Empty where single rows add nothing that can be said.
    influences : callable, optional
        ``influences(truth, answers, weights)`` of shape (n_candidates, n_rows): their mean is the
        metric of these rows.
    pooled : bool
        Whether all out-of-fold rows are judged together: ratios whose mean over small folds errs.
    """

    support: tuple[float, float]
    answer: str = ""
    influences: Influences | None = None
    pooled: bool = False


def _mean_loss(loss: Callable[[Any, Any], Any]) -> Influences:
    return lambda truth, said, weights: influence.mean_of(-loss(truth, said), weights)


def _root_loss(loss: Callable[[Any, Any], Any]) -> Influences:
    return lambda truth, said, weights: influence.root_of(loss(truth, said), weights)


def _skill(
    loss: Callable[[Any, Any], Any], constant: Callable[[Any, FloatArray], Any]
) -> Influences:
    def found(truth: Any, said: Any, weights: FloatArray) -> FloatArray:
        best = np.broadcast_to(constant(truth, weights), said.shape[1:])[np.newaxis]
        return influence.skill_of(loss(truth, said), loss(truth, best), weights)

    return found


def _explained(truth: FloatArray, said: FloatArray, weights: FloatArray) -> FloatArray:
    error = truth - said
    error = error - (error * weights).mean(axis=-1, keepdims=True)
    spread = (truth - np.average(truth, weights=weights))[np.newaxis]
    return influence.skill_of(error**2, spread**2, weights)


def _squares(truth: Any, said: Any) -> Any:
    return (truth - said) ** 2


def _absolute(truth: Any, said: Any) -> Any:
    return np.abs(truth - said)


def _logs(truth: Any, said: Any) -> Any:
    return (np.log1p(truth) - np.log1p(said)) ** 2


def _relative(truth: Any, said: Any) -> Any:
    return np.abs(truth - said) / np.maximum(np.abs(truth), np.finfo(float).eps)


def _poisson(truth: Any, said: Any) -> Any:
    return 2.0 * (special.xlogy(truth, truth / said) - truth + said)


def _gamma(truth: Any, said: Any) -> Any:
    return 2.0 * (np.log(said / truth) + truth / said - 1.0)


def _log_loss(truth: NDArray[np.intp], said: FloatArray) -> Any:
    """Minus the logarithm of the true class's probability, kept off 0 and 1 as scikit-learn's."""
    chance = said[:, np.arange(len(truth)), truth]
    least = np.finfo(chance.dtype).eps
    return -np.log(np.clip(chance, least, 1.0 - least)).astype(np.float64)


def _brier(truth: NDArray[np.intp], said: FloatArray) -> Any:
    hit = np.eye(said.shape[-1])[truth]
    squares = ((said - hit) ** 2).sum(axis=-1)
    return squares / 2.0 if said.shape[-1] == 2 else squares


def _mean(truth: FloatArray, weights: FloatArray) -> Any:
    return np.average(truth, weights=weights)


def _median(truth: FloatArray, weights: FloatArray) -> Any:
    order = np.argsort(truth)
    mass = np.cumsum(weights[order])
    first = np.searchsorted(mass, mass[-1] / 2.0)
    second = np.searchsorted(mass, mass[-1] / 2.0 + 1e-9 * mass[-1])
    return (truth[order][first] + truth[order][second]) / 2.0


def _classes(family: str, average: str) -> Influences:
    return partial(influence.of_classes, family=family, average=average)


_SHARE, _SIGNED = (0.0, 1.0), (-1.0, 1.0)
_LOSS, _SKILL, _SIZE = (-np.inf, 0.0), (-np.inf, 1.0), (0.0, np.inf)

METRICS: dict[str, Metric] = {
    "accuracy": Metric(_SHARE, "label", _classes("recall", "micro")),
    "balanced_accuracy": Metric(_SHARE, "label", _classes("recall", "balanced")),
    "matthews_corrcoef": Metric(
        _SIGNED, "label", partial(influence.numerical, matthews_corrcoef), pooled=True
    ),
    "roc_auc": Metric(_SHARE, "score", influence.area),
    "average_precision": Metric(_SHARE, "score", influence.average_precision, pooled=True),
    "neg_log_loss": Metric(_LOSS, "chance", _mean_loss(_log_loss)),
    "neg_brier_score": Metric(_LOSS, "chance", _mean_loss(_brier)),
    "r2": Metric(_SKILL, "number", _skill(_squares, _mean), pooled=True),
    "explained_variance": Metric(_SKILL, "number", _explained, pooled=True),
    "d2_absolute_error_score": Metric(_SKILL, "number", _skill(_absolute, _median), pooled=True),
    "neg_mean_squared_error": Metric(_LOSS, "number", _mean_loss(_squares)),
    "neg_mean_absolute_error": Metric(_LOSS, "number", _mean_loss(_absolute)),
    "neg_mean_absolute_percentage_error": Metric(_LOSS, "number", _mean_loss(_relative)),
    "neg_mean_squared_log_error": Metric(_LOSS, "number", _mean_loss(_logs)),
    "neg_mean_poisson_deviance": Metric(_LOSS, "number", _mean_loss(_poisson)),
    "neg_mean_gamma_deviance": Metric(_LOSS, "number", _mean_loss(_gamma)),
    "neg_root_mean_squared_error": Metric(_LOSS, "number", _root_loss(_squares)),
    "neg_root_mean_squared_log_error": Metric(_LOSS, "number", _root_loss(_logs)),
    "adjusted_rand_score": Metric((-0.5, 1.0)),
    "adjusted_mutual_info_score": Metric(_SKILL),
    "mutual_info_score": Metric(_SIZE),
    "positive_likelihood_ratio": Metric(_SIZE),
    "d2_brier_score": Metric(_SKILL),
    "d2_log_loss_score": Metric(_SKILL),
}
for _family in ("precision", "recall", "f1", "jaccard"):
    for _average in ("binary", "macro", "weighted", "micro"):
        _name = _family if _average == "binary" else f"{_family}_{_average}"
        METRICS[_name] = Metric(
            _SHARE, "label", _classes(_family, _average), pooled=_family != "recall"
        )
    METRICS[f"{_family}_samples"] = Metric(_SHARE)
for _name in (
    *("roc_auc_ovr", "roc_auc_ovo", "roc_auc_ovr_weighted", "roc_auc_ovo_weighted"),
    *("completeness_score", "fowlkes_mallows_score", "homogeneity_score", "v_measure_score"),
    *("normalized_mutual_info_score", "rand_score", "top_k_accuracy"),
):
    METRICS[_name] = Metric(_SHARE)
for _name in ("neg_max_error", "neg_median_absolute_error", "neg_negative_likelihood_ratio"):
    METRICS[_name] = Metric(_LOSS)

_SHARES = ("accuracy", "balanced_accuracy", "roc_auc", "f1", "precision", "recall", "jaccard")
_SIZES = ("neg_", "log", "mse", "mae", "squared", "absolute", "deviance", "brier")
"""What says how large errors are, so that a loss is no share of wrong rows."""

_LOSS_WORDS = frozenset(
    {"loss", "losses", "logloss", "rmse", "mse", "mae", "mape", "smape", "wape", "rmsle", "msle"}
    | {"rmspe", "medae", "error", "err", "deviance", "brier", "perplexity", "nll", "crps", "neg"}
    | {"pinball", "crossentropy", "entropy", "wmape", "mase", "rmsse", "owa", "cost", "hinge"}
    | {"huber", "quantile", "regret", "errors", "hamming", "ce"}
)
_SCORE_WORDS = frozenset(
    {"accuracy", "acc", "auc", "auroc", "auprc", "aucpr", "prauc", "ap", "f1", "f2", "fbeta"}
    | {"precision", "recall", "sensitivity", "specificity", "tpr", "tnr", "ppv", "npv", "kappa"}
    | {"mcc", "ndcg", "mrr", "r2", "rsq", "jaccard", "iou", "dice", "gini", "skill", "correlation"}
    | {"pearson", "spearman", "cindex", "concordance", "likelihood", "lift", "gain", "reward"}
    | {"return", "profit", "silhouette", "map", "elbo", "qwk", "hits", "bleu", "rouge", "prec"}
    | {"roc", "sens", "spec", "rsquared"}
)
_ATTRIBUTES = frozenset({"balanced", "mean", "macro", "micro", "weighted", "roc", "pr", "log"}) | {
    *("top", "group", "max", "per", "class", "absolute", "squared", "root", "count", "average"),
    *("score", "percentage", "val", "test", "valid", "train", "training", "binary", "multi"),
}
_UNNAMED = frozenset({"score", "scores", "value", "values", "estimate", "result", "metric", "s"})
_TURNED_WORDS = frozenset({"skill", "d2", "r2", "1", "one", "reduction"})  # such as 'd2_log_loss'

# The others with a parameter ``scoring`` use it while fitting; their ``score`` is the usual one.
_SCORED_BY_SCORING = (BaseSearchCV, LogisticRegressionCV, RFECV)


def is_known(metric: str) -> bool:
    """Tell whether scikit-learn has a scorer of this name."""
    return metric in get_scorer_names()


def is_metric(name: str) -> bool:
    """Tell whether a name is that of a metric alone, a score's or a loss's."""
    words = _words(name)
    return bool(words & (_LOSS_WORDS | _SCORE_WORDS)) and words <= (
        _LOSS_WORDS | _SCORE_WORDS | _ATTRIBUTES
    )


def metric_name(search: Any) -> str | None:
    """Name the metric of a search with a single one; None for what is of the user's own."""
    scoring = getattr(search, "scoring", None)
    if scoring is not None:
        return scoring if isinstance(scoring, str) else None
    final: Any = getattr(search, "estimator", None)
    while hasattr(final, "steps"):
        final = final.steps[-1][1]  # a pipeline scores with its last step
    if final is None:
        return None
    if getattr(final, "scoring", None) is not None and isinstance(final, _SCORED_BY_SCORING):
        return metric_name(final)
    score = getattr(type(final), "score", None)
    if not getattr(score, "__module__", "").startswith(("sklearn.", "catboost.")):
        return None  # a ``score`` of the user's own may be anything
    if is_classifier(final):
        return "accuracy"
    return "r2" if is_regressor(final) else None


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


def direction_doubt(metric: str, scores: NDArray[np.float64]) -> str | None:
    """Say what does not fit if all scores lie on the side of zero where such a metric has none."""
    low, high = float(scores.min()), float(scores.max())
    if low >= 0.0 < high and _is_loss(metric):
        return (
            f"{metric!r} is a loss, so at most 0 where higher is better; read as {low:.6g} to "
            f"{high:.6g}"
        )
    if low < 0.0 >= high and metric.startswith(_SHARES):
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

    That of the metric where it is known. Shares lie in [0, 1], or [0, 100] where a name such as
    'accuracy' says that they are shares. Scores of which none exceeds 1, or none 0, end there: R2
    at 1, a loss turned round at 0. The same scores give the same range wherever they were read
    from, with or without a name.
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
    if shares and not any(word in metric.lower() for word in _SIZES):
        return -np.inf, np.inf
    return low, high
