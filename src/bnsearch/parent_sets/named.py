"""Selections of parent sets by name."""

from __future__ import annotations

from bnsearch._tools.registry import make
from bnsearch.parent_sets.auto import Auto
from bnsearch.parent_sets.builder import Builder
from bnsearch.parent_sets.greedy import Greedy
from bnsearch.parent_sets.independence import Independence
from bnsearch.parent_sets.sequential import Sequential

SELECTIONS: dict[str, type[Auto] | type[Sequential] | type[Greedy] | type[Independence]] = {
    "auto": Auto,
    "sequential": Sequential,
    "greedy": Greedy,
    "independence": Independence,
}


def make_selection(name: str, /, **parameters: object) -> Builder:
    """Make a selection from its name and parameters: make_selection("sequential", max_parents=2)."""
    return make("selection", SELECTIONS, name, parameters, {})
