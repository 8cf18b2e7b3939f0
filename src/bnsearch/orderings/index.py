"""The index of a candidate table for searches over orderings."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from itertools import count
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bnsearch._tools.parallel import ThreadArrays
from bnsearch.kernels.tuples import KernelTuple
from bnsearch.knowledge.precedence import Precedence
from bnsearch.orderings.starts import Ordering
from bnsearch.parent_sets.rows import for_variables
from bnsearch.parent_sets.table import ParentSets

CACHE_BYTES = 8 * 2**20  # approximate size of the larger cache of each ordering that is searched
MIN_SETS_FOR_CACHE = 1000  # mean number of parent sets per variable; with fewer, a search is as fast as a lookup


@dataclass(frozen=True, eq=False)
class Index:
    """
    The index of a candidate table: for each variable its candidate parents, and the parent sets that contain them.

    Attributes
    ----------
    table : the candidate table
    precedence : order constraints that the required edges imply; None if there are none
    cache_size : number of lines of the caches of each search, a power of two; 0 means no caches. None means caches of
        up to 8 MiB if variables have more than a thousand parent sets on average, and no caches otherwise
    threads : number of threads that build the index; the index is the same for any number
    serial : number that no other index has
    arrays : the tuple `index` that kernels take, as described in `kernels.arrays`
    """

    table: ParentSets
    precedence: Precedence | None = None
    cache_size: int | None = None
    threads: int = 1
    serial: int = field(default_factory=count().__next__, init=False, repr=False)

    def make_caches(self) -> tuple[NDArray[Any], ...]:
        """Return HASHES of the variables, and empty caches ROW_CACHE and TARGET_CACHE, as in `kernels.arrays`."""
        from bnsearch.orderings.kernels.arrays import CAND_BEGIN, VARIABLE_HASH
        from bnsearch.orderings.kernels.cache import CACHED_TARGETS

        n = self.table.n_variables
        width = CACHED_TARGETS + int(np.diff(self.arrays[CAND_BEGIN]).max())
        size = self.cache_size
        if size is None:
            is_large = self.table.n_sets > MIN_SETS_FOR_CACHE * n
            max_lines = CACHE_BYTES // (8 * width)
            size = 1 << max_lines.bit_length() - 1 if is_large else 0  # a power of two
        hashes = np.zeros((2, n + 1), dtype=np.uint64)
        hashes[VARIABLE_HASH] = np.random.default_rng(0).integers(2**64, size=n + 1, dtype=np.uint64)
        return hashes, np.zeros((size, 2), dtype=np.int64), np.zeros((size, width), dtype=np.int64)

    def repaired(self, order: Ordering) -> Ordering:
        """Return an ordering, changed as little as possible so that required parents precede their children."""
        return order if self.precedence is None else self.precedence.repair(order)

    @property
    def n_slots(self) -> int:
        """Number of pairs of candidate and child."""
        from bnsearch.orderings.kernels.arrays import CAND

        return len(self.arrays[CAND])

    @cached_property
    def arrays(self) -> KernelTuple:
        """The tuple `index` that kernels take."""
        from bnsearch.orderings.kernels.arrays import ROWS_PER_WORD
        from bnsearch.orderings.kernels.index import link_pairs

        table = self.table
        n = table.n_variables
        cand_begin = _sum_sizes(self._count_candidates())
        n_blocks = -(-np.diff(table.begin) // ROWS_PER_WORD)  # rounded up
        bits_begin = _sum_sizes(np.diff(cand_begin) * n_blocks)
        n_slots = int(cand_begin[-1])
        cand, rows, cand_slot = np.empty((3, n_slots), dtype=np.int32)
        slots = np.empty((3, n_slots), dtype=np.int32)
        slot_begin = np.zeros(n + 1, dtype=np.int64)
        bits = np.zeros(bits_begin[-1], dtype=np.uint64)
        numbers = self._number_members(cand_begin, bits_begin, cand, rows, bits)
        link_pairs(cand_begin, cand, rows, np.empty(n, dtype=np.int64), slot_begin, cand_slot, slots)
        member_slot = np.empty(len(table.members), dtype=np.int32)
        trees = self._build_trees(cand_begin, cand, cand_slot, numbers, member_slot)
        return KernelTuple((
            table.begin, table.scores, table.first, table.members, member_slot,
            cand_begin, cand, cand_slot, slot_begin, slots, *trees, bits, bits_begin,
        ))  # fmt: skip

    def _for_variables(self, function: Callable[[int], None]) -> None:
        """Call a function for each variable, in threads."""
        for_variables(function, np.diff(self.table.begin), self.threads)

    def _count_candidates(self) -> NDArray[np.int64]:
        """Return the number of candidates of each variable."""
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
        """Return the number of each member; write CAND, the first rows of candidates, and BITS (`kernels.arrays`)."""
        from bnsearch.orderings.kernels.index import number_members

        table = self.table
        numbers = np.empty(len(table.members), dtype=np.int32)
        begin, pairs, words = table.begin.tolist(), cand_begin.tolist(), bits_begin.tolist()
        scratch = ThreadArrays(np.int32, fill=0)

        def number(v: int) -> None:
            own = slice(pairs[v], pairs[v + 1])
            number_members(
                table.first, table.members, begin[v], begin[v + 1], scratch.take(table.n_variables)[0],
                cand[own], rows[own], numbers, bits[words[v] : words[v + 1]],
            )  # fmt: skip

        self._for_variables(number)
        return numbers

    def _build_trees(
        self,
        cand_begin: NDArray[np.int64],
        cand: NDArray[np.int32],
        cand_slot: NDArray[np.int32],
        numbers: NDArray[np.int32],
        member_slot: NDArray[np.int32],
    ) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """Return ROOT and TREE, given the number of each member; write `member_slot`, sort `numbers` within rows."""
        from bnsearch.orderings.kernels.index import (
            arrange_tree,
            grow_tree,
            place_tree,
            sort_numbers,
            write_member_slots,
        )

        table = self.table
        begin, pairs, ends = table.begin.tolist(), cand_begin.tolist(), table.first[table.begin].tolist()
        own: list[NDArray[np.int32]] = [np.empty((0, 4), dtype=np.int32)] * table.n_variables
        scratch = ThreadArrays(np.int32)

        def build(v: int) -> None:
            candidates, entries = slice(pairs[v], pairs[v + 1]), slice(ends[v], ends[v + 1])
            write_member_slots(numbers[entries], cand_slot[candidates], member_slot[entries])
            sort_numbers(table.first, numbers, begin[v], begin[v + 1])
            max_nodes = ends[v + 1] - ends[v] + 1
            size = 1 << (2 * max_nodes).bit_length()  # of the hash table of nodes
            # One scratch array has the hash table, the nodes (4 rows), and the scratch of `arrange_tree` (3 rows).
            room = scratch.take(size + 7 * max_nodes)[0]
            room[:size] = -1
            nodes = room[size : size + 4 * max_nodes].reshape(4, max_nodes)
            count = grow_tree(table.first, numbers, begin[v], begin[v + 1], room[:size], nodes)
            own[v] = np.empty((count + 1, 4), dtype=np.int32)
            arrange_tree(nodes, count, cand[candidates], *room[size + 4 * max_nodes :].reshape(3, max_nodes), own[v])

        self._for_variables(build)
        root = _sum_sizes(np.array([len(tree) for tree in own], dtype=np.int64))
        trees = np.empty((root[-1], 4), dtype=np.int32)
        starts = root.tolist()
        self._for_variables(lambda v: place_tree(own[v], starts[v], trees[starts[v] : starts[v + 1]]))
        return root[:-1], trees


def _sum_sizes(sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the first index of each of several contiguous lists of given sizes, and the end of the last one."""
    return np.concatenate(([0], np.cumsum(sizes)))
