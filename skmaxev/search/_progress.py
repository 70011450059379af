"""Progress callbacks of scikit-learn 1.9 and newer; silent where nobody listens."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import Any, Self

from skmaxev._compat import has_callbacks, propagate
from skmaxev.engine.plan import Place, Plan
from skmaxev.search._request import Request

__all__ = ["Progress", "SearchProgress"]


class Progress:
    """The tree of callback contexts of one search, as GridSearchCV builds it.

    Parameters
    ----------
    search : search object
        Callbacks listen to it, or to one that holds it.
    request : Request
        What is searched.
    plan : Plan
        Tells which fit serves which splits. Fits of nested folds have no context.

    Attributes
    ----------
    contexts : dict of (int, int) to list
        For unit and candidate, the contexts of the splits that the fit serves.
    """

    def __init__(self, search: Any, request: Request, plan: Plan) -> None:
        self.contexts: dict[tuple[int, int], list[Any]] = {}
        self._about = {"estimator": search, "X": request.X, "y": request.y}
        self._about["metadata"] = request.metadata
        self._root: Any = None
        self._search: Any = None
        if has_callbacks(search):
            self._begin(search, request, plan)

    def _begin(self, search: Any, request: Request, plan: Plan) -> None:
        n_splits, n_candidates = len(request.splits), len(request.candidates)
        search.n_splits_ = n_splits  # callbacks ask for it
        self._root = search._init_callback_context(  # noqa: SLF001  # documented so
            max_subtasks=1 + (search.refit is not False)
        ).call_on_fit_task_begin(**self._about)
        self._search = self._root.subcontext(
            task_name="search", max_subtasks=n_candidates * n_splits, sequential_subtasks=False
        ).call_on_fit_task_begin(estimator=search)
        for candidate in range(n_candidates):
            for split in range(n_splits):
                unit, _ = plan.where[Place("search", -1, split)]
                context = self._search.subcontext(
                    task_name="candidate-split-evaluation",
                    task_id=candidate * n_splits + split,
                )
                self.contexts.setdefault((unit, candidate), []).append(context)

    def end_search(self) -> None:
        """Tell that all fits of the search are made."""
        if self._search is not None:
            self._search.call_on_fit_task_end(estimator=self._about["estimator"])

    @contextmanager
    def refit(self, winner: Any) -> Iterator[None]:
        """Tell about the winner's fit on all rows."""
        if self._root is None:
            yield
            return
        context = self._root.subcontext(task_name="refit-with-best-params")
        with context.propagate_callback_context(winner):
            context.call_on_fit_task_begin(**self._about)
            yield
        context.call_on_fit_task_end(**self._about)

    def end(self) -> None:
        """Tell that the search is over."""
        if self._root is not None:
            self._root.call_on_fit_task_end(**self._about)


class SearchProgress:
    """The contexts around a search object that runs as it is; one ``with`` block."""

    def __init__(self, search: Any, X: Any, y: Any) -> None:
        self._about = {"estimator": search, "X": X, "y": y, "metadata": None}
        self._root: Any = None
        if has_callbacks(search):
            self._root = search._init_callback_context(  # noqa: SLF001  # documented so
                max_subtasks=1
            ).call_on_fit_task_begin(**self._about)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: Any, *_: object) -> None:
        if self._root is not None and kind is None:
            self._root.call_on_fit_task_end(**self._about)

    def around(self, search: Any) -> Any:
        """Pass the callbacks on to a search for the length of a ``with`` block."""
        if self._root is None or not hasattr(search, "set_callbacks"):
            return nullcontext()
        return self._within(self._root.subcontext(task_name="search"), search)

    @contextmanager
    def _within(self, context: Any, search: Any) -> Iterator[None]:
        with propagate(context, search):
            context.call_on_fit_task_begin(**self._about)
            yield
        context.call_on_fit_task_end(**self._about)
