"""Candidate parent sets: the table, its files and its relaxed solution."""

from __future__ import annotations

from bnsearch.parent_sets.jkl import read_scores
from bnsearch.parent_sets.jkl_writer import write_scores
from bnsearch.parent_sets.relaxed import Relaxed, relaxed
from bnsearch.parent_sets.table import ParentSets

__all__ = [
    "ParentSets",
    "Relaxed",
    "read_scores",
    "relaxed",
    "write_scores",
]
