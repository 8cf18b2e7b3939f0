"""A candidate table, indexed for searches over orderings."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bnsearch._tools.parallel import ThreadArrays
from bnsearch.knowledge.precedence import Precedence
from bnsearch.orderings.starts import Ordering
from bnsearch.parent_sets.rows import for_variables
from bnsearch.parent_sets.table import ParentSets

MEMORY = 8 * 2**20  # bytes, about, for each ordering that is searched
WORTH_MEMORY = 1000  # sets of a variable, in the mean: with fewer, finding is as fast as remembering


@dataclass(frozen=True, eq=False)
class Index:
    """
    Who could be whose parent, and in which sets: what prices an insertion in one look.

    A candidate of y is a variable x that is in one of its sets. The pair has a *slot*, a place in the list of x's
    pairs, and a *number*, its place among y's candidates. Which of y's sets hold x is also kept as bits: to find the
    next set without some variables, or with but one of them, takes one look for 64 sets.

    Attributes
    ----------
    table : the candidate table
    precedence : who must stand before whom; None means nobody
    memory : for how many sets before a variable a search remembers what it found, a power of two; 0 means it does not,
        None that it does where variables have thousands of sets, in up to 8 MiB for each ordering
    threads : how many make the index, which does not depend on it
    arrays : what kernels take: begin, scores, first, members of the table; member_slot, cand_begin, cand, cand_slot,
        slot_begin, slots as `kernels.index` describes them; its trees; bits, bits_begin
    """

    table: ParentSets
    precedence: Precedence | None = None
    memory: int | None = None
    threads: int = 1

    def memories(self) -> tuple[NDArray[Any], ...]:
        """Return what a search remembers in, empty: words, rows, seen of `kernels.state`."""
        from bnsearch.orderings.kernels.best_set import TARGETS

        n = self.table.n_variables
        width = TARGETS + int(np.diff(self.arrays[5]).max())
        places = self.memory
        if places is None:
            worth = self.table.n_sets > WORTH_MEMORY * n
            places = 1 << (MEMORY // (8 * width)).bit_length() - 1 if worth else 0
        words = np.zeros((2, n + 1), dtype=np.uint64)
        words[0] = np.random.default_rng(0).integers(2**64, size=n + 1, dtype=np.uint64)
        return words, np.zeros((places, 2), dtype=np.int64), np.zeros((places, width), dtype=np.int64)

    def repaired(self, order: Ordering) -> Ordering:
        """Return an ordering, or one near it that has required parents before their children."""
        return order if self.precedence is None else self.precedence.repair(order)

    @property
    def n_slots(self) -> int:
        """The number of pairs of candidate and child."""
        return len(self.arrays[6])

    @cached_property
    def arrays(self) -> tuple[Any, ...]:
        """What kernels take, a plain tuple."""
        from bnsearch.orderings.kernels.index import link_pairs

        table = self.table
        n = table.n_variables
        cand_begin = _starts(self._count_candidates())
        bits_begin = _starts(np.diff(cand_begin) * -(-np.diff(table.begin) // 64))
        pairs = int(cand_begin[-1])
        cand, rows, cand_slot = np.empty((3, pairs), dtype=np.int32)
        slots = np.empty((3, pairs), dtype=np.int32)
        slot_begin = np.zeros(n + 1, dtype=np.int64)
        bits = np.zeros(bits_begin[-1], dtype=np.uint64)
        numbers = self._number_members(cand_begin, bits_begin, cand, rows, bits)
        link_pairs(cand_begin, cand, rows, np.empty(n, dtype=np.int64), slot_begin, cand_slot, slots)
        member_slot = np.empty(len(table.members), dtype=np.int32)
        trees = self._trees(cand_begin, cand, cand_slot, numbers, member_slot)
        return (
            table.begin, table.scores, table.first, table.members, member_slot,
            cand_begin, cand, cand_slot, slot_begin, slots, *trees, bits, bits_begin,
        )  # fmt: skip

    def _for_variables(self, function: Callable[[int], None]) -> None:
        for_variables(function, np.diff(self.table.begin), self.threads)

    def _count_candidates(self) -> NDArray[np.int64]:
        """Return how many candidates each variable has."""
        from bnsearch.orderings.kernels.index import count_candidates

        table = self.table
        n = table.n_variables
        ends = table.first[table.begin].tolist()
        counts = np.zeros(n, dtype=np.int64)
        scratch = ThreadArrays(np.int32, fill=-1)

        def count(v: int) -> None:
            counts[v] = count_candidates(table.members, ends[v], ends[v + 1], scratch.take(n)[0], v)

        self._for_variables(count)
        return counts

    def _number_members(
        self,
        cand_begin: NDArray[np.int64],
        bits_begin: NDArray[np.int64],
        cand: NDArray[np.int32],
        rows: NDArray[np.int32],
        bits: NDArray[np.uint64],
    ) -> NDArray[np.int32]:
        """Return each member's number among its child's candidates; write these, their first rows and their bits."""
        from bnsearch.orderings.kernels.index import number_members

        table = self.table
        numbers = np.empty(len(table.members), dtype=np.int32)
        begin, pairs, words = table.begin.tolist(), cand_begin.tolist(), bits_begin.tolist()
        scratch = ThreadArrays(np.int32, fill=0)

        def fill(v: int) -> None:
            own = slice(pairs[v], pairs[v + 1])
            number_members(
                table.first, table.members, begin[v], begin[v + 1], scratch.take(table.n_variables)[0],
                cand[own], rows[own], numbers, bits[words[v] : words[v + 1]],
            )  # fmt: skip

        self._for_variables(fill)
        return numbers

    def _trees(
        self,
        cand_begin: NDArray[np.int64],
        cand: NDArray[np.int32],
        cand_slot: NDArray[np.int32],
        numbers: NDArray[np.int32],
        member_slot: NDArray[np.int32],
    ) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """Return the trees of all variables' sets, given each member's number; write its slot."""
        from bnsearch.orderings.kernels.index import arrange, place_tree, plant, sort_numbers, write_slots

        table = self.table
        n = table.n_variables
        begin, pairs, ends = table.begin.tolist(), cand_begin.tolist(), table.first[table.begin].tolist()
        own: list[NDArray[np.int32]] = [np.empty((0, 4), dtype=np.int32)] * n
        scratch = ThreadArrays(np.int32)

        def grow(v: int) -> None:
            candidates, mine = slice(pairs[v], pairs[v + 1]), slice(ends[v], ends[v + 1])
            write_slots(numbers[mine], cand_slot[candidates], member_slot[mine])
            sort_numbers(table.first, numbers, begin[v], begin[v + 1])
            most = ends[v + 1] - ends[v] + 1
            slots = 1 << (2 * most).bit_length()
            room = scratch.take(slots + 7 * most)[0]
            room[:slots] = -1
            made = room[slots : slots + 4 * most].reshape(4, most)
            nodes = plant(table.first, numbers, begin[v], begin[v + 1], room[:slots], made)
            own[v] = np.empty((nodes + 1, 4), dtype=np.int32)
            arrange(made, nodes, cand[candidates], *room[slots + 4 * most :].reshape(3, most), own[v])

        self._for_variables(grow)
        root = _starts(np.array([len(tree) for tree in own], dtype=np.int64))
        trees = np.empty((root[-1], 4), dtype=np.int32)
        starts = root.tolist()
        self._for_variables(lambda v: place_tree(own[v], starts[v], trees[starts[v] : starts[v + 1]]))
        return root[:-1], trees


def _starts(sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return where lists of some sizes begin, one behind the other, and where the last one ends."""
    return np.concatenate(([0], np.cumsum(sizes)))
