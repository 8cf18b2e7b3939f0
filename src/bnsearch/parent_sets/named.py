"""Selections of parent sets by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from bnsearch.data import Dataset
from bnsearch.parent_sets.auto import Auto
from bnsearch.parent_sets.greedy import Greedy
from bnsearch.parent_sets.independence import Independence
from bnsearch.parent_sets.selection import Selection, no_progress
from bnsearch.parent_sets.sequential import Sequential
from bnsearch.registry import make
from bnsearch.scores.score import Score


class Builder(Protocol):
    """A way to select candidate parent sets."""

    def select(
        self,
        data: Dataset,
        score: Score,
        *,
        threads: int | None = None,
        progress: Callable[[str, int, int], None] = no_progress,
    ) -> Selection:
        """Build the candidate table of a dataset."""
        ...


SELECTIONS: dict[str, type[Auto] | type[Sequential] | type[Greedy] | type[Independence]] = {
    "auto": Auto,
    "sequential": Sequential,
    "greedy": Greedy,
    "independence": Independence,
}


def make_selection(name: str, **parameters: float | None) -> Builder:
    """Make a selection from its name and parameters: make_selection("sequential", max_parents=2)."""
    return make("selection", SELECTIONS, name, parameters, {})
