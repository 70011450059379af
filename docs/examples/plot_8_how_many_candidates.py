"""
How many candidates can my data afford?
=======================================

Every further candidate makes the best score look better, whether or not it is. How much depends on
the number of rows that judge, and can be known before the first fit.
"""

# %%
# Candidates with true accuracies around 0.80 that differ by a standard deviation of 0.01, as in a
# fine grid, each judged on rows of its own.
import numpy as np
from matplotlib import pyplot as plt

from skmaxev.planning import (
    affordable_candidates,
    expected_optimism,
    validation_size,
    winner_regret,
)

candidates = np.unique(np.geomspace(1, 500, 25).round().astype(int))
rows = np.array([[200], [1000], [5000]])
optimism = 100 * expected_optimism(candidates, rows, score=0.8, spread=0.01, correlation=0.0)

figure, ax = plt.subplots(figsize=(5, 3.2), layout="constrained")
for n, curve, colour in zip(rows.ravel(), optimism, ["#D55E00", "#0072B2", "#009E73"], strict=True):
    ax.semilogx(candidates, curve, color=colour, label=f"{n:,} rows")
ax.set(xlabel="candidates", ylabel="optimism of the best score, points")
ax.legend(frameon=False)

# %%
# An improvement of one point is worth having. With 1,000 rows, how many candidates may be tried
# before the optimism alone is that large?
most = affordable_candidates(1000, score=0.8, resolve=0.01, correlation=0.0)
print(f"{most} candidates")

# %%
# And how many rows would a hundred candidates need?
needed = validation_size(100, score=0.8, resolve=0.01, correlation=0.0)
print(f"{needed:,} rows")

# %%
# Optimism is not the only price: the winner need not be the best. Of a hundred candidates on 1,000
# rows, it is so in one case of six, and falls short of the best by about a point.
regret = winner_regret(100, 1000, score=0.8, spread=0.01, correlation=0.0)
print(
    f"{regret.probability_best:.0%} of winners are the best; "
    f"mean shortfall {100 * regret.shortfall:.2f} points"
)

# %%
# Candidates judged on the same rows share most of their noise, and what is shared favours none.
# The numbers above are for noise of their own, so they are an upper bound. The
# argument ``correlation`` says how much is shared; without it, results are for both ends of what
# nine grids of ten share, 0.4 and 0.9:
for correlation in (0.0, 0.4, 0.9):
    value = expected_optimism(100, 1000, score=0.8, spread=0.01, correlation=correlation)
    print(f"correlation {correlation}: optimism {100 * value:.2f} points")

# %%
# For a search and data at hand, ``plan`` times one fit and says all of it: fits, time, optimism.
from sklearn.datasets import load_breast_cancer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from skmaxev import NestedCVSearch
from skmaxev.planning import plan

X, y = load_breast_cancer(return_X_y=True)
search = NestedCVSearch(
    make_pipeline(StandardScaler(), SVC()), {"svc__C": np.logspace(-2, 3, 12)}, cv=5
)
print(plan(search, X, y, rng=0))
