"""
Many models on many data sets
=============================

A table of models and data sets, and the question which of them differ. Averages mislead, since some
data sets are harder than others; ranks do not.

The scores are **made up**: six models on twelve data sets, three of them equally good.
"""

# %%
import numpy as np
import pandas as pd

rng = np.random.default_rng(0)
hardness = rng.uniform(0.6, 0.9, size=(12, 1))
merit = {"boosting": 0.03, "forest": 0.03, "svm": 0.03, "logistic": 0.02, "tree": 0, "dummy": -0.05}
scores = pd.DataFrame(
    hardness + list(merit.values()) + rng.normal(0, 0.01, size=(12, 6)), columns=list(merit)
)
print(scores.head(3).round(3).to_string(index=False))

# %%
# Friedman's test asks whether all are equally good, Nemenyi's which pairs differ.
from skmaxev.comparison import friedman_nemenyi

result = friedman_nemenyi(scores)
print(result)

# %%
# Bars join models that these data sets do not tell apart.
from skmaxev.plotting import CriticalDifferenceDisplay

CriticalDifferenceDisplay.from_comparison(result).plot()

# %%
# For a paper.
print(result.to_latex())
