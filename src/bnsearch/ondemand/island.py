"""One island: a network that is improved in turns of different kinds."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from math import fsum, inf, isfinite
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from bnsearch.graphs.dag import DAG
from bnsearch.ondemand.chain import GrowingChain
from bnsearch.ondemand.climbing import Climbs
from bnsearch.ondemand.row_caches import RowCaches
from bnsearch.ondemand.source import Source
from bnsearch.ondemand.starts import informed_start
from bnsearch.ondemand.turns import Turn
from bnsearch.orderings.index import Index
from bnsearch.orderings.repair import Chain
from bnsearch.orderings.restarts import offer_network
from bnsearch.orderings.state import draw_seed
from bnsearch.runs.problem import Problem
from bnsearch.runs.run import Run
from bnsearch.scores.score import improves

RATE = 0.25  # the share of losing steps that is accepted when a turn begins
STALE = 0.2  # of the time so far without improvement, before which no island begins anew
REGROWING = 0.1  # of a turn, the most for growing parents after it


class Annealed(Protocol):
    """A chain that takes steps, accepting a share of the losses."""

    @property
    def best(self) -> float:
        """The best score so far."""
        ...

    def step(self, steps: int, rate: float, slope: float) -> int:
        """Take steps, up to some milliseconds; return how many."""
        ...


def anneal(chain: Annealed, turn: Turn, run: Run, report: Callable[[int], None]) -> None:
    """Take steps, accepting fewer and fewer losses; call `report` with the number of steps every few milliseconds."""
    done, began = 0, run.seconds
    while (left := turn.left(done, run.seconds - began)) > 0.0 and not run.halted(chain.best):
        if isfinite(turn.steps):
            slope = RATE / turn.steps
            taken = chain.step(math.ceil(turn.steps) - done, RATE - slope * done, slope)
        else:
            taken = chain.step(10**6, RATE * left, 0.0)
        done += taken
        report(taken)


class Island:
    """
    One chain of each kind and climbs over DAGs, which search in turns from each other's best network.

    For one thread at a time.

    Parameters
    ----------
    source, problem : what to search
    rng : the island's own generator
    memory : bytes for its caches
    timed : whether the result may depend on the machine
    shared : as in GrowingChain
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
        self.chain = GrowingChain(source, draw_seed(rng), memory, timed=timed, shared=shared)
        self.climbs: Climbs | None = None
        self.climbed = 0  # climbs over DAGs that came to their end
        self.best = self.offered = -inf
        self.began = self.improved = 0.0  # when it began, and when it has last found anything better
        self.imported = 0  # families that the last search over a table has brought

    def grow(self, turn: Turn, run: Run) -> None:
        """Search with families on demand."""
        chain = self.chain

        def report(taken: int) -> None:
            run.count(iterations=taken, evaluations=chain.new_evaluations())
            self.offer(run)

        anneal(chain, turn, run, report)

    def offer(self, run: Run) -> None:
        """Offer the best network of families on demand, if it may be the best of all."""
        if not improves(run.progress.score, self.chain.best) and self.chain.best > self.offered:
            self.offered = self.chain.best
            run.offer(self.chain.score_of_best(), partial(DAG, self.problem.names, self.chain.best_parents()))

    def search_table(self, index: Index, turn: Turn, run: Run) -> None:
        """Search over a candidate table from the best ordering, and go on from what is found."""
        if not isfinite(self.chain.best):
            return
        chain = Chain(index, self.chain.best_order(), draw_seed(self.rng))

        def report(taken: int) -> None:
            run.count(iterations=taken, evaluations=chain.new_evaluations())
            if not improves(run.progress.score, chain.best) and chain.best > self.offered:
                self.offered = chain.best
                offer_network(chain, chain.score_best(), run)

        anneal(chain, turn, run, report)
        found = chain.score_best()
        parents = [index.table.parents(row) for row in found.rows.tolist()]
        self.imported = self.chain.stand_at(found.order, parents, index.table.scores[found.rows])
        until = run.seconds + REGROWING * turn.seconds
        self.chain.improve(lambda: run.halted() or run.seconds > until)
        self.offer(run)

    def climb(self, turn: Turn, run: Run) -> None:
        """
        Climb over DAGs as often as the turn allows.

        The first climb goes on until it ends; all others begin at the best network without half of its edges.
        """
        if self.climbs is None or not (self.climbs.unfinished or self.climbed):  # no memory for that, or not yet
            self.grow(turn, run)
            return
        began, done = run.seconds, 0
        while (left := turn.left(done, run.seconds - began)) > 0.0 and not run.halted():
            if self.climbs.unfinished:
                found, ended = self.climbs.go_on(run, left * turn.seconds)
            else:
                found, ended = self.climbs.again(self.chain.best_parents(), self.rng, run), True
            done += 1
            self.climbed += ended
            if found is not None:
                self.take_network(found.dag(self.problem.names), found.scores)

    def take_network(self, dag: DAG, scores: NDArray[np.float64]) -> None:
        """Take note of the families of a network with their scores, and go on from it if it is the best so far."""
        if improves(fsum(scores), self.chain.best):
            self.chain.stand_at(np.array(dag.order, dtype=np.int32), dag.parents, scores)
        else:
            self.chain.keep_network(dag.parents, scores)

    def take_stock(self, now: float) -> None:
        """Take note of whether the last round has found anything better; now : seconds, or rounds so far."""
        if improves(self.chain.best, self.best):
            self.improved = now
            self.began = now if self.best == -inf else self.began
        self.best = max(self.best, self.chain.best)

    def is_stale(self, now: float) -> bool:
        """Tell whether the island has found nothing for longer than it took to come so far."""
        return now - self.improved > max(self.improved - self.began, STALE * now)

    def forget(self) -> None:
        """Let the next network be the best so far, whatever its score."""
        self.best = self.offered = -inf
        self.chain.forget_best()

    def begin_anew(self, run: Run) -> None:
        """Begin at an ordering informed by the families met so far."""
        self.forget()
        self.chain.begin_at(informed_start(self.chain, self.problem, self.rng), run.halted)
        self.offer(run)
