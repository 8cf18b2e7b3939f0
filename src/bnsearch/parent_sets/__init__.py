"""Candidate parent sets: the table, its files, its relaxed solution and its builders."""

from __future__ import annotations

from bnsearch.parent_sets.auto import Auto
from bnsearch.parent_sets.builder import Builder
from bnsearch.parent_sets.greedy import Greedy
from bnsearch.parent_sets.independence import Independence
from bnsearch.parent_sets.jkl import read_scores, write_scores
from bnsearch.parent_sets.named import SELECTIONS, make_selection
from bnsearch.parent_sets.relaxed import Relaxed, relaxed
from bnsearch.parent_sets.scoring import Scoring
from bnsearch.parent_sets.selection import Selection, VariableReport
from bnsearch.parent_sets.sequential import Sequential
from bnsearch.parent_sets.subsets import Subsets
from bnsearch.parent_sets.table import ParentSets

__all__ = [
    "SELECTIONS",
    "Auto",
    "Builder",
    "Greedy",
    "Independence",
    "ParentSets",
    "Relaxed",
    "Scoring",
    "Selection",
    "Sequential",
    "Subsets",
    "VariableReport",
    "make_selection",
    "read_scores",
    "relaxed",
    "write_scores",
]
