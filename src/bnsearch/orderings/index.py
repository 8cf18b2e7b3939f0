"""A candidate table, indexed for searches over orderings."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bnsearch.knowledge.precedence import Precedence
from bnsearch.orderings.starts import Ordering
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
    arrays : what kernels take: begin, scores, first, members of the table; member_slot, cand_begin, cand, cand_slot,
        slot_begin, slots as `kernels_index` describes them; the trees of `kernels_tree`; bits, bits_begin
    """

    table: ParentSets
    precedence: Precedence | None = None
    memory: int | None = None

    def memories(self) -> tuple[NDArray[Any], ...]:
        """Return what a search remembers in, empty: words, rows, seen of `kernels_state`."""
        from bnsearch.orderings.kernels_memory import TARGETS

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
        return order if self.precedence is None else self.precedence.repaired(order)

    @property
    def n_slots(self) -> int:
        """The number of pairs of candidate and child."""
        return len(self.arrays[6])

    @cached_property
    def arrays(self) -> tuple[Any, ...]:
        """What kernels take, a plain tuple."""
        from bnsearch.orderings.kernels_index import count_pairs, fill_pairs

        table = self.table
        n = table.n_variables
        cand_begin, slot_begin = np.zeros((2, n + 1), dtype=np.int64)
        lists = (table.begin, table.first, table.members)
        count_pairs(*lists, np.full(n, -1, dtype=np.int32), cand_begin, slot_begin)
        pairs = int(cand_begin[-1])
        cand, cand_slot = np.empty((2, pairs), dtype=np.int32)
        slots = np.empty((3, pairs), dtype=np.int32)
        member_slot = np.empty(len(table.members), dtype=np.int32)
        n_cand = np.diff(cand_begin)
        bits_begin = _starts(n_cand * -(-np.diff(table.begin) // 64))
        bits = np.zeros(bits_begin[-1], dtype=np.uint64)
        where = np.full(n, -1, dtype=np.int64)
        pairs_begin = cand_begin, slot_begin, bits_begin
        fill_pairs(*lists, where, *pairs_begin, cand, cand_slot, slots, member_slot, bits)
        return (
            table.begin, table.scores, table.first, table.members, member_slot,
            cand_begin, cand, cand_slot, slot_begin, slots,
            *_trees(table, cand_begin, cand, slots[1][member_slot]), bits, bits_begin,
        )  # fmt: skip


def _trees(
    table: ParentSets, cand_begin: NDArray[np.int64], cand: NDArray[np.int32], numbers: NDArray[np.int32]
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Return the trees of all variables' sets, given each member's number among its child's candidates."""
    from bnsearch.orderings.kernels_tree import arrange, plant, sort_numbers

    sort_numbers(table.first, numbers)
    root = np.empty(table.n_variables, dtype=np.int64)
    trees = []
    offset = 0
    for v, (begin, end) in enumerate(pairwise(table.begin.tolist())):
        most = int(table.first[end] - table.first[begin]) + 1
        hashed = np.full(1 << (2 * most).bit_length(), -1, dtype=np.int32)
        made = np.empty((4, most), dtype=np.int32)
        nodes = plant(table.first, numbers, begin, end, hashed, made)
        scratch = np.empty((3, nodes), dtype=np.int32)
        tree = np.full((nodes + 1, 4), offset + nodes, dtype=np.int32)  # the last one only ends the list before it
        arrange(made, nodes, cand[cand_begin[v] : cand_begin[v + 1]], offset, *scratch, tree)
        root[v] = offset
        trees.append(tree)
        offset += nodes + 1
    return root, np.concatenate(trees)


def _starts(sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return where lists of some sizes begin, one behind the other, and where the last one ends."""
    return np.concatenate(([0], np.cumsum(sizes)))
