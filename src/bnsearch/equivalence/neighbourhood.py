"""An equivalence class and the operators that lead away from it, kept up to date from step to step."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bnsearch.equivalence.bitsets import Sets, empty_sets, to_arcs, to_sets
from bnsearch.equivalence.family_keys import FamilyKeys
from bnsearch.equivalence.laws import Laws, no_laws
from bnsearch.equivalence.noise import Noise
from bnsearch.equivalence.operators import Kind, Operator, new_lists
from bnsearch.graphs.completion import cpdag
from bnsearch.graphs.dag import DAG
from bnsearch.graphs.extension import extension
from bnsearch.graphs.pdag import PDAG
from bnsearch.knowledge.constraints import Constraints
from bnsearch.scores.score import tie_margin
from bnsearch.scores.scorer import Scorer

AT_A_TIME = 4096  # sets that are valued in one kernel call
FIRST_CAPACITY = 1 << 14  # of lists that grow


class Step(NamedTuple):
    """An operator, and what it adds to the score."""

    operator: Operator
    gain: float


class Neighbourhood:
    """
    Where a search stands, and what it can do next.

    Operators are listed by y with their gains; a step lists anew those on the pairs whose neighbourhoods or adjacencies
    it has changed. Whether a semi-directed path forbids an insertion is asked when it is about to be chosen.

    Gains are compared in units of the library's tolerance for a tie, rounded. Ties are decided by what the columns hold
    (see `content_order`), never by their order in the table.

    Parameters
    ----------
    scorer : the score and its cache; one for each thread
    max_subset : the most members of T and H; None for no limit
    max_parents : the most parents of a variable in the DAGs of the class; None for no limit
    every : list the operators that lower the score, too; `noisy` needs them
    constraints : background knowledge; only classes that have a legal DAG are gone to
    count_families : note which families are asked for

    Attributes
    ----------
    sets : the class, as bit sets over the variables by content
    score : of the class
    order : the variables by content
    """

    def __init__(
        self,
        scorer: Scorer,
        *,
        max_subset: int | None = 3,
        max_parents: int | None = None,
        every: bool = False,
        constraints: Constraints | None = None,
        count_families: bool = False,
    ) -> None:
        n = scorer.data.n_variables
        self.scorer = scorer
        self.order = content_order(scorer)
        self._rank = np.argsort(self.order)
        self._place = scorer.places[self.order]
        self._every = every
        self._limits = np.full(1 + n, n if max_parents is None else max_parents, dtype=np.int64)
        self._limits[0] = n if max_subset is None else max_subset
        self._laws = None if constraints is None else Laws(constraints, self.order)
        self._asked = 0
        self._families = FamilyKeys(n) if count_families else None
        self._spent = 0, scorer.computed
        self.sets = empty_sets(n)
        self._make_tables(n)
        if self._laws is not None:
            self._limits[1:] = np.minimum(self._limits[1:], self._law_arrays[2])
            self._go_to_class_of(self._laws.constraints.make_required_dag(scorer.data.names))
        self.score = self._score_now()
        self._unit = tie_unit(self.score)

    def _make_tables(self, n: int) -> None:
        """Make what the kernels keep and use (see kernels_examine)."""
        self._listed = self.sets.copy()
        self._changed = np.full((n, self.sets.shape[1]), ~np.uint64(0))
        self._rows = tuple(np.zeros((2, n), dtype=np.int64) for _ in range(3))
        self._pool = _new_pool(FIRST_CAPACITY)
        self._waiting = _new_waiting(FIRST_CAPACITY)
        reach = np.zeros((n + 1, self.sets.shape[1]), dtype=np.uint64)
        before = np.full((n, n), -1, dtype=np.int32)
        self._paths = reach, np.zeros(n, dtype=np.bool_), np.zeros(n, dtype=np.int64), before
        self._counters = np.zeros(3, dtype=np.int64)
        self._left = self.sets.copy()
        self._lists = new_lists(n)
        self._heads = np.zeros((2, n), dtype=np.int64), np.zeros((2, n))
        self._law_arrays = no_laws(n) if self._laws is None else self._laws.arrays()

    def spent(self) -> dict[str, Any]:
        """
        Return how many local scores were asked for, and how many set values counted, since this was last asked.

        With `count_families`, also the keys of the families that were asked for.
        """
        now = self._asked, self.scorer.computed
        before, self._spent = self._spent, now
        asked = {} if self._families is None else {"families": self._families.taken()}
        return {"evaluations": now[0] - before[0], "computed": now[1] - before[1], **asked}

    @property
    def cpdag(self) -> PDAG:
        """The class."""
        return self.pdag_of(self.sets)

    def pdag_of(self, sets: Sets) -> PDAG:
        """Return a class of this search as a PDAG over the table's variables."""
        return PDAG(self.scorer.data.names, to_arcs(sets)[np.ix_(self._rank, self._rank)])

    def maker(self) -> Callable[[], DAG]:
        """Return a function that makes a DAG of the present class, whenever it is called; a legal one."""
        sets, laws = self.sets.copy(), self._laws
        if laws is None:
            return lambda: extension(self.pdag_of(sets))
        return lambda: laws.dag_of(sets, self.scorer.data.names)

    def start_at(self, start: PDAG) -> None:
        """Go to the class that a partially directed graph stands for, made legal."""
        dag = extension(start.reordered(self.scorer.data.names))
        if self._laws is not None:
            dag = self._laws.nearby(dag)
        self._go_to_class_of(dag)
        self.score = self._score_now()

    def _go_to_class_of(self, dag: DAG) -> None:
        self.sets[:] = to_sets(cpdag(dag).arcs[np.ix_(self.order, self.order)])

    def go_to(self, sets: Sets, score: float) -> None:
        """Go to a class of this search."""
        self.sets[:] = sets
        self.score = score

    def _score_now(self) -> float:
        parents = extension(self.cpdag).parents
        return math.fsum(self.scorer.families(range(len(parents)), parents))

    def refresh(self, halted: Callable[[], bool] = lambda: False) -> bool:
        """List the operators of the present class; return whether that was finished before `halted` said to stop."""
        from bnsearch.equivalence.kernels_examine import OUT_OF_POOL, OUT_OF_SETS, examine, settle
        from bnsearch.equivalence.kernels_graph import mark_changed
        from bnsearch.equivalence.kernels_operators import mark_stale

        mark_changed(self._listed, self.sets, self._changed)
        mark_stale(self._listed, self.sets, *self._paths[:2])
        self._listed[:] = self.sets
        first = 0
        while first < len(self.order):
            self._counters[1:] = 0
            ended, stop = examine(
                self.sets, self._limits, self._law_arrays, self._place, self._changed, self._rows, self._pool,
                self._waiting, self._counters, self._lists, first, AT_A_TIME,
            )  # fmt: skip
            values = self._values(halted)
            if values is None:
                return False
            settle(
                first, stop, self._every, self._unit, self._changed, self._rows, self._pool, self._counters, values,
                self._paths,
            )  # fmt: skip
            if ended == OUT_OF_POOL:
                self._make_room()
            elif ended == OUT_OF_SETS and stop == first:
                self._waiting = _new_waiting(2 * len(self._waiting[0]))
            first = stop
        return True

    def _values(self, halted: Callable[[], bool]) -> NDArray[np.float64] | None:
        """Return the values of the sets that wait, or None where `halted` said to stop before all were counted."""
        begin, members = self._waiting
        number = int(self._counters[1])
        self._asked += number // 2  # four sets make the difference of two local scores
        if self._families is not None:
            self._families.note(begin[: number + 1], members)
        values = np.empty(number)
        for first in range(0, number, AT_A_TIME):
            if first and halted():
                return None
            stop = min(first + AT_A_TIME, number)
            values[first:stop] = self.scorer.values_at(begin[first : stop + 1], members)
        return values

    def _make_room(self) -> None:
        from bnsearch.equivalence.kernels_examine import move_rows

        capacity = len(self._pool[0])
        pool = _new_pool(capacity if 4 * int(self._rows[1].sum()) < capacity else 2 * capacity)
        self._counters[0] = move_rows(self._rows, self._pool, pool)
        self._pool = pool
        self._paths[1][:] = False  # the best stand elsewhere now

    def best(self, kinds: Sequence[Kind], number: int = 1) -> list[Step]:
        """Return up to so many of the best valid operators of some kinds that raise the score, best first."""
        from bnsearch.equivalence.kernels_select import best_operators

        found = self._room_for(number)
        wanted = np.array([kind in kinds for kind in Kind])
        valid = best_operators(
            self.sets, wanted, self._limits, self._law_arrays, self._rows, self._pool, self._paths, self._lists,
            *self._heads, found,
        )  # fmt: skip
        return [self._step(row) for row in found[:valid].tolist()]

    def noisy(self, kind: Kind, noise: Noise, rng: np.random.Generator) -> Step | None:
        """Return the valid operator of a kind whose gain is highest after noise, or None where no operator is valid."""
        from bnsearch.equivalence.kernels_select import list_gains

        gains = np.empty(int(self._rows[1][kind].sum()))
        list_gains(int(kind), self._rows, self._pool, gains)
        values = gains.copy()
        greedy = self._best_by(kind, values)
        if greedy is None:
            return None
        deviations = noise.deviations(gains, greedy.gain)
        return self._best_by(kind, values + deviations * rng.standard_normal(len(gains)))

    def _best_by(self, kind: Kind, values: NDArray[np.float64]) -> Step | None:
        """Return the valid operator whose value is highest; the values of others that were tried become -inf."""
        from bnsearch.equivalence.kernels_select import best_by_value

        found = self._room_for(1)
        there = best_by_value(
            self.sets, int(kind), self._limits, self._law_arrays, self._rows, self._pool, self._paths[3], self._lists,
            values, found,
        )  # fmt: skip
        return self._step(found[0].tolist()) if there else None

    def valid(self) -> list[Step]:
        """Return all valid operators that are listed, whether or not knowledge forbids where they lead."""
        from bnsearch.equivalence.kernels_select import recall_if_valid

        begin, count, _ = self._rows
        found = self._room_for(1)
        return [
            self._step(found[0].tolist())
            for kind, y in np.ndindex(*begin.shape)
            for at in range(begin[kind, y], begin[kind, y] + count[kind, y])
            if recall_if_valid(self.sets, kind, y, at, self._pool, self._limits, self._lists, self._paths[3], found, 0)
        ]

    def _room_for(self, number: int) -> NDArray[np.int64]:
        return np.empty((number, 5 + len(self.order)), dtype=np.int64)

    def _step(self, found: list[int]) -> Step:
        at, kind, x, y, size = found[:5]
        order = self.order
        subset = tuple(sorted(int(order[v]) for v in found[5 : 5 + size]))
        return Step(Operator(Kind(kind), int(order[x]), int(order[y]), subset), float(self._pool[0][at]))

    def apply(self, step: Step) -> None:
        """Make a valid move."""
        from bnsearch.equivalence.kernels_graph import SUBSET, apply_operator

        kind, x, y, rank = int(step.operator.kind), step.operator.x, step.operator.y, self._rank
        size = len(step.operator.subset)
        self._lists[SUBSET, :size] = rank[list(step.operator.subset)]
        done = apply_operator(self.sets, kind, rank[x], rank[y], size, self._left, self._lists)
        assert done, f"{step.operator} is not valid"
        self.score += step.gain


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
    return 2.0 ** math.ceil(math.log2(tie_margin(score)))


def _new_pool(capacity: int) -> tuple[Any, ...]:
    kinds = (np.float64, np.float64, np.int32, np.int32, np.bool_)
    return tuple(np.zeros(capacity, dtype=kind) for kind in kinds)


def _new_waiting(capacity: int) -> tuple[Any, ...]:
    return np.zeros(capacity, dtype=np.int64), np.empty(8 * capacity, dtype=np.int64)
