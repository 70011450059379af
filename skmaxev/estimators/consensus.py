"""The true score of the winner, where two ways to estimate its optimism agree."""

from __future__ import annotations

from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from skmaxev.estimators._design import (
    checked_design,
    is_shuffled,
    overlap,
    own_variance,
    partitions,
)
from skmaxev.estimators.cross_validation import low_variance_cv
from skmaxev.estimators.validation import as_result, check_best_index, check_scores
from skmaxev.table import Design

__all__ = ["consensus"]

FloatArray = NDArray[np.float64]

# Relative to the scores: what rounding leaves of an optimism that is zero.
_ROUNDING = 1e-12
# Fewer candidates of a search show neither their plateau nor how far they spread around it.
_FEWEST = 5

# Quadrature only: finer grids move the estimate by less than a hundredth of its error.
_N_CENTRES = 16
_N_SPREADS = 10
_MOST_POINTS = 200

# The constants below are choices; `benchmarks/accuracy/constants.py` measures what others give.
# Share of candidates apart from the plateau.
_SHARES = np.array([0.0, 0.1, 0.25, 0.5, 0.75, 0.9])
# Noise as a share of noise and spread on the plateau: 1 where it is level; else the spread is
# half-Cauchy in units of the noise, which makes the law of the share the arc sine law.
_NOISE_SHARES = np.append(1.0, np.sin(np.pi / 2 * (np.arange(_N_SPREADS) + 0.5) / _N_SPREADS) ** 2)
# Standard deviations of the farthest candidate, where a share of them stands apart.
_DEVIATIONS = 2.0


def _log_prior() -> FloatArray:
    """Even odds of three accounts, over (share, spread): all equal, one spread, a group apart."""
    prior = np.zeros((_SHARES.size, _NOISE_SHARES.size))
    prior[0, 0] = 1.0
    prior[0, 1:] = 1.0 / _N_SPREADS
    prior[1:, 1:] = 1.0 / (_N_SPREADS * (_SHARES.size - 1))
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(prior / prior.sum()))


_LOG_PRIOR = _log_prior()


def consensus(
    scores: ArrayLike,
    *,
    design: Design | None = None,
    best_index: int | None = None,
    row_values: ArrayLike | None = None,
    row_splits: ArrayLike | None = None,
    searches: ArrayLike | None = None,
    support: tuple[float, float] = (-np.inf, np.inf),
) -> float | NDArray[np.float64]:
    """Estimate the true score of the winner that is deployed.

    The optimism that is taken off is the geometric mean of two estimates of it: by choosing on
    one split and judging on the others, and by the posterior mean of the winner's true score.
    Experimental: the combination is ours and unpublished; measured on banked searches of real data,
    it errs about a tenth less than nested cross-validation.

    Parameters
    ----------
    scores : array-like of shape (..., n_splits, n_candidates)
        Mean score of each candidate on each split; higher is better.
    design : Design, optional
        How the splits came about; the folds of one partition if omitted. The noise of the rows does
        not shrink with the number of partitions or of shuffled splits.
    best_index : int, optional
        Column of the chosen candidate; by default the one with the largest mean.
    row_values : array-like of shape (n_rows, n_candidates), optional
        Score of each row where the metric is a mean over rows, such as 1.0 for a right
        prediction, or its influence on another metric (see `auc_influences`). For one table.
        The noise is then measured on the rows, of which there are more than splits, and which
        also show the noise that stratified splits hide.
    row_splits : array-like of shape (n_rows,), optional
        Split that judged each row; goes with ``row_values``.
    searches : array-like of shape (n_candidates,), optional
        Search that tried each candidate, where several are corrected as one. All candidates were
        chosen from, but the posterior mean is that among the candidates of the winner's own search:
        those of other models have a plateau of their own.
    support : tuple of two floats
        Range of the metric, such as (-inf, 0) for a loss turned round or (-inf, 1) for R2. With a
        bound on one side only, optimism is a share of the distance from it (see the notes).

    Returns
    -------
    float or ndarray of shape (...)
        Within the range of the means. Errs little on average over many searches. Errs upwards
        where no candidate is better than another, by about a fifth of what the best score does,
        since few splits cannot tell that for sure; downwards where one candidate is better than all
        others by less than the noise of a single split. Exactly the winner's mean where all means
        are equal, where there is no noise, or where the winner wins every split.

    Notes
    -----
    The theory page of the documentation has the formulas. In short: `low_variance_cv` takes off too
    much where candidates differ, by a factor that follows from their spread. The posterior mean
    is averaged over three accounts of the true scores with the same prior odds: all equal, spread
    around a plateau, or with a share of them apart from it. Noise that all candidates share
    favours none and is removed [1]_, the rest inflated for what overlapping training sets hide
    [2]_. The geometric mean is zero as soon as one of the two finds that nothing was chosen.

    A metric with a bound on one side has a noise that grows with the distance from it, so all is
    done on the logarithm of that distance, and the optimism multiplies it. Means that lie on
    the bound keep their scale.

    For a candidate that was not chosen for the largest mean there is nothing to cross-validate,
    and the result is the posterior mean, which may lie above the candidate's own.

    References
    ----------
    .. [1] B. Efron (2011), Tweedie's formula and selection bias. JASA 106, section 1.
    .. [2] C. Nadeau and Y. Bengio (2003), Inference for the generalization error. Machine Learning
       52, section 3.
    .. [3] H. van Hasselt (2013), Eq. 10. arXiv:1302.7175.

    Examples
    --------
    >>> scores = [[0.8, 0.7, 0.6], [0.7, 0.8, 0.6], [0.9, 0.7, 0.5]]
    >>> round(consensus(scores), 2)
    0.76
    >>> round(consensus(scores, best_index=1), 2)
    0.73

    The third candidate's loss is large, and so is its noise; its first split says little.

    >>> losses = [[-0.2, -0.3, -0.1], [-0.3, -0.2, -2.0], [-0.2, -0.4, -1.0]]
    >>> round(consensus(losses, support=(float("-inf"), 0.0)), 2)
    -0.27
    """
    table = check_scores(scores, min_splits=2)
    check_best_index(best_index, table.shape[-1])
    rows = _centred_rows(table, row_values, row_splits)
    labels = None if searches is None else np.asarray(searches)
    if labels is not None and labels.shape != table.shape[-1:]:
        raise ValueError(
            f"searches must name the search of each of the {table.shape[-1]} candidates; got shape "
            f"{labels.shape}. Give one label a candidate."
        )
    design = checked_design(design, table.shape[-2])
    estimates = np.empty(table.shape[:-2])
    for index in np.ndindex(estimates.shape):
        estimates[index] = _consensus(table[index], design, best_index, rows, labels, support)
    return as_result(estimates)


