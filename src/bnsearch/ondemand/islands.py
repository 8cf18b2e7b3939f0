"""Islands: search with families on demand, over their candidate table and over DAGs, in turns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from math import fsum, inf, isfinite

from bnsearch.dags.climber import MEMORY_BYTES
from bnsearch.ondemand.chain import row_bytes
from bnsearch.ondemand.climbing import ClassClimb, Climbs, pricer_of
from bnsearch.ondemand.island import Island
from bnsearch.ondemand.row_caches import RowCaches
from bnsearch.ondemand.source import Source
from bnsearch.ondemand.starts import table_of
from bnsearch.ondemand.turns import Kind, Turn, share_out
from bnsearch.orderings.index import Index
from bnsearch.orderings.restarts import precedence_of
from bnsearch.parent_sets.relaxed import relaxed
from bnsearch.parent_sets.table import ParentSets
from bnsearch.runs.problem import Problem
from bnsearch.runs.run import Run
from bnsearch.scores.score import improves

ROUND = 0.2  # the length of a round, as a share of the time so far
FIRST_STEPS, LONGER = 4, 1.3  # where steps are counted: for each variable in the first round; and from round to round
GROWING = 0.6  # of a turn over orderings, the part for families on demand; the rest searches over their table
BUILDING = 0.3  # of a search over a table, the most for building the table and its index
CLIMBING = 0.6  # of the time that is left, the most for the first climb over DAGs, before it goes on in turns
CLASSES = 0.1  # of the time that is left, the most for a climb over equivalence classes
CLASSES_A_ROUND = 0.25  # of a round, the part for it
SLOWER = 10.0  # how many times as long as the first climb over DAGs that takes; 1 to 15 were measured
SHORTEST = 0.08  # of the time so far, a turn at least
OFTEN, RARELY = 0.33, 0.1  # what kinds of turns are taken to gain at least, as a share of the best: chains, and climbs
MANY_THREADS = 4  # so that one can climb over equivalence classes for long
TRIAL = 2  # rounds in which islands do not learn from each other
LONGEST = 0.4  # of the time that is left, the most that a single turn must last to be of use
SEVERAL, SOON = 0.08, 2.0  # of it, or of so many times the time so far, the most that the size of a table may demand
ROWS_A_SECOND = 500_000  # of a table built, before that is measured
LONG_ENOUGH = 0.05  # seconds, to tell the pace from what every table takes
ROW_BYTES = 200  # of memory for a row of the table and its index, about
CACHES, TABLE, CLIMBS = 0.375, 0.25, 0.125  # of the memory; the rest is for what is selected
ROWS_OF_PRICES = 4  # for each variable, of prices remembered: fewer lose what is known of the start
LEAST_CLIMB_BYTES = 1 << 20  # of the memory for the prices of a climb over DAGs


class Islands:
    """
    A number of islands, which share a candidate table and exchange networks after each round.

    Parameters
    ----------
    problem, run : what to search, and as part of which run
    number : of islands
    memory : bytes for their caches, their table and its index together
    alone : whether they search with families on demand alone, not over their table and over DAGs

    Attributes
    ----------
    chaining, climbing : the kinds of turns: over orderings, over DAGs
    growing, searching : the parts of a turn over orderings: with families on demand, over their table
    """

    def __init__(self, problem: Problem, run: Run, number: int, memory: int, *, alone: bool = False) -> None:
        self.problem, self.run, self.memory, self.alone = problem, run, memory, alone
        self.source = Source(problem, lambda: not run.halted(), run.threads)
        share = int(CACHES * memory) // number
        rngs = run.spawn(number if self.source.complete else 0)
        self._timed = run.is_timed
        # Only under a time budget: the number of computed scores would depend on the threads.
        self._caches = RowCaches(number, row_bytes(share), problem.size) if self._timed else None
        shared = [None if self._caches is None else (self._caches, i) for i in range(number)]
        self.islands = [
            Island(self.source, problem, rng, share, timed=self._timed, shared=own)
            for rng, own in zip(rngs, shared, strict=False)
        ]
        self.growing, self.searching = Kind(OFTEN), Kind(OFTEN)
        self.chaining, self.climbing = Kind(OFTEN), Kind(RARELY)
        self.more: ParentSets | None = None
        self.share_imported = 0.0  # of the variables, those that have got selected parents in a search over the table
        self.bound: float | None = None
        self._classes: list[ClassClimb] = []  # none where there is no such climb, or no longer
        self._classes_left = 0.0  # seconds that it may take in all, where it does not replace a search
        self._usefulness = 1.0  # the share of selected sets that joins the table: less where searches take none of them
        self._length = float(FIRST_STEPS * problem.size)  # of a round, in steps or in seconds
        self._rounds = 0
        self._is_new = False  # whether selected sets have not been searched yet
        self._climb_seconds = 0.0  # of one climb over DAGs
        self._rows_a_second = float(ROWS_A_SECOND)

    @property
    def ready(self) -> bool:
        """Whether there is anything to search from: False if the run was halted before."""
        return bool(self.islands) and all(isfinite(island.chain.best) for island in self.islands)

    def begin(self) -> None:
        """
        Let the first island begin at a climb over DAGs, which offers networks from the beginning, and all others there.

        A climb that takes long goes on in turns, at the rate that it has gained at in the second half of its time here.
        """
        if not self.islands:
            return
        run, began, first = self.run, self.run.seconds, self.islands[0]
        pricer = pricer_of(self.problem, self.source)
        for island, memory in zip(self.islands, self._climb_bytes(), strict=False):
            island.climbs = Climbs(self.problem, pricer, memory)
        if first.climbs is not None:
            first.climbs.begin()
        piece = Turn(steps=1, seconds=CLIMBING * run.seconds_left / 2)
        first.climb(piece, run)
        if isfinite(first.chain.best) and not first.climbed:
            half, at = first.chain.best, run.seconds
            first.climb(piece, run)
            self.climbing.note(len(self.islands) * (first.chain.best - half), run.seconds - at)
            self.climbing.owed = 0.0  # the start is nobody's turn
        first.offer(run)
        for island in self.islands[1:] if isfinite(first.chain.best) else ():
            island.chain.take(first.chain)
        self._share_climbed()
        self._begin_classes(run.seconds - began)

    def _share_climbed(self) -> None:
        """Let all islands climb by themselves once the first climb has ended."""
        for island in self.islands[1:]:
            island.climbed = max(island.climbed, self.islands[0].climbed)

    def _begin_classes(self, took: float) -> None:
        """
        Climb over equivalence classes, if that can be expected to take little of the time.

        A climb that takes longer than all so far goes on in rounds: with many threads in the place of the last island's
        search with families on demand, else for a part of the time.
        """
        run, seconds = self.run, CLASSES * self.run.seconds_left if self._timed else inf
        if self.alone or run.halted() or not self.problem.needed_score.equivalent:
            return
        if self._has_many_threads or SLOWER * took <= seconds:
            self._classes, self._classes_left = [ClassClimb(self.problem, run)], seconds
        if not self._has_many_threads:
            self._climb_classes(min(seconds, run.seconds) if self._timed else inf)

    @property
    def _has_many_threads(self) -> bool:
        return self._timed and min(self.run.threads, len(self.islands)) >= MANY_THREADS

    def _climb_classes(self, seconds: float) -> None:
        """Let the climb over equivalence classes go on for some seconds, or give it up if its time is over."""
        for climb in self._classes:
            climb.go_on(min(seconds, self._classes_left - climb.spent))
            self._take_classes()
            if climb.spent >= self._classes_left:
                self._classes = []

    def _climb_bytes(self) -> list[int]:
        """Return the memory for the climbs of each island that has any: as many as it allows, one at least."""
        memory, n = int(CLIMBS * self.memory), self.problem.size
        gains = 9 * n * n  # of all families of a graph
        number = max(1, min(len(self.islands), memory // (gains + LEAST_CLIMB_BYTES)))
        most = max(MEMORY_BYTES, 8 * n * n * ROWS_OF_PRICES)
        return [min(most, max(LEAST_CLIMB_BYTES, memory // number - gains))] * number

    def take_table(self, more: ParentSets) -> None:
        """Let selected sets join the table from the next round on; what is known of the table before says nothing."""
        self.more, self.share_imported, self.bound = more, 0.0, None
        self._is_new = True

    def round(self) -> None:
        """Let every island search over orderings, and over DAGs as far as that gains as much."""
        if self._timed:
            self._length = max(0.01, min(ROUND * self.run.seconds, self.run.seconds_left))
            share_out([self.chaining] if self.alone else [self.chaining, self.climbing], self._length)
            if not self._has_many_threads:
                self._climb_classes(CLASSES_A_ROUND * self._length)
            if self.islands[0].climbed:  # a climb that has not ended goes on where it was
                self.climbing.least = max(SHORTEST * self.run.seconds, self._climb_seconds)
        self._take_turn(self.chaining, self._chain, Turn(steps=self._steps_of(1 if self.alone else 2)))
        if not self.alone:
            self._take_turn(self.climbing, self._climb, Turn(steps=1))
        if not self.run.halted():
            self._exchange()
        if not self._timed:
            self._length *= LONGER

    def _chain(self, turn: Turn) -> None:
        """Let islands search with families on demand, and over the table of all families met when that is worth it."""
        if self.alone:
            self._grow(turn)
            return
        self.searching.least = self._seconds_to_build() / BUILDING if self._timed else 0.0
        if self._is_new and self.searching.least <= self._length:  # selected sets are tried at once
            self.searching.owed = max(self.searching.owed, self.searching.least)
            self._is_new = False
        if self._timed:
            self.growing.owed += GROWING * turn.seconds
            self.searching.owed += (1.0 - GROWING) * turn.seconds
        self._take_turn(self.growing, self._grow, turn)
        self._take_turn(self.searching, self._search_table, turn)

    def _steps_of(self, turns: int) -> int:
        """Return the steps of a turn of each island where they are counted, there being so many turns of a round."""
        turns *= len(self.islands)
        return 0 if self._timed else max(1, self.run.allowed(turns * int(self._length)) // turns)

    def _take_turn(self, kind: Kind, search: Callable[[Turn], None], steps: Turn) -> None:
        """Let all islands have a turn of some kind, unless there is not enough time for it; take note of the gain."""
        run = self.run
        if run.halted() or (self._timed and not (self._fits(kind) and kind.owed > kind.least)):
            return
        began, before = run.seconds, self._standing()
        search(Turn(seconds=min(kind.owed, run.seconds_left)) if self._timed else steps)
        kind.note(self._standing() - before, run.seconds - began)

    def _fits(self, kind: Kind) -> bool:
        """Tell whether there is time for a turn of some kind."""
        return kind.least <= LONGEST * self.run.seconds_left

    def _standing(self) -> float:
        """Return the sum of the islands' best scores."""
        return fsum(island.chain.best for island in self.islands)

    def _grow(self, turn: Turn) -> None:
        """Let islands search with families on demand; beside that, the climb over equivalence classes goes on."""
        run = self.run
        jobs: list[Callable[[], object]] = [partial(island.grow, turn, run) for island in self.islands]
        beside = self._classes if self._has_many_threads else []
        jobs[len(jobs) - len(beside) :] = [partial(climb.go_on, turn.seconds) for climb in beside]
        self._map(lambda job: job(), jobs)
        self._take_classes()

    def _take_classes(self) -> None:
        """Let the last island go on from the network of the climb over equivalence classes, once that has ended."""
        for climb in self._classes:
            if climb.ended:
                self._classes = []
                self.islands[-1].take_network(*climb.found())

    def _search_table(self, turn: Turn) -> None:
        """Let islands search over the table of all families met."""
        run, began = self.run, self.run.seconds
        index = self._index()
        left = Turn(turn.steps, max(0.01, turn.seconds - (run.seconds - began)))
        self._map(lambda island: island.search_table(index, left, run), self.islands)
        most = max(island.imported for island in self.islands) / self.problem.size
        if self.more is not None:
            self.share_imported = max(self.share_imported, most)
            self._usefulness = min(1.0, self._usefulness * (2.0 if most > 0.0 else 0.5))

    def _climb(self, turn: Turn) -> None:
        """Let islands climb over DAGs; take note of how long a climb takes."""
        began, before = self.run.seconds, self.islands[0].climbed
        self._map(lambda island: island.climb(turn, self.run), self.islands)
        self._share_climbed()
        self._climb_seconds = (self.run.seconds - began) / max(1, self.islands[0].climbed - before)

    def _index(self) -> Index:
        """Return the index of the table of all families met; take note of the time and of the upper bound."""
        began = self.run.seconds
        index = Index(self.table(), precedence_of(self.problem))
        _ = index.arrays  # made now, once
        self.bound = relaxed(index.table).score
        if self._timed and self.run.seconds - began > LONG_ENOUGH:
            self._rows_a_second = index.table.n_sets / (self.run.seconds - began)
        return index

    def table(self) -> ParentSets:
        """Return the table of all families that the islands have met, and of selected ones as time allows."""
        more, known, most = self.more, self.problem.constraints, self._most_selected()
        if more is not None and more.n_sets > most:
            more = more.best(max(1, int(most // self.problem.size)), known)
        rows = int(TABLE * self.memory / ROW_BYTES)
        return table_of([island.chain for island in self.islands], self.problem, more, rows, self.run.threads)

    @property
    def _met(self) -> int:
        """How many families the islands have met, those of several counted again."""
        return sum(island.chain.n_families for island in self.islands)

    def _most_selected(self) -> float:
        """Return how many selected sets the table may have: several searches over it must fit into the time."""
        seconds = min(self.run.seconds_left, SOON * self.run.seconds)
        most = self._rows_a_second * BUILDING * SEVERAL * seconds if self._timed else inf
        return max(0.0, self._usefulness * most - self._met)

    def _seconds_to_build(self) -> float:
        """Return about how long it takes to build the table and its index."""
        selected = 0.0 if self.more is None else min(self.more.n_sets, self._most_selected())
        return min(selected + self._met, TABLE * self.memory / ROW_BYTES) / self._rows_a_second

    def _exchange(self) -> None:
        """Let the worse half of the islands go on from the best network, or begin anew after long in vain."""
        self._rounds += 1
        self._enlarge_caches()
        now = self.run.seconds if self._timed else self._rounds
        for island in self.islands:
            island.take_stock(now)
        if self._rounds <= TRIAL:
            return
        best, *ranked = sorted(self.islands, key=lambda island: -island.chain.best)
        for worse in ranked[len(ranked) // 2 :] or [best]:
            if improves(best.chain.best, worse.chain.best):
                worse.chain.take(best.chain)
                worse.best, worse.began, worse.improved = best.best, best.began, best.improved
            elif worse.is_stale(now):
                worse.begin_anew(self.run)

    def _enlarge_caches(self) -> None:
        """Double the caches that islands share where they are nearly full; one alone sees to it by itself."""
        if self._caches is not None:
            self._caches.enlarge()
            for island in self.islands:
                island.chain.refresh_rows()

    def _map(self, function: Callable[..., object], items: Sequence[object]) -> None:
        for _ in self.run.map(function, items):
            pass
