"""What an experiment hands back: tables, a figure, and promises that did not hold."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np


@dataclass
class Table:
    """Rows of cells under named columns; figures of ours stand beside theirs."""

    title: str
    columns: list[str]
    rows: list[list[Any]]

    def markdown(self) -> str:
        lines = [f"**{self.title}**", "", "| " + " | ".join(self.columns) + " |"]
        lines.append("|" + " --- |" * len(self.columns))
        lines += ["| " + " | ".join(map(write_cell, row)) + " |" for row in self.rows]
        return "\n".join(lines)


@dataclass
class Report:
    """One paper repeated.

    ``broken`` names every proved statement that the run contradicts; the command then fails.
    """

    name: str
    title: str
    source: str
    tables: list[Table]
    notes: list[str] = field(default_factory=list)
    broken: list[str] = field(default_factory=list)
    draw: Callable[[], Any] | None = None

    def markdown(self) -> str:
        parts = [f"## {self.title}", f"Source: {self.source}"]
        parts += [table.markdown() for table in self.tables]
        parts += [f"- {note}" for note in self.notes]
        parts += [f"- NOT REPRODUCED: {text}" for text in self.broken]
        if self.draw is not None:
            parts.append(f"![{self.title}]({self.name}.png)")
        return "\n\n".join(parts) + "\n"

    def save(self, folder: Path) -> None:
        """Write NAME.json, NAME.md and NAME.png."""
        folder.mkdir(parents=True, exist_ok=True)
        values = {
            "name": self.name,
            "title": self.title,
            "source": self.source,
            "tables": [asdict(table) for table in self.tables],
            "notes": self.notes,
            "broken": self.broken,
        }
        text = json.dumps(values, indent=1, default=float)
        (folder / f"{self.name}.json").write_text(text + "\n", encoding="utf-8")
        (folder / f"{self.name}.md").write_text(self.markdown(), encoding="utf-8")
        if self.draw is not None:
            figure = self.draw()
            figure.savefig(folder / f"{self.name}.png", dpi=110)
            figure.clear()


def write_cell(value: Any) -> str:
    """Write a number with the digits a reader needs, and nothing for None."""
    if value is None:
        return ""
    if isinstance(value, str | int | np.integer):
        return str(value)
    if value == 0:
        return "0"
    return f"{value:.0f}" if abs(value) >= 100 else f"{value:.3g}"
