"""
The island model: several islands search in parallel, share a candidate table and exchange networks.

A search with families on demand (GINOBS) computes parent sets during the search. It reads no candidate table.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from math import fsum, inf, isfinite

from bnsearch.ondemand.class_climb import ClassClimb, can_climb_over_classes
from bnsearch.ondemand.deep_growth import DeepGrowth
from bnsearch.ondemand.exchange import exchange_networks, restart_islands
from bnsearch.ondemand.first_climb import make_first_climb, prepare_climbs
from bnsearch.ondemand.island import Island, make_islands
from bnsearch.ondemand.regrowth import estimate_try, fits_in
from bnsearch.ondemand.row_choice import RowChoice
from bnsearch.ondemand.schedule import Activity, Schedule, SearchBudget
from bnsearch.ondemand.shared_table import SharedTable
from bnsearch.ondemand.source import Source
from bnsearch.ondemand.table_searches import TableSearches
from bnsearch.runs.problem import Problem
from bnsearch.runs.run import Run
from bnsearch.scores.score import improves

CLASS_CLIMB_THREADS = 4  # with at least this number of threads, GES takes the place of one island's search on demand
# Time of deep growth as a share of the round before it. Without a time budget: the number of scores of deep growth and
# of regrowth, each as a share of the number of scores of the round.
DEEP_GROWTH_SHARE = 0.25
SEPARATE_ROUNDS = 2  # number of first rounds in which no island copies another, so that their networks differ
# Shares of the memory; CLIMB_MEMORY applies to the gains of pairs, to tabu search, to GES and to regrowth, each.
CACHE_MEMORY, TABLE_MEMORY, CLIMB_MEMORY = 0.375, 0.25, 0.125


class IslandModel:
    """
    Islands that share a candidate table, and exchange networks after each round.

    Parameters
    ----------
    problem, run : the problem, and the run that the search is part of
    n_islands : number of islands
    memory : bytes; the caches, the table and the climbs of all islands each take at most a share of it
    on_demand_only : True if the islands search with families on demand, but neither over a table nor over DAGs
    source : the arrays of the problem for kernels; None means that they are made here

    Attributes
    ----------
    islands : the islands; none if the run was halted before all pairs of variables were counted
    table : the candidate table that they share
    table_searches : the searches over this table
    schedule : the activities and their time
    best_seen, improved : best score, and the time of its last improvement (its round, under a budget of iterations)
    n_rounds : number of rounds so far
    started : elapsed time when the islands had their first networks; 0 in a resumed run
    climb_seconds : duration of one climb over DAGs; before the first one after the start an estimate, or 0
    guest : function that takes the place of one island's search (the search for a bound), called with the seconds of
        that search; None means that all islands search
    """

    def __init__(
        self,
        problem: Problem,
        run: Run,
        n_islands: int,
        memory: int,
        *,
        on_demand_only: bool = False,
        source: Source | None = None,
    ) -> None:
        self.problem, self.run, self.memory, self.on_demand_only = problem, run, memory, on_demand_only
        self.source = source or Source(problem, lambda: not run.halted(), run.threads, CLIMB_MEMORY * memory)
        if source is None and (note := self.source.describe_limit()):
            run.remark(note)
        self._timed = run.is_timed
        self._caches, self.islands = make_islands(self.source, problem, run, n_islands, int(CACHE_MEMORY * memory))
        self.table = SharedTable(problem, run, [island.chain for island in self.islands], TABLE_MEMORY * memory)
        self.schedule = Schedule(run, len(self.islands), problem.size, on_demand_only=on_demand_only)
        self.schedule.regrowth.min_seconds = estimate_try(problem)
        self._can_regrow = not on_demand_only and fits_in(CLIMB_MEMORY * memory, problem, n_islands)
        self._row_choice = RowChoice([island.chain for island in self.islands])
        self.table_searches = TableSearches(run, self.islands, self.table, self._run_jobs)
        self.class_climb: ClassClimb | None = None
        self._deep_growth: DeepGrowth | None = None  # made when it is used first, because that takes time
        self.guest: Callable[[float], object] | None = None
        self.best_seen, self.improved = -inf, 0.0
        self.n_rounds = 0
        self.climb_seconds = 0.0
        self.started = 0.0

    @property
    def is_started(self) -> bool:
        """True if each island has a network; False if the run was halted before."""
        return bool(self.islands) and all(isfinite(island.chain.best) for island in self.islands)

    def start(self) -> None:
        """Start the islands, with the first climb over DAGs or from a checkpoint (see `first_climb.py`)."""
        if not self.islands:
            return
        run = self.run
        memory = int(CLIMB_MEMORY * self.memory)
        prepare_climbs(self.islands, self.problem, self.source, memory, timed=self._timed)
        if run.checkpoint is not None:
            from bnsearch.ondemand.island_state import keep_islands

            if keep_islands(self, run.checkpoint):
                return
        has_class_climb = not self.on_demand_only and can_climb_over_classes(self.problem, CLIMB_MEMORY * self.memory)
        class_climb = ClassClimb(self.problem, run) if has_class_climb and not self._has_climb_thread else None
        make_first_climb(self.islands, self.problem, run, self.schedule.dag_search, class_climb)
        self._release_climbs()
        dag_search = self.islands[0].dag_search
        self.climb_seconds = 0.0 if dag_search is None else dag_search.gain_seconds
        # Tabu search is left out if its gains take too long, or too much memory. So would the extension rows.
        self._row_choice.is_active = self._timed and (dag_search is None or dag_search.is_tabu_slow)
        self.started = run.seconds
        if has_class_climb and self._has_climb_thread and not run.halted():
            self.start_class_climb()

    def _release_climbs(self) -> None:
        """Allow all islands to climb over DAGs if the first climb has ended: `n_climbs` is then positive."""
        for island in self.islands[1:]:
            island.n_climbs = max(island.n_climbs, self.islands[0].n_climbs)

    def start_class_climb(self) -> None:
        """Start GES: in each round it takes the place of the last island's search on demand."""
        self.class_climb = ClassClimb(self.problem, self.run)

    @property
    def _has_climb_thread(self) -> bool:
        """True if GES takes the place of one island's search on demand, instead of being part of the first climb."""
        return self._timed and min(self.run.threads, len(self.islands)) >= CLASS_CLIMB_THREADS

    def _collect_class_climb(self) -> None:
        """Give the network of a finished climb over equivalence classes to the last island."""
        climb = self.class_climb
        if climb is not None and climb.ended:
            self.class_climb = None
            found = climb.best
            self.islands[-1].add_network(found.dag(self.problem.names), found.scores)

    def share_covered(self, max_parents: int) -> float:
        """Return the share of the variables with at most `max_parents` parents in the best network of the islands."""
        parents_of = self._best_island.chain.best_parents()
        return sum(len(parents) <= max_parents for parents in parents_of) / self.problem.size

    def list_best_scores(self) -> list[float]:
        """Return the local scores of the best network of the islands, by variable."""
        scores: list[float] = self._best_island.chain.best_scores().tolist()
        return scores

    @property
    def is_climbing(self) -> bool:
        """True if the first climb is still running."""
        climb = self.islands[0].dag_search
        return climb is not None and climb.is_first_climb_running

    @property
    def is_warming_up(self) -> bool:
        """
        True if the search on demand has just begun, and other activities wait (see `_search_orderings`).

        Its first steps compute the rows of extensions that later steps find in the cache. The warm-up ends when a chain
        has made one step for each variable, or has taken as much time as everything before.
        """
        has_few_steps = self.islands[0].n_steps < self.problem.size
        return self._timed and not self.is_climbing and has_few_steps and self.run.seconds < 2.0 * self.started

    @property
    def _has_slow_steps(self) -> bool:
        """True if the warm-up is expected to end by its time, with less than half a step for each variable."""
        seconds = self.run.seconds - self.started
        return 2.0 * self.islands[0].n_steps * self.started < self.problem.size * seconds

    @property
    def _best_island(self) -> Island:
        return max(self.islands, key=lambda island: island.chain.best)

    def search_round(self) -> None:
        """
        Let all islands search over orderings and DAGs, with the times of the schedule; then exchange networks.

        Regrowth and searches from new orderings follow, because the worse islands have the best network by then.
        """
        schedule, evaluations = self.schedule, self.run.progress.evaluations
        is_warming_up = self.is_warming_up
        if self._timed and self.islands[0].n_climbs:  # the first climb can continue for any length of time
            schedule.set_climb_seconds(self.climb_seconds)
        schedule.start_round(is_climbing=self.is_climbing, is_warming_up=is_warming_up)
        self._run_activity(schedule.ordering_search, self._search_orderings, schedule.step_budget())
        if not self.on_demand_only:
            self._run_activity(schedule.dag_search, self._search_dags, SearchBudget(max_steps=1))
        if not self.run.halted():
            growth_evaluations = DEEP_GROWTH_SHARE * (self.run.progress.evaluations - evaluations)
            is_stale = self._is_stale() and not is_warming_up
            if is_stale:
                self._row_choice.use_full_rows()
                self._grow_deep(growth_evaluations)
            self._exchange()
            if not (self.on_demand_only or self.is_climbing or is_warming_up):
                if self._can_regrow and (self._timed or is_stale):
                    budget = SearchBudget(max(1.0, growth_evaluations))
                    self._run_activity(schedule.regrowth, self._regrow_parents, budget)
                self.table_searches.search_new_orderings()
        schedule.end_round()

    def _is_stale(self) -> bool:
        """Record the best score; return True if it has not improved for as long as a round."""
        now, best = self.run.seconds if self._timed else self.n_rounds, self._best_island.chain.best
        if improves(best, self.best_seen):
            self.best_seen, self.improved = best, now
        return now - self.improved >= (self.schedule.round_length if self._timed else 1)

    def _grow_deep(self, max_evaluations: float) -> None:
        """
        Grow the parent sets of the best network, also through sets with lower scores.

        When all of them were grown, sets grow without regard to the network, and are stored for the ordering search.
        """
        if self.on_demand_only:
            return
        growth = self._deep_growth = self._deep_growth or DeepGrowth(self.problem)
        run, island = self.run, self._best_island
        started, before = run.seconds, growth.evaluations

        def going() -> bool:
            if self._timed:
                return not run.halted() and run.seconds - started < DEEP_GROWTH_SHARE * self.schedule.round_length
            return growth.evaluations - before < max_evaluations

        if growth.is_done(island.chain.best):
            families = growth.grow_freely(going)
            for each in self.islands if len(families.child) else ():
                each.chain.store_families(families)
        elif (found := growth.improve(island.chain.best, island.chain.best_parents(), going)) is not None:
            island.add_network(*found)
            island.offer(run)
        run.count(evaluations=growth.evaluations - before)

    def _run_activity(self, activity: Activity, search: Callable[[SearchBudget], None], steps: SearchBudget) -> None:
        """Run an activity if it is due, and record its gain; `steps` is its budget under a budget of iterations."""
        run = self.run
        if run.halted() or not self.schedule.is_due(activity):
            return
        started, before = run.seconds, self._total_score()
        search(self.schedule.budget_of(activity, steps))
        activity.record(self._total_score() - before, run.seconds - started)

    def _total_score(self) -> float:
        """Return the sum of the islands' best scores."""
        return fsum(island.chain.best for island in self.islands)

    def _search_orderings(self, budget: SearchBudget) -> None:
        """
        Divide the time between search on demand and search over the shared table, which have credits of their own.

        Only search on demand takes part during the first climb and the warm-up. But if narrow rows of one parent make
        the warm-up faster, or if its steps are slow, the table search takes part in it.
        """
        is_slow = self._row_choice.is_active or self._has_slow_steps
        is_waiting = self.is_climbing or (self.is_warming_up and not is_slow)
        if self.on_demand_only or (self._timed and is_waiting):
            self._search_on_demand(budget)
            return
        schedule, table = self.schedule, self.table
        table_search = schedule.table_search
        table_search.min_seconds = table.min_search_seconds()
        if table.has_new_sets and table_search.min_seconds <= schedule.round_length:  # new sets are searched at once
            table_search.credit = max(table_search.credit, table_search.min_seconds)
        schedule.divide_ordering_search(budget)
        self._run_activity(schedule.on_demand_search, self._search_on_demand, budget)
        self._run_activity(table_search, self.table_searches.search, budget)

    def search_last(self, seconds: float) -> None:
        """Search over the table for the last time, for some seconds, with as many sets as that allows."""
        if self.is_started and not self.run.halted():
            self.table_searches.search_last(seconds)

    def _search_on_demand(self, budget: SearchBudget) -> None:
        """Search with families on demand; GES may replace the search of the last island."""
        self._row_choice.start_search(self._total_score(), self.run.seconds)
        jobs: list[Callable[[], object]] = [
            partial(island.search_on_demand, budget, self.run) for island in self.islands
        ]
        if self.class_climb is not None and self._has_climb_thread:
            jobs[-1] = partial(self.class_climb.advance, budget.max_seconds)
            self._run_jobs(jobs, budget.max_seconds, guest_at=-2)
        else:
            self._run_jobs(jobs, budget.max_seconds)
        self._row_choice.end_search(self._total_score(), self.run.seconds)
        self._collect_class_climb()

    def _search_dags(self, budget: SearchBudget) -> None:
        """Climb over DAGs; measure the duration of a climb."""
        started, before = self.run.seconds, self.islands[0].n_climbs
        self._run_jobs([partial(island.search_dags, budget, self.run) for island in self.islands], budget.max_seconds)
        self._release_climbs()
        self.climb_seconds = (self.run.seconds - started) / max(1, self.islands[0].n_climbs - before)

    def _exchange(self) -> None:
        """Record the progress of the islands; move the worse ones to the best network, and restart stale ones."""
        self.n_rounds += 1
        self._enlarge_caches()
        now = self.run.seconds if self._timed else self.n_rounds
        for island in self.islands:
            island.record_progress(now)
        if self.n_rounds > SEPARATE_ROUNDS and (stale := exchange_networks(self.islands, now)):
            restart_islands(stale, None if self.on_demand_only else self.table.find_index(), self.run)

    def _regrow_parents(self, budget: SearchBudget) -> None:
        """Grow the parents of random variables anew, in the best network of each island."""
        jobs = [partial(island.regrow_parents, budget, self.run) for island in self.islands]
        self._run_jobs(jobs, budget.max_seconds)

    def _enlarge_caches(self) -> None:
        """Double the caches that islands share if they are nearly full; a chain doubles a cache of its own itself."""
        if self._caches is not None:
            self._caches.enlarge()
            for island in self.islands:
                island.chain.refresh_rows()

    def _run_jobs(self, jobs: Sequence[Callable[[], object]], seconds: float, guest_at: int = -1) -> list[object]:
        """
        Run the searches of the islands in threads, and return what they return.

        The guest, if there is one, takes the place of the search at `guest_at`.
        """
        jobs = list(jobs)
        if self.guest is not None:
            jobs[guest_at] = partial(self.guest, seconds)
        return list(self.run.map(lambda job: job(), jobs))
