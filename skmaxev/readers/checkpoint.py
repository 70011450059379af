"""Score tables of searches that were finished with ``checkpoint=path``."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skmaxev._checkpoint import CheckpointError, finished_searches, is_checkpoint
from skmaxev.metrics import rows_from_responses
from skmaxev.table import Design, OuterFolds, Rows, ScoreTable

__all__ = ["check_program", "from_checkpoint", "is_checkpoint", "take_apart"]

_HEADER = 72  # bytes of an SQLite file up to the end of its program's mark

_ROWS = ("responses", "test_fold", "y_true")
_PLAIN = (str, int, float, bool, type(None))
_KINDS = {kind.__name__: kind for kind in (ScoreTable, Design, OuterFolds)}


def check_program(database: str | os.PathLike[str]) -> None:
    """Tell the database of a study, which has no mark of a program in its header."""
    path = os.fspath(database)
    with Path(path).open("rb") as file:
        header = file.read(_HEADER)
    if header.startswith(b"SQLite") and header.endswith(bytes(4)):
        msg = (
            f"a checkpoint must be a file that skmaxev wrote; {path!r} belongs to another program. "
            "Of an Optuna study, pass optuna.load_study(study_name=None, "
            f"storage='sqlite:///{path}')."
        )
        raise CheckpointError(msg)


def from_checkpoint(
    path: str | os.PathLike[str], *, metric: str | None = None, search: int | None = None
) -> ScoreTable:
    """Read a finished search from its checkpoint; neither data nor estimator is needed.

    Parameters
    ----------
    path : str or path-like
        What the search got as ``checkpoint``.
    metric : str, optional
        Which metric, where there are several; that of ``refit`` if omitted.
    search : int, optional
        Which search, where several were finished with the same file: 0 for the first one.

    Returns
    -------
    ScoreTable
        As of the search. Settings that are no plain numbers or texts come as their ``repr``.

    Raises
    ------
    CheckpointError
        If the file is damaged, is no checkpoint, or holds no finished search.
    ValueError
        If there are several searches or metrics, and no choice.
    """
    found = finished_searches(path)
    if not found:
        msg = (
            f"checkpoint {os.fspath(path)!r} holds no finished search. Run the search again with "
            "the same call: it makes only the fits that are missing."
        )
        raise CheckpointError(msg)
    if search is None and len(found) > 1:
        kinds = ", ".join(f"{number}: {one['source']}" for number, one in enumerate(found))
        raise ValueError(
            f"{os.fspath(path)!r} holds {len(found)} finished searches ({kinds}). Choose one: "
            f"correct(skmaxev.readers.from_checkpoint({os.fspath(path)!r}, "
            f"search={len(found) - 1}))."
        )
    chosen = found[search or 0]
    name = _metric_of(chosen, metric)
    table: ScoreTable = _unpacked(chosen["tables"][name], chosen["arrays"])
    return replace(table, rows=_rows(chosen["arrays"], name, table.metric))


def _metric_of(search: Mapping[str, Any], metric: str | None) -> str:
    tables = search["tables"]
    name = search["primary"] if metric is None else metric
    if name in tables:
        return str(name)
    if len(tables) == 1:
        return str(*tables)
    raise ValueError(
        f"metric must be one of {sorted(tables)}; got {metric!r}. Say "
        f"metric={min(tables)!r}, for example."
    )


def take_apart(
    tables: Mapping[str, ScoreTable], *, primary: str | None, source: str
) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Take the tables of a finished search apart into numbers and texts, and arrays by name.

    Of the results of single rows the predictions are kept, from which the rest follows.
    """
    arrays: dict[str, NDArray[Any]] = {}
    parts = {}
    for metric, table in tables.items():
        design, params = table.design, table.params
        if design is not None and design.clusters is not None:  # labels of any kind
            codes = np.unique(design.clusters, return_inverse=True)[1]
            design = replace(design, clusters=codes)
        settings = None if params is None else tuple(map(_settings, params))
        arrays |= {
            f"{metric}/{name}": getattr(table.rows, name)
            for name in _ROWS
            if getattr(table.rows, name, None) is not None
        }
        bare = replace(table, rows=None, design=design, params=settings)
        parts[metric] = _packed(bare, arrays)
    return {"source": source, "primary": primary, "tables": parts}, arrays


def _settings(params: Mapping[str, Any]) -> dict[str, Any]:
    bare = {
        name: value.item() if isinstance(value, np.generic) else value
        for name, value in params.items()
    }
    return {name: value if type(value) in _PLAIN else repr(value) for name, value in bare.items()}


def _packed(value: Any, arrays: dict[str, NDArray[Any]]) -> Any:
    """Write a value as JSON has it, with the name of what JSON has not; arrays by their number."""
    if isinstance(value, np.ndarray):
        number = str(len(arrays))
        arrays[number] = value
        return {"array": number}
    if type(value) in _KINDS.values():
        parts = {part.name: getattr(value, part.name) for part in fields(value)}
        return {type(value).__name__: {name: _packed(one, arrays) for name, one in parts.items()}}
    if isinstance(value, Mapping):
        return {"items": [[name, _packed(one, arrays)] for name, one in value.items()]}
    if isinstance(value, tuple):
        return {"tuple": [_packed(one, arrays) for one in value]}
    return value.item() if isinstance(value, np.generic) else value


def _unpacked(value: Any, arrays: Mapping[str, NDArray[Any]]) -> Any:
    if not isinstance(value, dict):
        return value
    ((kind, parts),) = value.items()
    if kind == "array":
        return arrays[parts]
    if kind == "tuple":
        return tuple(_unpacked(one, arrays) for one in parts)
    if kind == "items":
        return {name: _unpacked(one, arrays) for name, one in parts}
    return _KINDS[kind](**{name: _unpacked(one, arrays) for name, one in parts.items()})


def _rows(arrays: Mapping[str, NDArray[Any]], name: str, metric: str) -> Rows | None:
    parts = {part: arrays[f"{name}/{part}"] for part in _ROWS if f"{name}/{part}" in arrays}
    if len(parts) < len(_ROWS):
        return None
    return rows_from_responses(metric, parts["y_true"], parts["responses"], parts["test_fold"])
