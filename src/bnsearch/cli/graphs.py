"""Loading and description of graphs."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bnsearch.graphs.dag import DAG


def load_dag(net: str) -> DAG:
    """Return the structure of a network given by name or file."""
    from bnsearch.networks.named import load_graph
    from bnsearch.networks.network import BayesianNetwork

    graph = load_graph(net)
    return graph.dag if isinstance(graph, BayesianNetwork) else graph


def describe_size(dag: DAG) -> str:
    """Return the size of a graph, such as "8 variables, 8 edges"."""
    counts = {"variable": len(dag.names), "edge": sum(map(len, dag.parents))}
    return ", ".join(f"{count:,} {word}{'' if count == 1 else 's'}" for word, count in counts.items())
