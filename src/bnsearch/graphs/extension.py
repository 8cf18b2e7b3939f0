"""A consistent extension of a partially directed graph (Dor and Tarsi 1992)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bnsearch._tools.wording import listed
from bnsearch.errors import InputError
from bnsearch.graphs.dag import DAG

if TYPE_CHECKING:
    from bnsearch.graphs.pdag import PDAG


def extension(pdag: PDAG) -> DAG:
    """
    Return a consistent extension: a DAG with the graph's skeleton, directed edges and v-structures.

    Raises
    ------
    InputError
        if no such DAG exists

    References
    ----------
    Dor & Tarsi (1992), "A simple algorithm to construct a consistent extension of a partially oriented
    graph", technical report R-185, UCLA.

    Notes
    -----
    Take a variable that can come last, direct its undirected edges into it, remove it, repeat. Removing a variable
    matters only to the variables adjacent to it, so only these are tested again. Variables listed last are tried
    first: an edge that may have either direction then points from an earlier variable to a later one.
    """
    remaining = _Remaining(pdag)
    parents: list[set[int]] = [set() for _ in pdag.names]
    waiting = list(range(len(pdag.names)))
    removed = [False] * len(pdag.names)
    while waiting:
        x = waiting.pop()
        if not removed[x] and remaining.can_come_last(x):
            removed[x] = True
            parents[x] = remaining.remove(x)
            waiting += sorted(parents[x])
    if not all(removed):
        stuck = [name for name, gone in zip(pdag.names, removed, strict=True) if not gone]
        raise InputError(
            "the graph has no consistent extension: its undirected edges cannot be directed without a cycle "
            f"or a new v-structure among {listed(stuck)}"
        )
    return DAG(pdag.names, parents)


class _Remaining:
    """The part of a graph that has not been removed."""

    def __init__(self, pdag: PDAG) -> None:
        self.parents = [set(s) for s in pdag.parents]
        self.children = [set(s) for s in pdag.children]
        self.neighbours = [set(s) for s in pdag.neighbours]
        # Integers as bit sets: one AND tests an inclusion, so a dense graph of thousands of variables is no problem.
        self.adjacent = [sum(1 << j for j in s) for s in pdag.adjacent]

    def can_come_last(self, x: int) -> bool:
        """Return True if x has no child and each neighbour of x is adjacent to all others adjacent to x."""
        return not self.children[x] and all(
            (self.adjacent[x] & ~self.adjacent[y]) == 1 << y for y in self.neighbours[x]
        )

    def remove(self, x: int) -> set[int]:
        """Remove a variable that can come last; return the variables it was adjacent to, now its parents."""
        for p in self.parents[x]:
            self.children[p].remove(x)
        for y in self.neighbours[x]:
            self.neighbours[y].remove(x)
        joined = self.parents[x] | self.neighbours[x]
        for y in joined:
            self.adjacent[y] ^= 1 << x
        return joined
