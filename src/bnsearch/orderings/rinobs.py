"""RINOBS: an insertion and its repair, tens of thousands of times a second."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import inf
from typing import ClassVar

import numpy as np

from bnsearch.errors import require
from bnsearch.orderings.climber import random_word
from bnsearch.orderings.index import Index
from bnsearch.orderings.repair import Chain
from bnsearch.orderings.restarts import offer, prepare
from bnsearch.orderings.starts import Ordering, make_starts, require_start
from bnsearch.parent_sets.table import ParentSets
from bnsearch.runs.problem import Problem
from bnsearch.runs.run import Run
from bnsearch.scores.score import improves

FEWEST = 2  # islands


@dataclass(frozen=True, kw_only=True)
class RINOBS:
    """
    Repaired-insertion search over orderings: iterated local search with the smallest perturbation there is.

    One step inserts a random variable beside another one that it shares a candidate set with, and then repairs: whoever
    may want another place now is inserted where it does best, until nobody does. A step that ends in too much of a
    loss is undone. How much is too much adapts, so that a given share of losing steps is accepted; the share falls to
    zero over a round, and each round is twice as long as the one before.

    Parameters
    ----------
    orderings : how many are searched in the first round; the worse half of them goes after each, down to the islands
    islands : orderings that are searched side by side then; None means one for each thread, and at least two, or just
        two under a budget of iterations, where the number of threads must not matter. After each round the worst takes
        over the best one's ordering, or, where all are equally good, a new start, and rounds begin anew
    rate : the share of losing steps that is accepted when a round begins
    length : steps of the first round for each variable
    start : where orderings come from: random, dfs or fas

    Notes
    -----
    After the insertion of x only the families of x and of the variables it has passed can change, and only those that
    have x in a candidate set do. So a step costs microseconds, whatever the number of variables: what a
    perturbation of a fixed share of the variables gains over one insertion, tens of thousands of steps a second
    more than make up for. Accepting losses up to a threshold is threshold accepting (Dueck & Scheuer 1990), with the
    threshold governed by an acceptance rate instead of a schedule of its own, which makes it independent of the scale
    of the scores. To begin with many orderings and to go on with the better half is successive halving (Karnin et
    al. 2013): some starts lead where no repair leads out of. One iteration is one step.
    """

    name: ClassVar[str] = "rinobs"
    orderings: int = 8
    islands: int | None = None
    rate: float = 0.25
    length: int = 1
    start: str = "fas"

    def __post_init__(self) -> None:
        require("orderings", self.orderings, at_least=1, whole=True)
        if self.islands is not None:
            require("islands", self.islands, at_least=1, whole=True)
        require("rate", self.rate, at_least=0, at_most=1)
        require("length", self.length, at_least=1, whole=True)
        require_start(self.start)

    def search(self, problem: Problem, run: Run) -> None:
        """Search until the run is told to stop."""
        index = prepare(problem, run)
        self.search_from(index, self.starts(index.table, run.rng), run)

    def starts(self, table: ParentSets, rng: np.random.Generator) -> Iterator[Ordering]:
        """Yield the orderings that the first round begins with."""
        start = make_starts(self.start, table)
        for _ in range(self.orderings):
            yield start(rng)

    def search_from(self, index: Index, orders: Iterable[Ordering], run: Run) -> None:
        """Search from some orderings until the run is told to stop."""
        start = make_starts(self.start, index.table)
        islands = self.islands or (max(FEWEST, run.threads) if run.is_timed else FEWEST)
        chains: list[Chain] = []
        for order in orders:
            chains.append(Chain(index, order, random_word(run.rng)))
            if run.halted(chains[-1].best):
                break
        length = first_length = self.length * index.table.n_variables
        while run.going():
            self._round(chains, length, run)
            length *= 2
            chains.sort(key=lambda chain: -chain.best)
            best, worst = chains[0], chains[-1]
            if len(chains) > islands:
                chains = chains[: max(islands, len(chains) // 2)]
            elif len(chains) < islands:
                while len(chains) < islands and not run.halted():
                    chains.append(Chain(index, best.best_order, random_word(run.rng)))
            elif improves(best.best, worst.best):
                worst.restart(best.best_order)
            else:  # all chains have the same score: restart the worst one
                worst.restart(start(run.rng))
                length = first_length

    def _round(self, chains: list[Chain], length: int, run: Run) -> None:
        """Let every island take so many steps."""
        steps = run.allowed(length * len(chains))
        each = [steps // len(chains) + (i < steps % len(chains)) for i in range(len(chains))]
        for _ in run.map(lambda piece: self._anneal(*piece, run), zip(chains, each, strict=True)):
            pass

    def _anneal(self, chain: Chain, steps: int, run: Run) -> None:
        """Take steps, accepting fewer and fewer losses."""
        done, best = 0, -inf
        while done < steps and not run.halted(best):
            slope = self.rate / steps
            taken = chain.step(steps - done, self.rate - slope * done, slope)
            run.count(iterations=taken, evaluations=chain.evaluations())
            done += taken
            if chain.best > best:
                best = chain.best
                if not improves(run.progress.score, best):
                    offer(chain, chain.best_placed(), run)
