"""Selections of parent sets by name."""

from __future__ import annotations

from bnsearch._tools.registry import make, suggest
from bnsearch.errors import InputError
from bnsearch.selection.auto import Auto
from bnsearch.selection.builder import Builder
from bnsearch.selection.greedy import Greedy
from bnsearch.selection.independence import Independence
from bnsearch.selection.local_sets import LocalSets
from bnsearch.selection.sequential import Sequential

SELECTIONS: dict[str, type[Auto] | type[Sequential] | type[Greedy] | type[Independence] | type[LocalSets]] = {
    "auto": Auto,
    "sequential": Sequential,
    "greedy": Greedy,
    "independence": Independence,
    "local": LocalSets,
}


def make_selection(name: str, /, **parameters: object) -> Builder:
    """Make a selection from its name and parameters: make_selection("sequential", max_parents=2)."""
    if name.lower() not in SELECTIONS:
        raise InputError(
            f"there is no selection {name!r}{suggest(name, list(SELECTIONS))}: choose from {', '.join(SELECTIONS)}"
        )
    kind: type[Builder] = SELECTIONS[name.lower()]
    return make("selection", name.lower(), kind, parameters)
