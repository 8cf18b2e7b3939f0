"""Hill climbing and tabu search in the space of DAGs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from bnsearch._tools.pool import Pool
from bnsearch._tools.registry import require_choice
from bnsearch.dags.climber import Climber, ScoredDAG
from bnsearch.dags.pricer import Pricer, Rules
from bnsearch.errors import require
from bnsearch.knowledge.constraints import Constraints
from bnsearch.runs.method import Needs
from bnsearch.runs.problem import Problem
from bnsearch.runs.run import Run
from bnsearch.scores.extender import Extender
from bnsearch.scores.score import improves
from bnsearch.selection.candidates import best_candidates

# Number of restarts from the same graph. It does not depend on the number of threads, so neither does the result.
RESTARTS_PER_ROUND = 4


@dataclass(frozen=True, kw_only=True)
class HillClimb:
    """
    Greedy search over DAGs: make the best addition, deletion or reversal of an edge until none improves the score.

    Parameters
    ----------
    candidates : int, optional
        Number of candidate parents of each variable, the best single parents; None means all variables.
    restarts : int, default 10
        Number of climbs after the first, each from the best graph so far, perturbed; None means no limit.
    perturbation : float, default 0.5
        Probability with which a restart removes each edge.
    restart_moves : int, optional
        Number of random moves before a restart, in place of removing edges; None means to remove edges.

    References
    ----------
    Heckerman, Geiger & Chickering (1995), section 5: greedy search with restarts.
    Friedman, Nachman & Pe'er (1999): the sparse candidate algorithm, of which `candidates` is the first round.
    Teyssier & Koller (2005), section 4: restarts by a number of random moves.
    Ruiz & Stuetzle (2007): iterated greedy search, which removes a part of the solution and rebuilds it.

    Notes
    -----
    The first climb begins at the graph of the required edges, which is empty without knowledge. Moves whose gains
    differ by less than the tolerance of `improves` are ties: a deletion comes before an addition, and an addition
    before a reversal. Then the child that comes first by content (see `data/content.py`) decides, then the parent.
    Under a score-equivalent score there is a tie at every edge between variables with the same parents. How these ties
    are broken matters more than anything else for the result of the first climb, so restarts break ties by a random
    order of the variables.

    An iteration is one climb. Four restarts begin at the same graph. The best of them is perturbed next, unless it is
    worse than that graph. Restarts can therefore run in parallel, and the result does not depend on the number of
    threads. A random move is an addition, deletion or reversal; every legal one has the same probability.

    Examples
    --------
    >>> import bnsearch
    >>> data = bnsearch.load_network("asia").sample(200, 1)
    >>> method = bnsearch.HillClimb(restarts=1)
    >>> result = bnsearch.learn(data, method=method, seconds=None, stop=bnsearch.Iterations(2), seed=1)
    >>> round(result.score, 3)
    -454.28
    """

    name: ClassVar[str] = "hillclimb"
    space: ClassVar[str] = "DAGs"
    needs: ClassVar[Needs] = Needs.DATA
    ends_by_itself: ClassVar[bool] = True
    begins_at_start: ClassVar[bool] = True
    paper: ClassVar[str] = "Heckerman et al. (1995)"
    purpose: ClassVar[str] = "as a baseline"

    candidates: int | None = None
    restarts: int | None = 10
    perturbation: float = 0.5
    restart_moves: int | None = None

    def __post_init__(self) -> None:
        if self.candidates is not None:
            require("candidates", self.candidates, at_least=1, whole=True)
        if self.restarts is not None:
            require("restarts", self.restarts, at_least=0, whole=True)
        require("perturbation", self.perturbation, above=0, at_most=1)
        if self.restart_moves is not None:
            require("restart_moves", self.restart_moves, at_least=1, whole=True)

    def search(self, problem: Problem, run: Run) -> None:
        """Climb from the first network of the problem, then from perturbed graphs."""
        allowed = allowed_edges(problem)
        if self.candidates is not None:
            extender = Extender(problem.needed_data, problem.needed_score)
            allowed = best_candidates(extender, self.candidates, allowed)
        self.search_within(allowed, problem, run)

    def search_within(self, allowed: NDArray[np.bool_], problem: Problem, run: Run) -> None:
        """
        Search the legal graphs whose edges are allowed or required.

        Parameters
        ----------
        allowed : bool[n, n], [y, x] for x -> y
        problem, run : the problem, and the run that the search is part of
        """
        rules = self.rules(allowed, problem.constraints)
        first = Climber(Pricer(problem.needed_data, problem.needed_score, rules))
        climbers = Pool(first, first.fork)
        best = offer_first_climb(first, problem, run)
        remaining = math.inf if self.restarts is None else self.restarts
        while best is not None and remaining > 0 and run.going():
            number = run.allowed(int(min(remaining, RESTARTS_PER_ROUND)))
            climbers.prepare(min(number, run.threads))
            best = self.restart(number, best, climbers, problem, run)
            remaining -= number

    def restart(self, number: int, best: ScoredDAG, climbers: Pool[Climber], problem: Problem, run: Run) -> ScoredDAG:
        """Climb a number of times from the best graph, perturbed; return the next graph to perturb."""

        def climb(rng: np.random.Generator) -> tuple[ScoredDAG | None, int, int]:
            start, moves = self.perturb(best, problem, rng)
            with climbers.lend() as climber:
                asked, computed = climber.asked, climber.computed
                climber.start(start, rng.permutation(problem.size), moves)
                for _ in climber.climb():
                    if run.halted(climber.score):
                        break
                return climber.best, climber.asked - asked, climber.computed - computed

        next_best = best
        for found, asked, computed in run.map(climb, run.spawn(number)):
            run.count(iterations=1, evaluations=asked, computed=computed)
            if found is not None:
                run.offer(found.score, partial(found.dag, problem.names))
                next_best = next_best if improves(next_best.score, found.score) else found
        return next_best

    def perturb(
        self, best: ScoredDAG, problem: Problem, rng: np.random.Generator
    ) -> tuple[list[list[int]], NDArray[np.uint64] | None]:
        """Return the parents that a restart begins with, and the random bits of the moves that it makes from there."""
        if self.restart_moves is not None:
            return best.parents, rng.integers(2**64, size=self.restart_moves, dtype=np.uint64)
        return remove_edges(best.parents, self.perturbation, problem.constraints, rng), None

    def rules(self, allowed: NDArray[np.bool_], known: Constraints | None = None) -> Rules:
        """Return the rules of a climb: the allowed edges, the limits and the knowledge."""
        if known is None:
            return Rules(allowed=allowed, limits=np.full(len(allowed), len(allowed), dtype=np.int64))
        return Rules(
            allowed=allowed & known.allowed | known.required,
            limits=known.max_parents,
            required=known.required,
        )


@dataclass(frozen=True, kw_only=True)
class Tabu(HillClimb):
    """
    Tabu search over DAGs: hill climbing that makes the best move that is not tabu, even if it lowers the score.

    Parameters
    ----------
    length : int, default 100
        Length of the tabu list.
    patience : int, default 100
        Number of successive steps without a better graph after which a climb ends.
    tabu_list : str, default "graphs"
        Content of the tabu list: "graphs", which are not entered again, or "moves", which are not undone.
    candidates, restarts, perturbation, restart_moves
        As for HillClimb.

    References
    ----------
    Glover (1989), "Tabu search, part I".
    Teyssier & Koller (2005), section 4: the baseline of greedy hill climbing with a tabu list and random restarts.

    Notes
    -----
    The published list contains operators, and a recent operator may not be undone (`tabu_list="moves"`): an added edge
    is not deleted, a deleted one not added, a reversed one not reversed back. By default the list contains graphs: a
    move is tabu if it leads to one of them. As in the paper, `patience` equals `length`. The value 100 is ours: the
    paper tunes the number for each data set and does not state it.

    Examples
    --------
    >>> import bnsearch
    >>> data = bnsearch.load_network("asia").sample(200, 1)
    >>> method = bnsearch.Tabu(restarts=1)
    >>> result = bnsearch.learn(data, method=method, seconds=None, stop=bnsearch.Iterations(2), seed=1)
    >>> round(result.score, 3)
    -454.28
    """

    name: ClassVar[str] = "tabu"
    space: ClassVar[str] = "DAGs"
    needs: ClassVar[Needs] = Needs.DATA
    ends_by_itself: ClassVar[bool] = True
    begins_at_start: ClassVar[bool] = True
    paper: ClassVar[str] = "Heckerman et al. (1995)"
    purpose: ClassVar[str] = "as a baseline"

    length: int = 100
    patience: int = 100
    tabu_list: str = "graphs"

    def __post_init__(self) -> None:
        super().__post_init__()
        require("length", self.length, at_least=1, whole=True)
        require("patience", self.patience, at_least=1, whole=True)
        require_choice("tabu_list", self.tabu_list, ("graphs", "moves"))

    def rules(self, allowed: NDArray[np.bool_], known: Constraints | None = None) -> Rules:
        """Return the rules of a climb."""
        by_move = self.tabu_list == "moves"
        return replace(super().rules(allowed, known), tabu=self.length, by_move=by_move, patience=self.patience)


def remove_edges(
    parents: Sequence[Sequence[int]], share: float, known: Constraints | None, rng: np.random.Generator
) -> list[list[int]]:
    """Return the parents of each variable without a random share of the edges; required edges stay."""
    required: Sequence[Sequence[int]] = [()] * len(parents) if known is None else known.required_parents
    return [[p for p in own if rng.random() >= share or p in required[y]] for y, own in enumerate(parents)]


def allowed_edges(problem: Problem) -> NDArray[np.bool_]:
    """Return the edges that the knowledge allows, bool[n, n], [y, x] for x -> y."""
    known = problem.constraints
    return ~np.eye(problem.size, dtype=np.bool_) if known is None else known.allowed


def offer_first_climb(climber: Climber, problem: Problem, run: Run) -> ScoredDAG | None:
    """
    Climb from the first network of the problem, and offer every improvement.

    Returns the best graph; None if the run stopped before the first graph was scored.
    """
    asked, computed = climber.asked, climber.computed
    climber.start(problem.initial_network.parents)
    for _ in climber.climb():
        run.count(evaluations=climber.asked - asked, computed=climber.computed - computed)
        asked, computed = climber.asked, climber.computed
        if climber.score > run.progress.score and (found := climber.best) is not None:
            run.offer(found.score, partial(found.dag, problem.names))
        if not run.going():
            break
    run.count(iterations=1)
    return climber.best
