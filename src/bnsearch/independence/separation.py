"""Cut-sets in an undirected graph: which variables could make two others independent."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from itertools import combinations

from bnsearch.independence.tester import PairTester

Neighbours = list[set[int]]


def reached(neighbours: Neighbours, start: int, without: int | None = None) -> set[int]:
    """Return the variables that paths from `start` lead to, not by way of `without`."""
    found = {start} if without is None else {start, without}
    waiting = [start]
    while waiting:
        new = neighbours[waiting.pop()] - found
        found |= new
        waiting += new
    return found - {without}


def cut_candidates(neighbours: Neighbours, x: int, y: int) -> tuple[list[int], list[int]]:
    """
    Return what may separate x from y at the side of x: its neighbours on paths to y, and theirs.

    An edge between x and y themselves is not a path.
    """
    across = reached(neighbours, y, without=x) - {y}
    near = neighbours[x] & across
    far = {w for v in near for w in neighbours[v]} & across - near
    return sorted(near), sorted(far)


def separating_set(
    tester: PairTester, x: int, y: int, cut: Iterable[int], importance: Callable[[int], float]
) -> set[int] | None:
    """
    Return a subset of a cut-set given which x and y are independent, or None where none is found.

    Members leave one at a time, always the one without which x and y depend least, as long as that weakens the
    dependence (Cheng et al. 2002, procedure EdgeNeeded_H). Where a set is too large to be tested on these rows, its
    least important member leaves first.
    """
    members = sorted(cut, key=importance)
    room = tester.room(x, y)
    while members and math.prod(tester.data.arities[members].tolist()) > room:
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


def separating_subset(tester: PairTester, x: int, y: int, cut: Iterable[int], most: int) -> set[int] | None:
    """Return the smallest subset, of at most so many members, given which x and y are independent, or None."""
    members = sorted(cut)
    for size in range(min(most, len(members)) + 1):
        conditions = list(combinations(members, size))
        independent = tester.strengths([(x, y)] * len(conditions), conditions) <= 0
        if independent.any():
            return set(conditions[int(independent.argmax())])
    return None
