"""The operators of a class with their gains, updated from step to step."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bnsearch.equivalence.bitsets import Sets
from bnsearch.equivalence.family_keys import FamilyKeys
from bnsearch.equivalence.operators import Kind, Operator, Step, new_lists
from bnsearch.kernels.tuples import KernelTuple
from bnsearch.scores.bounds import bound_of
from bnsearch.scores.scorer import Scorer

FIRST_CAPACITY = 1 << 14  # number of operators in the first pool, which grows
ROWS_PER_CALL = 1 << 21  # table rows counted between two checks of the clock: a few milliseconds
GAINS_PER_CALL = 1 << 15  # gains computed between two checks of the clock if all set values are cached
MAX_GAIN_ROWS = 1 << 12  # rows of the cache of gains, each for one (y, B); munin with 5,000 rows needs about 2,000
GAIN_BYTES = 1 << 26  # maximum memory of the cache of gains, which has at least 64 rows


class OperatorList:
    """
    The operators of a class, listed by y with their gains.

    After a step only the operators on changed pairs (x, y) are listed again. Listed operators pass the clique tests of
    Theorems 15 and 17. An insertion gets the path test of Theorem 15 only when it would be chosen next, because few
    insertions ever are.

    The kernels refer to a variable by its rank in `order`. `kernels_listing` describes the arrays.

    Parameters
    ----------
    scorer : the score and its cache
    order : int64[n], the variables by rank; bit i of a bit set is variable order[i]
    limits : int64[1 + n], maximum size of T and H, then the maximum number of parents of each variable
    constraints : background knowledge, as `kernels_constraints` describes it
    unit : gains are rounded to multiples of this number before they are compared
    keep_all : list operators that lower the score, too
    count_families : collect the keys of the families whose local scores are used
    """

    def __init__(
        self,
        scorer: Scorer,
        order: NDArray[np.int64],
        limits: NDArray[np.int64],
        constraints: tuple[Any, ...],
        *,
        unit: float,
        keep_all: bool,
        count_families: bool,
    ) -> None:
        from bnsearch.equivalence.kernels_listing import STATE_SIZE

        n = len(order)
        words = -(-n // 64)
        self._order = order
        self._options = KernelTuple((limits, constraints, unit, keep_all))
        # A power of two, because kernels find the slot of a row by the lower bits of its key.
        slots = min(MAX_GAIN_ROWS, max(64, 1 << ((GAIN_BYTES // (8 * n)).bit_length() - 1)))
        self._gain_cache = np.zeros((slots, 2), dtype=np.uint64), np.empty((slots, 3)), np.empty((slots, n))
        self._slope = bound_of(scorer.data, scorer.score).slope
        self._scorer, self._set_cache = scorer, KernelTuple()
        scorer.cache.make_room(max(0, n * (n + 1) // 2 - scorer.cache.n_values))  # for the values of all pairs
        self._update_valuer()
        self._max_computed = 1 + ROWS_PER_CALL // scorer.data.n_rows
        self._listed: Sets | None = None  # the class of the last listing
        self._changed = np.full((n, words), ~np.uint64(0))  # bit x of row y: the pair (x, y) is listed again
        self._rows = KernelTuple(np.zeros((2, n), dtype=np.int64) for _ in range(5))
        self._pool = _new_pool(FIRST_CAPACITY)
        reach = np.zeros((n + 1, words), dtype=np.uint64)
        self._paths = KernelTuple((reach, np.zeros(n, dtype=np.bool_), np.full((n, n), -1, dtype=np.int32)))
        self._state = np.zeros(STATE_SIZE, dtype=np.int64)
        self._lists = new_lists(n)
        leaves = 1 << (2 * n - 1).bit_length()
        self._tournament = np.zeros(2 * n, dtype=np.int64), np.zeros(leaves), np.zeros(2 * leaves, dtype=np.int64)
        self.families = FamilyKeys(counted=count_families)

    def _update_valuer(self) -> None:
        """Set the arrays with which kernels compute gains, if the cache of set values has grown."""
        scorer = self._scorer
        scorer.cache.make_room()
        if scorer.cache.arrays is not self._set_cache:
            self._set_cache = scorer.cache.arrays
            arrays = *scorer.kernel_arguments(), *self._gain_cache, self._slope
            self._valuer = KernelTuple((scorer.places[self._order], *arrays))

    @property
    def gains_computed(self) -> int:
        """Number of gains requested so far, cached or not; each is a difference of two local scores."""
        from bnsearch.equivalence.kernels_listing import GAINS

        return int(self._state[GAINS])

    def refresh(self, sets: Sets, halted: Callable[[], bool]) -> bool:
        """
        Update the list to the operators of a class.

        Return True if the list was finished before `halted` returned True.
        """
        from bnsearch.equivalence.kernels_listing import (
            FINISHED,
            NOTED,
            OUT_OF_KEYS,
            OUT_OF_POOL,
            list_operators,
            restart_row,
        )

        self._mark_changes(sets)
        state = self._state
        while True:
            state[NOTED] = 0
            self._update_valuer()
            ended = list_operators(
                sets, self._options, self._valuer, self._changed, self._rows, self._pool, self._paths,
                self.families.buffer, state, self._lists, self._max_computed, GAINS_PER_CALL,
            )  # fmt: skip
            if self.families.counted:
                self.families.collect(int(state[NOTED]))
            if ended == OUT_OF_KEYS and state[NOTED] == 0:
                self.families.grow()
            if ended == FINISHED:
                return True
            if ended == OUT_OF_POOL:
                restart_row(state)
                self._make_room()
            elif halted():
                restart_row(state)
                return False

    def _mark_changes(self, sets: Sets) -> None:
        """Mark the pairs whose operators may differ from the listed ones, and start again at the first row."""
        from bnsearch.equivalence.kernels_graph import mark_changed
        from bnsearch.equivalence.kernels_listing import HEAD, TAIL
        from bnsearch.equivalence.kernels_operators import mark_stale

        if self._listed is None:
            self._listed = sets.copy()
        mark_changed(self._listed, sets, self._changed)
        mark_stale(self._listed, sets, *self._paths[:2])
        self._listed[:] = sets
        self._state[HEAD], self._state[TAIL] = 0, -1

    def _make_room(self) -> None:
        """
        Move the finished rows to a new pool without gaps.

        The new pool has twice the capacity if the rows fill a quarter of the old one, or if that had no gaps.
        """
        from bnsearch.equivalence.kernels_listing import USED, move_rows

        capacity, listed = len(self._pool[0]), int(self._rows[1].sum())
        suffices = 4 * listed < capacity and listed < self._state[USED]
        pool = _new_pool(capacity if suffices else 2 * capacity)
        self._state[USED] = move_rows(self._rows, self._pool, pool)
        self._pool = pool

    def find_best(self, sets: Sets, kinds: Sequence[Kind], number: int) -> list[Step]:
        """Return up to `number` of the valid operators of these kinds that raise the score most, best first."""
        from bnsearch.equivalence.kernels_select import best_operators

        found = self._room_for(number)
        wanted = np.array([kind in kinds for kind in Kind])
        valid = best_operators(
            sets, wanted, self._options, self._rows, self._pool, self._paths, self._lists, *self._tournament, found
        )
        return [self._step(row) for row in found[:valid].tolist()]

    def gains(self, kind: Kind) -> NDArray[np.float64]:
        """Return the gains of all listed operators of a kind."""
        from bnsearch.equivalence.kernels_select import list_gains

        gains = np.empty(int(self._rows[1][kind].sum()))
        list_gains(int(kind), self._rows, self._pool, gains)
        return gains

    def find_best_by_value(self, sets: Sets, kind: Kind, values: NDArray[np.float64]) -> Step | None:
        """
        Return the valid operator of a kind with the highest value, or None if no operator is valid.

        values : the value of each listed operator, in the order of `gains`; -inf is written for operators that are
            found to be invalid, or to lead to no legal DAG
        """
        from bnsearch.equivalence.kernels_select import best_by_value

        found = self._room_for(1)
        is_found = best_by_value(
            sets, int(kind), self._options, self._rows, self._pool, self._paths[2], self._lists, values, found
        )
        return self._step(found[0].tolist()) if is_found else None

    def find_valid(self, sets: Sets) -> list[Step]:
        """Return all valid operators that are listed, whether or not they lead to a legal DAG."""
        from bnsearch.equivalence.kernels_select import recall_if_valid

        begin, count = self._rows[:2]
        found = self._room_for(1)
        return [
            self._step(found[0].tolist())
            for kind, y in np.ndindex(*begin.shape)
            for at in range(begin[kind, y], begin[kind, y] + count[kind, y])
            if recall_if_valid(sets, kind, y, at, self._pool, self._options, self._lists, self._paths[2], found, 0)
        ]

    def _room_for(self, number: int) -> NDArray[np.int64]:
        """Return an array for operators as kernels return them (see kernels_select)."""
        return np.empty((number, 5 + len(self._order)), dtype=np.int64)

    def _step(self, found: list[int]) -> Step:
        """Return an operator that a kernel has written, with ranks replaced by variables, and its gain."""
        at, kind, x, y, size = found[:5]
        order = self._order
        subset = tuple(sorted(int(order[v]) for v in found[5 : 5 + size]))
        return Step(Operator(Kind(kind), int(order[x]), int(order[y]), subset), float(self._pool[0][at]))


def _new_pool(capacity: int) -> KernelTuple:
    """Return an empty pool of operators (see kernels_listing)."""
    dtypes = (np.float64, np.float64, np.int32, np.int32, np.int32)
    return KernelTuple(np.zeros(capacity, dtype=dtype) for dtype in dtypes)
