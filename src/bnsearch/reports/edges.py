"""The edges of a network, and their directions within the equivalence class."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bnsearch.graphs.completion import compelled_parents

if TYPE_CHECKING:
    from bnsearch.graphs.dag import DAG
    from bnsearch.graphs.pdag import PDAG

Pair = tuple[int, int]  # indices of parent and child


def list_edges(dag: DAG) -> list[Pair]:
    """Return the edges as pairs (parent, child) of indices, by child."""
    return [(parent, child) for child, parents in enumerate(dag.parents) for parent in parents]


def describe_directions(dag: DAG, mpdag: PDAG) -> list[str]:
    """
    Return for each edge of `list_edges` what compels its direction: "class", "knowledge", or "" if it is reversible.

    mpdag : the equivalence class under the background knowledge, in which edges that can be reversed are undirected
    """
    compelled = compelled_parents(dag)
    return [
        "" if mpdag.arcs[child, parent] else "class" if parent in compelled[child] else "knowledge"
        for parent, child in list_edges(dag)
    ]
