"""Networks and structures as the command line names them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bnsearch.graphs.dag import DAG
    from bnsearch.networks.network import BayesianNetwork


def read_graph(net: str) -> BayesianNetwork | DAG:
    """Return the network that a name or a file stands for, or the structure where a file has no tables."""
    from bnsearch.networks.files import read_structure
    from bnsearch.networks.named import load_network

    return read_structure(net) if _lacks_tables(net) else load_network(net)


def read_dag(net: str) -> DAG:
    """Return the structure that a name or a file stands for."""
    from bnsearch.networks.network import BayesianNetwork

    graph = read_graph(net)
    return graph.dag if isinstance(graph, BayesianNetwork) else graph


def counted(dag: DAG) -> str:
    """Say how large a graph is."""
    counts = {"variable": len(dag.names), "edge": sum(map(len, dag.parents))}
    return ", ".join(f"{count:,} {word}{'' if count == 1 else 's'}" for word, count in counts.items())


def _lacks_tables(net: str) -> bool:
    """Tell whether a file holds a structure only: every adjacency matrix, and JSON without any table."""
    from bnsearch.networks.formats.source import Source

    stem = net.lower().removesuffix(".gz")
    if stem.endswith(".json"):
        return re.search(r'"table"\s*:', Source.read(net).text) is None
    return stem.endswith(".csv")
