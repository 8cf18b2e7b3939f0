"""Partially directed graphs, which have directed and undirected edges."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

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

if TYPE_CHECKING:
    import networkx

    from bnsearch.graphs.dag import DAG

Arc = tuple[int, int]  # tail, head
Sets = tuple[frozenset[int], ...]


@dataclass(frozen=True, eq=False, repr=False)
class PDAG:
    """
    A partially directed graph: the names of the variables and a matrix of arcs.

    Parameters
    ----------
    names : iterable of str
        The variables, all different.
    arcs : bool[n, n]
        [i, j] without [j, i] is the directed edge i -> j, both are the undirected edge i - j. The matrix is copied and
        made read-only, and its diagonal is empty.

    Notes
    -----
    A CPDAG, the completed graph of a Markov equivalence class, is one kind of PDAG. The constructor does not look for
    directed cycles: a graph with a cycle has no consistent extension, and `extension` refuses it.

    Examples
    --------
    >>> import bnsearch
    >>> pdag = bnsearch.PDAG.from_edges("abc", directed=[("a", "b")], undirected=[("b", "c")])
    >>> pdag.directed_edges
    [('a', 'b')]
    >>> pdag.undirected_edges
    [('b', 'c')]
    """

    names: tuple[str, ...]
    arcs: NDArray[np.bool_]

    def __init__(self, names: Iterable[str], arcs: ArrayLike) -> None:
        object.__setattr__(self, "names", checked_names(names))
        matrix = square_matrix(self.names, arcs)
        if not np.array_equal(matrix, arcs):  # other tools mark the ends of edges with -1, 1, 2
            raise InputError("a matrix of arcs holds only 0 and 1, [i, j] for i -> j, both ways for i - j")
        matrix.flags.writeable = False
        object.__setattr__(self, "arcs", matrix)
        loops = np.flatnonzero(matrix.diagonal())
        if len(loops):
            raise InputError(f"variable {self.names[loops[0]]!r} has an edge to itself")

    @classmethod
    def from_edges(cls, names: Iterable[str], directed: Iterable[Edge] = (), undirected: Iterable[Edge] = ()) -> PDAG:
        """Make a graph from pairs (parent, child) and unordered pairs of names; a pair is joined once."""
        names = checked_names(names)
        arcs = np.zeros((len(names), len(names)), dtype=bool)
        arrows = indexed_pairs(names, directed)
        lines = indexed_pairs(names, undirected, mark="-")
        for a, b in arrows + lines:
            if arcs[a, b] or arcs[b, a]:
                raise InputError(f"variables {names[a]!r} and {names[b]!r} are joined by two edges")
            arcs[a, b] = True
        for a, b in lines:
            arcs[b, a] = True
        return cls(names, arcs)

    @classmethod
    def from_dag(cls, dag: DAG) -> PDAG:
        """Return a DAG as a PDAG whose edges are all directed (`cpdag` gives its equivalence class)."""
        return cls(dag.names, dag.adjacency)

    @classmethod
    def from_networkx(cls, graph: networkx.DiGraph) -> PDAG:
        """Make a graph from a networkx DiGraph in which u -> v and v -> u together stand for u - v."""
        names, pairs = networkx_parts(graph)
        arcs = np.zeros((len(names), len(names)), dtype=bool)
        for tail, head in indexed_pairs(names, pairs):
            arcs[tail, head] = True
        return cls(names, arcs)

    def to_networkx(self) -> networkx.DiGraph:
        """Return the graph as a networkx DiGraph over the names; u - v becomes both u -> v and v -> u."""
        import networkx

        graph = networkx.DiGraph()
        graph.add_nodes_from(self.names)
        graph.add_edges_from(self._named(self._directed + self._undirected))
        return graph

    def _repr_svg_(self) -> str | None:
        from bnsearch.drawing.svg import fits_notebook, render_structure
        from bnsearch.graphs.extension import extension

        if not fits_notebook(self):
            return None
        try:
            dag = extension(self)
        except InputError:
            return None
        return render_structure(dag, {pair for a, b in self.undirected_edges for pair in ((a, b), (b, a))})

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, PDAG):
            return NotImplemented
        return self.names == other.names and np.array_equal(self.arcs, other.arcs)

    def __hash__(self) -> int:
        return hash((self.names, self.arcs.tobytes()))

    def __repr__(self) -> str:
        directed, lines = len(self._directed), len(self._undirected) // 2
        return f"PDAG({len(self.names)} variables, {directed} directed and {lines} undirected edges)"

    def __reduce__(self) -> tuple[type[PDAG], tuple[tuple[str, ...], NDArray[np.bool_]]]:
        return PDAG, (self.names, self.arcs)  # an array would be writeable after unpickling

    @cached_property
    def _arcs_by_kind(self) -> tuple[list[Arc], list[Arc]]:
        """The arcs of directed and of undirected edges, each sorted by head and then tail."""
        tails, heads = np.divmod(np.flatnonzero(self.arcs), len(self.names))
        mutual = self.arcs[heads, tails]
        by_head = np.argsort(heads, kind="stable")
        columns = (column[by_head].tolist() for column in (tails, heads, mutual))
        arcs = list(zip(*columns, strict=True))
        return [(t, h) for t, h, both in arcs if not both], [(t, h) for t, h, both in arcs if both]

    @property
    def _directed(self) -> list[Arc]:
        return self._arcs_by_kind[0]

    @property
    def _undirected(self) -> list[Arc]:
        return self._arcs_by_kind[1]

    def _named(self, arcs: Iterable[Arc]) -> list[Edge]:
        return [(self.names[tail], self.names[head]) for tail, head in arcs]

    def _grouped(self, arcs: Iterable[Arc]) -> Sets:
        """Return for each variable the heads of the arcs that leave it."""
        groups: list[set[int]] = [set() for _ in self.names]
        for tail, head in arcs:
            groups[tail].add(head)
        return tuple(map(frozenset, groups))

    @property
    def directed_edges(self) -> list[Edge]:
        """The directed edges as pairs (parent, child) of names, by child."""
        return self._named(self._directed)

    @property
    def undirected_edges(self) -> list[Edge]:
        """The undirected edges as pairs of names, each once, in the order in which the variables are listed."""
        return self._named(arc for arc in self._undirected if arc[0] < arc[1])

    @property
    def skeleton(self) -> frozenset[Edge]:
        """The adjacent pairs (a, b) of names, a < b."""
        return skeleton_of(self._named(self._directed + self._undirected))

    @property
    def v_structures(self) -> frozenset[VStructure]:
        """The triples (a, c, b) of names with a -> c <- b, where a < b are not adjacent."""
        return v_structures_of(self.names, self.parents, self.skeleton)

    @cached_property
    def parents(self) -> Sets:
        """For each variable i the indices j with j -> i."""
        return self._grouped((head, tail) for tail, head in self._directed)

    @cached_property
    def children(self) -> Sets:
        """For each variable i the indices j with i -> j."""
        return self._grouped(self._directed)

    @cached_property
    def neighbours(self) -> Sets:
        """For each variable i the indices j with i - j."""
        return self._grouped(self._undirected)

    @cached_property
    def adjacent(self) -> Sets:
        """For each variable i the indices j that share an edge of any kind with i."""
        relatives = zip(self.parents, self.children, self.neighbours, strict=True)
        return tuple(p | c | n for p, c, n in relatives)

    def reordered(self, names: Sequence[str]) -> PDAG:
        """Return the same graph with its variables listed in another order."""
        names = checked_names(names)
        require_same_variables(self.names, names)
        place = {name: i for i, name in enumerate(self.names)}
        order = [place[name] for name in names]
        return PDAG(names, self.arcs[np.ix_(order, order)])
