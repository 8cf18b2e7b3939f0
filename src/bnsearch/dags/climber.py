"""One climb after another through the space of DAGs, with the prices of families kept."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bnsearch.dags.content import variables_by_content
from bnsearch.graphs.dag import DAG
from bnsearch.parent_sets.extender import Extender
from bnsearch.scores.score import TOLERANCE
from bnsearch.scores.scorer import Scorer

MEMORY_BYTES = 1 << 26  # prices of families seen before
STEPS_PER_CALL = 1000  # bounds the time of one kernel call


@dataclass(frozen=True, eq=False, kw_only=True)
class Rules:
    """
    Which graphs a climb may visit, and when it ends.

    Parameters
    ----------
    allowed : bool[n, n], [y, x] tells whether x may be a parent of y; the diagonal is not looked at
    limits : int64[n], the most parents of each variable
    required : bool[n, n], edges that are never taken away nor turned round, every start having them; None means none
    tabu : how many of the last graphs are not entered again, or of the last moves are not undone
    by_move : whether the list is one of moves
    patience : steps in a row that need not improve on the best graph; with none, every step must improve
    """

    allowed: NDArray[np.bool_]
    limits: NDArray[np.int64]
    required: NDArray[np.bool_] | None = None
    tabu: int = 0
    by_move: bool = False
    patience: int = 0


@dataclass(frozen=True, eq=False)
class Found:
    """A graph as bits, uint64[n, W], bit x of row y where x is a parent of y; and its score."""

    score: float
    bits: NDArray[np.uint64]

    @property
    def parents(self) -> list[list[int]]:
        """Each variable's parents, ascending."""
        return [members(row) for row in self.bits]

    def dag(self, names: Sequence[str]) -> DAG:
        """Return the graph over these variables."""
        return DAG(names, self.parents)


