"""
Correct an Optuna study
=======================

A study keeps the mean score of each trial. To know what the best of them is worth, keep the scores
of the single folds too: one more line in the objective.
"""

# %%
import optuna
from sklearn.datasets import load_wine
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

optuna.logging.set_verbosity(optuna.logging.WARNING)

X, y = load_wine(return_X_y=True)
X = X[:, :4]  # four of the thirteen measurements, so that there is something to tune
folds = StratifiedKFold(5, shuffle=True, random_state=0)


def make(params):
    return make_pipeline(StandardScaler(), SVC(**params))


def objective(trial):
    params = {
        "C": trial.suggest_float("C", 0.1, 1000, log=True),
        "gamma": trial.suggest_float("gamma", 1e-4, 1, log=True),
    }
    scores = cross_val_score(make(params), X, y, cv=folds)
    trial.set_user_attr("fold_scores", scores.tolist())  # the line to add
    return scores.mean()


study = optuna.create_study(direction="maximize", sampler=optuna.samplers.TPESampler(seed=0))
study.optimize(objective, n_trials=80)
print(f"study.best_value {study.best_value:.3f}")

# %%
# Trials that failed, were pruned or are still running take no part, and the report counts them.
from skmaxev import correct

report = correct(study, metric="accuracy")
print(report)

# %%
# The printed score rises with every lucky trial. The honest score falls behind it at once and then
# rises too, slowly: an adaptive sampler spends its later trials near the best ones, and their
# scores confirm one another. Here the search was still gaining when it ended.
from skmaxev.plotting import OptimismCurveDisplay

curve = OptimismCurveDisplay.from_report(report).plot()
print(f"the honest score was best after {curve.stopped_paying_} of {report.n_candidates} trials")
