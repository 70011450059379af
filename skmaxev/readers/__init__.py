"""From what a search left behind to a score table.

What users need is `read_scores`, and `from_checkpoint` where a file holds several searches.
"""

from skmaxev.readers.checkpoint import from_checkpoint
from skmaxev.readers.read import read_scores

__all__ = ["from_checkpoint", "read_scores"]
