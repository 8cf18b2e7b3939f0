"""Exact search by dynamic programming over subsets of the variables."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from bnsearch.errors import InputError, require
from bnsearch.exact.groups import Group, split_into_groups
from bnsearch.orderings.asobs import select_acyclic_rows
from bnsearch.orderings.restarts import precedence_of
from bnsearch.orderings.starts import make_starts
from bnsearch.parent_sets.relaxed import relaxed
from bnsearch.runs.method import Needs
from bnsearch.runs.problem import Problem
from bnsearch.runs.run import Run

LOW_VARIABLES = 12  # a block has all subsets of this many variables: its arrays fit into a core's cache
TASKS_PER_THREAD = 4  # tasks into which a layer is divided, per thread
# Blocks of a kernel call, a few milliseconds: tasks check the clock between calls, and threads rarely wait for the GIL.
BLOCKS_PER_CALL = 8
MAX_VARIABLES = 50  # limit on any machine: 2^50 scores would take 8 PiB
ADVICE = "use the method auto, or reduce their number by dropping columns, by a lower max_parents or by forbidden edges"


@dataclass(frozen=True, kw_only=True)
class Exact:
    """
    Exact search for the best network over the candidate table.

    In the best network of a set of variables, some variable is a sink. Its parent set is its best candidate set among
    the other variables, and these have their own best network. The search computes the best score of all 2^n sets,
    smaller sets first.

    Parameters
    ----------
    memory : int, optional
        Maximum number of bytes of these scores, 8 * 2^n; each thread takes half a megabyte in addition.

    References
    ----------
    Silander & Myllymaki (2006), A simple approach for finding the globally optimal Bayesian network structure.

    Notes
    -----
    Storing the best parent set of every variable for every set would take n times the memory, so they are recomputed. A
    block consists of the sets that agree on all variables except the first 12, the low ones. For each block and
    variable, the candidate parent sets are written to the 2^12 low subsets, and the best score of each subset is
    propagated to its supersets. This takes about 12 n 2^(n-1) vectorised steps, and at most 2^(n-12) passes over the
    table. Blocks with the same number of high variables are independent and run in threads. The network is
    reconstructed backwards from the scores.

    The variables are split into the strongly connected components of the graph of all candidate parents (Fan, Malone &
    Yuan 2014). Each component is solved independently, so only the largest one must fit into memory.

    If the search is stopped early, it returns the network of acyclic selection along a FAS ordering, which is not
    proven optimal. It does the same if a component is too large and the candidate table was selected for this search.
    If the caller gave the table, it raises an error instead. The whole search is one iteration. An evaluation is the
    best score of one variable in one set.

    Examples
    --------
    >>> import bnsearch
    >>> data = bnsearch.load_network("asia").sample(200, 1)
    >>> method = bnsearch.Exact()
    >>> result = bnsearch.learn(data, method=method, seconds=None, stop=None, seed=1)
    >>> result.optimal
    True
    """

    name: ClassVar[str] = "exact"
    space: ClassVar[str] = "subsets of variables"
    needs: ClassVar[Needs] = Needs.TABLE
    ends: ClassVar[bool] = True
    paper: ClassVar[str] = "Silander & Myllymaki (2006)"
    purpose: ClassVar[str] = "for a proof of optimality, see Limits"
    memory: int = 4 << 30

    def __post_init__(self) -> None:
        require("memory", self.memory, at_least=1 << 20, at_most=1 << 62, whole=True)

    def search(self, problem: Problem, run: Run) -> None:
        """Search for the best network; if the run stops early, keep the network of acyclic selection."""
        table = run.parent_sets(problem)
        groups = split_into_groups(table)
        run.bound = relaxed(table).score
        rows = select_acyclic_rows(table, make_starts("fas", table, precedence_of(problem))(run.rng))
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
            if problem.table is not None:  # the caller gave the table, so an error wastes no selection time
                raise
            run.give_up("memory", f"{error}; kept the best network so far")
            return
        run.count(iterations=1)
        run.offer(math.fsum(table.scores[rows]), partial(table.network, rows))
        if problem.constraints is not None and not problem.constraints.permits(table.network(rows)):
            raise InputError(
                "no network of the candidate table satisfies the knowledge: add candidate sets, or relax the knowledge"
            )
        run.prove()

    def _check_memory(self, variables: int) -> None:
        """Raise an error if the scores of a group of this many variables exceed the memory."""
        max_variables = min(MAX_VARIABLES, (self.memory // 8).bit_length() - 1)
        if variables > max_variables:
            raise TooLargeError(
                f"exact search takes at most {max_variables} variables that depend on each other with "
                f"{self.memory / 2**30:,.3g} GiB of memory, but the table has {variables:,}: {ADVICE}"
            )


class TooLargeError(InputError):
    """Too many variables depend on each other for exact search."""


def solve(group: Group, run: Run) -> NDArray[np.int64] | None:
    """Return the rows of a group's best network; None if the run stops."""
    totals = compute_totals(group, run)
    return None if totals is None else trace_rows(group, totals)


