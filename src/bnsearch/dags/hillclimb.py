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
from bnsearch.dags.climber import Climber, Found
from bnsearch.dags.pricer import Pricer, Rules
from bnsearch.errors import require
from bnsearch.knowledge.constraints import Constraints
from bnsearch.runs.problem import Problem
from bnsearch.runs.run import Run
from bnsearch.scores.extender import Extender
from bnsearch.scores.score import improves
from bnsearch.selection.candidates import best_candidates

RESTARTS_AT_ONCE = 4  # restarts that begin at the same graph, whatever the number of threads


@dataclass(frozen=True, kw_only=True)
class HillClimb:
    """
    Greedy search over DAGs: take the best addition, deletion or reversal of an edge until none improves the score.

    Parameters
    ----------
    max_parents : the most parents of a variable; None means any number
    candidates : consider only this many possible parents of each variable, the best by themselves; None means all
    restarts : climbs that follow the first, each from the best graph so far, perturbed; None means until the run stops
    perturbation : the share of edges, drawn at random, that is taken away before a restart
    restart_moves : make so many random moves before a restart, and take no share of the edges away; None means none

    References
    ----------
    Heckerman, Geiger & Chickering (1995), section 5: greedy search with restarts.
    Friedman, Nachman & Pe'er (1999): the sparse candidate algorithm, of which `candidates` is the first round.
    Teyssier & Koller (2005), section 4: restarts by a number of random moves.
    Ruiz & Stuetzle (2007): iterated greedy search, which takes a part of the solution away and rebuilds it.

    Notes
    -----
    The first climb begins at the empty graph, or at that of the required edges. Moves whose gains differ by less than
    rounding are equally good: a deletion comes before an addition before a reversal, then the child that comes first
    by content (see `data/content.py`), then the parent. Under a score-equivalent score there is a tie at every edge
    between variables with the same parents, and what is won or lost by these decides more than anything else how good
    the first climb is. Restarts therefore break ties by a random ranking of the variables.

    An iteration is one climb. Four restarts begin at the same graph, and the best of them is the next to be perturbed
    unless it is worse, so that they can run in threads and the result does not depend on how many there are. A random
    move is an addition, deletion or reversal, each that is legal with the same chance.
    """

    name: ClassVar[str] = "hillclimb"

    max_parents: int | None = None
    candidates: int | None = None
    restarts: int | None = 10
    perturbation: float = 0.5
    restart_moves: int | None = None

    def __post_init__(self) -> None:
        if self.max_parents is not None:
            require("max_parents", self.max_parents, at_least=0, whole=True)
        if self.candidates is not None:
            require("candidates", self.candidates, at_least=1, whole=True)
        if self.restarts is not None:
            require("restarts", self.restarts, at_least=0, whole=True)
        require("perturbation", self.perturbation, above=0, at_most=1)
        if self.restart_moves is not None:
            require("restart_moves", self.restart_moves, at_least=1, whole=True)

    def search(self, problem: Problem, run: Run) -> None:
        """Climb from the empty graph, then from perturbed ones."""
        allowed = allowed_edges(problem)
        if self.candidates is not None:
            extender = Extender(problem.needed_data, problem.needed_score)
            allowed = best_candidates(extender, self.candidates, allowed)
        self.search_within(allowed, problem, run)

    def search_within(self, allowed: NDArray[np.bool_], problem: Problem, run: Run) -> None:
        """Search the legal graphs whose edges are allowed or required; allowed : bool[n, n], [y, x] for x -> y."""
        rules = self.rules(allowed, problem.constraints)
        first = Climber(Pricer(problem.needed_data, problem.needed_score, rules))
        climbers = Pool(first, first.fork)
        best = climb_from(first, problem.base.parents, problem, run)
        left = math.inf if self.restarts is None else self.restarts
        while best is not None and left > 0 and run.going():
            number = run.allowed(int(min(left, RESTARTS_AT_ONCE)))
            climbers.prepare(min(number, run.threads))
            best = self.restart(number, best, climbers, problem, run)
            left -= number

    def restart(self, number: int, best: Found, climbers: Pool[Climber], problem: Problem, run: Run) -> Found:
        """Climb a number of times from the best graph, perturbed; return the graph to go on from."""

        def climb(rng: np.random.Generator) -> tuple[Found | None, int, int]:
            kept, moves = self.perturbed(best, problem, rng)
            with climbers.lend() as climber:
                asked, computed = climber.asked, climber.computed
                climber.start(kept, rng.permutation(problem.size), moves)
                for _ in climber.climb():
                    if run.halted(climber.score):
                        break
                return climber.best, climber.asked - asked, climber.computed - computed

        after = best
        for found, asked, computed in run.map(climb, run.spawn(number)):
            run.count(iterations=1, evaluations=asked, computed=computed)
            if found is not None:
                run.offer(found.score, partial(found.dag, problem.names))
                after = after if improves(after.score, found.score) else found
        return after

    def perturbed(
        self, best: Found, problem: Problem, rng: np.random.Generator
    ) -> tuple[list[list[int]], NDArray[np.uint64] | None]:
        """Return the edges that a restart begins with, and the random bits of the moves that it makes from there."""
        if self.restart_moves is not None:
            return best.parents, rng.integers(2**64, size=self.restart_moves, dtype=np.uint64)
        return without_edges(best.parents, self.perturbation, problem.constraints, rng), None

    def rules(self, allowed: NDArray[np.bool_], known: Constraints | None = None) -> Rules:
        """Return the rules of a climb: what is allowed here, and what is known before."""
        most = len(allowed) if self.max_parents is None else self.max_parents
        limits = np.full(len(allowed), most, dtype=np.int64)
        if known is None:
            return Rules(allowed=allowed, limits=limits)
        return Rules(
            allowed=allowed & known.allowed | known.required,
            limits=np.minimum(limits, known.limits),
            required=known.required,
        )


