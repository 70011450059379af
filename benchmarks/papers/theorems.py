"""Theorems 1 to 5 and Conjecture 1 of van Hasselt (2013) on random problems."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from benchmarks.papers._report import Report, Table
from skmaxev.estimators import (
    aven_bound,
    cv_bias_bound,
    expected_maximum_of_normals,
    low_bias_cv,
    low_variance_cv,
    maximum,
)

SURE = 4.5  # standard errors: about one false alarm in 300,000 checks
KINDS = ("normal", "exponential", "Bernoulli", "equal means")


def run(*, quick: bool, rng: np.random.Generator) -> Report:
    n_problems, n_repeats = (12, 1000) if quick else (200, 10_000)
    checked = [
        check(draw_problem(KINDS[i % len(KINDS)], rng), n_repeats, rng) for i in range(n_problems)
    ]
    broken = [text for problem in checked for text in problem["broken"]]
    return Report(
        name="theorems",
        title="Theorems 1 to 5, the conjecture, and how tight the bounds are",
        source="H. van Hasselt (2013), arXiv:1302.7175; T. Aven (1985).",
        tables=[
            statements(checked, n_repeats),
            tightness(rng, quick=quick),
            variances(rng, quick=quick),
        ],
        notes=[
            f"Statements are tested on random problems with {SURE} standard errors of allowance.",
            "Aven's bound is reached by dependent variables of which exactly one is large; "
            "independent normal ones stay far below it, the more so the more there are.",
            "The remark after Theorem 5, that LVCV varies less than LBCV, has no proof and does "
            "not always hold: where LBCV finds the best candidate each time and LVCV does not, it "
            "varies more. Theorem 5 itself holds for both.",
        ],
        broken=broken,
        draw=lambda: draw(checked),
    )


def draw_problem(kind, rng):
    """Random means, spreads and numbers of variables, splits and samples."""
    m, k = int(rng.integers(2, 16)), int(rng.choice([2, 5, 10]))
    means = rng.uniform(0.2, 0.8, m) * rng.choice([0.1, 0.5, 1.0])
    if kind == "equal means":
        means = np.full(m, 0.5)
    return {
        "kind": kind, "means": means, "n_splits": k, "per_split": int(rng.integers(1, 6)),
        "sigma": rng.uniform(0.1, 0.6, m),
    }  # fmt: skip


def sample(problem, n_repeats, rng):
    """Fold means of shape (n_repeats, n_splits, m) and the variance of one of them."""
    means, sigma, n = problem["means"], problem["sigma"], problem["per_split"]
    shape = (n_repeats, problem["n_splits"], means.size)
    if problem["kind"] == "Bernoulli":
        return rng.binomial(n, means, shape) / n, means * (1 - means) / n
    if problem["kind"] == "exponential":  # shifted to the mean, with standard deviation sigma
        return means + sigma * (rng.gamma(n, 1 / n, shape) - 1), sigma**2 / n
    return rng.normal(means, sigma / np.sqrt(n), shape), sigma**2 / n


class Moments(NamedTuple):
    """Bias and variance of an estimator, with their standard errors."""

    bias: float
    error: float
    spread: float
    unsure: float


def moments(values, best):
    n_repeats, squares = len(values), np.square(values - values.mean())
    # The standard error of a variance is from the fourth moment.
    return Moments(
        bias=values.mean() - best,
        error=values.std() / np.sqrt(n_repeats),
        spread=squares.mean(),
        unsure=np.sqrt(squares.var() / n_repeats),
    )


def check(problem, n_repeats, rng):
    folds, variance = sample(problem, n_repeats, rng)
    best, k = problem["means"].max(), problem["n_splits"]
    of_means = variance / k
    me, lvcv, lbcv = (
        moments(estimate(folds), best) for estimate in (maximum, low_variance_cv, low_bias_cv)
    )
    crossed = [
        (lvcv, cv_bias_bound(np.tile(variance, (k, 1)))),
        (lbcv, cv_bias_bound(np.tile(variance / (k - 1), (k, 1)))),
    ]
    held = what_holds(me, crossed, of_means)
    return {
        "kind": problem["kind"],
        "held": held,
        "broken": [f"{text} ({problem['kind']})" for text, holds in held.items() if not holds],
        "aven": me.bias / aven_bound(of_means),
        "conjecture": max(one.bias / lowest for one, lowest in crossed),
        "lvcv_less_variable": lvcv.spread <= lbcv.spread + SURE * lbcv.unsure,
        "cv_worse": all(abs(one.bias) > abs(me.bias) + SURE * one.error for one, _ in crossed),
    }


def what_holds(me, crossed, of_means):
    """Tell, for each statement, whether it holds up to chance."""
    return {
        "Theorem 1: bias of ME is not negative": me.bias >= -SURE * me.error,
        "Aven: bias of ME is below its bound": (me.bias <= aven_bound(of_means) + SURE * me.error),
        "Theorem 2: variance of ME is below the sum": (
            me.spread <= of_means.sum() + SURE * me.unsure
        ),
        "Theorem 3: bias of LBCV and LVCV is not positive": all(
            one.bias <= SURE * one.error for one, _ in crossed
        ),
        "Theorem 5: variance of LBCV and LVCV is below the bound": all(
            one.spread <= of_means.sum() + SURE * one.unsure for one, _ in crossed
        ),
        "Conjecture 1: bias of LBCV and LVCV is above the bound": all(
            one.bias >= lowest - SURE * one.error for one, lowest in crossed
        ),
    }


def statements(checked, n_repeats):
    rows = [
        [text, len(checked), sum(problem["held"][text] for problem in checked)]
        for text in checked[0]["held"]
    ]
    rows.append(
        ["After Theorem 5: LVCV varies no more than LBCV", len(checked),
         sum(problem["lvcv_less_variable"] for problem in checked)]
    )  # fmt: skip
    rows.append(
        ["Theorem 4: problems where every CV estimate is further off than ME", len(checked),
         sum(problem["cv_worse"] for problem in checked)]
    )  # fmt: skip
    title = f"Random problems ({n_repeats:,} repetitions each)"
    return Table(title, ["statement", "problems", "holds in"], rows)


def tightness(rng, *, quick):
    """Optimism over Aven's bound for variables that are all alike."""
    n_repeats = 2000 if quick else 20_000
    rows = []
    for m in (2, 10, 100, 1000):
        rare = (rng.binomial(1, 1 / m, (n_repeats, m)).max(axis=1) - 1 / m).mean()
        rows.append([
            m,
            expected_maximum_of_normals(m) / aven_bound(np.ones(m)),
            rare / aven_bound(np.full(m, (1 - 1 / m) / m)),
            (m - 1) / aven_bound(np.full(m, m - 1.0)),
        ])  # fmt: skip
    columns = ["M", "independent normal", "independent, one in M is large", "exactly one is large"]
    return Table("Optimism as a share of Aven's bound", columns, rows)


def variances(rng, *, quick):
    """Variance of both estimators for two normal variables whose means differ by more and more."""
    rows = []
    for gap in (0, 1, 2, 3):
        folds = rng.normal([0, -gap], 1.0, (2000 if quick else 50_000, 5, 2))
        rows.append([gap, low_variance_cv(folds).var(), low_bias_cv(folds).var(), 2 / 5])
    columns = ["difference of the means", "LVCV", "LBCV", "bound of Theorem 5"]
    return Table("Variance, two normal variables with five samples each", columns, rows)


def draw(checked):
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
    for ax, key, title in (
        (axes[0], "aven", "optimism of ME / Aven's bound"),
        (axes[1], "conjecture", "bias of CV / conjectured bound"),
    ):
        ax.hist(
            [[p[key] for p in checked if p["kind"] == kind] for kind in KINDS],
            bins=np.linspace(0, 1, 21), stacked=True, label=KINDS,
        )  # fmt: skip
        ax.axvline(1, color="black")
        ax.set(title=title, ylabel="problems")
    axes[0].legend()
    return figure