def _consensus(
    table: FloatArray,
    design: Design,
    best_index: int | None,
    rows: tuple[FloatArray, int] | None,
    searches: NDArray[Any] | None,
    support: tuple[float, float],
) -> float:
    means = table.mean(axis=0)
    chosen = float(means.max() if best_index is None else means[best_index])
    parts = partitions(table, design)
    # The logarithm of each partition's mean: what dealing does to it averages out.
    scale = _LogScale.of(parts.mean(axis=1), support)
    if scale is None:
        estimate = chosen - _optimism(parts, design, best_index, rows, searches)
    else:
        if rows is not None:
            rows = rows[0] / scale.distance.mean(axis=0), rows[1]
        optimism = _optimism(scale.of_values(parts), design, best_index, rows, searches)
        estimate = scale.lowered(chosen, optimism)
    return float(np.clip(estimate, means.min(), means.max()))


def _optimism(
    parts: FloatArray,
    design: Design,
    best_index: int | None,
    rows: tuple[FloatArray, int] | None,
    searches: NDArray[Any] | None,
) -> float:
    """Return the optimism of the chosen mean, on the scale of the parts."""
    means = parts.mean(axis=(0, 1))
    best = float(means.max())
    chosen = best if best_index is None else float(means[best_index])
    rounding = _ROUNDING * float(np.abs(parts).max())
    if np.ptp(means) <= rounding:
        return 0.0
    alike = _of_the_same_search(means, chosen, rounding, searches)
    samples, n_groups = (parts - parts.mean(axis=1, keepdims=True), 1) if rows is None else rows
    _, effective = own_noise(samples[..., alike], n_groups)
    one, _ = own_noise(samples, n_groups)
    noise = float(own_variance(parts, design, inflation=overlap(parts, design), one=one))
    if noise <= (_ROUNDING * float(np.ptp(means))) ** 2:
        return 0.0
    posterior, law = plateau_posterior(means[alike], chosen, noise, effective)
    optimism = chosen - posterior
    if chosen < best - rounding:
        return optimism  # not chosen for its mean: nothing to cross-validate
    crossed = chosen - float(low_variance_cv(parts.reshape(design.n_splits, -1), design=design))
    if min(crossed, optimism) <= rounding:
        return 0.0
    n_folds = 1.0 / design.test_share if is_shuffled(design) else design.n_folds
    return float(np.sqrt(crossed * choice_ratio(law, n_folds) * optimism))


