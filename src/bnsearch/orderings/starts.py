"""Starting orderings: drawn uniformly, or informed by the relaxed solution (each variable's best parent set)."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import NDArray

from bnsearch._tools.registry import suggest
from bnsearch.errors import InputError
from bnsearch.knowledge.precedence import Precedence
from bnsearch.parent_sets.relaxed import Relaxed, relaxed
from bnsearch.parent_sets.table import ParentSets

Ordering = NDArray[np.int32]
Start = Callable[[np.random.Generator], Ordering]

LOG_SCALE = 2.0**40  # logarithms are stored as integers, multiplied by this number


def random_start(graph: Relaxed, rng: np.random.Generator) -> Ordering:
    """Return an ordering drawn uniformly from all orderings."""
    return rng.permutation(len(graph.names)).astype(np.int32)


def dfs_start(graph: Relaxed, rng: np.random.Generator) -> Ordering:
    """
    Return an ordering by the DFS heuristic: next is the variable with the fewest unvisited parents.

    Among these, the variable with the least goodness comes first. The goodness of a variable is the product, over its
    unvisited children, of their numbers of unvisited parents. Remaining ties are broken uniformly at random.

    References
    ----------
    Perez & Maua (2016), Algorithm 3 and Eq. 7.

    Notes
    -----
    Products of hundreds of numbers would overflow, so their logarithms are compared. These are sums of integers, so
    that equal products are ties.
    """
    from bnsearch.orderings.kernels.starts import order_by_goodness

    heads, by_tail, begin = _list_arcs(graph)
    order = np.empty(len(graph.names), dtype=np.int32)
    logs = compute_product_logs(graph.max_in_degree)
    order_by_goodness(graph.first, graph.parents, begin, heads[by_tail], logs, rng.random(len(order)), order)
    return order


def fas_start(graph: Relaxed, rng: np.random.Generator) -> Ordering:
    """
    Return a random topological order of the relaxed solution without a feedback arc set of low weight.

    References
    ----------
    Perez & Maua (2016), section 5.2.

    Notes
    -----
    The paper takes the order of a depth-first traversal. Here each variable is drawn among those whose parents are
    already in the order, and cycles are searched in random order, so that restarts differ.
    """
    from bnsearch.orderings.kernels.starts import order_topologically

    heads, _, _ = _list_arcs(graph)
    kept = ~find_feedback_arcs(graph, rng)
    order = np.empty(len(graph.names), dtype=np.int32)
    order_topologically(graph.parents[kept], heads[kept], rng.random(len(order)), order)
    return order


def find_feedback_arcs(graph: Relaxed, rng: np.random.Generator) -> NDArray[np.bool_]:
    """
    Return a minimal feedback arc set of low weight, as a mask over the entries of `graph.parents`.

    References
    ----------
    Perez & Maua (2016), Algorithm 4, after Demetrescu & Finocchi (2003).

    Notes
    -----
    Lines 11 to 16 restore arcs in any order. Here the heaviest arcs come first.
    """
    from bnsearch.orderings.kernels.starts import remove_cycles, restore_arcs

    heads, by_tail, begin = _list_arcs(graph, rng)
    tails, heads, weights = graph.parents[by_tail], heads[by_tail], graph.weights[by_tail]
    removed = np.zeros(len(by_tail), dtype=bool)
    remove_cycles(rng.permutation(len(graph.names)).astype(np.int32), begin, heads, weights.copy(), removed)
    arcs = np.flatnonzero(removed)
    restore_arcs(arcs[np.argsort(-weights[arcs], kind="stable")], tails, begin, heads, removed)
    found = np.empty_like(removed)
    found[by_tail] = removed
    return found


def _list_arcs(
    graph: Relaxed, rng: np.random.Generator | None = None
) -> tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.int64]]:
    """
    Return the head of each arc, the arcs sorted by tail, and the first of the sorted arcs of each tail.

    With a generator, the arcs of each tail are in random order.
    """
    n = len(graph.names)
    heads = np.repeat(np.arange(n, dtype=np.int32), graph.in_degrees)
    shuffled = np.arange(len(heads)) if rng is None else rng.permutation(len(heads))
    by_tail = shuffled[np.argsort(graph.parents[shuffled], kind="stable")]
    begin = np.concatenate(([0], np.cumsum(np.bincount(graph.parents, minlength=n))))
    return heads, by_tail, begin


def compute_product_logs(max_number: int) -> NDArray[np.int64]:
    """
    Return the scaled logarithms of the numbers 0 to `max_number` as integers; the entry of zero is zero.

    The entry of a product is the sum of the entries of its prime factors, so that equal products have equal sums.
    """
    logs = np.zeros(max_number + 1, dtype=np.int64)
    for number in range(2, max_number + 1):
        prime = next(p for p in range(2, number + 1) if number % p == 0)
        logs[number] = logs[number // prime] + round(math.log(prime) * LOG_SCALE)
    return logs


STARTS: dict[str, Callable[[Relaxed, np.random.Generator], Ordering]] = {
    "random": random_start,
    "dfs": dfs_start,
    "fas": fas_start,
}


def require_start(name: str) -> None:
    """Raise an InputError unless a start has this name."""
    if name not in [*STARTS]:  # a list, because the argument may not be hashable
        raise InputError(f"there is no start {name!r}{suggest(str(name), [*STARTS])}: choose from {', '.join(STARTS)}")


def make_starts(name: str, table: ParentSets, precedence: Precedence | None = None) -> Start:
    """
    Return a function that draws starting orderings for a candidate table.

    The relaxed solution of the table is computed once. With `precedence`, the orderings are repaired to respect it.
    """
    require_start(name)
    draw = partial(STARTS[name], relaxed(table))
    return draw if precedence is None else lambda rng: precedence.repair(draw(rng))
