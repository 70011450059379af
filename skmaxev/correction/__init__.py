"""Correct the best score of a finished search for having been chosen.

`correct` is for everyone; the rest is what searches and comparisons need of it.
"""

from skmaxev.correction._correct import correct
from skmaxev.correction._estimates import differences_of, true_scores
from skmaxev.correction._joined import joined_table, searches_in
from skmaxev.correction._report import report_of, with_parts

__all__ = [
    "correct",
    "differences_of",
    "joined_table",
    "report_of",
    "searches_in",
    "true_scores",
    "with_parts",
]
