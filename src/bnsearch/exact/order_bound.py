"""Upper bounds of the nodes of the order graph, and the parent sets that can be part of a better network."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from bnsearch.exact.components import Component
from bnsearch.exact.cuts import Cut, CutPool
from bnsearch.exact.proof import Step


class OrderBound:
    """
    The data from which kernels compute the potentials of nodes: upper bounds for the variables that are not in a node.

    The sum of the local scores of these variables is the sum of their reduced scores, plus, for each cut, the
    multiplier times the coefficients of their parent sets. The first sum is at most that of the best reduced scores. A
    cut contributes at most the maximum over all networks of its members in which those in the node come first.

    Parameters
    ----------
    component : variables and parent sets
    pool, step : cuts, and multipliers of some of them
    target : score that networks must exceed
    rows : int64[...], parent sets; no other one can be part of a network above the target. None means all

    Attributes
    ----------
    value : upper bound on the score of all networks
    is_closed : True if no network exceeds the target: a variable has no parent set left
    rows : int64[...], the parent sets that can be part of a network above the target
    table, arrays : arguments `table` and `bound` of `kernels_order_graph`; not set if `is_closed`
    """

    def __init__(
        self, component: Component, pool: CutPool, step: Step, target: float, rows: NDArray[np.int64] | None = None
    ) -> None:
        from bnsearch.exact.kernels_cuts import find_best_reduced, subtract_penalties

        self.n_cuts = len(step.cuts)
        self._component = component
        alive = np.ones(component.n_sets, dtype=bool)
        if rows is not None:
            alive[:] = False
            alive[rows] = True
        reduced, best = component.scores.copy(), np.empty(component.size)
        subtract_penalties(pool.arrays, step.cuts, step.multipliers, component.arrays, alive, reduced)
        find_best_reduced(component.begin, alive, reduced, best)
        self.value = math.fsum(best) + math.fsum(step.multipliers * pool.limits[step.cuts])
        self.rows = np.flatnonzero(alive & (reduced > best[component.child] - (self.value - target)))
        begin = np.searchsorted(component.child[self.rows], np.arange(component.size + 1))
        self.is_closed = bool(np.any(np.diff(begin) == 0))
        if not self.is_closed:
            self.table = self._make_table(begin)
            self.arrays = (
                best,
                *make_values([pool[cut] for cut in step.cuts.tolist()], step.multipliers, component.size),
            )

    def _make_table(self, begin: NDArray[np.int64]) -> tuple[NDArray[np.generic], ...]:
        """Return the argument `table` of the kernels."""
        from bnsearch.exact.kernels_order_graph import GROUP, write_absent

        masks = self._component.masks[self.rows, 0]
        n_groups = (self._component.size + GROUP - 1) // GROUP
        n_words = (n_groups << GROUP) * ((np.diff(begin) + 63) // 64)
        first_word = np.cumsum(n_words) - n_words
        absent = np.zeros(n_words.sum(), dtype=np.uint64)
        write_absent(begin, masks, first_word, absent)
        return begin, self._component.scores[self.rows], masks[begin[:-1]], first_word, absent

    def find_best(self, v: int, allowed: int) -> int:
        """Return a variable's best parent set that is left and whose members are all in the mask `allowed`."""
        start, stop = self.table[0][v : v + 2].tolist()
        rows = self.rows[start:stop]
        return int(rows[np.argmax(self._component.masks[rows, 0] & ~np.uint64(allowed) == 0)])


def make_values(cuts: list[Cut], multipliers: NDArray[np.float64], size: int) -> tuple[NDArray[np.generic], ...]:
    """Return holder_first, holders, steps, value_first and values of the kernels' argument `bound`."""
    values = [multiplier * find_maxima(cut) for cut, multiplier in zip(cuts, multipliers.tolist(), strict=True)]
    sizes = [len(own) for own in values]
    members = np.concatenate([np.zeros(0, dtype=np.int64), *(cut.members for cut in cuts)])
    holders = np.repeat(np.arange(len(cuts)), [len(cut.members) for cut in cuts])
    steps = [1 if cut.order else 1 << place for cut in cuts for place in range(len(cut.members))]
    order = np.argsort(members, kind="stable")
    first = np.searchsorted(members[order], np.arange(size + 1))
    own_steps = np.array(steps, dtype=np.int64)[order]
    return first, holders[order], own_steps, np.cumsum([0, *sizes])[:-1], np.concatenate([np.zeros(0), *values])


def find_maxima(cut: Cut) -> NDArray[np.float64]:
    """
    Return the maximum of a cut's sum over the members that are not in a node.

    For a cluster inequality of order k, the place is the number of members in the node. Each other member can have k or
    more parents in the cluster, except for those among the first k. For a local cut, the place is the mask of the
    members in the node.
    """
    from bnsearch.exact.kernels_local_cuts import write_remaining_weights
    from bnsearch.exact.local_cuts import make_scratch

    c = len(cut.members)
    if cut.order:
        counts: NDArray[np.float64] = np.maximum(np.arange(c + 1.0), cut.order)
        return c - counts
    maxima = np.empty(1 << c)
    write_remaining_weights(cut.weights, make_scratch(c), maxima)
    return maxima
