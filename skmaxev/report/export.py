"""The report as plain values, JSON and a frame."""

from __future__ import annotations

import json
import math
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

    from skmaxev.report.report import SelectionReport

__all__ = ["to_dict", "to_frame", "to_json"]

_AS_THEY_ARE = (
    "metric", "greater_is_better", "estimate", "level", "method", "target", "naive", "optimism",
    "n_splits", "n_candidates", "n_used", "best_index", "noise", "spread", "n_fits", "source",
)  # fmt: skip

_MOST_RUNNERS_UP = 20


def to_dict(report: SelectionReport) -> dict[str, Any]:
    """Return the report's numbers as dicts, lists, floats and text."""
    plain = {name: getattr(report, name) for name in _AS_THEY_ARE}
    return plain | {
        "interval": list(report.interval) if report.interval else None,
        "best_params": _jsonable(report.best_params and dict(report.best_params)),
        "estimates": {key: asdict(found) for key, found in report.estimates.items()},
        "left_out": dict(report.left_out),
        "indistinguishable": list(report.indistinguishable),
        "runners_up": report.runners_up().to_dict()[:_MOST_RUNNERS_UP],
        "notes": list(report.notes),
        "advice": list(report.advice),
    }


def to_json(report: SelectionReport, *, indent: int | None) -> str:
    """Write the report as strict JSON in ASCII: no NaN, and text for what JSON cannot hold."""
    return json.dumps(_jsonable(to_dict(report)), indent=indent)


def _jsonable(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _jsonable(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_jsonable(item) for item in value]
    if getattr(value, "shape", None) == ():  # a NumPy scalar
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value if isinstance(value, str | int | float | None) else repr(value)


def to_frame(report: SelectionReport) -> pd.DataFrame:
    """Return one row an estimator, with pandas."""
    try:
        import pandas as pd  # noqa: PLC0415  # not a core dependency
    except ImportError as error:
        raise ImportError("to_frame() needs pandas: pip install 'skmaxev[frame]'.") from error
    rows = [
        {
            "method": found.key,
            "score": found.value,
            "target": found.target,
            "errs": found.errs,
            "reported": found.key == report.method,
            "name": found.name,
            "citation": found.citation,
        }
        for found in report.estimates.values()
    ]
    return pd.DataFrame(rows).set_index("method")
