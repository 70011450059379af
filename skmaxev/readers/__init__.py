"""From what a search left behind to a score table."""

from skmaxev.readers.arrays import from_array, from_object
from skmaxev.readers.build import as_floats, build_table
from skmaxev.readers.checkpoint import from_checkpoint, plain_rows, plain_tables
from skmaxev.readers.files import from_csv
from skmaxev.readers.long import from_long
from skmaxev.readers.paths import from_path
from skmaxev.readers.read import read_scores
from skmaxev.readers.results import from_cv_results
from skmaxev.readers.search import from_search, metric_name, metrics_of
from skmaxev.readers.studies import from_study

__all__ = [
    "as_floats",
    "build_table",
    "from_array",
    "from_checkpoint",
    "from_csv",
    "from_cv_results",
    "from_long",
    "from_object",
    "from_path",
    "from_search",
    "from_study",
    "metric_name",
    "metrics_of",
    "plain_rows",
    "plain_tables",
    "read_scores",
]
