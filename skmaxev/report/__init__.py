"""The report of a search: frozen numbers, with the rendering beside them."""

from skmaxev.report.methods import METHODS
from skmaxev.report.report import Estimate, SelectionReport
from skmaxev.report.runners_up import RunnersUp

__all__ = ["METHODS", "Estimate", "RunnersUp", "SelectionReport"]
