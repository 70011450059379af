"""Two models, or each pair of many, on many data sets: one score each on every data set."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import stats

from skmaxev._results import Result, at_least
from skmaxev.comparison._checks import Alternative, check_pair, check_table, names_of
from skmaxev.comparison.results import Comparison
from skmaxev.estimators.validation import ROUNDING

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = [
    "PairComparisons",
    "bayesian_signed_rank",
    "compare_pairs",
    "holm",
    "sign_test",
    "signed_rank",
]

_ASSUMES = "independent data sets"


@dataclass(frozen=True)
class PairComparisons(Result):
    """Pairs of models, with p-values adjusted for their number.

    Attributes
    ----------
    comparisons : tuple of Comparison
        One a pair; the p-values are Holm's.
    """

    comparisons: tuple[Comparison, ...]

    @property
    def sentence(self) -> str:
        """The result in plain words, a line a pair."""
        return "\n".join(one.sentence for one in self.comparisons)

    def to_dict(self) -> list[dict[str, Any]]:
        """Give one row a pair."""
        return [row for one in self.comparisons for row in one.to_dict()]


def compare_pairs(
    scores: ArrayLike, *, control: int | str | None = None, test: str = "signed rank"
) -> PairComparisons:
    """Compare each pair of models, or each with a control, and adjust by Holm.

    Parameters
    ----------
    scores : array-like of shape (n_datasets, n_models)
        Score of each model on each data set; the columns of a frame name the models.
    control : int or str, optional
        Column of the model that all others are compared with; all pairs if omitted.
    test : {"signed rank", "sign"}, default="signed rank"
        `signed_rank` or `sign_test`.

    Returns
    -------
    PairComparisons
        The adjusted p-values hold for any dependence between the pairs; they err upwards.

    References
    ----------
    .. [1] J. Demsar (2006), Statistical Comparisons of Classifiers over Multiple Data Sets.

    Examples
    --------
    >>> import numpy as np
    >>> from skmaxev.comparison import compare_pairs
    >>> scores = np.random.default_rng(0).normal([0.85, 0.8, 0.8], 0.02, size=(12, 3))
    >>> [round(pair.pvalue, 3) for pair in compare_pairs(scores, control=0).comparisons]
    [0.001, 0.001]
    """
    table = check_table(scores, rows="datasets", least=2)
    tests = {"signed rank": signed_rank, "sign": sign_test}
    if test not in tests:
        raise ValueError(f"test must be one of {list(tests)}; got {test!r}.")
    names = names_of(scores, table.shape[1])
    pairs = list(combinations(range(len(names)), 2))
    if control is not None:
        if str(control) not in names:
            raise ValueError(f"control must be one of the models {names}; got {control!r}.")
        first = names.index(str(control))
        pairs = [(first, other) for other in range(len(names)) if other != first]
    found = [tests[test](table[:, a], table[:, b]) for a, b in pairs]
    adjusted = holm([one.pvalue or 0.0 for one in found])
    return PairComparisons(
        tuple(
            replace(one, pvalue=float(p), names=(names[a], names[b]), method=f"{one.method}, Holm")
            for one, p, (a, b) in zip(found, adjusted, pairs, strict=True)
        )
    )


def holm(pvalues: ArrayLike) -> NDArray[np.float64]:
    """Adjust p-values so that a family of comparisons makes a false claim as rarely as one.

    Parameters
    ----------
    pvalues : array-like of shape (n,)
        One for each comparison that was made, also those that are not shown.

    Returns
    -------
    ndarray of shape (n,)
        Adjusted p-values in the order given. Valid whatever the dependence between the
        comparisons; err upwards where they are correlated.

    References
    ----------
    .. [1] S. Holm (1979), A simple sequentially rejective multiple test procedure.

    Examples
    --------
    >>> from skmaxev.comparison import holm
    >>> holm([0.01, 0.04, 0.03]).round(2).tolist()
    [0.03, 0.06, 0.06]
    """
    values = np.asarray(pvalues, dtype=np.float64)
    if values.ndim != 1 or not ((values >= 0) & (values <= 1)).all():
        raise ValueError(f"pvalues must be a list of numbers from 0 to 1; got {pvalues!r}.")
    order = np.argsort(values)
    steps = values[order] * np.arange(values.size, 0, -1)
    adjusted = np.empty_like(values)
    adjusted[order] = np.minimum(np.maximum.accumulate(steps), 1.0)
    return adjusted


def signed_rank(
    scores_a: ArrayLike, scores_b: ArrayLike, *, alternative: Alternative = "two-sided"
) -> Comparison:
    """Compare two models over data sets by Wilcoxon's signed ranks.

    Parameters
    ----------
    scores_a, scores_b : array-like of shape (n_datasets,)
        Score of each model on each data set.
    alternative : {"two-sided", "greater", "less"}, default="two-sided"
        "greater" asks whether a is better, "less" whether b is.

    Returns
    -------
    Comparison
        ``difference`` is the Hodges-Lehmann estimate, the median of all means of two differences.
        The effect size is the rank-biserial correlation: by how much ranks for a exceed those
        for b. Exact for up to 50 data sets without ties, else normal.

    References
    ----------
    .. [1] F. Wilcoxon (1945), Individual comparisons by ranking methods.

    Examples
    --------
    >>> from skmaxev.comparison import signed_rank
    >>> a, b = [0.83, 0.78, 0.90, 0.85, 0.88, 0.71], [0.80, 0.79, 0.85, 0.81, 0.86, 0.65]
    >>> result = signed_rank(a, b)
    >>> round(result.pvalue, 4), round(result.effect_size, 2)
    (0.0625, 0.9)
    """
    gaps = _gaps(scores_a, scores_b)
    differing = gaps[gaps != 0.0]
    ranks = stats.rankdata(np.abs(differing))
    won = float(ranks[differing > 0].sum())
    test = stats.wilcoxon(differing, alternative=alternative) if differing.size else None
    walsh = (gaps[:, np.newaxis] + gaps)[np.triu_indices(gaps.size)] / 2.0
    return Comparison(
        difference=float(np.median(walsh)),
        statistic=won,
        pvalue=at_least(test.pvalue) if test else 1.0,
        alternative=alternative,
        effect_size=float(2.0 * won / ranks.sum() - 1.0) if differing.size else 0.0,
        effect="rank-biserial correlation",
        method="Wilcoxon's signed ranks",
        assumes=f"{_ASSUMES}; differences symmetric about their median",
    )


def sign_test(
    scores_a: ArrayLike, scores_b: ArrayLike, *, alternative: Alternative = "two-sided"
) -> Comparison:
    """Compare two models over data sets by how often each wins.

    Parameters
    ----------
    scores_a, scores_b, alternative
        As in `signed_rank`.

    Returns
    -------
    Comparison
        ``difference`` is the median; the effect size is the share of data sets that a wins, of
        those that are no tie. Exact; the p-value errs upwards.

    Examples
    --------
    >>> from skmaxev.comparison import sign_test
    >>> sign_test([0.83, 0.78, 0.90, 0.85, 0.88], [0.80, 0.77, 0.85, 0.81, 0.86]).pvalue
    0.0625
    """
    gaps = _gaps(scores_a, scores_b)
    won, lost = int((gaps > 0).sum()), int((gaps < 0).sum())
    test = stats.binomtest(won, won + lost, alternative=alternative) if won + lost else None
    return Comparison(
        difference=float(np.median(gaps)),
        statistic=float(won),
        pvalue=at_least(test.pvalue) if test else 1.0,
        alternative=alternative,
        effect_size=won / (won + lost) if test else 0.5,
        effect="share of wins",
        method="sign test",
        assumes=_ASSUMES,
    )


def bayesian_signed_rank(
    scores_a: ArrayLike,
    scores_b: ArrayLike,
    *,
    rope: float = 0.01,
    n_draws: int = 20_000,
    rng: np.random.Generator | int | None = None,
) -> Comparison:
    """Give the probabilities that a or b is better over data sets, and that it does not matter.

    A Dirichlet process with a prior worth half a data set, on which both are equal, gives each
    data set a random weight. A draw counts for the region that holds most of the weighted means of
    two differences.

    Parameters
    ----------
    scores_a, scores_b
        As in `signed_rank`.
    rope : float, default=0.01
        Region of practical equivalence: differences up to this size do not matter.
    n_draws : int, default=20000
        Draws of the weights.
    rng : Generator or int, optional
        Source of the weights.

    Returns
    -------
    Comparison
        With three probabilities that sum to one.

    References
    ----------
    .. [1] A. Benavoli, G. Corani, J. Demsar and M. Zaffalon (2017), Time for a change: a tutorial
       for comparing multiple classifiers through Bayesian analysis, Section 4.2.

    Examples
    --------
    >>> import numpy as np
    >>> from skmaxev.comparison import bayesian_signed_rank
    >>> a, b = np.random.default_rng(0).normal([[0.85], [0.80]], 0.02, size=(2, 12))
    >>> bayesian_signed_rank(a, b, rng=0).p_a_better > 0.99
    True
    """
    if not rope >= 0 or n_draws < 1:
        raise ValueError(f"rope must not be negative, nor n_draws below 1; got {rope}, {n_draws}.")
    gaps = np.concatenate([[0.0], _gaps(scores_a, scores_b)])
    means = (gaps[:, np.newaxis] + gaps) / 2.0
    prior = np.concatenate([[0.5], np.ones(gaps.size - 1)])
    weights = np.random.default_rng(rng).dirichlet(prior, size=n_draws)
    above, below = (
        np.einsum("di,ij,dj->d", weights, region.astype(float), weights, optimize=True)
        for region in (means > rope, means < -rope)
    )
    within = 1.0 - above - below
    a_better = float(np.mean((above > within) & (above >= below)))
    b_better = float(np.mean((below > within) & (below > above)))
    return Comparison(
        difference=float(np.median(means[1:, 1:][np.triu_indices(gaps.size - 1)])),
        p_a_better=a_better,
        p_equivalent=1.0 - a_better - b_better,
        p_b_better=b_better,
        rope=float(rope),
        method="Bayesian signed ranks",
        assumes=f"{_ASSUMES}; Dirichlet process prior",
    )


def _gaps(scores_a: ArrayLike, scores_b: ArrayLike) -> NDArray[np.float64]:
    """Differences by data set; what rounding leaves of equal scores is none."""
    first, second = check_pair(scores_a, scores_b, thing="data set")
    gaps = np.asarray(first - second)
    gaps[np.abs(gaps) <= ROUNDING * np.abs([first, second]).max()] = 0.0
    return gaps
