"""
Tune a text pipeline
====================

Most of the time of a text search goes into the vectoriser, which GridSearchCV fits anew for every
candidate although only the classifier differs. The searches of skmaxev fit what candidates have in
common once.

scikit-learn ships no texts, so the texts are what is installed anyway: sentences from the
docstrings of NumPy, SciPy and scikit-learn. The task is to tell which package a sentence is from.
"""

# %%
# Collect the sentences. Examples and signatures are left out, and so are sentences that name the
# package.
import importlib
import inspect
import re

import numpy as np

MODULES = {
    "numpy": ["numpy", "numpy.linalg", "numpy.fft", "numpy.random"],
    "scipy": ["scipy.stats", "scipy.optimize", "scipy.signal", "scipy.sparse", "scipy.special"],
    "sklearn": [
        "sklearn.linear_model",
        "sklearn.ensemble",
        "sklearn.preprocessing",
        "sklearn.metrics",
    ],
}


def sentences(name):
    module = importlib.import_module(name)
    for public in sorted(n for n in vars(module) if not n.startswith("_")):
        text = inspect.getdoc(vars(module)[public]) or ""
        prose = " ".join(line for line in text.splitlines() if line and line[0].isalpha())
        yield from (s.strip() for s in re.split(r"(?<=[.])\s", prose))


texts, labels = [], []
for package, modules in MODULES.items():
    found = sorted({s for name in modules for s in sentences(name)})
    found = [
        s
        for s in found
        if 30 < len(s) < 300 and not re.search("numpy|scipy|sklearn|scikit", s, re.I)
    ]
    picked = np.random.default_rng(0).choice(found, 150, replace=False)
    texts += picked.tolist()
    labels += [package] * len(picked)
print(len(texts), "sentences, such as:", texts[5])

# %%
# Lists stay lists, text labels stay text. Two vectorisers with seven classifiers each: in every
# fold the vectoriser is fitted twice, not fourteen times.
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.pipeline import make_pipeline

from skmaxev import LowVarianceCVSearch

pipeline = make_pipeline(TfidfVectorizer(ngram_range=(1, 2)), LogisticRegression(max_iter=300))
grid = {
    "tfidfvectorizer__sublinear_tf": [False, True],
    "logisticregression__C": np.logspace(-1, 2, 7),
}
folds = StratifiedKFold(5, shuffle=True, random_state=0)
search = LowVarianceCVSearch(pipeline, grid, cv=folds).fit(texts, labels)
print(f"{search.n_steps_reused_} of {search.n_fits_} fits found their vectoriser already fitted")

# %%
# The numbers are those of GridSearchCV to the last bit.
plain = GridSearchCV(pipeline, grid, cv=folds).fit(texts, labels)
assert (search.cv_results_["mean_test_score"] == plain.cv_results_["mean_test_score"]).all()

# %%
# Three balanced classes: guessing gets 0.333.
print(search.report_)

# %%
from skmaxev.plotting import SelectionBiasDisplay

SelectionBiasDisplay.from_search(search).plot()
