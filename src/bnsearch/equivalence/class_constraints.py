"""Background knowledge for a search over classes, in the arrays that the kernels take."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bnsearch.equivalence.bitsets import Sets, empty_sets, to_rows
from bnsearch.equivalence.operators import new_lists
from bnsearch.graphs.dag import DAG
from bnsearch.kernels.tuples import KernelTuple
from bnsearch.knowledge.constraints import Constraints


class ClassConstraints:
    """
    Background knowledge about the DAGs of a class.

    Parameters
    ----------
    constraints : the knowledge
    order : the variables in the order of the bit sets
    """

    def __init__(self, constraints: Constraints, order: NDArray[np.int64]) -> None:
        self.constraints = constraints
        self._order = order
        self._rank = np.argsort(order)

    def arrays(self) -> KernelTuple:
        """Return the constraints as `kernels_constraints` describes them, with new scratch memory."""
        n, order = len(self._order), self._order
        joined = self.constraints.required | self.constraints.required.T
        rows = (to_rows(matrix[np.ix_(order, order)]) for matrix in (self.constraints.allowed, joined))
        return KernelTuple((*rows, self.constraints.max_parents[order], empty_sets(n), empty_sets(n)))

    def legalise(self, dag: DAG) -> DAG:
        """Return a legal network that is close to `dag`."""
        return DAG(dag.names, self.constraints.legalise(dag.parents))

    def make_dag(self, sets: Sets, names: tuple[str, ...]) -> DAG:
        """Return a legal DAG of a class that has one."""
        from bnsearch.equivalence.kernels_constraints import LEFT, extend_legally
        from bnsearch.equivalence.kernels_graph import ADJACENT

        n, arrays = len(names), self.arrays()
        there = extend_legally(sets, arrays, new_lists(n))
        assert there, "the search has left the legal classes"
        first = int(ADJACENT) * n
        rows = arrays[LEFT][first : first + n]
        parents = np.unpackbits(rows.view(np.uint8), axis=1, count=n, bitorder="little").astype(bool)
        parents = parents[np.ix_(self._rank, self._rank)]
        return DAG(names, [np.flatnonzero(row).tolist() for row in parents])


def no_constraints(n: int) -> KernelTuple:
    """Return the arrays that allow everything."""
    rows = empty_sets(n)[:0]
    return KernelTuple((rows, rows, np.empty(0, dtype=np.int64), rows, rows))
