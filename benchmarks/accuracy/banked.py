"""Finished searches of known truth, with repeated partitions, as `wide.py` takes them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.accuracy.bank import load_bank

__all__ = ["Banked", "load"]


@dataclass(kw_only=True)
class Banked:
    """A search of a bank, for one metric; higher is better.

    Parameters
    ----------
    name, source, family, task, metric : str
        What was searched, on which data, by which metric.
    y : ndarray of shape (n_rows,)
        Target.
    fold : ndarray of shape (n_repeats, n_rows)
        Split that judged the row, in each partition.
    scores : ndarray of shape (n_repeats, n_splits, n_candidates)
        Scores on all partitions. Those of the first are the search.
    responses : ndarray of shape (n_candidates, n_repeats, n_rows[, n_classes]), or None
        Out-of-fold predictions.
    truth : ndarray of shape (n_candidates,)
        Scores of candidates, refitted on all rows, on rows that the search never saw.
    outer_winners : ndarray of shape (n_splits,)
        Winner of each outer fold of nested cross-validation, whose folds are those of the search.
    bought : int
        Fits beyond those of the search that a method has asked for.
    """

    name: str
    source: str
    family: str
    task: str
    metric: str
    y: np.ndarray
    fold: np.ndarray
    scores: np.ndarray
    responses: np.ndarray | None
    truth: np.ndarray
    outer_winners: np.ndarray
    bought: int = 0

    @property
    def table(self) -> np.ndarray:
        """Scores of the search, (n_splits, n_candidates)."""
        return self.scores[0]

    def again(self, candidate: int, partition: int) -> float:
        """Buy the mean score of a candidate on a fresh partition, numbered from 1."""
        self.bought += len(self.table)
        return float(self.scores[partition, :, candidate].mean())


def load(folder: Path) -> Iterator[Banked]:
    """Read what `make_bank.py` has made, or a folder with a loader of its own, `evaluate.py`."""
    if (folder / "evaluate.py").is_file():
        yield from (_from_loader(search, key) for search, key in load_bank(folder).load())
        return
    for path in sorted(folder.glob("*-*.npz")):
        with np.load(path) as kept:
            facts = json.loads(str(kept["facts"]))
            for metric in facts["metrics"]:
                yield Banked(
                    name=path.stem,
                    **{key: facts[key] for key in ("source", "family", "task")},
                    metric=metric,
                    **{key: kept[key] for key in ("y", "fold", "responses")},
                    scores=kept[f"scores_{metric}"],
                    truth=kept[f"truth_{metric}"],
                    outer_winners=kept[f"winners_{metric}"],
                )


def _from_loader(search: Any, key: tuple[str, str]) -> Banked:
    n_splits, n_candidates = search.scores.shape
    responses = search.responses
    return Banked(
        name="-".join(str(part) for part in key),
        source=search.source,
        family=search.family,
        task=search.task,
        metric=search.metric,
        y=search.y,
        fold=search.fold.astype(np.intp),
        scores=search.repeated(search.n_repeats + 1).reshape(-1, n_splits, n_candidates),
        responses=None if responses is None else np.swapaxes(responses, 0, 1),
        truth=search.truth,
        outer_winners=np.nansum(search.inner, axis=1).argmax(axis=1),
    )
