"""The strongest pairs that join all variables without a circle."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from bnsearch.data.content import variables_by_content
from bnsearch.independence.tester import PairTester

Pair = tuple[int, int]


def pair_strengths(tester: PairTester, halted: Callable[[], bool] = lambda: False) -> NDArray[np.float64]:
    """
    Return how strongly each two variables depend, float64[n, n]; minus infinity where that cannot be told.

    Once `halted` says so, nothing is told any more.
    """
    n = tester.data.n_variables
    strengths = np.full((n, n), -np.inf)
    for x in range(1, n):
        if not halted():
            row = tester.strengths([(x, y) for y in range(x)])
            strengths[x, :x] = strengths[:x, x] = np.where(np.isnan(row), -np.inf, row)
    return strengths


def strongest_first(tester: PairTester, strengths: NDArray[np.float64]) -> list[Pair]:
    """Return all pairs, the strongest first, equals by content."""
    ranked = variables_by_content(tester.data)
    first, second = (ranked[places] for places in np.triu_indices(len(ranked), 1))
    order = np.argsort(-strengths[first, second], kind="stable")
    return list(zip(first[order].tolist(), second[order].tolist(), strict=True))


def spanning_forest(pairs: list[Pair], n: int) -> tuple[list[Pair], list[Pair]]:
    """Take each pair whose two variables are not joined yet (Kruskal); return those taken, and the rest."""
    group = list(range(n))
    taken: list[Pair] = []
    rest: list[Pair] = []
    for x, y in pairs:
        if group[x] == group[y]:
            rest.append((x, y))
            continue
        taken.append((x, y))
        old, new = group[y], group[x]
        group = [new if g == old else g for g in group]
    return taken, rest


def rooted(edges: list[Pair], n: int, root: int) -> list[int]:
    """Return the variables in the order in which a walk from the root over the edges meets them, nearest first."""
    neighbours: list[list[int]] = [[] for _ in range(n)]
    for x, y in edges:
        neighbours[x].append(y)
        neighbours[y].append(x)
    order: list[int] = []
    for start in [root, *range(n)]:  # the root's tree, then those that no edge joins to it
        waiting = [] if start in order else [start]
        while waiting:
            order += waiting
            waiting = [y for x in waiting for y in neighbours[x] if y not in order]
    return order
