"""Plan a search before it runs: how optimistic its best score will be, and what it will cost."""

from skmaxev.planning.optimism import (
    PLAUSIBLE_CORRELATIONS,
    WinnerRegret,
    affordable_candidates,
    expected_optimism,
    validation_size,
    winner_regret,
)
from skmaxev.planning.search_plan import SearchPlan, plan

__all__ = [
    "PLAUSIBLE_CORRELATIONS",
    "SearchPlan",
    "WinnerRegret",
    "affordable_candidates",
    "expected_optimism",
    "plan",
    "validation_size",
    "winner_regret",
]
