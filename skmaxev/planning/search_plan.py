"""The plan of one search on one data set: fits, time, optimism and advice, before it runs."""

from __future__ import annotations

import time
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from joblib import effective_n_jobs
from sklearn.base import clone, is_classifier
from sklearn.metrics import check_scoring
from sklearn.model_selection import ParameterGrid, ParameterSampler, check_cv, cross_validate
from sklearn.utils import resample

from skmaxev._results import as_text, block
from skmaxev.estimators import expected_maximum_of_normals
from skmaxev.planning._advice import advise, describe
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


@dataclass(frozen=True)
class SearchPlan:
    """What a search will cost and how far its best score may be trusted.

    Attributes
    ----------
    n_fits : int
        Model fits of the search, its estimate and the final model.
    n_candidates, n_splits, n_rows : int
        Size of the search, and rows of the data.
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
    advice : tuple of str
        What to do, in plain words.
    """

    n_fits: int
    n_candidates: int
    n_splits: int
    n_rows: int
    seconds_per_fit: float
    seconds: float
    score: float
    noise: float
    optimism: float
    advice: tuple[str, ...]

    def __str__(self) -> str:
        return describe(vars(self))

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
    probe = _time_one_fit(search, X, y, splits[0], generator, params)
    n_fits = _count_fits(search, X, y, params, n_candidates * len(splits))
    n_rows, n_test = _n_rows(X), len(splits[0][1])
    noise = probe.noise() * float(np.sqrt(n_test / min(n_test * len(splits), n_rows)))
    jobs = effective_n_jobs(getattr(search, "n_jobs", None))
    facts = {
        "n_fits": n_fits,
        "n_candidates": n_candidates,
        "n_splits": len(splits),
        "n_rows": n_rows,
        "seconds_per_fit": probe.seconds,
        "seconds": n_fits * probe.seconds / min(jobs, n_fits),
        "score": probe.score,
        "noise": noise,
        "optimism": float(noise * expected_maximum_of_normals(n_candidates))
        if n_candidates > 1
        else 0.0,
    }
    return SearchPlan(**facts, advice=advise(facts, n_test=n_test))


@dataclass
class _Probe:
    """A scorer that remembers what it cost and how its score moves with the test rows."""

    scorer: Any
    key: Any
    rng: np.random.Generator
    seconds: float = 0.0
    score: float = np.nan
    resampled: list[float] = field(default_factory=list)

    def __call__(self, estimator: Any, X: Any, y: Any = None) -> float:
        """Score once for the record, then on resampled test rows."""
        start = time.perf_counter()
        self.score = self._score(estimator, X, y)
        self.seconds = time.perf_counter() - start
        if _n_rows(X) >= _FEWEST_ROWS:
            for _ in range(_N_RESAMPLES):
                self._score_resampled(estimator, X, y)
        return self.score

    def noise(self) -> float:
        """Standard deviation of the score of one fold; NaN where the fold does not show it.

        A fold without a single error shows no noise, but that is not to say that there is none.
        """
        values = np.asarray(self.resampled)
        values = values[np.isfinite(values)]
        spread = float(values.std(ddof=1)) if values.size > _N_RESAMPLES // 2 else 0.0
        rounding = 1e-9 * float(np.abs(values).max(initial=0.0))
        return spread if spread > rounding else float("nan")

    def _score(self, estimator: Any, X: Any, y: Any) -> float:
        value = self.scorer(estimator, X) if y is None else self.scorer(estimator, X, y)
        return float(value[self.key] if isinstance(value, Mapping) else value)

    def _score_resampled(self, estimator: Any, X: Any, y: Any) -> None:
        arrays = (X,) if y is None else (X, y)
        seed = int(self.rng.integers(2**31))
        drawn = resample(*arrays, random_state=seed)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # metrics warn where a class was not drawn
            try:
                self.resampled.append(
                    self._score(estimator, *((drawn, None) if y is None else drawn))
                )
            except ValueError:  # the metric is not defined without one of the classes
                self.resampled.append(float("nan"))


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


def _time_one_fit(
    search: Any,
    X: Any,
    y: Any,
    split: tuple[Any, Any],
    rng: np.random.Generator,
    params: Mapping[str, Any],
) -> _Probe:
    """Fit a candidate drawn at random on the first split; seconds include its scoring."""
    estimator = clone(search.estimator).set_params(**_any_candidate(search, rng))
    scorer, key = _scorer_of(search)
    probe = _Probe(scorer=scorer, key=key, rng=rng)
    fit_params = {name: value for name, value in params.items() if name != "groups"}
    timed = cross_validate(
        estimator,
        X,
        y,
        cv=[split],
        scoring=probe,
        params=fit_params or None,
        error_score="raise",
    )
    probe.seconds += float(timed["fit_time"][0])
    return probe


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
