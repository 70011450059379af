"""How the splits behind a score table came about."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["Design"]

IndexArray = NDArray[np.intp]


@dataclass(frozen=True, eq=False, kw_only=True)
class Design:
    """How the splits of a score table share the rows.

    Repeated and shuffled splits judge the same rows again and again, so that the noise of the rows
    does not shrink with their number.

    Parameters
    ----------
    n_splits : int
        Splits in all, partition after partition.
    n_repeats : int
        Partitions of the rows. The splits of one partition share no test row; a shuffled split is
        a partition of one split.
    test_share : float
        ``n_test / (n_train + n_test)`` of a split: the correlation between the scores of two
        splits in [1]_.
    n_rows : int, optional
        Rows that were judged at least once, where known.
    n_test : ndarray of shape (n_splits,), optional
        Test rows of each split, where known.
    clusters : ndarray of shape (n_all_rows,), optional
        Label of each row; rows with one label belong together, such as those of a patient.
    source : str
        How this is known: "indices", "splitter", "labels", "told" or "assumed"; "leave-one-out",
        "single rows" or "one split" for parts into which the rows of such splits were dealt.

    References
    ----------
    .. [1] C. Nadeau and Y. Bengio (2003). Inference for the generalization error. Machine Learning
       52, section 3.
    """

    n_splits: int
    n_repeats: int = 1
    test_share: float
    n_rows: int | None = None
    n_test: IndexArray | None = None
    clusters: NDArray[Any] | None = None
    source: str = "told"

    def __post_init__(self) -> None:
        if not (self.n_repeats >= 1 and self.n_splits % self.n_repeats == 0):
            raise ValueError(
                f"n_repeats must divide the number of splits; got {self.n_repeats} repeats of "
                f"{self.n_splits} splits. Count partitions; a shuffled split is one."
            )
        if not 0.0 < self.test_share < 1.0:
            raise ValueError(
                f"test_share must be between 0 and 1; got {self.test_share}. Give "
                "n_test / (n_train + n_test)."
            )

    @property
    def n_folds(self) -> int:
        """Splits of one partition."""
        return self.n_splits // self.n_repeats

    @classmethod
    def assumed(cls, n_splits: int) -> Self:
        """Take the splits for the folds of one partition, where nothing is known of them."""
        return cls(n_splits=n_splits, test_share=1.0 / max(n_splits, 2), source="assumed")

    @classmethod
    def from_splits(
        cls,
        splits: Sequence[tuple[ArrayLike, ArrayLike]],
        *,
        clusters: ArrayLike | None = None,
        source: str = "indices",
    ) -> Self:
        """Read the design off the row numbers of the splits.

        Parameters
        ----------
        splits : sequence of (train, test)
            Row numbers of every split.
        clusters : array-like of shape (n_all_rows,), optional
            Labels of rows that belong together.
        source : str
            As in the class.

        Examples
        --------
        >>> from sklearn.model_selection import RepeatedKFold
        >>> splits = RepeatedKFold(n_splits=5, n_repeats=3).split(range(20))
        >>> design = Design.from_splits(list(splits))
        >>> design.n_repeats, design.n_folds, design.test_share, design.n_rows
        (3, 5, 0.2, 20)
        """
        tests = [np.asarray(test, dtype=np.intp) for _, test in splits]
        n_train = float(np.mean([len(np.asarray(train)) for train, _ in splits]))
        n_test = np.array([len(test) for test in tests], dtype=np.intp)
        return cls(
            n_splits=len(tests),
            n_repeats=_count_partitions(tests),
            test_share=float(n_test.mean() / (n_train + n_test.mean())),
            n_rows=int(np.unique(np.concatenate(tests)).size),
            n_test=n_test,
            clusters=None if clusters is None else np.asarray(clusters),
            source=source,
        )


def _count_partitions(tests: Sequence[IndexArray]) -> int:
    """Count equally long runs of disjoint test sets that judge the same rows."""
    runs: list[tuple[int, set[int]]] = []
    for test in tests:
        rows = set(test.tolist())
        if runs and not runs[-1][1] & rows:
            runs[-1] = (runs[-1][0] + 1, runs[-1][1] | rows)
        else:
            runs.append((1, rows))
    regular = all(run == runs[0] for run in runs)
    return len(runs) if regular else len(tests)
