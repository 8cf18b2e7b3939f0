"""
Graphs by definition, slowly: sets of arcs over the variables 0..n-1, and enumeration.

A graph is a frozenset of arcs (i, j); in a partially directed one (i, j) and (j, i) together are i - j.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import combinations, product

import numpy as np
from hypothesis import strategies as st

from bnsearch.graphs.dag import DAG
from bnsearch.graphs.pdag import PDAG

Arcs = frozenset[tuple[int, int]]
Pattern = tuple[frozenset[frozenset[int]], frozenset[tuple[frozenset[int], int]]]

LETTERS = "abcdefghij"


def make_dag(n: int, arcs: Arcs) -> DAG:
    """Return the arcs as a DAG over letters."""
    return DAG(LETTERS[:n], [[i for i in range(n) if (i, j) in arcs] for j in range(n)])


def make_pdag(n: int, arcs: Arcs) -> PDAG:
    """Return the arcs as a PDAG over letters."""
    matrix = np.zeros((n, n), dtype=bool)
    for i, j in arcs:
        matrix[i, j] = True
    return PDAG(LETTERS[:n], matrix)


def arcs_of_dag(dag: DAG) -> Arcs:
    """Return a DAG's arcs."""
    return frozenset((parent, child) for child, parents in enumerate(dag.parents) for parent in parents)


def arcs_of_pdag(pdag: PDAG) -> Arcs:
    """Return a PDAG's arcs."""
    return frozenset((i, j) for i, j in np.argwhere(pdag.arcs).tolist())


def directed(arcs: Arcs) -> Arcs:
    """Return the arcs that do not have their opposite beside them."""
    return frozenset((i, j) for i, j in arcs if (j, i) not in arcs)


def is_acyclic(n: int, arcs: Arcs) -> bool:
    """Return True if variables without remaining parents can be removed until none is left."""
    left = set(range(n))
    while left:
        roots = {j for j in left if not any((i, j) in arcs for i in left)}
        if not roots:
            return False
        left -= roots
    return True


def skeleton(arcs: Arcs) -> frozenset[frozenset[int]]:
    """Return the adjacent pairs."""
    return frozenset(frozenset(arc) for arc in arcs)


def v_structures(arcs: Arcs) -> frozenset[tuple[frozenset[int], int]]:
    """Return ({a, b}, c) for each a -> c <- b with a and b not adjacent."""
    arrows, joined = directed(arcs), skeleton(arcs)
    return frozenset(
        (frozenset((a, b)), c)
        for (a, c), (b, other) in combinations(arrows, 2)
        if c == other and frozenset((a, b)) not in joined
    )


def pattern(arcs: Arcs) -> Pattern:
    """Return what Markov equivalent DAGs share (Verma and Pearl 1990)."""
    return skeleton(arcs), v_structures(arcs)


def all_graphs(n: int, *, undirected: bool) -> Iterator[Arcs]:
    """Enumerate every way to join n variables by arrows, and by lines if asked."""
    pairs = list(combinations(range(n), 2))
    for marks in product(("", ">", "<", "-") if undirected else ("", ">", "<"), repeat=len(pairs)):
        marked = list(zip(pairs, marks, strict=True))
        yield frozenset(
            [(i, j) for (i, j), mark in marked if mark in (">", "-")]
            + [(j, i) for (i, j), mark in marked if mark in ("<", "-")]
        )


@cache
def equivalence_classes(n: int) -> dict[Pattern, list[Arcs]]:
    """Group every DAG over n variables by its pattern."""
    classes: dict[Pattern, list[Arcs]] = defaultdict(list)
    for arcs in all_graphs(n, undirected=False):
        if is_acyclic(n, arcs):
            classes[pattern(arcs)].append(arcs)
    return dict(classes)


def union(members: Iterable[Arcs]) -> Arcs:
    """Overlay DAGs of one skeleton: an edge that two of them direct differently becomes undirected."""
    return frozenset().union(*members)


def consistent_extensions(n: int, arcs: Arcs) -> list[Arcs]:
    """Return every DAG with the graph's skeleton, directed edges and v-structures."""
    members = equivalence_classes(n).get(pattern(arcs), [])
    return [member for member in members if directed(arcs) <= member]


def random_dag(n: int, edges: int, seed: int) -> DAG:
    """Draw a DAG of about that many edges over a random order of n variables."""
    rng = np.random.default_rng(seed)
    order = rng.permutation(n)
    ends = np.sort(rng.integers(0, n, size=(edges, 2)), axis=1)
    parents: list[set[int]] = [set() for _ in range(n)]
    for first, last in ends[ends[:, 0] < ends[:, 1]]:
        parents[order[last]].add(int(order[first]))
    return DAG([f"v{i}" for i in range(n)], parents)


@st.composite
def dags(draw: st.DrawFn, n: int) -> DAG:
    """Draw a DAG over n letters: an order, and which of its pairs are joined."""
    order = draw(st.permutations(range(n)))
    pairs = list(combinations(order, 2))
    joined = draw(st.lists(st.booleans(), min_size=len(pairs), max_size=len(pairs)))
    return make_dag(n, frozenset(pair for pair, is_in in zip(pairs, joined, strict=True) if is_in))
