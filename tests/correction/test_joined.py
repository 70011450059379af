"""Several searches are one: told apart by their splits, refused where they cannot be one."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import (
    GridSearchCV,
    KFold,
    RepeatedKFold,
    ShuffleSplit,
    StratifiedKFold,
)
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from skmaxev import HonestSearchCV, correct

X, y = load_breast_cancer(return_X_y=True)
X, y = X[:150], y[:150]
FOLDS = StratifiedKFold(5, shuffle=True, random_state=0)
GRIDS = {
    "tree": (DecisionTreeClassifier(random_state=0), {"max_depth": [1, 2, 3]}),
    "neighbours": (KNeighborsClassifier(), {"n_neighbors": [3, 9, 27]}),
}


def searches(kind=GridSearchCV, folds=FOLDS):
    return {
        name: kind(model, grid, cv=folds, scoring="accuracy").fit(X, y)
        for name, (model, grid) in GRIDS.items()
    }


def test_searches_on_the_same_splits_are_their_tables_side_by_side():
    found = searches()
    report = correct(found)
    tables = [correct(search).table.scores for search in found.values()]
    plain = correct(np.hstack(tables), metric="accuracy", n_repeats=1)
    assert (report.table.scores == np.hstack(tables)).all()
    assert report.estimate == pytest.approx(plain.estimate)
    assert report.naive == max(search.best_score_ for search in found.values())
    assert report.notes == ()
    assert report.n_fits == 2 * (3 * 5 + 1)


def test_the_winner_is_named_by_its_search():
    report = correct(searches())
    best = report.best_params
    assert best["search"] in GRIDS
    name, value = list(best.items())[1]
    assert f"{best['search']}: {name}={value}" in str(report)


def test_a_list_is_named_by_the_models():
    report = correct([*searches().values(), *searches().values()])
    names = {params["search"] for params in report.table.params}
    assert names == {
        "DecisionTreeClassifier 1",
        "DecisionTreeClassifier 3",
        "KNeighborsClassifier 2",
        "KNeighborsClassifier 4",
    }


def test_results_of_single_rows_are_joined():
    report = correct(searches(HonestSearchCV))
    assert report.table.rows.values.shape == (6, 1, 150)
    means = report.table.rows.means_over_splits(5)
    assert means == pytest.approx(report.table.scores)


@pytest.mark.parametrize("kind", [GridSearchCV, HonestSearchCV])
@pytest.mark.parametrize("n_splits", [5, 10])
def test_other_splits_are_lined_up_and_said(kind, n_splits):
    (name, first), (other, _) = searches(kind).items()
    model, grid = GRIDS[other]
    folds = StratifiedKFold(n_splits, shuffle=True, random_state=1)
    second = kind(model, grid, cv=folds, scoring="accuracy").fit(X, y)
    report = correct({name: first, other: second})
    assert report.table.n_splits == 5
    means = [correct(search).table.scores.mean(axis=0) for search in (first, second)]
    assert report.table.scores.mean(axis=0) == pytest.approx(np.concatenate(means))
    assert any(f"The splits of {other} differ from those of {name}" in n for n in report.notes)


def test_splits_that_nothing_tells_are_taken_for_the_same_and_said():
    found = {name: search.cv_results_ for name, search in searches().items()}
    report = correct(found, metric="accuracy")
    assert report.estimate == pytest.approx(correct(searches()).estimate, abs=0.01)
    assert any("nothing tells" in note for note in report.notes)


def test_scores_of_one_model_a_name_are_one_search():
    report = correct({"a": {"split0": 0.8, "split1": 0.9}, "b": {"split0": 0.7, "split1": 0.9}})
    assert report.estimate == correct([[0.8, 0.7], [0.9, 0.9]]).estimate
    assert report.best_params == {"params": "a"}
    assert report.notes == ()


def test_arrays_by_name_are_searches():
    tables = {name: correct(search).table.scores for name, search in searches().items()}
    report = correct(tables, metric="accuracy")
    assert report.n_candidates == 6
    assert report.estimate == pytest.approx(correct(searches()).estimate)
    assert "Edge of grid" not in str(report)
    assert correct({"a": tables["tree"]}).estimate == correct(tables["tree"]).estimate


@pytest.mark.parametrize("seeds", [(0, 0), (0, 1)])
def test_splits_given_as_lists_are_told_by_their_rows(seeds):
    folds = [list(StratifiedKFold(5, shuffle=True, random_state=s).split(X, y)) for s in seeds]
    found = {
        name: GridSearchCV(model, grid, cv=cv, scoring="accuracy").fit(X, y)
        for (name, (model, grid)), cv in zip(GRIDS.items(), folds, strict=True)
    }
    report = correct(found)
    assert any("differ" in note for note in report.notes) == (seeds[0] != seeds[1])


def test_splits_of_generators_are_not_called_different():
    found = {
        name: GridSearchCV(model, grid, cv=FOLDS.split(X, y), scoring="accuracy").fit(X, y)
        for name, (model, grid) in GRIDS.items()
    }
    report = correct(found)
    assert any("nothing tells" in note for note in report.notes)
    assert report.estimate == pytest.approx(correct(searches()).estimate)


def test_failed_candidates_keep_their_search():
    found = {name: correct(search).table for name, search in searches().items()}
    broken = found["neighbours"].scores.copy()
    broken[1, 2] = np.nan
    report = correct({"tree": found["tree"], "rest": {f"split{k}": broken[k] for k in range(5)}})
    assert list(report.left_out) == [5]


def test_searches_that_cannot_be_one_are_refused_with_the_reason():
    found = searches()
    area = GridSearchCV(*GRIDS["tree"], cv=FOLDS, scoring="roc_auc").fit(X, y)
    with pytest.raises(ValueError, match=r"one metric .* 'accuracy' and b 'roc_auc'"):
        correct({"a": found["tree"], "b": area})
    rows = HonestSearchCV(LogisticRegression(max_iter=10**4), {"C": [1, 2]}, cv=FOLDS)
    data = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match=r"same data .* differ in their"):
        correct({"a": found["tree"], "b": rows.fit(*data)})
    ridges = [
        HonestSearchCV(Ridge(), {"alpha": [1, 2]}, cv=KFold(5), scoring="r2").fit(
            *(values[:n] for values in load_diabetes(return_X_y=True))
        )
        for n in (100, 90)
    ]
    with pytest.raises(ValueError, match=r"number of rows, (90 and 100|100 and 90)"):
        correct(ridges)


@pytest.mark.parametrize("size", [1, 2])
def test_searches_of_few_candidates_keep_their_noise_where_their_splits_differ(size):
    """Of 20 equal candidates the best of the noise is corrected to near the truth of .7."""
    found, shown = [], []
    for seed in range(25):
        scores = 0.7 + 0.05 * np.random.default_rng(seed).standard_normal((6, 20))
        parts = {
            str(start): cv_results(scores[: 5 if start == 0 else 6, start : start + size])
            for start in range(0, 20, size)
        }
        report = correct(parts)
        found.append(report.estimate)
        shown.append(report.naive)
    assert np.mean(shown) > 0.73
    assert np.mean(found) == pytest.approx(0.7, abs=0.01)


def cv_results(scores):
    splits = {f"split{k}_test_score": line for k, line in enumerate(scores)}
    numbers = [{"p": number} for number in range(scores.shape[1])]
    return {**splits, "mean_test_score": scores.mean(axis=0), "params": numbers}


@pytest.mark.parametrize(
    ("one", "other", "differ"),
    [
        (None, 5, False),
        (4, 4, False),
        (KFold(4), KFold(4), False),
        (KFold(4, shuffle=True, random_state=0), KFold(4, shuffle=True, random_state=0), False),
        (KFold(4, shuffle=True, random_state=0), KFold(4, shuffle=True, random_state=1), True),
        (KFold(4, shuffle=True), KFold(4, shuffle=True), True),  # other rows at every call
        (ShuffleSplit(4), ShuffleSplit(4), True),
        (ShuffleSplit(4, random_state=0), ShuffleSplit(4, random_state=0), False),
        (KFold(4), StratifiedKFold(4), True),
        (KFold(6), RepeatedKFold(n_splits=3, n_repeats=2, random_state=0), True),
        (ShuffleSplit(4, random_state=0), ShuffleSplit(4, test_size=0.3, random_state=0), True),
    ],
    ids=str,
)
def test_splitters_are_told_apart_by_what_they_would_do_again(one, other, differ):
    found = {
        name: GridSearchCV(model, grid, cv=cv, scoring="accuracy").fit(X, y)
        for (name, (model, grid)), cv in zip(GRIDS.items(), (one, other), strict=True)
    }
    notes = correct(found).notes
    assert any("differ from those of" in note for note in notes) == differ
    assert not any("nothing tells" in note for note in notes)


def test_results_of_single_rows_are_joined_only_where_all_searches_have_them():
    plain, rows = searches(GridSearchCV), searches(HonestSearchCV)
    report = correct({"tree": rows["tree"], "neighbours": plain["neighbours"]})
    assert report.table.rows is None
    assert report.estimate == pytest.approx(correct(plain).estimate)
