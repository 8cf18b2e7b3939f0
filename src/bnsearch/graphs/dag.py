"""Directed acyclic graphs over named variables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from operator import index
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bnsearch.errors import InputError
from bnsearch.graphs.inputs import (
    checked_names,
    indexed_pairs,
    networkx_parts,
    require_same_variables,
    square_matrix,
)
from bnsearch.graphs.patterns import Edge, VStructure, skeleton_of, v_structures_of
from bnsearch.graphs.topological import topological_order

if TYPE_CHECKING:
    import networkx

MAX_CYCLE_SHOWN = 8  # variables; an error message abbreviates a longer cycle


@dataclass(frozen=True)
class DAG:
    """
    A directed acyclic graph: the names of the variables and the parents of each.

    Parameters
    ----------
    names : iterable of str
        The variables, all different.
    parents : iterable of iterable of int
        For each variable the indices of its parents; kept sorted.

    Notes
    -----
    A cycle, a self-loop, a repeated or unknown parent is refused. Two graphs are equal if they list the same
    variables in the same order and have the same edges; `reordered` changes the order.

    Examples
    --------
    >>> import bnsearch
    >>> dag = bnsearch.DAG.from_edges("abc", [("a", "b"), ("c", "b")])
    >>> dag.edges
    [('a', 'b'), ('c', 'b')]
    >>> dag.parents
    ((), (0, 2), ())
    """

    names: tuple[str, ...]
    parents: tuple[tuple[int, ...], ...]

    def __init__(self, names: Iterable[str], parents: Iterable[Iterable[int]]) -> None:
        object.__setattr__(self, "names", checked_names(names))
        try:
            found = tuple(tuple(sorted(map(index, its_parents))) for its_parents in parents)
        except TypeError:
            raise InputError("parents must be, for each variable, a list of integer indices") from None
        object.__setattr__(self, "parents", found)
        self._check()

    def _check(self) -> None:
        n = len(self.names)
        if len(self.parents) != n:
            raise InputError(f"{n} variables but {len(self.parents)} parent sets")
        for child, parents in enumerate(self.parents):
            if len(set(parents)) != len(parents):
                raise InputError(f"variable {self.names[child]!r} has a parent twice")
            if parents and not (parents[0] >= 0 and parents[-1] < n):
                raise InputError(f"variable {self.names[child]!r} has a parent outside 0..{n - 1}")
            if child in parents:
                raise InputError(f"variable {self.names[child]!r} is its own parent")
        _ = self.order

    @classmethod
    def empty(cls, names: Sequence[str]) -> DAG:
        """Return the graph without edges."""
        return cls(names, [()] * len(names))

    @classmethod
    def from_edges(cls, names: Iterable[str], edges: Iterable[Edge]) -> DAG:
        """Make a graph from pairs (parent, child) of names."""
        names = checked_names(names)
        parents: list[list[int]] = [[] for _ in names]
        for parent, child in indexed_pairs(names, edges):
            parents[child].append(parent)
        return cls(names, parents)

    @classmethod
    def from_adjacency(cls, names: Iterable[str], adjacency: ArrayLike) -> DAG:
        """Make a graph from a square matrix whose entry [i, j] is nonzero where i is a parent of j."""
        names = checked_names(names)
        matrix = square_matrix(names, adjacency)
        return cls(names, [np.flatnonzero(column).tolist() for column in matrix.T])

    @classmethod
    def from_networkx(cls, graph: networkx.DiGraph) -> DAG:
        """Make a graph from an acyclic networkx DiGraph; nodes are named by their text."""
        return cls.from_edges(*networkx_parts(graph))

    def to_networkx(self) -> networkx.DiGraph:
        """Return the graph as a networkx DiGraph over the names."""
        import networkx

        graph = networkx.DiGraph()
        graph.add_nodes_from(self.names)
        graph.add_edges_from(self.edges)
        return graph

    def to_pgmpy(self) -> Any:
        """Return the graph as pgmpy's DAG over the names."""
        from bnsearch.graphs.exports import to_pgmpy

        return to_pgmpy(self)

    def to_pyagrum(self) -> Any:
        """Return the graph as pyAgrum's DAG; variable i becomes node i."""
        from bnsearch.graphs.exports import to_pyagrum

        return to_pyagrum(self)

    def plot(self, ax: Any = None) -> Any:
        """Draw the graph on matplotlib axes, or on new ones, and return them."""
        from bnsearch.drawing.plotting import plot_graph

        return plot_graph(self, ax)

    def _repr_svg_(self) -> str | None:
        from bnsearch.drawing.svg import fits_notebook, render_structure

        return render_structure(self) if fits_notebook(self) else None

    @cached_property
    def order(self) -> tuple[int, ...]:
        """A topological order: parents before children, the smallest index first among the free."""
        order = topological_order(self.parents)
        if len(order) < len(self.names):
            raise InputError(f"the graph has a directed cycle: {self._cycle(set(order))}")
        return tuple(order)

    def _cycle(self, placed: set[int]) -> str:
        """Return a cycle as text; `placed` holds the variables that are neither on a cycle nor below one."""
        i = next(i for i in range(len(self.names)) if i not in placed)
        upwards: dict[int, None] = {}
        while i not in upwards:
            upwards[i] = None
            i = next(p for p in self.parents[i] if p not in placed)
        path = list(upwards)
        cycle = [self.names[v] for v in [i, *reversed(path[path.index(i) :])]]
        shown = cycle if len(cycle) <= MAX_CYCLE_SHOWN else [*cycle[: MAX_CYCLE_SHOWN - 2], "...", cycle[-1]]
        return " -> ".join(shown)

    @cached_property
    def children(self) -> tuple[tuple[int, ...], ...]:
        """For each variable the indices of its children, sorted."""
        children: list[list[int]] = [[] for _ in self.names]
        for child, parents in enumerate(self.parents):
            for parent in parents:
                children[parent].append(child)
        return tuple(tuple(c) for c in children)

    @property
    def edges(self) -> list[Edge]:
        """The edges as pairs (parent, child) of names, by child."""
        return [
            (self.names[p], child) for child, parents in zip(self.names, self.parents, strict=True) for p in parents
        ]

    @property
    def skeleton(self) -> frozenset[Edge]:
        """The adjacent pairs (a, b) of names, a < b."""
        return skeleton_of(self.edges)

    @property
    def v_structures(self) -> frozenset[VStructure]:
        """The triples (a, c, b) of names with a -> c <- b, where a < b are not adjacent."""
        return v_structures_of(self.names, self.parents, self.skeleton)

    @property
    def adjacency(self) -> NDArray[np.bool_]:
        """The matrix whose entry [i, j] is True if i is a parent of j."""
        matrix = np.zeros((len(self.names), len(self.names)), dtype=bool)
        for child, parents in enumerate(self.parents):
            matrix[list(parents), child] = True
        return matrix

    def reordered(self, names: Sequence[str]) -> DAG:
        """Return the same graph with its variables listed in another order."""
        require_same_variables(self.names, names)
        return DAG.from_edges(names, self.edges)

    def d_separated(
        self, left: str | Iterable[str], right: str | Iterable[str], given: str | Iterable[str] = ()
    ) -> bool:
        """
        Return True if the variables `given` block every path between two groups of variables.

        Then the groups are independent given these variables in every distribution of the graph.

        Parameters
        ----------
        left, right : str or iterable of str
            Names of the variables of each group.
        given : str or iterable of str, optional
            Names of the observed variables; by default none.

        Returns
        -------
        bool
            True if the groups are d-separated.

        Raises
        ------
        InputError
            If a name is unknown, or the groups are not disjoint.

        Examples
        --------
        >>> import bnsearch
        >>> dag = bnsearch.DAG.from_edges("abc", [("a", "c"), ("b", "c")])
        >>> dag.d_separated("a", "b"), dag.d_separated("a", "b", given="c")
        (True, False)
        """
        from bnsearch.graphs.separation import is_d_separated

        return is_d_separated(self, left, right, given)

    def markov_blanket(self, variable: str) -> tuple[str, ...]:
        """
        Return the parents, the children and the other parents of the children of a variable.

        Given its Markov blanket, a variable is independent of all other variables.

        Parameters
        ----------
        variable : str
            Name of the variable.

        Returns
        -------
        tuple of str
            Names of the variables of the blanket, in the order of `names`.

        Examples
        --------
        >>> import bnsearch
        >>> bnsearch.load_network("asia").dag.markov_blanket("lung")
        ('tub', 'smoke', 'either')
        """
        from bnsearch.graphs.separation import find_indices, find_markov_blanket

        (index,) = find_indices(self.names, [variable], "markov_blanket")
        return tuple(self.names[x] for x in find_markov_blanket(self, index))
