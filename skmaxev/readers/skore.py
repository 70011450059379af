"""Reader of skore's reports of cross-validated models."""

from __future__ import annotations

from typing import Any

import numpy as np

from skmaxev.readers.build import build_table
from skmaxev.readers.search import metric_name
from skmaxev.table import Design, ScoreTable

__all__ = ["from_skore", "is_skore"]

_DEFAULT = "default_score"  # what the model's own ``score`` gives


def is_skore(results: Any) -> bool:
    """Tell whether this is a report of skore's."""
    return type(results).__module__.partition(".")[0] == "skore" and hasattr(results, "metrics")


def from_skore(report: Any, *, metric: str | None = None, **naming: Any) -> ScoreTable:
    """Read a ComparisonReport of CrossValidationReports, or a single one of them."""
    models = getattr(report, "reports_", {"model": report})
    if not all(hasattr(model, "split_indices") for model in models.values()):
        raise TypeError(
            "a ComparisonReport must be one of CrossValidationReports; a single split shows no "
            "noise. Make CrossValidationReport(model, X, y, splitter=5) of each model."
        )
    splits = [model.split_indices for model in models.values()]
    tests = [[test.tolist() for _, test in found] for found in splits]
    if any(test != tests[0] for test in tests):
        raise ValueError(
            "all models must be judged on the same splits; those of this report differ. Give each "
            "CrossValidationReport the same splitter, with a random_state where it shuffles."
        )
    frames = [model.metrics.summarize().frame(aggregate=None) for model in models.values()]
    row = metric or _DEFAULT
    names = [name for name in frames[0].index if "time" not in name]
    if not all(row in frame.index for frame in frames):
        raise ValueError(f"metric must be one of {names}; got {metric!r}.")
    own = {metric_name(model) for model in models.values()}
    return build_table(
        np.column_stack([frame.loc[row].to_numpy(dtype=np.float64) for frame in frames]),
        metric=metric or (own.pop() if len(own) == 1 else None) or "score",
        params=[{"model": name} for name in models],
        design=Design.from_splits(splits[0], source="indices"),
        source=type(report).__name__,
        **naming,
    )
