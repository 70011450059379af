"""SelectionReport: what a search is worth, as frozen numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from skmaxev.report import paper, render
from skmaxev.report.methods import METHODS
from skmaxev.report.numbers import as_loss
from skmaxev.report.runners_up import gather_runners_up
from skmaxev.report.sentences import advise

if TYPE_CHECKING:
    from skmaxev.estimators.differences import Differences
    from skmaxev.table import ScoreTable

__all__ = ["Estimate", "SelectionReport"]


@dataclass(frozen=True, kw_only=True)
class Estimate:
    """One estimator's answer.

    Parameters
    ----------
    key : str
        Short name, such as ``"LVCV"``.
    value : float
        The estimate, in the units and with the sign of the user's metric.
    target : str
        What it estimates.
    errs : str
        Which way it errs on average.
    name : str
        The method in words.
    citation : str
        Where the method comes from.
    """

    key: str
    value: float
    target: str
    errs: str
    name: str = ""
    citation: str = ""

    @classmethod
    def by(cls, key: str, value: float, *, errs: str) -> Estimate:
        """Make the answer of the method with this key, in the words of ``METHODS``."""
        name, target, _, citation, *_ = METHODS[key]
        return cls(key=key, value=value, target=target, errs=errs, name=name, citation=citation)


@dataclass(frozen=True, kw_only=True)
class SelectionReport:
    """What the winner of a search is worth, every estimator side by side.

    All scores are in the units and with the sign of the user's metric; a loss stays a loss.

    Parameters
    ----------
    estimate : float
        Honest score: the naive score corrected by ``method`` for the winner having been chosen.
    interval : tuple of two floats, or None
        Interval that aims to hold the winner's true score in a share ``level`` of searches; None
        where the scores show no noise, or the estimate lies on the only bound of the metric.
    level : float
        Confidence level of ``interval``.
    method : str
        Key of the estimator behind ``estimate``.
    naive : float
        The winner's mean score, as the search prints it.
    naive_pooled : float, optional
        The winner's score on all rows together, for metrics such as R2 whose mean over small
        splits errs by itself; ``estimate``, ``interval`` and ``optimism`` are then on this scale.
        None without results of single rows.
    optimism : float
        How much too good ``naive`` looks, or ``naive_pooled`` where it is given; positive
        whatever the sign of the metric.
    estimates : mapping of str to Estimate
        Every estimator that the scores allow.
    n_splits, n_candidates, n_used : int
        Splits, candidates, and candidates that take part.
    left_out : mapping of int to str
        Candidates that take no part, each with the reason.
    best_index : int
        The winner, counted among all candidates.
    best_params : mapping, optional
        Its settings, where the source holds them; not part of comparisons, as arrays and
        estimators among them need not compare.
    metric : str
        Name of the metric.
    greater_is_better : bool
        False for a loss.
    noise : float
        Standard error of a candidate's mean score that can favour it over others: what is left
        after removing what all candidates share on a split. Zero where nothing was chosen.
    spread : float
        Standard deviation between the candidates' mean scores. Zero where nothing was chosen.
    n_fits : int, optional
        Model fits behind the report, where that is known.
    n_fresh : int
        Fresh partitions on which the better candidates were judged again.
    source : str
        What the scores were read from.
    notes : tuple of str
        What was done on the way.
    table : ScoreTable, optional
        The scores themselves; not part of comparisons.
    differences : Differences, optional
        The winner minus each candidate that takes part, behind `runners_up`.
    """

    estimate: float
    interval: tuple[float, float] | None
    level: float
    method: str
    naive: float
    optimism: float
    estimates: Mapping[str, Estimate]
    n_splits: int
    n_candidates: int
    n_used: int
    left_out: Mapping[int, str]
    best_index: int
    best_params: Mapping[str, Any] | None = field(compare=False)
    metric: str
    greater_is_better: bool
    noise: float
    spread: float
    naive_pooled: float | None = None
    n_fits: int | None = None
    n_fresh: int = 0
    source: str = field(default="score table", compare=False)
    notes: tuple[str, ...] = ()
    table: ScoreTable | None = field(default=None, repr=False, compare=False)
    differences: Differences | None = field(default=None, repr=False, compare=False)

    @property
    def target(self) -> str:
        """What ``estimate`` estimates."""
        return self.estimates[self.method].target

    @property
    def indistinguishable(self) -> tuple[int, ...]:
        """Other candidates that may be the best: the confidence set at ``level``."""
        return self.runners_up().indices

    @property
    def advice(self) -> tuple[str, ...]:
        """Two or three sentences to put under a table."""
        return advise(as_loss(self))

    def __str__(self) -> str:
        return render.to_text(self)

    runners_up = gather_runners_up
    details = render.to_details
    _repr_html_ = render.to_html
    to_dict = render.to_dict
    to_json = render.to_json
    to_frame = render.to_frame
    to_markdown = render.to_markdown
    to_latex = paper.to_latex
    methods_text = paper.methods_text
    bibtex = paper.bibtex

    def save(self, path: str | PathLike[str]) -> None:
        """Write the report as a page that opens offline, on a phone or a desktop, light or dark.

        Parameters
        ----------
        path : str or path-like
            Such as ``"report.html"``; a file of that name is overwritten. The pictures need
            matplotlib; without it the page says so in their place.
        """
        from skmaxev.plotting.page import to_page  # noqa: PLC0415 - pictures stand on reports

        if Path(path).suffix.lower() not in {".html", ".htm", ""}:
            raise ValueError(
                f"path must end in .html, since a page is written; got {str(path)!r}. For other "
                "forms there are to_json(), to_frame(), to_latex() and plot()."
            )
        Path(path).write_text(to_page(self), encoding="utf-8")

    def plot(self, *, ax: Any = None) -> Any:
        """Draw the candidates' scores with the naive and the honest score.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure if omitted.
        """
        from skmaxev.plotting import SelectionBiasDisplay  # noqa: PLC0415 - it stands on reports

        return SelectionBiasDisplay.from_report(self).plot(ax=ax)
