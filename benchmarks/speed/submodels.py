"""Grids with an axis that one fit holds: how much of the bound is left after scoring."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from sklearn.datasets import make_classification
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from benchmarks.speed.cases import Case, nested, nested_recipe, plain
from skmaxev import ShrunkSearchCV

__all__ = ["submodel_cases"]

N_FOLDS = 5
ROUNDS = [50, 100, 200, 400]


def grids(*, quick: bool) -> Iterator[tuple[str, float, Any, dict[str, Any], Any]]:
    """Give name, bound (sum of the values over the largest), model, grid and data."""
    from lightgbm import LGBMClassifier

    n_rows = 100 if quick else 300
    few = make_classification(n_rows, 20, n_informative=8, random_state=0)
    many = make_classification(10 * n_rows, 10, n_informative=8, random_state=0)
    histogram = HistGradientBoostingClassifier(max_leaf_nodes=7)
    yield "HistGradientBoosting, 50, 100, 200, 400", 1.875, histogram, {"max_iter": ROUNDS}, few
    by_50 = list(range(50, 401, 50))
    yield "HistGradientBoosting, 50 to 400 by 50", 4.5, histogram, {"max_iter": by_50}, few
    trees = {"n_estimators": list(range(25, 301, 25))}
    yield "RandomForest, 25 to 300 by 25", 6.5, RandomForestClassifier(random_state=0), trees, few
    light = LGBMClassifier(num_leaves=7, verbose=-1, n_jobs=1, force_col_wise=True)
    yield "LightGBM, 50, 100, 200, 400", 1.875, light, {"n_estimators": ROUNDS}, many
    neighbours = {"n_neighbors": list(range(1, 31)), "weights": ["uniform", "distance"]}
    yield "KNeighbors, 1 to 30, 2 weights", 30, KNeighborsClassifier(), neighbours, many
    alphas = {"ccp_alpha": [k / 2000 for k in range(20)]}
    yield "DecisionTree, 20 of ccp_alpha", 20, DecisionTreeClassifier(random_state=0), alphas, many
    yield "no such axis", 1, LogisticRegression(), {"C": [10.0**k for k in range(-9, 11)]}, many


def submodel_cases(*, quick: bool) -> Iterator[Case]:
    for name, bound, model, grid, data in grids(quick=quick):
        small = {key: values[:2] for key, values in grid.items()}
        sides = (model, small if quick else grid, N_FOLDS, *data)
        yield Case(
            f"plain, {name} (bound {bound:.2f})",
            partial(plain, ShrunkSearchCV, *sides),
            {"GridSearchCV": partial(plain, GridSearchCV, *sides)},
        )
        yield Case(
            f"nested, {name} (bound {bound:.2f})",
            partial(nested, *sides),
            {"search + nested search": partial(nested_recipe, *sides)},
        )
