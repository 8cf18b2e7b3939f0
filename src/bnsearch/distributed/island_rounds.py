"""Islands on workers: the driver submits rounds and exchanges networks and families between them."""

from __future__ import annotations

import math
import secrets
from collections import deque
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from itertools import cycle, islice
from statistics import median

import numpy as np

from bnsearch.distributed.island_tasks import IslandReport, IslandTask, search_island
from bnsearch.distributed.networks import (
    ScoredNetwork,
    copy_families,
    count_families,
    describe_network,
    list_best_families,
)
from bnsearch.distributed.parcels import Parcel
from bnsearch.distributed.pools import Pool
from bnsearch.distributed.rounds_state import RoundsState, keep_rounds
from bnsearch.distributed.task_queue import POLL_SECONDS
from bnsearch.ondemand.island import Island
from bnsearch.ondemand.island_model import SEPARATE_ROUNDS
from bnsearch.ondemand.schedule import STEP_GROWTH
from bnsearch.parent_sets.rows import Families
from bnsearch.runs.run import MAX_ITERATIONS, Run
from bnsearch.scores.score import improves

FIRST_STEPS = 32  # under a budget of iterations: steps per variable of an island's first round
ROUND = 0.2  # length of a round as a share of the elapsed time
MIN_ROUND_SECONDS = 0.5  # lower bound on the length of a round
MIN_DRIVER_FACTOR = 2.0  # length of a round divided by the driver's time for one round of all islands, at least
MAX_EXCHANGED = 16  # number of families of each variable that the islands exchange, the best ones
REPLY_SHARE = 0.5  # share of the time after the end of the search for the reports of the last rounds


