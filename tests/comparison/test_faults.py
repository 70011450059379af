"""No false certainty: constant differences, NaN, indexes, and counts of any type."""

import numpy as np
import pandas as pd
import pytest

from skmaxev import comparison as c
from skmaxev.cherrypicking import claim_test, conservative_claim_test, inspection_test
from skmaxev.comparison import (
    Comparison,
    bayesian_correlated_t,
    corrected_resampled_t,
    five_by_two_f,
    five_by_two_t,
    friedman_nemenyi,
    mcnemar,
    proportion_interval,
)

B = np.array([0.3, 0.31, 0.7, 0.82, 0.9])
HALVES = np.random.default_rng(0).uniform(0.5, 0.9, (5, 2))
SIZES = {"n_train": 80, "n_test": 20}

PAIRS = [
    (lambda a, b: corrected_resampled_t(a, b, **SIZES), B),
    (lambda a, b: bayesian_correlated_t(a, b, **SIZES), B),
    (five_by_two_t, HALVES),
    (five_by_two_f, HALVES),
]


@pytest.mark.parametrize(("test", "scores"), PAIRS)
@pytest.mark.parametrize("unit", [1e-8, 1.0, 1e8])
def test_a_difference_without_noise_is_an_error_in_any_unit(test, scores, unit):
    with pytest.raises(ValueError, match="give no variance to judge by"):
        test(unit * (scores + 0.1), unit * scores)


@pytest.mark.parametrize(("test", "scores"), PAIRS)
@pytest.mark.parametrize("unit", [1e-8, 1.0, 1e8])
def test_scores_that_are_the_same_up_to_rounding_do_not_differ(test, scores, unit):
    result = test(unit * (scores + 0.1 - 0.1), unit * scores)
    assert result.p_equivalent == 1.0 if result.pvalue is None else result.pvalue == 1.0


def test_improvements_without_noise_have_no_variance():
    same = [0.8 - 0.7, 0.9 - 0.8, 0.3 - 0.2]
    with pytest.raises(ValueError, match="no variance to judge by"):
        claim_test(same)
    with pytest.raises(ValueError, match="no variance to judge by"):
        inspection_test(same, same)


RIGHT = [True, False, True, True, False, True]
PAIRED = {
    "corrected_resampled_t": lambda a, b: c.corrected_resampled_t(a, b, **SIZES),
    "bayesian_correlated_t": lambda a, b: c.bayesian_correlated_t(a, b, **SIZES),
    "equivalence_test": lambda a, b: c.equivalence_test(a, b, rope=0.1),
    "signed_rank": c.signed_rank,
    "sign_test": c.sign_test,
    "bayesian_signed_rank": lambda a, b: c.bayesian_signed_rank(a, b, rng=0),
    "mcnemar": lambda a, b: c.mcnemar(np.greater(a, 0.75), np.greater(b, 0.75)),
    "delong": lambda a, b: c.delong(pd.Series(RIGHT, index=list("abcdef")), a, b),
    "resampled_rows": lambda a, b: c.resampled_rows(
        lambda y, given: float(np.mean(y * np.ravel(given))),
        pd.Series(RIGHT, index=list("abcdef")), a, b, n_resamples=20, rng=0,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", PAIRED)
def test_lists_arrays_series_and_frames_give_one_answer(name):
    test, (a, b) = PAIRED[name], np.random.default_rng(0).uniform(0.6, 0.9, (2, 6))
    first, second = (pd.Series(scores, index=list("abcdef")) for scores in (a, b))
    expected = test(a, b)
    assert test(a.tolist(), b.tolist()) == expected
    assert test(first, second) == expected
    if name != "mcnemar":  # np.greater has paired them already
        assert test(first, second[::-1]) == expected
        assert test(first.to_frame(), second.to_frame()) == expected
        with pytest.raises(ValueError, match="their indexes differ"):
            test(first, second.rename({"a": "x"}))


def test_tables_may_be_lists_arrays_or_frames():
    right = np.random.default_rng(0).random((12, 3)) < 0.7
    for test in (c.cochran_q, c.friedman_nemenyi, c.compare_pairs):
        expected = test(right.astype(float)).to_markdown()
        assert test(right.tolist()).to_markdown() == expected
        assert test(pd.DataFrame(right)).to_markdown() == expected
    halves = [
        pd.DataFrame(HALVES, index=list("abcde")),
        pd.DataFrame(HALVES[:, ::-1], list("abcde")),
    ]
    expected = five_by_two_f(HALVES, HALVES[:, ::-1])
    assert five_by_two_f(halves[0], halves[1].iloc[::-1]) == expected
    claims = [0.4, 0.2, 0.5]
    for test in (claim_test, lambda x: conservative_claim_test(x, 9, variance=1.0)):
        assert test(claims) == test(np.array(claims)) == test(pd.Series(claims))


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_alternatives_share_the_probability(alternative):
    a, b = [0.82, 0.80, 0.85, 0.79, 0.84], [0.80, 0.79, 0.81, 0.78, 0.82]
    two = corrected_resampled_t(a, b, **SIZES).pvalue
    share = {"two-sided": two, "greater": two / 2, "less": 1 - two / 2}
    found = corrected_resampled_t(a, b, **SIZES, alternative=alternative)
    assert found.pvalue == pytest.approx(share[alternative])
    with pytest.raises(ValueError, match="alternative must be one of"):
        corrected_resampled_t(a, b, **SIZES, alternative="bigger")


def test_mcnemar_takes_the_table_of_counts():
    a, b = np.array([1, 1, 1, 0, 1, 0]), np.array([1, 0, 0, 1, 0, 0])
    for table in ([[1, 3], [1, 1]], pd.DataFrame([[1, 3], [1, 1]])):
        assert mcnemar(table) == mcnemar(a, b)
    with pytest.raises(ValueError, match="only a"):
        mcnemar([[1.5, 2], [3, 4]])


def test_ranks_keep_the_names_of_a_frame():
    frame = pd.DataFrame([[0.9, 0.8, 0.7], [0.9, 0.8, 0.8]], columns=["svm", "forest", "knn"])
    result = friedman_nemenyi(frame)
    assert result.names == ("svm", "forest", "knn")
    assert result.to_frame()["model"].tolist() == ["svm", "forest", "knn"]
    assert friedman_nemenyi(frame.to_numpy()).names == ("0", "1", "2")


@pytest.mark.parametrize("counts", [(12.0, 40), (np.int64(12), np.float64(40.0))])
def test_counts_may_be_any_type_of_number(counts):
    assert proportion_interval(*counts) == proportion_interval(12, 40)
    with pytest.raises(ValueError, match="Give counts"):
        proportion_interval(float("nan"), 40)


def test_no_number_comes_out_of_nan():
    with pytest.raises(ValueError, match="pvalue is NaN"):
        Comparison(method="a test", difference=0.1, pvalue=float("nan"))


def test_results_print_as_tables():
    result = mcnemar([[1, 3], [1, 1]])
    assert result.to_markdown().splitlines()[0].startswith("| a | b | difference | low | high |")
    assert r"\toprule" in result.to_latex()
    assert r"p\_a\_better" in bayesian_correlated_t([0.8, 0.9], [0.7, 0.85], **SIZES).to_latex()
