"""The plan of one search on one data set: fits, time, optimism and advice, before it runs."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from joblib import effective_n_jobs
from sklearn.base import clone, is_classifier
from sklearn.metrics import check_scoring
from sklearn.model_selection import ParameterGrid, ParameterSampler, check_cv, cross_validate
from sklearn.utils import resample

from skmaxev._results import as_text, block
from skmaxev.estimators import expected_maximum_of_normals
from skmaxev.planning.optimism import PLAUSIBLE_CORRELATIONS
from skmaxev.search import (
    HonestSearchCV,
    LowVarianceCVSearch,
    NestedCVSearch,
    ShrunkSearchCV,
    planned_fits,
)
from skmaxev.search._request import candidates_of

__all__ = ["SearchPlan", "plan"]

_OURS = (HonestSearchCV, LowVarianceCVSearch, NestedCVSearch, ShrunkSearchCV)

_N_RESAMPLES = 30  # of the test rows of the timed fit: the noise to about one part in eight
_FEWEST_ROWS = 10  # that show the noise of a score
_LONG = 3600.0  # seconds worth a checkpoint
_FEW_ROWS = 30  # in a test fold


@dataclass(frozen=True)
class SearchPlan:
    """What a search will cost and how far its best score may be trusted.

    Attributes
    ----------
    n_fits : int
        Model fits of the search, its estimate and the final model.
    n_candidates, n_splits, n_rows, n_test : int
        Size of the search, rows of the data, and rows that judge in a split.
    seconds_per_fit : float
        One fit and its scoring, as timed.
    seconds : float
        All fits at this speed, over the search's ``n_jobs``.
    score : float
        Of the timed fit on its test rows.
    noise : float
        Standard deviation of one candidate's mean score, from resampled test rows; NaN where they
        cannot show it.
    optimism : float
        Expected excess of the best score over its truth if all candidates are equally good and
        share no noise. Errs upwards: an upper bound.
    """

    n_fits: int
    n_candidates: int
    n_splits: int
    n_rows: int
    n_test: int
    seconds_per_fit: float
    seconds: float
    score: float
    noise: float
    optimism: float

    @property
    def advice(self) -> tuple[str, ...]:
        """What to do, in plain words."""
        if self.n_candidates == 1:
            return ("Nothing is chosen: the score needs no correction.",)
        return tuple(self._advice())

    def _advice(self) -> Iterator[str]:
        if np.isfinite(self.noise):
            yield (
                f"Improvements below {self.optimism:.2g} may be nothing but luck in choosing: "
                f"report the corrected score. {4 * self.n_rows:,} rows would halve it. More "
                "candidates find a better best score as long as they differ; the corrected score "
                "pays for their luck."
            )
        else:
            yield (
                "The noise of the score cannot be seen in one fold: report the corrected score, "
                "and its interval."
            )
        fewest = self.n_candidates * self.n_splits + 1
        if self.n_fits > fewest:
            yield (
                f"Without further folds, HonestSearchCV corrects the best score with {fewest} fits "
                f"in place of {self.n_fits}."
            )
        if self.n_test < _FEW_ROWS:
            yield f"A fold is judged on {self.n_test} rows: use fewer, larger folds or repeat them."
        if self.seconds > _LONG:
            yield "Keep finished fits with checkpoint=..., so that a stop loses nothing."

    def __str__(self) -> str:
        lines = [
            f"{self.n_candidates:,} candidates x {self.n_splits} splits on {self.n_rows:,} rows: "
            f"{self.n_fits:,} fits, about {_duration(self.seconds)} "
            f"({_duration(self.seconds_per_fit)} for the one timed)."
        ]
        if np.isfinite(self.noise):
            low, high = PLAUSIBLE_CORRELATIONS
            least, most = (self.optimism * np.sqrt(1 - shared) for shared in (high, low))
            lines.append(
                f"One candidate's mean score is known to about +-{self.noise:.2g}; the best of "
                f"{self.n_candidates:,} equally good ones will look {least:.1g} to {most:.1g} too "
                f"good on average, as they share {low:g} to {high:g} of their luck in nine grids "
                f"of ten; {self.optimism:.2g} if they shared none."
            )
        return "\n".join(lines + [f"- {line}" for line in self.advice])

    def _repr_html_(self) -> str:
        return block("Plan of a search", as_text(str(self).splitlines()))


def plan(
    search: Any,
    X: Any,
    y: Any = None,
    *,
    rng: np.random.Generator | int | None = None,
    **params: Any,
) -> SearchPlan:
    r"""Say what a search will cost and how optimistic its best score will be, from one timed fit.

    Parameters
    ----------
    search : estimator
        Any search of skmaxev or scikit-learn, not fitted; it is left as it is. Of a halving search
        every candidate is counted once, on all rows.
    X : array-like of shape (n_samples, ...)
        The data, as for ``search.fit``.
    y : array-like of shape (n_samples,), optional
        The target.
    rng : Generator or int, optional
        Draws the candidate that is timed and resamples its test rows.
    **params : dict
        Further parameters of ``search.fit``; ``groups`` goes to the splitter.

    Returns
    -------
    SearchPlan
        Prints as a short text. The time errs to either side, as candidates differ in cost; the
        optimism errs upwards.

    Raises
    ------
    TypeError
        If the candidates of the search cannot be counted, or its ``cv`` is an iterator that
        looking at would use up.

    Notes
    -----
    A correlation r of the candidates' noise makes the optimism :math:`\sqrt{1 - r}` of the bound;
    the text gives it for the range of `expected_optimism`, and candidates that differ lower it.

    Examples
    --------
    >>> from sklearn.datasets import make_classification
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.model_selection import GridSearchCV
    >>> from skmaxev.planning import plan
    >>> X, y = make_classification(n_samples=200, random_state=0)
    >>> search = GridSearchCV(LogisticRegression(), {"C": [0.01, 0.1, 1, 10]}, cv=5)
    >>> plan(search, X, y, rng=0).n_fits
    21
    """
    generator = np.random.default_rng(rng)
    if isinstance(search, _OURS) and search.param_grid is None:
        search = search.estimator
    if not hasattr(search, "estimator") or not hasattr(search, "cv"):
        raise TypeError(
            "search must be a search that is not fitted, such as GridSearchCV(estimator, grid); "
            f"got {type(search).__name__}. Put the estimator and its grid into one."
        )
    splits = _splits(search, X, y, params.get("groups"))
    n_candidates = _count_candidates(search)
    n_rows, n_test = _n_rows(X), len(splits[0][1])
    timed = _TimedFit(search, generator)
    timed.run(X, y, splits[0], params)
    n_fits = _count_fits(search, X, y, params, n_candidates * len(splits))
    noise = timed.noise * float(np.sqrt(n_test / min(n_test * len(splits), n_rows)))
    jobs = min(effective_n_jobs(getattr(search, "n_jobs", None)), n_fits)
    bound = noise * float(expected_maximum_of_normals(n_candidates)) if n_candidates > 1 else 0.0
    return SearchPlan(
        n_fits=n_fits,
        n_candidates=n_candidates,
        n_splits=len(splits),
        n_rows=n_rows,
        n_test=n_test,
        seconds_per_fit=timed.seconds,
        seconds=n_fits * timed.seconds / jobs,
        score=timed.score,
        noise=noise,
        optimism=bound,
    )


class _TimedFit:
    """A fit of one candidate drawn at random: what it cost, and how its score moves with rows."""

    def __init__(self, search: Any, rng: np.random.Generator) -> None:
        self.estimator = clone(search.estimator).set_params(**_any_candidate(search, rng))
        self.scorer, self.key = _scorer_of(search)
        self.rng = rng
        self.seconds = self.score = self.noise = float("nan")

    def run(self, X: Any, y: Any, split: tuple[Any, Any], params: Mapping[str, Any]) -> None:
        """Fit on the training rows of the split; `judge` scores on its test rows."""
        timed = cross_validate(
            self.estimator,
            X,
            y,
            cv=[split],
            scoring=self.judge,
            params={name: value for name, value in params.items() if name != "groups"} or None,
            error_score="raise",
        )
        self.seconds += float(timed["fit_time"][0])

    def judge(self, estimator: Any, X: Any, y: Any = None) -> float:
        """Score once for the record, then on resampled test rows."""
        start = time.perf_counter()
        self.score = self._score(estimator, X, y)
        self.seconds = time.perf_counter() - start
        n_resamples = _N_RESAMPLES if _n_rows(X) >= _FEWEST_ROWS else 0
        values = np.array([self._score_resampled(estimator, X, y) for _ in range(n_resamples)])
        values = values[np.isfinite(values)]
        spread = float(values.std(ddof=1)) if values.size > _N_RESAMPLES // 2 else 0.0
        # A fold without a single error shows no noise, which is not to say that there is none.
        if spread > 1e-9 * float(np.abs(values).max(initial=0.0)):
            self.noise = spread
        return self.score

    def _score(self, estimator: Any, X: Any, y: Any) -> float:
        value = self.scorer(estimator, X) if y is None else self.scorer(estimator, X, y)
        return float(value[self.key] if isinstance(value, Mapping) else value)

    def _score_resampled(self, estimator: Any, X: Any, y: Any) -> float:
        seed = int(self.rng.integers(2**31))
        drawn = (resample(X, random_state=seed), None)
        if y is not None:
            drawn = resample(X, y, random_state=seed)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # metrics warn where a class was not drawn
            try:
                return self._score(estimator, *drawn)
            except ValueError:  # the metric is not defined without one of the classes
                return float("nan")


def _splits(search: Any, X: Any, y: Any, groups: Any) -> list[tuple[Any, Any]]:
    """The search's own splits of the rows."""
    cv = getattr(search, "cv", None)
    if hasattr(cv, "__next__"):
        raise TypeError(
            "cv must not be an iterator that can be read only once; got "
            f"{type(cv).__name__}. Pass list(cv)."
        )
    splitter = check_cv(cv, y, classifier=is_classifier(search.estimator))
    return list(splitter.split(X, y, groups))


