"""Does it help to read the partial scores of pruned trials?

    python -m benchmarks.accuracy.pruning                  # a minute

Optuna's pruners stop a trial whose mean over the first splits lies behind that of earlier trials,
so that only the others have a score on every split. Drawn again and again: 25 candidates with
normal true scores on five splits, noise that all share on a split and noise of their own; a median
pruner after the second split, without the first five trials as by default, prunes about 15 trials.
The errors, against the true score of the best that finished, of

- "printed": the mean of its splits
- "finished": the consensus of the trials that finished, as `skmaxev.correct(study)` gives it
- "unpruned": the consensus of all 25, had none been stopped, for the best of them: what is possible
- "partial": the consensus of all 25, the splits that a pruned trial lacks filled from a model of
  trials and splits (the effect of the split, and the trial's mean shrunk to that of all)
"""

from __future__ import annotations

import argparse

import numpy as np
from numpy.typing import NDArray

from skmaxev.estimators import consensus

Floats = NDArray[np.float64]

N_TRIALS, N_SPLITS, N_STARTUP = 25, 5, 5
SPREADS = (0.0, 0.5, 1.0)
"""Standard deviations of the true scores, in standard errors of a mean score."""


def pruned_after(scores: Floats) -> NDArray[np.bool_]:
    """Stop trials as a median pruner does, on shape (n_splits, n_trials); True where a score is."""
    there = np.ones(scores.shape, dtype=bool)
    running = np.cumsum(scores, axis=0) / np.arange(1, len(scores) + 1)[:, np.newaxis]
    for trial in range(N_STARTUP, scores.shape[1]):
        for split in range(1, len(scores) - 1):
            earlier = running[split, :trial][there[split, :trial]]
            if running[split, trial] < np.median(earlier):
                there[split + 1 :, trial] = False
                break
    return there


def filled(scores: Floats, there: NDArray[np.bool_]) -> Floats:
    """Fill what pruned trials lack: the split's effect, and the trial's mean shrunk to all."""
    whole = there.all(axis=0)
    effects = scores[:, whole].mean(axis=1, keepdims=True)
    own = np.where(there, scores - effects, np.nan)
    means, counts = np.nanmean(own, axis=0), there.sum(axis=0)
    noise = np.nanvar(own - means) * N_SPLITS / (N_SPLITS - 1)
    spread = max(np.var(means) - np.mean(noise / counts), 0.0)
    shrunk = means.mean() + spread / (spread + noise / counts) * (means - means.mean())
    return np.where(there, scores, effects + shrunk)


def draw(spread: float, rng: np.random.Generator) -> dict[str, float]:
    """Errors of one search, in standard errors of a mean score, and the number of pruned trials."""
    truth = spread * rng.normal(size=N_TRIALS)
    shared = rng.normal(size=(N_SPLITS, 1))
    own = np.sqrt(N_SPLITS) * rng.normal(size=(N_SPLITS, N_TRIALS))
    scores = truth + shared + own
    there = pruned_after(scores)
    whole = np.flatnonzero(there.all(axis=0))
    best, open_best = whole[scores[:, whole].mean(axis=0).argmax()], scores.mean(axis=0).argmax()
    finished = scores[:, whole]
    some = filled(scores, there)
    return {
        "pruned": N_TRIALS - len(whole),
        "printed": scores[:, best].mean() - truth[best],
        "finished": consensus(finished) - truth[best],
        "unpruned": consensus(scores) - truth[open_best],
        "partial": consensus(some, best_index=int(best)) - truth[best],
    }


def main() -> None:
    parser = argparse.ArgumentParser(description="Errors with and without partial scores.")
    parser.add_argument("--draws", type=int, default=1000)
    asked = parser.parse_args()
    print("| spread | method | mean error | root mean square | pruned |\n|--:|:--|--:|--:|--:|")
    for spread in SPREADS:
        rng = np.random.default_rng(0)
        found = [draw(spread, rng) for _ in range(asked.draws)]
        pruned = np.mean([one["pruned"] for one in found])
        for method in ("printed", "finished", "unpruned", "partial"):
            errors = np.array([one[method] for one in found])
            bias, rms = errors.mean(), np.sqrt(np.mean(errors**2))
            margin = errors.std() / np.sqrt(len(errors))
            print(
                f"| {spread:g} | {method} | {bias:+.3f} ± {margin:.3f} | {rms:.3f} | {pruned:.1f} |"
            )


if __name__ == "__main__":
    main()
