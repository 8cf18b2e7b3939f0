"""Exact search by dynamic programming over subsets of the variables."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from bnsearch.errors import InputError, require
from bnsearch.exact.groups import Group, groups_of
from bnsearch.orderings.asobs import acyclic_selection
from bnsearch.orderings.restarts import precedence_of
from bnsearch.orderings.starts import make_starts
from bnsearch.parent_sets.relaxed import relaxed
from bnsearch.runs.problem import Problem
from bnsearch.runs.run import Run

LOW = 12  # variables whose subsets make one block: their arrays stay in a core's cache
PIECES = 4  # pieces of a layer for each thread
BLOCKS_PER_CALL = 8  # between two looks at the clock: some milliseconds, for which no thread waits for another
MOST = 50  # variables, on whatever machine: they would take 8 PiB
ADVICE = "use the method auto, or have fewer of them: fewer columns, max_parents, knowledge"


@dataclass(frozen=True, kw_only=True)
class Exact:
    """
    The best network of the candidate table, proven.

    The best network of a set of variables has some variable last, with the best parents it can choose among the
    others: 2^n scores, the smaller sets before the larger ones.

    Parameters
    ----------
    memory : bytes that the scores may use, 8 * 2^n; beside them there is half a megabyte for each thread

    References
    ----------
    Silander & Myllymaki (2006), A simple approach for finding the globally optimal Bayesian network structure.

    Notes
    -----
    The best parents of every variable in every set would take n times the memory. They are worked out where they are
    used, instead: the sets are treated in blocks that agree on all but the first 12 variables, those with fewer others
    first; for each block and variable the candidate sets are spread over the 2^12 subsets, and each subset's best is
    passed on to its supersets. That takes about 12 n 2^(n-1) steps, which run as vectors, and at most 2^(n-12) passes
    over the table. Blocks with equally many others run in threads. The network is read off backwards, without having
    been stored.

    Variables fall into groups that cannot form cycles with each other, the strongly connected components of the graph
    of all candidate parents (Fan, Malone & Yuan 2014). Each group is solved by itself, so only the largest must fit.

    Stopped early, the search returns a network of acyclic selection along an ordering without the relaxed solution's
    weakest arcs, unproven. So it does where a group is too large and the candidate sets were scored for this search: a
    table that was handed in is refused. The whole search is one iteration; an evaluation is the best score of one
    variable in one set.
    """

    name: ClassVar[str] = "exact"
    memory: int = 4 << 30

    def __post_init__(self) -> None:
        require("memory", self.memory, at_least=1 << 20, at_most=1 << 62, whole=True)

    def search(self, problem: Problem, run: Run) -> None:
        """Find the best network, or a fair one if the run is told to stop before."""
        table = run.parent_sets(problem)
        groups = groups_of(table)
        run.bound = relaxed(table).score
        rows = acyclic_selection(table, make_starts("fas", table, precedence_of(problem))(run.rng))
        run.offer(math.fsum(table.scores[rows]), partial(table.network, rows.copy()))
        try:
            self._check_memory(max(len(group.variables) for group in groups))
            for group in groups:
                with run.ignoring_convergence():
                    found = solve(group, run)
                if found is None:
                    return
                rows[group.variables] = found
        except TooLargeError as error:
            if problem.table is not None:  # nothing is lost
                raise
            run.give_up("memory", f"{error}; kept the best network so far")
            return
        run.count(iterations=1)
        run.offer(math.fsum(table.scores[rows]), partial(table.network, rows))
        if problem.constraints is not None and not problem.constraints.permits(table.network(rows)):
            raise InputError("no choice among the candidate sets gives a network that respects the knowledge")
        run.prove()

    def _check_memory(self, variables: int) -> None:
        most = min(MOST, (self.memory // 8).bit_length() - 1)
        if variables > most:
            raise TooLargeError(
                f"exact search takes at most {most} variables that depend on each other in {self.memory / 2**30:,.3g} "
                f"GiB of memory, and here are {variables:,}: {ADVICE}"
            )


class TooLargeError(InputError):
    """Too many variables depend on each other for exact search."""


def solve(group: Group, run: Run) -> NDArray[np.int64] | None:
    """Return the table's rows of a group's best network; None if told to stop."""
    total = best_totals(group, run)
    return None if total is None else best_rows(group, total)


def best_totals(group: Group, run: Run) -> NDArray[np.float64] | None:
    """Return float64[2^n], the score of the best network of each subset of a group; None if told to stop."""
    from bnsearch.exact.kernels_dynamic import FEW, solve_blocks

    begin = np.pad(group.begin, (0, max(0, FEW - len(group.variables))), mode="edge")  # variables without any set
    n = len(begin) - 1
    low = min(n, LOW)
    sets = _by_high_part(group, low)
    try:
        total = np.empty((1 << (n - low), 1 << low))
    except MemoryError:
        raise TooLargeError(
            f"exact search of {n} variables that depend on each other takes {2.0 ** (n - 27):,.3g} GiB of memory, more "
            f"than there is: {ADVICE}"
        ) from None

    def solve_piece(blocks: NDArray[np.int64]) -> bool:
        best = np.empty((low + 1, 1 << low))
        for start in range(0, len(blocks), BLOCKS_PER_CALL):
            if run.halted():
                return False
            solve_blocks(begin, sets, blocks[start : start + BLOCKS_PER_CALL], total, best)
        return True

    high_masks = np.arange(1 << (n - low))
    layer_of = np.bitwise_count(high_masks)
    for others in range(n - low + 1):
        if not run.going():
            return None
        layer = high_masks[layer_of == others]
        pieces = np.array_split(layer, min(len(layer), PIECES * run.threads))
        if not all(list(run.map(solve_piece, pieces))):
            return None
        run.count(evaluations=len(group.variables) * len(layer) << min(low, len(group.variables)))
    return total.reshape(-1)[: 1 << len(group.variables)]


def _by_high_part(group: Group, low: int) -> tuple[NDArray[np.float64], *tuple[NDArray[np.int64], ...]]:
    """Return what `solve_blocks` wants to know of each candidate set, those of a variable by their high parts."""
    highs = group.masks >> low
    child = np.repeat(np.arange(len(group.variables)), np.diff(group.begin))
    order = np.lexsort((highs, child))
    highs = highs[order]
    last = np.append((np.diff(highs) != 0) | (np.diff(child) != 0), True)
    ends = np.flatnonzero(last) + 1
    skip = np.repeat(ends, np.diff(ends, prepend=0))
    return group.scores[order], group.masks[order] & ((1 << low) - 1), highs, skip


def best_rows(group: Group, total: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the table's rows of a group's best network: from all variables backwards, which one stands last."""
    rows = np.empty(len(group.variables), dtype=np.int64)
    left = len(total) - 1
    while left:
        ends = []
        for v in range(len(rows)):
            if left >> v & 1:
                row = group.best_inside(v, left ^ (1 << v))
                ends.append((total[left ^ (1 << v)] + group.scores[row], v, row))
        _, v, row = max(ends)
        rows[v] = group.rows[row]
        left ^= 1 << v
    return rows
