"""Reader of Optuna studies."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skmaxev.scores.build import build_table
from skmaxev.scores.table import ScoreTable

__all__ = ["from_study", "is_study"]

_LISTS = ("fold_scores", "split_scores", "cv_scores", "scores")
_SPLIT = re.compile(r"split(\d+)_test_score")
_TERMINATOR = "terminator:cv_scores"  # optuna.terminator.report_cross_validation_scores
_TOLERANCE = 1e-6
_STATES = {"PRUNED": "trial was pruned", "FAIL": "trial failed", "RUNNING": "trial is running"}


def is_study(results: Any) -> bool:
    """Tell whether this looks like an Optuna study."""
    return hasattr(results, "trials") and hasattr(results, "directions")


def from_study(
    study: Any,
    *,
    metric: str | None = None,
    error_score: float | None = None,
    source: str = "Optuna study",
) -> ScoreTable:
    """Read the completed trials of an Optuna study.

    The scores of single splits are taken from what each trial kept, the first of: a user attribute
    ``fold_scores`` (or ``split_scores``, ``cv_scores``, ``scores``) with a list;
    ``split0_test_score``, ... as OptunaSearchCV writes them;
    ``optuna.terminator.report_cross_validation_scores``; the intermediate values, if their mean is
    the trial's value.

    Parameters
    ----------
    study : optuna.study.Study
        With one objective. Its direction says whether the values are losses.
    metric : str, optional
        Name for the report.
    error_score : float, optional
        What stands for a failed fit among the scores.
    source : str
        What is read, in words.

    Returns
    -------
    ScoreTable
        One column a trial, numbered as in the study; trials that did not complete are left out.

    Raises
    ------
    ValueError
        If there are several objectives, no completed trial, or no scores of single splits.
    """
    trials = list(study.trials)
    done = [trial for trial in trials if trial.state.name == "COMPLETE"]
    _check_study(study, trials, done)
    folds = {trial.number: _fold_scores(trial) for trial in done}
    if len(done) == 1 and folds[done[0].number] is None:
        folds[done[0].number] = np.array([done[0].value], dtype=float)  # nothing was chosen
    scores, left_out = _tabulate(trials, folds)
    best = study.best_trial.number
    return build_table(
        scores,
        metric=metric or "value",
        greater_is_better=study.directions[0].name == "MAXIMIZE",
        best_index=best if best not in left_out else None,
        error_score=error_score,
        left_out=left_out,
        params=[trial.params for trial in trials],
        source=source,
        notes=(*_notes(done, folds), *_other_winner(best, left_out)),
    )


def _check_study(study: Any, trials: list[Any], done: list[Any]) -> None:
    if len(study.directions) > 1:
        raise ValueError(
            f"a study must have one objective; this one has {len(study.directions)}. Choosing "
            "among several leaves no single winner to correct."
        )
    if not done:
        states = Counter(trial.state.name for trial in trials)
        found = (
            ", ".join(f"{count} {state}" for state, count in sorted(states.items()))
            or "none at all"
        )
        raise ValueError(
            f"a study must have a completed trial; of {len(trials)} trials there are {found}. Let "
            "at least one trial finish."
        )


def _fold_scores(trial: Any) -> NDArray[np.float64] | None:
    """Return the split scores of a trial with the sign of its value, or None if it kept none."""
    found = _kept(trial.user_attrs, trial.system_attrs)
    if found is None:
        found = np.array(list(trial.intermediate_values.values()), dtype=float)
        # Intermediate values are more often a learning curve than scores of splits.
        return found if len(found) > 1 and _close(found.mean(), trial.value) else None
    return -found if _close(found.mean(), -trial.value) and trial.value else found


def _kept(user: Mapping[str, Any], system: Mapping[str, Any]) -> NDArray[np.float64] | None:
    for name in _LISTS:
        if name in user and _is_list_of_numbers(user[name]):
            return np.array(user[name], dtype=float)
    numbered = sorted((int(match[1]), name) for name in user if (match := _SPLIT.fullmatch(name)))
    if numbered:
        return np.array([user[name] for _, name in numbered], dtype=float)
    return np.array(system[_TERMINATOR], dtype=float) if _TERMINATOR in system else None


def _is_list_of_numbers(kept: Any) -> bool:
    return (
        isinstance(kept, list | tuple)
        and len(kept) > 0
        and all(isinstance(value, Real) for value in kept)
    )


def _close(first: float, second: float) -> bool:
    return bool(abs(first - second) <= _TOLERANCE * max(1.0, abs(second)))


def _tabulate(
    trials: list[Any], folds: Mapping[int, NDArray[np.float64] | None]
) -> tuple[NDArray[np.float64], dict[int, str]]:
    """Put trials into a table (n_splits, n_trials), with a reason for each without scores."""
    sizes = Counter(len(found) for found in folds.values() if found is not None)
    if not sizes:
        raise ValueError(
            "a study must keep the score of every split; its trials hold only single values, and "
            "a mean alone shows no noise. In the objective, call "
            "trial.set_user_attr('fold_scores', list(scores)) before returning their mean."
        )
    n_splits = sizes.most_common(1)[0][0]
    scores = np.full((n_splits, len(trials)), np.nan)
    left_out = {}
    for column, trial in enumerate(trials):
        found = folds.get(trial.number)
        if trial.state.name != "COMPLETE":
            left_out[column] = _STATES.get(trial.state.name, "trial did not complete")
        elif found is None:
            left_out[column] = "trial kept no scores of single splits"
        elif not np.isfinite(found).all():
            left_out[column] = "trial kept scores that are not finite"
        elif len(found) != n_splits:
            left_out[column] = f"trial kept {len(found)} scores, most trials {n_splits}"
        else:
            scores[:, column] = found
    return scores, left_out


def _other_winner(best: int, left_out: Mapping[int, str]) -> tuple[str, ...]:
    if best not in left_out:
        return ()
    return (
        f"The study's best trial, {best}, takes no part ({left_out[best]}); the best of the others "
        "is corrected.",
    )


def _notes(done: list[Any], folds: Mapping[int, NDArray[np.float64] | None]) -> tuple[str, ...]:
    other = sum(
        found is not None and not _close(found.mean(), trial.value)
        for trial in done
        for found in [folds[trial.number]]
    )
    if not other:
        return ()
    return (
        f"The value of {other} trial(s) is not the mean of its split scores; the mean is what is "
        "corrected, for the trial that the study calls best.",
    )
