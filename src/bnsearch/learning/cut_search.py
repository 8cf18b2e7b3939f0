"""Branch and cut as part of the search for an upper bound, in turns with the dual ascent."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bnsearch.budgets.budget import Budget
from bnsearch.exact.certificate import make_certificate
from bnsearch.exact.cut_bound import CutBound
from bnsearch.exact.cuts import Cut
from bnsearch.exact.incumbents import find_rows
from bnsearch.exact.priced_ascent import PricedAscent
from bnsearch.exact.warm_up import load_cut_kernels
from bnsearch.graphs.dag import DAG
from bnsearch.runs.run import Run


class CutSearch:
    """
    Branch and cut over the table of a dual ascent.

    The two take turns, until branch and cut has the lower bound and continues alone. Networks that branch and cut finds
    are offered to the run.

    Parameters
    ----------
    run : the run that the search is part of
    memory : bytes for cuts and open nodes

    Attributes
    ----------
    old_cuts : cuts over an earlier table, or of an earlier run; they hold for any table
    """

    def __init__(self, run: Run, memory: int) -> None:
        self._run, self._memory = run, memory
        self.old_cuts: list[Cut] = []
        self._bound: CutBound | None = None
        self._is_next = True  # True if branch and cut has the next turn, False if the dual ascent has it
        self._network: tuple[DAG, NDArray[np.float64]] | None = None  # the last network found

    @property
    def is_started(self) -> bool:
        """Whether branch and cut has started over the current table."""
        return self._bound is not None

    @property
    def value(self) -> float:
        """The upper bound; infinity before the start."""
        return inf if self._bound is None else self._bound.value

    def start(self, ascent: PricedAscent) -> bool:
        """Start over the table of the dual ascent; return False if this table lacks sets of the incumbent."""
        run, table = self._run, ascent.make_table()
        with run.budget.clock_paused():
            load_cut_kernels()
        rows = find_rows(table, run.best())
        if rows is None:
            return False

        def report(rows: NDArray[np.int64]) -> None:
            if run.offer(math.fsum(table.scores[rows]), partial(table.network, rows)):
                self._network = table.network(rows), table.scores[rows]

        self._bound = CutBound(
            table, rows, ascent.bound, cuts=self.old_cuts, memory=self._memory, seed=run.seed, report=report
        )
        return True

    def stop(self) -> None:
        """End branch and cut over the current table, and keep its cuts."""
        self.old_cuts, self._bound = self.list_cuts(), None

    def list_cuts(self) -> list[Cut]:
        """Return all cuts."""
        return self.old_cuts if self._bound is None else self._bound.list_cuts()

    def is_better_than(self, ascent: PricedAscent) -> bool:
        """Return True if branch and cut has a lower bound than the dual ascent."""
        return self.value < ascent.bound.value

    def take_turn(self, ascent: PricedAscent) -> bool:
        """Return True if branch and cut has this turn, False if the dual ascent has it."""
        is_next, self._is_next = self._is_next, not self._is_next
        return self.is_started and (is_next or ascent.converged or self.is_better_than(ascent))

    def improve(self, budget: Budget) -> None:
        """Improve the bound within a budget."""
        assert self._bound is not None
        self._bound.improve(budget)

    def take_network(self) -> tuple[DAG, NDArray[np.float64]] | None:
        """Return the network that was found since the last call, with its local scores; None if there is none."""
        network, self._network = self._network, None
        return network

    def make_evidence(self) -> Callable[[], Any]:
        """Return a function that makes the certificate of the current bound."""
        assert self._bound is not None
        return partial(make_certificate, self._bound.table, self._bound.make_proofs())
