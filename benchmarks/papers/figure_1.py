"""Figure 1 of van Hasselt (2013): bias, standard deviation and RMSE of eight estimators."""

from __future__ import annotations

import numpy as np

from benchmarks.accuracy.van_hasselt import (
    CURVE,
    EQUAL_ADS,
    INPUTS,
    NOISE_VARIANCE,
    POLYNOMIALS,
    SPACED_ADS,
    estimate_polynomials,
    expected_scores,
    simulate_ads,
)
from benchmarks.papers._report import Report, Table

ORDER = (
    "ME", "LVCV all", "LVCV 10", "LVCV 5", "CV 2", "LBCV 5", "LBCV 10", "LBCV all",
)  # fmt: skip
N_SLOW = 300  # leave-one-out makes as many splits as an ad has visitors
COLUMNS = [
    "estimator", "bias", "+-", "std dev", "RMSE", "reference bias", "reference RMSE", "experiments",
]  # fmt: skip


def run(*, quick: bool, rng: np.random.Generator) -> Report:
    settings = {}
    for n_ads, reference in EQUAL_ADS.items():
        settings[f"{n_ads} equal ads"] = (
            *ads(np.full(n_ads, 0.5), 100_000, quick=quick, rng=rng), reference,
        )  # fmt: skip
    for n_ads, reference in SPACED_ADS.items():
        settings[f"{n_ads} spaced ads"] = (
            *ads(np.linspace(0.02, 0.05, n_ads), 300_000, quick=quick, rng=rng), reference,
        )  # fmt: skip
    settings["polynomials"] = (*polynomials(20 if quick else 1000, rng), POLYNOMIALS)
    tables = [
        Table(title, COLUMNS, summarise(errors, reference))
        for title, (errors, reference) in settings.items()
    ]
    return Report(
        name="figure_1",
        title="Estimates of the largest expected value",
        source="H. van Hasselt (2013), arXiv:1302.7175, Figure 1; reference figures of an "
        "independent simulation.",
        tables=tables,
        notes=[
            "Percentage points; for the polynomials mean squared error. 'all' is leave-one-out.",
            "The noise of the samples shifts all estimates of the polynomials together (by 0.02 in "
            "1,000 experiments, by 0.03 in the reference's 400). With three folds a fit far from "
            "its rows is sometimes wild, so that RMSE differs from run to run.",
            "RMSE = bias^2/RMSE + variance/RMSE: the two parts of every bar.",
        ],
        draw=lambda: draw({table.title: table.rows for table in tables}),
    )


def ads(means, n_visitors, *, quick, rng):
    """Errors in points of every estimate; leave-one-out on fewer experiments where it is slow."""
    estimates = simulate_ads(means, n_visitors, 40 if quick else 2000, rng)
    n_slow = 3 if quick else N_SLOW
    if not (quick and n_visitors // means.size > 1000):
        estimates |= simulate_ads(means, n_visitors, n_slow, rng, leave_one_out=True)
    return ({name: 100 * (estimates[name] - means.max()) for name in ORDER if name in estimates},)


def polynomials(n_experiments, rng):
    best = expected_scores().max()
    samples = rng.normal(CURVE, np.sqrt(NOISE_VARIANCE), size=(n_experiments, INPUTS.size))
    rows = [estimate_polynomials(y, rng) for y in samples]
    return ({name: np.array([row[name] for row in rows]) - best for name in rows[0]},)


def summarise(errors, reference):
    rows = []
    for name, values in errors.items():
        expected = reference.get(name, (None, None))
        rmse = np.sqrt(np.mean(values**2))
        error = values.std() / np.sqrt(values.size)
        rows.append([name, values.mean(), error, values.std(), rmse, *expected, values.size])
    return rows


def draw(settings):
    """One panel a setting, as in the paper: the two parts of the RMSE of every estimator."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(3, 3, figsize=(8.5, 8), layout="constrained")
    for ax, (title, rows) in zip(axes.ravel(), settings.items(), strict=False):
        bias = np.array([row[1] ** 2 / row[4] for row in rows])
        spread = np.array([row[3] ** 2 / row[4] for row in rows])
        places = np.arange(len(rows))
        ax.barh(places, bias, label="from bias", color="#D55E00")
        ax.barh(places, spread, left=bias, label="from variance", color="#0072B2")
        ax.set_yticks(places, [row[0] for row in rows])
        ax.invert_yaxis()
        unit = "squared error" if title == "polynomials" else "points"
        ax.set(title=title, xlabel=f"RMSE ({unit})")
    for ax in axes.ravel()[len(settings) :]:
        ax.set_axis_off()
    axes[-1, -1].legend(*axes[0, 0].get_legend_handles_labels(), loc="center")
    return figure
