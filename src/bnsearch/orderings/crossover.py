"""Crossovers: an ordering made from two, each variable somewhere near where its parents have it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from bnsearch.orderings.starts import Ordering


def positions(order: Ordering) -> Ordering:
    """Return where each variable stands."""
    position = np.empty_like(order)
    position[order] = np.arange(len(order), dtype=order.dtype)
    return position


def cycle_crossover(first: Ordering, second: Ordering, rng: np.random.Generator) -> Ordering:
    """
    Take every position from one parent or the other (CX).

    A random free index and a random parent are drawn; the parent fills the index and the whole cycle of indices that
    this forces; and again, until all are filled.

    References
    ----------
    Lee & van Beek (2017), section 5.
    """
    child = np.empty_like(first)
    free = np.ones(len(first), dtype=bool)
    pairs = (first, second, positions(first)), (second, first, positions(second))
    for start in rng.permutation(len(first)).tolist():
        if not free[start]:
            continue
        giver, other, where = pairs[rng.integers(2)]
        i = start
        while free[i]:
            child[i], free[i] = giver[i], False
            i = where[other[i]]
    return child


def rank_crossover(first: Ordering, second: Ordering, rng: np.random.Generator) -> Ordering:
    """
    Sort the variables by the mean of their two positions, ties at random (RX).

    References
    ----------
    Lee & van Beek (2017), section 5.
    """
    rank = positions(first).astype(np.int64) + positions(second)
    return np.lexsort((rng.random(len(first)), rank)).astype(np.int32)


def order_crossover(first: Ordering, second: Ordering, rng: np.random.Generator) -> Ordering:
    """
    Keep half of the first parent's variables where they are; the others follow in the second's order (OB).

    References
    ----------
    Lee & van Beek (2017), section 5.

    Notes
    -----
    Of an odd number n of variables (n - 1) / 2 are kept.
    """
    kept = rng.permutation(len(first))[: len(first) // 2]
    missing = np.ones(len(first), dtype=bool)  # variables
    missing[first[kept]] = False
    gaps = np.ones(len(first), dtype=bool)  # positions
    gaps[kept] = False
    child = first.copy()
    child[gaps] = second[missing[second]]
    return child


CROSSOVERS: dict[str, Callable[[Ordering, Ordering, np.random.Generator], Ordering]] = {
    "cx": cycle_crossover,
    "rx": rank_crossover,
    "ob": order_crossover,
}
