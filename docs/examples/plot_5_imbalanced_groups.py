"""
Few cases, several rows a patient
=================================

Medical data bring two traps at once. The ill are few, so a classifier is tuned together with a
sampler that must see training rows only. And a patient has several rows, which must not be on both
sides of a split, at neither level of nested cross-validation.

The rows are scikit-learn's breast cancer data, with malignant tumours thinned out to one in ten.
That set has one row a patient, so the patients here are **made up**: rows are dealt at random, two
or three to a patient on average.
"""

# %%
import numpy as np
from imblearn.over_sampling import SMOTE
from imblearn.pipeline import make_pipeline
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedGroupKFold
from sklearn.preprocessing import StandardScaler

rng = np.random.default_rng(0)
X, malignant = load_breast_cancer(return_X_y=True)
malignant = 1 - malignant
keep = np.sort(
    np.concatenate(
        [np.flatnonzero(malignant == 0), rng.choice(np.flatnonzero(malignant), 40, replace=False)]
    )
)
X, y = X[keep][:, :10], malignant[keep]
patient = rng.integers(len(y) * 2 // 5, size=len(y))
print(f"{len(y)} rows, {len(set(patient))} patients, {y.mean():.0%} malignant")

# %%
# :class:`~skmaxev.NestedCVSearch` shares its folds: the inner folds of an outer fold are the other
# folds. So ``groups``, given once, hold at both levels, and half of the usual fits are saved.
from skmaxev import NestedCVSearch

pipeline = make_pipeline(StandardScaler(), SMOTE(random_state=0), LogisticRegression(max_iter=2000))
grid = {"smote__k_neighbors": [2, 5], "logisticregression__C": np.logspace(-3, 2, 6)}
folds = StratifiedGroupKFold(5, shuffle=True, random_state=0)
search = NestedCVSearch(pipeline, grid, cv=folds, scoring="average_precision")
search.fit(X, y, groups=patient)
print(search.report_)

# %%
# No patient is on both sides of any split.
for train, test in folds.split(X, y, patient):
    assert not set(patient[train]) & set(patient[test])

# %%
# Are the settings stable? Each outer fold made its own choice without the rows that judge it.
# Where folds choose differently and score much the same, the data do not settle the choice; the
# nested score then speaks of the way of choosing, not of one setting.
from skmaxev.plotting import OuterFoldsDisplay

display = OuterFoldsDisplay.from_search(search).plot()
print(f"{display.agreement_:.0%} of the outer folds chose the winner of the whole search")

# %%
# The fits that were made, and those that nesting with scikit-learn alone would make.
candidates, splits = len(search.cv_results_["params"]), search.n_splits_
classical = candidates * splits * splits + splits + 1
print(f"{search.n_fits_} fits in place of {classical}")