class Climber:
    """
    Climbs through DAGs by additions, deletions and reversals of edges; one for each thread (`fork`).

    All changes of one family are priced at once and remembered: a step prices the one or two families that it
    changed, and those only if it has not met them before.

    Parameters
    ----------
    scorer, extender : the data and the score
    rules : what is allowed
    memory : bytes for the prices of families met before

    Attributes
    ----------
    computed : local scores computed so far
    """

    def __init__(self, scorer: Scorer, extender: Extender, rules: Rules, *, memory: int = MEMORY_BYTES) -> None:
        self.scorer, self.extender, self.rules, self.memory = scorer, extender, rules, memory
        self.computed = 0
        n = scorer.data.n_variables
        words = -(-n // 64)
        slots = 1 << max(6, (memory // (8 * (n + words + 2))).bit_length() - 1)
        self._graph = (
            np.zeros((n, words), dtype=np.uint64),
            np.zeros((n, words), dtype=np.uint64),
            np.zeros(n, dtype=np.int64),
            np.zeros(n, dtype=np.uint64),
        )
        self._prices = (
            np.empty((n, n)),
            np.empty(n),
            np.empty(n),
            np.empty(n),
            np.ones(n, dtype=np.int8),
            np.ones((n, n), dtype=np.bool_),
        )
        self._memory = (
            np.full(slots, -1, dtype=np.int64),
            np.empty((slots, words), dtype=np.uint64),
            np.empty((slots, n + 1)),
        )
        self._allowed = rules.allowed & ~np.eye(n, dtype=np.bool_)
        self._ranked = self._by_content = variables_by_content(scorer.data)
        self._rank = np.argsort(self._ranked)
        self._tabu = np.zeros(rules.tabu, dtype=np.uint64)
        self._counters = np.zeros(5, dtype=np.int64)
        self._best = np.full(1, -np.inf)
        self._found = np.zeros((n, words), dtype=np.uint64), np.zeros(n, dtype=np.uint64)

    def fork(self) -> Climber:
        """Return a climber of the same data, score and rules for another thread."""
        return Climber(self.scorer.fork(), self.extender.fork(), self.rules, memory=self.memory)

    @property
    def asked(self) -> int:
        """Local scores asked for so far."""
        return int(self._counters[3])

    @property
    def standing(self) -> list[list[int]]:
        """Each variable's parents in the graph where the climber stands."""
        return [members(row) for row in self._graph[0]]

    @property
    def score(self) -> float:
        """The best score since the start; minus infinity before the first graph is scored."""
        return float(self._best[0])

    @property
    def best(self) -> Found | None:
        """The best graph since the start; None before the first is scored."""
        return Found(self.score, self._found[0].copy()) if self.score > -np.inf else None

    def start(
        self,
        parents: Sequence[Sequence[int]],
        ranked: NDArray[np.int64] | None = None,
        moves: NDArray[np.uint64] | None = None,
    ) -> None:
        """
        Stand at a graph.

        ranked : the variables that come first win ties, instead of the first by content
        moves : random bits, one number for each random move to make from there
        """
        from bnsearch.dags.kernels_climb import IDLE, STARTED, STEPS, key_of
        from bnsearch.dags.kernels_graph import add_edge

        for array in self._graph:
            array.fill(0)
        for y, its_parents in enumerate(parents):
            for x in its_parents:
                add_edge(self._graph, x, y)
        if moves is not None:
            self._move_at_random(moves)
        self._prices[4].fill(STARTED)
        self._tabu.fill(0 if self.rules.by_move else key_of(self._graph))
        self._counters[[STEPS, IDLE]] = 0
        self._best.fill(-np.inf)
        self._ranked = self._by_content if ranked is None else ranked
        self._rank = np.argsort(self._ranked)

    def _move_at_random(self, moves: NDArray[np.uint64]) -> None:
        from bnsearch.dags.kernels_random import move_at_random

        required = np.zeros_like(self._allowed) if self.rules.required is None else self.rules.required
        move_at_random(self._graph, (self._allowed, self.rules.limits, required), moves)

    def climb(self, most: int = STEPS_PER_CALL) -> Iterator[None]:
        """Climb until nothing improves, coming back after `most` steps, or sooner where a family was priced."""
        from bnsearch.dags.kernels_climb import FINISHED, WANTED, WANTS_PRICES, climb

        ended = WANTS_PRICES
        while ended != FINISHED:
            ended = climb(
                self._graph, self._prices, self._memory, self._rank, self._ranked, self._tabu, self.rules.by_move,
                self._counters, self._best, self._found, self.rules.patience, most, TOLERANCE,
            )  # fmt: skip
            if ended == WANTS_PRICES:
                self._price(int(self._counters[WANTED]))
            yield

    def _price(self, child: int) -> None:
        """Price all changes of one family, and remember them."""
        from bnsearch.dags.kernels_climb import keep_row

        parents = members(self._graph[0][child])
        free, own, without = self._deletions(child, parents)
        row = np.append(self._extensions(child, parents, own), own)
        row[free] = without
        row[:-1] -= own
        row[np.isnan(row)] = -np.inf  # more cells than can be numbered
        keep_row(self._memory, self._graph, child, row)

    def _extensions(self, child: int, parents: Sequence[int], own: float) -> NDArray[np.float64]:
        """Return the scores of a family with one more parent, float64[n]; minus infinity where none may be added."""
        scores = np.full(len(self._rank), -np.inf)
        added = np.flatnonzero(self._candidates(child, parents, own))
        if len(added):
            scores[added] = self.extender.extend(child, parents, added)
            self.computed += len(added)
        return scores

    def _candidates(self, child: int, parents: Sequence[int], own: float) -> NDArray[np.bool_]:
        """Return bool[n], which parents may be added; own : the family's score."""
        allowed: NDArray[np.bool_] = self._allowed[child] & (len(parents) < self.rules.limits[child])
        allowed[parents] = False
        return allowed

    def _deletions(self, child: int, parents: Sequence[int]) -> tuple[list[int], float, NDArray[np.float64]]:
        """Return the parents that a family may lose, its score, and that without each of them."""
        free = [p for p in parents if self.rules.required is None or not self.rules.required[child, p]]
        families = [parents, *([p for p in parents if p != dropped] for dropped in free)]
        scores = self.scorer.families([child] * len(families), families)
        self.computed += len(families)
        return free, float(scores[0]), scores[1:]


def members(row: NDArray[np.uint64]) -> list[int]:
    """Return the bits that are set in a row of words, ascending."""
    bits: list[int] = np.flatnonzero(np.unpackbits(row.view(np.uint8), bitorder="little")).tolist()
    return bits
