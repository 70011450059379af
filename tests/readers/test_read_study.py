"""Optuna studies with completed, pruned, failed and running trials."""

import warnings

import numpy as np
import optuna
import pytest
from optuna.terminator import report_cross_validation_scores
from optuna.trial import TrialState

from skmaxev.correction import correct

FOLDS = np.random.default_rng(0).normal(0.5, 0.05, (30, 5))


@pytest.fixture(autouse=True)
def _quiet():
    optuna.logging.set_verbosity(optuna.logging.ERROR)


def fold_scores(trial, scores):
    trial.set_user_attr("fold_scores", scores.tolist())


def mixed(direction, keep=fold_scores):
    study = optuna.create_study(direction=direction, sampler=optuna.samplers.RandomSampler(seed=0))
    sign = 1 if direction == "minimize" else -1
    for number in range(30):
        trial = study.ask()
        trial.suggest_float("x", 0, 1)
        if number % 5 == 1:  # pruned with an excellent value
            trial.report(sign * 0.01, 0)
            study.tell(trial, state=TrialState.PRUNED)
        elif number % 7 == 2:
            study.tell(trial, state=TrialState.FAIL)
        elif number < 29:
            keep(trial, FOLDS[number])
            study.tell(trial, float(sign * FOLDS[number].mean()))
    return study


@pytest.mark.parametrize(("direction", "sign"), [("minimize", 1), ("maximize", -1)])
def test_only_completed_trials_count_and_the_direction_is_respected(direction, sign):
    study = mixed(direction)
    report = correct(study)
    done = [t.number for t in study.trials if t.state == TrialState.COMPLETE]
    assert report.best_index == study.best_trial.number
    assert report.naive == pytest.approx(study.best_value)
    assert report.n_used == len(done)
    assert report.left_out[1] == "trial was pruned"
    assert any(note.startswith("6 of 30 trials were pruned") for note in report.notes)
    assert report.left_out[2] == "trial failed"
    assert report.left_out[29] == "trial is running"
    plain = correct(-FOLDS[done].T)
    assert report.estimate == pytest.approx(-sign * plain.estimate)
    assert report.optimism == pytest.approx(plain.optimism)
    assert report.greater_is_better is (direction == "maximize")


def test_split_scores_are_found_where_they_are_usually_kept():
    def numbered(trial, scores):
        for k in reversed(range(5)):
            trial.set_user_attr(f"split{k}_test_score", float(scores[k]))

    def intermediate(trial, scores):
        for k in range(5):
            trial.report(float(scores[k]), k)

    def terminator(trial, scores):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FutureWarning)  # on its way out
            report_cross_validation_scores(trial, scores.tolist())

    expected = correct(mixed("minimize")).estimate
    for keep in (numbered, intermediate, terminator):
        assert correct(mixed("minimize", keep)).estimate == expected


def test_a_learning_curve_is_not_taken_for_split_scores():
    def curve(trial, scores):
        for step in range(5):
            trial.report(1.0 / (step + 1), step)

    with pytest.raises(ValueError, match=r"set_user_attr\('fold_scores'"):
        correct(mixed("minimize", curve))


def test_without_split_scores_the_study_is_asked_for_them():
    with pytest.raises(ValueError, match=r"set_user_attr\('fold_scores'"):
        correct(mixed("minimize", lambda trial, scores: None))


def with_completed(count):
    study = optuna.create_study(direction="maximize")
    for number in range(4):
        trial = study.ask()
        trial.suggest_int("k", 1, 9)
        state = None if number < count else TrialState.FAIL
        study.tell(trial, 0.7 if state is None else None, state=state)
    return study


def test_no_completed_trial_names_the_states():
    with pytest.raises(ValueError, match="of 4 trials there are 4 FAIL"):
        correct(with_completed(0))
    with pytest.raises(ValueError, match="of 0 trials there are none at all"):
        correct(optuna.create_study())


def test_one_completed_trial_is_not_corrected():
    report = correct(with_completed(1))
    assert report.estimate == report.naive == 0.7
    assert report.optimism == 0.0
    assert report.interval is None
    assert "no interval" in str(report)


def test_trials_with_other_numbers_of_scores_are_left_out():
    study = mixed("minimize")
    trial = study.ask()
    trial.set_user_attr("fold_scores", [0.5, 0.6])
    study.tell(trial, 0.55)
    assert correct(study).left_out[30] == "trial kept 2 scores, most trials 5"


def test_a_value_that_is_not_the_mean_gives_a_note():
    study = optuna.create_study()
    for number in range(3):
        trial = study.ask()
        trial.set_user_attr("fold_scores", FOLDS[number].tolist())
        study.tell(trial, float(FOLDS[number].max()))
    report = correct(study)
    assert report.best_index == study.best_trial.number
    assert "value of 3 trial(s) is not the mean" in report.notes[0]


def test_several_objectives_are_refused():
    with pytest.raises(ValueError, match="one objective; this one has 2"):
        correct(optuna.create_study(directions=["minimize", "maximize"]))


