"""What all results of tests share: one way to print, and no number out of NaN."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import stats

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import ArrayLike

__all__ = [
    "Result",
    "as_frame",
    "as_latex",
    "as_markdown",
    "as_odds",
    "as_pvalue",
    "as_table",
    "as_text",
    "at_least",
    "block",
    "tail_probability",
]

_LEAST_PVALUE = 1e-300
"""What a p-value is given as where it is smaller: no evidence makes it zero."""

_LEAST_SHOWN = 1e-4
_LATEX = str.maketrans(
    {sign: "\\" + sign for sign in "&%$#_{}"}
    | {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
    | {"<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}"}
)

# Colours come from the page, so that dark and light notebooks both stay readable. The class stands
# three times, so that these rules win over those of notebooks and documentation themes.
_STYLE = """
.skmaxev{font:14px/1.5 system-ui,sans-serif;color:inherit;max-width:54em;overflow-wrap:anywhere;
 text-align:left}
.skmaxev h4{font-size:1.05em;margin:.2em 0 .6em}
.skmaxev .skmaxev-scores{display:flex;flex-wrap:wrap;gap:.4em 2.4em;margin:0 0 .7em}
.skmaxev .skmaxev-scores b{display:block;font-size:1.7em;line-height:1.2}
.skmaxev .skmaxev-scores small,.skmaxev dt{opacity:.75}
.skmaxev p{margin:.15em 0}
.skmaxev summary{cursor:pointer;margin:.5em 0}
.skmaxev .skmaxev-wide{overflow-x:auto;margin:.7em 0}
.skmaxev table{border-collapse:collapse;table-layout:auto;margin:0;border:0;font:inherit;
 color:inherit;background:none}
.skmaxev tbody tr,.skmaxev thead{background:none;border:0}
.skmaxev th,.skmaxev td{text-align:left;vertical-align:top;padding:.2em .9em .2em 0;border:0;
 border-bottom:1px solid rgba(128,128,128,.35);color:inherit;background:none;white-space:nowrap;
 max-width:none}
.skmaxev td.skmaxev-number,.skmaxev th.skmaxev-number{text-align:right}
.skmaxev td,.skmaxev b{font-variant-numeric:tabular-nums}
.skmaxev tr.skmaxev-used td{font-weight:600}
.skmaxev dl{display:grid;grid-template-columns:max-content minmax(0,1fr);align-items:start;
 gap:.1em 1em;margin:0}
.skmaxev dt,.skmaxev dd{display:block;float:none;width:auto;margin:0;padding:0;font-weight:inherit;
 text-align:left}
@media(max-width:36rem){.skmaxev th,.skmaxev td{white-space:normal;overflow-wrap:normal;
 padding-right:.6em}}
""".replace(".skmaxev ", ".skmaxev.skmaxev.skmaxev ")

_NUMBER = re.compile(r"(< )?[-+]?\d[\d,.]*(e[-+]?\d+)?%?")


def as_odds(probability: float) -> str:
    """Write a probability for reading: 0.26%, and no zero that is not one."""
    if probability < _LEAST_SHOWN:
        return "less than 0.01%"
    return f"{float(f'{100 * probability:.2g}'):g}%"


def as_pvalue(pvalue: float) -> str:
    """Write a p-value for a table."""
    return f"< {_LEAST_PVALUE:g}" if pvalue <= _LEAST_PVALUE else f"{pvalue:.3g}"


def at_least(pvalue: ArrayLike) -> Any:
    """Give p-values that floating point made zero as `_LEAST_PVALUE`; a float for one."""
    floored = np.maximum(np.asarray(pvalue, dtype=np.float64), _LEAST_PVALUE)
    return floored if floored.ndim else float(floored)


def tail_probability(statistic: ArrayLike, freedom: float, alternative: str) -> Any:
    """P-value of Student's t, the normal one where ``freedom`` is infinite."""
    given = np.asarray(statistic, dtype=np.float64)
    tails = {
        "two-sided": 2 * stats.t.sf(np.abs(given), freedom),
        "greater": stats.t.sf(given, freedom),
        "less": stats.t.cdf(given, freedom),
    }
    if alternative not in tails:
        raise ValueError(f"alternative must be one of {tuple(tails)}; got {alternative!r}.")
    return at_least(tails[alternative])


