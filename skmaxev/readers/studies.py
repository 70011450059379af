"""Reader of Optuna studies."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skmaxev.readers.build import build_table
from skmaxev.readers.columns import STATES, split_columns
from skmaxev.table import ScoreTable, UncorrectableError

__all__ = ["from_study", "is_study"]

FloatArray = NDArray[np.float64]

_NUMBERED = "split0_test_score, ..."
_TERMINATOR = "terminator:cv_scores"  # optuna.terminator.report_cross_validation_scores
_NAMES = ("fold_scores", "split_scores", "cv_scores", "scores", _NUMBERED, _TERMINATOR)
_TOLERANCE = 1e-6
_FEWEST_TO_ORDER, _FEWEST_TO_DOUBT = 3, 5
_OPPOSITE = -0.5
_STORE = (
    "Let the objective store them and return the mean:\n"
    "    scores = cross_val_score(model, X, y, cv=5)\n"
    "    trial.set_user_attr('fold_scores', list(scores))\n"
    "    return scores.mean()"
)


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
    """Read the completed trials of an Optuna study, one column a trial, numbered as in the study.

    The scores of single splits are taken from what the trials kept and whose mean is their value,
    under one name: a user attribute with a list, or with one number a split such as
    ``split0_test_score`` or ``fold_1_auc``; ``optuna.terminator.report_cross_validation_scores``;
    the intermediate values. Where no mean is the value, a list ``fold_scores`` (or
    ``split_scores``, ``cv_scores``, ``scores``) or ``split0_test_score``, ... is taken all the same
    and a note says so. The study's direction says whether the values are losses.
    """
    trials = list(study.trials)
    done = [trial for trial in trials if trial.state.name == "COMPLETE"]
    _check_study(study, trials, done)
    scores, left_out = _tabulate(trials, _fold_scores(done))
    means = scores.mean(axis=0)
    finished = [trial.value if trial.state.name == "COMPLETE" else None for trial in trials]
    values = np.array(finished, dtype=float)
    against = _goes_against(means, values)
    best, remarks = study.best_trial.number, _remarks(trials, means, values, against=against)
    if best in left_out:
        remarks.append(
            f"The study's best trial, {best}, takes no part ({left_out[best]}); the best of the "
            "others is corrected."
        )
    return build_table(
        scores,
        metric=metric or "value",
        greater_is_better=(study.directions[0].name == "MAXIMIZE") is not against,
        best_index=best if best not in left_out else None,
        error_score=error_score,
        told=False,
        left_out=left_out,
        params=[trial.params for trial in trials],
        source=source,
        notes=remarks,
    )


def _check_study(study: Any, trials: list[Any], done: list[Any]) -> None:
    if len(study.directions) > 1:
        raise UncorrectableError(
            f"a study must have one objective; this one has {len(study.directions)}. Choosing "
            "among several leaves no single winner to correct."
        )
    if not done:
        states = Counter(trial.state.name for trial in trials)
        found = ", ".join(f"{count} {state}" for state, count in sorted(states.items()))
        raise UncorrectableError(
            f"a study must have a completed trial; of {len(trials)} trials there are "
            f"{found or 'none at all'}. Let at least one trial finish."
        )


def _fold_scores(done: Sequence[Any]) -> dict[int, FloatArray]:
    """Return the split scores of each trial that kept some, with the sign of its value.

    What was kept under one name counts if its mean is the value of most trials that have it; a
    name that says what it holds counts even so, but for nothing else that fits.
    """
    kept = {trial.number: _kept(trial) for trial in done}
    values = {trial.number: trial.value for trial in done}
    names = sorted(dict.fromkeys(name for found in kept.values() for name in found), key=_rank)

    def fits(name: str) -> bool:
        means = [_is_mean(found[name], values[n]) for n, found in kept.items() if name in found]
        return sum(means) > len(means) / 2

    named = [name for name in names if name in _NAMES]
    name = next((name for name in (*filter(fits, names), *named)), None)
    if name is None and len(done) == 1:  # nothing was chosen
        return {done[0].number: np.array([done[0].value], dtype=float)}
    return {
        number: _turned(found[name], values[number])
        for number, found in kept.items()
        if name in found
    }


def _rank(name: str) -> int:
    return _NAMES.index(name) if name in _NAMES else len(_NAMES)


def _turned(scores: FloatArray, value: float) -> FloatArray:
    return -scores if value and _close(scores.mean(), -value) else scores


def _is_mean(scores: FloatArray, value: float) -> bool:
    return len(scores) > 1 and bool(_close(abs(scores.mean()), abs(value)))


def _close(first: Any, second: Any) -> Any:
    return np.isclose(first, second, rtol=_TOLERANCE, atol=_TOLERANCE)


def _kept(trial: Any) -> dict[str, FloatArray]:
    """Return everything in a trial that may be the scores of its splits, by name."""
    user, steps = trial.user_attrs, trial.intermediate_values
    found = {name: _as_scores(value) for name, value in user.items()}
    for metric, names in split_columns(user).items():
        numbered = [user[name] for name in names]
        found[_NUMBERED if metric == "score" else f"splits of {metric}"] = _as_scores(numbered)
    found[_TERMINATOR] = _as_scores(trial.system_attrs.get(_TERMINATOR))
    # Intermediate values are more often a learning curve than scores of splits.
    found["intermediate values"] = _as_scores([steps[step] for step in sorted(steps)])
    return {name: scores for name, scores in found.items() if scores is not None}


def _as_scores(kept: Any) -> FloatArray | None:
    """Return numbers that were kept as a list, or by the name of each split; None for all else."""
    values = list(kept.values()) if isinstance(kept, Mapping) else kept
    if not isinstance(values, list | tuple) or not values:
        return None
    if not all(isinstance(value, Real) or value is None for value in values):
        return None
    return np.array(values, dtype=float)


def _goes_against(means: FloatArray, values: FloatArray) -> bool:
    """Tell whether the split scores fall as the values rise, as accuracies do in an error."""
    there = np.isfinite(means) & np.isfinite(values)
    means, values = means[there], values[there]
    if len(means) < _FEWEST_TO_ORDER or not np.ptp(means) or not np.ptp(values):
        return False
    if np.ptp(means + values) <= _TOLERANCE * np.abs(values).max():
        return True  # such as 1 - accuracy
    if len(means) >= _FEWEST_TO_DOUBT and np.corrcoef(means, values)[0, 1] < _OPPOSITE:
        raise UncorrectableError(
            "the scores that trials keep of their splits must go the way of their values; they "
            "fall as the values rise. Keep the scores whose mean the objective returns: "
            "trial.set_user_attr('fold_scores', list(scores))."
        )
    return False


def _tabulate(
    trials: list[Any], folds: Mapping[int, FloatArray]
) -> tuple[FloatArray, dict[int, str]]:
    """Put trials into a table (n_splits, n_trials), with a reason for each without scores."""
    if not folds:
        raise UncorrectableError(
            "a study must keep the score of every split; its trials hold only single values, and "
            f"a mean alone shows no noise. {_STORE}"
        )
    n_splits = Counter(map(len, folds.values())).most_common(1)[0][0]
    scores = np.full((n_splits, len(trials)), np.nan)
    left_out = {}
    for column, trial in enumerate(trials):
        found = folds.get(trial.number)
        if trial.state.name != "COMPLETE":
            left_out[column] = STATES.get(trial.state.name, "trial did not complete")
        elif found is None:
            left_out[column] = "trial kept no scores of single splits"
        elif not np.isfinite(found).all():
            left_out[column] = "trial kept scores that are not finite"
        elif len(found) != n_splits:
            left_out[column] = f"trial kept {len(found)} scores, most trials {n_splits}"
        else:
            scores[:, column] = found
    return scores, left_out


def _remarks(
    trials: Sequence[Any], means: FloatArray, values: FloatArray, *, against: bool
) -> list[str]:
    """Say what the pruner chose, and where the study's values are not what is corrected."""
    other = int((np.isfinite(means) & ~_close(means, values)).sum())
    pruned = sum(trial.state.name == "PRUNED" for trial in trials)
    remarks = []
    if against:
        remarks.append(
            "The study's value is a number minus the mean of the split scores, so these go the "
            "other way; they are what is corrected."
        )
    elif other:
        remarks.append(
            f"The value of {other} trial(s) is not the mean of its split scores; the mean is what "
            "is corrected, for the trial that the study calls best."
        )
    if pruned:
        remarks.append(
            f"{pruned} of {len(trials)} trials were pruned on their first splits, which is a "
            "choice too. Only the others are corrected, so the honest score may still err upwards."
        )
    return remarks
