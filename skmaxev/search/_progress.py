"""Progress callbacks of scikit-learn 1.9 and newer; silent where nobody listens."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Self

from skmaxev._compat import has_callbacks

__all__ = ["Progress"]


class Progress:
    """The tree of callback contexts of one search, as GridSearchCV builds it.

    Callbacks listen to ``caller``, or to what holds it; ``n_tasks`` follow: the search, the refit.
    """

    def __init__(self, caller: Any, X: Any, y: Any, metadata: Any = None, *, n_tasks: int) -> None:
        self._about = {"estimator": caller, "X": X, "y": y, "metadata": metadata}
        self._root: Any = None
        if has_callbacks(caller):
            root = caller._init_callback_context(max_subtasks=n_tasks)  # noqa: SLF001  # documented so
            self._root = root.call_on_fit_task_begin(**self._about)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: Any, *_: object) -> None:
        if self._root is not None and kind is None:
            self._root.call_on_fit_task_end(**self._about)

    @contextmanager
    def search(
        self, units: Sequence[int], n_candidates: int
    ) -> Iterator[Mapping[tuple[int, int], Sequence[Any]]]:
        """Tell about the fits of the search itself, of which ``units`` serve the splits.

        Yields for unit and candidate the contexts of the splits that the fit serves. Fits of nested
        folds have none.
        """
        contexts: dict[tuple[int, int], list[Any]] = {}
        if self._root is None:
            yield contexts
            return
        caller = self._about["estimator"]
        n_splits = len(units)
        task = self._root.subcontext(
            task_name="search", max_subtasks=n_candidates * n_splits, sequential_subtasks=False
        ).call_on_fit_task_begin(estimator=caller)
        for candidate in range(n_candidates):
            for split, unit in enumerate(units):
                context = task.subcontext(
                    task_name="candidate-split-evaluation",
                    task_id=candidate * n_splits + split,
                )
                contexts.setdefault((unit, candidate), []).append(context)
        yield contexts
        task.call_on_fit_task_end(estimator=caller)

    @contextmanager
    def fit_of(self, model: Any, task: str) -> Iterator[None]:
        """Tell about the fit of one model: the winner on all rows, or a search as it is."""
        if self._root is None:
            yield
            return
        context = self._root.subcontext(task_name=task)
        with context.propagate_callback_context(model):
            context.call_on_fit_task_begin(**self._about)
            yield
        context.call_on_fit_task_end(**self._about)
