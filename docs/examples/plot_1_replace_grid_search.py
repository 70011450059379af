"""
Replace GridSearchCV in a pipeline
==================================

A script that tunes a pipeline with :class:`~sklearn.model_selection.GridSearchCV` needs one
changed line. Everything else stays: the same candidates, folds, winner and predictions. What
changes is ``best_score_``, which no longer profits from luck.

The data are the 569 tumours of the breast cancer set that scikit-learn ships. The search sees 60
of them; the other 509 say afterwards how good its winner really is.
"""

# %%
# The script as it was.
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import GridSearchCV, StratifiedKFold, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

X, y = load_breast_cancer(return_X_y=True)
X_seen, X_fresh, y_seen, y_fresh = train_test_split(X, y, train_size=60, random_state=0, stratify=y)
pipeline = make_pipeline(StandardScaler(), SVC())
grid = {"svc__C": np.logspace(-1, 3, 5), "svc__gamma": np.logspace(-4, -1, 4)}
folds = StratifiedKFold(5, shuffle=True, random_state=0)

before = GridSearchCV(pipeline, grid, cv=folds).fit(X_seen, y_seen)
print(f"GridSearchCV prints {before.best_score_:.3f}")

# %%
# And with the line changed.
from skmaxev import HonestSearchCV

search = HonestSearchCV(pipeline, grid, cv=folds).fit(X_seen, y_seen)
print(f"printed score       {search.naive_best_score_:.3f}")
print(f"honest score        {search.best_score_:.3f}")
print(f"on fresh rows       {search.score(X_fresh, y_fresh):.3f}")

# %%
# Winner and predictions are the same to the last bit.
assert search.best_params_ == before.best_params_
assert (search.predict(X_fresh) == before.predict(X_fresh)).all()

# %%
# The report says what to expect, why, and which other candidates are as good a choice.
print(search.report_)

# %%
# The picture: each candidate with the noise that can favour it. Those marked as close to the
# winner would have won on slightly different rows, so the simplest of them is as good a choice.
from skmaxev.plotting import SelectionBiasDisplay

SelectionBiasDisplay.from_search(search).plot()

# %%
# How far is the winner ahead of each of them? Where a bar holds zero, nobody knows who is better.
from skmaxev.plotting import RunnersUpDisplay

RunnersUpDisplay.from_search(search).plot()

# %%
# One split into seen and fresh rows proves nothing, because all scores are noisy. So search on
# forty draws of 60 rows and look at the errors, in points of accuracy: the mean error shows
# which side a score errs to, the root mean square how far off it is.
errors = []
for seed in range(40):
    X_seen, X_fresh, y_seen, y_fresh = train_test_split(
        X, y, train_size=60, random_state=seed, stratify=y
    )
    search = HonestSearchCV(pipeline, grid, cv=folds).fit(X_seen, y_seen)
    truth = search.score(X_fresh, y_fresh)
    errors.append([search.naive_best_score_ - truth, search.best_score_ - truth])
errors = 100 * np.array(errors)
for name, column in zip(["printed", "honest"], errors.T, strict=True):
    print(f"{name}  mean error {column.mean():+.1f}  RMSE {np.sqrt(np.mean(column**2)):.1f}")