class Result:
    """Base of frozen results: `sentence` in words, `to_dict` as rows of a table."""

    def __post_init__(self) -> None:
        """Refuse NaN in any field, from which words and numbers would follow."""
        for name, given in vars(self).items():
            values = np.asarray(given, dtype=object).ravel()
            if any(isinstance(value, float) and np.isnan(value) for value in values):
                raise ValueError(
                    f"a result must hold numbers; {name} is NaN. Look for NaN in the scores."
                )

    @property
    def sentence(self) -> str:
        """The result in plain words."""
        raise NotImplementedError

    def to_dict(self) -> list[dict[str, Any]]:
        """Give the result as rows of a table: one dict a row, with the same keys."""
        raise NotImplementedError

    def to_frame(self) -> pd.DataFrame:
        """Give the result as a pandas frame."""
        return as_frame(self.to_dict())

    def to_markdown(self) -> str:
        """Give the result as a Markdown table."""
        head, *body = self._cells()
        return as_markdown(head, body)

    def to_latex(self) -> str:
        """Give the result as a LaTeX tabular, with the rules of the package booktabs."""
        head, *body = [[as_latex(cell) for cell in line] for line in self._cells()]
        first, *rows = (" & ".join(line) + r" \\" for line in (head, *body))
        begin = rf"\begin{{tabular}}{{{'l' * len(head)}}}"
        lines = [begin, r"\toprule", first, r"\midrule", *rows, r"\bottomrule", r"\end{tabular}"]
        return "\n".join(lines)

    def _cells(self) -> list[list[str]]:
        """Head and rows, without the columns that are empty in all of them."""
        rows = self.to_dict()
        used = [
            key for key in (rows[0] if rows else ()) if any(row[key] is not None for row in rows)
        ]
        return [used, *([_written(key, row[key]) for key in used] for row in rows)]

    def _repr_html_(self) -> str:
        """Show the sentence and, where several things were compared, the table."""
        head, *body = self._cells()
        name = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", type(self).__name__).capitalize()
        return block(name, as_text([self.sentence]), as_table(head, body))

    def __str__(self) -> str:
        return self.sentence


def _written(key: str, value: Any) -> str:
    if value is None:
        return ""
    if not isinstance(value, float):
        return str(value)
    return as_pvalue(value) if key == "pvalue" else f"{value:.4g}"


def as_frame(rows: Sequence[dict[str, Any]]) -> pd.DataFrame:
    """Give rows as a pandas frame."""
    try:
        import pandas as pd  # noqa: PLC0415 - pandas is an extra
    except ImportError as error:
        raise ImportError('a frame needs pandas: pip install "skmaxev[frame]".') from error
    return pd.DataFrame(rows)


def as_markdown(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Write a Markdown table."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(
        "| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines
    )


def as_latex(text: str) -> str:
    """Escape what LaTeX would set otherwise."""
    return text.translate(_LATEX)


def block(heading: str, *parts: str) -> str:
    """Put parts under a heading, with styles that hold in notebooks and documentation."""
    head = f'<div class="skmaxev"><style>{_STYLE}</style><h4>{escape(heading)}</h4>'
    return head + "".join(parts) + "</div>"


def as_text(lines: Sequence[str]) -> str:
    """Write one paragraph a line."""
    return "".join(f"<p>{escape(line)}</p>" for line in lines)


def as_table(head: Sequence[str], rows: Sequence[Sequence[str]], *, used: str = "") -> str:
    """Write a table, numbers to the right; the row that starts with ``used`` stands out."""
    numeric = [
        all(_NUMBER.fullmatch(cell) for cell in column if cell)
        for column in zip(*rows, strict=True)
    ]
    marks = [' class="skmaxev-number"' if number else "" for number in numeric]

    def line(cells: Sequence[str], tag: str) -> str:
        pairs = zip(cells, marks, strict=True)
        return "".join(f"<{tag}{mark}>{escape(cell)}</{tag}>" for cell, mark in pairs)

    body = ""
    for row in rows:
        mark = ' class="skmaxev-used"' if row[0] == used else ""
        body += f"<tr{mark}>{line(row, 'td')}</tr>"
    table = f"<table><thead><tr>{line(head, 'th')}</tr></thead><tbody>{body}</tbody></table>"
    return f'<div class="skmaxev-wide">{table}</div>'
