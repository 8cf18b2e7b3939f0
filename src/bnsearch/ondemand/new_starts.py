"""Searches over the table from new orderings: when they are due, and how their time is divided."""

from __future__ import annotations

from math import inf, isfinite

import numpy as np

from bnsearch.ondemand.annealing import anneal
from bnsearch.ondemand.schedule import STALLED_SHARE, SearchBudget, has_stalled
from bnsearch.orderings.index import Index
from bnsearch.orderings.repair import RepairChain
from bnsearch.orderings.restarts import precedence_of
from bnsearch.orderings.starts import make_starts
from bnsearch.orderings.state import ScoredOrdering, draw_seed
from bnsearch.runs.problem import Problem
from bnsearch.runs.run import Run

N_STARTS = 8  # number of new orderings; a power of two
MIN_SECONDS = 1e-3  # shortest search from one ordering under a time budget
SEARCH_SHARE = 0.15  # length of the searches from new orderings as a share of the elapsed time
MAX_REST = 0.4  # and as a share of the remaining time at most
MIN_LENGTH = 0.15  # shortest useful length in seconds: an island makes 15 searches of some milliseconds or more
FAILURE_FACTOR = 2.0  # growth of the elapsed time after searches without gain, before which no others are due


class NewStarts:
    """
    Decides when the islands search over their table from new orderings, and for how long.

    All other searches of an island begin at its best network. Where this is a local optimum that they do not leave,
    searches from other orderings often find a better network. They are due when the score has hardly improved in the
    last part of the elapsed time. The next ones are not due before as much time has passed again, and later if the last
    ones have gained nothing.
    """

    def __init__(self) -> None:
        self._next = 0.0  # elapsed time before which no such searches are due

    def find_seconds(self, run: Run) -> float:
        """Return the time that searches from new orderings should take now; 0 if they are not due."""
        now = run.seconds
        seconds = min(SEARCH_SHARE * now, MAX_REST * run.seconds_left)
        if not run.is_timed or now < self._next or seconds < MIN_LENGTH:
            return 0.0
        return seconds if has_stalled(run) else 0.0

    def record(self, now: float, gain: float) -> None:
        """Record that such searches have ended at some elapsed time, and what they have gained."""
        self._next = now / (1.0 - STALLED_SHARE) if gain > 0.0 else FAILURE_FACTOR * now


def search_new_orderings(
    index: Index, problem: Problem, rng: np.random.Generator, budget: SearchBudget, run: Run, target: float = -inf
) -> ScoredOrdering:
    """
    Return the best of several orderings after searches over a candidate table.

    The worse half of the orderings is dropped after each round of searches, and all rounds have the same budget
    (successive halving, as in RINOBS): some starts never lead to a good network. The steps are not counted as
    iterations.

    target : no further round begins if it would not reach this score with the gain of the last one
    """
    start = make_starts("fas", index.table, precedence_of(problem))
    chains = [RepairChain(index, start(rng), draw_seed(rng)) for _ in range(N_STARTS)]
    deadline, n_rounds = run.seconds + budget.max_seconds, N_STARTS.bit_length()
    best = -inf
    for rounds_left in range(n_rounds, 0, -1):
        steps = budget.max_steps / (n_rounds * len(chains))
        for i, chain in enumerate(chains):
            seconds = max(MIN_SECONDS, (deadline - run.seconds) / (rounds_left * len(chains) - i))
            anneal(chain, SearchBudget(steps, seconds), run, lambda taken: None)
            run.count(evaluations=chain.new_evaluations())
        chains.sort(key=lambda chain: -chain.best)
        before, best = best, chains[0].best
        if run.halted() or (isfinite(before) and best + (best - before) < target):
            break
        chains = chains[: max(1, len(chains) // 2)]
    return chains[0].score_best()
