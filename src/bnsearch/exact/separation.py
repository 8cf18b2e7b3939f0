"""The search for violated cluster inequalities."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from bnsearch.exact.row_masks import Rows
from bnsearch.parent_sets.table import ParentSets

MAX_ORDER = 3  # orders 4 and 5 improved the bound by less than 0.01 % on the four tables tried
MIN_PROBABILITY = 1e-3  # of a row of the support
SEED_PROBABILITIES = (0.05, 0.98)  # of a row from which a cluster of a higher order grows
SLACK = 0.05  # violation from which an inequality is used
MAX_GROWN_SIZE = 60  # members of a cluster that grows from a seed; peeling finds larger ones
NOISE = 0.2  # largest number that is added to the gain of a variable, in every second search of the highest effort
MAX_EFFORT = 64
CLUSTERS_PER_VARIABLE = 10  # limits of the clusters found in one call
MEMBERS_PER_VARIABLE = 50
MAX_STEPS_PER_CALL = 1 << 23  # about 0.05 seconds

Found = tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int64]]


class Separator:
    """
    Searches for cluster inequalities that a smoothed bound violates.

    Three heuristics start from every variable, in random order, until their share of the work is used. Peeling removes
    variables from the set of all variables. Growth adds variables to a seed: a variable for order 1, a variable with k
    of its parents for order k.

    Parameters
    ----------
    table : the candidate table
    """

    def __init__(self, table: ParentSets) -> None:
        n = table.n_variables
        self._table = table
        self._rng = np.random.default_rng(0)
        self._max_order = min(MAX_ORDER, table.max_parents)
        self._variables = np.empty(n + 1, dtype=np.int32)
        self._found = (
            np.zeros(CLUSTERS_PER_VARIABLE * n + 1, dtype=np.int64),
            np.empty(MEMBERS_PER_VARIABLE * n, dtype=np.int32),
            np.empty(CLUSTERS_PER_VARIABLE * n, dtype=np.int64),
        )
        self._effort = 1
        self._calls = 0

    def move_to(self, table: ParentSets) -> None:
        """Continue with another table of the same variables."""
        self._table = table
        self._max_order = min(MAX_ORDER, table.max_parents)

    def adapt_effort(self, *, is_growing: bool) -> None:
        """Halve the effort of the next search if the last one found many new clusters; double it otherwise."""
        self._effort = max(1, self._effort // 2) if is_growing else min(MAX_EFFORT, 2 * self._effort)

    def search(
        self,
        rows: Rows,
        chosen: NDArray[np.int64],
        weights: NDArray[np.float64],
        max_steps: int,
        is_spent: Callable[[], bool],
    ) -> Found:
        """
        Return first, members and orders of violated inequalities.

        Parameters
        ----------
        rows, chosen : masks and numbers of the rows that are taken into account
        weights : their probabilities
        max_steps : limit on the work of each heuristic, in addition to one pass over the support; multiplied by the
            effort
        is_spent : function that returns True if the search must end
        """
        from bnsearch.exact import kernels_separation as kernels
        from bnsearch.exact.kernels_peeling import peel_from_variables
        from bnsearch.exact.kernels_support import extract_support

        n = self._table.n_variables
        support = extract_support(rows[0], chosen, weights, self._table.first, self._table.members, MIN_PROBABILITY)
        size = len(support[1])
        self._calls += 1
        noise = NOISE if self._effort == MAX_EFFORT and self._calls % 2 else 0.0
        growing = (
            np.zeros(n, dtype=np.int8),
            np.zeros(size, dtype=np.int64),
            np.zeros(n),
            np.zeros(n),
            np.empty(n + 1, dtype=np.int32),
            noise * self._rng.random(n),
        )
        seeds = self._rng.permutation(n).astype(np.int32)
        steps = min(MAX_STEPS_PER_CALL, self._effort * (max_steps + len(support[3]) + 50 * n))
        counters = np.zeros(2, dtype=np.int64)
        scratch = SLACK, support, growing, self._variables, self._found, counters
        for order in range(self._max_order + 1):
            if is_spent():
                break
            counters[kernels.WORK] = 0
            if order == 0:
                peel_from_variables(seeds, steps, *scratch)
            elif order == 1:
                kernels.grow_from_variables(seeds, min(n, MAX_GROWN_SIZE), steps, *scratch)
            else:
                kernels.grow_from_rows(seeds, order, SEED_PROBABILITIES, min(n, MAX_GROWN_SIZE), steps, *scratch)
        first, members, orders = self._found
        count = int(counters[kernels.FOUND])
        return first[: count + 1], members[: first[count]], orders[:count]
