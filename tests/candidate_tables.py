"""Candidate tables for tests: from dictionaries, at random, and what their networks score by definition."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence

import numpy as np
from hypothesis import strategies as st

from bnsearch.parent_sets.table import ParentSets

Candidates = list[dict[frozenset[int], float]]


def table_of(candidates: Candidates) -> ParentSets:
    """Build a table from each variable's sets and scores."""
    rows = [(v, score, sorted(s)) for v, sets in enumerate(candidates) for s, score in sets.items()]
    return ParentSets.build(
        [f"x{v}" for v in range(len(candidates))],
        np.array([v for v, _, _ in rows], dtype=np.int32),
        np.array([score for _, score, _ in rows]),
        np.cumsum([0] + [len(s) for _, _, s in rows]),
        np.array([u for _, _, s in rows for u in s], dtype=np.int32),
    )


@st.composite
def candidate_tables(draw: st.DrawFn, *, most: int = 6, sets: int = 8) -> ParentSets:
    """Draw up to so many sets for each of one to `most` variables, beside the empty one; scores with many ties."""
    n = draw(st.integers(1, most))
    score = st.integers(-12, 0).map(lambda x: x / 4)
    candidates = []
    for v in range(n):
        others = st.frozensets(st.sampled_from([u for u in range(n) if u != v] or [v]), max_size=n - 1)
        parents = others if n > 1 else st.just(frozenset())
        candidates.append({**draw(st.dictionaries(parents, score, max_size=sets)), frozenset(): draw(score)})
    return table_of(candidates)


def random_candidates(n: int, sets: int, most_parents: int, seed: int) -> ParentSets:
    """Return a table of random sets; larger ones score higher, so that many cycles compete."""
    rng = np.random.default_rng(seed)
    candidates: Candidates = []
    for v in range(n):
        others = [u for u in range(n) if u != v]
        own = {frozenset[int](): -10.0 - float(rng.random())}
        for _ in range(sets):
            chosen = rng.choice(others, size=rng.integers(1, min(most_parents, n - 1) + 1), replace=False)
            own[frozenset(chosen.tolist())] = float(rng.normal(-10 + len(chosen), 2))
        candidates.append(own)
    return table_of(candidates)


def hub_candidates(n: int, widths: Sequence[int], seed: int) -> ParentSets:
    """
    Return a table whose first variables have so many candidates each, and all others up to six; many ties.

    A set scores its size and up to 3/4: more than any subset, so that none is dropped.
    """
    rng = np.random.default_rng(seed)
    candidates: Candidates = []
    for v in range(n):
        width = widths[v] if v < len(widths) else int(rng.integers(0, 7))
        pool = rng.permutation([u for u in range(n) if u != v])[:width].tolist()
        cuts = sorted(rng.choice(width, size=width // 2, replace=False).tolist())
        pieces = [pool[i:j] for i, j in itertools.pairwise([0, *cuts, width])]  # every candidate is in one of them
        more = [rng.choice(pool, size=rng.integers(1, min(5, width) + 1), replace=False).tolist() for _ in pool]
        sets = {frozenset[int](piece) for piece in [*pieces, *more]}
        candidates.append({own: len(own) + int(rng.integers(4)) / 4 for own in sets} | {frozenset(): 0.0})
    return table_of(candidates)


@st.composite
def hub_tables(draw: st.DrawFn) -> ParentSets:
    """Draw a table of 140 variables, three of them with a number of candidates at which the kernels' words end."""
    widths = draw(st.lists(st.sampled_from([63, 64, 65, 127, 128, 129, 139]), min_size=3, max_size=3))
    return hub_candidates(140, widths, draw(st.integers(0, 2**32 - 1)))


@st.composite
def dense_tables(draw: st.DrawFn) -> ParentSets:
    """Draw a table of four to nine variables in which everyone is a candidate of everyone else."""
    n = draw(st.integers(4, 9))
    return hub_candidates(n, [n - 1] * n, draw(st.integers(0, 2**32 - 1)))


def ordering_score(table: ParentSets, order: Sequence[int]) -> float:
    """Return an ordering's score by definition: each variable takes its best set among those before it."""
    best = []
    for i, v in enumerate(order):
        before = set(order[:i])
        best.append(max(score for score, parents in table.sets(v) if before.issuperset(parents)))
    return math.fsum(best)


def networks(table: ParentSets) -> Iterator[tuple[float, list[set[int]]]]:
    """Yield the score and the parents of every acyclic choice of sets: one in which some variable always comes next."""
    for choice in itertools.product(*(list(table.sets(v)) for v in range(table.n_variables))):
        parents = [set(members) for _, members in choice]
        if is_acyclic(parents):
            yield math.fsum(score for score, _ in choice), parents


def is_acyclic(parents: Sequence[set[int]]) -> bool:
    """Tell whether parent sets are free of cycles: as long as some are left, one has all its parents placed."""
    left = set(range(len(parents)))
    while left:
        free = {v for v in left if not parents[v] & left}
        if not free:
            return False
        left -= free
    return True
