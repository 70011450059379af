"""Grid search that reports a low-variance estimate of its best score."""

from __future__ import annotations

from skmaxev.search._base import BaseMaxSearch

__all__ = ["LowVarianceCVSearch"]


class LowVarianceCVSearch(BaseMaxSearch):
    """Doc."""

    _method = "LVCV"
