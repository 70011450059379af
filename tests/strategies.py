"""Hypothesis strategies that the tests of every room share."""

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

GRAIN = 10**6  # scores are multiples of 1 / GRAIN, so that Fractions can recover them exactly


@st.composite
def score_tables(draw, *, min_splits=2, max_splits=6, min_candidates=1, max_candidates=7):
    """Draw tables (n_splits, n_candidates) such as searches leave.

    Accuracies on few rows, which tie often, or scores at large; some candidates may be copies of
    others, as where a parameter has no effect; all may be; there may be one.
    """
    n_splits = draw(st.integers(min_splits, max_splits))
    n_candidates = draw(st.integers(min_candidates, max_candidates))
    n_rows = draw(st.sampled_from([4, 20, 100]))
    scores = draw(
        st.sampled_from(
            [
                st.integers(0, n_rows).map(lambda right: right / n_rows),
                st.integers(-10 * GRAIN, 10 * GRAIN).map(lambda number: number / GRAIN),
            ]
        )
    )
    table = draw(arrays(np.float64, (n_splits, n_candidates), elements=scores, fill=st.nothing()))
    if draw(st.booleans()):
        copied = draw(arrays(np.intp, n_candidates, elements=st.integers(0, n_candidates - 1)))
        table = table[:, copied]
    return table