def compute_totals(group: Group, run: Run) -> NDArray[np.float64] | None:
    """Return float64[2^n], the score of the best network of each subset of a group; None if the run stops."""
    from bnsearch.exact.kernels_dynamic import MIN_LOW_VARIABLES, solve_blocks

    missing = max(0, MIN_LOW_VARIABLES - len(group.variables))  # replaced by variables without any parent set
    begin = np.pad(group.begin, (0, missing), mode="edge")
    n = len(begin) - 1
    low = min(n, LOW_VARIABLES)
    sets = _sort_by_high_part(group, low)
    try:
        totals = np.empty((1 << (n - low), 1 << low))
    except MemoryError:
        raise TooLargeError(
            f"exact search of {n} variables that depend on each other takes {2.0 ** (n - 27):,.3g} GiB of memory, "
            f"which is not available: {ADVICE}"
        ) from None

    def solve_task(blocks: NDArray[np.int64]) -> bool:
        best = np.empty((low + 1, 1 << low))
        for start in range(0, len(blocks), BLOCKS_PER_CALL):
            if run.halted():
                return False
            solve_blocks(begin, sets, blocks[start : start + BLOCKS_PER_CALL], totals, best)
        return True

    high_masks = np.arange(1 << (n - low))
    layer_of = np.bitwise_count(high_masks)
    for size in range(n - low + 1):
        if not run.going():
            return None
        layer = high_masks[layer_of == size]
        tasks = np.array_split(layer, min(len(layer), TASKS_PER_THREAD * run.threads))
        if not all(list(run.map(solve_task, tasks))):
            return None
        run.count(evaluations=len(group.variables) * len(layer) << min(low, len(group.variables)))
    return totals.reshape(-1)[: 1 << len(group.variables)]


def _sort_by_high_part(group: Group, low: int) -> tuple[NDArray[np.float64], *tuple[NDArray[np.int64], ...]]:
    """Return the argument `sets` of `solve_blocks`: scores, low parts, high parts, ends of runs of equal high parts."""
    highs = group.masks >> low
    child = np.repeat(np.arange(len(group.variables)), np.diff(group.begin))
    order = np.lexsort((highs, child))
    highs = highs[order]
    last = np.append((np.diff(highs) != 0) | (np.diff(child) != 0), True)
    ends = np.flatnonzero(last) + 1
    skip = np.repeat(ends, np.diff(ends, prepend=0))
    return group.scores[order], group.masks[order] & ((1 << low) - 1), highs, skip


def trace_rows(group: Group, totals: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the rows of a group's best network, found backwards: the last variable of all, then of the others."""
    rows = np.empty(len(group.variables), dtype=np.int64)
    remaining = len(totals) - 1
    while remaining:
        options = []
        for v in range(len(rows)):
            if remaining >> v & 1:
                others = remaining ^ (1 << v)
                entry = group.find_best(v, others)
                options.append((totals[others] + group.scores[entry], v, entry))
        _, v, entry = max(options)
        rows[v] = group.rows[entry]
        remaining ^= 1 << v
    return rows