class IslandRounds:
    """
    The islands of a run on workers.

    The driver has one island that does not search. It keeps the best network and the families of all islands.

    Parameters
    ----------
    pool : the workers and the problem
    run : the run
    keeper : the driver's island, which has a network
    memory : bytes for each island on a worker
    on_demand_only : as in `IslandModel`

    Attributes
    ----------
    state : the networks that the islands continue with, and the counters; under a time budget, a round is one of a
        single island
    """

    def __init__(self, pool: Pool, run: Run, keeper: Island, memory: int, *, on_demand_only: bool) -> None:
        self._pool, self._run, self._keeper = pool, run, keeper
        self._memory, self._on_demand_only = memory, on_demand_only
        self._number = secrets.randbits(62)  # runs with the same seed must not share the islands that workers keep
        self._parcels: list[Parcel] = [pool.problem]
        self._driver_seconds = 0.0  # time of the driver for all rounds under a time budget
        self._n_timed = 0  # number of these rounds in this run
        self.state = RoundsState()

    def continue_from_checkpoint(self) -> None:
        """Continue with the rounds of an earlier run if there are any, and add the rounds to the run's checkpoint."""
        if self._run.checkpoint is not None:
            keep_rounds(self, self._run.checkpoint)

    def use_table(self, parcel: Parcel) -> None:
        """Let the islands search over selected candidate sets from now on."""
        self._parcels = [self._pool.problem, parcel]

    def search_steps(self) -> None:
        """Search under a budget of iterations, in rounds; all islands end a round before the next one begins."""
        run, number = self._run, self._pool.queue.workers.islands
        length = self.state.length or float(FIRST_STEPS * self._keeper.problem.size)
        networks = list(islice(cycle(self.state.networks or [self._best_network()]), number))
        while run.going():
            steps = max(1, run.allowed(min(MAX_ITERATIONS, number * int(length))) // number)
            families, n_tasks = self._list_families(), self.state.n_tasks
            tasks = [
                self._make_task(n_tasks + i, network, families, steps=steps)
                for i, network in enumerate(networks, start=1)
            ]
            reports = self._pool.queue.map(search_island, tasks, self._parcels, lambda: not run.halted())
            if reports is None:
                break
            for report in reports:
                self._absorb(report)
            n_rounds, length = self.state.n_rounds + 1, STEP_GROWTH * length
            networks = [report.network for report in reports]
            if n_rounds > SEPARATE_ROUNDS:
                networks = self._exchange(networks)
            self.state = RoundsState(tuple(networks), length, n_rounds, n_tasks + number)

    def _exchange(self, networks: list[ScoredNetwork]) -> list[ScoredNetwork]:
        """Return the networks of the next round: the worse half of the islands continues with the best one."""
        ranked = sorted(range(len(networks)), key=lambda i: -networks[i].score)
        best = networks[ranked[0]]
        for i in ranked[1 + (len(ranked) - 1) // 2 :]:
            if improves(best.score, networks[i].score):
                networks[i] = best
        return networks

    def search_seconds(self, end: float, on_wait: Callable[[], None]) -> None:
        """
        Search under a time budget until some elapsed time; an island that has ended a round begins the next at once.

        on_wait : called about every 0.1 s while the islands search
        """
        run, queue = self._run, self._pool.queue
        scores: deque[float] = deque(maxlen=queue.workers.number)  # of the networks that islands continue with
        networks = deque(self.state.networks)  # of an earlier run, with which the first islands begin
        while run.going() and run.seconds < end:
            started = run.seconds
            while len(queue) < queue.workers.number:
                self._submit_round(networks.popleft() if networks else self._best_network(), end, scores)
            self._driver_seconds += run.seconds - started
            done = queue.take(POLL_SECONDS)
            started = run.seconds
            for ticket in done:
                self._absorb(ticket.value)
                scores.append(ticket.value.current)
                self._record_network(ticket.value.network)
            self._driver_seconds += run.seconds - started
            on_wait()
        latest = run.seconds + REPLY_SHARE * run.seconds_left
        for ticket in queue.take_all(lambda: run.budget.request is None and run.seconds < latest):
            self._absorb(ticket.value)
        queue.cancel()

    def _record_network(self, network: ScoredNetwork) -> None:
        """Add the network of an island to the state, which has the last one of each worker."""
        state, number = self.state, self._pool.queue.workers.number
        self._n_timed += 1
        networks = (*state.networks, network)[-number:]
        self.state = RoundsState(networks, state.length, state.n_rounds + 1, state.n_tasks)

    def _submit_round(self, network: ScoredNetwork, end: float, scores: deque[float]) -> None:
        """
        Submit a round of any island.

        network : network with which a new island begins, and with which an island below the median score continues
        """
        elapsed, number = self._run.seconds, self._pool.queue.workers.number
        each = self._driver_seconds / max(1, self._n_timed)
        self.state = replace(self.state, n_tasks=self.state.n_tasks + 1)
        task = self._make_task(
            self.state.n_tasks,
            network,
            self._list_families(),
            seconds=max(MIN_ROUND_SECONDS, ROUND * elapsed, MIN_DRIVER_FACTOR * number * each),
            elapsed=elapsed,
            end=end,
            min_score=median(scores) if len(scores) > 1 else -math.inf,
        )
        self._pool.queue.submit(search_island, task, self._parcels)

    def _make_task(
        self,
        number: int,
        network: ScoredNetwork,
        families: Families,
        *,
        steps: int = 0,
        seconds: float = 0.0,
        elapsed: float = 0.0,
        end: float = 0.0,
        min_score: float = -math.inf,
    ) -> IslandTask:
        """Return the task of a number, on which its random numbers depend."""
        seed = np.random.SeedSequence([self._run.seed, number]).generate_state(1, np.uint64)[0]
        return IslandTask(
            run=self._number,
            key=self._pool.problem.key,
            seed=int(seed),
            network=network,
            families=families,
            memory=self._memory,
            on_demand_only=self._on_demand_only,
            steps=steps,
            seconds=seconds,
            elapsed=elapsed,
            end=end,
            min_score=min_score,
        )

    def _list_families(self) -> Families:
        """Return the families that the islands exchange."""
        n = self._keeper.problem.size
        return list_best_families(self._keeper.chain.families(), n, count_families(n, MAX_EXCHANGED))

    def _best_network(self) -> ScoredNetwork:
        chain = self._keeper.chain
        return describe_network(chain.best_parents(), chain.best_scores())

    def _absorb(self, report: IslandReport) -> None:
        """Count the work of a round, keep its families, and offer its network to the run."""
        run, keeper, network = self._run, self._keeper, report.network
        run.count(iterations=report.iterations, evaluations=report.evaluations, computed=report.computed)
        keeper.chain.store_families(copy_families(report.families))
        if not improves(network.score, keeper.chain.best):
            keeper.chain.store_network(network.parents, np.array(network.scores))
        else:
            keeper.add_network(network.make_dag(keeper.problem.names), np.array(network.scores))
        if not improves(run.progress.score, network.score):
            run.offer(network.score, partial(network.make_dag, keeper.problem.names))