def _of_the_same_search(
    means: FloatArray, chosen: float, rounding: float, searches: NDArray[Any] | None
) -> NDArray[np.intp]:
    """Return the candidates of the searches that the chosen mean comes from; all if too few."""
    everyone = np.arange(means.size)
    if searches is None:
        return everyone
    tied = np.abs(means - chosen) <= rounding  # of several searches, in whatever order
    found = np.flatnonzero(np.isin(searches, searches[tied]))
    return found if found.size >= _FEWEST else everyone


def _centred_rows(
    table: FloatArray, row_values: ArrayLike | None, row_splits: ArrayLike | None
) -> tuple[FloatArray, int] | None:
    """Return row values less their mean within each split, as one partition, and the splits."""
    if row_values is None:
        if row_splits is not None:
            raise ValueError("row_splits goes with row_values; got row_splits alone. Give both.")
        return None
    values = np.asarray(row_values, dtype=np.float64)
    if table.ndim != 2 or values.ndim != 2 or values.shape[1] != table.shape[1]:
        raise ValueError(
            "row_values must have shape (n_rows, n_candidates) and go with one table; got "
            f"{values.shape} for scores of shape {table.shape}. Give one column a candidate."
        )
    splits = np.zeros(len(values)) if row_splits is None else np.asarray(row_splits)
    if splits.shape != values.shape[:1]:
        raise ValueError(
            f"row_splits must name the split of each of the {len(values)} rows; got shape "
            f"{splits.shape}. Give one number a row."
        )
    labels = np.unique(splits)
    if not np.isfinite(values).all() or len(values) <= labels.size:
        raise ValueError(
            f"row_values must be finite and more than the splits; got {len(values)} rows in "
            f"{labels.size} splits. Leave row_values out where they are not known."
        )
    centred = np.empty_like(values)
    for label in labels:
        members = splits == label
        centred[members] = values[members] - values[members].mean(axis=0)
    return centred[np.newaxis], int(labels.size)


class _LogScale(NamedTuple):
    """Logarithm of the distance from a bound, taken at each candidate's mean.

    Parameters
    ----------
    sign : float
        1.0 for a bound above the scores, -1.0 for one below.
    bound : float
        The bound.
    distance : ndarray of shape (n_partitions, n_candidates)
        Positive distance of each candidate's mean from it.
    """

    sign: float
    bound: float
    distance: FloatArray

    @classmethod
    def of(cls, means: FloatArray, support: tuple[float, float]) -> Self | None:
        """Make the scale; None where the metric has no bound or two, or a mean lies on it."""
        low, high = support
        if np.isfinite(low) == np.isfinite(high):
            return None
        sign, bound = (1.0, high) if np.isfinite(high) else (-1.0, low)
        distance = sign * (bound - means)
        # A mean so close that rounding decides on its distance has none. Only its own size counts:
        # a hopeless candidate far away takes no digits from the others.
        clear = distance > 1e-9 * np.abs(means)
        return cls(sign, bound, distance) if clear.all() else None

    def of_values(self, values: FloatArray) -> FloatArray:
        """Put values (n_partitions, n_folds, n_candidates) on the scale; means go to means.

        The logarithm is that of the mean, and deviations from it are relative, so that a single
        value on the bound or beyond does no harm.
        """
        distance = self.distance[:, np.newaxis]
        means = self.bound - self.sign * distance
        level = -self.sign * np.log(distance)
        return np.asarray(level + (values - means) / distance)

    def lowered(self, score: float, optimism: float) -> float:
        """Lower a score by an optimism on the scale; by nothing exactly if there is none."""
        distance = self.sign * (self.bound - score)
        return score - self.sign * distance * float(np.expm1(self.sign * optimism))


def own_noise(residuals: FloatArray, n_groups: int) -> tuple[float, float]:
    """Measure the noise that favours some candidates, and how many are independent in it.

    Parameters
    ----------
    residuals : ndarray of shape (n_partitions, n_samples, n_candidates)
        Scores of splits, or of rows, centred for each candidate within ``n_groups`` groups of a
        partition; overwritten.

    Returns
    -------
    noise : float
        Noise variance of a partition's mean without what all candidates share.
    effective : float
        ``tr(C)^2 / tr(C^2)`` of the noise covariance C, with the bias of a covariance from few
        samples removed; between 1 and ``n_candidates - 1``, and that for two splits, which
        show a single direction.
    """
    _, n_samples, n_candidates = residuals.shape
    most, free = max(n_candidates - 1, 1), n_samples - n_groups
    residuals -= residuals.mean(axis=-1, keepdims=True)
    # Its traces are those of the covariance, on the smaller of the two sides.
    turned = residuals.swapaxes(-1, -2)
    gram = (residuals @ turned if n_candidates > n_samples else turned @ residuals) / free
    # Partitions hold the same rows: their average, and not their number, counts.
    traces = np.trace(gram, axis1=-2, axis2=-1)
    noise = float(traces.mean()) / most / n_samples
    if free < 2:
        return noise, float(most)
    # E tr(S^2) = tr(C^2) (1 + 1/f) + tr(C)^2 / f, and E tr(S)^2 = tr(C)^2 + 2 tr(C^2) / f.
    excess = float((np.square(gram).sum(axis=(-2, -1)) - traces**2 / free).mean())
    squared = free**2 / ((free - 1) * (free + 2)) * excess
    total = float((traces**2).mean())
    return noise, float(most) if squared * most <= total else max(total / squared, 1.0)