@pytest.mark.parametrize("kept", [None, "abc", [], ["a"], [0.1, float("nan"), 0.1, 0.1, 0.1]])
def test_a_best_trial_without_scores_is_named(kept):
    study = mixed("minimize")
    expected = correct(study)
    trial = study.ask()
    trial.set_user_attr("fold_scores", kept)
    study.tell(trial, 0.1)
    report = correct(study)
    assert report.estimate == expected.estimate
    assert report.best_index == expected.best_index
    assert "best trial, 30, takes no part (trial kept" in " ".join(report.notes)


SCORES = FOLDS[:10]


def finished(keep, direction="maximize", value=lambda scores: float(scores.mean())):
    study = optuna.create_study(direction=direction)
    for scores in SCORES:
        trial = study.ask()
        trial.suggest_float("x", 0, 1)
        keep(trial, scores)
        study.tell(trial, value(scores))
    return study


def attribute(name, make=np.ndarray.tolist):
    return lambda trial, scores: trial.set_user_attr(name, make(scores))


def numbered(pattern):
    def keep(trial, scores):
        for k, score in enumerate(scores):
            trial.set_user_attr(pattern.format(k), float(score))

    return keep


def together(*all_of_them):
    return lambda trial, scores: [keep(trial, scores) for keep in all_of_them]


@pytest.mark.parametrize(
    "keep",
    [
        attribute("fold_aucs"),
        attribute("whatever"),
        attribute("by_fold", lambda scores: {str(k): float(s) for k, s in enumerate(scores)}),
        numbered("fold_{}_auc"),
        numbered("split{}_test_accuracy"),
        together(attribute("fold_scores", lambda scores: (1 - scores).tolist()), attribute("aucs")),
        together(numbered("split{}_train_score"), attribute("cv", lambda s: s[::-1].tolist())),
        lambda trial, scores: [trial.report(float(scores[k]), k) for k in (3, 0, 4, 1, 2)],
    ],
)
def test_what_has_the_value_for_its_mean_is_taken(keep):
    report, plain = correct(finished(keep)), correct(SCORES.T)
    assert report.estimate == pytest.approx(plain.estimate, abs=2e-3)  # folds in another order
    assert report.naive == pytest.approx(plain.naive)
    assert not report.notes


def test_scores_under_an_objective_that_is_an_error_are_turned_round():
    keep = attribute("fold_scores")
    report = correct(finished(keep, "minimize", lambda scores: 1 - float(scores.mean())))
    plain = correct(SCORES.T)
    assert report.greater_is_better
    assert (report.estimate, report.best_index) == (plain.estimate, plain.best_index)
    assert "a number minus the mean" in report.notes[0]


def test_scores_that_go_against_the_values_are_refused():
    keep = attribute("fold_scores")
    with pytest.raises(ValueError, match=r"go the way of their values.*set_user_attr"):
        correct(finished(keep, "minimize", lambda scores: float(np.exp(-scores.mean()))))
    assert "is not the mean" in correct(finished(keep, value=lambda s: float(s.min()))).notes[0]


@pytest.mark.parametrize("multi_index", [False, True])
def test_the_frame_of_a_study_is_read_but_has_no_direction(multi_index):
    study = finished(numbered("split{}_test_score"))
    study.add_trial(optuna.trial.create_trial(state=TrialState.PRUNED, value=0.9))
    report = correct(study.trials_dataframe(multi_index=multi_index))
    assert report.estimate == correct(study).estimate
    assert report.left_out == {10: "trial was pruned"}
    assert report.best_params == study.best_params
    assert "does not say its direction; read as higher is better" in report.notes[0]


def test_an_endless_value_raises_no_alarm():
    study = finished(attribute("fold_scores"))
    study.add_trial(
        optuna.trial.create_trial(value=np.inf, user_attrs={"fold_scores": [np.inf] * 5})
    )
    assert correct(study).left_out == {10: "trial kept scores that are not finite"}


def test_what_is_no_study_is_told(tmp_path):
    address = f"sqlite:///{tmp_path / 'study.db'}"
    storage = optuna.storages.RDBStorage(address)
    study = optuna.create_study(storage=storage)
    study.add_trials(finished(attribute("fold_scores")).trials)
    assert correct(optuna.load_study(study_name=None, storage=storage)).n_used == 10
    storage.engine.dispose()  # closes the file
    for wrong in (tmp_path / "study.db", address):
        with pytest.raises(ValueError, match=r"optuna\.load_study"):
            correct(wrong)
    with pytest.raises(TypeError, match="one search or study; got a list of FrozenTrial"):
        correct(finished(attribute("fold_scores")).trials)


def test_a_study_keeps_its_own_direction():
    keep = attribute("fold_scores")
    report = correct(finished(keep), greater_is_better=False)
    assert report.estimate == correct(SCORES.T).estimate
    assert report.notes[-1].startswith("greater_is_better=False was not used: the Optuna study")
    assert not correct(finished(keep, "minimize"), greater_is_better=False).notes
