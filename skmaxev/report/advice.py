"""Sentences that a person can put under a table of scores."""

from __future__ import annotations

from typing import TYPE_CHECKING

from skmaxev.report.numbers import Format, percent

if TYPE_CHECKING:
    from skmaxev.report.report import SelectionReport

__all__ = ["advise", "nothing_chosen"]


def advise(report: SelectionReport) -> tuple[str, ...]:
    """Say what to expect of the winner, why, and what the scores cannot tell.

    Parameters
    ----------
    report : SelectionReport
        The numbers.

    Returns
    -------
    tuple of str
        Two or three sentences.
    """
    sentences = (_expectation(report), _reason(report), _separation(report))
    return tuple(sentence for sentence in sentences if sentence)


def nothing_chosen(report: SelectionReport) -> bool:
    """Tell whether there was one candidate, or one score for all of them."""
    return report.n_used == 1 or (report.noise == 0.0 and report.spread == 0.0)


def _expectation(report: SelectionReport) -> str:
    write = Format(report)
    around = (
        f" ({percent(report.level)} interval {write.interval(report.interval)})"
        if report.interval
        else ""
    )
    subject = "a winner found in this way" if report.method == "NESTED" else "the winner"
    return f"On new rows, expect about {write.score(report.estimate)} from {subject}{around}."


def _reason(report: SelectionReport) -> str:
    write = Format(report)
    if report.n_used == 1 and report.n_candidates > 1:
        return (
            f"One candidate of {report.n_candidates:,} is left. What chose it, such as a pruner or "
            "the rounds of halving, left no scores of the others on these splits: its score is "
            "not corrected, and may be too good."
        )
    if report.n_used == 1:
        return "There was one candidate: nothing was chosen, so nothing is corrected."
    if nothing_chosen(report):
        return (
            f"All {report.n_used:,} candidates score the same on every split: nothing was chosen, "
            "so nothing is corrected."
        )
    shown = f"The printed {write.score(report.naive)}"
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
        else f"the splits that judged the winner also picked it out of {report.n_used:,} "
        "candidates."
    )
    return f"{shown} looks about {write.size(report.optimism)} too good: {why}"


def _separation(report: SelectionReport) -> str:
    if nothing_chosen(report) or report.differences is None:
        return ""
    found = report.runners_up().candidates
    better = sum(other.high is not None and other.high < 0 for other in found)
    if better and not report.n_fresh:
        return (
            f"{better:,} of the {report.n_used - 1:,} others are better on these splits: the "
            "search chose by a rule of its own."
        )
    close = len(report.indistinguishable)
    if not close:
        return "All other candidates are told apart from the winner."
    return (
        f"{close:,} of the {report.n_used - 1:,} others may be as good ({percent(report.level)} "
        "confidence), so the simplest or cheapest of them is a fair choice."
    )
