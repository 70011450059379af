"""Reader of CSV files and long tables, with the standard library alone."""

from __future__ import annotations

import codecs
import csv
import gzip
import io
import os
import re
import zlib
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import IO, Any

import numpy as np

from skmaxev.scores.build import build_table, is_missing
from skmaxev.scores.columns import check_rows, split_columns, upright, with_lists_unpacked
from skmaxev.scores.results import choose_metric, from_cv_results
from skmaxev.scores.table import ScoreTable

__all__ = ["from_csv", "from_long", "with_numbers"]

_SEPARATORS = ",;\t|"
_SEPARATOR = re.compile(r"[,;\t|]")
_GZIP = b"\x1f\x8b"
_MISSING = frozenset({"", "nan", "na", "n/a", "#n/a", "<na>", "none", "null", "-"})
_SUMMARIES = frozenset(
    [
        "mean",
        "average",
        "avg",
        "std",
        "sd",
        "var",
        "median",
        "min",
        "max",
        "all",
        "overall",
        "total",
        "sum",
    ]
)


def from_csv(
    file: str | os.PathLike[str] | IO[Any],
    *,
    metric: str | None = None,
    greater_is_better: bool = True,
    sep: str | None = None,
    decimal: str = ".",
    candidate: str | None = None,
    fold: str | None = None,
    score: str | None = None,
) -> ScoreTable:
    """Read a CSV file of split scores, one row a candidate, or long with one row a score.

    Parameters
    ----------
    file : path or open file
        Text in UTF-8, or in UTF-16 with its mark, gzipped or not, with a line of column names.
        Nothing in it is evaluated.
    metric : str, optional
        Which metric, or the name of the only one.
    greater_is_better : bool
        False if the file holds losses.
    sep : str, optional
        Separator; the one of ``, ; tab |`` that the first line has most of, if omitted.
    decimal : str
        Decimal sign.
    candidate, fold, score : str, optional
        Columns of a long table; all three or none.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ValueError
        If the scores of single splits are missing or are no numbers.
    """
    _check_signs(sep, decimal)
    source = Path(file).name if isinstance(file, str | os.PathLike) else "CSV text"
    columns = _read_columns(file, sep)
    if candidate is not None or fold is not None or score is not None:
        return from_long(
            columns,
            candidate=candidate,
            fold=fold,
            score=score,
            metric=metric,
            greater_is_better=greater_is_better,
            decimal=decimal,
            source=source,
        )
    check_rows(columns.get("", ()))  # an index that was written too
    results = with_numbers(with_lists_unpacked(upright(columns)), decimal, metric)
    return from_cv_results(
        results, metric=metric, greater_is_better=greater_is_better, source=source
    )


def from_long(
    columns: Mapping[str, Any],
    *,
    candidate: str | None,
    fold: str | None,
    score: str | None,
    metric: str | None = None,
    greater_is_better: bool = True,
    decimal: str = ".",
    source: str = "long table",
) -> ScoreTable:
    """Read a table with one row a candidate and split.

    Parameters
    ----------
    columns : mapping of str to sequence, or frame
        The table.
    candidate, fold, score : str
        Its columns. Candidates are numbered as they first appear; folds are ordered by number.
    metric, greater_is_better, decimal, source
        As in ``from_csv``.

    Raises
    ------
    ValueError
        If a column is missing, or a candidate has two scores on one split.
    """
    names = _check_long(list(columns), {"candidate": candidate, "fold": fold, "score": score})
    who, where = ([_label(value, name) for value in columns[name]] for name in names[:2])
    what = list(columns[names[2]])
    _check_percent([what])
    candidates = {value: index for index, value in enumerate(dict.fromkeys(who))}
    splits = {value: row for row, value in enumerate(sorted(set(where), key=_by_number))}
    if not who:
        raise ValueError("a long table must hold one row a candidate and split; got no row.")
    _check_splits(splits, names[1])
    rows = np.array([splits[value] for value in where])
    cols = np.array([candidates[value] for value in who])
    flat, counts = np.unique(rows * len(candidates) + cols, return_counts=True)
    if counts.max() > 1:
        twice = divmod(int(flat[counts.argmax()]), len(candidates))
        raise ValueError(
            "a long table must hold one score a candidate and split; "
            f"{list(candidates)[twice[1]]!r} has {counts.max()} on split "
            f"{list(splits)[twice[0]]!r}. Keep the rows of one data set and metric."
        )
    scores = np.full((len(splits), len(candidates)), np.nan)
    scores[rows, cols] = [_number(value, decimal, names[2], row) for row, value in enumerate(what)]
    return build_table(
        scores,
        metric=metric or names[2],
        greater_is_better=greater_is_better,
        params=[{names[0]: value} for value in candidates],
        source=source,
    )


