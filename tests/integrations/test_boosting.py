"""The cross-validation of boosting libraries, whose means are not enough, and what is."""

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold

from skmaxev import correct

pytestmark = pytest.mark.filterwarnings("ignore")  # of the libraries' own making

X, Y = make_classification(120, 5, flip_y=0.3, random_state=0)
FOLDS = list(StratifiedKFold(3).split(X, Y))
ROUNDS = 4


def of_lightgbm(depth):
    lightgbm = pytest.importorskip("lightgbm")
    found = lightgbm.cv(
        {"objective": "binary", "metric": "auc", "max_depth": depth, "verbose": -1},
        lightgbm.Dataset(X, Y),
        num_boost_round=ROUNDS,
        folds=FOLDS,
        return_cvbooster=True,
    )
    models = found.pop("cvbooster").boosters
    return found, [model.predict(X[test]) for model, (_, test) in zip(models, FOLDS, strict=True)]


def of_xgboost(depth):
    xgboost = pytest.importorskip("xgboost")

    class KeepModels(xgboost.callback.TrainingCallback):
        def after_training(self, model):
            self.models = [fold.bst for fold in model.cvfolds]
            return model

    kept = KeepModels()
    found = xgboost.cv(
        {"objective": "binary:logistic", "max_depth": depth},
        xgboost.DMatrix(X, Y),
        num_boost_round=ROUNDS,
        folds=FOLDS,
        metrics="auc",
        callbacks=[kept],
    )
    rows = zip(kept.models, FOLDS, strict=True)
    return found, [model.predict(xgboost.DMatrix(X[test])) for model, (_, test) in rows]


def of_catboost(depth):
    catboost = pytest.importorskip("catboost")
    found, models = catboost.cv(
        catboost.Pool(X, Y),
        {
            "loss_function": "Logloss",
            "custom_metric": "AUC:hints=skip_train~false",
            "depth": depth,
            "iterations": ROUNDS,
            "thread_count": 1,
            "allow_writing_files": False,
        },
        folds=FOLDS,
        return_models=True,
        verbose=False,
    )
    rows = zip(models, FOLDS, strict=True)
    return found, [
        model.predict(X[test], prediction_type="RawFormulaVal") for model, (_, test) in rows
    ]


def last(found, *words):
    [name] = [name for name in found if all(word in name.lower() for word in words)]
    return list(found[name])[-1]


@pytest.mark.parametrize("run", [of_lightgbm, of_xgboost, of_catboost])
def test_models_of_the_folds_give_what_means_do_not(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # some write the models into the working directory
    scores = []
    for depth in (1, 2, 3):
        found, predicted = run(depth)
        scores.append(
            [roc_auc_score(Y[test], p) for p, (_, test) in zip(predicted, FOLDS, strict=True)]
        )
        split = "test" if any("test" in name for name in found) else "valid"
        assert last(found, split, "auc", "-mean") == pytest.approx(np.mean(scores[-1]), abs=1e-6)
        with pytest.raises(ValueError, match=r"rounds of one candidate.*keep the models"):
            correct(found)
    report = correct(np.transpose(scores), metric="roc_auc")
    assert report.naive == pytest.approx(np.mean(scores, axis=1).max())
