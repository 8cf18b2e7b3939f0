"""Separation of two variables in an undirected graph: cut-sets, and subsets of them that tests confirm."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from itertools import combinations

from bnsearch.independence.tester import PairTester

Neighbours = list[set[int]]


def find_reachable(neighbours: Neighbours, start: int, without: int | None = None) -> set[int]:
    """Return the variables on paths from `start` that avoid `without`, including `start`."""
    found = {start} if without is None else {start, without}
    unvisited = [start]
    while unvisited:
        new = neighbours[unvisited.pop()] - found
        found |= new
        unvisited += new
    return found - {without}


def find_cut_candidates(neighbours: Neighbours, x: int, y: int) -> tuple[list[int], list[int]]:
    """
    Return the candidates of a cut-set at the side of x: its neighbours on paths to y, and the neighbours of these.

    An edge between x and y does not count as a path.
    """
    across = find_reachable(neighbours, y, without=x) - {y}
    near = neighbours[x] & across
    far = {w for v in near for w in neighbours[v]} & across - near
    return sorted(near), sorted(far)


def shrink_cut_set(
    tester: PairTester, x: int, y: int, cut: Iterable[int], importance: Callable[[int], float]
) -> set[int] | None:
    """
    Return a subset of a cut-set given which x and y are independent, or None if none is found.

    Members are removed one at a time, always the one without which x and y depend least, while that does not
    strengthen the dependence (Cheng et al. 2002, procedure EdgeNeeded_H). Before that, the least important members are
    removed until the set is small enough for a test on these rows.
    """
    members = sorted(cut, key=importance)
    max_cells = tester.max_condition_cells(x, y)
    while members and math.prod(tester.data.arities[members].tolist()) > max_cells:
        members.pop(0)
    strength = tester.strengths([(x, y)], [members])[0]
    while strength > 0 and members:
        fewer = [[m for m in members if m != left] for left in members]
        strengths = tester.strengths([(x, y)] * len(fewer), fewer)
        weakest = int(strengths.argmin())
        if strengths[weakest] > strength:
            return None
        members, strength = fewer[weakest], strengths[weakest]
    return set(members) if strength <= 0 else None


def find_separating_subset(tester: PairTester, x: int, y: int, cut: Iterable[int], max_size: int) -> set[int] | None:
    """Return the smallest subset, of at most `max_size` members, given which x and y are independent, or None."""
    members = sorted(cut)
    for size in range(min(max_size, len(members)) + 1):
        conditions = list(combinations(members, size))
        independent = tester.strengths([(x, y)] * len(conditions), conditions) <= 0
        if independent.any():
            return set(conditions[int(independent.argmax())])
    return None