def _scorer_of(search: Any) -> tuple[Any, Any]:
    """The scorer that chooses, and its name in the results of a scorer of many metrics."""
    scoring, refit = getattr(search, "scoring", None), getattr(search, "refit", True)
    if isinstance(scoring, Mapping | list | tuple | set):
        names = list(scoring)
        name = refit if isinstance(refit, str) else names[0]
        chosen = scoring[name] if isinstance(scoring, Mapping) else name
        return check_scoring(search.estimator, scoring=chosen), None
    return check_scoring(search.estimator, scoring=scoring), refit


def _count_candidates(search: Any) -> int:
    """Candidates that the search will compare."""
    if isinstance(search, _OURS):
        return len(candidates_of(search.param_grid, search.n_iter, search.random_state))
    if hasattr(search, "param_grid"):
        return len(ParameterGrid(search.param_grid))
    for name in ("n_iter", "n_trials", "n_candidates"):
        count = getattr(search, name, None)
        if isinstance(count, int | np.integer):
            return min(int(count), _size_of_lists(getattr(search, "param_distributions", None)))
    raise TypeError(
        f"the candidates of {type(search).__name__} cannot be counted: it has no param_grid, "
        "n_iter, n_trials or n_candidates that is a number."
    )


def _size_of_lists(distributions: Any) -> int:
    """Number of settings if all parameters are lists, which a random search does not exceed."""
    spaces = [distributions] if isinstance(distributions, Mapping) else distributions or [{"": 0}]
    values = [value for space in spaces for value in space.values()]
    if any(not isinstance(value, list | tuple | np.ndarray) for value in values):
        return int(np.iinfo(np.int64).max)
    return len(ParameterGrid(distributions))