def _check_long(columns: Sequence[Any], asked: Mapping[str, str | None]) -> list[str]:
    found = []
    for keyword, name in asked.items():
        if name is None or name not in columns:
            shown = ", ".join(str(column) for column in columns[:12])
            raise ValueError(
                f"a long table needs candidate=, fold= and score=, each the name of a column; got "
                f"{keyword}={name!r}. The columns are: {shown}."
            )
        found.append(name)
    return found


def _check_splits(labels: Iterable[Any], column: str) -> None:
    """Refuse a mean over the splits that stands among them as if it were one more."""
    texts = {str(label).strip().lower(): label for label in labels}
    found = [label for text, label in texts.items() if text in _SUMMARIES]
    if found and any(re.search(r"\d", text) for text in texts):
        raise ValueError(
            f"every row of a long table must hold the score of one split; column {column!r} holds "
            f"{found[0]!r}, which sums up the others. Leave those rows out."
        )


def _check_signs(sep: str | None, decimal: str) -> None:
    if sep is not None and len(sep) != 1:
        raise ValueError(f"sep must be one character, such as ';' or a tab; got {sep!r}.")
    if decimal not in (".", ","):
        raise ValueError(f"decimal must be '.' or ','; got {decimal!r}.")


def _check_percent(columns: Iterable[Iterable[Any]]) -> None:
    texts = [str(cell).strip() for column in columns for cell in column]
    given = [text for text in texts if text.lower() not in _MISSING]
    shares = [text for text in given if not text.endswith("%")]
    if shares and len(shares) < len(given):
        raise ValueError(
            "scores must all be percentages or none; some end with %, others do not, such as "
            f"{shares[0]!r}. Write all in the same way."
        )


