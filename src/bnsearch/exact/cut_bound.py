"""The upper bound of a candidate table by branch and cut, in slices."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from bnsearch.budgets.budget import Budget
from bnsearch.exact.branch_and_cut import BranchAndCut
from bnsearch.exact.cluster_bound import ClusterBound
from bnsearch.exact.components import split_into_components
from bnsearch.exact.cuts import Cut, restrict_cuts
from bnsearch.exact.incumbents import find_choice
from bnsearch.exact.proof import Proof
from bnsearch.parent_sets.table import ParentSets


class CutBound:
    """
    The upper bound of a candidate table by branch and cut over its components. It can be interrupted and resumed.

    Linear programs with local cuts give lower bounds than the dual ascent, whose clusters are the first cuts.

    Parameters
    ----------
    table : the candidate table
    rows : int64[n], the rows of a network, the first incumbent
    start : bound of a dual ascent over the table; None means none
    cuts : further cuts of the program at the start, such as those of a search over another table; their members are
        variables of the table
    memory : maximum number of bytes for cuts and open nodes
    seed : seed of the random numbers
    report : function that is called with the rows of each better network

    Attributes
    ----------
    table : the candidate table
    rows : int64[n], the rows of the best network so far
    """

    def __init__(
        self,
        table: ParentSets,
        rows: NDArray[np.int64],
        start: ClusterBound | None = None,
        *,
        cuts: Sequence[Cut] = (),
        memory: int = 1 << 30,
        seed: int = 0,
        report: Callable[[NDArray[np.int64]], None] = lambda rows: None,
    ) -> None:
        self.table, self.rows = table, rows.copy()
        self._report = report
        self._budget = Budget(0.0)
        self._end = math.inf  # time on the clock when the current component must be left
        components = [component for component in split_into_components(table) if component.size > 1]
        is_alone = np.ones(table.n_variables, dtype=bool)
        for component in components:
            is_alone[component.variables] = False
        self.rows[is_alone] = table.begin[:-1][is_alone]  # a variable on no cycle takes its best parent set
        best = table.scores[table.begin[:-1]]
        self._others = math.fsum(best) - math.fsum(component.relaxed_score for component in components)
        self._start_value = math.inf if start is None else start.value
        self._searches = [
            BranchAndCut(
                component,
                find_choice(component, rows),
                memory=memory // len(components),
                halted=self._is_halted,
                seed=seed,
                start=start,
            )
            for component in components
        ]
        for search in self._searches:
            search.bounds.add_cuts(restrict_cuts(cuts, search.component))

    @property
    def value(self) -> float:
        """The upper bound."""
        return min(self._start_value, self._compute_value())

    def _compute_value(self) -> float:
        return self._others + math.fsum(search.bounds.target + search.gap for search in self._searches)

    def list_cuts(self) -> list[Cut]:
        """Return the cuts of the linear programs; their members are variables of the table."""
        return [
            replace(cut, members=search.component.variables[cut.members])
            for search in self._searches
            for cut in (search.pool[number] for number in search.bounds.program.cuts.tolist())
        ]

    def make_proofs(self) -> list[Proof]:
        """Return the proofs of the components."""
        return [search.make_proof() for search in self._searches]

    def improve(self, budget: Budget) -> float:
        """Search until the budget is spent or the best network is proven, and return the bound."""
        self._budget = budget
        while not budget.is_spent():
            gaps = [max(0.0, search.gap) for search in self._searches]
            if max(gaps, default=0.0) <= 0.0:
                break
            search, gap = max(zip(self._searches, gaps, strict=True), key=lambda pair: pair[1])
            self._end = budget.clock() + budget.remaining * gap / math.fsum(gaps)
            before = search.choice
            search.solve()
            if search.choice is not before:
                self.rows[search.component.variables] = search.component.rows[search.choice]
                self._report(self.rows.copy())
        return self.value

    def _is_halted(self) -> bool:
        return self._budget.is_spent() or self._budget.clock() > self._end
