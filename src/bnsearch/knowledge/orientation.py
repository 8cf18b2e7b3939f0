"""The directions of edges that an equivalence class and background knowledge determine."""

from __future__ import annotations

import numpy as np

from bnsearch.graphs.completion import cpdag
from bnsearch.graphs.dag import DAG
from bnsearch.graphs.extension import extension
from bnsearch.graphs.meek import meek_closure
from bnsearch.graphs.pdag import PDAG
from bnsearch.knowledge.constraints import Constraints

Arc = tuple[int, int]  # tail, head


def orient_class(dag: DAG, known: Constraints | None) -> PDAG:
    """
    Return the maximally oriented graph (MPDAG) of a legal network's equivalence class under constraints.

    An edge is undirected if two legal networks of the class have it in different directions, and otherwise directed.

    Notes
    -----
    Required and forbidden edges give some directions, and Meek's rules all that follow from them. A limit on the
    parents of all variables gives none: the largest number of parents is the same in all networks of a class. Limits
    of single variables are different, so that a legal network is searched for each direction that is left.

    References
    ----------
    Meek (1995), "Causal inference and causal explanation with background knowledge", UAI.
    """
    graph = cpdag(dag)
    if known is None:
        return graph
    arcs = graph.arcs.copy()
    for a, b in _list_open_arcs(dag, graph):
        if known.required[b, a] or not known.allowed[a, b]:
            arcs[b, a] = False
    graph = meek_closure(PDAG(dag.names, arcs))
    limits = known.max_parents.tolist()
    if min(limits) == max(limits) or _find_tight_variable(graph, limits) is None:
        return graph
    return _apply_limits(dag, graph, limits)


def _apply_limits(dag: DAG, graph: PDAG, limits: list[int]) -> PDAG:
    """Direct the edges whose reversal is in no network of the class that respects the limits of its variables."""
    arcs, reversible = graph.arcs.copy(), set[Arc]()
    for a, b in _list_open_arcs(dag, graph):
        if (b, a) in reversible:
            continue
        other = _find_legal_member(_direct(graph, b, a), limits)
        if other is None:
            arcs[b, a] = False
        else:
            reversible |= {(parent, child) for child, parents in enumerate(other.parents) for parent in parents}
    return PDAG(graph.names, arcs)


def _list_open_arcs(dag: DAG, graph: PDAG) -> list[Arc]:
    """Return the edges of a DAG that are undirected in a graph of its class."""
    return [(a, b) for b, parents in enumerate(dag.parents) for a in parents if a in graph.neighbours[b]]


def _direct(graph: PDAG, a: int, b: int) -> PDAG:
    """Return a graph with the edge a -> b in place of a - b, and with all that follows."""
    arcs = np.array(graph.arcs)
    arcs[b, a] = False
    return meek_closure(PDAG(graph.names, arcs))


def _find_legal_member(graph: PDAG, limits: list[int]) -> DAG | None:
    """Return a consistent extension of a closed graph in which no variable has more parents than its limit."""
    if any(len(parents) > limit for parents, limit in zip(graph.parents, limits, strict=True)):
        return None
    v = _find_tight_variable(graph, limits)
    if v is None:
        return extension(graph)
    u = min(graph.neighbours[v])
    found = _find_legal_member(_direct(graph, v, u), limits)
    return _find_legal_member(_direct(graph, u, v), limits) if found is None else found


def _find_tight_variable(graph: PDAG, limits: list[int]) -> int | None:
    """Return a variable with undirected edges that may get more parents than its limit; None if there is none."""
    for v, neighbours in enumerate(graph.neighbours):
        # The new parents of a variable are adjacent to each other: otherwise they would form a v-structure.
        most = max((1 + len(neighbours & graph.adjacent[u]) for u in neighbours), default=0)
        if neighbours and len(graph.parents[v]) + most > limits[v]:
            return v
    return None
