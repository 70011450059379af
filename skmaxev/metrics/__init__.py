"""What is known of a metric: its direction and its range."""

from skmaxev.metrics.names import (
    direction_doubt,
    is_known,
    is_share,
    is_size_of_errors,
    noise_range,
    support_of,
)

__all__ = [
    "direction_doubt",
    "is_known",
    "is_share",
    "is_size_of_errors",
    "noise_range",
    "support_of",
]
