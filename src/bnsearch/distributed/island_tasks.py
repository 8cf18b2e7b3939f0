"""The search of one island on a worker, for one round."""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass

import numpy as np

from bnsearch.distributed.networks import (
    ScoredNetwork,
    copy_families,
    count_families,
    describe_network,
    list_best_families,
)
from bnsearch.distributed.pools import Parts
from bnsearch.ondemand.dag_search import DagSearch, divide_climb_memory, make_pricer
from bnsearch.ondemand.island import Island
from bnsearch.ondemand.island_model import CLIMB_MEMORY, IslandModel
from bnsearch.ondemand.source import Source
from bnsearch.parent_sets.rows import Families
from bnsearch.parent_sets.table import ParentSets
from bnsearch.runs.problem import Problem
from bnsearch.runs.run import Run
from bnsearch.runs.stop import Iterations, Seconds
from bnsearch.scores.score import improves
from bnsearch.scores.scorer import Scorer

MAX_RETURNED = 8  # number of families of each variable that an island returns, the best ones
MAX_SOURCES = 2  # problems whose pairs a worker keeps
SCORER_BYTES = 1 << 20  # cache of the scorer


@dataclass(frozen=True)
class IslandTask:
    """
    One round of one island.

    Attributes
    ----------
    run : number of the run, drawn at random
    key : key of the problem
    seed : seed of the island's generator
    network : network to begin with
    families : families that the islands exchange
    memory : bytes for the island
    on_demand_only : as in `IslandModel`
    steps : number of steps; 0 under a time budget
    seconds : time of the round; 0 under a budget of iterations
    elapsed, end : elapsed time of the run when the task was submitted, and elapsed time when its search ends
    min_score : an island whose network scores less continues with the given one
    """

    run: int
    key: str
    seed: int
    network: ScoredNetwork
    families: Families
    memory: int
    on_demand_only: bool
    steps: int = 0
    seconds: float = 0.0
    elapsed: float = 0.0
    end: float = 0.0
    min_score: float = -np.inf


@dataclass(frozen=True)
class IslandReport:
    """
    The result of one round of one island.

    Attributes
    ----------
    network : best network found
    current : score of the network that the island continues with
    families : the best families that it has met
    iterations, evaluations, computed : work done in this round
    """

    network: ScoredNetwork
    current: float
    families: Families
    iterations: int
    evaluations: int
    computed: int


class WorkerIsland:
    """
    An island on a worker.

    Under a budget of iterations a round depends on its task only, so each round has a new island. Under a time budget a
    worker keeps its islands with their caches, and a task continues with any of them.

    Parameters
    ----------
    task : first task of the island
    problem : the problem
    source : the same as kernels take it
    table : selected candidate sets; None if there are none
    """

    def __init__(self, task: IslandTask, problem: Problem, source: Source, table: ParentSets | None) -> None:
        stop = Iterations(task.steps) if task.steps else Seconds(task.end)
        self.run = Run(stop, seed=task.seed, memory=task.memory, permits=problem.permits)
        self.problem = problem
        only = task.on_demand_only
        self.model = IslandModel(problem, self.run, 1, task.memory, on_demand_only=only, source=source)
        self.table: ParentSets | None = None
        self.use_table(table)
        island = self.island
        if not only:
            for memory in divide_climb_memory(int(CLIMB_MEMORY * task.memory), problem.size, 1):
                island.dag_search = DagSearch(problem, source, make_pricer(problem), memory)
            island.n_climbs = 1  # the driver has made the first climb
        self.begin_at(task.network)

    @property
    def island(self) -> Island:
        """The only island of the model."""
        return self.model.islands[0]

    def use_table(self, table: ParentSets | None) -> None:
        """Search over other selected candidate sets from now on."""
        if table is not None and table is not self.table:
            self.table = table
            self.model.table.add_selected(table)

    def begin_at(self, network: ScoredNetwork) -> None:
        """Move to a network."""
        self.island.chain.reset_best()
        self.island.add_network(network.make_dag(self.problem.names), np.array(network.scores))
        self.island.offer(self.run)

    def search(self, task: IslandTask) -> IslandReport:
        """Search for one round."""
        run, model, chain = self.run, self.model, self.island.chain
        before, computed = run.progress, run.computed
        chain.store_families(copy_families(task.families))
        if task.steps:
            while run.going():
                model.search_round()
        else:
            run.stop = Seconds(task.end)
            run.budget.seconds = task.end
            run.budget.started = run.budget.clock() - task.elapsed
            if chain.best < task.min_score and improves(task.network.score, chain.best):
                self.begin_at(task.network)
            until = run.seconds + task.seconds
            while run.seconds < until and not run.halted():
                model.search_round()
        now, n = run.progress, self.problem.size
        return IslandReport(
            network=self._describe_best(),
            current=chain.best,
            families=list_best_families(chain.families(), n, count_families(n, MAX_RETURNED)),
            iterations=now.iterations - before.iterations,
            evaluations=now.evaluations - before.evaluations,
            computed=run.computed - computed,
        )

    def _describe_best(self) -> ScoredNetwork:
        """Return the incumbent of the island's run, whose local scores are usually known."""
        parents, chain = self.run.best().parents, self.island.chain
        if [list(own) for own in parents] == chain.best_parents():
            return describe_network(parents, chain.best_scores())
        with _scoring:
            return describe_network(parents, self.problem.scorer.families(range(len(parents)), parents))


def search_island(task: IslandTask, parts: Parts, table: ParentSets | None = None) -> IslandReport:
    """Search with an island for one round; this function runs on a worker."""
    island = None if task.steps else _stations.take_island(task.run)
    if island is None:
        problem, source = _stations.find_source(task.key, parts)
        island = WorkerIsland(task, problem, source, table)
    island.use_table(table)
    report = island.search(task)
    if not task.steps:
        _stations.put_island(task.run, island)
    return report


class _Stations:
    """What a process keeps between tasks to save time: problems with the scores of all pairs, and islands of a run."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._sources: OrderedDict[str, tuple[Problem, Source]] = OrderedDict()
        self._run = -1  # the run of the islands
        self._islands: list[WorkerIsland] = []

    def find_source(self, key: str, parts: Parts) -> tuple[Problem, Source]:
        """Return a problem, and the same as kernels take it."""
        with self._lock:  # tasks in other threads wait for the pairs and do not count them, too
            if key not in self._sources:
                data, score, knowledge = parts
                problem = Problem(data=data, score=score, knowledge=knowledge)
                # An island computes almost all scores by other means, so the scorer of the problem gets a small cache.
                vars(problem)["scorer"] = Scorer(data, score, cache_bytes=SCORER_BYTES)
                self._sources[key] = problem, Source(problem)
                while len(self._sources) > MAX_SOURCES:
                    self._sources.popitem(last=False)
            return self._sources[key]

    def take_island(self, run: int) -> WorkerIsland | None:
        """Return an idle island of a run; None if there is none."""
        with self._lock:
            return self._islands.pop() if self._run == run and self._islands else None

    def put_island(self, run: int, island: WorkerIsland) -> None:
        """Keep an island that is idle now, and forget those of other runs."""
        with self._lock:
            if self._run != run:
                self._run, self._islands = run, []
            self._islands.append(island)


_stations = _Stations()
_scoring = threading.Lock()  # held while the scorer of a problem is used, which is for one thread
