"""The pattern of a graph: its skeleton and v-structures, which Markov equivalent DAGs share.

Verma and Pearl (1990): two DAGs are equivalent if and only if their patterns are equal.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from itertools import combinations

Edge = tuple[str, str]
VStructure = tuple[str, str, str]


def skeleton_of(edges: Iterable[Edge]) -> frozenset[Edge]:
    """Return each pair of adjacent variables once, its names in alphabetical order."""
    return frozenset((a, b) if a < b else (b, a) for a, b in edges)


def v_structures_of(
    names: Sequence[str], parents: Sequence[Collection[int]], skeleton: Collection[Edge]
) -> frozenset[VStructure]:
    """Return the triples (a, c, b) of names, a < b not adjacent, with a -> c <- b."""
    return frozenset(
        (a, child, b)
        for child, its_parents in zip(names, parents, strict=True)
        for a, b in combinations(sorted(names[p] for p in its_parents), 2)
        if (a, b) not in skeleton
    )
