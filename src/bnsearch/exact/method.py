"""Exact search: dynamic programming for small components, the order graph and branch and cut for others."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import partial
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from bnsearch.budgets.budget import Budget
from bnsearch.errors import InputError, require
from bnsearch.exact.certificate import certify_optimum, make_certificate
from bnsearch.exact.cluster_bound import ClusterBound
from bnsearch.exact.component_search import ComponentSearch
from bnsearch.exact.components import Component, split_into_components
from bnsearch.exact.dynamic import ADVICE, MAX_VARIABLES, TooLargeError, solve
from bnsearch.exact.incumbents import PATIENCE, find_choice, find_rows, search_incumbent
from bnsearch.exact.linear_program import has_solver
from bnsearch.exact.proof import Proof
from bnsearch.exact.warm_up import load_cut_kernels, load_order_kernels
from bnsearch.orderings.asobs import select_acyclic_rows
from bnsearch.orderings.restarts import precedence_of
from bnsearch.orderings.starts import make_starts
from bnsearch.parent_sets.relaxed import relaxed
from bnsearch.parent_sets.table import ParentSets
from bnsearch.runs.method import Needs
from bnsearch.runs.problem import Problem
from bnsearch.runs.run import Run

MAX_DYNAMIC = 20  # variables up to which dynamic programming is faster than other searches, less than 0.5 s
SECONDS_PER_STEP = 7e-9  # estimated time of dynamic programming divided by n 2^n, on one thread
DYNAMIC_SHARE = 0.25  # share of this time after which it replaces the order graph, if the memory suffices


@dataclass(frozen=True, kw_only=True)
class Exact:
    """
    Exact search for the best network over the candidate table.

    The variables are split into the strongly connected components of the graph of all candidate parents (Fan, Malone &
    Yuan 2014), which are solved independently. Components of up to 20 variables are solved by dynamic programming, and
    larger ones by search over the order graph and by branch and cut, which need the package highspy. Without this
    package, dynamic programming solves all components.

    Parameters
    ----------
    memory : int, default 4 GiB
        Maximum number of bytes of each search: dynamic programming (8 * 2^n bytes for n variables), the order graph,
        and branch and cut. Each thread of dynamic programming takes half
        a megabyte in addition. The linear program has at most a few thousand columns and rows.

    References
    ----------
    Silander & Myllymaki (2006), A simple approach for finding the globally optimal Bayesian network structure.
    Yuan & Malone (2013), Learning optimal Bayesian networks: a shortest path perspective.
    Cussens (2011), Bayesian network learning with cutting planes.

    Notes
    -----
    *Dynamic programming.* In the best network of a set of variables, some variable is a sink. Its parent set is its
    best candidate set among the other variables, and these have their own best network. The search computes the best
    score of all 2^n sets, smaller sets first. Storing the best parent set of every variable for every set would take n
    times the memory, so they are recomputed. A block consists of the sets that agree on all variables except the first
    12, the low ones. For each block and variable, the candidate parent sets are written to the 2^12 low subsets, and
    the best score of each subset is propagated to its supersets. This takes about 12 n 2^(n-1) vectorised steps, and at
    most 2^(n-12) passes over the table. Blocks with the same number of high variables are independent and run in
    threads. The network is reconstructed backwards from the scores.

    *Order graph.* RINOBS improves the first incumbent. A node of the order graph is a set of variables that come
    first in an ordering. Only nodes whose upper bound exceeds the incumbent are kept (`order_graph.py`). The bound
    follows from the multipliers of a dual ascent.

    *Branch and cut.* Linear programs with cuts give upper bounds (`cuts.py`, `node_bounds.py`), and nodes branch on the
    order of two variables (`branching.py`).

    If a component could also be solved by dynamic programming, this replaces the order graph after a quarter of its
    estimated time, and branch and cut is not used. Otherwise the order graph, for up to 64 variables, and branch and
    cut take turns.

    If the search is stopped early, it returns the best network so far and its upper bound. Without highspy, a component
    may be too large for dynamic programming. Then the search raises an error if the caller gave the table. If the table
    was selected for this search, it returns the best network so far. An iteration is a step of RINOBS, a node of branch
    and cut or a solved table. An evaluation of dynamic programming is the best score of one variable in one set.

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
    space: ClassVar[str] = "subsets of variables; linear programs with cuts"
    needs: ClassVar[Needs] = Needs.TABLE
    ends_by_itself: ClassVar[bool] = True
    paper: ClassVar[str] = "Silander & Myllymaki (2006), Cussens (2011)"
    purpose: ClassVar[str] = "for a proof of optimality, see Limits"
    memory: int = 4 << 30

    def __post_init__(self) -> None:
        require("memory", self.memory, at_least=1 << 20, at_most=1 << 62, whole=True)

    def search(self, problem: Problem, run: Run, start: ClusterBound | None = None) -> None:
        """
        Search for the best network; if the run stops early, keep the best network so far.

        start : bound over the candidate table whose clusters are the first cuts; None means none
        """
        table = run.parent_sets(problem)
        run.bound = relaxed(table).score  # a sum over components; the optimum of each replaces its term
        rows = select_acyclic_rows(table, make_starts("fas", table, precedence_of(problem))(run.rng))
        run.offer(math.fsum(table.scores[rows]), partial(table.network, rows.copy()))
        try:
            search = ExactSearch(table, rows, self.memory, run, start)
            proven = search.solve(problem)
        except TooLargeError as error:
            if problem.table is not None:  # the caller gave the table, so an error wastes no selection time
                raise
            run.give_up("memory", f"{error}; kept the best network so far")
            return
        if not proven:
            run.evidence = partial(make_certificate, table, search.proofs)
            return
        run.evidence = partial(certify_optimum, table, rows, search.proofs)
        run.count(iterations=1)
        run.offer(math.fsum(table.scores[rows]), partial(table.network, rows))
        if problem.constraints is not None and not problem.constraints.permits(table.network(rows)):
            raise InputError(
                "no network of the candidate table satisfies the knowledge: add candidate sets, or relax the knowledge"
            )
        run.mark_optimal()

    def load_rare_kernels(self, problem: Problem) -> None:
        """Compile or load the kernels of the order graph and of branch and cut."""
        if has_solver():
            load_order_kernels()
            load_cut_kernels()


