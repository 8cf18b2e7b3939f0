"""The data, the score and the knowledge of a problem, as the kernels of families on demand take them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from bnsearch.counting.cell_sums import products_of_sets
from bnsearch.counting.columns import Columns, usual_layout
from bnsearch.dags.pair_gains import PairGains, compute_pair_gains
from bnsearch.data import Dataset
from bnsearch.kernels.tuples import KernelTuple
from bnsearch.runs.problem import Problem
from bnsearch.scores.bounds import RULES, bound_of, max_useful_parents
from bnsearch.scores.extender import TABULATED_SIZE, stacked_terms
from bnsearch.scores.score import Score

BLOCK_BYTES = 1 << 24  # memory for the flags of a block of variables
MAX_PARENTS = 62  # the cells of more binary parents cannot be numbered in 64 bits


class Source:
    """
    The problem from which extension rows are computed; variables are numbered by *place*, in ascending order of arity.

    Parameters
    ----------
    problem : the data, the score and the knowledge
    going : called while the pairs of variables are counted; counting stops when it returns False
    threads : number of threads for counting; None means all cores
    memory : bytes for the pairs of variables

    Attributes
    ----------
    order, place : int64[n], the variable at each place, and the place of each variable
    limits : int64[n], largest number of parents of each place
    required : the required parents of each place
    required_bits : uint64[n, W], the same as bits
    pairs : the single parents that improve the score of each place
    relatives_begin, relatives : int64[n + 1], int32[...], the places related to place x are
        relatives[relatives_begin[x]:relatives_begin[x + 1]]: one improves the score of the other as its only parent
    parent_hashes : uint64[n], random number of each place as a parent
    required_scores : float64[n], local score of each variable with just its required parents; 0 for one that has none
    complete : True if all pairs were counted; otherwise there are no relatives and no arrays for kernels
    """

    def __init__(
        self,
        problem: Problem,
        going: Callable[[], bool] = lambda: True,
        threads: int | None = 1,
        memory: float = np.inf,
    ) -> None:
        data, score = problem.needed_data, problem.needed_score
        self.layout = usual_layout(data)
        self.order, self.place = self.layout.order, self.layout.place
        self.size = len(self.order)
        self._read_knowledge(problem, max_useful_parents(data, score, None, RULES))
        self.required_scores = np.array(
            [0.0 if not p else problem.scorer.family(v, p) for v, p in enumerate(problem.base.parents)]
        )
        self.pairs = compute_pair_gains(problem, going, threads, memory)
        self.complete = self.pairs.complete
        if self.complete:  # otherwise the run ends without islands, and soon
            self.relatives_begin, self.relatives, related_bits = _list_relatives(self.pairs)
            self._make_arrays(data, score, related_bits)

    def _read_knowledge(self, problem: Problem, max_parents: int) -> None:
        """Set which edges are allowed and required, and the largest numbers of parents."""
        n, known = self.size, problem.constraints
        self._allowed_bits = _pack_allowed(self.order, None if known is None else known.allowed)
        limits = np.full(n, n - 1) if known is None else known.max_parents[self.order]
        base = problem.base.parents
        self.required = [np.sort(self.place[list(base[v])]).astype(np.int32) for v in self.order.tolist()]
        self.required_bits = np.zeros((n, count_words(n)), dtype=np.uint64)
        for child, parents in enumerate(self.required):
            for parent in parents.tolist():
                self.required_bits[child, parent >> 6] |= np.uint64(1) << np.uint64(parent & 63)
        needed = np.array([len(parents) for parents in self.required])
        self.limits = np.maximum(needed, np.minimum(limits, min(max_parents, MAX_PARENTS))).astype(np.int64)

    def _make_arrays(self, data: Dataset, score: Score, related_bits: NDArray[np.uint64]) -> None:
        """Make the tuple `source` of kernels_rows, without its scratch memory."""
        rows, columns, pairs = data.n_rows, self.layout.columns, self.pairs
        products = products_of_sets(columns.arities, TABULATED_SIZE)
        bound = bound_of(data, score)
        random = np.random.default_rng(0xFA)
        classes, parent_terms = stacked_terms(score, columns.arities, rows, products)
        hashes = random.integers(1, 2**64, (2, self.size), dtype=np.uint64)
        self.parent_hashes, _ = hashes
        self._shared = (
            self.layout.arrays,
            score.joint(rows).terms(rows, products),
            parent_terms,
            classes,
            related_bits,
            self._allowed_bits,
            hashes,
            _compute_entropies(columns),
            np.array([-bound.slope if bound.level == 0.0 else 0.0]),
            pairs.begin,
            pairs.parent,
            pairs.gain,
            pairs.empty_scores,
        )

    def describe_limit(self) -> str | None:
        """Return a note for the user if the memory has limited the pairs, otherwise None."""
        number = self.pairs.max_per_child
        if number is None:
            return None
        return f"the search began with the best {number:,} single parents of each variable: more need more memory"

    def arrays(self) -> KernelTuple:
        """Return the tuple `source` of kernels_rows, with scratch memory for one thread."""
        from bnsearch.counting.kernels_expand_scratch import new_scratch

        n = self.size
        scratch = np.empty(n, dtype=np.int64), np.empty(n), np.empty(n, dtype=np.int64)
        unfinished, wanted = np.zeros(3, dtype=np.int64), np.zeros(count_words(n), dtype=np.uint64)
        return KernelTuple((*self._shared, *scratch, unfinished, new_scratch(self.layout), wanted))


def count_words(n: int) -> int:
    """Return the number of 64-bit words that hold n bits."""
    return -(-n // 64)


def pack_bits(flags: NDArray[np.bool_]) -> NDArray[np.uint64]:
    """Return uint64[n, W], the rows of flags as bits."""
    n, width = flags.shape
    padded = np.zeros((n, 64 * count_words(width)), dtype=bool)
    padded[:, :width] = flags
    return np.packbits(padded, axis=1, bitorder="little").view(np.uint64)


def _pack_allowed(order: NDArray[np.int64], allowed: NDArray[np.bool_] | None) -> NDArray[np.uint64]:
    """Return the allowed parents of each place as bits; allowed : bool[n, n] by variable, None if all edges are."""
    n = len(order)
    bits = np.empty((n, count_words(n)), dtype=np.uint64)
    for block in _split_places(n):
        flags = np.ones((len(block), n), dtype=bool) if allowed is None else allowed[np.ix_(order[block], order)]
        flags[np.arange(len(block)), block] = False
        bits[block] = pack_bits(flags)
    return bits


def _list_relatives(pairs: PairGains) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.uint64]]:
    """Return `relatives_begin` and `relatives` of a source, and the relatives of each place as bits."""
    n = len(pairs.begin) - 1
    child = np.repeat(np.arange(n, dtype=np.int32), np.diff(pairs.begin))
    by_parent = np.argsort(pairs.parent.astype(np.min_scalar_type(n)), kind="stable")  # 16 bits are sorted by radix
    begin_of_parent = np.concatenate([[0], np.cumsum(np.bincount(pairs.parent, minlength=n))])
    bits = np.empty((n, count_words(n)), dtype=np.uint64)
    numbers, relatives = [np.zeros(1, dtype=np.int64)], []
    for block in _split_places(n):
        first, stop = int(block[0]), int(block[-1]) + 1
        flags = np.zeros((len(block), n), dtype=bool)
        improving = slice(pairs.begin[first], pairs.begin[stop])
        flags[child[improving] - first, pairs.parent[improving]] = True
        improved = by_parent[begin_of_parent[first] : begin_of_parent[stop]]
        flags[pairs.parent[improved] - first, child[improved]] = True
        bits[block] = pack_bits(flags)
        numbers.append(flags.sum(axis=1))
        relatives.append(np.nonzero(flags)[1].astype(np.int32))
    return np.cumsum(np.concatenate(numbers)), np.concatenate(relatives), bits


def _split_places(n: int) -> list[NDArray[np.int64]]:
    """Return all places in blocks; the flags of a block for all places take about BLOCK_BYTES."""
    return np.array_split(np.arange(n), -(-n // max(1, BLOCK_BYTES // n)))


def _compute_entropies(columns: Columns) -> NDArray[np.float64]:
    """Return the entropy of each place in nats, times the number of rows."""
    counts, begin = columns.count_states()
    terms = counts * np.log(np.maximum(counts, 1) / columns.total)
    return -np.add.reduceat(terms, begin[:-1])
