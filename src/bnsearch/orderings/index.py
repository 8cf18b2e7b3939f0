"""A candidate table, indexed for searches over orderings."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from bnsearch.knowledge.precedence import Precedence
from bnsearch.orderings.starts import Ordering
from bnsearch.parent_sets.table import ParentSets


@dataclass(frozen=True, eq=False)
class Index:
    """
    Who could be whose parent, and in which sets: what prices an insertion in one look.

    A candidate of y is a variable x that is in one of its sets. The pair has a *slot*, a place in the list of x's
    pairs, and a *number*, its place among y's candidates. A set is also kept as bits, the numbers of its members where
    these are below 128.

    Attributes
    ----------
    table : the candidate table
    precedence : who must stand before whom; None means nobody
    arrays : what kernels take: begin, scores, first, members of the table; member_slot, cand_begin, cand, cand_slot,
        slot_begin, slots, masks as `kernels_index` describes them
    """

    table: ParentSets
    precedence: Precedence | None = None

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
        masks = np.empty((2, table.n_sets), dtype=np.uint64)
        where = np.full(n, -1, dtype=np.int64)
        fill_pairs(*lists, where, cand_begin, slot_begin, cand, cand_slot, slots, member_slot, masks)
        return (
            table.begin, table.scores, table.first, table.members, member_slot,
            cand_begin, cand, cand_slot, slot_begin, slots, masks,
        )  # fmt: skip