def plateau_posterior(
    means: FloatArray, chosen: float, noise: float, effective: float
) -> tuple[float, FloatArray]:
    """Average a candidate's true score over what the means say about all true scores.

    Parameters
    ----------
    means : ndarray of shape (n_candidates,)
        Mean score of each candidate.
    chosen : float
        The mean score to be corrected, one of ``means``.
    noise : float
        Noise variance of a mean; positive.
    effective : float
        Number of candidates whose noise is independent.

    Returns
    -------
    estimate : float
        Within the range of the means.
    law : ndarray of shape (1 + 10,)
        Probability of each share of noise in noise and spread; the first is that of 'all equal'.
    """
    scale = float(np.sqrt(noise))
    points, counts = _thinned((means - chosen) / scale)
    centres = np.quantile(points, (np.arange(_N_CENTRES) + 0.5) / _N_CENTRES)
    # Means that share noise repeat each other: their log likelihood counts as that of fewer.
    counts = counts * (effective / max(means.size - 1, 1))
    # Apart from the plateau, the farthest candidate lies two standard deviations off.
    farthest = np.square(points - centres[:, None]).max(axis=1)
    width = 1.0 + np.maximum(farthest / _DEVIATIONS**2, 1.0)
    on, off = _log_densities(points, centres, width)
    evidence = np.logaddexp(on, off) @ counts
    evidence += _LOG_PRIOR[:, None, :]
    weights = np.exp(evidence - evidence.max())
    on, off = (density[..., 0] for density in _log_densities(np.zeros(1), centres, width))
    member = np.exp(on - np.logaddexp(on, off))
    shift = member * np.outer(centres, _NOISE_SHARES)
    shift += (1.0 - member) * (centres / width)[:, None]
    weights /= weights.sum()
    moved = chosen + scale * float((weights * shift).sum())
    return float(np.clip(moved, means.min(), means.max())), weights.sum(axis=(0, 1))


def choice_ratio(law: FloatArray, n_splits: float) -> float:
    """Compare the optimism of the best mean with what choosing on one split makes of it.

    Both are in units of the noise of a mean and of the expected maximum of standard normals. With
    spread t, the best of all means is expected at sqrt(1 + t) and is worth t / sqrt(1 + t); the
    best of a single split, whose noise is n_splits times as large, is worth t / sqrt(n_splits + t).

    Parameters
    ----------
    law : ndarray
        From `plateau_posterior`.

    Returns
    -------
    float
        From 1, where all are equal, down to 2 / (n_splits + 1).
    """
    spread = 1.0 / _NOISE_SHARES - 1.0
    expected = np.sqrt(1.0 + spread)
    optimism = 1.0 / expected
    on_one_split = expected - spread / np.sqrt(n_splits + spread)
    return float(law @ optimism / (law @ on_one_split))


def _log_densities(
    points: FloatArray, centres: FloatArray, width: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Log density of each point on the plateau and off it, weighted by the share.

    Both have axes (share, centre, spread, point).
    """
    squares = np.square(points - centres[:, None])[:, None, :]
    share = _NOISE_SHARES[:, None]
    on = (np.log(share) - squares * share) / 2
    off = (-np.log(width)[:, None, None] - squares / width[:, None, None]) / 2
    with np.errstate(divide="ignore"):
        inside, outside = np.log(1.0 - _SHARES), np.log(_SHARES)
    shape = (-1, 1, 1, 1)
    return inside.reshape(shape) + on, outside.reshape(shape) + off


def _thinned(points: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Replace many points by the means of equal groups of neighbours, with their counts."""
    if points.size <= _MOST_POINTS:
        return points, np.ones(points.size)
    starts = np.linspace(0, points.size, _MOST_POINTS, endpoint=False).astype(np.intp)
    counts = np.diff(np.append(starts, points.size)).astype(np.float64)
    return np.add.reduceat(np.sort(points), starts) / counts, counts
