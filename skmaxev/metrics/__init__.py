"""What is known of a metric: its direction, its range, and what each row adds to it."""

from skmaxev.metrics.registry import (
    METRICS,
    direction_doubt,
    direction_of,
    is_known,
    is_metric,
    metric_name,
    noise_range,
    support_of,
)
from skmaxev.metrics.rows import rows_from_responses, scores_from_responses

__all__ = [
    "METRICS",
    "direction_doubt",
    "direction_of",
    "is_known",
    "is_metric",
    "metric_name",
    "noise_range",
    "rows_from_responses",
    "scores_from_responses",
    "support_of",
]
