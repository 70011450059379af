"""MLflow: a search of ours leaves the run that its autologging leaves of GridSearchCV."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np

__all__ = ["autologged", "log_search"]

_LONGEST = 500  # letters of a parameter that every version of MLflow takes
_SHOWN = 5  # child runs, as in MLflow's autologging
_running: list[bool] = []  # a search inside another one is an inner fit


@contextmanager
def autologged(search: Any) -> Iterator[None]:
    """Fit as MLflow's autologging has it: inner fits leave no runs, the search does.

    MLflow patches the ``fit`` of the classes of scikit-learn alone, so ours logs itself.
    """
    if _running or "mlflow.sklearn" not in sys.modules:
        yield
        return
    from mlflow.utils import autologging_utils  # noqa: PLC0415 - the user has imported mlflow

    if autologging_utils.autologging_is_disabled("sklearn"):
        yield
        return
    _running.append(True)
    try:
        with autologging_utils.disable_autologging():
            yield
    finally:
        _running.clear()
    from mlflow.exceptions import MlflowException  # noqa: PLC0415

    shown = autologging_utils.get_autologging_config("sklearn", "max_tuning_runs", _SHOWN)
    try:
        log_search(search, max_child_runs=shown)
    except MlflowException as error:  # a tracking server that is away costs no search
        warnings.warn(f"MLflow did not log the search: {error}", UserWarning, stacklevel=4)


def log_search(search: Any, *, max_child_runs: int | None = _SHOWN) -> str:
    """Log a fitted search of skmaxev to MLflow, in the active run or a new one.

    With ``mlflow.sklearn.autolog()`` each ``fit`` does so by itself.

    Parameters
    ----------
    search : fitted search of skmaxev
        Its parameters, the winner's as ``best_...``, and these metrics are logged:
        ``best_cv_score`` as of GridSearchCV (the printed score), ``honest_score``,
        ``honest_low`` and ``honest_high`` (the interval); ``cv_results.csv`` and the report as
        artifacts.
    max_child_runs : int or None
        Candidates, from the best one down, that get a child run each; None for all.

    Returns
    -------
    str
        Id of the run.

    Raises
    ------
    ImportError
        If mlflow is not installed.

    Examples
    --------
    >>> import mlflow  # doctest: +SKIP
    >>> with mlflow.start_run():  # doctest: +SKIP
    ...     log_search(HonestSearchCV(model, grid).fit(X, y))
    """
    try:
        import mlflow  # noqa: PLC0415 - an extra
    except ImportError as error:
        raise ImportError("mlflow is not installed: pip install skmaxev[mlflow].") from error

    if mlflow.active_run() is None:
        with mlflow.start_run():
            return log_search(search, max_child_runs=max_child_runs)
    run = mlflow.active_run().info
    mlflow.set_tags({"estimator_name": type(search).__name__, "estimator_class": _path(search)})
    _log_params(mlflow, search.get_params(deep=False))
    _log_params(mlflow, getattr(search, "best_params_", {}), prefix="best_")
    _log_metrics(mlflow, _scores(search))
    if hasattr(search, "report_"):
        mlflow.log_text(str(search.report_), "honest_report.txt")
    results = getattr(search, "cv_results_", None)
    if isinstance(results, Mapping):
        _log_candidates(mlflow, results, getattr(search, "refit", None), max_child_runs)
    return str(run.run_id)


def _path(search: Any) -> str:
    return f"{type(search).__module__}.{type(search).__name__}"


def _scores(search: Any) -> dict[str, Any]:
    """Take what a search has; with several metrics and no ``refit`` it has no best score."""
    low, high = getattr(getattr(search, "report_", None), "interval", None) or (np.nan, np.nan)
    return {
        "best_cv_score": getattr(search, "naive_best_score_", np.nan),
        "honest_score": getattr(search, "best_score_", np.nan),
        "honest_low": low,
        "honest_high": high,
    }


def _log_params(mlflow: Any, params: Mapping[str, Any], prefix: str = "") -> None:
    mlflow.log_params({f"{prefix}{name}": str(value)[:_LONGEST] for name, value in params.items()})


def _log_metrics(mlflow: Any, values: Mapping[str, Any]) -> None:
    mlflow.log_metrics({name: float(value) for name, value in values.items() if np.isfinite(value)})


def _log_candidates(mlflow: Any, results: Mapping[str, Any], refit: Any, most: int | None) -> None:
    """Log the table, and a child run for each of its best candidates."""
    import pandas  # noqa: PLC0415 - MLflow needs it for searches as well

    mlflow.log_text(pandas.DataFrame(dict(results)).to_csv(index=False), "cv_results.csv")
    numbers = [name for name in results if name.startswith(("mean_", "std_", "rank_"))]
    ranks = [name for name in numbers if name.startswith("rank_test_")]
    rank = f"rank_test_{refit}" if f"rank_test_{refit}" in ranks else next(iter(ranks), "")
    for index in np.argsort(results[rank], kind="stable")[:most].tolist() if rank else ():
        with mlflow.start_run(nested=True):
            _log_params(mlflow, results["params"][index])
            _log_metrics(mlflow, {name: results[name][index] for name in numbers})
