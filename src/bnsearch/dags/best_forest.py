"""The best forest of a table, computed with NumPy alone: a first network before any kernel is compiled."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from math import fsum

import numpy as np
from numpy.typing import NDArray

from bnsearch.counting.cell_sums import CellFunction, CellSum
from bnsearch.data import Dataset
from bnsearch.graphs.dag import DAG
from bnsearch.scores.score import Score

BLOCK_BYTES = 1 << 26  # memory for the indicators of a block of variables
CHUNK_ROWS = 1 << 16  # number of rows that are counted at a time; float32 holds their counts exactly


def find_best_forest(data: Dataset, score: Score, halted: Callable[[], bool]) -> tuple[float, DAG] | None:
    """
    Return the score and the DAG of the best forest; None if it was halted, or if the score is not supported.

    Under a score-equivalent score, an edge adds the same gain in both directions, whatever the other edges of the
    forest. The best forest is therefore a spanning forest of maximum weight.

    Parameters
    ----------
    data : the data
    score : the score; it must be score-equivalent, with f(n) = n log n or a logarithm of a rising factorial
    halted : function that returns True if the result is no longer needed

    References
    ----------
    Chow & Liu (1968), Approximating discrete probability distributions with dependence trees.
    """
    joint = score.joint(data.n_rows) if score.equivalent else None
    if joint is None or joint.regret or joint.function not in (
        CellFunction.XLOGX, CellFunction.RISING, CellFunction.RISING_SPREAD
    ):  # fmt: skip
        return None
    pairs = np.zeros((data.n_variables, data.n_variables))
    for first, second, counts in _count_pairs(data):
        if halted():
            return None
        pairs[first, second] = _sum_cells(joint, counts, data.arities[first], data.arities[second])
    one_state = np.ones(1, dtype=np.int64)
    singles = np.array([
        _sum_cells(joint, np.bincount(codes, minlength=arity)[:, None].astype(np.float64), np.array([arity]), one_state)
        for codes, arity in zip(data.codes, data.arities.tolist(), strict=True)
    ]).ravel()  # fmt: skip
    empty = float(_sum_cells(joint, np.array([[float(data.n_rows)]]), one_state, one_state)[0, 0])
    gains = np.triu(pairs - singles[:, None] - singles[None, :] + empty, k=1)
    parent_of, edges = _find_forest(gains)
    parents = [() if parent < 0 else (parent,) for parent in parent_of]
    return fsum([*(singles - empty), *(gains[edge] for edge in edges)]), DAG(data.names, parents)


def _count_pairs(data: Dataset) -> Iterator[tuple[slice, slice, NDArray[np.float64]]]:
    """
    Yield the joint counts of all pairs of variables, as products of matrices of indicators.

    Each item is two ranges of variables, the first not behind the second, and the counts of all pairs of their states.
    """
    blocks = _split_variables(data, BLOCK_BYTES // (4 * min(data.n_rows, CHUNK_ROWS)))
    for i, first in enumerate(blocks):
        for second in blocks[i:]:
            counts = np.zeros((data.arities[first].sum(), data.arities[second].sum()))
            for begin in range(0, data.n_rows, CHUNK_ROWS):
                left = _indicate_states(data, first, begin)
                counts += left @ (left if second is first else _indicate_states(data, second, begin)).T
            yield first, second, counts


def _split_variables(data: Dataset, max_states: int) -> list[slice]:
    """Split the variables into ranges with at most `max_states` states, or one variable."""
    begins, states = [0], 0
    for variable, arity in enumerate(data.arities.tolist()):
        if variable > begins[-1] and states + arity > max_states:
            begins.append(variable)
            states = 0
        states += arity
    return [slice(begin, end) for begin, end in pairwise([*begins, data.n_variables])]


def _indicate_states(data: Dataset, variables: slice, begin: int) -> NDArray[np.float32]:
    """Return a line for each state of some variables: 1 for each row of a chunk with that state, otherwise 0."""
    codes, arities = data.codes[variables, begin : begin + CHUNK_ROWS], data.arities[variables]
    state_of_line = np.concatenate([np.arange(arity) for arity in arities])
    indicators: NDArray[np.float32] = (np.repeat(codes, arities, axis=0) == state_of_line[:, None]).astype(np.float32)
    return indicators


def _sum_cells(
    cell_sum: CellSum, counts: NDArray[np.float64], first: NDArray[np.int64], second: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Return the cell sums of all pairs of variables, with the arities `first` and `second`, from their counts."""
    from scipy.special import gammaln, xlogy

    cells = np.outer(first, second).astype(np.float64)
    if cell_sum.function == CellFunction.XLOGX:
        values = xlogy(counts, counts)
    else:
        spread = cell_sum.function == CellFunction.RISING_SPREAD
        a = cell_sum.a / np.repeat(np.repeat(cells, first, axis=0), second, axis=1) if spread else cell_sum.a
        values = gammaln(a + counts) - gammaln(a)
    by_first = np.add.reduceat(values, np.cumsum(first) - first, axis=0)
    return np.add.reduceat(by_first, np.cumsum(second) - second, axis=1) + cell_sum.slope * cells


def _find_forest(gains: NDArray[np.float64]) -> tuple[list[int], list[tuple[int, int]]]:
    """Return each variable's parent in the best forest, -1 for roots, and the edges as entries of the gains."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import breadth_first_order, minimum_spanning_tree

    tree = minimum_spanning_tree(csr_array(np.where(gains > 0.0, -gains, 0.0)))
    parent_of = [-1] * len(gains)
    reached = np.zeros(len(gains), dtype=bool)
    for root in range(len(gains)):
        if not reached[root]:
            order, before = breadth_first_order(tree, root, directed=False)
            reached[order] = True
            for variable in order[1:].tolist():
                parent_of[variable] = int(before[variable])
    return parent_of, [(int(x), int(y)) for x, y in zip(*tree.nonzero(), strict=True)]
