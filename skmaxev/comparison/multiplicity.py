"""Correction for the number of comparisons made."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["holm"]


def holm(pvalues: ArrayLike) -> NDArray[np.float64]:
    """Adjust p-values so that a family of comparisons makes a false claim as rarely as one.

    Valid whatever the dependence between the comparisons.

    Parameters
    ----------
    pvalues : array-like of shape (n,)
        One for each comparison that was made, also those that are not shown.

    Returns
    -------
    ndarray of shape (n,)
        Adjusted p-values in the order given; err upwards where comparisons are correlated.

    Raises
    ------
    ValueError
        If a p-value is not from 0 to 1.

    References
    ----------
    .. [1] S. Holm (1979), A simple sequentially rejective multiple test procedure.

    Examples
    --------
    >>> from skmaxev.comparison import holm
    >>> holm([0.01, 0.04, 0.03]).round(2).tolist()
    [0.03, 0.06, 0.06]
    """
    values = np.asarray(pvalues, dtype=np.float64)
    if values.ndim != 1 or not ((values >= 0) & (values <= 1)).all():
        raise ValueError(f"pvalues must be a list of numbers from 0 to 1; got {pvalues!r}.")
    order = np.argsort(values)
    steps = values[order] * np.arange(values.size, 0, -1)
    adjusted = np.empty_like(values)
    adjusted[order] = np.minimum(np.maximum.accumulate(steps), 1.0)
    return adjusted
