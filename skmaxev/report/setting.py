"""Where the candidates of a report were judged, in the words of a search, a list of items, ..."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from skmaxev.report.report import SelectionReport

__all__ = ["Setting", "setting_of"]


class Setting(NamedTuple):
    """Words for what was compared, and for what judged it."""

    noun: str
    place: str
    design: str
    """The place as a paper says it."""
    judges: str
    """What judged the winner, and chose it."""
    printed: str
    """What the printed score is."""


def setting_of(report: SelectionReport) -> Setting:
    """Choose the words for a report."""
    if report.source == "public leaderboard":
        place = "on the public leaderboard"
        return Setting("submission", place, place, "rows", "the winner's public score")
    design = None if report.table is None else report.table.design
    n_rows = "" if design is None or design.n_rows is None else f"{design.n_rows:,} "
    if report.source == "items":
        clusters = "" if design is None or design.clusters is None else "clusters of "
        place = f"on {n_rows}{clusters}items"
        nothing_trained = f"{place} on which nothing was trained"
        return Setting(
            "candidate", place, nothing_trained, "items", "the winner's mean over the items"
        )
    printed = f"what the search shows for {'this candidate' if report.n_fresh else 'its winner'}"
    if design is not None and design.source == "one split":
        place = f"on one split of {n_rows}rows"
        return Setting("candidate", place, place, "rows", printed)
    if design is not None and design.source == "single rows":
        place = f"on {n_rows}splits of one row"
        leave_one_out = f"in leave-one-out cross-validation on {n_rows}rows"
        return Setting("candidate", place, leave_one_out, "rows", printed)
    place = _count(report.n_splits, "split")
    if report.n_fresh:
        place += f" and {_count(report.n_fresh, 'fresh partition')}"
    return Setting("candidate", f"on {place}", _design(report), "splits", printed)


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'s' * (number != 1)}"


def _design(report: SelectionReport) -> str:
    """Say how the splits came about, as far as it is known."""
    design = None if report.table is None else report.table.design
    if design is None or design.source == "assumed":
        return f"on {_count(report.n_splits, 'split')} of the data"
    rows = f" on {design.n_rows:,} rows" if design.n_rows else ""
    groups = ", rows that belong together kept together," if design.clusters is not None else ""
    if design.n_folds == 1:
        return f"on {design.n_splits:,} random splits{groups}".removesuffix(",")
    times = f", {design.n_repeats:,} times repeated," if design.n_repeats > 1 else ""
    return f"in {design.n_folds}-fold cross-validation{times}{groups}{rows}".removesuffix(",")
