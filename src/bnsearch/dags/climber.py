"""One climb after another through the space of DAGs, with the prices of families kept."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bnsearch.dags.pricer import Pricer
from bnsearch.data.content import variables_by_content
from bnsearch.graphs.dag import DAG
from bnsearch.scores.score import TOLERANCE

MEMORY_BYTES = 1 << 26  # prices of families seen before
STEPS_PER_CALL = 1000  # bounds the time of one kernel call


@dataclass(frozen=True, eq=False)
class Found:
    """
    A graph that a climb has found.

    Attributes
    ----------
    score : its score
    bits : uint64[n, W], bit x of row y where x is a parent of y
    scores : float64[n], its local scores
    """

    score: float
    bits: NDArray[np.uint64]
    scores: NDArray[np.float64]

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
    pricer : the data, the score and the rules
    memory : bytes for the prices of families met before
    """

    def __init__(self, pricer: Pricer, *, memory: int = MEMORY_BYTES) -> None:
        self.pricer, self.rules, self.memory = pricer, pricer.rules, memory
        n = pricer.data.n_variables
        words = -(-n // 64)
        rows = max(64, memory // (8 * (n + words + 4)))
        self._pricer = pricer.arrays()
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
            np.zeros(1 << rows.bit_length(), dtype=np.int64),
            np.full(rows, -1, dtype=np.int64),
            np.empty((rows, words), dtype=np.uint64),
            np.empty((rows, n + 1)),
            np.zeros(1, dtype=np.int64),
        )
        self._lazy = np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.bool_)
        self._ranked = self._by_content = variables_by_content(pricer.data)
        self._rank = np.argsort(self._ranked)
        self._tabu = np.zeros(self.rules.tabu, dtype=np.uint64)
        self._counters = np.zeros(4, dtype=np.int64)
        self._best = np.full(1, -np.inf)
        self._found = np.zeros((n, words), dtype=np.uint64), np.zeros(n, dtype=np.uint64), np.zeros(n)

    def fork(self) -> Climber:
        """Return a climber of the same data, score and rules for another thread."""
        return Climber(self.pricer, memory=self.memory)

    @property
    def asked(self) -> int:
        """Local scores asked for so far."""
        from bnsearch.dags.kernels_climb import ASKED

        return int(self._counters[ASKED])

    @property
    def computed(self) -> int:
        """Local scores computed so far."""
        from bnsearch.dags.kernels_climb import COMPUTED

        return int(self._counters[COMPUTED])

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
        if self.score == -np.inf:
            return None
        bits, _, scores = self._found
        return Found(self.score, bits.copy(), scores.copy())

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
        from bnsearch.dags.kernels_climb import IDLE, STEPS, key_of
        from bnsearch.dags.kernels_graph import add_edge
        from bnsearch.dags.kernels_prices import STARTED

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
        from bnsearch.dags.kernels_price import ALLOWED, LIMITS, REQUIRED
        from bnsearch.dags.kernels_random import move_at_random

        rules = self._pricer[ALLOWED], self._pricer[LIMITS], self._pricer[REQUIRED]
        move_at_random(self._graph, rules, moves)

    def climb(self, most: int = STEPS_PER_CALL) -> Iterator[None]:
        """Climb until nothing improves, coming back after `most` steps, or sooner where many gains were computed."""
        return self._climb(most, self._tabu, self.rules.patience, is_lazy=False)

    def climb_lazily(self, most: int = STEPS_PER_CALL) -> Iterator[None]:
        """
        Climb uphill until no move improves, coming back as `climb`; for a pricer that knows what single parents add.

        A gain that was computed before its family got a further parent is taken as an estimate, since a further parent
        seldom raises what others add. It is computed again once it would be the best of all, together with the next
        best of its family. When no move seems to improve the graph any more, families are priced in full, those of
        the lowest scores first, until that is certain.
        """
        return self._climb(most, self._tabu[:0], 0, is_lazy=True)

    def _climb(self, most: int, tabu: NDArray[np.uint64], patience: int, *, is_lazy: bool) -> Iterator[None]:
        from bnsearch.dags.kernels_climb import FINISHED, climb

        ended = -1
        while ended != FINISHED:
            ended = climb(
                self._pricer, self._graph, self._prices, self._memory, self._lazy, is_lazy, self._rank, self._ranked,
                tabu, self.rules.by_move, self._counters, self._best, self._found, patience, most, len(self._rank),
                TOLERANCE,
            )  # fmt: skip
            yield


def members(row: NDArray[np.uint64]) -> list[int]:
    """Return the bits that are set in a row of words, ascending."""
    bits: list[int] = np.flatnonzero(np.unpackbits(row.view(np.uint8), bitorder="little")).tolist()
    return bits
