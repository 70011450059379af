"""Test other people's claims: a real improvement, or a choice of the best data sets.

A reporter has improvements over an old method on many data sets and shows some of them. These
functions test the claim, make it safe against choosing, and compare it with fresh data sets.
"""

from skmaxev.cherrypicking.claims import (
    ClaimResult,
    claim_test,
    conservative_claim_test,
    minimum_improvement,
)
from skmaxev.cherrypicking.inspection import inspection_power, inspection_size, inspection_test

__all__ = [
    "ClaimResult",
    "claim_test",
    "conservative_claim_test",
    "inspection_power",
    "inspection_size",
    "inspection_test",
    "minimum_improvement",
]