@dataclass(frozen=True, kw_only=True)
class Tabu(HillClimb):
    """
    Hill climbing that goes on downhill: take the best move that does not lead back.

    Parameters
    ----------
    length : how many of the last graphs are not entered again, or of the last moves are not undone
    patience : steps in a row that find nothing better, after which a climb ends
    tabu_list : what the list holds: "graphs" or "moves"
    max_parents, candidates, restarts, perturbation, restart_moves : as for HillClimb

    References
    ----------
    Glover (1989), "Tabu search, part I".
    Teyssier & Koller (2005), section 4: the baseline of greedy hill climbing with a tabu list and random restarts.

    Notes
    -----
    The published list holds operators, and prevents that one performed recently is undone (`tabu_list="moves"`): what
    was added is not deleted, what was deleted not added, what was reversed not turned back. By default it holds graphs:
    a move is tabu where it leads back to one of them. The paper has `patience` equal to `length`, as here; 100 is
    ours, since it tunes the number for each data set and does not name it.
    """

    name: ClassVar[str] = "tabu"

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


def without_edges(
    parents: Sequence[Sequence[int]], share: float, known: Constraints | None, rng: np.random.Generator
) -> list[list[int]]:
    """Return the parents in a graph without a share of its edges, drawn at random; required ones stay."""
    must: Sequence[Sequence[int]] = [()] * len(parents) if known is None else known.required_parents
    return [[p for p in own if rng.random() >= share or p in must[y]] for y, own in enumerate(parents)]


def allowed_edges(problem: Problem) -> NDArray[np.bool_]:
    """Return bool[n, n], which edges may be there, [y, x] for x -> y."""
    known = problem.constraints
    return ~np.eye(problem.size, dtype=np.bool_) if known is None else known.allowed


def climb_from(climber: Climber, parents: Sequence[Sequence[int]], problem: Problem, run: Run) -> Found | None:
    """Climb from a legal graph, offering every improvement; return the best graph, None if stopped before it."""
    asked, computed = climber.asked, climber.computed
    climber.start(parents)
    for _ in climber.climb():
        run.count(evaluations=climber.asked - asked, computed=climber.computed - computed)
        asked, computed = climber.asked, climber.computed
        if climber.score > run.progress.score and (found := climber.best) is not None:
            run.offer(found.score, partial(found.dag, problem.names))
        if not run.going():
            break
    run.count(iterations=1)
    return climber.best