@dataclass(eq=False)
class ExactSearch:
    """
    The search over one table.

    Attributes
    ----------
    rows : int64[n], rows of the best network so far; modified in place
    proofs : the results of branch and cut
    """

    table: ParentSets
    rows: NDArray[np.int64]
    memory: int
    run: Run
    start: ClusterBound | None = None
    proofs: list[Proof] = field(default_factory=list)

    def solve(self, problem: Problem) -> bool:
        """Solve all components, the smallest first; return True if `rows` is then the best network."""
        components = split_into_components(self.table)
        large = [component for component in components if component.size > MAX_DYNAMIC]
        if not (large and has_solver()):
            self._check_memory(components[-1].size)
            return all(self._solve_dynamically(component) for component in components)
        if self.run.progress.stale < PATIENCE * problem.size:  # unless RINOBS has searched this long in vain
            search_incumbent(problem, self.run)
        self.rows[:] = self._get_incumbent()
        for component in components[: len(components) - len(large)]:
            if not self._solve_dynamically(component, component.relaxed_score):
                return False
        proven = True
        for i, component in enumerate(large):
            share = component.size / sum(other.size for other in large[i:])
            proven = self._solve_component(component, share * self.run.seconds_left) and proven
        return proven

    def _get_incumbent(self) -> NDArray[np.int64]:
        """Return the rows of the incumbent of the run if they are in the table and better than `rows`."""
        found = find_rows(self.table, self.run.best())
        is_better = found is not None and self.table.scores[found].sum() > self.table.scores[self.rows].sum()
        return found if found is not None and is_better else self.rows

    def _solve_dynamically(self, component: Component, bound: float | None = None) -> bool:
        """
        Solve a component by dynamic programming; return False after a stop.

        bound : the component's term in the bound of the run, which its optimum replaces; None if that is not updated
        """
        with self.run.ignoring_convergence():
            found = solve(component, self.run)
        if found is None:
            return False
        self.rows[component.variables] = found
        if bound is not None:
            self.run.bound = self._get_bound() - bound + math.fsum(self.table.scores[found])
        return True

    def _solve_component(self, component: Component, seconds: float) -> bool:
        """Solve a component of more than MAX_DYNAMIC variables; return False after a stop."""
        run, n = self.run, component.size
        dynamic_seconds = SECONDS_PER_STEP * n * 2.0 ** min(n, 1000) / run.threads
        fits = n <= self.max_dynamic and dynamic_seconds < (1 - DYNAMIC_SHARE) * seconds
        budget = Budget(
            DYNAMIC_SHARE * dynamic_seconds if fits else seconds,
            clock=run.budget.clock,
            stop_condition=lambda: "stopped" if run.halted() else None,
        )
        others = self._get_bound() - component.relaxed_score
        search = ComponentSearch(
            component,
            find_choice(component, self.rows),
            budget,
            memory=self.memory,
            with_cuts=not fits,
            report=partial(self._report, component),
            observe=partial(self._observe, others),
            seed=run.seed,
            start=self.start,
        )
        with run.ignoring_convergence():
            is_proven = search.solve()
        self._report(component, search.choice)
        self._describe(component, search)
        if is_proven:
            run.bound = others + math.fsum(component.scores[search.choice])
        if is_proven or not fits or run.halted():
            return is_proven
        return self._solve_dynamically(component, self._get_bound() - others)

    def _describe(self, component: Component, search: ComponentSearch) -> None:
        """Keep the proof of branch and cut, and add a note about the size of the search."""
        proof = search.make_proof()
        parts = [f"exact search over {component.size:,} variables"]
        if search.n_expanded:
            parts.append(f"{search.n_expanded:,} sets of variables")
        if proof is not None:
            self.proofs.append(proof)
            parts.append(f"{proof.n_processed:,} node{'' if proof.n_processed == 1 else 's'} of branch and cut")
            parts.append(f"{proof.n_sets_left:,} of {component.n_sets:,} parent sets left after the first node")
        self.run.remark(f"{parts[0]}: {', '.join(parts[1:])}" if parts[1:] else f"{parts[0]}: proven by a bound")

    def _get_bound(self) -> float:
        """Return the upper bound of the run."""
        assert self.run.bound is not None
        return self.run.bound

    def _observe(self, others: float, bound: float) -> None:
        """Set the bound of the run, given the bounds of the other variables and of a component; count a node."""
        self.run.bound = others + bound
        self.run.count(iterations=1)

    def _report(self, component: Component, choice: NDArray[np.int64]) -> None:
        """Copy a component's rows of a better network to `rows`, and offer the network to the run."""
        self.rows[component.variables] = component.rows[choice]
        rows = self.rows.copy()
        self.run.offer(math.fsum(self.table.scores[rows]), partial(self.table.network, rows))

    @property
    def max_dynamic(self) -> int:
        """Number of variables of the largest component that dynamic programming can solve with the memory."""
        return min(MAX_VARIABLES, (self.memory // 8).bit_length() - 1)

    def _check_memory(self, variables: int) -> None:
        """Raise an error if the scores of a component of this size exceed the memory."""
        if variables > self.max_dynamic:
            raise TooLargeError(
                f"dynamic programming solves components of at most {self.max_dynamic} variables with "
                f"{self.memory / 2**30:,.3g} GiB of memory, but one component of the table has {variables:,}: {ADVICE}"
            )
