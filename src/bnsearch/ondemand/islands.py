"""Islands: search with families on demand and search over their candidate table, in turns."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from math import inf, isfinite
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from bnsearch.dags.climber import MEMORY_BYTES
from bnsearch.graphs.dag import DAG
from bnsearch.ondemand.chain import GrowingChain
from bnsearch.ondemand.climbing import ClassStart, DAGStart, follow
from bnsearch.ondemand.source import Source
from bnsearch.ondemand.starts import informed_start, table_of
from bnsearch.orderings.climber import random_word
from bnsearch.orderings.index import Index
from bnsearch.orderings.repair import Chain
from bnsearch.orderings.restarts import offer, precedence_of
from bnsearch.parent_sets.relaxed import relaxed
from bnsearch.parent_sets.table import ParentSets
from bnsearch.problem import Problem
from bnsearch.run import Run, is_timed
from bnsearch.scores.score import improves

RATE = 0.25  # the share of losing steps that is accepted when a turn begins
GROWING = 0.6  # of a round, the part for families on demand; the rest searches over their table
FIRST_STEPS, FIRST_SECONDS = 4, 0.1  # of the first round: for each variable, or of wall-clock time
LONGER = 1.3  # each round is so many times as long as the one before
BUILDING = 0.2  # of a round, the most for building its table and index: as many selected sets are taken
CLIMBING = 0.7  # of the time that is left, the most for hill climbing to the first network
QUICK, SECOND_CLIMB = 0.4, 0.35  # where that took less, a climb over equivalence classes follows, with this share
INFORMED = 0.2  # of the time that is left, the most for growing the parents that inform an ordering
TRIAL = 0.15  # of the time that is left after the start, the part in which islands do not learn from each other
ROWS_A_SECOND = 500_000  # of a table built, before that is measured
ROW_BYTES = 200  # of memory for a row of the table and its index, about
STALE_ROUNDS = 5  # without improvement, after which an island begins anew


class Annealed(Protocol):
    """A chain that takes steps, accepting a share of the losses."""

    @property
    def best(self) -> float:
        """The best score so far."""
        ...

    def step(self, steps: int, rate: float, slope: float) -> int:
        """Take steps, up to some milliseconds; return how many."""
        ...


@dataclass(frozen=True)
class Turn:
    """How long a chain searches: a number of steps, or some seconds."""

    steps: float = inf
    seconds: float = inf

    def left(self, steps: int, seconds: float) -> float:
        """Return the share that is left after some steps and seconds."""
        return 1.0 - max(steps / self.steps, seconds / self.seconds)


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
    One chain of each kind, which search in turns from each other's best network; for one thread at a time.

    Parameters
    ----------
    source, problem : what to search
    rng : the island's own generator
    memory : bytes for its caches
    timed : whether the result may depend on the machine
    """

    def __init__(self, source: Source, problem: Problem, rng: np.random.Generator, memory: int, *, timed: bool) -> None:
        self.problem, self.rng = problem, rng
        self.chain = GrowingChain(source, random_word(rng), memory, timed=timed)
        self.best = self.offered = -inf
        self.stale = 0
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
        chain = Chain(index, self.chain.best_order(), random_word(self.rng))

        def report(taken: int) -> None:
            run.count(iterations=taken, evaluations=chain.evaluations())
            if not improves(run.progress.score, chain.best) and chain.best > self.offered:
                self.offered = chain.best
                offer(chain, chain.best_placed(), run)

        anneal(chain, turn, run, report)
        found = chain.best_placed()
        parents = [index.table.parents(row) for row in found.rows.tolist()]
        self.imported = self.chain.stand_at(found.order, parents, index.table.scores[found.rows])
        self.chain.improve(run.halted)
        self.offer(run)

    def take_stock(self) -> None:
        """Take note of whether the last round has found anything better."""
        self.stale = 0 if improves(self.chain.best, self.best) else self.stale + 1
        self.best = max(self.best, self.chain.best)

    def begin_at(self, dag: DAG, scores: NDArray[np.float64], run: Run) -> None:
        """Begin at a network, given the local scores of its variables."""
        self.best, self.stale, self.offered = -inf, 0, -inf
        self.chain.forget_best()
        self.chain.stand_at(np.array(dag.order, dtype=np.int32), dag.parents, scores)
        self.chain.improve(run.halted)
        self.offer(run)

    def begin_anew(self, run: Run) -> None:
        """Begin at an ordering informed by the families met so far."""
        self.best, self.stale, self.offered = -inf, 0, -inf
        self.chain.forget_best()
        self.chain.begin_at(informed_start(self.chain, self.problem, self.rng), run.halted)
        self.offer(run)

    def begin_informed(self, run: Run, seconds: float) -> None:
        """Begin at an ordering informed by the parents that variables would choose of all others."""
        until = run.seconds + seconds
        self.chain.grow_freely(lambda: run.halted() or run.seconds > until)
        self.begin_anew(run)


