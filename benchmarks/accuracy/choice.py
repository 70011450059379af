"""Does another rule than the best mean score deploy a better model? On searches of known truth.

    python -m benchmarks.accuracy.choice --bank PATH       # some seconds

PATH (or the environment variable SKMAXEV_BANK) is a folder with the banked searches and their
loader, `evaluate.py`. Printed per rule: by how much the true score of its candidate exceeds that
of the candidate with the best mean score, in percentage points with a standard error, and how
often it takes another candidate. "truth" takes the best candidate there is.

- posterior mean: each candidate's own noise, half pooled, shrinks it towards the weighted mean
- posterior mean, correlated: noise covariance of the rows; true scores of candidates that err on
  the same rows are taken to be as alike as their noise
- one standard error: of the candidates within one standard error of their difference from the
  best, the one that varies least over the splits
- one standard error, simplest: the first in the grid within one standard error of the best
- mean rank, median, lower bound: of the scores over the splits
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path

import numpy as np
from scipy import stats

from benchmarks.accuracy.bank import load_bank, row_values
from skmaxev.estimators import residual_noise


def best_mean(search):
    return search.scores.mean(0).argmax()


def spread_beyond(means, noise):
    return max(means.var(ddof=1) - noise, 0.0)


def posterior_mean(search):
    means, n_splits = search.scores.mean(0), len(search.scores)
    residuals = search.scores - means
    residuals -= residuals.mean(1, keepdims=True)
    pooled = residual_noise(search.scores)
    own = (np.square(residuals).sum(0) / (n_splits - 1) / n_splits + pooled) / 2
    spread = spread_beyond(means, pooled)
    if spread == 0:
        return means.argmax()
    centre = np.average(means, weights=1 / (spread + own))
    return (centre + spread / (spread + own) * (means - centre)).argmax()


def correlated_posterior_mean(search):
    means, rows = search.scores.mean(0), row_values(search)
    rows = rows - rows.mean(0)
    rows -= rows.mean(1, keepdims=True)
    covariance = rows.T @ rows / (len(rows) - 1) / len(rows)
    noise = np.trace(covariance) / (len(means) - 1)
    spread = spread_beyond(means, noise)
    if spread == 0 or noise == 0:
        return means.argmax()
    prior = spread * (np.eye(len(means)) + covariance / noise) / 2
    # Candidates that predict alike make the sum singular up to rounding.
    inverse = np.linalg.pinv(prior + covariance, rcond=1e-9, hermitian=True)
    return (prior @ inverse @ (means - means.mean())).argmax()


def one_standard_error(search):
    scores, means = search.scores, search.scores.mean(0)
    differences = scores[:, [means.argmax()]] - scores
    errors = differences.std(0, ddof=1) / np.sqrt(len(scores))
    close = np.flatnonzero(differences.mean(0) <= errors + 1e-12)
    return close[scores[:, close].std(0).argmin()]


def one_standard_error_simplest(search):
    means = search.scores.mean(0)
    error = search.scores[:, means.argmax()].std(ddof=1) / np.sqrt(len(search.scores))
    return np.flatnonzero(means >= means.max() - error)[0]


def mean_rank(search):
    return stats.rankdata(search.scores, axis=1).mean(0).argmax()


def median(search):
    return np.median(search.scores, axis=0).argmax()


def lower_bound(search):
    errors = search.scores.std(0, ddof=1) / np.sqrt(len(search.scores))
    return (search.scores.mean(0) - errors).argmax()


RULES = {
    "posterior mean": posterior_mean,
    "posterior mean, correlated": correlated_posterior_mean,
    "one standard error": one_standard_error,
    "one standard error, simplest": one_standard_error_simplest,
    "mean rank": mean_rank,
    "median": median,
    "lower bound": lower_bound,
    "truth": lambda search: search.truth.argmax(),
}


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--bank", default=os.environ.get("SKMAXEV_BANK"), type=Path)
    options = parser.parse_args()
    if options.bank is None:
        parser.error("give the folder of the banked searches: --bank PATH or SKMAXEV_BANK")
    bank = load_bank(options.bank)
    for metric in ("accuracy", "roc_auc"):
        searches = list(bank.load(None, metric))
        usual = np.array([best_mean(search) for search in searches])
        print(f"{metric} ({len(searches)} searches)")
        for name, rule in RULES.items():
            chosen = np.array([rule(search) for search in searches])
            pairs = zip(searches, chosen, usual, strict=True)
            gain = 100 * np.array([s.truth[new] - s.truth[old] for s, new, old in pairs])
            error = gain.std(ddof=1) / np.sqrt(len(gain))
            other = 100 * (chosen != usual).mean()
            print(f"  {name:30s} {gain.mean():+6.2f} ±{error:.2f}   other in {other:3.0f}%")


if __name__ == "__main__":
    main()
