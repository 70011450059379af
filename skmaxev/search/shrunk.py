"""Grid search that reports its best score after empirical-Bayes shrinkage."""

from __future__ import annotations

from skmaxev.search._base import BaseMaxSearch

__all__ = ["ShrunkSearchCV"]


class ShrunkSearchCV(BaseMaxSearch):
    """Doc."""

    _method = "EB"
