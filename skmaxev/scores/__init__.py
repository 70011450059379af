"""Score tables, and the readers that make one from what a search left behind."""

from skmaxev.scores.arrays import from_array, from_object
from skmaxev.scores.build import as_floats, build_table, mean_scores
from skmaxev.scores.checkpoint import from_checkpoint, plain_rows, plain_tables
from skmaxev.scores.files import from_csv
from skmaxev.scores.long import from_long
from skmaxev.scores.metrics import is_known, is_size_of_errors, noise_range, support_of
from skmaxev.scores.paths import from_path
from skmaxev.scores.read import read_scores
from skmaxev.scores.results import from_cv_results
from skmaxev.scores.search import from_search, metric_name
from skmaxev.scores.studies import from_study
from skmaxev.scores.table import OuterFolds, RowScores, ScoreTable

__all__ = [
    "OuterFolds",
    "RowScores",
    "ScoreTable",
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
    "is_known",
    "is_size_of_errors",
    "mean_scores",
    "metric_name",
    "noise_range",
    "plain_rows",
    "plain_tables",
    "read_scores",
    "support_of",
]
