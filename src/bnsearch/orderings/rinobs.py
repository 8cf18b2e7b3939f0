"""RINOBS: repaired-insertion search over orderings, an iterated local search with very small steps."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import inf
from typing import ClassVar

import numpy as np

from bnsearch.errors import require
from bnsearch.orderings.index import Index
from bnsearch.orderings.repair import RepairChain
from bnsearch.orderings.restarts import build_index, offer_network
from bnsearch.orderings.starts import Ordering, make_starts, require_start
from bnsearch.orderings.state import draw_seed
from bnsearch.parent_sets.table import ParentSets
from bnsearch.runs.method import Needs
from bnsearch.runs.problem import Problem
from bnsearch.runs.run import Run
from bnsearch.scores.score import improves

MIN_ISLANDS = 2  # default number of islands without a time budget, and its minimum with one


@dataclass(frozen=True, kw_only=True)
class RINOBS:
    """
    Repaired-insertion search over orderings: iterated local search whose perturbation is a single insertion.

    One step inserts a random variable next to a random relative: a candidate parent, or a variable that has it as a
    candidate parent. It then repairs the ordering: each variable whose best insertion may have changed is inserted at
    its best position, until no insertion of these improves the score. A step that loses more than a threshold is
    undone. The threshold adapts so that a given share of the losing steps is accepted. This share falls to zero over a
    round, and each round is twice as long as the previous one.

    Parameters
    ----------
    orderings : int, default 8
        Number of orderings in the first round; after each round the worse half is dropped, until `islands`
        orderings remain.
    islands : int, optional
        Number of orderings that are then searched in parallel. None means one per thread, and at least two; with a
        budget of iterations it means two, so that the result does not depend on the number of threads. After each
        round the worst island continues from the best ordering. If all islands have the same score, the worst one
        continues from a new start, and the rounds are short again.
    rate : float, default 0.25
        Share of the losing steps that are accepted at the start of a round.
    length : int, default 1
        Number of steps of the first round divided by the number of variables.
    start : str, default "fas"
        Starting orderings: random, dfs or fas.

    Notes
    -----
    The insertion of x changes only the families of x and of those passed variables that have x in a candidate parent
    set. A step therefore takes microseconds for any number of variables, and there are tens of thousands of steps per
    second. Larger perturbations gain more per step but less per second. Accepting losses up to a threshold is threshold
    accepting (Dueck & Scheuer 1990). Here an acceptance rate controls the threshold instead of a schedule, which makes
    it independent of the scale of the scores. Dropping the worse half of the orderings after each round is successive
    halving (Karnin et al. 2013). It is needed because some starts never lead to a good ordering. One iteration is one
    step.

    Examples
    --------
    >>> import bnsearch
    >>> data = bnsearch.load_network("asia").sample(200, 1)
    >>> method = bnsearch.RINOBS()
    >>> result = bnsearch.learn(data, method=method, seconds=None, stop=bnsearch.Iterations(50), seed=1)
    >>> round(result.score, 3)
    -454.28
    """

    name: ClassVar[str] = "rinobs"
    space: ClassVar[str] = "orderings"
    needs: ClassVar[Needs] = Needs.TABLE
    paper: ClassVar[str] = "ours"
    purpose: ClassVar[str] = "with a given candidate table"
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
        """Search until the run stops."""
        index = build_index(problem, run)
        self.search_from(index, self.draw_starts(index.table, run.rng), run)

    def draw_starts(self, table: ParentSets, rng: np.random.Generator) -> Iterator[Ordering]:
        """Yield the orderings of the first round."""
        start = make_starts(self.start, table)
        for _ in range(self.orderings):
            yield start(rng)

    def search_from(self, index: Index, orders: Iterable[Ordering], run: Run) -> None:
        """
        Search from the given orderings until the run stops.

        Each ordering has a `RepairChain`. The chains that remain after the first rounds are the islands.
        """
        start = make_starts(self.start, index.table)
        islands = self.islands or (max(MIN_ISLANDS, run.threads) if run.is_timed else MIN_ISLANDS)
        chains: list[RepairChain] = []
        for order in orders:
            chains.append(RepairChain(index, order, draw_seed(run.rng)))
            if run.halted(chains[-1].best):
                break
        length = first_length = self.length * index.table.n_variables
        while run.going():
            self._run_round(chains, length, run)
            length *= 2
            chains.sort(key=lambda chain: -chain.best)
            best, worst = chains[0], chains[-1]
            if len(chains) > islands:  # first rounds: drop the worse half
                chains = chains[: max(islands, len(chains) // 2)]
            elif len(chains) < islands:  # fewer orderings than islands were given: copy the best one
                while len(chains) < islands and not run.halted():
                    chains.append(RepairChain(index, best.best_order, draw_seed(run.rng)))
            elif improves(best.best, worst.best):
                worst.restart(best.best_order)
            else:  # all chains have the same score: restart the worst one
                worst.restart(start(run.rng))
                length = first_length

    def _run_round(self, chains: list[RepairChain], length: int, run: Run) -> None:
        """Make `length` steps on each chain; fewer if the run has fewer iterations left."""
        total = run.allowed(length * len(chains))
        steps = [total // len(chains) + (i < total % len(chains)) for i in range(len(chains))]
        for _ in run.map(lambda task: self._anneal(*task, run), zip(chains, steps, strict=True)):
            pass

    def _anneal(self, chain: RepairChain, steps: int, run: Run) -> None:
        """Make steps on a chain; the share of accepted losses falls from `rate` to zero."""
        done, best = 0, -inf
        while done < steps and not run.halted(best):
            slope = self.rate / steps
            taken = chain.step(steps - done, self.rate - slope * done, slope)
            run.count(iterations=taken, evaluations=chain.new_evaluations())
            done += taken
            if chain.best > best:
                best = chain.best
                if not improves(run.progress.score, best):  # it may become the incumbent
                    offer_network(chain, chain.score_best(), run)
