"""CSV files, through pandas."""

from __future__ import annotations

import os
from pathlib import Path
from typing import IO, Any

__all__ = ["read_csv"]


def read_csv(file: str | os.PathLike[str] | IO[Any], **options: Any) -> Any:
    """Read a path or an open file as a pandas frame; ``options`` go to ``pandas.read_csv``."""
    try:
        import pandas  # noqa: PLC0415 - pandas is an extra
    except ImportError as error:
        raise ImportError(
            "CSV files are read by pandas, which is not installed: pip install skmaxev[frame]."
        ) from error
    if isinstance(file, str | os.PathLike):
        _check_path(os.fspath(file))
    try:
        frame = pandas.read_csv(file, **options)
    except (ValueError, OSError) as error:  # pandas' own errors are ValueErrors
        raise ValueError(
            f"a file of scores must be a CSV file with a line of column names; pandas says: "
            f"{error}. Read it yourself and pass the frame, as in "
            "correct(pandas.read_csv(path, sep=';', decimal=',', encoding='utf-16')), or "
            "pandas.read_excel, json.load, numpy.load."
        ) from error
    if frame.empty:
        raise ValueError("a CSV file must hold a line a candidate; this one has column names only.")
    names = list(map(str, frame.columns))
    # What pandas reads without a word: other separators, and lines that are too long.
    alone = len(names) == 1 and any(sign in names[0] for sign in ";\t|")
    if alone or not isinstance(frame.index, pandas.RangeIndex):
        raise ValueError(
            "a CSV file must have commas between its columns, and in no line more cells than in "
            f"the first, the names; this one begins with {','.join(names)[:80]!r}. Leave out what "
            "stands above, say --sep and --decimal on the command line, or pass "
            "pandas.read_csv(path, sep=..., decimal=...)."
        )
    if names[0].startswith("Unnamed: "):  # an index that was written too
        frame = frame.set_index(frame.columns[0]).rename_axis(index=None)
    return frame


def _check_path(path: str) -> None:
    if "\n" in path or path.startswith(("{", "[")):
        raise ValueError(
            f"results must be a path; got the text {path[:20]!r}... Pass io.StringIO(text) of a "
            "CSV file, or json.loads(text)."
        )
    if "://" in path:
        raise ValueError(
            f"results must be a path; got the address {path!r}. Of an Optuna study, pass "
            "optuna.load_study(study_name=None, storage=address)."
        )
    if not Path(path).exists() or Path(path).is_dir():
        raise FileNotFoundError(f"results must be an existing file; there is no file {path!r}.")
