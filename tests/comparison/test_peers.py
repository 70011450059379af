"""The same numbers as statsmodels, scikit-posthocs and baycomp, and as SciPy's parts."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.metrics import f1_score, roc_auc_score

from skmaxev.comparison import (
    bayesian_signed_rank,
    cochran_q,
    compare_pairs,
    delong,
    equivalence_test,
    holm,
    mcnemar,
    resampled_rows,
    sign_test,
    signed_rank,
)

RNG = np.random.default_rng(0)
A, B, C = RNG.normal([[0.85], [0.83], [0.80]], 0.03, (3, 14))
RIGHT = (RNG.random((120, 4)) < [0.9, 0.8, 0.8, 0.7]).astype(int)


def test_cochran_q_is_that_of_statsmodels():
    peer = pytest.importorskip("statsmodels.stats.contingency_tables").cochrans_q(RIGHT)
    found = cochran_q(pd.DataFrame(RIGHT, columns=list("wxyz")))
    assert found.statistic == pytest.approx(peer.statistic, rel=1e-9)
    assert found.pvalue == pytest.approx(peer.pvalue, rel=1e-9)
    assert found.names == ("w", "z")


def test_cochran_q_of_two_models_is_mcnemar_without_correction():
    table = mcnemar(RIGHT[:, 0], RIGHT[:, 3])
    only_a = table.statistic
    only_b = only_a - table.difference * len(RIGHT)
    expected = (only_a - only_b) ** 2 / (only_a + only_b)
    assert cochran_q(RIGHT[:, [0, 3]]).statistic == pytest.approx(expected)


@pytest.mark.parametrize("rope", [0.01, 0.05])
def test_equivalence_is_that_of_statsmodels(rope):
    peer = pytest.importorskip("statsmodels.stats.weightstats").ttost_paired(A, B, -rope, rope)
    found = equivalence_test(A, B, rope=rope)
    assert found.pvalue == pytest.approx(peer[0], rel=1e-9)
    inside = max(map(abs, found.interval)) < rope
    assert inside == (found.pvalue < 0.05)


def test_signed_ranks_and_signs_are_those_of_statsmodels_and_scipy():
    peer = pytest.importorskip("statsmodels.stats.descriptivestats").sign_test(A - B)
    assert sign_test(A, B).pvalue == pytest.approx(peer[1], rel=1e-9)
    assert signed_rank(A, B).pvalue == pytest.approx(stats.wilcoxon(A, B).pvalue)


def test_all_pairs_are_those_of_scikit_posthocs():
    posthocs = pytest.importorskip("scikit_posthocs")
    frame = pd.DataFrame({"a": A, "b": B, "c": C})
    long = frame.melt(var_name="model", value_name="score")
    peer = posthocs.posthoc_wilcoxon(
        long, val_col="score", group_col="model", method="auto", p_adjust="holm", sort=True
    )
    for pair in compare_pairs(frame).comparisons:
        assert pair.pvalue == pytest.approx(peer.loc[pair.names[0], pair.names[1]], rel=1e-6)


def test_a_control_is_compared_with_each_other_model():
    frame = pd.DataFrame({"a": A, "b": B, "c": C})
    found = compare_pairs(frame, control="b", test="sign").comparisons
    assert [pair.names for pair in found] == [("b", "a"), ("b", "c")]
    raw = [sign_test(B, A).pvalue, sign_test(B, C).pvalue]
    assert [pair.pvalue for pair in found] == holm(raw).tolist()
    with pytest.raises(ValueError, match="control must be one of"):
        compare_pairs(frame, control="d")
    with pytest.raises(ValueError, match="test must be one of"):
        compare_pairs(frame, test="t")


def test_bayesian_signed_ranks_are_those_of_baycomp():
    baycomp = pytest.importorskip("baycomp")
    for first, second in ((A, B), (A, C), (B, C)):
        peer = baycomp.SignedRankTest.probs(second, first, rope=0.01, nsamples=4000, random_state=0)
        found = bayesian_signed_rank(first, second, rope=0.01, rng=0)
        ours = (found.p_b_better, found.p_equivalent, found.p_a_better)
        assert ours == pytest.approx(peer, abs=0.03)


def loop_delong(y, a, b):
    """DeLong's variance by the kernel of each pair of rows."""
    kernels = []
    for scores in (a, b):
        high, low = scores[y == 1][:, None], scores[y == 0][None, :]
        kernels.append((high > low) + 0.5 * (high == low))
    gap = kernels[0] - kernels[1]
    by_high, by_low = gap.mean(axis=1), gap.mean(axis=0)
    variance = by_high.var(ddof=1) / len(by_high) + by_low.var(ddof=1) / len(by_low)
    return gap.mean(), gap.mean() / np.sqrt(variance)


def test_delong_matches_its_definition():
    y = RNG.integers(0, 2, 80)
    a, b = y + RNG.normal(0, 1, 80), np.round(y + RNG.normal(0, 2, 80))
    difference, z = loop_delong(y, a, b)
    found = delong(np.array(["no", "yes"])[y], a, b)
    assert found.difference == pytest.approx(roc_auc_score(y, a) - roc_auc_score(y, b))
    assert (found.difference, found.statistic) == pytest.approx((difference, z))
    assert found.pvalue == pytest.approx(2 * stats.norm.sf(abs(z)))


def test_the_same_predictions_do_not_differ():
    y = RNG.integers(0, 2, 30)
    assert delong(y, A[0] * y, 2 * A[0] * y).pvalue == 1.0
    assert resampled_rows(f1_score, y, y, y, n_resamples=19).pvalue == 1.0
    assert signed_rank(A, A + 1e-15).pvalue == sign_test(A, A).pvalue == 1.0
    assert cochran_q(np.ones((5, 3))).pvalue == 1.0
    assert equivalence_test(A, A, rope=0.01).pvalue < 1e-6
    with pytest.raises(ValueError, match="two labels"):
        delong(np.zeros(4), [1, 2, 3, 4], [1, 2, 3, 4])


def test_resampled_rows_agree_with_mcnemar_for_accuracy():
    y = np.ones(120, dtype=int)
    a, b = RIGHT[:, 0], RIGHT[:, 3]

    def accuracy(y_true, predictions):
        return np.mean(y_true == predictions)

    found = resampled_rows(accuracy, y, a, b, n_resamples=4999, rng=0)
    exact = mcnemar(a, b)
    assert found.difference == pytest.approx(exact.difference)
    assert found.pvalue == pytest.approx(exact.pvalue, abs=0.002)
    assert found.interval == pytest.approx(exact.interval, abs=0.02)
