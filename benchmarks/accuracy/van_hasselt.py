"""Repeat the experiments of van Hasselt (2013, arXiv 1302.7175) on the largest expected value.

Ads that are all equal, ads that are evenly spaced, polynomial regression, and the Bayesian example.
Every table stands beside reference figures of an independent simulation.

    python -m benchmarks.accuracy.van_hasselt           # about two minutes
    python -m benchmarks.accuracy.van_hasselt --quick   # some seconds, rougher
"""

from __future__ import annotations

import argparse
from itertools import product

import numpy as np

from skmaxev.estimators import (
    bayesian_maximum_beta,
    low_bias_cv,
    low_variance_cv,
    maximum,
)

VALUES_AT_ONCE = 4_000_000
MOST_FOLDS = 10

# (bias, RMSE) in percentage points; None where no reference is known.
EQUAL_ADS = {
    10: {
        "ME": (0.78, 0.83), "LVCV 10": (0, 0.23), "LVCV 5": (0, 0.31), "CV 2": (0, 0.55),
        "LBCV 5": (0, 0.68), "LBCV 10": (0, 0.80),
    },
    100: {
        "ME": (3.99, 4.05), "LVCV 10": (0, 0.54), "LVCV 5": (0, 0.80), "CV 2": (0, 1.60),
        "LBCV 5": (0, 2.19), "LBCV 10": (0, 2.68),
    },
    1000: {
        "ME": (16.1, 16.2), "LVCV 10": (0, 1.24), "LVCV 5": (0, 2.05), "CV 2": (0, 4.51),
        "LBCV 5": (0, 6.95), "LBCV 10": (0, 8.59), "LVCV all": (0, 0.16), "LBCV all": (0, 16.9),
    },
}  # fmt: skip
SPACED_ADS = {
    30: {
        "ME": (0.11, 0.20), "LVCV 10": (-0.28, 0.33), "LVCV 5": (-0.20, 0.28),
        "CV 2": (-0.14, 0.32), "LBCV 5": (-0.11, 0.33), "LBCV 10": (-0.08, 0.33),
    },
    300: {
        "ME": (1.41, 1.45), "LVCV 10": (-0.56, 0.61), "LVCV 5": (-0.45, 0.58),
        "CV 2": (-0.30, 0.76), "LBCV 5": (-0.24, 0.98), "LBCV 10": (-0.18, 1.19),
    },
    3000: {
        "ME": (7.66, 7.75), "LVCV 10": (-0.88, 1.02), "LVCV 5": (-0.74, 1.11),
        "CV 2": (-0.56, 1.87), "LBCV 5": (-0.44, 2.71), "LBCV 10": (-0.6, 3.7),
    },
}  # fmt: skip
POLYNOMIALS = {
    "ME": (-0.07, 0.70), "LBCV 81": (-0.35, 0.91), "LBCV 9": (-0.45, 1.03), "LBCV 3": (-1.1, 4.0),
    "LVCV 3": (-1.0, 1.6),
}  # fmt: skip
BERNOULLI = {
    (0, 0): 0.35714, (0, 1): 0.53571, (1, 1): 0.62857, (0, 2): 0.75714, (1, 2): 0.78571,
    (2, 2): 0.85714,
}  # fmt: skip


def merge(folds: np.ndarray, n_folds: int) -> np.ndarray:
    """Average equal folds (n_tables, n_splits, n_ads) into fewer."""
    shape = (len(folds), n_folds, -1, folds.shape[-1])
    return folds.reshape(shape).mean(axis=2)


def estimate_ads(folds: np.ndarray) -> dict[str, np.ndarray]:
    """Return every estimate for tables (n_tables, MOST_FOLDS, n_ads)."""
    return {
        "ME": maximum(folds),
        "LVCV 10": low_variance_cv(folds),
        "LVCV 5": low_variance_cv(merge(folds, 5)),
        "CV 2": low_variance_cv(merge(folds, 2)),
        "LBCV 5": low_bias_cv(merge(folds, 5)),
        "LBCV 10": low_bias_cv(folds),
    }


def estimate_leave_one_out(clicks: np.ndarray) -> dict[str, np.ndarray]:
    """Return the leave-one-out estimates for clicks (n_tables, n_visitors, n_ads)."""
    return {"LVCV all": low_variance_cv(clicks), "LBCV all": low_bias_cv(clicks)}


