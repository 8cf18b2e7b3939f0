"""ASOBS: acyclic selection over orderings, which also allows back-arcs that close no cycle."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from bnsearch.errors import InputError
from bnsearch.orderings.restarts import precedence_of
from bnsearch.orderings.starts import Ordering, Start, make_starts, require_start
from bnsearch.parent_sets.relaxed import relaxed
from bnsearch.parent_sets.table import ParentSets
from bnsearch.runs.method import Needs
from bnsearch.runs.problem import Problem
from bnsearch.runs.run import Run
from bnsearch.scores.score import improves

STARTS_PER_BATCH = 16  # starts given to the workers between two checks of the stopping rule
ENTRIES_PER_CALL = 5_000_000  # about ten milliseconds: between two calls of the kernel, a selection reads the clock

Rows = NDArray[np.int64]


@dataclass(frozen=True)
class SelectedNetwork:
    """
    A network found by acyclic selection.

    Attributes
    ----------
    rows : int64[n], the chosen row of the candidate table for each variable
    score : score of the network
    evaluations : number of rows that were read to find it
    """

    rows: Rows
    score: float
    evaluations: int


@dataclass(frozen=True, kw_only=True)
class ASOBS:
    """
    Acyclic selection over random orderings.

    The search finds a network along an ordering by `select_acyclic_rows`. A topological order of that network is the
    next ordering, until the score no longer improves. Then the search restarts.

    Parameters
    ----------
    follow : bool, default True
        True to continue with topological orders; False for one selection per start, as published.
    start : str, default "random"
        Starting orderings: random, dfs or fas.

    References
    ----------
    Scanagatta, de Campos, Corani & Zaffalon (2015), Learning Bayesian networks with thousands of variables.

    Notes
    -----
    The paper applies its selection to sampled orderings (`follow=False`). The continuation with topological orders is
    ours. It never finds a better network. Along a topological order, the set of a variable is chosen after the sets of
    all its descendants, so the better sets that would have closed a cycle before still do. `follow=True` therefore
    returns the networks of `follow=False`, after twice the evaluations. Swaps of adjacent variables are not tried. One
    iteration is one start with its continuation.

    Examples
    --------
    >>> import bnsearch
    >>> data = bnsearch.load_network("asia").sample(200, 1)
    >>> method = bnsearch.ASOBS()
    >>> result = bnsearch.learn(data, method=method, seconds=None, stop=bnsearch.Iterations(2), seed=1)
    >>> round(result.score, 3)
    -455.375
    """

    name: ClassVar[str] = "asobs"
    space: ClassVar[str] = "orderings, acyclic selection"
    needs: ClassVar[Needs] = Needs.TABLE
    paper: ClassVar[str] = "Scanagatta et al. (2015)"
    purpose: ClassVar[str] = "for a fast first network of thousands of variables"
    follow: bool = True
    start: str = "random"

    def __post_init__(self) -> None:
        if not isinstance(self.follow, bool):
            raise InputError(f"follow must be True or False, not {self.follow!r}")
        require_start(self.start)

    def search(self, problem: Problem, run: Run) -> None:
        """Search until the run stops."""
        table = run.parent_sets(problem)
        run.tighten_bound(relaxed(table).score)
        start = make_starts(self.start, table, precedence_of(problem))
        selector = Selector(table, run.halted)
        search_from = partial(selector.follow_orders if self.follow else selector.select_once, start)
        while run.going():
            for found in run.map(search_from, run.spawn(run.allowed(STARTS_PER_BATCH))):
                if found is not None:
                    run.count(iterations=1, evaluations=found.evaluations)
                    run.offer(found.score, partial(table.network, found.rows))


class Selector:
    """
    Acyclic selection over one candidate table; can be shared between threads.

    Parameters
    ----------
    table : the candidate table
    halted : function of a score that returns True if the selection is to be abandoned, because the time is over or the
        score is sufficient
    """

    def __init__(self, table: ParentSets, halted: Callable[[float], bool]) -> None:
        self.table = table
        self._halted = halted
        self._max_arcs = int(np.maximum.reduceat(table.sizes, table.begin[:-1]).sum())

    def select_once(self, start: Start, rng: np.random.Generator) -> SelectedNetwork | None:
        """Return the network selected along a starting ordering; None if halted."""
        return None if self._halted(-math.inf) else self.select(start(rng))

    def follow_orders(self, start: Start, rng: np.random.Generator) -> SelectedNetwork | None:
        """
        Select along a starting ordering, then along topological orders of the networks found.

        Returns the last network that improved the score; None if halted before the first one.
        """
        best: SelectedNetwork | None = None
        score, evaluations = -math.inf, 0
        order = start(rng)
        while not self._halted(score):
            found = self.select(order)
            if found is None:
                break
            evaluations += found.evaluations
            if not improves(found.score, score):
                break
            best, score = found, found.score
            order = draw_topological_order(self.table, best.rows, rng)
        return best and replace(best, evaluations=evaluations)

    def select(self, order: Ordering) -> SelectedNetwork | None:
        """Return the network selected along an ordering; None if halted before the end."""
        from bnsearch.orderings.kernels.asobs import select_acyclic

        table, n, max_arcs = self.table, len(order), self._max_arcs
        rows, last_arc = np.empty(n, dtype=np.int64), np.full(n, -1, dtype=np.int64)
        previous_arc, head = np.empty(max_arcs, dtype=np.int64), np.empty(max_arcs, dtype=np.int32)
        mark, stack = np.full(n, -1, dtype=np.int32), np.empty(n, dtype=np.int32)
        at, n_arcs, evaluations = n - 1, 0, 0
        while at >= 0:
            at, n_arcs, n_sets = select_acyclic(
                table.begin, table.first, table.members, order, at, n_arcs, ENTRIES_PER_CALL,
                rows, last_arc, previous_arc, head, mark, stack,
            )  # fmt: skip
            evaluations += n_sets
            if at >= 0 and self._halted(-math.inf):
                return None
        return SelectedNetwork(rows, math.fsum(table.scores[rows]), evaluations)


def select_acyclic_rows(table: ParentSets, order: Ordering) -> Rows:
    """
    Return a row for each variable: a network at least as good as the best one that is consistent with an ordering.

    Parent sets are chosen for the variables from the last to the first. Each variable gets its best set that closes no
    cycle with the sets chosen so far. The predecessors of a variable are not among its descendants at that time, so
    every set that the ordering allows is available. Sets with later variables are available if they close no cycle.

    References
    ----------
    Scanagatta, de Campos, Corani & Zaffalon (2015).
    """
    found = Selector(table, lambda score: False).select(np.asarray(order, dtype=np.int32))
    assert found is not None
    return found.rows


def draw_topological_order(table: ParentSets, rows: Rows, rng: np.random.Generator) -> Ordering:
    """Return a random topological order of the network with the given rows."""
    from bnsearch.orderings.kernels.starts import order_topologically

    sizes = table.sizes[rows]
    heads = np.repeat(np.arange(len(rows), dtype=np.int32), sizes)
    offsets = np.arange(len(heads)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    tails = table.members[np.repeat(table.first[rows], sizes) + offsets]
    order = np.empty(len(rows), dtype=np.int32)
    order_topologically(tails, heads, rng.random(len(rows)), order)
    return order
