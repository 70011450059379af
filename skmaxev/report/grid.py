"""What a full grid shows of its parameters: a winner at the edge, and one that does not matter."""

from __future__ import annotations

from math import prod
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np

from skmaxev.report.numbers import name_params, name_plainly

if TYPE_CHECKING:
    from skmaxev.report.report import SelectionReport
    from skmaxev.table import ScoreTable

__all__ = ["about_grid"]


def about_grid(report: SelectionReport) -> list[tuple[str, str]]:
    """Name parameters whose first or last value won, and those without effect, with a label."""
    table, best = report.table, report.best_params
    if table is None or table.params is None or table.searches is not None or not best:
        return []  # several searches are no grid
    values = {name: [params.get(name, 0) for params in table.params] for name in best}
    if prod(map(_n_different, values.values())) != report.n_candidates:
        return []  # draws have no edge
    idle = [name for name in values if _is_idle(table, values, name)]
    edges = [
        ("Edge of grid", f"{name_params({name: best[name]})} is the {word} value tried")
        for name in values
        if name not in idle and (word := _edge(values[name], best[name]))
    ]
    return edges + [
        ("No effect", f"{name_plainly(name)} made no difference to any score") for name in idle
    ]


def _n_different(values: list[Any]) -> int:
    return len(set(map(repr, values)))


def _edge(values: list[Any], best: Any) -> str:
    """Say whether the winner has the smallest or largest of three numbers or more."""
    numbers = all(isinstance(value, Real) and not isinstance(value, bool) for value in values)
    if not numbers or _n_different(values) < 3:
        return ""
    return "smallest" if best == min(values) else "largest" if best == max(values) else ""


def _is_idle(table: ScoreTable, values: dict[str, list[Any]], name: str) -> bool:
    """Tell whether a parameter left every score as it was, whatever the others were."""
    if _n_different(values[name]) == 1:
        return False
    names = [other for other in values if other != name]
    others = [repr([values[other][k] for other in names]) for k in range(table.n_candidates)]
    _, first, group = np.unique(others, return_index=True, return_inverse=True)
    return np.array_equal(table.scores, table.scores[:, first[group]], equal_nan=True)
