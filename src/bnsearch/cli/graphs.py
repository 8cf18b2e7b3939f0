"""Graphs as the command line takes and describes them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bnsearch.graphs.dag import DAG


def load_dag(net: str) -> DAG:
    """Return the structure that a name or a file stands for."""
    from bnsearch.networks.named import load_graph
    from bnsearch.networks.network import BayesianNetwork

    graph = load_graph(net)
    return graph.dag if isinstance(graph, BayesianNetwork) else graph


def counted(dag: DAG) -> str:
    """Say how large a graph is."""
    counts = {"variable": len(dag.names), "edge": sum(map(len, dag.parents))}
    return ", ".join(f"{count:,} {word}{'' if count == 1 else 's'}" for word, count in counts.items())
