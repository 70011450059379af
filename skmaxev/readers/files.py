"""Reader of CSV files, with the standard library alone."""

from __future__ import annotations

import codecs
import csv
import gzip
import io
import os
import re
import zlib
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import IO, Any

from skmaxev.readers.columns import check_rows, upright, with_lists_unpacked
from skmaxev.readers.long import from_long
from skmaxev.readers.results import from_cv_results
from skmaxev.readers.texts import with_numbers
from skmaxev.table import ScoreTable

__all__ = ["from_csv"]

_SEPARATORS = ",;\t|"
_SEPARATOR = re.compile(r"[,;\t|]")
_GZIP = b"\x1f\x8b"


def from_csv(
    file: str | os.PathLike[str] | IO[Any],
    *,
    metric: str | None = None,
    greater_is_better: bool | None = None,
    sep: str | None = None,
    decimal: str = ".",
    candidate: str | Sequence[str] | None = None,
    fold: str | Sequence[str] | None = None,
    score: str | None = None,
    error_score: float | None = None,
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
    error_score : float, optional
        What stands for a failed fit, besides an empty cell.

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
            error_score=error_score,
            source=source,
        )
    check_rows(columns.get("", ()))  # an index that was written too
    results = with_numbers(with_lists_unpacked(upright(columns), metric), decimal, metric)
    return from_cv_results(
        results,
        metric=metric,
        greater_is_better=greater_is_better,
        error_score=error_score,
        source=source,
    )


def _check_signs(sep: str | None, decimal: str) -> None:
    if sep is not None and len(sep) != 1:
        raise ValueError(f"sep must be one character, such as ';' or a tab; got {sep!r}.")
    if decimal not in (".", ","):
        raise ValueError(f"decimal must be '.' or ','; got {decimal!r}.")


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
