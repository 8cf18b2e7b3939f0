"""Upper bounds of a node of the search tree: linear programs with cuts, and the parent sets that a bound excludes."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from bnsearch.exact.cluster_cuts import find_cluster_cuts
from bnsearch.exact.components import Component
from bnsearch.exact.cuts import Cut, CutPool
from bnsearch.exact.linear_program import LinearProgram
from bnsearch.exact.local_cuts import find_local_cuts
from bnsearch.exact.proof import Step
from bnsearch.exact.support import Support, make_support
from bnsearch.scores.score import tie_margin

FIRST_COLUMNS = 10  # best parent sets of each variable that are columns from the start
MAX_NEW_COLUMNS = 8  # parent sets of each variable that become columns at a time
MAX_CUTS = 200  # cluster inequalities that are added at a time
MAX_LOCAL_SETS = 40  # sets of variables of each size in which local cuts are searched
MIN_CLUSTERS = 3  # local cuts are searched if there are fewer cluster inequalities
MAX_STALLS = 3  # rounds with little progress after which the root node is finished
ROOT_PROGRESS = 0.01  # share of the gap that a round must close, or the round has little progress
NODE_PROGRESS = 0.1  # the same for other nodes, which are finished after one round with little progress
FIX_PROGRESS = 0.9  # parent sets are excluded again when the gap has shrunk to this share


@dataclass(eq=False)
class NodeState:
    """
    What is known about the networks of a node.

    Attributes
    ----------
    before : bool[n, n], the precedences
    alive : bool[sets], the parent sets that are left
    bound : upper bound of the score
    steps : the steps that lead to these
    pending : step that leads to the bound, but is not applied yet; None if there is none
    is_closed : True if no network of the node improves the incumbent
    """

    before: NDArray[np.bool_]
    alive: NDArray[np.bool_]
    bound: float
    steps: list[Step] = field(default_factory=list)
    pending: Step | None = None
    is_closed: bool = False


class NodeBounds:
    """
    Computes the bounds of nodes.

    Bounds come from the multipliers of the linear program and not from its objective: the sum of each variable's best
    score, less the multipliers of the cuts times their coefficients, plus the multipliers times the limits. This is a
    bound for any multipliers, so it depends neither on the tolerances of the solver nor on missing columns.

    Attributes
    ----------
    target : score of the incumbent
    program : the linear program
    reduced : float64[sets], reduced scores at the last bound
    best : float64[n], the best reduced score of each variable
    support : the parent sets with positive values in the last solution
    """

    def __init__(
        self, component: Component, choice: NDArray[np.int64], pool: CutPool, halted: Callable[[], bool], seed: int
    ) -> None:
        self.component, self.pool, self.halted = component, pool, halted
        self.target = math.fsum(component.scores[choice])
        self.program = LinearProgram(component, pool, halted)
        self.reduced, self.best = np.empty(component.n_sets), np.empty(component.size)
        self.support: Support = make_support(component, choice, np.ones(len(choice)))
        self._failed: dict[bytes, int] = {}
        self._random = np.array([seed], dtype=np.uint64)
        first = np.arange(component.n_sets) - component.begin[component.child] < FIRST_COLUMNS
        first[component.begin[1:] - 1] = True
        first[choice] = True
        self.program.add_columns(np.flatnonzero(first))

    def is_closed(self, bound: float) -> bool:
        """Return True if a bound exceeds the incumbent by no more than rounding errors."""
        return bound <= self.target + tie_margin(self.target)

    def compute_bound(self, step: Step, alive: NDArray[np.bool_]) -> float:
        """Return the upper bound of a step's multipliers; minus infinity if a variable has no parent set."""
        from bnsearch.exact.kernels_cuts import find_best_reduced, subtract_penalties

        self.reduced[:] = self.component.scores
        arrays = self.pool.arrays, step.cuts, step.multipliers, self.component.arrays
        subtract_penalties(*arrays, alive, self.reduced)
        if not find_best_reduced(self.component.begin, alive, self.reduced, self.best):
            return -math.inf
        return math.fsum(self.best) + math.fsum(step.multipliers * self.pool.limits[step.cuts])

    def apply_step(self, state: NodeState, step: Step) -> None:
        """Lower the bound of a node and exclude parent sets by a step, which becomes part of its proof."""
        from bnsearch.exact.kernels_precedence import propagate_precedence

        bound = self.compute_bound(step, state.alive)
        state.steps.append(step)
        state.pending = None
        state.bound = min(state.bound, bound)
        state.is_closed = self.is_closed(bound)
        if not state.is_closed:
            excess = bound - self.target - tie_margin(self.target)
            state.alive &= self.reduced > self.best[self.component.child] - excess
            state.is_closed = not propagate_precedence(self.component.arrays, state.before, state.alive)

    def tighten(self, state: NodeState, is_root: bool) -> None:
        """Solve linear programs with more and more cuts until the node is closed, progress is little, or a stop."""
        stalls, last_bound, fixed_gap = 0, math.inf, math.inf
        while not state.is_closed and self._solve_priced(state):
            gap = state.bound - self.target
            if state.pending is not None and (gap < FIX_PROGRESS * fixed_gap or self.is_closed(state.bound)):
                self.apply_step(state, state.pending)
                fixed_gap = gap
            needed = (ROOT_PROGRESS if is_root else NODE_PROGRESS) * gap
            stalls = stalls + 1 if last_bound - state.bound < needed else 0
            last_bound = state.bound
            if state.is_closed or stalls > (MAX_STALLS if is_root else 0):
                break
            if not self._add_violated_cuts(stalls > 0):
                break
        if state.pending is not None:
            if self.halted():  # after a stop, there is no time to exclude parent sets
                state.steps.append(state.pending)
            else:
                self.apply_step(state, state.pending)

    def _solve_priced(self, state: NodeState) -> bool:
        """Solve the program, adding columns until none improves it; return False after a stop."""
        while True:
            self.program.allow(state.alive)
            if not self.program.solve():
                return False
            used = self.program.multipliers > 0
            step = Step(self.program.cuts[used], self.program.multipliers[used])
            bound = self.compute_bound(step, state.alive)
            if bound < state.bound:
                state.bound, state.pending = bound, step
            rows = self._find_columns(state.alive)
            if len(rows) == 0 or self.is_closed(bound):
                self.support = make_support(self.component, self.program.columns, self.program.values)
                return True
            self.program.add_columns(rows)

    def _find_columns(self, alive: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Return parent sets, best first for each variable, with larger reduced scores than all columns."""
        child = self.component.child
        solved = np.full(self.component.size, -np.inf)
        columns = self.program.columns[alive[self.program.columns]]
        np.maximum.at(solved, child[columns], self.reduced[columns])
        margin = 1e-9 * max(1.0, abs(self.target))
        rows = np.flatnonzero(alive & ~self.program.is_column & (self.reduced > (solved + margin)[child]))
        rows = rows[np.lexsort((-self.reduced[rows], child[rows]))]
        start = np.searchsorted(child[rows], child[rows])
        return rows[np.arange(len(rows)) - start < MAX_NEW_COLUMNS]

    def _add_violated_cuts(self, with_local: bool) -> bool:
        """Add cuts that the last solution violates to the program, and return True if there are any."""
        if self.pool.is_full:
            return False
        cuts: list[Cut] = find_cluster_cuts(self.support, self._random, MAX_CUTS, self.halted)
        if with_local or len(cuts) < MIN_CLUSTERS:
            cuts += find_local_cuts(self.support, MAX_LOCAL_SETS, self._failed, self.halted)
        return self.add_cuts(cuts)

    def add_cuts(self, cuts: Sequence[Cut]) -> bool:
        """Add cuts to the pool and to the program, and return True if some of them are new."""
        numbers = np.array([self.pool.add(cut) for cut in cuts], dtype=np.int64)
        numbers = np.setdiff1d(numbers, self.program.cuts)
        if len(numbers):
            self.program.add_cuts(numbers)
        return len(numbers) > 0
