"""The data, the score and the knowledge of a problem, as the kernels of families on demand take them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from bnsearch.counting.cell_sums import products_of_sets
from bnsearch.counting.columns import usual_layout
from bnsearch.counting.sweep import Sweep
from bnsearch.data import Dataset
from bnsearch.kernels.tuples import KernelTuple
from bnsearch.runs.problem import Problem
from bnsearch.scores.bounds import RULES, bound_of, max_useful_parents
from bnsearch.scores.extender import TABULATED_SIZE, stacked_terms
from bnsearch.scores.score import Score, tie_margins

MAX_PARENTS = 62  # the cells of more binary parents cannot be numbered in 64 bits


class Source:
    """
    The problem from which extension rows are computed; variables are numbered by *place*, in ascending order of arity.

    Parameters
    ----------
    problem : the data, the score and the knowledge
    going : called while the pairs of variables are counted; counting stops when it returns False
    threads : number of threads for counting; None means all cores

    Attributes
    ----------
    order, place : int64[n], the variable at each place, and the place of each variable
    limits : int64[n], largest number of parents of each place
    required : bool[n, n], [child, parent] by place, True for required edges
    related : bool[n, n], True for places of which one improves the score of the other as its only parent
    parent_hashes : uint64[n], random number of each place as a parent
    required_scores : float64[n], local score of each variable with just its required parents; 0 for one that has none
    gains : float64[n, n], [child, parent] by place, gain of a single parent; minus infinity if it is not allowed
    complete : True if all pairs were counted
    """

    def __init__(self, problem: Problem, going: Callable[[], bool] = lambda: True, threads: int | None = 1) -> None:
        data, score = problem.needed_data, problem.needed_score
        self.layout = usual_layout(data)
        self.order, self.place = self.layout.order, self.layout.place
        self.size = len(self.order)
        self._read_knowledge(problem, max_useful_parents(data, score, None, RULES))
        self.required_scores = np.array(
            [0.0 if not p else problem.scorer.family(v, p) for v, p in enumerate(problem.base.parents)]
        )
        gains, self._empty_scores, self.complete = _compute_pair_gains(problem, going, threads)
        gains[~self._allowed] = -np.inf
        improving = gains > tie_margins(self._empty_scores)[:, np.newaxis]
        self.related = improving | improving.T
        self.gains = gains
        self._make_arrays(data, score, gains, improving)

    def _read_knowledge(self, problem: Problem, max_parents: int) -> None:
        """Set which edges are allowed and required, and the largest numbers of parents."""
        n, known = self.size, problem.constraints
        at = np.ix_(self.order, self.order)
        self._allowed = ~np.eye(n, dtype=bool) if known is None else known.allowed[at] & ~np.eye(n, dtype=bool)
        self.required = np.zeros((n, n), dtype=bool) if known is None else known.required[at]
        limits = np.full(n, n - 1) if known is None else known.max_parents[self.order]
        needed = self.required.sum(axis=1)
        self.limits = np.maximum(needed, np.minimum(limits, min(max_parents, MAX_PARENTS))).astype(np.int64)

    def _make_arrays(
        self, data: Dataset, score: Score, gains: NDArray[np.float64], improving: NDArray[np.bool_]
    ) -> None:
        """Make the tuple `source` of kernels_rows, without its scratch memory."""
        rows, columns = data.n_rows, self.layout.columns
        products = products_of_sets(columns.arities, TABULATED_SIZE)
        bound = bound_of(data, score)
        random = np.random.default_rng(0xFA)
        kept = [np.flatnonzero(row) for row in improving]
        ranked = [found[np.lexsort((found, -gains[x, found]))] for x, found in enumerate(kept)]
        classes, parent_terms = stacked_terms(score, columns.arities, rows, products)
        hashes = random.integers(1, 2**64, (2, self.size), dtype=np.uint64)
        self.parent_hashes, _ = hashes
        self._shared = (
            self.layout.arrays,
            score.joint(rows).terms(rows, products),
            parent_terms,
            classes,
            pack_bits(self.related),
            pack_bits(self._allowed),
            hashes,
            _compute_entropies(data)[self.order],
            np.array([-bound.slope if bound.level == 0.0 else 0.0]),
            np.cumsum([0, *(len(found) for found in ranked)]),
            np.concatenate(ranked).astype(np.int32),
            np.concatenate([gains[x, found] for x, found in enumerate(ranked)]),
            self._empty_scores,
        )

    def arrays(self) -> KernelTuple:
        """Return the tuple `source` of kernels_rows, with scratch memory for one thread."""
        from bnsearch.counting.kernels_expand_scratch import new_scratch

        n = self.size
        scratch = np.empty(n, dtype=np.int64), np.empty(n), np.empty(n, dtype=np.int64)
        return KernelTuple((*self._shared, *scratch, new_scratch(self.layout)))


def count_words(n: int) -> int:
    """Return the number of 64-bit words that hold n bits."""
    return -(-n // 64)


def pack_bits(flags: NDArray[np.bool_]) -> NDArray[np.uint64]:
    """Return uint64[n, W], the rows of flags as bits."""
    n, width = flags.shape
    padded = np.zeros((n, 64 * count_words(width)), dtype=bool)
    padded[:, :width] = flags
    return np.packbits(padded, axis=1, bitorder="little").view(np.uint64)


def _compute_pair_gains(
    problem: Problem, going: Callable[[], bool], threads: int | None
) -> tuple[NDArray[np.float64], NDArray[np.float64], bool]:
    """
    Return the gain of each variable by each other one as its only parent.

    Returns float64[child, parent] by place, the gains; float64[n], the scores without parents; True if all pairs were
    counted.
    """
    data, score = problem.needed_data, problem.needed_score
    rows, n = data.n_rows, data.n_variables
    sweep = Sweep(data, 2, threads=threads)
    arities = sweep.layout.columns.arities
    single = sweep.values(1, score.joint(rows))
    pairs = sweep.values(2, score.joint(rows), going) if n > 1 else np.empty(0)
    complete = going()
    if complete and score.equivalent and len(pairs) <= problem.scorer.capacity // 2:
        members = np.stack(np.tril_indices(n, -1)[::-1], axis=1).ravel()
        problem.scorer.remember_at(np.arange(0, 2 * len(pairs) + 1, 2), members, pairs)
    gains = np.zeros((n, n))
    for high in range(n):
        first = high * (high - 1) // 2
        gains[high, :high] = pairs[first : first + high] if complete else -np.inf
    gains += gains.T
    empty_scores = np.empty(n)
    for arity in np.unique(arities).tolist():
        chosen = np.flatnonzero(arities == arity)
        others = score.parents(rows, arity)
        empty_scores[chosen] = single[chosen] - sweep.values(0, others)[0]
        gains[chosen] -= empty_scores[chosen, np.newaxis] + sweep.values(1, others)
    return gains, empty_scores, complete


def _compute_entropies(data: Dataset) -> NDArray[np.float64]:
    """Return the entropy of each variable in nats, times the number of rows."""
    counts = [np.bincount(codes).astype(np.float64) for codes in data.codes]
    return np.array([-np.sum(c[c > 0] * np.log(c[c > 0] / data.n_rows)) for c in counts])
