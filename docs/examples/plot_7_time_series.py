"""
Time series: the best of many forecasts
=======================================

Folds must respect time, so every split trains on the past and is judged on what follows. With
:class:`~sklearn.model_selection.TimeSeriesSplit` the splits are few and short, the noise is large,
and the best of many forecasts looks good by luck alone.

The data are monthly share prices that matplotlib ships for its own examples. The task, known to be
hard: will the S&P 500 rise next month?
"""

# %%
import numpy as np
import pandas as pd
from matplotlib.cbook import get_sample_data

with get_sample_data("Stocks.csv") as file:
    prices = pd.read_csv(file, parse_dates=["Date"], index_col="Date", comment="#")
prices = prices[["IBM", "AAPL", "MSFT", "XRX", "^GSPC"]].dropna()  # those of the whole time
returns = np.log(prices).diff().dropna()
target = (returns["^GSPC"].shift(-1) > 0).astype(int)[:-1]
features = pd.concat(
    {f"{name}, {lag} ago": returns[name].shift(lag) for name in returns for lag in range(3)}, axis=1
)[2:-1]
target = target[2:]
print(f"{len(target)} months; the index rose in {target.mean():.0%} of them")

# %%
# Forests of many shapes, judged on five stretches of time.
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.model_selection import RandomizedSearchCV, TimeSeriesSplit

from skmaxev import HonestSearchCV

settings = {
    "max_depth": [1, 2, 3, 5, None],
    "max_features": [0.1, 0.3, 1.0],
    "min_samples_leaf": [1, 3, 5, 10],
    "random_state": range(10),
}
forest = ExtraTreesClassifier(n_estimators=20)
search = RandomizedSearchCV(
    forest, settings, n_iter=30, cv=TimeSeriesSplit(5), scoring="balanced_accuracy", random_state=0
)
honest = HonestSearchCV(search).fit(features, target)
print(honest.report_)

# %%
# Balanced accuracy of 0.5 is what a coin gets. The printed score is above it; what is left after
# the correction, with its interval, does not show that the forest knows more than the coin.
from skmaxev.plotting import SelectionBiasDisplay

SelectionBiasDisplay.from_search(honest).plot().ax_.axhline(0.5, color="0.5", lw=0.8)

# %%
# What the correction cannot do: later months may differ from all earlier ones. A score on past
# stretches, corrected or not, says nothing about such a break.
