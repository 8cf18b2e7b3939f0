"""Orientation of a skeleton: v-structures that tests confirm, and a DAG that has them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from bnsearch.graphs.dag import DAG
from bnsearch.independence.separation import Neighbours, find_reachable
from bnsearch.independence.tester import PairTester
from bnsearch.knowledge.constraints import Constraints

Triple = tuple[int, int, int]


def find_colliders(
    tester: PairTester,
    neighbours: Neighbours,
    find_separator: Callable[[int, int], set[int] | None],
    strengths: NDArray[np.float64],
) -> list[Triple]:
    """
    Return every (x, z, y) that the tests show to be x -> z <- y, sorted by the weaker of its two edges.

    z is a neighbour of x and of y, which are not neighbours, and z is not in the set that separates them. Given that
    set and z, x and y are dependent, and more strongly than given the set alone. If z were a cause of one of them, they
    would not be.

    Parameters
    ----------
    tester : the data and the test
    neighbours : the neighbours of each variable
    find_separator : returns a set given which two variables are independent, None if none is known
    strengths : float64[n, n], strengths of the dependences without a condition
    """
    triples, pairs, conditions = [], [], []
    for z, around in enumerate(neighbours):
        for x, y in combinations(sorted(around), 2):
            separating = None if y in neighbours[x] else find_separator(x, y)
            if separating is not None and z not in separating:
                triples.append((x, z, y))
                pairs.append((x, y))
                conditions.append(sorted(separating))
    without = tester.strengths(pairs, conditions)
    given = tester.strengths(pairs, [[*s, z] for s, (_, z, _) in zip(conditions, triples, strict=True)])
    found = [triple for triple, keep in zip(triples, (given > 0) & (given > without), strict=True) if keep]
    return sorted(found, key=lambda triple: -min(strengths[triple[0], triple[1]], strengths[triple[1], triple[2]]))


def orient_skeleton(
    names: Sequence[str],
    neighbours: Neighbours,
    triples: Sequence[Triple],
    tie_order: Sequence[int],
    known: Constraints | None = None,
) -> DAG:
    """
    Return a DAG with this skeleton: known directions first, then the v-structures, then the other edges.

    A v-structure that contradicts an earlier one is skipped. Then variables are removed one after the other, always one
    without children, and its undirected edges are directed to it. Of several, the one that makes the fewest new
    v-structures is removed first, then the last in `tie_order`. If the other edges can be directed without new
    v-structures, they are: the algorithm is then that of Dor & Tarsi (1992). Edges that are illegal in the end are
    left out.
    """
    pairs = [(x, y) for x, around in enumerate(neighbours) for y in around if x < y]
    parents = accept_v_structures(triples, len(names), pairs, known)
    children = [sum(v in parents[w] for w in around) for v, around in enumerate(neighbours)]
    rank = {v: i for i, v in enumerate(tie_order)}
    left = set(tie_order)

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


def accept_v_structures(
    triples: Sequence[Triple], n: int, pairs: Iterable[tuple[int, int]] = (), known: Constraints | None = None
) -> list[set[int]]:
    """
    Return the parents of each variable in the v-structures; one that closes a cycle with earlier ones is skipped.

    With knowledge, the required edges come first, then the pairs with one allowed direction. V-structures with a
    forbidden edge are skipped.
    """
    parents: list[set[int]] = [set() for _ in range(n)]
    children: list[set[int]] = [set() for _ in range(n)]
    edges = [] if known is None else [*list_required_edges(known), *list_one_way_edges(pairs, known)]
    claims = [({x}, z) for x, z in edges] + [({x, y}, z) for x, z, y in triples]
    for causes, effect in claims:
        legal = known is None or known.allowed[effect, list(causes)].all()
        if legal and not causes <= parents[effect] and not causes & find_reachable(children, effect):
            parents[effect] |= causes
            for cause in causes:
                children[cause].add(effect)
    return parents


def list_required_edges(known: Constraints) -> list[tuple[int, int]]:
    """Return the required edges (parent, child)."""
    return [(parent, child) for child, parents in enumerate(known.required_parents) for parent in parents]


def list_one_way_edges(pairs: Iterable[tuple[int, int]], known: Constraints) -> list[tuple[int, int]]:
    """Return the edges (parent, child) of pairs that have one allowed direction only."""
    both = [(x, y) for pair in pairs for x, y in (pair, pair[::-1])]
    return [(x, y) for x, y in both if known.allowed[y, x] and not known.allowed[x, y]]
