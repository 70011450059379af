"""Correct the best score of a finished search for having been chosen."""

from skmaxev.correction._correct import correct

__all__ = ["correct"]
