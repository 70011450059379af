"""Competitions: what the best of many submissions is worth, and predictions to blend."""

from skmaxev.kaggle.leaderboard import correct_leaderboard
from skmaxev.kaggle.predictions import out_of_fold

__all__ = ["correct_leaderboard", "out_of_fold"]
