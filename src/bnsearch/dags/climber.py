"""Climbs through the space of DAGs, with a cache of the gains of families."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import pairwise
from math import fsum

import numpy as np
from numpy.typing import NDArray

from bnsearch.dags.pricer import Pricer
from bnsearch.data import Dataset
from bnsearch.data.content import variables_by_content
from bnsearch.graphs.dag import DAG
from bnsearch.kernels.tuples import KernelTuple
from bnsearch.scores.score import TOLERANCE

MEMORY_BYTES = 1 << 26  # size of the cache of gains: 64 MiB
STEPS_PER_CALL = 1000  # maximum number of steps of one kernel call, which bounds its time
ROWS_PER_CALL = 1 << 24  # computed scores of one kernel call times rows, at most: 0.01 to 0.07 s
MIN_SCORES_PER_CALL = 8  # a call also groups the rows by family, which takes the time of one score or two


@dataclass(frozen=True, eq=False)
class ScoredDAG:
    """
    A graph found by a climb, with its score.

    Attributes
    ----------
    score : the score of the graph
    list_parents : function that returns the parents of each variable, ascending
    scores : float64[n], the local scores
    """

    score: float
    list_parents: Callable[[], list[list[int]]]
    scores: NDArray[np.float64]

    @cached_property
    def parents(self) -> list[list[int]]:
        """The parents of each variable, ascending."""
        return self.list_parents()

    def dag(self, names: Sequence[str]) -> DAG:
        """Return the graph over variables of these names."""
        return DAG(names, self.parents)


class Climber:
    """
    Climbs through DAGs by additions, deletions and reversals of edges; each thread needs its own (`fork`).

    All gains of one family are computed at once and cached. A step computes the gains of the one or two families that
    it changed, unless they are in the cache.

    Parameters
    ----------
    pricer : the data, the score and the rules
    memory : size of the cache in bytes
    """

    def __init__(self, pricer: Pricer, *, memory: int = MEMORY_BYTES) -> None:
        self.pricer, self.rules, self.memory = pricer, pricer.rules, memory
        n = pricer.data.n_variables
        words = -(-n // 64)
        rows = max(64, memory // (8 * (n + words + 4)))
        self._pricer = pricer.make_arrays()
        self._graph = KernelTuple(
            (  # see Graph in kernels_graph
                np.zeros((n, words), dtype=np.uint64),
                np.zeros((n, words), dtype=np.uint64),
                np.zeros(n, dtype=np.int64),
                np.zeros(n, dtype=np.uint64),
            )
        )
        self._gain_table = KernelTuple(
            (  # see GainTable in kernels_gain_cache
                np.empty((n, n)),
                np.empty(n),
                np.empty(n),
                np.empty(n),
                np.ones(n, dtype=np.bool_),
            )
        )
        self._cache = KernelTuple(
            (  # see GainCache in kernels_gain_cache
                np.zeros(1 << rows.bit_length(), dtype=np.int64),
                np.full(rows, -1, dtype=np.int64),
                np.empty((rows, words), dtype=np.uint64),
                np.empty((rows, n + 1)),
                np.zeros(1, dtype=np.int64),
            )
        )
        self._tie_order = self._by_content = variables_by_content(pricer.data)
        self._tie_rank = np.argsort(self._tie_order)
        self._tabu = np.zeros(self.rules.tabu, dtype=np.uint64)
        self._counters = np.zeros(4, dtype=np.int64)
        self._max_scores = count_scores_per_call(pricer.data)
        self._best_score = np.full(1, -np.inf)
        self._best_graph = KernelTuple(
            (np.zeros((n, words), dtype=np.uint64), np.zeros(n, dtype=np.uint64), np.zeros(n))
        )

    def fork(self) -> Climber:
        """Return a climber of the same data, score and rules for another thread."""
        return Climber(self.pricer, memory=self.memory)

    @property
    def asked(self) -> int:
        """The number of local scores requested so far."""
        from bnsearch.dags.kernels_climb import ASKED

        return int(self._counters[ASKED])

    @property
    def computed(self) -> int:
        """The number of local scores computed so far."""
        from bnsearch.dags.kernels_climb import COMPUTED

        return int(self._counters[COMPUTED])

    @property
    def share_known(self) -> float:
        """The share of the variables whose gains are computed for the current graph."""
        from bnsearch.dags.kernels_gain_cache import STALE

        return 1.0 - float(self._gain_table[STALE].mean())

    @property
    def current_parents(self) -> list[list[int]]:
        """The parents of each variable in the current graph."""
        parents, _, _, _ = self._graph
        return list_members_of_rows(parents)

    @property
    def score(self) -> float:
        """The best score since the start; minus infinity before the first graph is scored."""
        return float(self._best_score[0])

    @property
    def best(self) -> ScoredDAG | None:
        """The best graph since the start; None before the first is scored."""
        if self.score == -np.inf:
            return None
        bits, _, scores = self._best_graph
        return ScoredDAG(fsum(scores.tolist()), partial(list_members_of_rows, bits.copy()), scores.copy())

    def start(
        self,
        parents: Sequence[Sequence[int]],
        tie_order: NDArray[np.int64] | None = None,
        moves: NDArray[np.uint64] | None = None,
    ) -> None:
        """
        Set the current graph, and forget the best one.

        Parameters
        ----------
        parents : the parents of each variable
        tie_order : the variables, those that win ties first; None means by content
        moves : random bits, one word for each random move made from the graph
        """
        from bnsearch.dags.kernels_climb import IDLE, STEPS, compute_graph_key
        from bnsearch.dags.kernels_family_gains import UNFINISHED, VARIABLE
        from bnsearch.dags.kernels_gain_cache import STALE
        from bnsearch.dags.kernels_graph import add_edge

        for array in self._graph:
            array.fill(0)
        for y, its_parents in enumerate(parents):
            for x in its_parents:
                add_edge(self._graph, x, y)
        if moves is not None:
            self._move_at_random(moves)
        self._gain_table[STALE].fill(True)
        self._pricer[UNFINISHED][VARIABLE] = -1
        self._tabu.fill(0 if self.rules.by_move else compute_graph_key(self._graph))
        self._counters[[STEPS, IDLE]] = 0
        self._best_score.fill(-np.inf)
        self._tie_order = self._by_content if tie_order is None else tie_order
        self._tie_rank = np.argsort(self._tie_order)

    def _move_at_random(self, moves: NDArray[np.uint64]) -> None:
        from bnsearch.dags.kernels_family_gains import ALLOWED, LIMITS, REQUIRED
        from bnsearch.dags.kernels_random_moves import move_at_random

        rules = KernelTuple((self._pricer[ALLOWED], self._pricer[LIMITS], self._pricer[REQUIRED]))
        move_at_random(self._graph, rules, moves)

    def climb(self, max_steps: int = STEPS_PER_CALL) -> Iterator[None]:
        """Climb until no move improves; yield after at most `max_steps` steps, earlier if many gains were computed."""
        from bnsearch.dags.kernels_climb import FINISHED, climb

        ended = -1
        while ended != FINISHED:
            ended = climb(
                self._pricer, self._graph, self._gain_table, self._cache, self._tie_rank, self._tie_order, self._tabu,
                self.rules.by_move, self._counters, self._best_score, self._best_graph, self.rules.patience, max_steps,
                self._max_scores, TOLERANCE,
            )  # fmt: skip
            yield


def count_scores_per_call(data: Dataset) -> int:
    """Return the number of local scores of one kernel call: fewer with many rows, so that the call ends soon."""
    return max(MIN_SCORES_PER_CALL, min(data.n_variables, ROWS_PER_CALL // data.n_rows))


def list_members_of_rows(bits: NDArray[np.uint64]) -> list[list[int]]:
    """Return the numbers of the bits that are set in each row of words, ascending; most words are zero."""
    rows, words = np.nonzero(bits)
    inside = np.unpackbits(bits[rows, words].view(np.uint8).reshape(-1, 8), axis=1, bitorder="little")
    word, bit = np.nonzero(inside)
    members: list[int] = (64 * words[word] + bit).tolist()
    begin = np.searchsorted(rows[word], np.arange(len(bits) + 1)).tolist()
    return [members[first:last] for first, last in pairwise(begin)]
