"""Selection of candidate parent sets from data: builders, their budgets and their reports."""

from __future__ import annotations

from bnsearch.selection.auto import Auto
from bnsearch.selection.builder import Builder
from bnsearch.selection.greedy import Greedy
from bnsearch.selection.independence import Independence
from bnsearch.selection.named import SELECTIONS, make_selection
from bnsearch.selection.report import Selection, VariableReport
from bnsearch.selection.sequential import Sequential
from bnsearch.selection.subsets import Subsets

__all__ = [
    "SELECTIONS",
    "Auto",
    "Builder",
    "Greedy",
    "Independence",
    "Selection",
    "Sequential",
    "Subsets",
    "VariableReport",
    "make_selection",
]
