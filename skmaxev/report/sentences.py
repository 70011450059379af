"""What a report says, in words that text, Markdown, HTML and a paper share.

Reports come here in the form of `as_loss`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from math import isclose
from typing import TYPE_CHECKING, Any, NamedTuple

from skmaxev._results import as_odds
from skmaxev.report.grid import about_grid
from skmaxev.report.numbers import Format, name_candidates, name_params, name_plainly, percent

if TYPE_CHECKING:
    from skmaxev.report.report import SelectionReport
    from skmaxev.report.runners_up import RunnerUp

__all__ = ["advise", "facts", "heading", "headline", "nothing_chosen", "remarks", "setting_of"]

_MOST_REASONS = 4
_MOST_RUNNERS_UP = 3
_WHY_ABOVE = (
    "stands above the printed score: it takes every candidate's noise for a chance to be the best, "
    "without allowing for the luck in the scores themselves"
)


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
    if design is not None and design.source in {"single rows", "leave-one-out"}:
        place = f"on {n_rows}splits of one row"
        in_full = {"leave-one-out": f"in leave-one-out cross-validation on {n_rows}rows"}
        return Setting("candidate", place, in_full.get(design.source, place), "rows", printed)
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


def nothing_chosen(report: SelectionReport) -> bool:
    """Tell whether there was one candidate, or one score for all of them."""
    return report.n_used == 1 or (report.noise == 0.0 and report.spread == 0.0)


def heading(report: SelectionReport) -> str:
    """Say in one line what was searched."""
    setting, best_mean = setting_of(report), report.estimates.get("ME")
    mean = report.naive if report.naive_pooled is None else report.naive_pooled
    is_best = report.n_fresh or (best_mean is not None and isclose(mean, best_mean.value))
    best = f"{'Best' if is_best else 'One'} of {report.n_used:,} {setting.noun}s"
    if report.n_used == 1:
        of_all = f" of {report.n_candidates:,}" if report.n_candidates > 1 else ""
        best = f"1 {setting.noun}{of_all}"
    which_way = "" if report.greater_is_better else " (lower is better)"
    return f"{best} {setting.place}: {name_plainly(report.metric)}{which_way}"


def headline(report: SelectionReport) -> list[tuple[str, str, str]]:
    """Give the honest and the printed score, each with a remark."""
    write = Format(report)
    interval = "no interval" if report.noise else "no interval: these scores show no noise"
    if report.interval:
        interval = f"{percent(report.level)} interval {write.interval(report.interval)}"
    lines = [
        ("Honest score", write.score(report.estimate), interval),
        ("Printed score", write.score(report.naive), setting_of(report).printed),
    ]
    if report.naive_pooled is not None:
        pooled = write.score(report.naive_pooled)
        lines.append(("Pooled score", pooled, "its score on all rows together, not corrected"))
    return lines


def advise(report: SelectionReport) -> tuple[str, ...]:
    """Say what to expect of the winner, why, and what the scores cannot tell."""
    sentences = (_expectation(report), _reason(report), _separation(report))
    return tuple(sentence for sentence in sentences if sentence)


def _expectation(report: SelectionReport) -> str:
    write = Format(report)
    around = ""
    if report.interval:
        around = f" ({percent(report.level)} interval {write.interval(report.interval)})"
    subject = "a winner found in this way" if report.method == "NESTED" else "the winner"
    return f"On new rows, expect about {write.score(report.estimate)} from {subject}{around}."


def _reason(report: SelectionReport) -> str:
    write, setting = Format(report), setting_of(report)
    if report.n_used == 1 and report.n_candidates > 1:
        return (
            f"One candidate of {report.n_candidates:,} is left. What chose it, such as a pruner or "
            "the rounds of halving, left no scores of the others on these splits: its score is "
            "not corrected, and may be too good."
        )
    if report.n_used == 1:
        return f"There was one {setting.noun}: nothing was chosen, so nothing is corrected."
    if nothing_chosen(report):
        return (
            f"All {report.n_used:,} {setting.noun}s score the same on every split: nothing was "
            "chosen, so nothing is corrected."
        )
    shown = f"The printed {write.score(report.naive)}"
    if report.naive_pooled is not None:
        shown = f"The pooled {write.score(report.naive_pooled)}"
    if write.is_zero(report.optimism):
        return f"{shown} gains next to nothing from being picked out of {report.n_used:,}."
    if report.optimism < 0:
        return (
            f"{shown} is no better than this estimate, which can happen: both are estimates, each "
            "with noise of its own."
        )
    why = (
        f"the better of {report.n_used:,} candidates were judged again on fresh partitions."
        if report.n_fresh
        else f"the {setting.judges} that judged the winner also picked it out of "
        f"{report.n_used:,} {setting.noun}s."
    )
    return f"{shown} looks about {write.score(report.optimism)} too good: {why}"


def _separation(report: SelectionReport) -> str:
    if nothing_chosen(report) or report.differences is None:
        return ""
    setting, n_others = setting_of(report), report.n_used - 1
    found = report.runners_up().candidates
    better = sum(other.high is not None and other.high < 0 for other in found)
    if better and not report.n_fresh:
        return (
            f"{better:,} of the {n_others:,} others are better on these {setting.judges}: the "
            "search chose by a rule of its own."
        )
    close = len(report.indistinguishable)
    if not close:
        return f"All other {setting.noun}s are told apart from the winner."
    some = f"{close:,} of the {n_others:,} others"
    if close == n_others:
        some = {1: "The other one", 2: "Both others"}.get(close, f"All {close:,} others")
    where = f"On the search's own splits, {some[0].lower()}{some[1:]}" if report.n_fresh else some
    fair = "" if setting.noun == "submission" else (
        ", so the simplest or cheapest of them is a fair choice"
        if close > 1
        else ", so the simpler or cheaper one is a fair choice"
    )  # fmt: skip
    return f"{where} may be as good ({percent(report.level)} confidence){fair}."


def facts(report: SelectionReport) -> list[tuple[str, str]]:
    """Give winner, runners-up, what was left out and notes, each with its label."""
    found = [("Winner", _candidate(report, report.best_index, report.best_params))]
    if not nothing_chosen(report):
        found.extend(("Close to it", line) for line in _runners_up(report))
    found.extend(about_grid(report))
    found.extend(("Left out", reason) for reason in _reasons(report))
    found.extend(("Note", note) for note in report.notes)
    return found


def remarks(report: SelectionReport) -> list[tuple[str, str]]:
    """Give what explains the estimates, each with its label."""
    write, found = Format(report), []
    if not nothing_chosen(report):
        spread, noise = write.score(report.spread), write.score(report.noise)
        found.append(("Mean scores", f"spread by {spread}; chance alone makes about {noise}"))
    bayes, sign = report.estimates.get("BAYES"), 1 if report.greater_is_better else -1
    mean = report.naive if report.naive_pooled is None else report.naive_pooled
    if bayes is not None and sign * (bayes.value - mean) > 0:
        found.append(("BAYES", _WHY_ABOVE))
    if report.n_fits is not None:
        found.append(("Model fits", f"{report.n_fits:,}"))
    return found


def _candidate(report: SelectionReport, index: int, params: Mapping[str, Any] | None) -> str:
    settings = f": {name_params(params)}" if params else ""
    return f"{setting_of(report).noun} {index}{settings}"


def _runners_up(report: SelectionReport) -> list[str]:
    """Name the nearest of those that may be as good by their settings and scores."""
    write = Format(report)
    close = [found for found in report.runners_up().candidates if found.may_be_best]
    lines = [
        f"{_candidate(report, found.candidate, found.params)} ({write.score(found.score)}"
        f"{'' if report.n_fresh else _behind(found)})"  # its splits are not all that judged it
        for found in close[:_MOST_RUNNERS_UP]
    ]
    more = len(close) - len(lines)
    return [*lines, f"{more:,} more in report.runners_up()"] if more > 0 else lines


def _behind(found: RunnerUp) -> str:
    if found.is_same:
        return ", the same scores"
    return "" if found.p_better is None else f", {as_odds(found.p_better)} likely better"


def _reasons(report: SelectionReport) -> list[str]:
    by_reason: dict[str, list[int]] = defaultdict(list)
    for index, reason in report.left_out.items():
        by_reason[reason].append(index)
    noun = setting_of(report).noun
    lines = [f"{name_candidates(indices, noun)}: {reason}" for reason, indices in by_reason.items()]
    more = len(lines) - _MOST_REASONS
    return [*lines[:_MOST_REASONS], f"{more} more reasons in left_out"] if more > 0 else lines
