"""The search for local cuts that a smoothed bound violates."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from bnsearch.exact.cuts import Cut
from bnsearch.exact.linear_program import has_solver
from bnsearch.exact.local_cuts import find_local_cuts
from bnsearch.exact.row_masks import Rows
from bnsearch.exact.separation import MIN_PROBABILITY
from bnsearch.exact.support import Support
from bnsearch.parent_sets.table import ParentSets

ROWS_PER_SET = 1_500_000  # rows that the dual ascent reads in the time of separation for a set of each size
MAX_SETS = 40  # sets of variables of each size in one search
MIN_CREDIT = 0.2  # sets of each size for each round at least: rounds over small tables read few rows
MIN_SUCCESS = 0.1  # the effort decreases with the share of the sets that have a violated cut, down to this share
MIN_VALUE = 0.05  # smaller probabilities make the programs slower by much more than they add to the violation
BYTES_PER_PAIR = 40  # memory of a search for each pair of variables


class LocalSeparator:
    """
    Searches for local cuts that a smoothed bound violates.

    A linear program for each of a few sets of variables finds the cut, so the solver of branch and cut is needed.

    Parameters
    ----------
    n_variables : number of variables
    memory : maximum number of bytes of a search

    Attributes
    ----------
    is_possible : True if the solver is installed and the memory suffices
    """

    def __init__(self, n_variables: int, memory: int) -> None:
        self.is_possible = has_solver() and BYTES_PER_PAIR * n_variables**2 <= memory
        self._rng = np.random.default_rng(0)
        self._success = 1.0  # share of the sets with a violated cut; recent searches count most
        self._credit = 1.0  # number of sets of each size that the next search may try

    def search(
        self,
        table: ParentSets,
        rows: Rows,
        chosen: NDArray[np.int64],
        weights: NDArray[np.float64],
        work: int,
        is_spent: Callable[[], bool],
    ) -> list[Cut]:
        """
        Return violated local cuts.

        Parameters
        ----------
        table : the candidate table
        rows, chosen : masks and numbers of the rows that are taken into account
        weights : their probabilities
        work : number of rows that the dual ascent has read; the search takes about as long
        is_spent : function that returns True if the search must end
        """
        self._credit += max(MIN_CREDIT, min(1.0, 2.0 * self._success) * work / ROWS_PER_SET)
        if self._credit < 1.0:
            return []
        n_sets, self._credit = int(min(MAX_SETS, self._credit)), 0.0
        support = make_smoothed_support(table, rows, chosen, weights)
        tried: dict[bytes, int] = {}
        cuts = find_local_cuts(support, n_sets, tried, is_spent, MIN_VALUE, self._rng)
        total = len(cuts) + len(tried)
        if total:
            self._success = max(MIN_SUCCESS, 0.5 * (self._success + len(cuts) / total))
        return cuts


def make_smoothed_support(
    table: ParentSets, rows: Rows, chosen: NDArray[np.int64], weights: NDArray[np.float64]
) -> Support:
    """Return the rows with a relevant probability; the arguments are those of `LocalSeparator.search`."""
    from bnsearch.exact.kernels_support import extract_support

    begin, values, first, members, child, holder_begin, holders = extract_support(
        rows[0], chosen, weights, table.first, table.members, MIN_PROBABILITY
    )
    owner = np.repeat(np.arange(len(values)), np.diff(first))
    edges = np.zeros((table.n_variables, table.n_variables))
    np.add.at(edges, (members, child[owner]), values[owner])
    return Support(
        begin=begin,
        rows=np.arange(len(values)),
        values=values,
        child=child.astype(np.int64),
        first=first,
        members=members.astype(np.int64),
        holder_begin=holder_begin,
        holders=holders,
        weights=edges,
    )
