"""Climbs through the space of DAGs that compute few gains, and keep only gains that may improve the score."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from math import fsum, inf

import numpy as np
from numpy.typing import NDArray

from bnsearch.counting.cell_sums import products_of_sets
from bnsearch.counting.columns import Layout, usual_layout
from bnsearch.dags.climber import ScoredDAG, count_scores_per_call
from bnsearch.dags.pair_gains import PairGains
from bnsearch.data.content import variables_by_content
from bnsearch.graphs.topological import topological_order
from bnsearch.kernels.tuples import KernelTuple
from bnsearch.runs.problem import Problem
from bnsearch.scores.bounds import bound_of
from bnsearch.scores.extender import TABULATED_SIZE, stacked_terms
from bnsearch.scores.score import TOLERANCE

WORK_PER_CALL = 2_000_000  # steps of one kernel call times variables, at most: the time of a step grows with both
MAX_STEPS = 1000  # maximum number of steps of one kernel call
FREE_ROWS = 4  # free room of a new pool of gains, as a number of rows of all variables


class LazyClimber:
    """
    Climbs uphill through DAGs by additions, deletions and reversals of edges; for one thread at a time.

    A gain that was computed before its family got a further parent is taken as an estimate, since a further parent
    seldom raises the gains of others. It is computed again once it would be the best of all, together with the next
    best of its family. Parents whose gain is neither listed nor computed are sampled. If most samples have one that
    improves its family, all gains of such families are computed. When no move seems to improve the graph any more, all
    gains of families are computed, those of the lowest scores first, until that is certain.

    The memory depends on the number of pairs that improve a score, and not on the number of all pairs. Only the
    ancestors take one bit for each pair.

    Parameters
    ----------
    problem : the data, the score and the knowledge
    pairs : the single parents that improve a score
    limits : int64[n], maximum number of parents of each place
    """

    def __init__(self, problem: Problem, pairs: PairGains, limits: NDArray[np.int64]) -> None:
        data = problem.needed_data
        layout = usual_layout(data)
        n = data.n_variables
        width = int(limits.max(initial=0)) + 1
        self._order, self._place = layout.order, layout.place
        self._max_scores = count_scores_per_call(data)
        self._pricer = _make_pricer(problem, layout, pairs, limits)
        self._graph = KernelTuple(
            (  # see kernels_parent_lists
                np.zeros((n, width), dtype=np.int32),
                np.zeros(n, dtype=np.int64),
                np.zeros((n, width)),
                np.zeros((n, -(-n // 64)), dtype=np.uint64),
            )
        )
        self._rows = self._new_rows(len(pairs.parent))
        self._tie_rank = np.argsort(variables_by_content(data))[self._order]
        self._counters = np.zeros(4, dtype=np.int64)

    def _new_rows(self, entries: int) -> KernelTuple:
        """Return the rows of kernels_gain_lists, all empty, with room for some entries and further rows."""
        from bnsearch.dags.kernels_gain_lists import STARTED

        n = len(self._order)
        pool = 2 * entries + FREE_ROWS * n
        begin, count, room, batch, unknown = np.zeros((5, n), dtype=np.int64)
        entry = np.zeros(pool, dtype=np.int32), np.zeros(pool), np.zeros(pool, dtype=np.bool_)
        own, bound = np.zeros((2, n))
        stale = np.full(n, STARTED, dtype=np.int8)
        return KernelTuple((begin, count, room, *entry, np.zeros(1, dtype=np.int64), own, bound, stale, batch, unknown))

    def _enlarge_pool(self) -> None:
        """Copy all rows into a new pool of entries, without gaps and with free room."""
        from bnsearch.dags.kernels_gain_lists import BEGIN, CANDIDATE, COUNT, EXACT, GAIN, ROOM, USED

        old = self._rows
        begin, count = old[BEGIN], old[COUNT]
        entries = int(count.sum())
        to = np.concatenate([[0], np.cumsum(count)])
        source = np.arange(entries) + np.repeat(begin - to[:-1], count)
        new = self._new_rows(entries)
        for field in (CANDIDATE, GAIN, EXACT):
            new[field][:entries] = old[field][source]
        for field, array in enumerate(old):
            if field not in (CANDIDATE, GAIN, EXACT):
                new[field][:] = array
        new[BEGIN][:], new[ROOM][:], new[USED][:] = to[:-1], count, entries
        self._rows = new

    @property
    def asked(self) -> int:
        """The number of local scores requested so far."""
        from bnsearch.dags.kernels_lazy import ASKED

        return int(self._counters[ASKED])

    @property
    def computed(self) -> int:
        """The number of local scores computed so far."""
        from bnsearch.dags.kernels_lazy import COMPUTED

        return int(self._counters[COMPUTED])

    @property
    def score(self) -> float:
        """The score of the graph, which is the best so far; minus infinity before the first graph is scored."""
        from bnsearch.dags.kernels_gain_lists import OWN, STALE, STARTED

        return -inf if (self._rows[STALE] == STARTED).any() else fsum(self._rows[OWN].tolist())

    @property
    def best(self) -> ScoredDAG | None:
        """The graph; None before it is scored."""
        from bnsearch.dags.kernels_gain_lists import OWN
        from bnsearch.dags.kernels_parent_lists import MEMBER, SIZE

        score = self.score
        if score == -inf:
            return None
        parents = partial(_list_parents, self._order, self._graph[MEMBER].copy(), self._graph[SIZE].copy())
        return ScoredDAG(score, parents, self._rows[OWN][self._place])

    @property
    def arrays(self) -> tuple[KernelTuple, KernelTuple, NDArray[np.int64]]:
        """The tuples `graph` of kernels_parent_lists and `rows` of kernels_gain_lists, and the limits on parents."""
        from bnsearch.dags.kernels_gain_lists import LIMITS

        return self._graph, self._rows, self._pricer[LIMITS]

    def start(self, parents: Sequence[Sequence[int]]) -> None:
        """Set the graph; parents : the parents of each variable."""
        from bnsearch.dags.kernels_gain_lists import COUNT, ROOM, STALE, STARTED, UNFINISHED, USED, VARIABLE
        from bnsearch.dags.kernels_lazy import FINDS, SAMPLES
        from bnsearch.dags.kernels_parent_lists import MEMBER, SIZE, set_ancestors

        self._counters[[SAMPLES, FINDS]] = 0
        for field in (COUNT, ROOM, USED):
            self._rows[field].fill(0)
        self._rows[STALE].fill(STARTED)
        self._pricer[UNFINISHED][VARIABLE] = -1
        for place, variable in enumerate(self._order.tolist()):
            own = self._place[list(parents[variable])]
            self._graph[SIZE][place] = len(own)
            self._graph[MEMBER][place, : len(own)] = own
        set_ancestors(self._graph, self._place[topological_order(parents)])

    def climb(self, max_steps: int = MAX_STEPS) -> Iterator[None]:
        """Climb until no move improves; yield after at most `max_steps` steps, earlier if many gains were computed."""
        from bnsearch.dags.kernels_lazy import FINISHED, NEEDS_ROOM, climb_lazily

        n = len(self._order)
        max_steps = max(1, min(max_steps, WORK_PER_CALL // n))
        ended = -1
        while ended != FINISHED:
            ended = climb_lazily(
                self._pricer, self._graph, self._rows, self._tie_rank, self._counters, max_steps, self._max_scores,
                TOLERANCE,
            )  # fmt: skip
            if ended == NEEDS_ROOM:
                self._enlarge_pool()
            yield


def _make_pricer(problem: Problem, layout: Layout, pairs: PairGains, limits: NDArray[np.int64]) -> KernelTuple:
    """Return the tuple `pricer` of kernels_gain_lists."""
    from bnsearch.counting.kernels_expand_scratch import new_scratch

    data, score, known = problem.needed_data, problem.needed_score, problem.constraints
    n, rows, columns, order = data.n_variables, data.n_rows, layout.columns, layout.order
    products = products_of_sets(columns.arities, TABULATED_SIZE)
    classes, parent_terms = stacked_terms(score, columns.arities, rows, products)
    bound = bound_of(data, score)
    required_parents = problem.base.parents
    required = [layout.place[list(required_parents[variable])] for variable in order.tolist()]
    return KernelTuple(
        (
            layout.arrays,
            score.joint(rows).terms(rows, products),
            parent_terms,
            classes,
            np.array(limits, dtype=np.int64),  # a copy is writable: kernels are compiled for one type only
            np.array([bound.slope, bound.level]),
            np.empty((0, 0), np.bool_) if known is None else np.ascontiguousarray(known.allowed[np.ix_(order, order)]),
            np.concatenate([[0], np.cumsum([len(own) for own in required])]).astype(np.int64),
            np.concatenate(required).astype(np.int32),
            pairs.begin,
            pairs.parent,
            pairs.gain,
            np.empty(n, dtype=np.int64),
            np.empty(n, dtype=np.int64),
            np.empty(n),
            np.empty(n, dtype=np.int64),
            np.full(n, -1, dtype=np.int64),
            np.array([-1, 0, 0]),
            new_scratch(layout),
        )
    )


def _list_parents(order: NDArray[np.int64], members: NDArray[np.int32], sizes: NDArray[np.int64]) -> list[list[int]]:
    """Return the parents of each variable, ascending, from lists of parents by place."""
    parents: list[list[int]] = [[] for _ in order]
    for variable, its_members, size in zip(order.tolist(), members, sizes.tolist(), strict=True):
        parents[variable] = sorted(order[its_members[:size]].tolist())
    return parents
