"""Topological orders."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from heapq import heapify, heappop, heappush


def topological_order(parents: Sequence[Collection[int]], rank: Sequence[int] | None = None) -> list[int]:
    """
    Return the variables with parents before children.

    The next variable is always the one with the lowest rank among those whose parents are placed. Variables on a cycle
    or below one are never placed, so they are missing.

    Parameters
    ----------
    parents : the parents of each variable
    rank : a different number for each variable; None means its index
    """
    ranks = range(len(parents)) if rank is None else rank
    children: list[list[int]] = [[] for _ in parents]
    for child, its_parents in enumerate(parents):
        for parent in its_parents:
            children[parent].append(child)
    unplaced_parents = [len(its_parents) for its_parents in parents]
    free = [(ranks[v], v) for v, number in enumerate(unplaced_parents) if number == 0]
    heapify(free)
    order: list[int] = []
    while free:
        _, v = heappop(free)
        order.append(v)
        for child in children[v]:
            unplaced_parents[child] -= 1
            if unplaced_parents[child] == 0:
                heappush(free, (ranks[child], child))
    return order