def simulate_ads(means, n_visitors, n_experiments, rng, *, leave_one_out=False):
    """Return the estimates of all experiments, drawing the clicks of whole folds."""
    n_each = n_visitors // means.size
    n_splits = n_each if leave_one_out else MOST_FOLDS
    estimate = estimate_leave_one_out if leave_one_out else estimate_ads
    block = max(1, VALUES_AT_ONCE // (n_splits * means.size))
    parts = []
    for start in range(0, n_experiments, block):
        shape = (min(block, n_experiments - start), n_splits, means.size)
        parts.append(
            estimate(rng.binomial(n_each // n_splits, means, shape) / (n_each // n_splits))
        )
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


def print_rows(title, estimates, truth, reference, scale):
    """Print bias and RMSE beside the reference."""
    print(f"\n{title}\n{'':10}{'bias':>8}{'+-':>6}{'RMSE':>8} |{'bias':>8}{'RMSE':>8}  (reference)")
    for name, values in estimates.items():
        errors = scale * (values - truth)
        bias, error = errors.mean(), errors.std(ddof=1) / np.sqrt(errors.size)
        rmse, expected = np.sqrt((errors**2).mean()), reference[name]
        print(
            f"{name:10}{bias:+8.2f}{error:6.2f}{rmse:8.2f} |{expected[0]:+8.2f}{expected[1]:8.2f}",
            flush=True,
        )


def run_ads(n_experiments, rng):
    for n_ads, reference in EQUAL_ADS.items():
        means = np.full(n_ads, 0.5)
        estimates = simulate_ads(means, 100_000, n_experiments, rng)
        if "LVCV all" in reference:
            estimates |= simulate_ads(means, 100_000, n_experiments, rng, leave_one_out=True)
        print_rows(f"{n_ads} equal ads, 100,000 visitors", estimates, 0.5, reference, 100)
    for n_ads, reference in SPACED_ADS.items():
        means = np.linspace(0.02, 0.05, n_ads)
        estimates = simulate_ads(means, 300_000, n_experiments, rng)
        print_rows(f"{n_ads} spaced ads, 300,000 visitors", estimates, 0.05, reference, 100)


# Polynomial regression

INPUTS = np.linspace(0, 4, 81)
CURVE = 4 * (np.sin(INPUTS) + np.sin(2 * INPUTS))
NOISE_VARIANCE = 4.0
DEGREES = np.arange(1, 11)
DESIGN = np.polynomial.legendre.legvander(INPUTS / 2 - 1, DEGREES[-1])


def expected_scores():
    """Return minus the expected squared error of each degree on new samples at the inputs."""
    basis, _ = np.linalg.qr(DESIGN)
    fits = np.cumsum(basis * (CURVE @ basis), axis=1)[:, DEGREES]
    misfit = ((CURVE[:, np.newaxis] - fits) ** 2).mean(axis=0)
    return -(misfit + NOISE_VARIANCE * (1 + (DEGREES + 1) / INPUTS.size))


def leave_one_out_scores(rows, y):
    """Return minus the leave-one-out error of each degree within the rows."""
    basis, _ = np.linalg.qr(DESIGN[rows])
    fits = np.cumsum(basis * (y[rows] @ basis), axis=1)[:, DEGREES]
    leverage = np.cumsum(basis**2, axis=1)[:, DEGREES]
    return -(((y[rows, np.newaxis] - fits) / (1 - leverage)) ** 2).mean(axis=0)


def test_scores(train, test, y):
    """Return minus the error on the test rows of each degree, fitted on the others."""
    basis, triangle = np.linalg.qr(DESIGN[train])
    # The inverse of a triangle holds the inverses of its corners: one fit serves all degrees.
    terms = (DESIGN[test] @ np.linalg.inv(triangle)) * (y[train] @ basis)
    return -((y[test, np.newaxis] - np.cumsum(terms, axis=1)[:, DEGREES]) ** 2).mean(axis=0)


def estimate_polynomials(y, rng):
    """Return every estimate for one noisy sample of the curve."""
    rows = np.arange(INPUTS.size)
    estimates = {"ME": leave_one_out_scores(rows, y).max()}
    for n_folds in (81, 9, 3):
        folds = np.array_split(rng.permutation(rows), n_folds)
        rests = [np.setdiff1d(rows, fold) for fold in folds]
        inside = [leave_one_out_scores(rest, y) for rest in rests]
        judged = [test_scores(rest, fold, y) for rest, fold in zip(rests, folds, strict=True)]
        estimates[f"LBCV {n_folds}"] = np.mean(
            [v[a.argmax()] for a, v in zip(inside, judged, strict=True)]
        )
    chosen = [leave_one_out_scores(fold, y).argmax() for fold in folds]
    estimates["LVCV 3"] = np.mean([v[i] for v, i in zip(inside, chosen, strict=True)])
    return estimates


def run_polynomials(n_experiments, rng):
    """Compare on few experiments, as the reference: three folds extrapolate, with heavy tails."""
    scores = expected_scores()
    samples = rng.normal(CURVE, np.sqrt(NOISE_VARIANCE), size=(n_experiments, INPUTS.size))
    rows = [estimate_polynomials(y, rng) for y in samples]
    estimates = {name: np.array([row[name] for row in rows]) for name in rows[0]}
    best = DEGREES[scores.argmax()]
    title = f"polynomials, best score {scores.max():.2f} at degree {best} (reference -4.34 at 5)"
    print_rows(title, estimates, scores.max(), POLYNOMIALS, 1)


def run_bernoulli():
    print("\nBayesian estimate for two Bernoulli variables with two samples each (reference)")
    for successes, reference in BERNOULLI.items():
        print(f"{successes}  {bayesian_maximum_beta(successes, 2):.5f}  ({reference:.5f})")
    samples = np.array(list(product([0, 1], repeat=4))).reshape(16, 2, 2)
    naive = maximum(samples).mean() - 0.5
    belief = bayesian_maximum_beta(samples.sum(axis=1), 2).mean() - 0.5
    print(
        f"bias of the maximum {naive:.4f} (0.1875), of the Bayesian estimate {belief:.5f} (0.15804)"
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="a twentieth of the experiments")
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    rng = np.random.default_rng(args.seed)
    run_bernoulli()
    run_polynomials(100 if args.quick else 400, rng)
    run_ads(100 if args.quick else 2000, rng)


if __name__ == "__main__":
    main()
