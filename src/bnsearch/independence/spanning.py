"""Spanning forests of the strongest pairs."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from bnsearch.data.content import variables_by_content
from bnsearch.independence.tester import PairTester

Pair = tuple[int, int]


def compute_pair_strengths(tester: PairTester, halted: Callable[[], bool] = lambda: False) -> NDArray[np.float64]:
    """
    Return the strength of the dependence of each pair, float64[n, n]; minus infinity without evidence.

    Once `halted` returns True, the other pairs are not tested: their strength is minus infinity.
    """
    n = tester.data.n_variables
    strengths = np.full((n, n), -np.inf)
    for x in range(1, n):
        if not halted():
            row = tester.strengths([(x, y) for y in range(x)])
            strengths[x, :x] = strengths[:x, x] = np.where(np.isnan(row), -np.inf, row)
    return strengths


def sort_pairs_by_strength(tester: PairTester, strengths: NDArray[np.float64]) -> list[Pair]:
    """Return all pairs, the strongest first; equally strong ones are ordered by content."""
    variables = variables_by_content(tester.data)
    first, second = (variables[indices] for indices in np.triu_indices(len(variables), 1))
    order = np.argsort(-strengths[first, second], kind="stable")
    return list(zip(first[order].tolist(), second[order].tolist(), strict=True))


def build_spanning_forest(pairs: list[Pair], n: int) -> tuple[list[Pair], list[Pair]]:
    """Return the pairs that close no cycle with earlier ones (Kruskal 1956), and the other pairs."""
    group = list(range(n))
    forest: list[Pair] = []
    others: list[Pair] = []
    for x, y in pairs:
        if group[x] == group[y]:
            others.append((x, y))
            continue
        forest.append((x, y))
        old, new = group[y], group[x]
        group = [new if g == old else g for g in group]
    return forest, others


def walk_from_root(edges: list[Pair], n: int, root: int) -> list[int]:
    """Return the variables in breadth-first order from the root; those that no path joins to it come last."""
    neighbours: list[list[int]] = [[] for _ in range(n)]
    for x, y in edges:
        neighbours[x].append(y)
        neighbours[y].append(x)
    order: list[int] = []
    for start in [root, *range(n)]:  # the tree of the root, then the other trees
        level = [] if start in order else [start]
        while level:
            order += level
            level = [y for x in level for y in neighbours[x] if y not in order]
    return order
