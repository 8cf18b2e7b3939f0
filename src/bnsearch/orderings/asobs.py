"""ASOBS: each ordering's network may take back-arcs as long as it stays acyclic."""

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
from bnsearch.runs.problem import Problem
from bnsearch.runs.run import Run
from bnsearch.scores.score import improves

BATCH = 16  # restarts handed out at a time
BUDGET = 5_000_000  # entries looked at between two looks at the clock: some ten milliseconds

Rows = NDArray[np.int64]


@dataclass(frozen=True)
class Selected:
    """The rows of a table that make a network, one a variable; their score; and how many rows were looked at."""

    rows: Rows
    score: float
    evaluations: int


@dataclass(frozen=True, kw_only=True)
class ASOBS:
    """
    Acyclic selection over random orderings.

    An ordering's network is found by `acyclic_selection`; a topological order of it gives the next one, until that
    is no better. Then the search starts again.

    Parameters
    ----------
    follow : whether to follow the topological orders; without, each start is one selection, as published
    start : where to start: random, dfs or fas

    References
    ----------
    Scanagatta, de Campos, Corani & Zaffalon (2015), Learning Bayesian networks with thousands of variables.

    Notes
    -----
    The paper applies its selection to sampled orderings (`follow=False`). To follow the topological orders of what it
    finds is ours: each is drawn at random among all that fit, and its selection is never worse, because the network
    itself is consistent with it. Swaps of neighbours in the ordering are not tried. One iteration is one start,
    followed to its end.
    """

    name: ClassVar[str] = "asobs"
    follow: bool = True
    start: str = "random"

    def __post_init__(self) -> None:
        if not isinstance(self.follow, bool):
            raise InputError(f"follow must be True or False, not {self.follow!r}")
        require_start(self.start)

    def search(self, problem: Problem, run: Run) -> None:
        """Search until the run is told to stop."""
        table = run.parent_sets(problem)
        run.bound = relaxed(table).score
        start = make_starts(self.start, table, precedence_of(problem))
        selector = Selector(table, run.halted)
        find = partial(selector.follow if self.follow else selector.select_from, start)
        while run.going():
            for found in run.map(find, run.spawn(run.allowed(BATCH))):
                if found is not None:
                    run.count(iterations=1, evaluations=found.evaluations)
                    run.offer(found.score, partial(table.network, found.rows))


class Selector:
    """Acyclic selection along orderings of one table; `halted` tells now and then whether to give up."""

    def __init__(self, table: ParentSets, halted: Callable[[float], bool]) -> None:
        self.table = table
        self._halted = halted
        self._most_arcs = int(np.maximum.reduceat(table.sizes, table.begin[:-1]).sum())

    def select_from(self, start: Start, rng: np.random.Generator) -> Selected | None:
        """Select along a starting ordering; None if halted."""
        return None if self._halted(-math.inf) else self.select(start(rng))

    def follow(self, start: Start, rng: np.random.Generator) -> Selected | None:
        """Select along a starting ordering, then along an order of the network found, as long as that is better."""
        best: Selected | None = None
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
            order = order_of(self.table, best.rows, rng)
        return best and replace(best, evaluations=evaluations)

    def select(self, order: Ordering) -> Selected | None:
        """Select along an ordering; None if halted before the end."""
        from bnsearch.orderings.kernels.acyclic import select_acyclic

        table, n, most = self.table, len(order), self._most_arcs
        rows, last = np.empty(n, dtype=np.int64), np.full(n, -1, dtype=np.int64)
        before, child = np.empty(most, dtype=np.int64), np.empty(most, dtype=np.int32)
        mark, stack = np.full(n, -1, dtype=np.int32), np.empty(n, dtype=np.int32)
        lists = (table.begin, table.first, table.members)
        at, size, evaluations = n - 1, 0, 0
        while at >= 0:
            at, size, looked = select_acyclic(*lists, order, at, size, BUDGET, rows, last, before, child, mark, stack)
            evaluations += looked
            if at >= 0 and self._halted(-math.inf):
                return None
        return Selected(rows, math.fsum(table.scores[rows]), evaluations)


def acyclic_selection(table: ParentSets, order: Ordering) -> Rows:
    """
    Return a row for each variable: a network at least as good as the best one that is consistent with an ordering.

    The variables choose from the last to the first, each the best of its sets that closes no cycle with those chosen
    before. Whatever stands before a variable is then no descendant of it, so it can choose all that the ordering
    admits, and more.

    References
    ----------
    Scanagatta, de Campos, Corani & Zaffalon (2015).
    """
    found = Selector(table, lambda score: False).select(np.asarray(order, dtype=np.int32))
    assert found is not None
    return found.rows


def order_of(table: ParentSets, rows: Rows, rng: np.random.Generator) -> Ordering:
    """Return a random topological order of the network that some rows make."""
    from bnsearch.orderings.kernels.starts import order_topologically

    sizes = table.sizes[rows]
    heads = np.repeat(np.arange(len(rows), dtype=np.int32), sizes)
    offsets = np.arange(len(heads)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    tails = table.members[np.repeat(table.first[rows], sizes) + offsets]
    order = np.empty(len(rows), dtype=np.int32)
    order_topologically(tails, heads, rng.random(len(rows)), order)
    return order
