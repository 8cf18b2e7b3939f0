"""An equivalence class and the operators that lead away from it, kept up to date from step to step."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bnsearch.equivalence.bitsets import to_arcs, to_bits
from bnsearch.equivalence.operators import Kind, Operator
from bnsearch.graphs.completion import cpdag
from bnsearch.graphs.dag import DAG
from bnsearch.graphs.extension import extension
from bnsearch.graphs.pdag import PDAG
from bnsearch.scores.score import TOLERANCE
from bnsearch.scores.scorer import Scorer

Graph = NDArray[np.uint64]

BUDGET = 1000  # set values counted in one kernel call
FIRST_CAPACITY = 1 << 12


class Neighbourhood:
    """
    Where a search stands, and what it can do next.

    Operators are listed by y with their gains; a step lists anew those into the variables whose neighbourhoods or whose
    neighbours' adjacencies it has changed. Whether a semi-directed path forbids an insertion is asked when it is about
    to be chosen.

    Gains are compared in units of the library's tolerance for a tie, rounded. Ties are decided by what the columns hold
    (see `content_order`), never by their order in the table.

    Parameters
    ----------
    scorer : the score and its cache; one for each thread
    max_subset : the most members of T and H; None for no limit
    max_parents : the most parents of a variable in the DAGs of the class; None for no limit
    every : list the operators that lower the score, too; `noisy` needs them

    Attributes
    ----------
    score : of the class
    order : the variables by content
    """

    def __init__(
        self, scorer: Scorer, *, max_subset: int | None = 3, max_parents: int | None = None, every: bool = False
    ) -> None:
        n = scorer.data.n_variables
        self.scorer = scorer
        self._spent = 0, scorer.computed
        self.order = content_order(scorer)
        self._rank = np.argsort(self.order)
        self._place = scorer.places[self.order]
        self._every = every
        self._limits = np.array([n if limit is None else limit for limit in (max_subset, max_parents)], dtype=np.int64)
        self._rows = tuple(np.zeros((2, n), dtype=np.int64) for _ in range(3))
        self._pool = _new_pool(FIRST_CAPACITY)
        self._counters = np.zeros(2, dtype=np.int64)
        words = -(-n // 64)
        self._work = (np.zeros(words, np.uint64), *(np.zeros(n + extra, np.int64) for extra in (0, 0, 0, 2)))
        self._changed = np.ones(n, dtype=np.bool_)
        self.graph: Graph = np.zeros((4, n, words), dtype=np.uint64)
        self._listed = self.graph.copy()
        self.score = self._score_now()
        self._unit = tie_unit(self.score)

    def spent(self) -> dict[str, int]:
        """Return how many local scores were asked for, and how many set values counted, since this was last asked."""
        now = int(self._counters[1]), self.scorer.computed
        before, self._spent = self._spent, now
        return {"evaluations": now[0] - before[0], "computed": now[1] - before[1]}

    @property
    def cpdag(self) -> PDAG:
        """The class."""
        return self.pdag_of(self.graph)

    def pdag_of(self, graph: Graph) -> PDAG:
        """Return a graph of this search as a PDAG over the table's variables."""
        return PDAG(self.scorer.data.names, to_arcs(graph)[np.ix_(self._rank, self._rank)])

    def maker(self) -> Callable[[], DAG]:
        """Return a function that makes a DAG of the present class, whenever it is called."""
        graph = self.graph.copy()
        return lambda: extension(self.pdag_of(graph))

    def start_at(self, start: PDAG) -> None:
        """Go to the class that a partially directed graph stands for."""
        arcs = cpdag(extension(start.reordered(self.scorer.data.names))).arcs
        self.go_to(to_bits(arcs[np.ix_(self.order, self.order)]))

    def go_to(self, graph: Graph, score: float | None = None) -> None:
        """Go to a class of this search, whose score may be known."""
        self.graph[:] = graph
        self.score = self._score_now() if score is None else score

    def _score_now(self) -> float:
        parents = extension(self.cpdag).parents
        return math.fsum(self.scorer.families(range(len(parents)), parents))

    def refresh(self, halted: Callable[[], bool] = lambda: False) -> bool:
        """List the operators of the present class; return whether that was finished before `halted` said to stop."""
        from bnsearch.equivalence.kernels_examine import FINISHED, OUT_OF_SPACE, examine
        from bnsearch.equivalence.kernels_graph import mark_changed

        mark_changed(self._listed, self.graph, self._changed)
        self._listed[:] = self.graph
        while self._changed.any():
            ended = examine(
                self.graph, self.scorer.model, self._place, self._limits, self._every, self._unit, self._changed,
                self._rows, self._pool, self._counters, self._work, BUDGET,
            )  # fmt: skip
            if ended == OUT_OF_SPACE:
                self._make_room()
            elif ended != FINISHED and halted():
                return False
        return True

    def _make_room(self) -> None:
        from bnsearch.equivalence.kernels_examine import move_rows

        live = int(self._rows[1][:, ~self._changed].sum())
        capacity = len(self._pool[0])
        pool = _new_pool(capacity if 4 * live < capacity else 2 * capacity)
        self._counters[0] = move_rows(self._rows, self._changed, self._pool, pool)
        self._pool = pool

    def best(self, kinds: Sequence[Kind], number: int = 1) -> list[Operator]:
        """Return up to so many of the best valid operators of some kinds that raise the score, best first."""
        from bnsearch.equivalence.kernels_select import best_operators

        found = np.empty((number, 4 + len(self.order)), dtype=np.int64)
        wanted = np.array([kind in kinds for kind in Kind])
        valid = best_operators(self.graph, wanted, self._limits, self._rows, self._pool, self._work, found)
        return [self._operator(row) for row in found[:valid]]

    def valid(self) -> list[Operator]:
        """Return all valid operators that are listed."""
        from bnsearch.equivalence.kernels_select import recall_if_valid

        begin, count, _ = self._rows
        found = np.empty(4 + len(self.order), dtype=np.int64)
        return [
            self._operator(found)
            for kind, y in np.ndindex(*begin.shape)
            for at in range(begin[kind, y], begin[kind, y] + count[kind, y])
            if recall_if_valid(self.graph, kind, y, at, self._pool, self._limits, self._work, found)
        ]

    def noisy(self, kind: Kind, rng: np.random.Generator) -> Operator | None:
        """Return the valid operator of a kind whose gain is highest after noise, where that is above zero."""
        from bnsearch.equivalence.kernels_select import add_noise, best_with_noise

        values = rng.standard_normal(int(self._rows[1][kind].sum()))
        add_noise(int(kind), self._rows, self._pool, self._unit, values)
        found = np.empty(4 + len(self.order), dtype=np.int64)
        there = best_with_noise(self.graph, int(kind), self._limits, self._rows, self._pool, self._work, values, found)
        return self._operator(found) if there else None

    def _operator(self, found: NDArray[np.int64]) -> Operator:
        kind, x, y, size = found[:4].tolist()
        subset = self.order[found[4 : 4 + size]].tolist()
        return Operator(Kind(kind), int(self.order[x]), int(self.order[y]), tuple(sorted(subset)))

    def _arguments(self, operator: Operator) -> tuple[int, int, int, NDArray[np.int64]]:
        rank = self._rank
        return int(operator.kind), rank[operator.x], rank[operator.y], rank[np.array(operator.subset, dtype=np.int64)]

    def gain(self, operator: Operator) -> float:
        """Return how much an operator adds to the score."""
        from bnsearch.equivalence.kernels_operators import gain_of

        arguments = self._arguments(operator)
        return float(gain_of(self.graph, self.scorer.model, self._place, *arguments, self._work[4]))

    def apply(self, operator: Operator) -> None:
        """Make a valid move."""
        from bnsearch.equivalence.kernels_operators import apply_operator

        self.score += self.gain(operator)
        done = apply_operator(self.graph, *self._arguments(operator))
        assert done, f"{operator} is not valid"


def content_order(scorer: Scorer) -> NDArray[np.int64]:
    """
    Return the variables by what they hold: number of states, then how often each state occurs.

    The names decide between columns that are alike in this, so the order of the columns does not matter.
    """
    data = scorer.data
    counts = [np.bincount(codes, minlength=r).tolist() for codes, r in zip(data.codes, data.arities, strict=True)]
    keys = [(len(c), c, name) for c, name in zip(counts, data.names, strict=True)]
    return np.array(sorted(range(len(keys)), key=keys.__getitem__), dtype=np.int64)


def tie_unit(score: float) -> float:
    """Return the difference of gains that counts as a tie: the tolerance of `improves`, up to a power of two."""
    return 2.0 ** math.ceil(math.log2(TOLERANCE * max(1.0, abs(score))))


def _new_pool(capacity: int) -> tuple[Any, ...]:
    return np.empty(capacity), np.empty(capacity, dtype=np.int32), np.empty(capacity, dtype=np.int32)
