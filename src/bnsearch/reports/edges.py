"""The edges of a network, and their directions within the equivalence class."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bnsearch.graphs.completion import compelled_parents

if TYPE_CHECKING:
    from bnsearch.graphs.dag import DAG

Pair = tuple[int, int]  # indices of parent and child


def list_edges(dag: DAG) -> list[Pair]:
    """Return the edges as pairs (parent, child) of indices, by child."""
    return [(parent, child) for child, parents in enumerate(dag.parents) for parent in parents]


def find_compelled(dag: DAG) -> list[bool]:
    """Return for each edge of `list_edges` whether all networks of the equivalence class have its direction."""
    compelled = compelled_parents(dag)
    return [parent in compelled[child] for parent, child in list_edges(dag)]
