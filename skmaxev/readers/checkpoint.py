"""Score tables of searches that were finished with ``checkpoint=path``."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skmaxev._checkpoint import CheckpointError, finished_searches, is_checkpoint
from skmaxev.metrics import rows_from_responses
from skmaxev.table import Design, OuterFolds, Rows, ScoreTable

__all__ = ["check_program", "from_checkpoint", "is_checkpoint", "plain_rows", "plain_tables"]

_HEADER = 72  # bytes of an SQLite file up to the end of its program's mark

_ROWS = ("responses", "test_fold", "y_true")
_PLAIN = (str, int, float, bool, type(None))


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
    plain = chosen["tables"][name]
    return _as_table(plain, _as_rows(chosen["arrays"], name, plain["metric"]))


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


def plain_tables(
    tables: Mapping[str, ScoreTable], *, primary: str | None, source: str
) -> dict[str, Any]:
    """Take the tables of a finished search apart into numbers and texts."""
    return {
        "source": source,
        "primary": primary,
        "tables": {name: _as_plain(table) for name, table in tables.items()},
    }


def plain_rows(tables: Mapping[str, ScoreTable]) -> dict[str, NDArray[Any]]:
    """Gather the row-level results of the tables, by metric and name."""
    return {
        f"{metric}/{name}": getattr(table.rows, name)
        for metric, table in tables.items()
        for name in _ROWS
        if getattr(table.rows, name, None) is not None
    }


def _as_rows(arrays: Mapping[str, NDArray[Any]], name: str, metric: str) -> Rows | None:
    parts = {part: arrays[f"{name}/{part}"] for part in _ROWS if f"{name}/{part}" in arrays}
    if len(parts) < len(_ROWS):
        return None
    return rows_from_responses(metric, parts["y_true"], parts["responses"], parts["test_fold"])


def _as_plain(table: ScoreTable) -> dict[str, Any]:
    plain = {
        "scores": table.scores.tolist(),
        "best_index": int(table.best_index),
        "metric": table.metric,
        "greater_is_better": table.greater_is_better,
        "params": None if table.params is None else [_settings(params) for params in table.params],
        "n_train": None if table.n_train is None else table.n_train.tolist(),
        "n_test": None if table.n_test is None else table.n_test.tolist(),
        "design": None if table.design is None else _plain_design(table.design),
        "support": list(map(float, table.support)),
        "fresh": None if table.fresh is None else table.fresh.tolist(),
        "low_variance": table.low_variance,
        "left_out": [[int(number), reason] for number, reason in table.left_out.items()],
        "n_fits": table.n_fits,
        "source": table.source,
        "notes": list(table.notes),
    }
    if table.outer is not None:
        names = ("scores", "best_index", "n_train", "n_test", "inner")
        values = {name: getattr(table.outer, name) for name in names}
        outer = {name: None if value is None else value.tolist() for name, value in values.items()}
        plain["outer"] = {**outer, "shared": table.outer.shared}
    return plain


def _plain_design(design: Design) -> dict[str, Any]:
    plain = {name: getattr(design, name) for name in ("n_splits", "n_repeats", "n_rows", "source")}
    clusters, n_test = design.clusters, design.n_test
    return plain | {
        "test_share": float(design.test_share),
        "n_test": None if n_test is None else n_test.tolist(),
        "clusters": None if clusters is None else _codes(clusters).tolist(),
    }


def _codes(labels: NDArray[Any]) -> NDArray[np.intp]:
    return np.unique(labels, return_inverse=True)[1]


def _as_design(plain: Mapping[str, Any]) -> Design:
    return Design(
        **{**plain, "n_test": _whole(plain["n_test"]), "clusters": _whole(plain["clusters"])}
    )


def _settings(params: Mapping[str, Any]) -> dict[str, Any]:
    plain = {}
    for name, value in params.items():
        bare = value.item() if isinstance(value, np.generic) else value
        plain[name] = bare if type(bare) in _PLAIN else repr(bare)
    return plain


def _as_table(plain: Mapping[str, Any], rows: Rows | None) -> ScoreTable:
    parts = dict(plain)
    outer, fresh = parts.pop("outer", None), parts.pop("fresh", None)
    return ScoreTable(
        **{
            **parts,
            "scores": np.array(parts["scores"], dtype=np.float64),
            "params": None if parts["params"] is None else tuple(parts["params"]),
            "n_train": _whole(parts["n_train"]),
            "n_test": _whole(parts["n_test"]),
            "design": None if parts["design"] is None else _as_design(parts["design"]),
            "support": tuple(parts["support"]),
            "left_out": dict(parts["left_out"]),
            "notes": tuple(parts["notes"]),
        },
        outer=None if outer is None else _as_outer(outer),
        fresh=None if fresh is None else np.array(fresh, dtype=np.float64),
        rows=rows,
    )


def _as_outer(plain: Mapping[str, Any]) -> OuterFolds:
    return OuterFolds(
        scores=np.array(plain["scores"], dtype=np.float64),
        best_index=np.array(plain["best_index"], dtype=np.intp),
        n_train=np.array(plain["n_train"], dtype=np.intp),
        n_test=np.array(plain["n_test"], dtype=np.intp),
        inner=None if plain["inner"] is None else np.array(plain["inner"], dtype=np.float64),
        shared=plain["shared"],
    )


def _whole(values: Any) -> Any:
    return None if values is None else np.array(values, dtype=np.intp)
