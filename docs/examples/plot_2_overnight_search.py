"""
Correct a search that ran overnight
===================================

The search is over, the models are gone, and what is left is a file with ``cv_results_``. That is
enough: the correction needs the score of every candidate on every split, and neither data nor
fits.
"""

# %%
# The evening before: a randomised search on the diabetes data, saved as a CSV file.
import tempfile
from pathlib import Path

import pandas as pd
from sklearn.datasets import load_diabetes
from sklearn.model_selection import RandomizedSearchCV
from sklearn.tree import DecisionTreeRegressor

X, y = load_diabetes(return_X_y=True)
settings = {
    "max_depth": range(1, 12),
    "min_samples_leaf": range(1, 40),
    "max_features": [0.3, 0.6, 1.0],
}
search = RandomizedSearchCV(
    DecisionTreeRegressor(random_state=0),
    settings,
    n_iter=150,
    scoring="neg_mean_absolute_error",
    random_state=0,
).fit(X, y)

file = Path(tempfile.mkdtemp()) / "cv_results.csv"
pd.DataFrame(search.cv_results_).to_csv(file, index=False)

# %%
# The morning after. Scores of scikit-learn are higher-is-better already; for a file of losses say
# ``greater_is_better=False``.
from skmaxev import correct

report = correct(file, metric="neg_mean_absolute_error")
print(report)

# %%
# The shell does the same:
#
# .. code-block:: console
#
#    $ skmaxev correct cv_results.csv --metric neg_mean_absolute_error --html report.html
#
# The page holds the report and its pictures in one file that opens without a network.
report.save(file.with_name("report.html"))
print(f"{file.with_name('report.html').stat().st_size / 1024:.0f} KiB")

# %%
# When did searching on stop to pay? The printed score can only rise with every candidate tried.
# The honest one does not.
from skmaxev.plotting import OptimismCurveDisplay

curve = OptimismCurveDisplay.from_report(report).plot()
print(
    f"the honest score was best after {curve.stopped_paying_} of {report.n_candidates} candidates"
)

# %%
# Methods that answer different questions need not agree; the marks tell them apart.
from skmaxev.plotting import EstimatorsDisplay

EstimatorsDisplay.from_report(report).plot()

# %%
# For a paper: one row of a LaTeX table.
print(report.to_latex())