def _read_columns(file: Any, sep: str | None) -> dict[str, list[str]]:
    path = isinstance(file, str | os.PathLike)
    name = Path(file).name if path else "the text"
    try:
        content = _content(file) if path else file.read()
        text = content if isinstance(content, str) else _decoded(content)
    except (UnicodeDecodeError, EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise ValueError(
            f"a CSV file must be text in UTF-8; {name} is not. Pass open(path, encoding=...) for "
            "text in another encoding; read a file of another kind yourself, as with "
            "pandas.read_excel, numpy.load or joblib.load, and pass what it holds."
        ) from error
    try:
        return _parse(io.StringIO(text, newline=""), sep, name)
    except csv.Error as error:
        raise ValueError(f"a CSV file must be a table of short texts; {name}: {error}.") from error


def _content(file: str | os.PathLike[str]) -> bytes:
    if "\n" in os.fspath(file):
        raise ValueError(
            "results must be a path; got a text of many lines. Pass io.StringIO(text)."
        )
    path = Path(file)
    if "://" in os.fspath(file):
        raise ValueError(
            f"results must be a path; got the address {str(file)!r}. Of an Optuna study, pass "
            "optuna.load_study(study_name=None, storage=address)."
        )
    if not path.exists() or path.is_dir():
        raise FileNotFoundError(
            f"results must be an existing CSV file; there is no file {str(file)!r}."
        )
    return path.read_bytes()


def _decoded(content: bytes) -> str:
    if content.startswith(_GZIP):
        content = gzip.decompress(content)
    wide = content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    text = content.decode("utf-16" if wide else "utf-8-sig")
    if "\0" in text:
        raise UnicodeDecodeError("utf-8", b"\0", 0, 1, "no text has this character")
    return text


def _parse(text: Iterable[str], sep: str | None, name: str) -> dict[str, list[str]]:
    lines = iter(text)
    first = next((line for line in lines if line.strip()), "").lstrip("\ufeff")
    if first.lstrip().startswith(("{", "[")):
        raise ValueError(
            f"a CSV file must hold a table; {name} looks like JSON. Pass what it holds, "
            "json.load(file)."
        )
    sep = sep or (max(_SEPARATORS, key=first.count) if _SEPARATOR.search(first) else " ")
    header = [column.strip() for column in _cells([first], sep)[0]]
    if not any(header):
        raise ValueError(f"a CSV file must begin with a line of column names; {name} does not.")
    repeated = [column for column, count in Counter(header).items() if count > 1]
    if repeated:
        raise ValueError(
            f"the column names of a CSV file must differ; {name} has {repeated[0]!r} twice."
        )
    rows = [row for row in _cells(lines, sep) if any(cell.strip() for cell in row)]
    _check_rows(rows, header, name)
    return dict(zip(header, map(list, zip(*rows, strict=True)), strict=True))


def _cells(lines: Iterable[str], sep: str) -> list[list[str]]:
    if sep == " ":  # columns are often lined up with several
        lines = (line.rstrip() for line in lines)
    return list(csv.reader(lines, delimiter=sep, skipinitialspace=sep == " ")) or [[]]


def _check_rows(rows: list[list[str]], header: list[str], name: str) -> None:
    if not rows:
        raise ValueError(f"a CSV file must hold a line a candidate; {name} has column names only.")
    for number, row in enumerate(rows, start=1):
        if len(row) != len(header):
            raise ValueError(
                "every line of a CSV file must have as many cells as its first; data line "
                f"{number} of {name} has {len(row)}, the first line {len(header)}. Say sep= and "
                "decimal= if they are not ',' and '.'; leave out what stands above the names of "
                "the columns."
            )


def with_numbers(columns: Mapping[str, Any], decimal: str, metric: str | None) -> dict[str, Any]:
    """Turn the columns of scores into floats and leave all others as text."""
    _, splits = choose_metric(split_columns(columns), metric, list(columns))
    _check_percent(columns[name] for name in splits)
    others = {name for name in columns if str(name).startswith("mean_test_")}
    numbers = {*splits, *others, "iter", "n_resources"}
    return {
        name: (
            np.array([_number(cell, decimal, name, row) for row, cell in enumerate(cells)])
            if name in numbers
            else cells
        )
        for name, cells in columns.items()
    }


def _number(cell: Any, decimal: str, column: str, row: int) -> float:
    if is_missing(cell):
        return np.nan
    if not isinstance(cell, str):
        return float(cell)
    text = cell.strip().removesuffix("%")
    try:
        return float(text.replace(decimal, ".") if decimal != "." else text)
    except ValueError:
        if text.lower() in _MISSING:
            return np.nan
        raise ValueError(
            f"scores must be numbers; column {column!r}, data line {row + 1} holds {text[:40]!r}. "
            "Empty the cell of a failed fit, or say decimal=',' for decimal commas."
        ) from None


def _label(value: Any, column: str) -> Any:
    """Return a value that can be looked up: lists and dicts by their text."""
    if is_missing(value):
        raise ValueError(
            f"every row of a long table must name its candidate and split; column {column!r} has "
            "empty cells. Fill them, or leave those rows out."
        )
    return value if isinstance(value, Hashable) else str(value)


def _by_number(label: Any) -> tuple[Any, ...]:
    """Order labels by the numbers in them: fold 2 before fold 10."""
    parts = re.split(r"(\d+)", str(label))
    return tuple(int(part) if part.isdecimal() else part for part in parts)
