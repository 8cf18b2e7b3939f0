"""Upper bounds of the nodes of the order graph, and the parent sets that can be part of a better network."""

from __future__ import annotations

import math
from itertools import compress

import numpy as np
from numpy.typing import NDArray

from bnsearch.exact.components import Component
from bnsearch.exact.cuts import Cut, CutPool
from bnsearch.exact.proof import Step

Arrays = tuple[NDArray[np.generic], ...]


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
            cuts = [pool[cut] for cut in step.cuts.tolist()]
            is_cluster = np.array([cut.order > 0 for cut in cuts], dtype=bool)
            self.arrays = (
                best,
                make_cluster_arrays(list(compress(cuts, is_cluster)), step.multipliers[is_cluster]),
                make_local_arrays(list(compress(cuts, ~is_cluster)), step.multipliers[~is_cluster]),
            )

    def _make_table(self, begin: NDArray[np.int64]) -> Arrays:
        """Return the argument `table` of the kernels."""
        from bnsearch.exact.kernels_order_graph import BLOCK, GROUP, write_absent

        masks = self._component.masks[self.rows, 0]
        n_groups = (self._component.size + GROUP - 1) // GROUP
        n_blocks = (np.diff(begin) + 64 * BLOCK - 1) // (64 * BLOCK)
        n_words = n_blocks * n_groups * (BLOCK << GROUP)
        first_word = np.cumsum(n_words) - n_words
        absent = np.zeros(n_words.sum(), dtype=np.uint64)
        write_absent(begin, masks, first_word, absent)
        return begin, self._component.scores[self.rows], masks[begin[:-1]], first_word, absent

    def find_best(self, v: int, allowed: int) -> int:
        """Return a variable's best parent set that is left and whose members are all in the mask `allowed`."""
        start, stop = self.table[0][v : v + 2].tolist()
        rows = self.rows[start:stop]
        return int(rows[np.argmax(self._component.masks[rows, 0] & ~np.uint64(allowed) == 0)])


def make_cluster_arrays(cuts: list[Cut], multipliers: NDArray[np.float64]) -> Arrays:
    """Return `clusters` of the kernels' argument `bound`."""
    masks = [sum(1 << v for v in cut.members.tolist()) for cut in cuts]
    return np.array(masks, dtype=np.uint64), np.array([cut.order for cut in cuts], dtype=np.int64), multipliers


def make_local_arrays(cuts: list[Cut], multipliers: NDArray[np.float64]) -> Arrays:
    """Return `local` of the kernels' argument `bound`."""
    values = [multiplier * find_maxima(cut) for cut, multiplier in zip(cuts, multipliers.tolist(), strict=True)]
    return (
        np.cumsum([0, *(len(cut.members) for cut in cuts)]),
        np.concatenate([np.zeros(0, dtype=np.int64), *(cut.members for cut in cuts)]),
        np.cumsum([0, *(len(own) for own in values)])[:-1],
        np.concatenate([np.zeros(0), *values]),
    )


def find_maxima(cut: Cut) -> NDArray[np.float64]:
    """Return the maximum of a local cut's sum over the members outside a node, for each mask of those inside it."""
    from bnsearch.exact.kernels_local_cuts import write_remaining_weights
    from bnsearch.exact.local_cuts import make_scratch

    c = len(cut.members)
    maxima = np.empty(1 << c)
    write_remaining_weights(cut.weights, make_scratch(c), maxima)
    return maxima
