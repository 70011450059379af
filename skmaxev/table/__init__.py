"""What a finished search leaves behind, as plain numbers."""

from skmaxev.table.design import Design
from skmaxev.table.rows import Rows
from skmaxev.table.score_table import OuterFolds, ScoreTable, UncorrectableError, mean_scores

__all__ = ["Design", "OuterFolds", "Rows", "ScoreTable", "UncorrectableError", "mean_scores"]
