"""From a DAG to the completed graph of its equivalence class (Chickering 1995; 2002, appendix C)."""

from __future__ import annotations

from collections.abc import Set

from bnsearch.graphs.dag import DAG
from bnsearch.graphs.pdag import PDAG


def cpdag(dag: DAG) -> PDAG:
    """
    Return the CPDAG of a DAG: compelled edges directed, reversible edges undirected.

    An edge is compelled when every Markov equivalent DAG has it in the same direction.

    Parameters
    ----------
    dag : DAG
        The structure.

    Returns
    -------
    PDAG
        Its equivalence class.

    References
    ----------
    Chickering (1995), "A transformational characterization of equivalent Bayesian network structures", UAI.

    Examples
    --------
    >>> import bnsearch
    >>> dag = bnsearch.DAG.from_edges("abc", [("a", "b"), ("b", "c")])
    >>> bnsearch.cpdag(dag).undirected_edges
    [('a', 'b'), ('b', 'c')]
    """
    arcs = dag.adjacency
    for child, compelled in enumerate(compelled_parents(dag)):
        arcs[child, [p for p in dag.parents[child] if p not in compelled]] = True
    return PDAG(dag.names, arcs)


def compelled_parents(dag: DAG) -> list[Set[int]]:
    """
    Return, for each variable y, the parents x whose edge x -> y is compelled.

    Notes
    -----
    Chickering's Order-Edges takes the variables y in topological order and the edges into y from its last
    parent x backwards. Label-Edges labels x -> y together with every edge into y that is still unknown. So
    one edge decides for all edges into y, with three outcomes:

    - some w -> x is compelled and w is not a parent of y: all edges into y are compelled;
    - some z -> y has z neither x nor a parent of x: all edges into y are compelled;
    - otherwise: the w -> y with w -> x compelled are compelled, all others are reversible.
    """
    parents = [frozenset(its_parents) for its_parents in dag.parents]
    position = [0] * len(dag.names)
    for place, i in enumerate(dag.order):
        position[i] = place
    compelled: list[Set[int]] = [frozenset()] * len(dag.names)
    for y in dag.order:
        if parents[y]:
            x = max(parents[y], key=position.__getitem__)
            covered = compelled[x] <= parents[y] and parents[y] - {x} <= parents[x]
            compelled[y] = compelled[x] if covered else parents[y]
    return compelled
