"""From a skeleton and what separates its variables to a DAG."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from bnsearch.graphs.dag import DAG
from bnsearch.independence.separation import Neighbours, reached
from bnsearch.independence.tester import PairTester
from bnsearch.knowledge.constraints import Constraints

Triple = tuple[int, int, int]


def colliders(
    tester: PairTester,
    neighbours: Neighbours,
    separator: Callable[[int, int], set[int] | None],
    strengths: NDArray[np.float64],
) -> list[Triple]:
    """
    Return every (x, z, y) that shows as x -> z <- y, those with the strongest weaker edge first.

    x and z, z and y are joined, x and y are not; z is not in what separates x from y; and knowing z besides that makes
    x and y dependent, and more so than they were: were z a cause of one of the two, it would not.

    Parameters
    ----------
    tester : the data and the test
    neighbours : of each variable
    separator : returns what two variables are independent given, None where nothing is known to separate them
    strengths : float64[n, n], of the pairs' own dependences
    """
    triples, pairs, conditions = [], [], []
    for z, around in enumerate(neighbours):
        for x, y in combinations(sorted(around), 2):
            separating = None if y in neighbours[x] else separator(x, y)
            if separating is not None and z not in separating:
                triples.append((x, z, y))
                pairs.append((x, y))
                conditions.append(sorted(separating))
    without = tester.strengths(pairs, conditions)
    given = tester.strengths(pairs, [[*s, z] for s, (_, z, _) in zip(conditions, triples, strict=True)])
    shown = [triple for triple, keep in zip(triples, (given > 0) & (given > without), strict=True) if keep]
    return sorted(shown, key=lambda triple: -min(strengths[triple[0], triple[1]], strengths[triple[1], triple[2]]))


def orient(
    names: Sequence[str],
    neighbours: Neighbours,
    triples: Sequence[Triple],
    ranked: Sequence[int],
    known: Constraints | None = None,
) -> DAG:
    """
    Direct a skeleton: what is known, the v-structures in turn, each unless it contradicts those before; then the rest.

    The variables are taken away one after another, always one that no directed edge leaves: its undirected edges are
    directed to it. Of several, the one goes first that makes the fewest new v-structures, and then the last of
    `ranked`. Where the rest can be directed without new v-structures, it is: this is then the algorithm of Dor & Tarsi
    (1992). What is not legal in the end is mended by leaving out edges.
    """
    pairs = [(x, y) for x, around in enumerate(neighbours) for y in around if x < y]
    parents = accepted(triples, len(names), pairs, known)
    children = [sum(v in parents[w] for w in around) for v, around in enumerate(neighbours)]
    rank = {v: i for i, v in enumerate(ranked)}
    left = set(ranked)

    def cost(v: int) -> tuple[int, int]:
        around = (neighbours[v] & left) - parents[v]  # new parents
        others = neighbours[v] & left
        return sum(len(others - neighbours[x]) - 1 for x in around), -rank[v]  # x itself is among the others

    costs = {v: cost(v) for v in left}
    while left:
        last = min((v for v in left if not children[v]), key=costs.__getitem__)
        for parent in parents[last]:
            children[parent] -= 1
        parents[last] |= neighbours[last] & left
        left.remove(last)
        costs.update({v: cost(v) for v in neighbours[last] & left})
    return DAG(names, parents if known is None else known.legalise([sorted(p) for p in parents]))


def accepted(
    triples: Sequence[Triple], n: int, pairs: Iterable[tuple[int, int]] = (), known: Constraints | None = None
) -> list[set[int]]:
    """
    Return each variable's parents by the v-structures, less those that would close a cycle with earlier ones.

    Where something is known the required edges come first, then those of the pairs that may only point one way; and a
    v-structure counts if its edges are allowed.
    """
    parents: list[set[int]] = [set() for _ in range(n)]
    children: list[set[int]] = [set() for _ in range(n)]
    edges = [] if known is None else [*required_edges(known), *one_way(pairs, known)]
    causes = [({x}, z) for x, z in edges] + [({x, y}, z) for x, z, y in triples]
    for several, effect in causes:
        legal = known is None or known.allowed[effect, list(several)].all()
        if legal and not several <= parents[effect] and not several & reached(children, effect):
            parents[effect] |= several
            for cause in several:
                children[cause].add(effect)
    return parents


def required_edges(known: Constraints) -> list[tuple[int, int]]:
    """Return the edges (parent, child) that must be there."""
    return [(parent, child) for child, parents in enumerate(known.required_parents) for parent in parents]


def one_way(pairs: Iterable[tuple[int, int]], known: Constraints) -> list[tuple[int, int]]:
    """Return the edges (parent, child) of pairs that may be joined in one direction only."""
    both = [(x, y) for pair in pairs for x, y in (pair, pair[::-1])]
    return [(x, y) for x, y in both if known.allowed[y, x] and not known.allowed[x, y]]


def topological(parents: Sequence[set[int]], order: Sequence[int]) -> list[int]:
    """Return the variables parents first, and otherwise in the given order."""
    placed: dict[int, None] = {}
    left = list(order)
    while left:
        free = next(v for v in left if parents[v] <= placed.keys())
        placed[free] = None
        left.remove(free)
    return list(placed)
