"""Candidate tables for tests: from dictionaries, and random ones; scores of their networks by definition."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence

import numpy as np
from hypothesis import strategies as st

from bnsearch.parent_sets.table import ParentSets

Candidates = list[dict[frozenset[int], float]]


def table_of(candidates: Candidates) -> ParentSets:
    """Return a table with the given parent sets and scores of each variable."""
    rows = [(v, score, sorted(s)) for v, sets in enumerate(candidates) for s, score in sets.items()]
    return ParentSets.build(
        [f"x{v}" for v in range(len(candidates))],
        np.array([v for v, _, _ in rows], dtype=np.int32),
        np.array([score for _, score, _ in rows]),
        np.cumsum([0] + [len(s) for _, _, s in rows]),
        np.array([u for _, _, s in rows for u in s], dtype=np.int32),
    )


@st.composite
def candidate_tables(draw: st.DrawFn, *, max_variables: int = 6, max_sets: int = 8) -> ParentSets:
    """
    Draw a table of up to `max_variables` variables with up to `max_sets` parent sets each, with many ties.

    A parent set is drawn as the bits of one number, which takes a quarter of the time of drawing its members.
    """
    n = draw(st.integers(1, max_variables))
    quarters = st.integers(-12, 0)
    rows = st.lists(st.tuples(st.integers(0, 2 ** (n - 1) - 1), quarters), max_size=max_sets)
    candidates: Candidates = []
    for v in range(n):
        others = [u for u in range(n) if u != v]
        sets = {frozenset(u for i, u in enumerate(others) if bits >> i & 1): score / 4 for bits, score in draw(rows)}
        candidates.append({**sets, frozenset(): draw(quarters) / 4})
    return table_of(candidates)


def random_candidates(n: int, sets: int, max_parents: int, seed: int) -> ParentSets:
    """Return a table of random parent sets; larger ones score higher, so that many of them are on cycles."""
    rng = np.random.default_rng(seed)
    candidates: Candidates = []
    for v in range(n):
        others = [u for u in range(n) if u != v]
        own = {frozenset[int](): -10.0 - float(rng.random())}
        for _ in range(sets):
            chosen = rng.choice(others, size=rng.integers(1, min(max_parents, n - 1) + 1), replace=False)
            own[frozenset(chosen.tolist())] = float(rng.normal(-10 + len(chosen), 2))
        candidates.append(own)
    return table_of(candidates)


def hub_candidates(n: int, widths: Sequence[int], seed: int) -> ParentSets:
    """
    Return a table whose first variables have the given numbers of candidates, and all others up to six; many ties.

    A set scores its size plus up to 3/4, which is more than any subset, so that no set is dominated.
    """
    rng = np.random.default_rng(seed)
    candidates: Candidates = []
    for v in range(n):
        width = widths[v] if v < len(widths) else int(rng.integers(0, 7))
        pool = rng.permutation([u for u in range(n) if u != v])[:width].tolist()
        cuts = sorted(rng.choice(width, size=width // 2, replace=False).tolist())
        pieces = [pool[i:j] for i, j in itertools.pairwise([0, *cuts, width])]  # each candidate is in one of them
        more = [rng.choice(pool, size=rng.integers(1, min(5, width) + 1), replace=False).tolist() for _ in pool]
        sets = {frozenset[int](piece) for piece in [*pieces, *more]}
        candidates.append({own: len(own) + int(rng.integers(4)) / 4 for own in sets} | {frozenset(): 0.0})
    return table_of(candidates)


@st.composite
def hub_tables(draw: st.DrawFn) -> ParentSets:
    """Draw a table of 140 variables, three of which have numbers of candidates around 64 or 128, or all others."""
    widths = draw(st.lists(st.sampled_from([63, 64, 65, 127, 128, 129, 139]), min_size=3, max_size=3))
    return hub_candidates(140, widths, draw(st.integers(0, 2**32 - 1)))


@st.composite
def dense_tables(draw: st.DrawFn) -> ParentSets:
    """Draw a table of four to nine variables, each of which has all others as candidates."""
    n = draw(st.integers(4, 9))
    return hub_candidates(n, [n - 1] * n, draw(st.integers(0, 2**32 - 1)))


def ordering_score(table: ParentSets, order: Sequence[int]) -> float:
    """Return the score of an ordering by definition: each variable has its best parent set of predecessors."""
    best = []
    for i, v in enumerate(order):
        before = set(order[:i])
        best.append(max(score for score, parents in table.sets(v) if before.issuperset(parents)))
    return math.fsum(best)


def networks(table: ParentSets) -> Iterator[tuple[float, list[set[int]]]]:
    """Yield the score and the parents of every acyclic choice of parent sets."""
    for choice in itertools.product(*(list(table.sets(v)) for v in range(table.n_variables))):
        parents = [set(members) for _, members in choice]
        if is_acyclic(parents):
            yield math.fsum(score for score, _ in choice), parents


def is_acyclic(parents: Sequence[set[int]]) -> bool:
    """Return True if parent sets form no cycle: variables without parents can be removed until none is left."""
    left = set(range(len(parents)))
    while left:
        free = {v for v in left if not parents[v] & left}
        if not free:
            return False
        left -= free
    return True