def _any_candidate(search: Any, rng: np.random.Generator) -> dict[str, Any]:
    """Settings of one candidate, drawn at random; the estimator's own where there are none."""
    seed = int(rng.integers(2**31))
    if isinstance(search, _OURS):
        candidates = candidates_of(search.param_grid, search.n_iter, search.random_state)
        return dict(candidates[seed % len(candidates)])
    if hasattr(search, "param_grid"):
        grid = ParameterGrid(search.param_grid)
        return dict(grid[seed % len(grid)])
    distributions = getattr(search, "param_distributions", None)
    if distributions is None:
        return {}
    try:
        return dict(next(iter(ParameterSampler(distributions, 1, random_state=seed))))
    except TypeError:  # another library's distributions: time the estimator as it is
        return {}


def _count_fits(search: Any, X: Any, y: Any, params: Mapping[str, Any], of_search: int) -> int:
    """Fits of skmaxev's searches by their plan, of any other by its splits and its refit."""
    if isinstance(search, _OURS):
        return int(planned_fits(search, X, y, **params))
    return of_search + bool(getattr(search, "refit", True))


def _n_rows(X: Any) -> int:
    shape = getattr(X, "shape", None)
    return int(shape[0]) if shape is not None else len(X)


def _duration(seconds: float) -> str:
    """Write a time for reading."""
    for size, unit in ((86400, "days"), (3600, "hours"), (60, "minutes")):
        if seconds >= 2 * size:
            return f"{seconds / size:.0f} {unit}"
    return f"{seconds:.0f} seconds" if seconds >= 10 else f"{seconds:.2g} seconds"
