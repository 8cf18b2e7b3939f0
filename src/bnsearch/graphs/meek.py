"""Meek's orientation rules: the edges that have the same direction in all consistent extensions of a graph."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from typing import Protocol

from bnsearch.graphs.extension import extension
from bnsearch.graphs.pdag import PDAG


class Orientation(Protocol):
    """The relatives of each variable, which the rules test: of a PDAG, or of a graph that is being directed."""

    @property
    def parents(self) -> Sequence[Set[int]]:
        """The j with j -> i."""

    @property
    def children(self) -> Sequence[Set[int]]:
        """The j with i -> j."""

    @property
    def neighbours(self) -> Sequence[Set[int]]:
        """The j with i - j."""

    @property
    def adjacent(self) -> Sequence[Set[int]]:
        """The j with any edge to i."""


def is_oriented_by_meek_rule_1(graph: Orientation, a: int, b: int) -> bool:
    """
    Return True if a - b must be a -> b because of c -> a, with c and b not adjacent.

    With b -> a there would be a new v-structure.
    """
    return not graph.parents[a] <= graph.adjacent[b]


def is_oriented_by_meek_rule_2(graph: Orientation, a: int, b: int) -> bool:
    """Return True if a - b must be a -> b because of a -> c -> b: b -> a would close a cycle."""
    return not graph.children[a].isdisjoint(graph.parents[b])


def is_oriented_by_meek_rule_3(graph: Orientation, a: int, b: int) -> bool:
    """
    Return True if a - b must be a -> b because of a - c -> b and a - d -> b, with c and d not adjacent.

    With b -> a, rule 2 would give c -> a and d -> a: a new v-structure.
    """
    between = graph.neighbours[a] & graph.parents[b]
    return any(not between - {c} <= graph.adjacent[c] for c in between)


def is_oriented_by_meek_rule_4(graph: Orientation, a: int, b: int) -> bool:
    """
    Return True if a - b must be a -> b because of a - d -> c -> b, with a and c adjacent, d and b not.

    With b -> a, rule 1 would give a -> d and close the cycle a -> d -> c -> b -> a.
    """
    starts = graph.neighbours[a] - graph.adjacent[b]
    return any(not starts.isdisjoint(graph.parents[c]) for c in graph.parents[b] & graph.adjacent[a])


MEEK_RULES = (
    is_oriented_by_meek_rule_1,
    is_oriented_by_meek_rule_2,
    is_oriented_by_meek_rule_3,
    is_oriented_by_meek_rule_4,
)


def meek_closure(pdag: PDAG) -> PDAG:
    """
    Direct every edge that has the same direction in all consistent extensions of the graph.

    The closure of the pattern of a class (skeleton and v-structures) is its CPDAG. With further edges directed by
    background knowledge, the closure has all directions that follow from the pattern and the knowledge.

    Raises
    ------
    InputError
        where the graph has no consistent extension, so that the rules would contradict each other

    References
    ----------
    Meek (1995), "Causal inference and causal explanation with background knowledge", UAI.
    """
    _ = extension(pdag)
    graph = _PartlyDirected(pdag)
    heads = [b for b, parents in enumerate(pdag.parents) if parents]  # heads of edges whose effects are not known yet
    while heads:
        for a, b in list(_find_affected(graph, heads.pop())):
            if b in graph.neighbours[a] and any(rule(graph, a, b) for rule in MEEK_RULES):
                graph.orient(a, b)
                heads.append(b)
    arcs = pdag.arcs.copy()
    for child, parents in enumerate(graph.parents):
        arcs[child, list(parents)] = False
    return PDAG(pdag.names, arcs)


def _find_affected(graph: Orientation, v: int) -> Iterator[tuple[int, int]]:
    """Yield the edges a - b that a rule may turn into a -> b because of an edge u -> v."""
    yield from ((v, b) for b in graph.neighbours[v])  # rule 1
    yield from ((a, v) for a in graph.neighbours[v])  # rule 3; u -> v ends the chain of rule 2 or 4
    yield from ((a, b) for b in graph.children[v] for a in graph.neighbours[b])  # u -> v starts that chain


class _PartlyDirected:
    """A graph whose undirected edges become directed one by one."""

    def __init__(self, pdag: PDAG) -> None:
        self.parents = [set(s) for s in pdag.parents]
        self.children = [set(s) for s in pdag.children]
        self.neighbours = [set(s) for s in pdag.neighbours]
        self.adjacent = pdag.adjacent

    def orient(self, a: int, b: int) -> None:
        """Turn a - b into a -> b."""
        self.neighbours[a].remove(b)
        self.neighbours[b].remove(a)
        self.children[a].add(b)
        self.parents[b].add(a)
