"""Where a search over orderings begins: anywhere, or informed by the relaxed solution."""

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

LOG_SCALE = 2.0**40  # logarithms are kept as whole numbers of this unit's parts


def random_start(graph: Relaxed, rng: np.random.Generator) -> Ordering:
    """Return an ordering drawn uniformly."""
    return rng.permutation(len(graph.names)).astype(np.int32)


def dfs_start(graph: Relaxed, rng: np.random.Generator) -> Ordering:
    """
    Return an ordering that visits the variable with the fewest unvisited best parents, then the least goodness.

    The goodness of a variable is the product, over its unvisited children, of their numbers of unvisited parents: the
    lower, the sooner its children are free. Ties are broken uniformly at random.

    References
    ----------
    Perez & Maua (2016), Algorithm 3 and Eq. 7.

    Notes
    -----
    Products of hundreds of numbers are compared by their logarithms, as sums of whole numbers, so that equal products
    tie.
    """
    from bnsearch.orderings.kernels.starts import order_by_goodness

    heads, by_tail, begin = _arcs(graph)
    order = np.empty(len(graph.names), dtype=np.int32)
    logs = product_logs(graph.max_in_degree)
    order_by_goodness(graph.first, graph.parents, begin, heads[by_tail], logs, rng.random(len(order)), order)
    return order


def fas_start(graph: Relaxed, rng: np.random.Generator) -> Ordering:
    """
    Return a random topological order of the relaxed solution without a feedback arc set of little weight.

    References
    ----------
    Perez & Maua (2016), section 5.2.

    Notes
    -----
    The paper takes the order of a depth-first traversal. Here each variable is drawn among those whose parents are
    placed, and cycles are looked for in random order, so that restarts differ.
    """
    from bnsearch.orderings.kernels.starts import order_topologically

    heads, _, _ = _arcs(graph)
    kept = ~feedback_arcs(graph, rng)
    order = np.empty(len(graph.names), dtype=np.int32)
    order_topologically(graph.parents[kept], heads[kept], rng.random(len(order)), order)
    return order


def feedback_arcs(graph: Relaxed, rng: np.random.Generator) -> NDArray[np.bool_]:
    """
    Return a minimal feedback arc set of little weight: for each entry of `graph.parents` whether its arc is in it.

    References
    ----------
    Perez & Maua (2016), Algorithm 4, after Demetrescu & Finocchi (2003).

    Notes
    -----
    Lines 11 to 16 put arcs back in any order: here the heaviest first.
    """
    from bnsearch.orderings.kernels.starts import remove_cycles, restore_arcs

    heads, by_tail, begin = _arcs(graph, rng)
    tails, heads, weights = graph.parents[by_tail], heads[by_tail], graph.weights[by_tail]
    removed = np.zeros(len(by_tail), dtype=bool)
    remove_cycles(rng.permutation(len(graph.names)).astype(np.int32), begin, heads, weights.copy(), removed)
    arcs = np.flatnonzero(removed)
    restore_arcs(arcs[np.argsort(-weights[arcs], kind="stable")], tails, begin, heads, removed)
    found = np.empty_like(removed)
    found[by_tail] = removed
    return found


def _arcs(
    graph: Relaxed, rng: np.random.Generator | None = None
) -> tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.int64]]:
    """Return the head of each arc; the arcs by their tail, shuffled within; and where each tail's arcs begin."""
    n = len(graph.names)
    heads = np.repeat(np.arange(n, dtype=np.int32), graph.in_degrees)
    shuffled = np.arange(len(heads)) if rng is None else rng.permutation(len(heads))
    by_tail = shuffled[np.argsort(graph.parents[shuffled], kind="stable")]
    begin = np.concatenate(([0], np.cumsum(np.bincount(graph.parents, minlength=n))))
    return heads, by_tail, begin


def product_logs(most: int) -> NDArray[np.int64]:
    """
    Return scaled logarithms of the numbers up to `most`, as whole numbers; that of zero is zero.

    That of a product is the sum of those of its prime factors, so that equal products have equal sums.
    """
    logs = np.zeros(most + 1, dtype=np.int64)
    for number in range(2, most + 1):
        prime = next(p for p in range(2, number + 1) if number % p == 0)
        logs[number] = logs[number // prime] + round(math.log(prime) * LOG_SCALE)
    return logs


STARTS: dict[str, Callable[[Relaxed, np.random.Generator], Ordering]] = {
    "random": random_start,
    "dfs": dfs_start,
    "fas": fas_start,
}


def require_start(name: str) -> None:
    """Refuse a name that is not a start's."""
    if name not in [*STARTS]:  # a list: what is asked for may not even be hashable
        raise InputError(f"there is no start {name!r}{suggest(str(name), [*STARTS])}: choose from {', '.join(STARTS)}")


def make_starts(name: str, table: ParentSets, precedence: Precedence | None = None) -> Start:
    """
    Return a function that draws starting orderings for a table; its relaxed solution is found once.

    With precedence, the orderings are repaired to respect it.
    """
    require_start(name)
    draw = partial(STARTS[name], relaxed(table))
    return draw if precedence is None else lambda rng: precedence.repair(draw(rng))
