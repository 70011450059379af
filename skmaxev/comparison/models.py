"""Searches side by side, and the candidates of one: which of them cannot be told apart."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from skmaxev._results import Result
from skmaxev.correction import correct, differences_of, joined_table, searches_in
from skmaxev.report import RunnersUp, SelectionReport
from skmaxev.report.numbers import name_params
from skmaxev.table import ScoreTable

__all__ = [
    "ModelComparison",
    "compare",
    "confidence_set_of_the_best",
    "winner_against_runners_up",
]


@dataclass(frozen=True)
class ModelComparison(Result):
    """Tuned models on one data set, the best honest score first.

    Attributes
    ----------
    models : tuple of dict
        One a model: its name, settings, honest score, interval and printed score, the probability
        that it is better than the first, and whether it may be the best.
    level : float
        Confidence level of the intervals, and of the set of those that may be the best.
    metric : str
        Name of the score.
    notes : tuple of str
        How the splits of the searches were brought together.
    """

    models: tuple[dict[str, Any], ...]
    level: float
    metric: str
    notes: tuple[str, ...] = ()

    @property
    def sentence(self) -> str:
        """The result in plain words."""
        first, *others = self.models
        near = [model["model"] for model in others if model["may_be_best"]]
        text = f"{first['model']} has the best honest score, {first['score']:.4g}; "
        if not near:
            return text + f"the others are told apart from it ({100 * self.level:g}% confidence)."
        return text + f"{', '.join(near)} may be as good ({100 * self.level:g}% confidence)."

    def to_dict(self) -> list[dict[str, Any]]:
        """Give one row a model."""
        return [dict(model) for model in self.models]


def compare(searches: Any, *, level: float = 0.95, **options: Any) -> ModelComparison:
    """Compare tuned models by their honest scores.

    Parameters
    ----------
    searches : dict or list
        Searches by name, on the same data: anything that `skmaxev.correct` joins.
    level : float, default=0.95
        Of the intervals, and of the set of models that may be the best.
    **options : dict
        Further parameters of `skmaxev.correct`.

    Returns
    -------
    ModelComparison
        Prints as a sentence; as a frame, Markdown, LaTeX and in a notebook it is the table.
        Differences are paired, with the variance of Nadeau and Bengio around the honest scores.

    Raises
    ------
    ValueError
        If there are not two searches of one metric and one data set.

    Examples
    --------
    >>> import numpy as np
    >>> from skmaxev import correct
    >>> from skmaxev.comparison import compare
    >>> rng = np.random.default_rng(0)
    >>> tables = [correct(rng.normal(mean, 0.01, (5, 8))) for mean in (0.8, 0.7)]
    >>> print(compare(dict(zip(["svm", "forest"], tables))))
    svm has the best honest score, 0.7996; the others are told apart from it (95% confidence).
    """
    found = searches_in(searches)
    if found is None or len(found) < 2:
        raise ValueError(
            'searches must be two or more by name, such as {"svm": search_1, "forest": search_2}; '
            f"got {type(searches).__name__}."
        )
    reports = {name: correct(search, level=level, **options) for name, search in found.items()}
    tables = {id(found[name]): report.table for name, report in reports.items()}
    joined = joined_table(found, lambda search: tables[id(search)])  # type: ignore[arg-type, return-value]
    winners = _winners(joined, list(reports.values()))
    differences = differences_of(winners, level)
    models: list[dict[str, Any]] = []
    for place, (name, report) in enumerate(reports.items()):
        low, high = report.interval or (None, None)
        better = np.nan if differences is None else differences.p_better[place]
        models.append(
            {
                "model": name,
                "params": name_params(report.best_params) if report.best_params else None,
                "score": report.estimate,
                "low": low,
                "high": high,
                "printed": report.naive,
                "p_better": None if np.isnan(better) else float(better),
                "may_be_best": differences is None or bool(differences.may_be_best[place]),
            }
        )
    models[winners.best_index]["p_better"] = None
    sign = 1.0 if joined.greater_is_better else -1.0
    models.sort(key=lambda model: -sign * model["score"])
    own = {f"{name}: {note}" for name, report in reports.items() for note in report.notes}
    notes = tuple(note for note in joined.notes if note not in own)
    return ModelComparison(tuple(models), level, joined.metric, notes)


def _winners(joined: ScoreTable, reports: list[SelectionReport]) -> ScoreTable:
    """Keep the winner of each search, moved to its honest score."""
    first = np.cumsum([0, *(report.n_candidates for report in reports)])[:-1]
    columns = first + [report.best_index for report in reports]
    sign = 1.0 if joined.greater_is_better else -1.0
    honest = sign * np.array([report.estimate for report in reports])
    scores = joined.scores[:, columns]
    return replace(
        joined,
        scores=scores - scores.mean(axis=0) + honest,
        best_index=int(honest.argmax()),
        params=None,
        left_out={},
        searches=None,
        rows=None if joined.rows is None else joined.rows.take(columns),
    )


def winner_against_runners_up(
    results: Any = None, *, level: float = 0.95, **options: Any
) -> RunnersUp:
    """Measure how far the winner of a search is from every other, as ``report.runners_up()``.

    Parameters
    ----------
    results : object
        Anything that `skmaxev.correct` takes.
    level : float, default=0.95
        Of the interval of each difference, and of the set of those that may be the best.
    **options : dict
        Further parameters of `skmaxev.correct`.

    Returns
    -------
    RunnersUp
        Paired differences by Nadeau and Bengio, from the splits or the results of single rows. The
        winner was chosen on these scores, so they err in its favour; the set allows for that.

    Examples
    --------
    >>> from skmaxev.comparison import winner_against_runners_up
    >>> scores = [[0.80, 0.79, 0.60], [0.85, 0.86, 0.62], [0.82, 0.80, 0.65], [0.84, 0.84, 0.61]]
    >>> found = winner_against_runners_up(scores)
    >>> [(other.candidate, round(other.p_better, 2)) for other in found.candidates]
    [(1, 0.32), (2, 0.0)]
    """
    return correct(results, level=level, **options).runners_up()


def confidence_set_of_the_best(
    results: Any = None, *, level: float = 0.95, **options: Any
) -> RunnersUp:
    """Give the candidates besides the winner that cannot be excluded as the best.

    Parameters
    ----------
    results, **options
        As in `winner_against_runners_up`; ``responses=`` of shape (n_candidates, n_items) for rows
        or items for which nothing was trained.
    level : float, default=0.95
        Probability that the winner and these hold the best candidate.

    Returns
    -------
    RunnersUp
        As of `winner_against_runners_up`, without the candidates that are excluded. Errs to the
        large side; with five folds little can be excluded.

    Examples
    --------
    >>> import numpy as np
    >>> from skmaxev.comparison import confidence_set_of_the_best
    >>> rng = np.random.default_rng(0)
    >>> items = rng.normal([0.8, 0.8, 0.5, 0.4], 0.1, size=(30, 4)).T
    >>> found = confidence_set_of_the_best(responses=items)
    >>> found.best_index, found.indices
    (1, (0,))
    """
    found = winner_against_runners_up(results, level=level, **options)
    return replace(found, candidates=tuple(one for one in found.candidates if one.may_be_best))
