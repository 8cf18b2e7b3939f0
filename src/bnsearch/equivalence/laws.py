"""What background knowledge means for a search over classes, in the arrays that the kernels work on."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bnsearch.equivalence.bitsets import Sets, empty_sets, to_rows
from bnsearch.equivalence.operators import new_lists
from bnsearch.graphs.dag import DAG
from bnsearch.knowledge.constraints import Constraints


class Laws:
    """
    Knowledge, for classes over variables in another order.

    Parameters
    ----------
    constraints : the knowledge
    order : the variables, in the order of the bit sets
    """

    def __init__(self, constraints: Constraints, order: NDArray[np.int64]) -> None:
        self.constraints = constraints
        self._order = order
        self._rank = np.argsort(order)

    def arrays(self) -> tuple[Any, ...]:
        """Return the laws as kernels_lawful takes them, with scratch of their own."""
        n, order = len(self._order), self._order
        joined = self.constraints.required | self.constraints.required.T
        may, must = (to_rows(matrix[np.ix_(order, order)]) for matrix in (self.constraints.allowed, joined))
        return may, must, self.constraints.max_parents[order], empty_sets(n), empty_sets(n)

    def nearby(self, dag: DAG) -> DAG:
        """Return a legal network near one that may not be."""
        return DAG(dag.names, self.constraints.legalise(dag.parents))

    def dag_of(self, sets: Sets, names: tuple[str, ...]) -> DAG:
        """Return a legal DAG of a class that has one."""
        from bnsearch.equivalence.kernels_graph import ADJACENT
        from bnsearch.equivalence.kernels_lawful import extend_lawfully

        n, laws = len(names), self.arrays()
        there = extend_lawfully(sets, laws, new_lists(n))
        assert there, "the search has left the legal classes"
        first = int(ADJACENT) * n
        rows = laws[4][first : first + n]
        parents = np.unpackbits(rows.view(np.uint8), axis=1, count=n, bitorder="little").astype(bool)
        parents = parents[np.ix_(self._rank, self._rank)]
        return DAG(names, [np.flatnonzero(row).tolist() for row in parents])


def no_laws(n: int) -> tuple[Any, ...]:
    """Return the laws that allow everything."""
    rows = empty_sets(n)[:0]
    return rows, rows, np.empty(0, dtype=np.int64), rows, rows