class Islands:
    """
    A number of islands, which share a candidate table and exchange networks after each round.

    Parameters
    ----------
    problem, run : what to search, and as part of which run
    number : of islands
    memory : bytes for their caches, their table and its index together
    tables : whether they search over the table of all families met, too
    """

    def __init__(self, problem: Problem, run: Run, number: int, memory: int, *, tables: bool = True) -> None:
        self.problem, self.run, self.memory, self.tables = problem, run, memory, tables
        self.source = Source(problem, lambda: not run.halted(), run.threads)
        share = memory // 2 // number
        rngs = run.spawn(number if self.source.complete else 0)
        self._timed = is_timed(run)
        self.islands = [Island(self.source, problem, rng, share, timed=self._timed) for rng in rngs]
        self.more: ParentSets | None = None
        self.imported = 0  # families that networks have taken from that table
        self.bound: float | None = None
        self._length = FIRST_SECONDS if self._timed else FIRST_STEPS * problem.size
        self._trial_ends = 0.0
        self._rows_a_second = float(ROWS_A_SECOND)

    @property
    def ready(self) -> bool:
        """Whether there is anything to search from: False if the run was halted before."""
        return bool(self.islands) and all(isfinite(island.chain.best) for island in self.islands)

    def begin(self) -> None:
        """
        Find a first network for every island by greedy climbs over DAGs and over equivalence classes.

        Networks are offered from the beginning. The first island begins at the best of them. Of the others every second
        one begins at an informed ordering, the rest at what hill climbing makes of that network without half of its
        edges. Where the first climb takes long, there is no time for informed orderings.
        """
        if not self.islands:
            return
        run, began = self.run, self.run.seconds
        share = min(MEMORY_BYTES, self.memory // 4 // len(self.islands))
        start = DAGStart(self.problem, self.source, self.problem.scorer.fork(), share)
        found, quick = self._climb(start)
        if found is None:
            return
        self.islands[0].begin_at(found, self._scores(found), run)
        informed = self.islands[1::2] if quick else []
        left = INFORMED * run.seconds_left
        self._map(lambda island: island.begin_informed(run, left), informed)
        others = [island for island in self.islands[1:] if island not in informed]
        seconds = run.seconds - began if self._timed else inf

        def climb_again(island: Island) -> DAG:
            return follow(start.steps_again(found, island.rng), run, seconds)[0] or found

        again = [*run.map(climb_again, others)] if quick else [found] * len(others)
        starts = [(island, dag, self._scores(dag)) for island, dag in zip(others, again, strict=True)]
        self._map(lambda piece: piece[0].begin_at(piece[1], piece[2], run), starts)
        self._trial_ends = run.seconds + TRIAL * run.seconds_left if isfinite(run.seconds_left) else 0.0

    def _climb(self, start: DAGStart) -> tuple[DAG | None, bool]:
        """
        Return the better network of two greedy climbs, and whether that took little of the time.

        With one thread, the climb over equivalence classes follows where the one over DAGs was quick.
        """
        problem, run, began = self.problem, self.run, self.run.seconds
        first, second = CLIMBING * run.seconds_left, SECOND_CLIMB * run.seconds_left

        def climb_classes() -> tuple[DAG | None, bool]:
            return follow(ClassStart(problem, run.halted).steps(), run, second)

        climbs = [lambda: follow(start.steps(), run, first)]
        together = self._timed and run.threads > 1 and problem.needed_score.equivalent
        found = [*run.map(lambda climb: climb(), [*climbs, climb_classes] if together else climbs)]
        quick = found[0][1] and (not self._timed or run.seconds - began <= QUICK * run.seconds_left)
        if quick and not together and problem.needed_score.equivalent:
            found.append(climb_classes())
        networks = [dag for dag, _ in found if dag is not None]
        return max(networks, key=problem.scorer.network, default=None), quick

    def _scores(self, dag: DAG) -> NDArray[np.float64]:
        """Return the local scores of a network; in one thread alone."""
        return self.problem.scorer.families(range(self.problem.size), dag.parents)

    def take_table(self, more: ParentSets) -> None:
        """Let selected sets join the table from the next round on; what is known of the table before says nothing."""
        self.more, self.imported, self.bound = more, 0, None

    def round(self) -> None:
        """Let every island search, with families on demand and then over the table of all families met."""
        run = self.run
        grow, search = self._turns()
        self._map(lambda island: island.grow(grow, run), self.islands)
        if self.tables and not run.halted():
            index = self._index()
            self._map(lambda island: island.search_table(index, search, run), self.islands)
            self.imported += sum(island.imported for island in self.islands)
        if not run.halted():
            self._exchange()
        self._length *= LONGER

    def _index(self) -> Index:
        """Return the index of the table of all families met; take note of the time and of the upper bound."""
        began = self.run.seconds
        index = Index(self.table(), precedence_of(self.problem))
        _ = index.arrays  # made now, once
        self.bound = relaxed(index.table).score
        if self._timed:
            self._rows_a_second = index.table.n_sets / max(1e-3, self.run.seconds - began)
        return index

    def table(self) -> ParentSets:
        """Return the table of all families that the islands have met, and of selected ones while there is time."""
        most = int(self.memory // 4 // ROW_BYTES)
        more, known = self.more, self.problem.constraints
        if more is not None and self._timed:
            some = int(self._rows_a_second * BUILDING * self._length)
            more = more if more.n_sets <= some else more.best(max(1, some // self.problem.size), known)
        return table_of([island.chain for island in self.islands], self.problem, more, most, self.run.threads)

    def _turns(self) -> tuple[Turn, Turn]:
        """Return the turns of a round."""
        if not self._timed:
            steps = self.run.allowed(2 * int(self._length) * len(self.islands)) // (2 * len(self.islands))
            return Turn(steps=max(1, steps)), Turn(steps=max(1, steps))
        self._length = min(self._length, max(0.01, self.run.seconds_left))
        return Turn(seconds=GROWING * self._length), Turn(seconds=(1.0 - GROWING) * self._length)

    def _exchange(self) -> None:
        """Let the worst island go on from the best network, or one that has found nothing for long begin anew."""
        for island in self.islands:
            island.take_stock()
        if self.run.seconds < self._trial_ends:
            return
        if self._timed and len(self.islands) > self.run.threads:  # more than can search at a time
            self.islands = sorted(self.islands, key=lambda island: -island.chain.best)[: self.run.threads]
        ranked = sorted(self.islands, key=lambda island: -island.chain.best)
        best, worst = ranked[0], ranked[-1]
        if improves(best.chain.best, worst.chain.best):
            worst.chain.take(best.chain)
            worst.best, worst.stale = best.best, best.stale
        elif worst.stale >= STALE_ROUNDS:
            worst.begin_anew(self.run)

    def _map(self, function: Callable[..., None], items: Sequence[object]) -> None:
        for _ in self.run.map(function, items):
            pass
