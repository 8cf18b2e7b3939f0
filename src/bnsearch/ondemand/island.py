"""One island: a network, and the searches that improve it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from math import fsum, inf, isfinite
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bnsearch.graphs.dag import DAG
from bnsearch.ondemand.annealing import anneal
from bnsearch.ondemand.chain import OnDemandChain, row_bytes
from bnsearch.ondemand.dag_search import DagSearch
from bnsearch.ondemand.new_starts import N_STARTS, search_new_orderings
from bnsearch.ondemand.regrowth import Regrowth
from bnsearch.ondemand.row_caches import RowCaches
from bnsearch.ondemand.schedule import SearchBudget
from bnsearch.ondemand.shared_table import Changes, draw_informed_start
from bnsearch.ondemand.source import Source
from bnsearch.orderings.index import Index
from bnsearch.orderings.repair import RepairChain
from bnsearch.orderings.restarts import offer_network
from bnsearch.orderings.state import ScoredOrdering, draw_seed
from bnsearch.runs.problem import Problem
from bnsearch.runs.run import Run
from bnsearch.scores.score import improves

MIN_STALE_SHARE = 0.2  # share of the elapsed time without improvement, before which no island restarts
STEPS_OF_STARTS = 4 * N_STARTS  # number of steps for each variable in all searches from new orderings before a restart
MIN_STALE_STEPS = 10  # number of steps on demand for each variable without improvement, before which no island restarts
MAX_REGROWTH_SHARE = 0.1  # share of a search over the table that growing parents afterwards may take


class Island:
    """
    One network and the searches that improve it, each from the best network so far; for one thread at a time.

    Parameters
    ----------
    source : arrays of the problem for the kernels
    problem : the problem
    rng : generator of this island
    memory : bytes for the caches
    timed : True if the result may depend on the machine
    shared : as in OnDemandChain

    Attributes
    ----------
    chain : the search with families on demand; it holds the best network
    dag_search : climbs over DAGs; None if there is no memory for them
    n_climbs : number of climbs over DAGs that ended, here or on the first island; 0 forbids climbs, except the first
        one
    n_steps : number of steps of the search with families on demand
    """

    def __init__(
        self,
        source: Source,
        problem: Problem,
        rng: np.random.Generator,
        memory: int,
        *,
        timed: bool,
        shared: tuple[RowCaches, int] | None = None,
    ) -> None:
        self.problem, self.rng = problem, rng
        self.chain = OnDemandChain(source, draw_seed(rng), memory, timed=timed, shared=shared)
        self.dag_search: DagSearch | None = None
        self._regrowth: Regrowth | None = None  # made when it is used first, because that takes time
        self.n_climbs = self.n_steps = 0
        self._offered = -inf  # best score that was offered to the run
        self._recorded = -inf  # best score when progress was last recorded
        # Seconds, or number of rounds under a budget of iterations, at the start and at the last improvement:
        self._started = self._improved = 0.0
        self._steps_until_improved = 0  # number of steps with families on demand at the last improvement

    def search_on_demand(self, budget: SearchBudget, run: Run) -> None:
        """Search with families on demand."""
        chain = self.chain

        def report(taken: int) -> None:
            self.n_steps += taken
            run.count(iterations=taken, evaluations=chain.count_new_evaluations())
            self.offer(run)

        anneal(chain, budget, run, report)

    def offer(self, run: Run) -> None:
        """Offer the chain's best network to the run if it may become the incumbent."""
        if not improves(run.progress.score, self.chain.best) and self.chain.best > self._offered:
            self._offered = self.chain.best
            run.offer(self.chain.score_of_best(), partial(DAG, self.problem.names, self.chain.best_parents()))

    def search_table(self, index: Index, budget: SearchBudget, run: Run) -> Changes:
        """Search over a candidate table from the best ordering, move to the network found, and return the changes."""
        if not isfinite(self.chain.best):
            return Changes()
        search = RepairChain(index, self.chain.best_order(), draw_seed(self.rng))

        def report(taken: int) -> None:
            run.count(iterations=taken, evaluations=search.new_evaluations())
            if not improves(run.progress.score, search.best) and search.best > self._offered:
                self._offered = search.best
                offer_network(search, search.score_best(), run)

        anneal(search, budget, run, report)
        changes = self._move_to_rows(index, search.score_best())
        deadline = run.seconds + MAX_REGROWTH_SHARE * budget.max_seconds
        self.chain.improve_parents(lambda: run.halted() or run.seconds > deadline)
        self.offer(run)
        return changes

    def search_dags(self, budget: SearchBudget, run: Run) -> None:
        """
        Climb over DAGs as often as the budget allows.

        The first climb continues until it ends. All further climbs begin at the best network without half of its edges.
        An island without memory for climbs searches with families on demand instead. So does one that has not begun its
        first climb.
        """
        search = self.dag_search
        if search is None or not (search.is_first_climb_running or self.n_climbs):
            self.search_on_demand(budget, run)
            return
        started, done = run.seconds, 0
        while (left := budget.remaining_share(done, run.seconds - started)) > 0.0 and not run.halted():
            if search.is_first_climb_running:
                found, ended = search.continue_first_climb(run, left * budget.max_seconds)
            else:
                found, ended = search.climb_from_part(self.chain.best_parents(), self.rng, run), True
            done += 1
            self.n_climbs += ended
            if found is not None:
                self.add_network(found.dag(self.problem.names), found.scores)
            if ended and not search.has_tabu_search:
                self.dag_search = None
                return

    def regrow_parents(self, budget: SearchBudget, run: Run) -> None:
        """Grow the parents of random variables of the best network anew; the steps of the budget are local scores."""
        regrowth = self._regrowth = self._regrowth or Regrowth(self.problem, self.rng)
        started, before = run.seconds, regrowth.evaluations

        def going() -> bool:
            is_left = budget.remaining_share(regrowth.evaluations - before, run.seconds - started) > 0.0
            return is_left and not run.halted()

        found = regrowth.improve(self.chain.best_parents(), self.chain.best_scores(), going)
        run.count(evaluations=regrowth.evaluations - before)
        if found is not None:
            self.add_network(*found)
            self.offer(run)

    def add_network(self, dag: DAG, scores: NDArray[np.float64]) -> None:
        """Store the families of a network with their scores; move to the network if it is the best so far."""
        if improves(fsum(scores), self.chain.best):
            self.chain.move_to_network(np.array(dag.order, dtype=np.int32), dag.parents, scores)
        else:
            self.chain.store_network(dag.parents, scores)

    def record_progress(self, now: float) -> None:
        """Record whether the last round improved the best score; now : seconds, or number of rounds, so far."""
        if improves(self.chain.best, self._recorded):
            self._improved, self._steps_until_improved = now, self.n_steps
            self._started = now if self._recorded == -inf else self._started
        self._recorded = max(self._recorded, self.chain.best)

    def is_stale(self, now: float) -> bool:
        """
        Return True if the island has not improved for long.

        The time since the last improvement must exceed the time from the start to that improvement, and
        MIN_STALE_SHARE of the total time. If steps take long, this may be the time of a few steps, which say nothing
        about the network. So there must also be a number of steps for each variable.
        """
        if self.n_steps - self._steps_until_improved < MIN_STALE_STEPS * self.problem.size:
            return False
        return now - self._improved > max(self._improved - self._started, MIN_STALE_SHARE * now)

    def describe_progress(self) -> dict[str, Any]:
        """Return the generator and the record of the island's progress."""
        return {
            "generator": self.rng.bit_generator.state,
            "climbs": self.n_climbs,
            "recorded": self._recorded,
            "started": self._started,
            "improved": self._improved,
        }

    def restore_progress(self, saved: Mapping[str, Any], *, with_generator: bool) -> None:
        """Set the record of the island's progress, and its generator if no other island has it."""
        if with_generator:
            self.rng.bit_generator.state = saved["generator"]
        self.n_climbs, self._recorded = int(saved["climbs"]), float(saved["recorded"])
        self._started, self._improved = float(saved["started"]), float(saved["improved"])

    def copy_best_of(self, other: Island) -> None:
        """Move to the best network of another island."""
        self.chain.copy_best_of(other.chain)
        self._recorded, self._started, self._improved = other._recorded, other._started, other._improved

    def restart(self, run: Run) -> None:
        """Restart at a random ordering that breaks few cycles of the best families met."""
        self._recorded = self._offered = -inf
        self.chain.reset_best()
        self.chain.start_at(draw_informed_start(self.chain, self.problem, self.rng), run.halted)
        self.offer(run)

    def restart_from_table(self, index: Index, run: Run) -> None:
        """Restart at the best of several orderings, each after a short search over a candidate table."""
        budget = SearchBudget(max_steps=STEPS_OF_STARTS * self.problem.size)
        found = search_new_orderings(index, self.problem, self.rng, budget, run)
        self._recorded = self._offered = -inf
        self.chain.reset_best()
        self._move_to_rows(index, found)
        self.offer(run)

    def try_new_orderings(self, index: Index, budget: SearchBudget, run: Run) -> Changes:
        """
        Search over a candidate table from new orderings, and return the changes of the best network.

        The island moves to the network found if it is the best so far.
        """
        found = search_new_orderings(index, self.problem, self.rng, budget, run, target=self.chain.best)
        if not improves(found.score, self.chain.best):
            return Changes()
        changes = self._move_to_rows(index, found)
        self.offer(run)
        return changes

    def _move_to_rows(self, index: Index, found: ScoredOrdering) -> Changes:
        """Move to a network that a search over a table has found, and return the changes."""
        parents = [index.table.parents(row) for row in found.rows.tolist()]
        scores, n_families = self.chain.best_scores(), self.chain.n_families
        self.chain.move_to_network(found.order, parents, index.table.scores[found.rows])
        return Changes(int(np.count_nonzero(self.chain.best_scores() != scores)), self.chain.n_families - n_families)


def make_islands(
    source: Source, problem: Problem, run: Run, number: int, memory: int
) -> tuple[RowCaches | None, list[Island]]:
    """
    Return the caches that the islands share, None if each has its own, and the islands.

    There are no islands if the pairs of variables were not counted.

    memory : bytes for the caches of all islands
    """
    rngs = run.spawn(number if source.complete else 0)
    # With shared caches the number of computed scores depends on the threads, so this needs a time budget.
    caches = RowCaches(number, row_bytes(memory // number), problem.size) if run.is_timed else None
    islands = [
        Island(
            source, problem, rng, memory // number, timed=run.is_timed, shared=None if caches is None else (caches, i)
        )
        for i, rng in enumerate(rngs)
    ]
    return caches, islands
