"""Crossover operators: each makes one ordering from two."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from bnsearch.orderings.starts import Ordering


def invert_ordering(order: Ordering) -> Ordering:
    """Return the position of each variable."""
    position = np.empty_like(order)
    position[order] = np.arange(len(order), dtype=order.dtype)
    return position


def cycle_crossover(first: Ordering, second: Ordering, rng: np.random.Generator) -> Ordering:
    """
    Return the cycle crossover (CX) of two orderings: each position has the variable of one parent.

    A random free index and a random parent are drawn. The child takes the parent's variable at this index. The other
    parent has another variable there, which the child takes next, at its index in the drawn parent; and so on, until
    the indices form a cycle. This is repeated until all indices are filled.

    References
    ----------
    Lee & van Beek (2017), section 5.
    """
    child = np.empty_like(first)
    free = np.ones(len(first), dtype=bool)
    roles = (first, second, invert_ordering(first)), (second, first, invert_ordering(second))
    for start in rng.permutation(len(first)).tolist():
        if not free[start]:
            continue
        drawn, other, position = roles[rng.integers(2)]
        i = start
        while free[i]:
            child[i], free[i] = drawn[i], False
            i = position[other[i]]
    return child


def rank_crossover(first: Ordering, second: Ordering, rng: np.random.Generator) -> Ordering:
    """
    Return the rank crossover (RX) of two orderings: sorted by the mean position in both, ties at random.

    References
    ----------
    Lee & van Beek (2017), section 5.
    """
    rank = invert_ordering(first).astype(np.int64) + invert_ordering(second)
    return np.lexsort((rng.random(len(first)), rank)).astype(np.int32)


def order_crossover(first: Ordering, second: Ordering, rng: np.random.Generator) -> Ordering:
    """
    Return the order-based crossover (OB) of two orderings.

    Half of the variables, drawn at random, keep their positions of the first parent. The others fill the remaining
    positions in the order of the second parent.

    References
    ----------
    Lee & van Beek (2017), section 5.

    Notes
    -----
    With an odd number n of variables, (n - 1) / 2 of them keep their positions.
    """
    kept = rng.permutation(len(first))[: len(first) // 2]
    missing = np.ones(len(first), dtype=bool)  # by variable
    missing[first[kept]] = False
    gaps = np.ones(len(first), dtype=bool)  # by position
    gaps[kept] = False
    child = first.copy()
    child[gaps] = second[missing[second]]
    return child


CROSSOVERS: dict[str, Callable[[Ordering, Ordering, np.random.Generator], Ordering]] = {
    "cx": cycle_crossover,
    "rx": rank_crossover,
    "ob": order_crossover,
}
