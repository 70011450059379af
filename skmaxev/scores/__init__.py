"""Score tables, and the readers that make one from what a search left behind."""

from skmaxev.scores.table import OuterFolds, RowScores, ScoreTable

__all__ = ["OuterFolds", "RowScores", "ScoreTable"]
