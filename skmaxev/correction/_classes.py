"""What the classes of the rows say of the splits."""

from __future__ import annotations

import numpy as np

from skmaxev.metrics import METRICS
from skmaxev.table import ScoreTable

__all__ = ["about_classes"]

_MOST_CLASSES = 20
_FEW_ROWS = 3


def about_classes(table: ScoreTable) -> list[str]:
    """Say that splits were not shuffled though classes are sorted, or hold few rows of a class.

    Parameters
    ----------
    table : ScoreTable
        With the targets of its rows, or nothing is said.
    """
    rows, known = table.rows, METRICS.get(table.metric)
    if rows is None or rows.y_true is None or rows.y_true.ndim != 1:
        return []
    if known is None or known.answer in {"number", ""}:
        return []
    labels, codes = np.unique(rows.y_true, return_inverse=True)
    if len(labels) > _MOST_CLASSES:
        return []
    counts = np.zeros((table.n_splits, len(labels)), dtype=int)
    for fold in rows.test_fold:
        np.add.at(counts, (fold[fold >= 0], codes[fold >= 0]), 1)
    split, least = np.unravel_index(counts.argmin(), counts.shape)
    fewest, name = int(counts.min()), labels[least]
    if fewest >= _FEW_ROWS or counts.shape[0] == 1:
        return []
    if fewest == 0 and np.count_nonzero(np.diff(codes)) < len(labels):
        return [
            f"The rows are sorted by class and the splits not shuffled: split {split} judges no "
            f"row of class {name}. Use StratifiedKFold, or shuffle=True."
        ]
    return [
        f"Split {split} judges {fewest} row{'s' * (fewest != 1)} of class {name}: what is said of "
        "it is mostly luck. Fewer folds, or StratifiedKFold, give each split more."
    ]
