"""What a full grid shows of its parameters: a winner at the edge, and one that does not matter."""

from __future__ import annotations

from math import prod
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np

from skmaxev.report.numbers import name_params, name_plainly

if TYPE_CHECKING:
    from skmaxev.report.report import SelectionReport

__all__ = ["about_grid"]


def about_grid(report: SelectionReport) -> list[tuple[str, str]]:
    """Name parameters whose first or last value won, and those without effect, with a label."""
    values = _values(report)
    return [
        *(("Edge of grid", line) for name in values for line in _edges(report, name, values[name])),
        *(("No effect", line) for line in _without_effect(report, values)),
    ]


def _values(report: SelectionReport) -> dict[str, list[Any]]:
    """List the value of each parameter by candidate; nothing where they are no full grid."""
    table, best = report.table, report.best_params
    if table is None or table.params is None or not best:
        return {}
    values = {name: [params.get(name, 0) for params in table.params] for name in best}
    tried = [len(set(map(repr, found))) for found in values.values()]
    return values if prod(tried) == report.n_candidates else {}  # draws have no edge


def _edges(report: SelectionReport, name: str, found: list[Any]) -> list[str]:
    """Say whether the winner has the smallest or largest of three numbers or more."""
    numbers = all(isinstance(value, Real) and not isinstance(value, bool) for value in found)
    if not numbers or len(set(map(repr, found))) < 3 or not report.best_params:
        return []
    best = report.best_params[name]
    ends = ((min(found), "smallest"), (max(found), "largest"))
    return [
        f"{name_params({name: best})} is the {word} value tried"
        for end, word in ends
        if best == end
    ]


def _without_effect(report: SelectionReport, values: dict[str, list[Any]]) -> list[str]:
    """Say which parameters left every score as it was, whatever the others were."""
    if report.table is None:
        return []
    scores, lines = report.table.scores, []
    for name, found in values.items():
        others = [
            repr([values[other][k] for other in values if other != name]) for k in range(len(found))
        ]
        groups = np.unique(others, return_inverse=True)[1]
        first = np.array([scores[:, groups == group][:, 0] for group in groups]).T
        if len(set(map(repr, found))) > 1 and np.array_equal(scores, first, equal_nan=True):
            lines.append(f"{name_plainly(name)} made no difference to any score")
    return lines
